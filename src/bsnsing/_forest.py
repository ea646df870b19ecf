"""Forest: the teacher that a tree learns from by default."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

# Trees of each kind in the forest: so many, where that many rows times trees are not exceeded, and
# at least so few. And the columns that each split of an extremely random one chooses from, in
# square roots of their number.
_N_TREES, _TREE_ROWS, _FEWEST_TREES = 50, 80_000, 25
_EXTRA_COLUMNS = 3
# Rows that a node of the forest may need to speak for itself; no more than the square root of all.
_LEAF_ROWS = (1, 2, 4, 8, 16)
_MOST_SHARES = 2e7  # rows times classes: with more, only the first of these is tried


class Forest:
    """Random and extremely random trees, half of each, which tell more together than either.

    They are grown to the end, but leaves of few rows speak with the shares of the nearest node
    above that has enough: as many as bring what trees say of rows that they were not grown on
    nearest the labels.
    """

    oob_score = True

    def __init__(self, random_state: np.random.RandomState, n_threads: int) -> None:
        self.random_state, self.n_threads = random_state, n_threads

    def fit(
        self, X: Any, codes: NDArray[np.int32], sample_weight: NDArray[np.float64] | None
    ) -> Forest:
        # Only here: who imports the package need not wait for forests.
        from sklearn.ensemble import ExtraTreesClassifier, RandomForestClassifier

        settings = {
            "bootstrap": True,
            "random_state": self.random_state,
            "n_jobs": self.n_threads,
        }
        # Random thresholds differ enough from tree to tree to choose among more columns.
        n_columns = X.shape[1]
        n_tried = min(n_columns, int(_EXTRA_COLUMNS * np.sqrt(n_columns)))
        n_trees = min(_N_TREES, max(_FEWEST_TREES, _TREE_ROWS // X.shape[0]))
        self.halves = [
            RandomForestClassifier(n_trees, **settings),
            ExtraTreesClassifier(n_trees, max_features=n_tried, **settings),
        ]
        for half in self.halves:
            half.fit(X, codes, sample_weight=sample_weight)
        self.classes_ = self.halves[0].classes_
        own = (codes[:, None] == self.classes_).astype(np.float64)
        sizes = [size for size in _LEAF_ROWS if size**2 <= len(own)]
        if own.size > _MOST_SHARES:
            sizes = sizes[:1]  # there is no memory for more
        told = self._left_out(X, sizes)
        errors = [np.average(((own - t) ** 2).sum(axis=1), weights=sample_weight) for t in told]
        best = int(np.argmin(errors))
        self.leaf_rows_, self.oob_decision_function_ = sizes[best], told[best]
        return self

    @property
    def feature_importances_(self) -> NDArray[np.float64]:
        mean: NDArray[np.float64] = np.mean([h.feature_importances_ for h in self.halves], axis=0)
        return mean

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        told = np.zeros((X.shape[0], len(self.classes_)))
        for half in self.halves:
            for tree, leaves in zip(half.estimators_, half.apply(X).T, strict=True):
                (shares,) = cut_back(tree.tree_, [self.leaf_rows_])
                told += shares[leaves]
        return told / sum(len(half.estimators_) for half in self.halves)

    def _left_out(self, X: Any, sizes: Sequence[int]) -> NDArray[np.float64]:
        """What the trees that were not grown on a row say of it, for each size of leaves.

        Zeros where all trees were grown on it.
        """
        told = np.zeros((len(sizes), X.shape[0], len(self.classes_)))
        for half in self.halves:
            for tree, drawn in zip(half.estimators_, half.estimators_samples_, strict=True):
                is_out = np.ones(X.shape[0], dtype=bool)
                is_out[drawn] = False
                rows = np.flatnonzero(is_out)
                leaves = tree.tree_.apply(X[rows])
                for sums, shares in zip(told, cut_back(tree.tree_, sizes), strict=True):
                    sums[rows] += shares[leaves]
        totals = told.sum(axis=2, keepdims=True)
        told /= np.where(totals > 0, totals, 1.0)
        return told


def cut_back(tree: Any, sizes: Sequence[int]) -> Iterator[NDArray[np.float64]]:
    """For each size (ascending), class shares of each node's nearest ancestor of so many rows.

    A node that has so many rows is its own nearest.
    """
    parent = np.zeros(tree.node_count, dtype=np.intp)
    for children in (tree.children_left, tree.children_right):
        is_inner = children >= 0
        parent[children[is_inner]] = np.flatnonzero(is_inner)
    shares = tree.value[:, 0] / tree.value[:, 0].sum(axis=1, keepdims=True)
    n_rows = tree.n_node_samples
    nearest = np.arange(tree.node_count)
    for size in sizes:
        is_small = n_rows[nearest] < min(size, n_rows[0])
        while is_small.any():
            nearest = np.where(is_small, parent[nearest], nearest)
            is_small = n_rows[nearest] < min(size, n_rows[0])
        yield shares[nearest]
