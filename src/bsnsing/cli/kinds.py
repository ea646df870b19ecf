"""What a column of text holds: numbers, true and false, dates, text; and what is missing."""

from __future__ import annotations

import math
import re
from collections.abc import Collection
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from bsnsing.cli.errors import Refusal
from bsnsing.cli.moments import (
    WANTED,
    WITH_OFFSET,
    MomentKind,
    arrow_type_of,
    has_offset,
    kind_of_texts,
    read_as,
)
from bsnsing.data.show import show_level

_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?", re.ASCII)
# A number does not begin so; codes, post codes and telephone numbers do.
_LEADING_ZERO = re.compile(r"[+-]?0\d", re.ASCII)
_INTEGER = re.compile(r"[+-]?\d+", re.ASCII)
# Dates in other forms than that of ISO 8601: which number is the month is not told.
_LOCAL_DATE = re.compile(
    r"\d{4}-\d{1,2}-\d{1,2}([T ].*)?|\d{4}/\d{1,2}/\d{1,2}|\d{1,2}/\d{1,2}/\d{2,4}"
    r"|\d{1,2}\.\d{1,2}\.\d{4}",
    re.ASCII,
)
_TRUTH = {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}
# Up to this share, cells that are no numbers among numbers are likely slips, or marks for missing.
_FEW = 0.2


@dataclass(frozen=True, eq=False)
class TextColumn:
    """A column of text by its distinct cells, trimmed, and those that stand for missing ones."""

    name: str
    distinct: list[str]
    codes: NDArray[np.int64]  # positions in ``distinct``; -1 where there is nothing at all
    marks: Collection[str]
    decimal: str = "."

    @classmethod
    def read(cls, name: str, array: Any, marks: Collection[str], decimal: str = ".") -> TextColumn:
        """Take an arrow array of text apart."""
        encoded = pc.utf8_trim_whitespace(array).dictionary_encode()
        codes = encoded.indices.fill_null(-1).to_numpy(zero_copy_only=False)
        return cls(
            name, encoded.dictionary.to_pylist(), codes.astype(np.int64), frozenset(marks), decimal
        )

    @cached_property
    def counts(self) -> NDArray[np.int64]:
        """Cells of each distinct text."""
        return np.bincount(self.codes[self.codes >= 0], minlength=len(self.distinct))

    @cached_property
    def levels(self) -> list[str]:
        """Distinct texts that are there, in the order in which they occur."""
        return [text for text in self.distinct if text not in self.marks]

    @property
    def marks_met(self) -> list[str]:
        """Marks of missing cells that occur."""
        return [text for text in self.distinct if text in self.marks]

    @property
    def n_missing(self) -> int:
        """Number of missing cells."""
        is_mark = np.array([text in self.marks for text in self.distinct], dtype=bool)
        return int((self.codes < 0).sum() + self.counts[is_mark].sum())

    # --- What it holds ---

    def kind(self) -> tuple[str, str]:
        """Return what the column holds, and a note where that may surprise.

        Numbers are such only if all cells are. A leading zero, and digits that a float cannot
        hold, tell codes, which stay text. Dates and times of day are such only in the form of
        ISO 8601, all with an offset from UTC or none.
        """
        levels = self.levels
        if not levels:
            return "empty", ""
        is_number = [self._is_number(text) for text in levels]
        if all(is_number):
            codes = [text for text in levels if _is_code(text)]
            return ("text", f"codes such as {codes[0]!r}") if codes else ("number", "")
        if all(text.lower() in ("true", "false") for text in levels):
            return "boolean", ""
        moments = kind_of_texts(levels)
        if moments is not None:
            return moments, ""
        if all(_LOCAL_DATE.fullmatch(text) for text in levels):
            return "local date", "not as in 2021-03-01"
        return "text", self._note_on_few(is_number)

    def _note_on_few(self, is_number: list[bool]) -> str:
        """Say which few cells keep a column from being numbers."""
        counts = dict(zip(self.distinct, self.counts.tolist(), strict=True))
        others = [t for t, is_one in zip(self.levels, is_number, strict=True) if not is_one]
        n_others = sum(counts[text] for text in others)
        if n_others > _FEW * sum(counts[text] for text in self.levels):
            return ""
        listed = ", ".join(map(repr, others[:3])) + (", ..." if len(others) > 3 else "")
        return f"numbers but for {listed}"

    # --- As arrow arrays ---

    def numbers(self, rows_before: int = 0) -> Any:
        """Return the cells as floats; a cell that is none is refused."""
        values = [math.nan if text in self.marks else self._number(text) for text in self.distinct]
        if None in values:
            raise self._wrong("a number", self.distinct[values.index(None)], rows_before)
        table = np.array([*values, math.nan], dtype=np.float64)
        return pa.array(table[self.codes], from_pandas=True)

    def integers(self) -> Any | None:
        """Return the cells as integers, or None if some are not."""
        if self.n_missing or not all(_INTEGER.fullmatch(text) for text in self.distinct):
            return None
        values = [int(text) for text in self.distinct]
        if max(map(abs, values), default=0) >= 2**63:
            return None
        return pa.array(np.array(values, dtype=np.int64)[self.codes])

    def booleans(self, rows_before: int = 0) -> Any:
        """Return the cells as true and false; a cell that is neither is refused."""
        values: list[bool | None] = []
        for text in self.distinct:
            truth = _TRUTH.get(text.lower())
            if truth is None and text not in self.marks:
                raise self._wrong("true or false, or yes or no", text, rows_before)
            values.append(None if text in self.marks else truth)
        return self._taken(pa.array(values, pa.bool_()))

    def moments(
        self, kind: MomentKind, rows_before: int = 0, *, with_offset: bool | None = None
    ) -> Any:
        """Return the cells as dates, times of day or durations; a cell that is none is refused.

        Dates are all ``with_offset`` from UTC, or all without; None is as the first one is.
        """
        values: list[Any] = []
        for text in self.distinct:
            value = None if text in self.marks else read_as(text, kind)
            if value is not None and with_offset is None:
                with_offset = has_offset(value)
            is_wrong = value is None or has_offset(value) != with_offset
            if text not in self.marks and is_wrong:
                wanted = WITH_OFFSET if kind == "date" and with_offset else WANTED[kind]
                raise self._wrong(wanted, text, rows_before)
            values.append(value)
        known = [value for value in values if value is not None]
        return self._taken(pa.array(values, arrow_type_of(known, self.levels, kind)))

    def texts(self) -> Any:
        """Return the cells as text, null where missing."""
        values = [None if text in self.marks else text for text in self.distinct]
        return self._taken(pa.array(values, pa.string()))

    def _taken(self, values: Any) -> Any:
        return values.take(pa.array(self.codes, mask=self.codes < 0))

    def _is_number(self, text: str) -> bool:
        return self._number(text) is not None

    def _number(self, text: str) -> float | None:
        if self.decimal != ".":
            if "." in text:
                return None
            text = text.replace(self.decimal, ".")
        if not _NUMBER.fullmatch(text):
            return None
        number = float(text)
        return number if math.isfinite(number) else None

    def _wrong(self, wanted: str, text: str, rows_before: int) -> Refusal:
        row = int(np.flatnonzero(self.codes == self.distinct.index(text))[0]) + rows_before + 1
        return Refusal(
            f"Column {self.name!r} is to hold {wanted}, and holds {text!r:.60} in row {row}.",
            f"say --missing {show_level(text)} if that stands for a missing cell.",
        )


def _is_code(text: str) -> bool:
    if _LEADING_ZERO.match(text):
        return True
    return bool(_INTEGER.fullmatch(text)) and len(text) > 15 and int(float(text)) != int(text)
