"""TableEncoder: a table as the matrix of numbers that scikit-learn's learners take."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csc_matrix, csr_matrix

from bsnsing.data.columns import Column, SparseCells
from bsnsing.data.table import Table
from bsnsing.questions.pair import ColumnPair, pair_columns


@dataclass(frozen=True, slots=True)
class TableEncoder:
    """Columns as the numbers that scikit-learn's learners take: 0/1 columns for levels."""

    levels: tuple[NDArray[np.int32] | None, ...]  # per column: codes of its frequent levels
    is_sparse: bool
    pairs: tuple[ColumnPair, ...]  # which the teacher is shown beside the columns
    # Per column: its values and zero in ascending order, if their ranks stand for them.
    ranked: tuple[NDArray[np.float64] | None, ...]
    order_only: bool = False

    @classmethod
    def of(
        cls,
        table: Table,
        pairs: tuple[ColumnPair, ...],
        most_levels: int,
        *,
        order_only: bool = False,
    ) -> TableEncoder:
        """Learn which levels of a table are frequent.

        To a learner that sees the order of values only, ranks tell all of it, where values in
        single precision may not: what differs by little, or lies beyond its range, is one there.
        """
        columns = table.columns + pair_columns(table, pairs)
        levels = tuple(
            _frequent_levels(column, most_levels) if column.info.kind == "categorical" else None
            for column in columns
        )
        is_sparse = any(isinstance(column.cells, SparseCells) for column in table.columns)
        ranked = tuple(
            _values_to_rank(column) if order_only and own is None else None
            for column, own in zip(columns, levels, strict=True)
        )
        return cls(levels, is_sparse, pairs, ranked, order_only)

    def matrix(self, table: Table) -> Any:
        """A table of the same columns as one matrix."""
        columns = table.columns + pair_columns(table, self.pairs)
        if self.is_sparse:
            return self._sparse_matrix(columns, table.n_rows)
        parts = [
            self._dense_part(column, levels, values)
            for column, levels, values in zip(columns, self.levels, self.ranked, strict=True)
        ]
        return np.concatenate(parts, axis=1)

    def column_importances(self, teacher: Any) -> NDArray[np.float64] | None:
        """How much each column, pairs aside, matters to the teacher, where it says so."""
        importances = getattr(teacher, "feature_importances_", None)
        widths = [1 if levels is None else len(levels) for levels in self.levels]
        if importances is None or len(importances) != sum(widths):
            return None
        starts = np.cumsum([0, *widths])[:-1]
        n_columns = len(self.levels) - len(self.pairs)
        sums: NDArray[np.float64] = np.add.reduceat(importances, starts)[:n_columns]
        return sums

    @staticmethod
    def _dense_part(
        column: Column,
        levels: NDArray[np.int32] | None,
        values: NDArray[np.float64] | None,
    ) -> NDArray[np.float32]:
        if levels is not None:
            is_level: NDArray[np.float32] = (column.codes()[:, None] == levels).astype(np.float32)
            return is_level
        return _single(column.numbers(), values)[:, None]

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
            dense = self._dense_part(column, levels, ranked)
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


def _values_to_rank(column: Column) -> NDArray[np.float64] | None:
    """The values of a column in ascending order, and zero; None if single precision holds them."""
    cells = column.cells
    numbers = cells.values if isinstance(cells, SparseCells) else column.numbers()
    known = np.append(numbers[~np.isnan(numbers)], 0.0)
    return None if (_single(known, None) == known).all() else np.unique(known)


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
