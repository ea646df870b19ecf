"""TableEncoder: a table as the matrix of numbers that scikit-learn's learners take."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csc_matrix, csr_matrix

from bsnsing.data.blocks import numeric_blocks
from bsnsing.data.columns import Column, SparseCells
from bsnsing.data.table import Table


@dataclass(frozen=True, slots=True)
class TableEncoder:
    """Columns as the numbers that scikit-learn's learners take: 0/1 columns for levels."""

    levels: tuple[NDArray[np.int32] | None, ...]  # per column: codes of its frequent levels
    is_sparse: bool
    # Per column: its values and zero in ascending order, if their ranks stand for them.
    ranked: tuple[NDArray[np.float64] | None, ...]
    order_only: bool = False

    @classmethod
    def of(
        cls,
        table: Table,
        most_levels: int,
        *,
        order_only: bool = False,
    ) -> TableEncoder:
        """Learn which levels of a table are frequent.

        To a learner that sees the order of values only, ranks tell all of it, where values in
        single precision may not: what differs by little, or lies beyond its range, is one there.
        """
        columns = table.columns
        levels = tuple(
            _frequent_levels(column, most_levels) if column.info.kind == "categorical" else None
            for column in columns
        )
        is_sparse = any(isinstance(column.cells, SparseCells) for column in table.columns)
        ranked = _values_to_rank(columns, table.n_rows) if order_only else (None,) * len(columns)
        return cls(levels, is_sparse, ranked, order_only)

    def matrix(self, table: Table) -> Any:
        """A table of the same columns as one matrix."""
        columns = table.columns
        if self.is_sparse:
            return self._sparse_matrix(columns, table.n_rows)
        starts = np.cumsum([0, *self._widths()])
        matrix = np.empty((table.n_rows, starts[-1]), dtype=np.float32)
        for places, numbers in numeric_blocks(columns, table.n_rows):
            for place, line in zip(places, numbers, strict=True):
                if (values := self.ranked[place]) is not None:
                    line[:] = _single(line, values)
            with np.errstate(over="ignore"):
                matrix[:, starts[places]] = numbers.T
        for place, (column, levels) in enumerate(zip(columns, self.levels, strict=True)):
            if levels is not None:
                matrix[:, starts[place] : starts[place + 1]] = _are_levels(column, levels)
        return matrix

    def _widths(self) -> list[int]:
        """Columns of the matrix that each column takes."""
        return [1 if levels is None else len(levels) for levels in self.levels]

    def column_importances(self, teacher: Any) -> NDArray[np.float64] | None:
        """How much each column matters to the teacher, where it says so."""
        importances = getattr(teacher, "feature_importances_", None)
        widths = self._widths()
        if importances is None or len(importances) != sum(widths):
            return None
        starts = np.cumsum([0, *widths])[:-1]
        sums: NDArray[np.float64] = np.add.reduceat(importances, starts)
        return sums

    def _sparse_matrix(self, columns: tuple[Column, ...], n_rows: int) -> csr_matrix:
        """The same with cells that are zero left out."""
        rows: list[NDArray[Any]] = []
        values: list[NDArray[Any]] = []
        for column, levels, ranked in zip(columns, self.levels, self.ranked, strict=True):
            cells = column.cells
            if levels is None and isinstance(cells, SparseCells) and cells.filling == 0:
                rows.append(cells.rows)
                values.append(_single(cells.values, ranked))
                continue
            if levels is None:
                dense = _single(column.numbers(), ranked)[:, None]
            else:
                dense = _are_levels(column, levels)
            found = [np.flatnonzero(part) for part in dense.T]
            rows += found
            values += [part[places] for part, places in zip(dense.T, found, strict=True)]
        starts = np.cumsum([0, *map(len, rows)])
        numbers = np.concatenate(values).astype(np.float32)
        if not self.order_only:  # most learners take no missing cells in sparse matrices
            numbers = np.nan_to_num(numbers)
        shape = n_rows, len(rows)
        return csc_matrix((numbers, np.concatenate(rows), starts), shape=shape).tocsr()


def _frequent_levels(column: Column, most_levels: int) -> NDArray[np.int32]:
    found, frequency = np.unique(column.codes(), return_counts=True)
    return found[np.argsort(-frequency, kind="stable")[:most_levels]]


def _are_levels(column: Column, levels: NDArray[np.int32]) -> NDArray[np.float32]:
    """Which of the levels each cell is, a 0/1 column for each."""
    is_level: NDArray[np.float32] = (column.codes()[:, None] == levels).astype(np.float32)
    return is_level


def _values_to_rank(
    columns: Sequence[Column], n_rows: int
) -> tuple[NDArray[np.float64] | None, ...]:
    """Values of columns in ascending order, and zero; None where single precision holds them."""
    values: list[NDArray[np.float64] | None] = [None] * len(columns)
    for places, numbers in numeric_blocks(columns, n_rows):
        with np.errstate(over="ignore"):
            is_held = (numbers.astype(np.float32) == numbers) | np.isnan(numbers)
        for place in places[~is_held.all(axis=1)]:
            values[place] = _ascending(columns[place].numbers())
    for place, column in enumerate(columns):
        if isinstance(column.cells, SparseCells) and column.info.kind != "categorical":
            known = _ascending(column.cells.values)
            values[place] = None if (_single(known, None) == known).all() else known
    return tuple(values)


def _ascending(numbers: NDArray[Any]) -> NDArray[np.float64]:
    """Different numbers in ascending order, zero among them."""
    known = numbers[~np.isnan(numbers)].astype(np.float64)
    return np.unique(np.append(known, 0.0))


def _single(
    numbers: NDArray[np.float64], values: NDArray[np.float64] | None
) -> NDArray[np.float32]:
    """Numbers in single precision, or their ranks among ``values``, counted from zero's."""
    if values is not None:
        numbers = _ranks(numbers, values) - np.searchsorted(values, 0.0)
    with np.errstate(over="ignore"):
        return numbers.astype(np.float32)


def _ranks(numbers: NDArray[np.float64], values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Position of each number, or of the nearest one, among ascending values; NaN stays."""
    above = np.minimum(np.searchsorted(values, numbers), len(values) - 1)
    below = np.maximum(above - 1, 0)
    # Numbers midway between two go to the lower one, though other units round them differently.
    slack = 1e-6 * (values[above] - values[below])
    is_nearer = numbers - values[below] <= values[above] - numbers + slack
    is_below = (numbers < values[above]) & is_nearer
    return np.where(np.isnan(numbers), np.nan, np.where(is_below, below, above))
