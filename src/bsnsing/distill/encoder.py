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

    @classmethod
    def of(cls, table: Table, pairs: tuple[ColumnPair, ...], most_levels: int) -> TableEncoder:
        """Learn which levels of a table are frequent."""
        levels = tuple(
            _frequent_levels(column, most_levels) if column.info.kind == "categorical" else None
            for column in table.columns
        )
        is_sparse = any(isinstance(column.cells, SparseCells) for column in table.columns)
        return cls(levels + (None,) * len(pairs), is_sparse, pairs)

    def matrix(self, table: Table) -> Any:
        """A table of the same columns as one matrix."""
        columns = table.columns + pair_columns(table, self.pairs)
        if self.is_sparse:
            return self._sparse_matrix(columns, table.n_rows)
        parts = [
            self._dense_part(column, levels)
            for column, levels in zip(columns, self.levels, strict=True)
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
    def _dense_part(column: Column, levels: NDArray[np.int32] | None) -> NDArray[np.float32]:
        if levels is not None:
            is_level: NDArray[np.float32] = (column.codes()[:, None] == levels).astype(np.float32)
            return is_level
        return column.numbers().astype(np.float32)[:, None]

    def _sparse_matrix(self, columns: tuple[Column, ...], n_rows: int) -> csr_matrix:
        """The same with cells that are zero left out, and zero in place of missing ones."""
        rows: list[NDArray[Any]] = []
        values: list[NDArray[Any]] = []
        for column, levels in zip(columns, self.levels, strict=True):
            cells = column.cells
            if levels is None and isinstance(cells, SparseCells) and cells.filling == 0:
                rows.append(cells.rows)
                values.append(cells.values)
                continue
            dense = self._dense_part(column, levels)
            found = [np.flatnonzero(part) for part in dense.T]
            rows += found
            values += [part[places] for part, places in zip(dense.T, found, strict=True)]
        starts = np.cumsum([0, *map(len, rows)])
        numbers = np.nan_to_num(np.concatenate(values).astype(np.float32))
        shape = n_rows, len(rows)
        return csc_matrix((numbers, np.concatenate(rows), starts), shape=shape).tocsr()


def _frequent_levels(column: Column, most_levels: int) -> NDArray[np.int32]:
    found, frequency = np.unique(column.codes(), return_counts=True)
    return found[np.argsort(-frequency, kind="stable")[:most_levels]]
