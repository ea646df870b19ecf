"""Forest: the teacher that a tree learns from by default."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import issparse

from bsnsing import _core
from bsnsing.distill.config import DistillConfig

MOST_SEEDS = 2**31 - 1
CODE_BITS = 8  # of a cell; a search reads one bit of each row for each set of questions
DENSE_COLUMNS = 256  # of a sparse matrix that are laid out at a time


class Forest:
    """Random and extremely random trees, half of each, which tell more together than either.

    They are grown to the end, but a leaf of few rows gives the probabilities of the nearest node
    above it that has enough rows. How many are enough is chosen by the Brier score of the
    out-of-bag probabilities.

    Trees see the order of a column's values only, in at most 255 bins.
    """

    oob_score = True

    def __init__(
        self, config: DistillConfig, random_state: np.random.RandomState, n_threads: int
    ) -> None:
        self.config, self.random_state, self.n_threads = config, random_state, n_threads

    def fit(
        self, X: Any, labels: NDArray[np.int32], sample_weight: NDArray[np.float64] | None = None
    ) -> Forest:
        """Grow the trees, and choose how many rows a leaf needs."""
        config, (n_rows, n_columns) = self.config, X.shape
        self.bins = [_core.Bins(part, n_threads=self.n_threads) for part in dense_parts(X)]
        codes = self._codes(X)
        self.classes_, positions = np.unique(labels, return_inverse=True)
        n_draws, n_best = min(n_rows, config.rows_per_tree), max(1, int(np.sqrt(n_columns)))
        # Random cuts differ enough from tree to tree to choose among all columns, unless these are
        # very many: each level of each tree looks at every row and column.
        n_looks = n_draws * np.log2(n_draws + 1) * config.n_trees  # per column
        affordable = config.most_work / (CODE_BITS * n_looks)
        self.trees = _core.grow_forest(
            codes,
            positions.astype(np.int32),
            sample_weight,
            n_classes=len(self.classes_),
            n_best_trees=config.n_trees,
            n_best_columns=n_best,
            n_random_trees=config.n_trees,
            n_random_columns=int(min(n_columns, max(n_best, affordable))),
            n_draws=n_draws,
            seed=int(self.random_state.randint(MOST_SEEDS)),
            n_threads=self.n_threads,
        )
        sizes = [size for size in config.leaf_rows if size**2 <= n_rows] or config.leaf_rows[:1]
        # Rows come in an order as good as random, so the first are enough to choose by.
        n_judges = min(n_rows, config.most_rows)
        oob = self._out_of_bag(codes[:, :n_judges], sizes)
        one_hot = np.eye(len(self.classes_))[positions[:n_judges]]
        weights = None if sample_weight is None else sample_weight[:n_judges]
        brier = [np.average(((one_hot - p) ** 2).sum(axis=1), weights=weights) for p in oob]
        best = int(np.argmin(brier))
        self.leaf_rows_ = sizes[best]
        all_rows = oob[best] if n_judges == n_rows else self._out_of_bag(codes, [sizes[best]])[0]
        self.oob_decision_function_ = all_rows
        self.trees.cut_back(self.leaf_rows_)
        return self

    def _out_of_bag(self, codes: NDArray[np.uint8], sizes: Sequence[int]) -> NDArray[np.float64]:
        first = np.ascontiguousarray(codes)
        return self.trees.out_of_bag(first, leaf_rows=list(sizes), n_threads=self.n_threads)

    @property
    def feature_importances_(self) -> NDArray[np.float64]:
        """Share of each column in what the trees' cuts save of the Gini impurity."""
        return self.trees.importances()

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Mean probabilities of all trees."""
        return self.trees.predict(self._codes(X), n_threads=self.n_threads)

    def _codes(self, X: Any) -> NDArray[np.uint8]:
        """The matrix in bins, column after column."""
        parts = [
            bins.codes(part, n_threads=self.n_threads)
            for bins, part in zip(self.bins, dense_parts(X), strict=True)
        ]
        return parts[0] if len(parts) == 1 else np.concatenate(parts)


def dense_parts(X: Any) -> Iterator[NDArray[np.float32]]:
    """The columns of a matrix, all at once or, if it is sparse, some at a time."""
    if not issparse(X):
        yield np.ascontiguousarray(X, dtype=np.float32)
        return
    columns = X.tocsc()
    for first in range(0, X.shape[1], DENSE_COLUMNS):
        part = columns[:, first : first + DENSE_COLUMNS].toarray()
        yield np.ascontiguousarray(part, dtype=np.float32)
