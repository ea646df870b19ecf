"""RowImpurity: what no split of a lesson can save, since a row's cases never part."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bsnsing._predict import find_leaves
from bsnsing._table import Table
from bsnsing._teacher import Lesson
from bsnsing._tree import Tree


@dataclass(frozen=True, slots=True)
class RowImpurity:
    """Rows of a lesson, and the Gini impurity (times weight) of each one's cases.

    Impurity is concave, so that of a node is at least the sum over its rows, however they are
    parted: what lies above that sum is all that a subtree can save.
    """

    table: Table
    impurity: NDArray[np.float64]

    @classmethod
    def of(cls, lesson: Lesson, class_weight: NDArray[np.float64]) -> RowImpurity | None:
        """Read a lesson; None where every row is of one class, and so has no impurity."""
        if lesson.rows is None or lesson.weights.counts is None:
            return None
        n_classes = len(class_weight)
        cases = lesson.weights.counts * class_weight[lesson.codes]
        flat = np.bincount(
            lesson.rows * n_classes + lesson.codes, cases, (lesson.rows[-1] + 1) * n_classes
        )
        by_class = flat.reshape(-1, n_classes)
        sizes = by_class.sum(axis=1)
        impurity = sizes - (by_class**2).sum(axis=1) / np.maximum(sizes, 1e-300)
        first = np.flatnonzero(np.diff(lesson.rows, prepend=-1))
        return cls(lesson.table.take(first), impurity[lesson.rows[first]])

    def of_nodes(self, tree: Tree, n_threads: int) -> NDArray[np.float64]:
        """Return the sum over the rows of each leaf; 0 at other nodes."""
        leaves = find_leaves(tree, self.table, n_threads)
        return np.bincount(leaves, self.impurity, tree.n_nodes).astype(np.float64)
