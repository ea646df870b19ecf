"""The text of a rule in a model file, for people, and whether a text says what questions say.

The text decides nothing. Readers compare it with the questions beside it, so that an edit of one
alone is seen. It is part of the format, and stays as it is however trees are printed.
"""

from __future__ import annotations

import datetime
import json
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeAlias, cast

import numpy as np

from bsnsing.data.columns import ColumnInfo
from bsnsing.data.scales import Scale, in_steps, read_moment, show_moment
from bsnsing.questions.pair import ColumnPair
from bsnsing.questions.question import Question, Test

# A text is made of these. Moments of a time zone are apart: another machine may know other clocks.
_Piece: TypeAlias = str | datetime.datetime

# By code points, since what is a letter differs between versions of Python.
_LETTERS = "A-Za-z_\u00a1-\u1fff\u2070-\U0010ffff"
_PLAIN = f"[{_LETTERS}][{_LETTERS}0-9 ()%]*"  # compiled on request, as it takes milliseconds
_WORDS = re.compile(r"\b(and|or|xor|not|in|is|true|false)\b", re.IGNORECASE | re.ASCII)
_NEGATED = {
    **{">": "<=", "<": ">=", ">=": "<", "<=": ">"},
    **{"==": "!=", "in": "not in", "is missing": "is not missing"},
}
_MOMENT_WORDS = {">": "after", "<": "before", ">=": "since", "<=": "until"}
# Letters to every version of Python, so that a level of these is read back without quotes.
_SURE_LETTERS = (
    "A-Za-z\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u024f\u0391-\u03a1\u03a3-\u03c9\u0410-\u044f"
    "\u3041-\u3096\u30a1-\u30fa\u4e00-\u9fa5\uac00-\ud7a3"
)
_PLAIN_LEVEL = f"[{_SURE_LETTERS}][{_SURE_LETTERS}0-9_.+-]*"
_OTHER_WORDS = re.compile(
    r"\b(before|after|since|until|none|missing|nan|inf|infinity)\b", re.IGNORECASE | re.ASCII
)
_UTC = "+00:00"


def scales_of(columns: Sequence[ColumnInfo], *, in_utc: bool = False) -> dict[str, Scale]:
    """Scales of columns by name; ``in_utc``, so that no clocks of a time zone are looked up."""
    return {
        column.name: replace(scale, zone=_UTC) if in_utc and scale.zone is not None else scale
        for column in columns
        if (scale := column.scale) is not None
    }


@dataclass(frozen=True, slots=True)
class JoinedQuestions:
    """What a node's object says of its rule: thresholds are numbers, on whatever scale."""

    questions: Sequence[Question]
    negated: Sequence[bool]
    operator: str
    has_missing: Sequence[bool]

    def text(self, scales: Mapping[str, Scale]) -> str:
        """Write the rule in all digits; questions about columns with a scale in words."""
        pieces = self._pieces(scales)
        return "".join(own if isinstance(own, str) else show_moment(own) for own in pieces)

    def are_said_by(self, text: str, scales: Mapping[str, Scale]) -> bool:
        """Whether a text is the one of these questions, in words or with the bare numbers.

        A moment of a time zone may be written with any offset from UTC.
        """
        return any(_is_made_of(text, self._pieces(own)) for own in (scales, {}))

    def _pieces(self, scales: Mapping[str, Scale]) -> Iterator[_Piece]:
        facts = zip(self.questions, self.negated, self.has_missing, strict=True)
        for i, (question, is_negated, missing) in enumerate(facts):
            if i:
                yield f" {self.operator} "
            is_wrapped = is_negated and missing and question.test != "is missing"
            if is_wrapped:
                yield "not ("
            column = question.column
            scale = None if isinstance(column, ColumnPair) else scales.get(column)
            in_words = None if scale is None else _in_words(question, scale)
            if in_words is None:
                yield _bare_text(question, is_negated and not is_wrapped)
            else:
                yield from _scaled_pieces(in_words, is_negated and not is_wrapped)
            if is_wrapped:
                yield ")"


def _is_made_of(text: str, pieces: Iterator[_Piece]) -> bool:
    place = 0
    for piece in pieces:
        if isinstance(piece, str):
            if not text.startswith(piece, place):
                return False
            place += len(piece)
            continue
        try:
            found = read_moment(text, place)
        except ValueError:
            return False
        if found is None or not isinstance(found[0], datetime.datetime):
            return False
        if found[0].tzinfo is None or in_steps(found[0]) != in_steps(piece):
            return False
        place = found[1]
    return place == len(text)


def _in_words(question: Question, scale: Scale) -> Question | None:
    """The question about moments or levels; None where none of them gives the same answers.

    Cells are whole numbers, and so the part of a threshold behind the point changes no answer.
    """
    if question.test not in (">", "<", "=="):
        return None
    number = float(cast(float, question.value))
    if not math.isfinite(number) or (question.test == "==" and not number.is_integer()):
        return None
    steps = math.floor(number) if question.test == ">" else math.ceil(number)
    test, value = scale.value(number, question.test)
    if scale.kind == "order":
        place = steps - {">": 0, "<": 2, "==": 1}[question.test]
        is_same = 0 <= place < len(scale.levels)
    else:
        is_same = in_steps(value) == steps
    return replace(question, test=cast(Test, test), value=value) if is_same else None


def _scaled_pieces(question: Question, negated: bool) -> Iterator[_Piece]:
    """Pieces of a question about a moment or an ordered level, or of its negation."""
    test, value = cast(tuple[str, Any], question.plainest())
    test = _NEGATED[test] if negated else test
    name = _name(cast(str, question.column))
    if isinstance(value, str):
        is_plain = re.fullmatch(_PLAIN_LEVEL, value) and not _is_word(value)
        yield f"{name} {test} {value if is_plain else _quoted(value)}"
    elif not isinstance(value, datetime.datetime):
        yield f"{name} {test} {show_moment(value)}"
    else:
        yield f"{name} {_MOMENT_WORDS.get(test, test)} "
        yield show_moment(value) if value.tzinfo is None else value


def _name(name: str) -> str:
    """A column's name as the grammar reads it back."""
    is_plain = not _is_word(name) and name.count("(") == name.count(")")
    return _word(name) if is_plain else _quoted(name)


def _is_word(text: str) -> bool:
    return bool(_WORDS.search(text) or _OTHER_WORDS.search(text))


def _bare_text(question: Question, negated: bool) -> str:
    """A question as the engines have it, or its negation."""
    column, value = question.column, question.value
    if isinstance(column, ColumnPair):
        factor = "" if column.factor == 1 else f"{_word(column.factor)} * "
        subject = f"{_word(column.first)} {column.sign} {factor}{_word(column.second)}"
    else:
        subject = _word(column)
    test = _NEGATED[question.test] if negated else question.test
    ending = ""
    if isinstance(value, tuple):
        ending = " {" + ", ".join(map(_word, value)) + "}"
    elif question.test != "is missing":
        ending = f" {_word(value)}"
    return f"{subject} {test}{ending}"


def _word(value: Any) -> str:
    plain = value.item() if isinstance(value, np.generic) else value
    if isinstance(plain, str):
        is_plain = (
            re.fullmatch(_PLAIN, plain) and not plain.endswith(" ") and not _WORDS.search(plain)
        )
        return plain if is_plain else _quoted(plain)
    if isinstance(plain, float):
        return repr(int(plain) if plain.is_integer() and abs(plain) < 1e15 else plain)
    return json.dumps(plain)


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)
