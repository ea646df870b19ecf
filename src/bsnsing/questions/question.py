"""Question: one yes/no test on one column, or on a number made of two."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, Literal, TypeAlias, cast, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bsnsing.data.columns import Level
from bsnsing.data.scales import beside, in_steps, read_moment, scale_of
from bsnsing.data.show import (
    plainer_beside,
    show_bound,
    show_column,
    show_exactly,
    show_level,
)
from bsnsing.questions.pair import ColumnPair

Test: TypeAlias = Literal[">", "<", "==", "in", "is missing", ">=", "<="]

TESTS: tuple[str, ...] = get_args(Test)
# Engines know these tests by their places, and the two others of ordered levels by theirs.
_COMPARISONS = (">", "<", ">=", "<=")
# Of days and moments the words; of times and durations the signs.
_MOMENT_WORDS = {">": "after", "<": "before", ">=": "since", "<=": "until"}
# Origins of questions beside the names of donors: asked by the engine, and given by the user.
OWN = "own"
USER = "user"
_NEGATED = {
    ">": "<=",
    "<": ">=",
    ">=": "<",
    "<=": ">",
    "==": "!=",
    "in": "not in",
    "is missing": "is not missing",
}

# What the text of a question lists of a group of levels.
_MOST_LEVELS = 8


@dataclass(frozen=True, slots=True)
class Question:
    """One yes/no test on one column, such as ``age > 35``, or on a number made of two.

    A missing cell answers "no" to every test but ``is missing``, and so does a level that was
    never seen. (To a fitted tree the answer is unknown where fit had no such cells.)

    Attributes
    ----------
    column : str or ColumnPair
        Name of the column, or what is made of two.
    test : {">", "<", "==", "in", "is missing", ">=", "<="}
        The comparison. ``in`` is for categorical columns only, ``>=`` and ``<=`` for the levels of
        columns that have an order.
    value : float, level, datetime, time, timedelta, tuple of levels or None
        What the cell is compared with.
    origin : str or None
        Where the question came from: "own" if the tree asked it of itself, "user" if it was given
        by hand, else the name of the model that lent it. None where nothing is known. Questions
        that say the same are equal, wherever they came from.

    Examples
    --------
    >>> question = Question("age", ">", 35.0)
    >>> str(question), question.answer([20, 40, None]).tolist()
    ('age > 35', [False, True, False])
    """

    column: str | ColumnPair
    test: Test
    value: Level | tuple[Level, ...] | None = None
    origin: str | None = field(default=None, compare=False, repr=False)

    def __post_init__(self) -> None:
        """Refuse what could not be answered."""
        if self.test not in TESTS:
            raise ValueError(f"The test of a question must be one of {TESTS}. Got {self.test!r}.")
        if self.test in _COMPARISONS and isinstance(self.value, str):
            if isinstance(self.column, ColumnPair):
                raise ValueError(f"The pair '{self.column}' is a number, and {self.value!r} none.")
            return
        if self.test in (">=", "<="):
            raise ValueError(
                f"The test {self.test!r} is for levels that have an order. Use {self.test[0]!r} "
                f"for numbers and dates. Got {self.value!r}."
            )
        if self.test in "<>" and scale_of(self.value) is not None:
            return
        if self.test in "<>" and not (is_number(self.value) and _is_finite(self.value)):
            raise ValueError(
                f"The question {str(self.column)!r} {self.test} {self.value!r} must compare with "
                "a finite number."
            )
        if self.test == "in" and not isinstance(self.value, tuple):
            raise ValueError(f"'in' needs a tuple of levels. Got {self.value!r}.")

    def __str__(self) -> str:
        return self.exact_text()

    def exact_text(self, *, negated: bool = False) -> str:
        """Write the question, or its negation, so that ``parse_question`` reads it back."""
        if negated and self.test in _COMPARISONS:
            return f"not ({self.exact_text()})"
        return self._write(negated, show_exactly, most_levels=None)

    def text(
        self,
        *,
        negated: bool = False,
        has_missing: bool = False,
        full_levels: bool = False,
        is_boolean: bool = False,
    ) -> str:
        """Write the question, or its negation, for people.

        With missing cells in the column, ``not age > 35`` is not ``age <= 35``: a missing cell
        answers yes to the former. ``has_missing`` keeps the two apart. ``full_levels`` lists all
        levels of a group, not the first few. A column that ``is_boolean`` is true or false.
        """
        if negated and has_missing and self.test != "is missing":
            return f"not ({self.text(full_levels=full_levels, is_boolean=is_boolean)})"
        if is_boolean and (truth := self.asks_truth()) is not None:
            return self.truth_text(truth != negated)
        return self._write(negated, show_level, None if full_levels else _MOST_LEVELS)

    def asks_truth(self) -> bool | None:
        """Whether a question about a Boolean column asks for true; None where it asks for neither.

        Such a column holds 1 and 0, which one of ``x == 1``, ``x == 0``, ``x > 0.5`` tells apart.
        """
        if self.test not in (">", "<", "==") or not is_number(self.value):
            return None
        if_true, if_false = self._holds(1.0), self._holds(0.0)
        return if_true if if_true != if_false else None

    def truth_text(self, truth: bool) -> str:
        """Write that a Boolean column is true, or false."""
        return f"{self._subject} is {'true' if truth else 'false'}"

    @property
    def _subject(self) -> str:
        column = self.column
        return str(column) if isinstance(column, ColumnPair) else show_column(column)

    def _write(self, negated: bool, show: Callable[[Level], str], most_levels: int | None) -> str:
        subject = self._subject
        if self.test == "is missing":
            return f"{subject} {_NEGATED[self.test] if negated else self.test}"
        if self.test == "in":
            levels = cast(tuple[Level, ...], self.value)
            shown = [show(level) for level in levels]
            if most_levels is not None and len(shown) > most_levels:
                shown[most_levels - 1 :] = [f"... {len(levels)} levels"]
            return f"{subject} {'not in' if negated else 'in'} {{{', '.join(shown)}}}"
        test, value = self.plainest()
        if negated:
            test = _NEGATED[test]
        if isinstance(value, str) and self.test in _COMPARISONS:
            return f"{subject} {test} {show_bound(value)}"
        if scale_of(value) == "moment":
            test = _MOMENT_WORDS.get(test, test)
        return f"{subject} {test} {show(value)}"

    def plainest(self) -> tuple[str, Level]:
        """Return test and value: ``>=`` and 30 where the value is the greatest number below 30."""
        value = cast(Level, self.value)
        if self.test in "<>" and scale_of(value) is not None:
            other = beside(cast(Any, value), 1 if self.test == ">" else -1)
            if other is not None and len(show_level(cast(Any, other))) < len(show_level(value)):
                return f"{self.test}=", cast(Any, other)
            return self.test, value
        if self.test in "<>" and not isinstance(value, str):
            towards = math.inf if self.test == ">" else -math.inf
            plainer = plainer_beside(float(cast(float, value)), towards)
            if plainer is not None:
                return f"{self.test}=", plainer
        return self.test, value

    def answer(self, cells: ArrayLike) -> NDArray[np.bool_]:
        """Answer for each cell of a column; of a pair, for the cells of its two columns."""
        if isinstance(self.column, ColumnPair):
            if not (isinstance(cells, list | tuple) and len(cells) == 2):
                raise TypeError(
                    f"'{self}' is about two columns. Give the cells of both, as a pair of lists or "
                    f"arrays. Got {type(cells).__name__}."
                )
            cells = self.column.combine(*map(_as_numbers, cells))
        if self.test in _COMPARISONS and isinstance(self.value, str):
            raise TypeError(
                f"'{self}' is about levels whose order the table knows. Ask a fitted tree, or the "
                "question 'in' with a tuple of levels."
            )
        column = _objects(cells)
        is_missing = np.array([_is_missing(cell) for cell in column], dtype=bool)
        if self.test == "is missing":
            return is_missing
        answers = np.zeros(len(column), dtype=bool)
        known = ~is_missing
        answers[known] = [self._holds(cell) for cell in column[known]]
        return answers

    def _holds(self, cell: Any) -> bool:
        if self.test in "<>" and scale_of(self.value) is not None:
            own, other = in_steps(cell), in_steps(self.value)
            return own > other if self.test == ">" else own < other
        if self.test == ">":
            return bool(float(cell) > cast(float, self.value))
        if self.test == "<":
            return bool(float(cell) < cast(float, self.value))
        if self.test == "==":
            return bool(cell == self.value)
        return cell in cast(tuple[Level, ...], self.value)

    def to_dict(self) -> dict[str, Any]:
        """Return what JSON needs to carry the question."""
        is_many = isinstance(self.value, tuple)
        values = cast(tuple[Any, ...], self.value) if is_many else (self.value,)
        plain = [v.item() if isinstance(v, np.generic) else v for v in values]
        plain = [v if scale_of(v) is None else {"moment": show_level(v)} for v in plain]
        column = asdict(self.column) if isinstance(self.column, ColumnPair) else self.column
        origin = {} if self.origin is None else {"origin": self.origin}
        value = plain if is_many else plain[0]
        return {"column": column, "test": self.test, "value": value} | origin

    @classmethod
    def from_dict(cls, fields: Mapping[str, Any]) -> Question:
        """Make a question from what ``to_dict`` returned."""
        if not isinstance(fields, Mapping):
            raise TypeError(
                f"A question is made from a dict, as Question.to_dict() returns it. Got a "
                f"{type(fields).__name__}."
            )
        missing = [name for name in ("column", "test", "value") if name not in fields]
        if missing:
            raise ValueError(
                f"A question needs 'column', 'test' and 'value', but {missing[0]!r} is not there. "
                "Give what Question.to_dict() returned."
            )
        column, value = fields["column"], fields["value"]
        if not isinstance(column, str | Mapping):
            raise ValueError(
                f"The column of a question must be a name, or the fields of a pair. Got {column!r}."
            )
        if isinstance(value, Mapping):
            value = _moment(value)
        return cls(
            ColumnPair(**column) if isinstance(column, Mapping) else column,
            fields["test"],
            tuple(value) if _is_list(value) else value,
            fields.get("origin"),
        )


def _moment(fields: Mapping[str, Any]) -> Any:
    text = fields.get("moment")
    found = read_moment(text) if isinstance(text, str) else None
    if found is None or found[1] != len(cast(str, text)):
        raise ValueError(
            f"A moment is written such as {{'moment': '2021-03-01'}}. Got {dict(fields)!r:.80}."
        )
    return found[0]


def _objects(cells: ArrayLike) -> NDArray[Any]:
    """Cells as Python's own objects; NumPy's dates as datetime."""
    kind = getattr(getattr(cells, "dtype", None), "kind", "")
    if kind in ("m", "M"):
        return np.asarray(cells).astype(f"{kind}8[us]").astype(object)
    return np.asarray(cells, dtype=object)


def is_number(value: Any) -> bool:
    """Whether a cell can be compared with a value."""
    return isinstance(value, int | float | np.integer | np.floating) and value == value


def _is_finite(number: Any) -> bool:
    return bool(abs(number) <= sys.float_info.max)  # of whole numbers without a limit too


def _as_numbers(cells: ArrayLike) -> NDArray[np.float64]:
    return np.array(
        [np.nan if _is_missing(cell) else float(cell) for cell in np.asarray(cells, dtype=object)]
    )


def _is_list(value: Any) -> bool:
    return isinstance(value, list | tuple)


def _is_missing(cell: Any) -> bool:
    # NaN, NaT and the like differ from themselves; pandas.NA refuses to say.
    if cell is None:
        return True
    try:
        return bool(cell != cell)
    except (TypeError, ValueError):
        return True
