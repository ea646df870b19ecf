"""The numeric columns of a table, some at a time as one matrix, as calls cost wide tables dear."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from bsnsing.data.columns import Column, SparseCells

# Cells of a block: enough that calls do not count, few enough to stay in a cache.
_BLOCK_CELLS = 1 << 18


def numeric_blocks(
    columns: Sequence[Column], n_rows: int
) -> Iterator[tuple[NDArray[np.intp], NDArray[np.float64]]]:
    """Places of dense numeric and boolean columns, and their cells: a line of a matrix each."""
    places = [
        place
        for place, column in enumerate(columns)
        if column.info.kind != "categorical" and not isinstance(column.cells, SparseCells)
    ]
    for own in in_blocks(places, n_rows):
        cells = np.empty((len(own), n_rows))
        for line, place in zip(cells, own, strict=True):
            line[:] = columns[place].cells
        yield own, cells


def in_blocks(places: Sequence[int], n_rows: int) -> Iterator[NDArray[np.intp]]:
    """Divide columns into blocks of at most ``_BLOCK_CELLS`` cells, or of one column."""
    step = max(1, _BLOCK_CELLS // max(1, n_rows))
    for start in range(0, len(places), step):
        yield np.array(places[start : start + step], dtype=np.intp)


def n_different(numbers: NDArray[np.float64]) -> NDArray[np.intp]:
    """Return how many different numbers each line has; all missing ones count as one."""
    ordered = np.sort(numbers, axis=1)  # NaN come last
    changes = (ordered[:, 1:] != ordered[:, :-1]) & ~np.isnan(ordered[:, :-1])
    counts: NDArray[np.intp] = (ordered.shape[1] > 0) + changes.sum(axis=1)
    return counts


def ranks_of(numbers: NDArray[np.float64]) -> NDArray[np.int32]:
    """Return ranks from 1 in each line, the same for equal numbers; 0 where missing."""
    order = numbers.argsort(axis=1)  # NaN come last
    ordered = np.take_along_axis(numbers, order, axis=1)
    is_new = np.ones(numbers.shape, dtype=bool)
    np.not_equal(ordered[:, 1:], ordered[:, :-1], out=is_new[:, 1:])
    sorted_ranks = np.add.accumulate(is_new, axis=1, dtype=np.int32)
    sorted_ranks[np.isnan(ordered)] = 0
    ranks = np.empty_like(sorted_ranks)
    np.put_along_axis(ranks, order, sorted_ranks, axis=1)
    return ranks
