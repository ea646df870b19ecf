"""Cases: the rows of a table with their labels and weights, all that a tree is grown on."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from bsnsing.data.align import without_unused_levels
from bsnsing.data.table import Table
from bsnsing.data.weights import CaseWeights


@dataclass(frozen=True, slots=True, eq=False)
class Cases:
    """Rows, each with the position of its class among the classes, and with a weight."""

    table: Table
    labels: NDArray[np.int32]
    weights: CaseWeights

    def __sizeof__(self) -> int:
        counts = self.weights.counts
        own = self.labels.nbytes + (0 if counts is None else counts.nbytes)
        return self.table.__sizeof__() + own

    def with_weight(self) -> Cases:
        """Leave rows of weight zero out altogether, as if they had not been given."""
        counts = self.weights.counts
        if counts is None or (counts > 0).all():
            return self
        left = self.take(np.flatnonzero(counts))
        # A level that only those rows have is a level that was never seen.
        columns = tuple(without_unused_levels(column) for column in left.table.columns)
        return replace(left, table=replace(left.table, columns=columns))

    def take(self, rows: NDArray[np.intp]) -> Cases:
        """Return some of the rows."""
        counts = self.weights.counts
        weights = CaseWeights(None if counts is None else counts[rows], self.weights.unit)
        return Cases(self.table.take(rows), self.labels[rows], weights)

    def per_row(self) -> NDArray[np.float64]:
        """How many cases each row is."""
        counts = self.weights.counts
        return np.ones(len(self.labels)) if counts is None else counts / self.weights.unit

    def class_totals(self, n_classes: int) -> NDArray[np.float64]:
        """Cases per class."""
        return self.weights.class_totals(self.labels, n_classes) / self.weights.unit
