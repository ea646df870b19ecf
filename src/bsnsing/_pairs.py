"""ColumnPair: a number made of two numeric columns, asked about like a column of its own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bsnsing._show import show_level, show_name
from bsnsing._table import Column, ColumnInfo, Table

Sign: TypeAlias = Literal["+", "-", "*", "/"]
SIGNS: tuple[str, ...] = get_args(Sign)


@dataclass(frozen=True, slots=True)
class ColumnPair:
    """Sum, difference, product or ratio of two numeric columns, such as ``debt / income``.

    The number is missing where one of the two is, and where it is infinite or not defined, as
    ratios to zero are.

    Attributes
    ----------
    first, second : str
        Names of the columns.
    sign : {"+", "-", "*", "/"}
        What is done with them.
    factor : float, default=1.0
        What the second column is multiplied by in a sum or difference.

    Examples
    --------
    >>> pair = ColumnPair("length", "-", "width", 2.0)
    >>> str(pair), pair.combine([7.0, 8.0], [3.0, None]).tolist()
    ('length - 2 * width', [1.0, nan])
    """

    first: str
    sign: Sign
    second: str
    factor: float = 1.0

    def __post_init__(self) -> None:
        """Refuse what could not be worked out."""
        if self.sign not in SIGNS:
            raise ValueError(f"The sign of a pair must be one of {SIGNS}. Got {self.sign!r}.")
        if not np.isfinite(self.factor) or self.factor == 0:
            raise ValueError(f"The factor of a pair must be a number but 0. Got {self.factor!r}.")

    def __str__(self) -> str:
        factor = "" if self.factor == 1 or self.sign in "*/" else f"{show_level(self.factor)} * "
        return f"{show_name(self.first)} {self.sign} {factor}{show_name(self.second)}"

    def combine(self, first: ArrayLike, second: ArrayLike) -> NDArray[np.float64]:
        """Work the number out for each row, given the cells of the two columns."""
        a = np.asarray(first, dtype=np.float64)
        b = np.asarray(second, dtype=np.float64)
        with np.errstate(all="ignore"):
            if self.sign == "+":
                numbers = a + self.factor * b
            elif self.sign == "-":
                numbers = a - self.factor * b
            elif self.sign == "*":
                numbers = a * b
            else:
                numbers = a / b
        return np.where(np.isfinite(numbers), numbers, np.nan)

    def column(self, table: Table) -> Column:
        """Return the pair as a column beside those of a table that has both."""
        place = {info.name: i for i, info in enumerate(table.info)}
        first, second = table.columns[place[self.first]], table.columns[place[self.second]]
        numbers = self.combine(first.numbers(), second.numbers())
        return Column(ColumnInfo(str(self), "numeric"), numbers)


def with_pairs(table: Table, pairs: Sequence[ColumnPair]) -> Table:
    """Return the table with a further column for each pair."""
    if not pairs:
        return table
    return Table(table.columns + tuple(pair.column(table) for pair in pairs), table.n_rows)


def check_pair(pair: ColumnPair, columns: Sequence[ColumnInfo]) -> None:
    """Raise ValueError if a table of these columns does not have both numbers of a pair."""
    kinds = {column.name: column.kind for column in columns}
    for name in (pair.first, pair.second):
        if name not in kinds:
            raise ValueError(
                f"The pair '{pair}' asks about column {name!r}, which the table does not have. "
                f"Its first columns are {', '.join(map(repr, list(kinds)[:10]))}."
            )
        if kinds[name] == "categorical":
            raise ValueError(f"The pair '{pair}' needs numbers, but column {name!r} has levels.")
