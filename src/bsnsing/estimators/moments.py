"""Rounding of moments whose rows lie in parts: by the cells beside each threshold, of all parts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from bsnsing.data.cases import Cases
from bsnsing.data.table import Table
from bsnsing.engine.workers import Handles, Workers
from bsnsing.tree.rounding import round_thresholds
from bsnsing.tree.tree import Tree

Floats: TypeAlias = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class MomentRounding:
    """How thresholds of moments are rounded; other ones stay as they are."""

    workers: Workers
    cells: Handles  # of each part, those of the columns at the places
    places: list[int]
    table: Table  # without rows

    @classmethod
    def of_cases(cls, workers: Workers, cases: Handles, table: Table) -> MomentRounding | None:
        """Keep the cells of columns that hold moments; None if there are none."""
        places = [
            i
            for i, info in enumerate(table.info)
            if info.scale is not None and info.scale.kind != "order"
        ]
        if not places:
            return None
        return cls(workers, workers.each(moment_cells, cases, places=places), places, table)

    def of(self, tree: Tree) -> Tree:
        """Return the tree with short thresholds of moments in the questions of its own."""
        bounds = [np.unique(tree.question_value[tree.question_column == i]) for i in self.places]
        found = self.workers.merged(cells_beside, merge_beside, self.cells, bounds=bounds)
        columns = list(self.table.columns)
        for place, own in zip(self.places, found, strict=True):
            cells = own.ravel()
            columns[place] = replace(columns[place], cells=cells[np.isfinite(cells)])
        beside = Table(tuple(columns), 0)
        return round_thresholds(tree, beside, own_only=True, moments_only=True)


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
