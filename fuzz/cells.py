"""Cells of one column, from its description: Python values, None where missing."""

from __future__ import annotations

import datetime
import string
from decimal import Decimal
from typing import Any

import numpy as np

# Every cell of these has a meaning, so a table of them must be accepted.
NUMBERS = ("float", "float32", "whole", "integer", "huge", "tiny", "money", "constant")
PLAIN = (*NUMBERS, "boolean", "text", "words", "codes", "nothing")
# These may be refused, but only with a clear error.
ODD = ("date", "time", "bytes", "mixed", "complex", "infinity", "nested", "long integer")
# Integer types by name, with the least and greatest number that is drawn of each.
INTEGERS = {
    name: (int(np.iinfo(name).min), int(np.iinfo(name).max))
    for name in ("int8", "uint8", "int16", "uint16", "int32", "uint32")
}
WORDS = (
    "", " ", "a", "A", "b", "yes", "no", "NULL", "NaN", "nan", "None", "1", "1.0", "01", "true",
    "it's", 'a "b"', "back\\slash", "naïve", "na\u0131ve", "e\u0301", "\u00e9", "line\nbreak",
    "\x00", "\x1b[31m", "\u202eevil", "\ufeff", "\U0001f600", "x > 3", "a or b", "</script>",
    "{a, b}", "{'a'}", "__import__('os')", "=1+1", "ß", "SS", "-0", "inf", "other", "\u2028",
    "long" * 60,
)  # fmt: skip


def draw_name(rng: np.random.Generator, taken: set[str]) -> str:
    """A name that is not taken: a letter, a word that means something elsewhere, or any text."""
    while True:
        kind = rng.integers(4)
        if kind < 2:
            name = "".join(rng.choice(list(string.ascii_lowercase), rng.integers(1, 4)))
        else:
            name = str(rng.choice(WORDS)) if kind == 2 else _any_text(rng)
        if name not in taken:
            return name


def _any_text(rng: np.random.Generator) -> str:
    """Any code points but surrogates, which no encoding of text has."""
    points = rng.integers(0, rng.choice([128, 0x3000, 0x110000 - 0x800]), rng.integers(0, 9))
    return "".join(chr(p if p < 0xD800 else p + 0x800) for p in points.tolist())


def draw_cells(column: dict[str, Any], n_rows: int) -> list[Any]:
    """The cells of a column; the description's seed decides all of them."""
    rng = np.random.default_rng(column["seed"])
    cells = _of_kind(str(column["kind"]), rng, n_rows, column)
    is_missing = rng.random(n_rows) < column["missing"]
    return [None if gone else cell for cell, gone in zip(cells, is_missing, strict=True)]


def _of_kind(kind: str, rng: np.random.Generator, n: int, column: dict[str, Any]) -> list[Any]:
    if kind == "float":
        values = rng.normal(size=n) if rng.random() < 0.7 else np.floor(rng.exponential(3, n)) / 4
        return [-0.0 if v == 0 and i % 2 else v for i, v in enumerate(values.tolist())]
    if kind == "float32":
        return rng.normal(size=n).astype(np.float32).tolist()
    if kind == "whole":
        return rng.integers(-4, 5, n).astype(float).tolist()
    if kind == "integer":
        low, high = INTEGERS[column["type"]]
        few = rng.integers(max(low, -3), 4, n)
        return np.where(rng.random(n) < 0.8, few, rng.integers(low, high, n)).tolist()
    if kind == "huge":
        return (
            rng.choice([-1, 1], n) * rng.uniform(1, 1.7, n) * 10.0 ** rng.integers(290, 309, n)
        ).tolist()
    if kind == "tiny":
        return (rng.integers(-9, 10, n) * 5e-324).tolist()
    if kind == "money":
        return [Decimal(int(cents)) / 100 for cents in rng.integers(-(10**6), 10**6, n)]
    if kind == "constant":
        return [float(rng.integers(3))] * n
    if kind == "boolean":
        return [bool(v) for v in rng.random(n) < rng.uniform(0.05, 0.95)]
    if kind == "text":
        levels = [_any_text(rng) for _ in range(int(rng.integers(1, 7)))]
        return [levels[i] for i in rng.integers(len(levels), size=n)]
    if kind == "words":
        return rng.choice(WORDS, n).tolist()
    if kind == "codes":  # as many levels as there may be rows, so that most are rare
        return [f"c{i}" for i in rng.zipf(1.3, n) % max(2, n)]
    if kind == "nothing":
        return [None] * n
    return _odd(kind, rng, n)


def _odd(kind: str, rng: np.random.Generator, n: int) -> list[Any]:
    numbers = rng.integers(0, 2000, n).tolist()
    if kind == "date":
        return [datetime.date(2000, 1, 1) + datetime.timedelta(days=i) for i in numbers]
    if kind == "time":
        return [datetime.datetime(2000, 1, 1) + datetime.timedelta(minutes=i) for i in numbers]
    if kind == "bytes":
        return [bytes([i % 256]) for i in numbers]
    if kind == "mixed":
        return [i if i % 3 else f"t{i % 5}" for i in numbers]
    if kind == "complex":
        return [complex(i, 1) for i in numbers]
    if kind == "infinity":
        return [float("inf") if i % 5 == 0 else float(i) for i in numbers]
    if kind == "nested":
        return [[i] for i in numbers]
    return [2**60 + i for i in numbers]
