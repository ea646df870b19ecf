"""Cases: the rows of a table with their labels and weights, all that a tree is grown on."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bsnsing.data.table import Table
from bsnsing.data.weights import CaseWeights


@dataclass(frozen=True, slots=True, eq=False)
class Cases:
    """Rows, each with the position of its class among the classes, and with a weight."""

    table: Table
    labels: NDArray[np.int32]
    weights: CaseWeights

    def with_weight(self) -> Cases:
        """Leave rows of weight zero out altogether, as if they had not been given."""
        counts = self.weights.counts
        if counts is None or (counts > 0).all():
            return self
        return self.take(np.flatnonzero(counts))

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
