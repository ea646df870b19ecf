"""order_levels(): what a tree may ask about columns of many levels, which few cases share each.

Of thousands of levels those with the greatest share of a class have it by chance. So a level has a
say of its own only if it has enough cases, and how many are enough the column itself tells: with k
further cases that have the shares of the whole table, each case is best predicted by the others of
its level. Where levels tell much k is small; where they tell nothing no level has a say. Levels
with a say are put in the order of their shares, so that questions about them are thresholds.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping

import numpy as np
from numpy.typing import NDArray

from bsnsing.data.cases import Cases
from bsnsing.data.columns import Column, ColumnInfo
from bsnsing.data.regroup import Regrouping


def order_levels(
    real: Cases,
    n_classes: int,
    max_levels: int,
    as_they_are: Collection[object],
) -> Regrouping:
    """Put the levels of columns with more than ``max_levels`` in order, in at most as many groups.

    Columns named in ``as_they_are`` stay so.
    """
    table, weights = real.table, real.weights
    # Whole weights are repeated rows; others say what a row counts, not how often it was seen.
    counts = weights.counts if weights.unit == 1.0 else None
    groups = {
        position: _groups(_count_labels(column, real.labels, counts, n_classes), max_levels)
        for position, column in enumerate(table.columns)
        if column.info.kind == "categorical"
        and len(column.info.levels) > max_levels
        and column.info.name not in as_they_are
    }
    return Regrouping(table.info, np.arange(len(table.columns)), groups)


def order_counted_levels(
    info: tuple[ColumnInfo, ...],
    counted: Mapping[int, NDArray[np.int64]],
    max_levels: int,
    as_they_are: Collection[object],
) -> Regrouping:
    """Do the same by the cases of each class and level of columns; the last level is missing."""
    groups = {
        position: _groups(counted[position][:, :-1].T.astype(np.float64), max_levels)
        for position, own in enumerate(info)
        if own.kind == "categorical"
        and len(own.levels) > max_levels
        and own.name not in as_they_are
    }
    return Regrouping(info, np.arange(len(info)), groups)


def _count_labels(
    column: Column,
    labels: NDArray[np.int32],
    counts: NDArray[np.int64] | None,
    n_classes: int,
) -> NDArray[np.float64]:
    """Cases of each level and class."""
    codes, n_levels = column.codes(), len(column.info.levels)
    known = np.flatnonzero(codes >= 0)
    cells = codes[known].astype(np.intp) * n_classes + labels[known]
    flat = np.bincount(cells, None if counts is None else counts[known], n_levels * n_classes)
    return flat.astype(np.float64).reshape(n_levels, n_classes)


def _groups(counts: NDArray[np.float64], max_levels: int) -> NDArray[np.intp]:
    """The group of each level, in the order of their shares; those without a say are one."""
    n_cases = counts.sum(axis=1)
    enough = cases_to_speak(counts)
    speaks = n_cases >= enough
    if not speaks.any():
        return np.zeros(len(counts), dtype=np.intp)
    mean = counts.sum(axis=0) / n_cases.sum()
    shares = (counts + enough * mean) / (n_cases + enough)[:, None]
    place = _main_difference(shares - mean, n_cases)
    silent = n_cases[~speaks]
    place[~speaks] = np.average(place[~speaks], weights=silent) if silent.any() else 0.0
    return _equal_parts(place, n_cases, max_levels)


def cases_to_speak(counts: NDArray[np.float64]) -> float:
    """Cases from which on a level tells more by itself than all levels together do.

    ``counts`` are cases by level and class. The number is the k among 2, 4, 8 ... up to the first
    that no level has, for which each case is predicted best by (cases of its level but itself + k *
    shares of all) / (their number + k), judged by the Brier score; infinite if nothing is better
    than the shares of all.
    """
    counts = counts[counts.any(axis=1)]  # rows without weight may have levels of their own
    n_cases = counts.sum(axis=1, keepdims=True)
    mean = counts.sum(axis=0) / max(1.0, n_cases.sum())
    best, enough = float(n_cases.sum() * (1 - (mean**2).sum())), np.inf
    for k in _doublings(float(n_cases.max(initial=0.0))):
        sums, others = counts + k * mean, n_cases - 1 + k
        square = (sums**2).sum(axis=1, keepdims=True)
        # Of one case of each class; what a level lacks counts nothing.
        errors = 1 - 2 * (sums - 1) / others + (square - 2 * sums + 1) / others**2
        error = float((counts * errors).sum())
        if error < best * (1 - 1e-12):  # sums are rounded
            best, enough = error, k
    return enough


def _doublings(most: float) -> list[int]:
    """2, 4, 8 ... up to the first beyond ``most``, at which no level would speak."""
    return [2**i for i in range(1, int(most).bit_length() + 1)]


def _main_difference(
    differences: NDArray[np.float64], n_cases: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Where each level lies along the direction in which levels differ most.

    With two classes that is the order of a class's share. With more it is the order by which one
    cut parts the classes about as well as any two groups of levels do (Coppersmith, Hong and
    Hosking, 1999).
    """
    spread = (differences * n_cases[:, None]).T @ differences
    direction = np.linalg.eigh(spread)[1][:, -1]
    direction = direction * np.sign(direction[np.abs(direction).argmax()])
    place: NDArray[np.float64] = (differences @ direction).round(12)  # equal shares stay equal
    return place


def _equal_parts(
    place: NDArray[np.float64], n_cases: NDArray[np.float64], n_parts: int
) -> NDArray[np.intp]:
    """Part levels by their place into groups of about equal numbers of cases."""
    _, rank = np.unique(place, return_inverse=True)
    cases = np.bincount(rank, n_cases)
    middle = (np.cumsum(cases) - cases / 2) / cases.sum()
    part = np.minimum((middle * n_parts).astype(np.intp), n_parts - 1)
    return np.unique(part, return_inverse=True)[1][rank]
