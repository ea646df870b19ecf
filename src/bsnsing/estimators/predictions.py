"""Predictions: what trees say of the rows of a table, as methods of a classifier."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix, hstack
from sklearn.utils.validation import check_is_fitted

from bsnsing.data.table import read_prediction_table
from bsnsing.rules.options import effective_n_threads
from bsnsing.tree.decide import decide
from bsnsing.tree.predict import Walk, passed_nodes, stops_of, walk_down
from bsnsing.tree.tree import Tree


class Predictions:
    """Labels, probabilities, leaves and paths of rows, by one tree or by one per class."""

    trees_: list[Tree]
    classes_: NDArray[Any]
    n_classes_: int
    costs_: NDArray[np.float64] | None
    n_jobs: int | None

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the most probable class of each row; with ``cost`` the cheapest decision.

        Of equals it is the first.
        """
        check_is_fitted(self)
        if len(self.trees_) == 1:
            (walk,) = self._walk_down(X)
            return walk.labels(self.classes_)
        if self.costs_ is None:
            best = self.predict_proba(X).argmax(axis=1)
        else:
            best = decide(self.predict_proba(X), self.costs_)
        labels: NDArray[Any] = self.classes_[best]
        return labels

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Return the probability of each class, in the order of ``classes_``.

        A row gets the probabilities of its leaf. Where its cells leave a rule unknown (see
        :meth:`unknown_at`) it gets (n_yes p_yes + n_no p_no) / (n_yes + n_no): p are the
        probabilities that it gets below either child, where further rules may be unknown, and n
        the training cases of that child, each times its sample and class weight (``tree_.counts @
        tree_.class_weight``). With one tree per class, each tree does so by itself.
        """
        scores = self._scores(X)
        if len(self.trees_) == 1:
            return scores
        # In the order of classes, which exports can follow to the last bit; sum() has its own.
        sums = np.add.accumulate(scores, axis=1)[:, -1:]
        uniform = np.full_like(scores, 1 / self.n_classes_)
        np.divide(scores, sums, out=uniform, where=sums > 0)
        return uniform

    def predict_log_proba(self, X: Any) -> NDArray[np.float64]:
        """Return the logarithm of the probability of each class."""
        with np.errstate(divide="ignore"):
            logarithms: NDArray[np.float64] = np.log(self.predict_proba(X))
        return logarithms

    def apply(self, X: Any) -> NDArray[np.int64]:
        """Return the leaf that each row ends in; with one tree per class, one column per tree.

        For a row that meets unknowns it is the first node whose rule is unknown: see
        :meth:`unknown_at`.
        """
        ends = [walk.ends for walk in self._walk_down(X)]
        return ends[0] if len(ends) == 1 else np.column_stack(ends)

    def unknown_at(self, X: Any) -> NDArray[np.int64]:
        """Return the first node whose rule each row's cells leave unknown; -1 where there is none.

        What a missing cell answers is unknown where the column had no missing cells at fit, and
        what a level answers that fit never saw. A rule can hold, or fail, all the same: "age > 35
        or bmi > 30" holds for every age if bmi is 31. Where it stays unknown the row goes both
        ways: see :meth:`predict_proba`. Rows of -1 reach one leaf, and get its probabilities.

        Parameters
        ----------
        X : array, sparse matrix or dataframe of shape (n_rows, n_columns)
            The table.

        Returns
        -------
        ndarray of shape (n_rows,), or (n_rows, n_classes) with one tree per class
            Nodes of ``tree_``, or of each of ``trees_``.

        Examples
        --------
        >>> import numpy as np
        >>> from bsnsing import BsnsingClassifier
        >>> X = np.array([[age, bmi] for age in range(20, 60) for bmi in range(20, 40)], float)
        >>> y = (X[:, 0] > 35) | (X[:, 1] > 30)
        >>> model = BsnsingClassifier.plain().fit(X, y)
        >>> print(model.tree_.rule(0))
        x0 >= 36 or x1 >= 31
        >>> new = [[25, 31], [np.nan, 31], [np.nan, 25], [np.nan, np.nan]]
        >>> model.unknown_at(new).tolist()
        [-1, -1, 0, 0]
        >>> model.predict_proba(new)[:, 1].round(2).tolist(), y.mean().round(2).tolist()
        ([1.0, 1.0, 0.78, 0.78], 0.78)
        """
        stops = [stops_of(walk.tree, walk.ends) for walk in self._walk_down(X)]
        return stops[0] if len(stops) == 1 else np.column_stack(stops)

    def decision_path(self, X: Any) -> csr_matrix | tuple[csr_matrix, NDArray[np.int64]]:
        """Return which nodes each row passes, as a sparse indicator matrix.

        The path of a row that meets unknowns ends at the first of them: see :meth:`unknown_at`.
        With one tree per class, the matrices of all trees side by side, and the column at which
        each tree's nodes begin.
        """
        check_is_fitted(self)
        paths = [passed_nodes(walk.tree, walk.ends) for walk in self._walk_down(X)]
        if len(paths) == 1:
            return paths[0]
        starts = np.cumsum([0] + [path.shape[1] for path in paths])
        return csr_matrix(hstack(paths)), starts

    def _walk_down(self, X: Any) -> list[Walk]:
        check_is_fitted(self)
        table = read_prediction_table(self, X, self.trees_[0].columns)
        n_threads = effective_n_threads(self.n_jobs)
        return [walk_down(tree, table, n_threads) for tree in self.trees_]

    def _scores(self, X: Any) -> NDArray[np.float64]:
        """Probabilities of one tree, or each class's score from its own."""
        walks = self._walk_down(X)
        if len(walks) == 1:
            return walks[0].mean(walks[0].tree.value)
        return np.hstack([walk.mean(walk.tree.value[:, 1:]) for walk in walks])
