"""What splits of a tree that grows may still save, by the soft labels of its rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from bsnsing.engine.base import Engine
from bsnsing.grow.builder import OpenNode
from bsnsing.tree.impurity import half_deviance


class Tracker(Protocol):
    """Follows what a tree learns from while it grows."""

    def follow(self, engine: Engine, nodes: Sequence[OpenNode]) -> None:
        """Learn what is in these nodes now."""
        ...

    def most_saved(self, n_nodes: int) -> list[float]:
        """Per node, the impurity per case of all that splits below it can save at most."""
        ...


@dataclass(slots=True)
class RowTracker:
    """Follows the rows of an engine, some of which are parts of one case and never part.

    A case with soft labels is several rows, one per class. Impurity is concave, so that of a node
    is at least the sum over its cases, however they are parted: only what lies above that sum can
    be saved below the node.
    """

    node_of: NDArray[np.int64]  # per row
    first_rows: NDArray[np.intp]  # of each case
    weighted: NDArray[np.float64]  # of each case: weight per class
    impurity: NDArray[np.float64]  # of each case: of these weights

    @classmethod
    def start(
        cls, first_rows: NDArray[np.intp], weighted: NDArray[np.float64], n: int
    ) -> RowTracker:
        """All ``n`` rows are in the root."""
        return cls(np.zeros(n, dtype=np.int64), first_rows, weighted, half_deviance(weighted))

    def follow(self, engine: Engine, nodes: Sequence[OpenNode]) -> None:
        """Learn which rows are in these nodes now."""
        rows = engine.rows_of([node.engine_node for node in nodes])
        for node, own in zip(nodes, rows, strict=True):
            self.node_of[own] = node.tree_node

    def most_saved(self, n_nodes: int) -> list[float]:
        """Per node, the impurity per case of all that splits below it can save at most."""
        nodes = self.node_of[self.first_rows]
        totals = sum_by_node(nodes, self.weighted, n_nodes)
        lasting = np.bincount(nodes, self.impurity, n_nodes)
        saved: list[float] = ((half_deviance(totals) - lasting) / self.weighted.sum()).tolist()
        return saved


def sum_by_node(
    nodes: NDArray[np.int64], weighted: NDArray[np.float64], n_nodes: int
) -> NDArray[np.float64]:
    """Sum the rows of ``weighted`` by their nodes; shape (n_nodes, n_classes)."""
    return np.stack([np.bincount(nodes, column, n_nodes) for column in weighted.T], axis=1)
