"""Thresholds with as few digits as still separate the rows of a table."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from bsnsing.data.columns import Column, SparseCells
from bsnsing.data.scales import MINUTE, UNITS, Scale
from bsnsing.data.table import Table
from bsnsing.questions.coded import CodedQuestion
from bsnsing.questions.question import OWN, TESTS
from bsnsing.tree.predict import asked_column
from bsnsing.tree.tree import Tree

_ABOVE, _BELOW = TESTS.index(">"), TESTS.index("<")
_BOUNDS = (_ABOVE, _BELOW)
# A bound, given whether "yes" is above it, as it is rounded.
RoundOne: TypeAlias = Callable[[float, bool], float]
# Floats beyond it are all whole, and cannot tell neighbours apart.
_LARGEST_WHOLE = 2.0**53
# Part of the way between two cells that a threshold keeps from either. Without, 14.9 between 9 and
# 21 becomes 10, and new cells of 12 get other answers.
_MARGIN = 0.25
_FEW = 8


def round_thresholds(
    tree: Tree,
    table: Table,
    decimals: int | None = None,
    *,
    own_only: bool = False,
    keeps_digits: bool = False,
    units: Sequence[int] | None = None,
) -> Tree:
    """Return the tree with the shortest thresholds that separate the same rows of a table.

    Each stays between the two values of its column that it lies between. Those with no value of
    the table on one side stay as they are. Where all values of a column are whole numbers, it is
    cut between whole numbers: ``children > 1.5`` is ``children >= 2``. Moments, times and durations
    become full days where that can be, else full hours, minutes or seconds; a column of days is
    cut between days.

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
    keeps_digits : bool, default=False
        Leave thresholds of numbers where they are, but for columns of whole numbers, which are cut
        between the same two.
    units : sequence of int, default=None
        What :func:`unit_of` says of each column, where the table does not have all rows.
    """
    n_columns = len(tree.columns)
    is_own = [origin == OWN for origin in tree.origins] if own_only else [True] * len(tree.origins)
    known: dict[int, RoundOne | None] = {}
    values = tree.question_value.tolist()
    facts = zip(
        tree.question_test.tolist(),
        tree.question_column.tolist(),
        tree.question_origin.tolist(),
        strict=True,
    )
    is_changed = False
    for i, (test, position, origin) in enumerate(facts):  # small arrays would take longer
        if test not in _BOUNDS or not is_own[origin] or (own_only and position >= n_columns):
            continue
        if position not in known:
            unit = None if units is None or position >= n_columns else units[position]
            column = asked_column(tree, table, position)
            known[position] = _rounding_of(
                column, unit, decimals, keeps_digits=keeps_digits, is_pair=position >= n_columns
            )
        round_one = known[position]
        if round_one is not None:
            values[i] = round_one(values[i], test == _ABOVE)
            is_changed = True
    return replace(tree, question_value=np.array(values)) if is_changed else tree


def in_units(
    questions: Sequence[CodedQuestion], is_wanted: Sequence[bool], table: Table
) -> list[CodedQuestion]:
    """Return questions of a table, of which some are cut between whole numbers, days and so on."""
    rounded = list[CodedQuestion]()
    known: dict[int, RoundOne | None] = {}
    for question, is_one in zip(questions, is_wanted, strict=True):
        position, test, value, levels = question
        is_bound = test in _BOUNDS and position < len(table.columns)
        if is_one and is_bound and position not in known:
            column = table.columns[position]
            known[position] = _rounding_of(column, None, None, keeps_digits=True)
        round_one = known.get(position) if is_one and is_bound else None
        if round_one is not None:
            question = (position, test, round_one(value, test == _ABOVE), levels)
        rounded.append(question)
    return rounded


def _rounding_of(
    column: Column,
    unit: int | None,
    decimals: int | None,
    *,
    keeps_digits: bool,
    is_pair: bool = False,
) -> RoundOne | None:
    """How bounds of a column are rounded, given on which side "yes" is; None: they stay.

    ``unit`` is that of all cells, where the column does not have them; numbers of pairs have none.
    """
    scale = column.info.scale
    if column.info.kind == "categorical" or (scale is not None and scale.kind == "order"):
        return None
    if is_pair:
        unit = 0
    elif unit is None:
        unit = unit_of(column)
    if scale is None and keeps_digits:
        return _between_whole if unit else None
    cells = column.native_numbers()
    known = cells[~np.isnan(cells)] if cells.dtype.kind == "f" else cells
    if scale is not None:
        return partial(_rounded_moment, cells=known, scale=scale, least_unit=unit)
    return partial(_rounded, cells=known, is_whole=bool(unit), decimals=decimals)


def unit_of(column: Column) -> int:
    """Return what all cells of a column are whole numbers of, or 0 where there is no such thing.

    Of numbers that is 1, of moments, times and durations the greatest of ``UNITS``. A column
    without cells gets the greatest, so that the least one of several parts holds for all rows.
    """
    info = column.info
    if info.kind != "numeric":
        return 0
    cells = column.cells
    if isinstance(cells, SparseCells):
        is_filled = len(cells.rows) < cells.n_rows
        numbers = np.append(cells.values, cells.filling) if is_filled else cells.values
    else:
        numbers = cells
    if info.scale is None:
        return int(_are_whole(numbers))
    if info.scale.kind == "order":
        return 1
    return _unit_of_moments(numbers[~np.isnan(numbers)], info.scale)


def _unit_of_moments(steps: NDArray[np.float64], scale: Scale) -> int:
    offset = scale.fixed_offset
    if offset is not None:
        return next(unit for unit in UNITS if not np.fmod(steps + offset, unit).any())
    # Clocks of other zones are shifted twice a year: by whole minutes.
    least = next(unit for unit in UNITS if unit <= MINUTE and not np.fmod(steps, unit).any())
    if least < MINUTE:
        return least
    different = np.unique(steps).tolist()
    coarser = (unit for unit in UNITS if unit > MINUTE)
    return next((u for u in coarser if all(scale.rounded(s, u) == s for s in different)), MINUTE)


def _rounded_moment(
    threshold: float, is_above: bool, *, cells: NDArray[Any], scale: Scale, least_unit: int
) -> float:
    """Return the roundest moment between the same cells, and near their middle."""
    is_no = cells <= threshold if is_above else cells < threshold
    if is_no.all() or not is_no.any():
        return threshold
    low, high = float(cells[is_no].max()), float(cells[~is_no].min())
    margin = _MARGIN * (high - low)
    for unit in UNITS:
        first = scale.rounded(threshold, unit)  # on the upper side of the cut
        if unit == least_unit and first <= low:
            first = scale.rounded(first + unit, unit)
        is_near = unit == least_unit or low + margin <= first <= high - margin
        if low < first <= high and is_near:
            return first - 1.0 if is_above else first
    return threshold


def _are_whole(cells: NDArray[Any]) -> bool:
    """Whether all cells that are there are whole, and not beyond what floats tell apart."""
    if cells.dtype.kind == "f":
        # A few tell most columns that are not.
        if not all(cell != cell or cell.is_integer() for cell in cells[:_FEW].tolist()):
            return False
        cells = np.ascontiguousarray(cells)  # read several times, and columns often lie across rows
        is_whole = np.floor(cells) == cells
        if not is_whole.all():
            if not np.isnan(cells[~is_whole]).all():
                return False
            cells = cells[is_whole]
    if len(cells) == 0 or (cells.dtype.kind in "iub" and cells.dtype.itemsize < 8):
        return True
    return float(cells.min()) >= -_LARGEST_WHOLE and float(cells.max()) <= _LARGEST_WHOLE


def _between_whole(threshold: float, is_above: bool) -> float:
    """Return the bound that says the same of whole numbers, and is one of them."""
    return _whole_bound(_next_whole(threshold, is_above), is_above)


def _next_whole(threshold: float, is_above: bool) -> float:
    """The least whole number above the cut."""
    return float(math.floor(threshold) + 1 if is_above else math.ceil(threshold))


def _whole_bound(least: float, is_above: bool) -> float:
    if not is_above:
        return least
    # Below 0 is a number so small that some machines and programs take it for 0.
    return math.nextafter(least, -math.inf) if least != 0 else -1.0


def _rounded(
    threshold: float, is_above: bool, *, cells: NDArray[Any], is_whole: bool, decimals: int | None
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
        return _whole_bound(_least_whole(threshold, span, first, is_above), is_above)
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
    return _next_whole(threshold, is_above)
