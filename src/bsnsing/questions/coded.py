"""Questions as the engines know them: positions and numbers in place of names."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, TypeAlias, cast

from bsnsing.data.columns import ColumnInfo, Level
from bsnsing.data.scales import Scale
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
    coded: CodedQuestion,
    columns: Sequence[ColumnInfo],
    pairs: Sequence[ColumnPair] = (),
    origin: str | None = None,
) -> Question:
    """Make a question from the native engine's account of it; to it, pairs are further columns."""
    position, test_code, value, levels = coded
    test = cast(Test, TESTS[test_code])
    if position >= len(columns):
        pair = pairs[position - len(columns)]
        return Question(pair, test, None if test == "is missing" else value, origin)
    column = columns[position]
    if test == "is missing":
        return Question(column.name, test, None, origin)
    if column.scale is not None:
        own_test, own_value = column.scale.value(value, test)
        return Question(column.name, cast(Test, own_test), own_value, origin)
    if column.kind != "categorical":
        return Question(column.name, test, value, origin)
    named = tuple(column.levels[level] for level in levels)
    return Question(column.name, test, named[0] if test == "==" else named, origin)


class QuestionEncoder:
    """Turns questions about a table into terms of the native engine.

    Names and levels are looked up, so that many questions about many columns take no longer each.
    """

    def __init__(self, columns: Sequence[ColumnInfo], pairs: Sequence[ColumnPair] = ()) -> None:
        self.columns = columns
        self._place_of: dict[str | ColumnPair, int] = {c.name: i for i, c in enumerate(columns)}
        self._place_of |= {pair: len(columns) + i for i, pair in enumerate(pairs)}
        self._codes: dict[int, dict[Level, int]] = {}  # of the levels of columns asked about

    def encode(self, question: Question) -> CodedQuestion:
        """Return a question as the engine knows it; an error if it does not fit the table."""
        if question.column not in self._place_of:
            names = ", ".join(repr(column.name) for column in self.columns[:10])
            raise ValueError(
                f"The question '{question}' asks about a column that the table does not have. "
                f"Its first columns are {names}."
            )
        position = self._place_of[question.column]
        if position >= len(self.columns):
            return _encode_pair(question, position)
        column = self.columns[position]
        test = TESTS.index(question.test)
        if question.test == "is missing":
            return position, test, 0.0, []
        if column.scale is not None:
            return _encode_scale(question, column, position)
        if column.kind != "categorical":
            if not is_number(question.value):
                raise ValueError(f"The question '{question}' must compare a {column.kind} column.")
            return position, test, float(cast(float, question.value)), []
        if question.test in (">", "<", ">=", "<="):
            raise ValueError(
                f"The question '{question}' orders the levels of a categorical column. Name their "
                f"order: categorical_features={{{column.name!r}: [...]}}, from the least level on."
            )
        if position not in self._codes:
            self._codes[position] = {level: code for code, level in enumerate(column.levels)}
        known = self._codes[position]
        wanted = question.value if isinstance(question.value, tuple) else (question.value,)
        return position, test, 0.0, sorted(known[level] for level in wanted if level in known)


def _encode_scale(question: Question, column: ColumnInfo, position: int) -> CodedQuestion:
    """Encode a question about moments or ordered levels, which are numbers to the engine."""
    assert column.scale is not None
    if question.test == "in":
        question = _as_bound(question, column.scale)
    if is_number(question.value) and question.origin is not None:  # as donors have seen the column
        return position, TESTS.index(question.test), float(cast(float, question.value)), []
    try:
        number = column.scale.number(question.value, question.test)
    except ValueError as error:
        raise ValueError(f"The question '{question}' does not fit its column. {error}") from None
    return position, TESTS.index(question.test[0] if question.test != "==" else "=="), number, []


def _as_bound(question: Question, scale: Scale) -> Question:
    """Return the question that asks for the same levels along their order: the least or greatest.

    Raises
    ------
    ValueError
        If these are others.
    """
    named, n_levels = set(cast(tuple[Level, ...], question.value)), len(scale.levels)
    if named and named <= set(scale.levels):
        if set(scale.levels[-len(named) :]) == named:
            least = scale.levels[n_levels - len(named)]
            return Question(question.column, ">=", least, question.origin)
        if set(scale.levels[: len(named)]) == named:
            return Question(question.column, "<=", scale.levels[len(named) - 1], question.origin)
    raise ValueError(
        f"The question '{question}' is about single levels of a column that has an order. Compare "
        "with one of them, or name the column in categorical_features."
    )


def _encode_pair(question: Question, position: int) -> CodedQuestion:
    test = TESTS.index(question.test)
    if question.test == "is missing":
        return position, test, 0.0, []
    if not is_number(question.value):
        raise ValueError(f"The question '{question}' must compare with a number.")
    return position, test, float(cast(float, question.value)), []
