"""Regrouping: a table whose levels are put in groups, or left out, to be asked about."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bsnsing.data.columns import Column, ColumnInfo
from bsnsing.data.table import Table


@dataclass(frozen=True, slots=True, eq=False)
class Regrouping:
    """What stands for each column: itself, the numbers of groups of its levels, or nothing."""

    info: tuple[ColumnInfo, ...]  # of the columns as they are
    kept: NDArray[np.intp]  # positions of those that something stands for
    groups: Mapping[int, NDArray[np.intp]]  # by position: the group of each level

    def table(self, table: Table) -> Table:
        """The table to grow a tree on: groups are numbers, and what is missing stays so."""
        columns = (
            _grouped(table.columns[i], self.groups[i]) if i in self.groups else table.columns[i]
            for i in self.kept
        )
        return Table(tuple(columns), table.n_rows)


def _grouped(column: Column, groups: NDArray[np.intp]) -> Column:
    numbers = np.append(groups, -1).astype(np.float64)[column.codes()]
    numbers[numbers < 0] = np.nan
    return Column(ColumnInfo(column.info.name, "numeric"), numbers)


def leave_out(table: Table, positions: Collection[int], *, in_place: bool) -> Regrouping:
    """Leave the levels of columns out. Whether a cell is missing can still be asked.

    A column without missing cells goes altogether, unless all must stay ``in_place``.
    """
    groups = {
        i: np.zeros(len(table.columns[i].info.levels), dtype=np.intp)
        for i in positions
        if in_place or (table.columns[i].codes() < 0).any()
    }
    kept = [i for i in range(len(table.columns)) if i not in positions or i in groups]
    return Regrouping(table.info, np.array(kept, dtype=np.intp), groups)
