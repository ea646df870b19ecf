"""Questions as the engines know them: positions and numbers in place of names."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, TypeAlias, cast

from bsnsing.data.columns import ColumnInfo
from bsnsing.questions.pair import ColumnPair
from bsnsing.questions.question import TESTS, Question, Test, is_number

# (column, test, value, levels). Tests are known by their place in TESTS, and pairs of columns are
# counted on behind the columns.
CodedQuestion: TypeAlias = tuple[int, int, float, list[int]]


class CodedRule(NamedTuple):
    """A rule over coded questions; operators are known by their place in OPERATORS."""

    questions: list[CodedQuestion]
    negated: list[bool]
    operator: int


def decode_question(
    coded: CodedQuestion, columns: Sequence[ColumnInfo], pairs: Sequence[ColumnPair] = ()
) -> Question:
    """Make a question from the native engine's account of it; to it, pairs are further columns."""
    position, test_code, value, levels = coded
    test = cast(Test, TESTS[test_code])
    if position >= len(columns):
        pair = pairs[position - len(columns)]
        return Question(pair, test, None if test == "is missing" else value)
    column = columns[position]
    if test == "is missing":
        return Question(column.name, test)
    if column.kind != "categorical":
        return Question(column.name, test, value)
    named = tuple(column.levels[level] for level in levels)
    return Question(column.name, test, named[0] if test == "==" else named)


def encode_question(
    question: Question, columns: Sequence[ColumnInfo], pairs: Sequence[ColumnPair] = ()
) -> CodedQuestion:
    """Turn a question into terms of the native engine; an error if it does not fit the table."""
    if isinstance(question.column, ColumnPair):
        return _encode_pair(question, len(columns) + pairs.index(question.column))
    names = [column.name for column in columns]
    if question.column not in names:
        raise ValueError(
            f"The question '{question}' asks about a column that the table does not have. "
            f"Its first columns are {', '.join(map(repr, names[:10]))}."
        )
    position = names.index(question.column)
    column = columns[position]
    test = TESTS.index(question.test)
    if question.test == "is missing":
        return position, test, 0.0, []
    if column.kind != "categorical":
        if not is_number(question.value):
            raise ValueError(f"The question '{question}' must compare a {column.kind} column.")
        return position, test, float(cast(float, question.value)), []
    if question.test in "<>":
        raise ValueError(f"The question '{question}' orders the levels of a categorical column.")
    wanted = question.value if isinstance(question.value, tuple) else (question.value,)
    known = {level: code for code, level in enumerate(column.levels)}
    return position, test, 0.0, sorted(known[level] for level in wanted if level in known)


def _encode_pair(question: Question, position: int) -> CodedQuestion:
    test = TESTS.index(question.test)
    if question.test == "is missing":
        return position, test, 0.0, []
    if not is_number(question.value):
        raise ValueError(f"The question '{question}' must compare with a number.")
    return position, test, float(cast(float, question.value)), []
