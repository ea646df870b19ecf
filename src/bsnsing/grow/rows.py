"""RowTracker: which node each row is in while a tree grows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bsnsing.engine.base import Engine
from bsnsing.grow.builder import OpenNode


@dataclass(slots=True)
class RowTracker:
    """Follows the rows of an engine, some of which are parts of one case and never part.

    A case with soft labels is several rows, one per class. Impurity is concave, so that of a node
    is at least the sum over its cases, however they are parted: only what lies above that sum can
    be saved below the node.
    """

    node_of: NDArray[np.int64]  # per row
    first_rows: NDArray[np.intp]  # of each case
    impurity: NDArray[np.float64]  # of each case: Gini impurity times weight

    @classmethod
    def start(
        cls, first_rows: NDArray[np.intp], impurity: NDArray[np.float64], n: int
    ) -> RowTracker:
        """All ``n`` rows are in the root."""
        return cls(np.zeros(n, dtype=np.int64), first_rows, impurity)

    def follow(self, engine: Engine, nodes: Sequence[OpenNode]) -> None:
        """Learn which rows are in these nodes now."""
        rows = engine.rows_of([node.engine_node for node in nodes])
        for node, own in zip(nodes, rows, strict=True):
            self.node_of[own] = node.tree_node

    def lasting_impurity(self, n_nodes: int) -> list[float]:
        """Per node, the impurity of its cases, which no split can save."""
        sums: list[float] = np.bincount(
            self.node_of[self.first_rows], self.impurity, n_nodes
        ).tolist()
        return sums
