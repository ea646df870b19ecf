"""Rounding where rows lie in parts: whole numbers, and moments by the cells beside thresholds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from bsnsing.data.cases import Cases
from bsnsing.data.table import Table
from bsnsing.engine.workers import Handles, Workers
from bsnsing.tree.rounding import round_thresholds, unit_of
from bsnsing.tree.tree import Tree

Floats: TypeAlias = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class PartsRounding:
    """How whole numbers and moments are cut; other thresholds stay as they are."""

    workers: Workers
    cells: Handles  # of each part, those of the columns at the places
    places: list[int]  # of moments
    units: list[int]  # what the cells of each column are whole numbers of
    table: Table  # without rows

    @classmethod
    def of_cases(cls, workers: Workers, cases: Handles, table: Table) -> PartsRounding:
        """Keep the cells of columns that hold moments."""
        places = [
            i
            for i, info in enumerate(table.info)
            if info.scale is not None and info.scale.kind != "order"
        ]
        units = workers.merged(units_of, least_units, cases).tolist()
        cells = workers.each(moment_cells, cases, places=places) if places else []
        return cls(workers, cells, places, units, table)

    def of(self, tree: Tree) -> Tree:
        """Return the tree with such thresholds in the questions of its own."""
        columns = list(self.table.columns)
        if self.places:
            asked, value = tree.question_column, tree.question_value
            bounds = [np.unique(value[asked == i]) for i in self.places]
            found = self.workers.merged(cells_beside, merge_beside, self.cells, bounds=bounds)
            for place, own in zip(self.places, found, strict=True):
                cells = own.ravel()
                columns[place] = replace(columns[place], cells=cells[np.isfinite(cells)])
        beside = Table(tuple(columns), 0)
        return round_thresholds(tree, beside, own_only=True, keeps_digits=True, units=self.units)


def units_of(cases: Cases) -> NDArray[np.int64]:
    """What the cells of each column of a part are whole numbers of."""
    return np.array([unit_of(column) for column in cases.table.columns], dtype=np.int64)


def least_units(several: Sequence[NDArray[np.int64]]) -> NDArray[np.int64]:
    """What the cells of some parts are whole numbers of: each unit is so of the coarser ones."""
    least: NDArray[np.int64] = np.min(several, axis=0)
    return least


def moment_cells(cases: Cases, *, places: Sequence[int]) -> list[Floats]:
    """Different cells of some columns of a part, ascending."""
    numbers = (cases.table.columns[i].numbers() for i in places)
    return [np.unique(own[~np.isnan(own)]) for own in numbers]


def cells_beside(cells: Sequence[Floats], *, bounds: Sequence[Floats]) -> list[Floats]:
    """The greatest cell below each bound, the least above it, and one that equals it."""
    beside = []
    for own, wanted in zip(cells, bounds, strict=True):
        padded = np.concatenate([[-np.inf], own, [np.inf]])
        first, last = (np.searchsorted(own, wanted, side) for side in ("left", "right"))
        equal = np.where(last > first, wanted, -np.inf)
        beside.append(np.stack([padded[first], padded[last + 1], equal]))
    return beside


def merge_beside(several: Sequence[list[Floats]]) -> list[Any]:
    """What some parts have beside bounds."""
    merged = []
    for own in zip(*several, strict=True):
        below, above, equal = np.stack(own, axis=1)
        merged.append(np.stack([below.max(axis=0), above.min(axis=0), equal.max(axis=0)]))
    return merged
