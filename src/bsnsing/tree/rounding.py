"""Thresholds with as few digits as still separate the rows of a table."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bsnsing.data.scales import UNITS, Scale
from bsnsing.data.table import Table
from bsnsing.questions.question import OWN, TESTS
from bsnsing.tree.predict import asked_columns
from bsnsing.tree.tree import Tree

_ABOVE, _BELOW = TESTS.index(">"), TESTS.index("<")
# Floats beyond it are all whole, and cannot tell neighbours apart.
_LARGEST_WHOLE = 2.0**53
# Part of the way between two cells that a threshold keeps from either. Without, 14.9 between 9 and
# 21 becomes 10, and new cells of 12 get other answers.
_MARGIN = 0.25


def round_thresholds(
    tree: Tree,
    table: Table,
    decimals: int | None = None,
    *,
    own_only: bool = False,
    moments_only: bool = False,
) -> Tree:
    """Return the tree with the shortest thresholds that separate the same rows of a table.

    Each stays between the two values of its column that it lies between. Those with no value of
    the table on one side stay as they are. Where all values of a column are whole numbers, it is
    cut between whole numbers: ``children > 1.5`` is ``children >= 2``. Moments, times and durations
    become full days where that can be, else full hours, minutes or seconds.

    Parameters
    ----------
    tree : Tree
        Of the table.
    table : Table
        The rows.
    decimals : int, default=None
        Fewest decimals to keep. None takes the shortest number in the middle half of the way from
        one value to the next; digits before the point may go, too.
    own_only : bool, default=False
        Leave questions of users and donors as they are, and pairs of columns.
    moments_only : bool, default=False
        Leave numbers as they are.
    """
    value = tree.question_value.copy()
    is_bound = np.isin(tree.question_test, (_ABOVE, _BELOW))
    if own_only:
        is_bound &= np.array([tree.origins[i] == OWN for i in tree.question_origin], dtype=bool)
        is_bound &= tree.question_column < len(tree.columns)
    for position, cells in enumerate(asked_columns(tree, table)):
        places = np.flatnonzero(is_bound & (tree.question_column == position))
        if cells is None or len(places) == 0:
            continue
        is_pair = position >= len(tree.columns)
        scale = None if is_pair else tree.columns[position].scale
        if (moments_only and scale is None) or (scale is not None and scale.kind == "order"):
            continue
        known = cells[~np.isnan(cells)] if cells.dtype.kind == "f" else cells
        is_whole = not is_pair and tree.columns[position].kind == "numeric" and _are_whole(known)
        for i in places:
            if scale is not None:
                is_above = bool(tree.question_test[i] == _ABOVE)
                value[i] = _rounded_moment(float(value[i]), known, is_above, scale)
                continue
            value[i] = _rounded(
                float(value[i]), known, tree.question_test[i] == _ABOVE, is_whole, decimals
            )
    return replace(tree, question_value=value)


def _rounded_moment(threshold: float, cells: NDArray[Any], is_above: bool, scale: Scale) -> float:
    """Return the roundest moment between the same cells, and near their middle."""
    is_no = cells <= threshold if is_above else cells < threshold
    if is_no.all() or not is_no.any():
        return threshold
    low, high = float(cells[is_no].max()), float(cells[~is_no].min())
    margin = _MARGIN * (high - low)
    for unit in UNITS:
        first = scale.rounded(threshold, unit)  # on the upper side of the cut
        if low < first <= high and (unit == 1 or low + margin <= first <= high - margin):
            return first - 1.0 if is_above else float(first)
    return threshold


def _are_whole(cells: NDArray[Any]) -> bool:
    if len(cells) == 0 or max(abs(float(cells.min())), abs(float(cells.max()))) > _LARGEST_WHOLE:
        return False
    return cells.dtype.kind != "f" or bool((cells == np.floor(cells)).all())


def _rounded(
    threshold: float, cells: NDArray[Any], is_above: bool, is_whole: bool, decimals: int | None
) -> float:
    """Return the threshold of fewest digits between the same cells, and near their middle."""
    is_no = cells <= threshold if is_above else cells < threshold
    if is_no.all() or not is_no.any():
        return threshold
    low, high = float(cells[is_no].max()), float(cells[~is_no].min())
    if decimals is None:
        first = -math.floor(math.log10(max(abs(low), abs(high), 1e-300)))
        margin = _MARGIN * high - _MARGIN * low  # their difference may be beyond all floats
        span = min(low + margin, threshold), max(high - margin, threshold)
    else:
        first = decimals
        span = math.nextafter(low, math.inf), math.nextafter(high, -math.inf)
    if is_whole:
        least = _least_whole(threshold, span, first, is_above)
        if not is_above:
            return least
        # Below 0 is a number so small that some machines and programs take it for 0.
        return math.nextafter(least, -math.inf) if least != 0 else -1.0
    for digits in range(first, 18 + max(first, 0)):
        try:
            shorter = round(threshold, digits)
        except OverflowError:  # 1.7e308 has no neighbour of one digit above it
            continue
        if span[0] <= shorter <= span[1]:
            return shorter
    return threshold


def _least_whole(threshold: float, span: tuple[float, float], first: int, is_above: bool) -> float:
    """Return the least whole number above the cut, with as many zeros at its end as may be."""
    for digits in range(first, 0):
        shorter = round(threshold, digits)
        if span[0] <= shorter - 0.5 <= span[1]:
            return shorter
    # To cells that are whole it says what the threshold does.
    return float(math.floor(threshold) + 1 if is_above else math.ceil(threshold))
