"""Question: one yes/no test on one column, or on a number made of two."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, Literal, TypeAlias, cast, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bsnsing.data.columns import Level
from bsnsing.data.show import show_column, show_level
from bsnsing.questions.pair import ColumnPair

Test: TypeAlias = Literal[">", "<", "==", "in", "is missing"]

TESTS: tuple[str, ...] = get_args(Test)
_NEGATED = {">": "<=", "<": ">=", "==": "!=", "in": "not in", "is missing": "is not missing"}

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
    test : {">", "<", "==", "in", "is missing"}
        The comparison. ``in`` is for categorical columns only.
    value : float, level, tuple of levels or None
        What the cell is compared with.

    Examples
    --------
    >>> question = Question("age", ">", 35.0)
    >>> str(question), question.answer([20, 40, None]).tolist()
    ('age > 35', [False, True, False])
    """

    column: str | ColumnPair
    test: Test
    value: Level | tuple[Level, ...] | None = None

    def __post_init__(self) -> None:
        """Refuse what could not be answered."""
        if self.test not in TESTS:
            raise ValueError(f"The test of a question must be one of {TESTS}. Got {self.test!r}.")
        if self.test in "<>" and not is_number(self.value):
            raise ValueError(
                f"The question {str(self.column)!r} {self.test} {self.value!r} must compare with "
                "a number."
            )
        if self.test == "in" and not isinstance(self.value, tuple):
            raise ValueError(f"'in' needs a tuple of levels. Got {self.value!r}.")

    def __str__(self) -> str:
        return self.text()

    def text(
        self, *, negated: bool = False, has_missing: bool = False, full_levels: bool = False
    ) -> str:
        """Write the question, or its negation, for people.

        With missing cells in the column, ``not age > 35`` is not ``age <= 35``: a missing cell
        answers yes to the former. ``has_missing`` keeps the two apart. ``full_levels`` lists all
        levels of a group, not the first few.
        """
        if negated and has_missing and self.test != "is missing":
            return f"not ({self.text(full_levels=full_levels)})"
        test = _NEGATED[self.test] if negated else self.test
        column = self.column
        words = [str(column) if isinstance(column, ColumnPair) else show_column(column), test]
        if self.test == "in":
            levels = cast(tuple[Level, ...], self.value)
            shown = [show_level(level) for level in levels]
            if len(shown) > _MOST_LEVELS and not full_levels:
                shown[_MOST_LEVELS - 1 :] = [f"... {len(levels)} levels"]
            words.append("{" + ", ".join(shown) + "}")
        elif self.test != "is missing":
            words.append(show_level(cast(Level, self.value)))
        return " ".join(words)

    def answer(self, cells: ArrayLike) -> NDArray[np.bool_]:
        """Answer for each cell of a column; of a pair, for the cells of its two columns."""
        if isinstance(self.column, ColumnPair):
            if not (isinstance(cells, list | tuple) and len(cells) == 2):
                raise TypeError(
                    f"'{self}' is about two columns. Give the cells of both, as a pair of lists or "
                    f"arrays. Got {type(cells).__name__}."
                )
            cells = self.column.combine(*map(_as_numbers, cells))
        column = np.asarray(cells, dtype=object)
        is_missing = np.array([_is_missing(cell) for cell in column], dtype=bool)
        if self.test == "is missing":
            return is_missing
        answers = np.zeros(len(column), dtype=bool)
        known = ~is_missing
        answers[known] = [self._holds(cell) for cell in column[known]]
        return answers

    def _holds(self, cell: Any) -> bool:
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
        column = asdict(self.column) if isinstance(self.column, ColumnPair) else self.column
        return {"column": column, "test": self.test, "value": plain if is_many else plain[0]}

    @classmethod
    def from_dict(cls, fields: Mapping[str, Any]) -> Question:
        """Make a question from what ``to_dict`` returned."""
        column, value = fields["column"], fields["value"]
        return cls(
            ColumnPair(**column) if isinstance(column, Mapping) else column,
            fields["test"],
            tuple(value) if _is_list(value) else value,
        )


def is_number(value: Any) -> bool:
    """Whether a cell can be compared with a value."""
    return isinstance(value, int | float | np.integer | np.floating) and value == value


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
