"""NodeTallies: what splits may still save, by sums over rows that lie in parts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from bsnsing.engine.base import Engine
from bsnsing.engine.coded import CodedEngine
from bsnsing.engine.scattered import ScatteredEngine
from bsnsing.grow.builder import OpenNode
from bsnsing.tree.impurity import half_deviance


@dataclass(slots=True)
class NodeTallies:
    """Follows sums over the rows of each node, which need no row here.

    Tallies are, of each row, what was learnt of it per class, its cases per class, and the impurity
    of what was learnt, as whole numbers: their sums are the same in any order.
    """

    class_weight: NDArray[np.float64]
    fine: float  # what stands for one, in what was learnt and in impurities
    n_cases: float  # weighted cases of the whole tree
    sums: dict[int, NDArray[np.int64]] = field(default_factory=dict)  # by node of the tree

    def follow(self, engine: Engine, nodes: Sequence[OpenNode]) -> None:
        """Learn the sums of these nodes."""
        assert isinstance(engine, CodedEngine | ScatteredEngine)  # which have tallies
        found = engine.tallies([node.engine_node for node in nodes])
        self.sums |= {node.tree_node: own for node, own in zip(nodes, found, strict=True)}

    def most_saved(self, n_nodes: int) -> list[float]:
        """Per node, the impurity per case of all that splits below it can save at most."""
        lasting = np.array([self.sums[node][-1] for node in range(n_nodes)]) / self.fine
        totals = self.learnt(n_nodes) * self.class_weight
        saved: list[float] = ((half_deviance(totals) - lasting) / self.n_cases).tolist()
        return saved

    def learnt(self, n_nodes: int) -> NDArray[np.float64]:
        """What was learnt of each node: cases per class."""
        n_classes = len(self.class_weight)
        return np.array([self.sums[node][:n_classes] for node in range(n_nodes)]) / self.fine

    def counts(self, n_nodes: int) -> NDArray[np.int64]:
        """Cases per class of each node, in the unit of the weights."""
        n_classes = len(self.class_weight)
        return np.array([self.sums[node][n_classes:-1] for node in range(n_nodes)])
