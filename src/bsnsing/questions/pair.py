"""ColumnPair: a number made of two numeric columns, asked about like a column of its own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from numbers import Real
from typing import Literal, TypeAlias, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bsnsing.data.columns import Column, ColumnInfo
from bsnsing.data.show import show_column, show_exactly
from bsnsing.data.table import Table

Sign: TypeAlias = Literal["+", "-", "*", "/"]
SIGNS: tuple[str, ...] = get_args(Sign)
# Other units of the columns only scale these; sums and differences ask for a common unit.
SCALE_FREE: tuple[Sign, ...] = ("*", "/")
SAME_UNIT: tuple[Sign, ...] = ("+", "-")

# Decimal digits of a pair's number that count.
_DIGITS = 12
_MOST_PLACES = 300
# 10**n for n from -_LEAST on; the last one is infinite.
_LEAST = 324
_ALL_POWERS = np.array([float(f"1e{n}") for n in range(-_LEAST, 310)])
_POWERS = _ALL_POWERS[_LEAST:]


@dataclass(frozen=True, slots=True)
class ColumnPair:
    """Sum, difference, product or ratio of two numeric columns, such as ``debt / income``.

    The number is missing where one of the two is, and where it is infinite or not defined, as
    ratios to zero are. It is rounded to twelve decimal digits, so that 0.3 - 0.1 is 0.2.

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
        for name in (self.first, self.second):
            if not isinstance(name, str):
                raise ValueError(f"A pair is of two columns' names (x0, x1, ...). Got {name!r}.")
        if self.sign not in SIGNS:
            raise ValueError(f"The sign of a pair must be one of {SIGNS}. Got {self.sign!r}.")
        is_number = isinstance(self.factor, Real) and np.isfinite(float(self.factor))
        if not is_number or self.factor == 0 or (self.factor != 1 and self.sign in "*/"):
            raise ValueError(
                "The factor of a pair must be a number other than 0, and 1 in products and "
                f"ratios. Got {self.factor!r}."
            )
        object.__setattr__(self, "factor", float(self.factor))

    def __str__(self) -> str:
        factor = "" if self.factor == 1 else f"{show_exactly(self.factor)} * "
        names = [show_column(name, in_pair=True) for name in (self.first, self.second)]
        return f"{names[0]} {self.sign} {factor}{names[1]}"

    def combine(self, first: ArrayLike, second: ArrayLike) -> NDArray[np.float64]:
        """Work the number out for each row, given the cells of the two columns."""
        a = np.asarray(first, dtype=np.float64)
        b = np.asarray(second, dtype=np.float64)
        with np.errstate(all="ignore"):
            b = self.factor * b
            if self.sign in "+-":
                size = np.maximum(np.abs(a), np.abs(b))
                return _rounded(a + b if self.sign == "+" else a - b, size)
            numbers = a * b if self.sign == "*" else a / b
            return _rounded(numbers, np.abs(numbers))


def _rounded(numbers: NDArray[np.float64], size: NDArray[np.float64]) -> NDArray[np.float64]:
    """Round to twelve decimal digits of ``size``; NaN where there is no number.

    Numbers that are equal on paper get the same float, whatever they were made of, so that no
    threshold comes between them. Hence decimal digits: a whole number divided by a power of ten is
    the float nearest to what is written. Powers of ten are the floats nearest to them, which
    NumPy's own are not on every machine: the same everywhere, and in every export.
    """
    place = np.clip(_DIGITS - _exponents(size), -_MOST_PLACES, _MOST_PLACES)
    up, down = _POWERS[np.maximum(place, 0)], _POWERS[np.maximum(-place, 0)]
    rounded = np.rint(numbers * up / down) / up * down
    rounded = np.where(np.isfinite(rounded), rounded, numbers)
    return np.where(np.isfinite(rounded), rounded, np.nan)


def _exponents(size: NDArray[np.float64]) -> NDArray[np.intp]:
    """Return the least whole n that has ``size <= 10**n``; 0 where there is no size."""
    known = np.where((size > 0) & (size < np.inf), size, 1.0)
    # A guess, and one step where the logarithm was rounded to the other side.
    guess = np.ceil(np.log10(known)).astype(np.intp) + _LEAST
    guess += known > _ALL_POWERS[guess]
    guess -= known <= _ALL_POWERS[np.maximum(guess - 1, 0)]
    exponents: NDArray[np.intp] = guess - _LEAST
    return exponents


def pair_columns(table: Table, pairs: Sequence[ColumnPair]) -> tuple[Column, ...]:
    """Return each pair as a column of numbers."""
    if not pairs:
        return ()
    named = {column.info.name: column for column in table.columns}
    return tuple(
        Column(
            ColumnInfo(f"{pair.first} {pair.sign} {pair.second}", "numeric"),
            pair.combine(named[pair.first].numbers(), named[pair.second].numbers()),
        )
        for pair in pairs
    )


def check_pair(pair: ColumnPair, columns: Sequence[ColumnInfo]) -> None:
    """Raise ValueError if a table of these columns does not have both numbers of a pair."""
    kinds = {column.name: column.kind for column in columns}
    scales = {column.name: column.scale for column in columns if column.scale is not None}
    for name in (pair.first, pair.second):
        if name not in kinds:
            raise ValueError(
                f"The pair '{pair}' asks about column {name!r}, which the table does not have. "
                f"Its first columns are {', '.join(map(repr, list(kinds)[:10]))}."
            )
        if kinds[name] == "categorical":
            raise ValueError(f"The pair '{pair}' needs numbers, but column {name!r} has levels.")
        if name in scales:
            raise ValueError(
                f"The pair '{pair}' needs numbers, but column {name!r} holds {scales[name].words}."
            )
