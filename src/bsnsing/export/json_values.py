"""Columns, labels and questions as values of JSON, and back."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bsnsing.data.columns import ColumnInfo, Kind, Level
from bsnsing.data.scales import SCALE_KINDS, Scale, read_moment, scale_of, show_moment
from bsnsing.export.json_read import Place, are_distinct, as_number
from bsnsing.questions.pair import SIGNS, ColumnPair, Sign
from bsnsing.questions.question import OWN, TESTS, Question

_KINDS: tuple[Kind, ...] = ("numeric", "boolean", "categorical")
_NUMBER_TYPES = (
    *("bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"),
    *("float16", "float32", "float64"),
)
# Characters of all labels together, in arrays of text of one width.
_MOST_CHARACTERS = 10_000_000


# --- Columns ---


def columns_to_json(columns: Sequence[ColumnInfo]) -> list[dict[str, Any]]:
    """Write what a model knows of its table."""
    return [
        {"name": column.name, "kind": column.kind}
        | ({"levels": list(column.levels)} if column.kind == "categorical" else {})
        | ({} if column.scale is None else {"scale": _scale_to_json(column.scale)})
        for column in columns
    ]


def _scale_to_json(scale: Scale) -> dict[str, Any]:
    written: dict[str, Any] = {"kind": scale.kind}
    if scale.zone is not None:
        written["zone"] = scale.zone
    return written | ({"levels": list(scale.levels)} if scale.kind == "order" else {})


def _scale_from_json(place: Place) -> Scale:
    fields = place.fields(("kind",), ("zone", "levels"))
    kind = SCALE_KINDS[SCALE_KINDS.index(fields["kind"].one_of(SCALE_KINDS))]
    if (kind == "order") != ("levels" in fields) or ("zone" in fields and kind != "moment"):
        place.fail("with levels if its kind is 'order', and with a zone only if it is 'moment'")
    levels = tuple(own.text() for own in fields["levels"].items()) if "levels" in fields else ()
    if len(set(levels)) < len(levels) or (kind == "order" and not levels):
        fields["levels"].fail("a list of levels, each once")
    return Scale(kind, fields["zone"].text() if "zone" in fields else None, levels)


def columns_from_json(place: Place) -> tuple[ColumnInfo, ...]:
    """Read what a model knows of its table."""
    return tuple(_column(own) for own in place.items())


def _column(place: Place) -> ColumnInfo:
    fields = place.fields(("name", "kind"), ("levels", "scale"))
    kind = _KINDS[_KINDS.index(fields["kind"].one_of(_KINDS))]
    if (kind == "categorical") != ("levels" in fields):
        place.fail("with levels if its kind is 'categorical', and only then")
    levels = tuple(own.scalar() for own in fields["levels"].items()) if "levels" in fields else ()
    # Exports find levels by halving, and numbers by their position before text.
    if levels and (not are_distinct(levels) or list(levels) != sorted(levels, key=_rank)):
        fields["levels"].fail("a list of numbers and then text, each ascending and each once")
    if "scale" in fields and kind != "numeric":
        place.fail("without a scale, unless its kind is 'numeric'")
    scale = _scale_from_json(fields["scale"]) if "scale" in fields else None
    return ColumnInfo(fields["name"].text(), kind, levels, scale)


def _rank(level: Level) -> tuple[bool, Any]:
    return isinstance(level, str), level


# --- Labels ---


def labels_to_json(labels: NDArray[Any]) -> dict[str, Any]:
    """Write class labels with their type; TypeError for what JSON cannot hold."""
    kind, plain = labels.dtype.kind, labels.tolist()
    if kind in "biuf" and labels.dtype.name in _NUMBER_TYPES:
        return {"dtype": labels.dtype.name, "values": plain}
    if kind == "U":
        return {"dtype": f"str{labels.dtype.itemsize // 4}", "values": plain}
    if kind == "O" and all(isinstance(label, str | int | float) for label in plain):
        return {"dtype": "object", "values": [_plain_label(label) for label in plain]}
    strange = next(
        (label for label in plain if not isinstance(label, str | int | float)), labels.dtype
    )
    raise TypeError(
        f"The class labels hold {strange!r:.60}, of type {type(strange).__name__}, which JSON "
        "cannot hold. Fit with labels that are text or numbers, or pickle the model."
    )


def _plain_label(label: Any) -> Level:
    for plain in (bool, int, float):
        if isinstance(label, plain):
            return plain(label)
    return str.__str__(label)


def labels_from_json(place: Place) -> NDArray[Any]:
    """Read class labels."""
    fields = place.fields(("dtype", "values"))
    name = fields["dtype"].text()
    values = [own.scalar() for own in fields["values"].items()]
    if not values or not are_distinct(values):
        fields["values"].fail("a list of labels, each once")
    if name == "object":
        labels = np.empty(len(values), dtype=object)
        labels[:] = values
        return labels
    wanted = bool if name == "bool" else float if name.startswith("float") else int
    is_text = re.fullmatch(r"str[0-9]{1,8}", name) is not None
    if {type(value) for value in values} != {str if is_text else wanted}:
        fields["values"].fail(f"a list of labels of dtype {name[:20]!r}")
    if is_text:
        return _text_labels(fields["dtype"], values, name)
    try:
        labels = np.array(values, dtype=fields["dtype"].one_of((*_NUMBER_TYPES, "object")))
    except OverflowError:
        fields["values"].fail(f"a list of numbers that {name} can hold")
    if labels.tolist() != values:
        fields["values"].fail(f"a list of numbers that {name} can hold")
    return labels


def _text_labels(dtype: Place, values: list[Any], name: str) -> NDArray[Any]:
    width = int(name[3:])
    longest = max(map(len, values))
    if width < longest or width * len(values) > max(_MOST_CHARACTERS, longest * len(values)):
        dtype.fail(f"'str' and a width, which is that of the longest label, {longest}, or more")
    return np.array(values, dtype=f"U{width}")


# --- Questions ---


def pair_to_json(pair: ColumnPair) -> dict[str, Any]:
    """Write a pair of columns."""
    named = {"first": pair.first, "sign": pair.sign, "second": pair.second}
    return named | ({} if pair.factor == 1 else {"factor": pair.factor})


def pair_from_json(place: Place) -> ColumnPair:
    """Read a pair of columns."""
    fields = place.fields(("first", "sign", "second"), ("factor", "has_missing"))
    sign: Sign = fields["sign"].one_of(SIGNS)  # type: ignore[assignment]
    factor = fields["factor"].number() if "factor" in fields else 1.0
    if factor == 0 or (factor != 1 and sign in "*/"):
        place.fail("a pair whose factor is not 0, and is 1 in products and ratios")
    return ColumnPair(fields["first"].text(), sign, fields["second"].text(), factor)


def question_to_json(question: Question, *, negated: bool = False) -> dict[str, Any]:
    """Write a question; numbers and levels as they are, in all their digits."""
    column, value = question.column, question.value
    written: dict[str, Any] = {
        "column": pair_to_json(column) if isinstance(column, ColumnPair) else column,
        "test": question.test,
    }
    if isinstance(value, tuple):
        written["value"] = [_plain(level) for level in value]
    elif question.test != "is missing":
        written["value"] = _plain(value)
    if question.origin not in (None, OWN):
        written["origin"] = question.origin
    return written | ({"negated": True} if negated else {})


def _plain(value: Any) -> Any:
    plain = value.item() if isinstance(value, np.generic) else value
    if scale_of(plain) is not None:
        return {"moment": show_moment(plain)}
    return as_number(plain) if isinstance(plain, float) else plain


def question_from_json(place: Place) -> tuple[Question, bool]:
    """Read a question, and whether it is negated."""
    fields = place.fields(("column", "test"), ("value", "negated", "origin"))
    test = TESTS[TESTS.index(fields["test"].one_of(TESTS))]
    column = fields["column"]
    subject: str | ColumnPair = (
        pair_from_json(column) if type(column.value) is dict else column.text()
    )
    negated = fields["negated"].flag() if "negated" in fields else False
    if (test == "is missing") == ("value" in fields):
        place.fail("with a value, unless its test is 'is missing'")
    value: Any = None
    if test == "in":
        value = tuple(own.scalar() for own in fields["value"].items())
    elif type(fields["value"].value if "value" in fields else None) is dict:
        value = _moment_from_json(fields["value"], test)
    elif test in (">", "<", ">=", "<=") and type(fields["value"].value) is str:
        if isinstance(subject, ColumnPair):
            fields["value"].fail("a number, as those of pairs of columns are")
        value = fields["value"].text()  # a level that has an order
    elif test != "is missing":
        if test in (">=", "<="):
            fields["value"].fail("a level")
        is_number = test in "<>" or isinstance(subject, ColumnPair)
        value = fields["value"].number(finite=False) if is_number else fields["value"].scalar()
        if value != value:
            fields["value"].fail("a number")
    origin = fields["origin"].text() if "origin" in fields else None
    return Question(subject, test, value, origin), negated  # type: ignore[arg-type]


def _moment_from_json(place: Place, test: str) -> Any:
    written = place.fields(("moment",))["moment"]
    text = written.text()
    try:
        found = read_moment(text)
    except ValueError:
        found = None
    if found is None or found[1] != len(text) or test not in ("<", ">"):
        written.fail("a moment such as 2021-03-01, after '<' or '>'")
    assert found is not None
    return found[0]
