"""Cuts: how models part one column in two, and the questions that say so in both directions."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bsnsing.data.columns import Level
from bsnsing.questions.pair import ColumnPair
from bsnsing.questions.question import Question

# What a cut is about: a position among the columns that the model was given, the name of a column,
# or a number made of two.
Subject: TypeAlias = int | str | ColumnPair
IsLow: TypeAlias = Callable[[NDArray[np.float64]], NDArray[np.bool_]]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ThresholdCut:
    """Numbers up to a threshold on one side, those beyond it on the other.

    Attributes
    ----------
    column : Subject
        What is cut.
    value : float
        The threshold as people would write it.
    is_closed : bool
        Whether the threshold itself is on the low side.
    exact : float or None
        The greatest number of 64 bits on the low side, where the model compares otherwise than in
        64 bits, so that ``value`` may be a little off.
    is_low : callable or None
        Which numbers are on the low side, where the model changes them before it compares.
    gain : float
        What the cut was worth to the model, in its own unit.
    """

    column: Subject
    value: float
    is_closed: bool = True
    exact: float | None = None
    is_low: IsLow | None = None
    gain: float = 0.0

    def low(self, numbers: ArrayLike) -> NDArray[np.bool_]:
        """Return which numbers the model has on the low side."""
        known = np.asarray(numbers, dtype=np.float64)
        if self.is_low is not None:
            return self.is_low(known)
        if self.exact is not None:
            return np.asarray(known <= self.exact)
        return np.asarray(known <= self.value if self.is_closed else known < self.value)

    def directions(self, subject: str | ColumnPair, origin: str) -> Iterator[Question]:
        """Both directions as questions about a column, by the threshold that people would write."""
        value = self.value
        above = value if self.is_closed else math.nextafter(value, -math.inf)
        below = math.nextafter(value, math.inf) if self.is_closed else value
        if math.isfinite(above):
            yield Question(subject, ">", above, origin)
        if math.isfinite(below):
            yield Question(subject, "<", below, origin)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class LevelCut:
    """Some levels, or codes, on one side, all others on the other.

    ``others`` are the levels that the model has on the other side, where they are known.
    """

    column: Subject
    levels: frozenset[Level]
    others: frozenset[Level] | None = None
    gain: float = 0.0

    def low(self, codes: ArrayLike) -> NDArray[np.bool_]:
        """Return which codes are among the levels."""
        known = np.asarray(codes, dtype=np.float64)
        return np.isin(known, [level for level in self.levels if not isinstance(level, str)])

    def directions(self, subject: str | ColumnPair, origin: str) -> Iterator[Question]:
        """Both directions as questions about a column, where the other levels are known."""
        for side in (self.levels, self.others):
            if side:
                yield level_question(subject, side, origin)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class MissingCut:
    """Missing cells on one side, all others on the other."""

    column: Subject
    gain: float = 0.0

    def low(self, numbers: ArrayLike) -> NDArray[np.bool_]:
        """No number is missing."""
        return np.zeros(np.shape(numbers), dtype=np.bool_)

    def directions(self, subject: str | ColumnPair, origin: str) -> Iterator[Question]:
        """The one direction that questions have."""
        yield Question(subject, "is missing", None, origin)


Cut: TypeAlias = ThresholdCut | LevelCut | MissingCut


def level_question(subject: str | ColumnPair, levels: frozenset[Level], origin: str) -> Question:
    """Whether a cell has one of some levels."""
    listed = tuple(sorted(levels, key=lambda level: (isinstance(level, str), level)))
    if len(listed) == 1:
        return Question(subject, "==", listed[0], origin)
    return Question(subject, "in", listed, origin)


def single_cut(
    column: Subject, value: float, *, is_closed: bool, gain: float, plain: float | None = None
) -> ThresholdCut:
    """Return the cut of a model that rounds numbers to 32 bits before it compares them.

    ``plain`` is what people would write for the value, where it is something else.
    """
    shown = float(value) if plain is None else plain
    exact = _greatest_below(value, is_closed)
    return ThresholdCut(column=column, value=shown, is_closed=is_closed, exact=exact, gain=gain)


def written(value: float) -> float:
    """Return a number of 32 bits as people write it: 1.7 is 1.7000000476837158 in 64."""
    return float(str(np.float32(value)))


def _greatest_below(value: float, is_closed: bool) -> float:
    """The greatest number of 64 bits that is at most (below) the value when rounded to 32."""
    low = np.float32(value)  # the greatest number of 32 bits on the low side
    if float(low) > value or (float(low) == value and not is_closed):
        low = np.nextafter(low, np.float32(-np.inf))
    high = np.nextafter(low, np.float32(np.inf))
    if not (np.isfinite(low) and np.isfinite(high)):
        return float(value)
    middle = (float(low) + float(high)) / 2  # exact in 64 bits; rounds to even
    return middle if np.float32(middle) == low else math.nextafter(middle, -math.inf)
