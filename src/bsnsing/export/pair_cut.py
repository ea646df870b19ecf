"""Questions about products and ratios without their rounding: plain comparisons of the number.

The number of a pair is rounded to twelve decimal digits before it is compared (see
:class:`~bsnsing.questions.pair.ColumnPair`). Other languages round in their own ways, but how many
digits a product or a ratio is rounded to depends on the number alone. So the numbers that answer
yes are found here once, by bisection over all doubles, and an export compares the number as the
multiplication or division left it: :func:`yes_intervals`.

Sums and differences are rounded by the size of their parts, so an export has to round them. It is
exact in every language that has doubles, in these steps:

1. ``b`` is the factor times the second column, in doubles; ``size`` is the greater of ``|a|`` and
   ``|b|``; the number is ``a + b`` or ``a - b``, and missing where it is not finite.
2. ``n`` is the least whole number that has ``size <= 10**n``, and 0 where the size is 0. A
   logarithm alone misses it by one next to powers of ten: compare with the powers themselves.
3. ``place`` is ``12 - n``, and at most 300 either way; ``up`` is ``10**place`` or 1, ``down`` is
   1 or ``10**-place``, the doubles nearest to these powers: literals such as ``1e23``, since the
   ``pow`` of many libraries is off by a bit.
4. The number is ``rint(number * up / down) / up * down``, in this order. ``rint`` is to the even
   neighbour; ``(x + 6755399441055744.0) - 6755399441055744.0`` is the same for these numbers.
   None of these steps overflows.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from functools import cache, lru_cache
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from bsnsing.questions.pair import SCALE_FREE, ColumnPair
from bsnsing.questions.question import Question

Interval: TypeAlias = tuple[float, float]  # with both of its ends

_MAX = sys.float_info.max
_STEPS = 256  # doubles tried at once
_TIMES_ONE = ColumnPair("number", "*", "one")


def yes_intervals(question: Question) -> tuple[Interval, ...]:
    """Return between which numbers of a product or ratio, unrounded, a question is answered yes.

    Both ends belong to an interval; one without a limit ends at the greatest double. There is one
    interval, or none where no number answers yes. (Only far from 1, where powers of ten are no
    whole multiples of each other in doubles, can there be two, with a number between them.)

    Parameters
    ----------
    question : Question
        About a product or a ratio, with the test ">", "<" or "==".

    Examples
    --------
    >>> question = Question(ColumnPair("debt", "/", "income"), ">", 0.25)
    >>> yes_intervals(question)
    ((0.25000000000050004, 1.7976931348623157e+308),)
    """
    pair = question.column
    if not isinstance(pair, ColumnPair) or pair.sign not in SCALE_FREE:
        raise ValueError(f"The question '{question}' is not about a product or a ratio.")
    return _intervals(question.test, float(question.value))  # type: ignore[arg-type]


@lru_cache(maxsize=4096)
def _intervals(test: str, value: float) -> tuple[Interval, ...]:
    low, high = _pieces()
    first, last = low, high
    if test in (">", "=="):
        first = _first_above(value, is_strict=test == ">")
    if test in ("<", "=="):
        last = _first_above(value, is_strict=test == "==") - 1
    found: list[tuple[int, int]] = []
    for start, end in zip(first.tolist(), last.tolist(), strict=True):
        if start > end:
            continue
        if found and found[-1][1] + 1 == start:
            start = found.pop()[0]
        found.append((start, end))
    return tuple((_double(start), _double(end)) for start, end in found)


@cache
def _pieces() -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """First and last of the runs of doubles that are rounded to as many places.

    Within each of them rounding keeps the order of numbers.
    """
    tops = _numbers([float(f"1e{n}") for n in range(-288, 309)] + [_MAX])
    low = np.concatenate([-tops[:0:-1], -tops[:1], tops[:-1] + 1])
    high = np.concatenate([-tops[-2::-1] - 1, tops])
    return low, high


@cache
def _rounded_ends() -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    low, high = _pieces()
    return _rounded(low), _rounded(high)


def _first_above(value: float, *, is_strict: bool) -> NDArray[np.int64]:
    """Return the first double of each piece that is rounded above a value; else one past its end.

    If not strict, one that is rounded to the value will do.
    """
    is_above = np.greater if is_strict else np.greater_equal
    low, high = _pieces()
    at_low, at_high = _rounded_ends()
    first = np.where(is_above(at_low, value), low, high + 1)
    for piece in np.flatnonzero(~is_above(at_low, value) & is_above(at_high, value)):
        below, above = int(low[piece]), int(high[piece])
        while above - below > 1:
            step = max((above - below) // _STEPS, 1)
            tried = np.arange(below + step, above, step)
            place = int(is_above(_rounded(tried), value).argmax())
            if is_above(_rounded(tried[place : place + 1]), value)[0]:
                below, above = int(tried[place]) - step, int(tried[place])
            else:
                below = int(tried[-1])
        first[piece] = above
    return first


def _rounded(numbers: NDArray[np.int64]) -> NDArray[np.float64]:
    return _TIMES_ONE.combine(_doubles(numbers), np.ones(len(numbers)))


# Doubles are numbered in their order: 0 is zero, 1 the least positive one, -1 the one below zero.


def _numbers(doubles: Sequence[float]) -> NDArray[np.int64]:
    return np.array(doubles).view(np.int64)  # of those that are not negative


def _doubles(numbers: NDArray[np.int64]) -> NDArray[np.float64]:
    signs = np.where(numbers < 0, -1.0, 1.0)
    doubles: NDArray[np.float64] = signs * np.abs(numbers).view(np.float64)
    return doubles


def _double(number: int) -> float:
    return float(_doubles(np.array([number]))[0])
