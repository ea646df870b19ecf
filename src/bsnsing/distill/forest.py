"""Forest: the teacher that a tree learns from by default."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bsnsing.distill.config import DistillConfig


class Forest:
    """Random and extremely random trees, half of each, which tell more together than either.

    They are grown to the end, but a leaf of few rows gives the probabilities of the nearest node
    above it that has enough rows. How many are enough is chosen by the Brier score of the
    out-of-bag probabilities.
    """

    oob_score = True

    def __init__(
        self, config: DistillConfig, random_state: np.random.RandomState, n_threads: int
    ) -> None:
        self.config, self.random_state, self.n_threads = config, random_state, n_threads

    def fit(
        self, X: Any, labels: NDArray[np.int32], sample_weight: NDArray[np.float64] | None
    ) -> Forest:
        """Grow the trees, and choose how many rows a leaf needs."""
        # Only here: who imports the package need not wait for forests.
        from sklearn.ensemble import ExtraTreesClassifier, RandomForestClassifier

        settings = {
            "bootstrap": True,
            "random_state": self.random_state,
            "n_jobs": self.n_threads,
        }
        # Random thresholds differ enough from tree to tree to choose among more columns.
        config, (n_rows, n_columns) = self.config, X.shape
        n_tried = min(n_columns, int(config.extra_columns * np.sqrt(n_columns)))
        n_trees = min(config.n_trees, max(config.fewest_trees, config.tree_rows // n_rows))
        self.halves = [
            RandomForestClassifier(n_trees, **settings),
            ExtraTreesClassifier(n_trees, max_features=n_tried, **settings),
        ]
        for half in self.halves:
            half.fit(X, labels, sample_weight=sample_weight)
        self.classes_ = self.halves[0].classes_
        one_hot = (labels[:, None] == self.classes_).astype(np.float64)
        sizes = [size for size in config.leaf_rows if size**2 <= n_rows]
        if one_hot.size > config.most_shares:
            sizes = sizes[:1]  # there is no memory for more
        oob = self._out_of_bag(X, sizes)
        brier = [np.average(((one_hot - p) ** 2).sum(axis=1), weights=sample_weight) for p in oob]
        best = int(np.argmin(brier))
        self.leaf_rows_, self.oob_decision_function_ = sizes[best], oob[best]
        return self

    @property
    def feature_importances_(self) -> NDArray[np.float64]:
        """Mean of both halves."""
        mean: NDArray[np.float64] = np.mean([h.feature_importances_ for h in self.halves], axis=0)
        return mean

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Mean probabilities of all trees."""
        sums = np.zeros((X.shape[0], len(self.classes_)))
        for half in self.halves:
            for tree, leaves in zip(half.estimators_, half.apply(X).T, strict=True):
                (shares,) = cut_back(tree.tree_, [self.leaf_rows_])
                sums += shares[leaves]
        return sums / sum(len(half.estimators_) for half in self.halves)

    def _out_of_bag(self, X: Any, sizes: Sequence[int]) -> NDArray[np.float64]:
        """Mean probabilities of the trees that were not grown on a row, for each size of leaves.

        Zeros where all trees were grown on it.
        """
        oob = np.zeros((len(sizes), X.shape[0], len(self.classes_)))
        for half in self.halves:
            for tree, drawn in zip(half.estimators_, half.estimators_samples_, strict=True):
                is_out = np.ones(X.shape[0], dtype=bool)
                is_out[drawn] = False
                rows = np.flatnonzero(is_out)
                leaves = tree.tree_.apply(X[rows])
                for sums, shares in zip(oob, cut_back(tree.tree_, sizes), strict=True):
                    sums[rows] += shares[leaves]
        totals = oob.sum(axis=2, keepdims=True)
        oob /= np.where(totals > 0, totals, 1.0)
        return oob


def cut_back(tree: Any, sizes: Sequence[int]) -> Iterator[NDArray[np.float64]]:
    """For each size (ascending), class shares of each node's nearest ancestor of that many rows.

    A node of at least that many rows is its own nearest.
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
