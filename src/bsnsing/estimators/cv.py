"""BsnsingClassifierCV: how large a tree, chosen by cross-validation inside one fit."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import replace
from itertools import product
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import issparse
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.model_selection import StratifiedKFold
from sklearn.utils import _safe_indexing
from sklearn.utils.parallel import Parallel, delayed
from sklearn.utils.validation import check_is_fitted

from bsnsing.data.labels import read_labels
from bsnsing.data.table import read_prediction_table
from bsnsing.estimators.classifier import BsnsingClassifier
from bsnsing.estimators.parameters import CV_PARAMETERS
from bsnsing.estimators.scores import SCORES
from bsnsing.rules.parameters import check_parameters
from bsnsing.tree.predict import find_leaves
from bsnsing.tree.probabilities import tree_shares
from bsnsing.tree.prune import (
    first_marked,
    impurity_per_case,
    leaves_by_cost,
    prune,
    prune_by_cost,
    pruning_path,
)
from bsnsing.tree.tree import Tree

_MOST_PENALTIES = 30
# In cases; for two classes an eighth of what the default of BsnsingClassifier asks.
_LEAST_PENALTY = 0.1


class BsnsingClassifierCV(ClassifierMixin, BaseEstimator):
    """One tree, whose size and shrinkage, and rules on demand, are chosen by cross-validation.

    Per fold and value of ``max_rules`` one tree is grown; every penalty per leaf and every strength
    of shrinkage is then read off that tree. The costs are those of ``cv + 1`` fits. It predicts
    about as well as ``BsnsingClassifier()``, with more leaves: use it without a teacher, or where a
    score of your own is to be best. ``benchmarks/results/DEFAULTS.md`` has the figures.

    Parameters
    ----------
    estimator : BsnsingClassifier, default=None
        What the tree is grown with; None is ``BsnsingClassifier()``.
    cv : int, default=5
        Number of folds, drawn with equal shares of classes.
    scoring : {"neg_log_loss", "accuracy", "roc_auc"}, default="neg_log_loss"
        What is best.
    max_rules : sequence of int, default=(2,)
        Sizes of rules to try.
    shrinkages : sequence of float, default=(0.3, 1, 3, 10, 30)
        Strengths of shrinkage to try.
    random_state : int, RandomState or None, default=0
        How the rows are shuffled into folds.
    n_jobs : int, default=None
        Folds at the same time; None is 1 and -1 is as many as there are cores.

    Attributes
    ----------
    best_estimator_ : BsnsingClassifier
        The tree, grown on all rows with what was best.
    best_params_ : dict
        Its ``max_rules``, ``ccp_alpha`` and ``shrinkage``.
    best_score_ : float
        Mean over the folds of its score.
    cv_results_ : dict of arrays
        All that were tried: ``param_max_rules``, ``param_ccp_alpha``, ``param_shrinkage``,
        ``mean_test_score`` and ``std_test_score``. Penalties are shares of the root's impurity.
    classes_ : ndarray of shape (n_classes,)
        Class labels.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> model = BsnsingClassifierCV(BsnsingClassifier(teacher=None)).fit(X, y)
    >>> model.best_estimator_.get_n_leaves() > 1
    True
    """

    def __init__(
        self,
        estimator: BsnsingClassifier | None = None,
        *,
        cv: int = 5,
        scoring: str = "neg_log_loss",
        max_rules: Sequence[int] = (2,),
        shrinkages: Sequence[float] = (0.3, 1.0, 3.0, 10.0, 30.0),
        random_state: int | np.random.RandomState | None = 0,
        n_jobs: int | None = None,
    ) -> None:
        self.estimator = estimator
        self.cv = cv
        self.scoring = scoring
        self.max_rules = max_rules
        self.shrinkages = shrinkages
        self.random_state = random_state
        self.n_jobs = n_jobs

    def fit(
        self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None
    ) -> BsnsingClassifierCV:
        """Choose by cross-validation, then grow on all rows.

        Parameters
        ----------
        X : array, sparse matrix or dataframe of shape (n_rows, n_columns)
            The table, as for :meth:`BsnsingClassifier.fit`.
        y : array-like of shape (n_rows,)
            Class labels.
        sample_weight : array-like of shape (n_rows,), default=None
            Weights of the rows in growth. Scores count rows.

        Returns
        -------
        BsnsingClassifierCV
            The fitted classifier.
        """
        check_parameters(type(self).__name__, CV_PARAMETERS, self.get_params(deep=False))
        X = _indexable(X)
        n_rows = X.shape[0] if hasattr(X, "shape") else len(X)
        classes, labels = read_labels(y, n_rows)
        whole = [
            _grow(self._unpruned(rules, n_rows, len(classes)), self.shrinkages, X, y, sample_weight)
            for rules in self.max_rules
        ]
        self._take_over(whole[0].model)
        penalties = [_penalties(grown.trees[0]) for grown in whole]
        scores = self._score_folds(X, np.asarray(classes)[labels], labels, sample_weight, penalties)
        tried = [
            (rules, penalty, strength)
            for rules, own in zip(self.max_rules, penalties, strict=True)
            for penalty, strength in product(own, self.shrinkages)
        ]
        mean = scores.mean(axis=0)
        # Of equals the smallest tree: penalties rise, so the last.
        best = len(mean) - 1 - int(mean[::-1].argmax())
        rules, penalty, strength = tried[best]
        self.best_score_ = float(mean[best])
        self.cv_results_ = {
            "param_max_rules": np.array([rules for rules, _, _ in tried]),
            "param_ccp_alpha": np.array([penalty for _, penalty, _ in tried]),
            "param_shrinkage": np.array([strength for _, _, strength in tried]),
            "mean_test_score": mean,
            "std_test_score": scores.std(axis=0),
        }
        self._finish(whole[list(self.max_rules).index(rules)], penalty, strength)
        return self

    def _finish(self, grown: _Grown, penalty: float, strength: float) -> None:
        model, tree = grown.model, grown.trees[list(self.shrinkages).index(strength)]
        alpha = float(penalty * impurity_per_case(tree)[0])
        model._keep([prune_by_cost(tree, alpha)])
        model.set_params(ccp_alpha=alpha, shrinkage=strength)
        self.best_estimator_ = model
        self.best_params_ = {
            "max_rules": model.max_rules,
            "ccp_alpha": alpha,
            "shrinkage": float(strength),
        }

    def _take_over(self, model: BsnsingClassifier) -> None:
        self.classes_, self.n_features_in_ = model.classes_, model.n_features_in_
        if hasattr(model, "feature_names_in_"):
            self.feature_names_in_ = model.feature_names_in_

    def _unpruned(self, max_rules: int, n_rows: int, n_classes: int) -> BsnsingClassifier:
        estimator = BsnsingClassifier() if self.estimator is None else self.estimator
        if estimator.multiclass != "native":
            raise ValueError(
                f"BsnsingClassifierCV chooses one tree, but its estimator has multiclass="
                f"{estimator.multiclass!r}, one tree per class. Use multiclass='native'."
            )
        # Soft labels have no end of small differences: what no leaf would be kept for is not grown.
        is_taught = estimator.teacher is not None and n_rows > 0
        least = _LEAST_PENALTY * 2 / max(2, n_classes) / n_rows if is_taught else 0.0
        fresh: BsnsingClassifier = clone(estimator)
        fresh.set_params(max_rules=max_rules, ccp_alpha=least)
        return fresh

    def _score_folds(
        self,
        X: Any,
        y: NDArray[Any],
        labels: NDArray[np.int32],
        sample_weight: ArrayLike | None,
        penalties: list[NDArray[np.float64]],
    ) -> NDArray[np.float64]:
        """Scores of shape (n_folds, n_tried)."""
        n_folds = min(self.cv, max(2, int(np.bincount(labels).max())))
        folds = StratifiedKFold(n_folds, shuffle=True, random_state=self.random_state)
        weights = None if sample_weight is None else np.asarray(sample_weight)
        scored = Parallel(n_jobs=self.n_jobs, prefer="threads")(
            delayed(self._score_fold)(X, y, weights, labels, train, test, penalties)
            for train, test in _quiet_split(folds, labels)
        )
        return np.array(scored)

    def _score_fold(
        self,
        X: Any,
        y: NDArray[Any],
        weights: NDArray[Any] | None,
        labels: NDArray[np.int32],
        train: NDArray[np.intp],
        test: NDArray[np.intp],
        penalties: list[NDArray[np.float64]],
    ) -> list[float]:
        score = SCORES[self.scoring]
        scores = []
        for rules, own in zip(self.max_rules, penalties, strict=True):
            model, trees = _grow(
                self._unpruned(rules, len(train), len(self.classes_)),
                self.shrinkages,
                _safe_indexing(X, train),
                y[train],
                None if weights is None else weights[train],
            )
            tree = trees[0]
            place = np.searchsorted(self.classes_, model.classes_)
            table = read_prediction_table(model, _safe_indexing(X, test), tree.columns)
            leaves = find_leaves(tree, table, 1)
            root = float(impurity_per_case(tree)[0])
            for penalty in own:
                # A row ends where its path meets the first leaf of the pruned tree.
                ends = first_marked(tree, leaves_by_cost(tree, penalty * root))[leaves]
                for shrunk in trees:
                    shares = np.zeros((len(test), len(self.classes_)))
                    shares[:, place] = shrunk.value[ends]
                    scores.append(score(shares, labels[test]))
        return scores

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the most probable class of each row."""
        check_is_fitted(self)
        return self.best_estimator_.predict(X)

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Return the probability of each class, in the order of ``classes_``."""
        check_is_fitted(self)
        return self.best_estimator_.predict_proba(X)

    def predict_log_proba(self, X: Any) -> NDArray[np.float64]:
        """Return the logarithm of the probability of each class."""
        check_is_fitted(self)
        return self.best_estimator_.predict_log_proba(X)

    def unknown_at(self, X: Any) -> NDArray[np.int64]:
        """Return where each row met an unknown, as :meth:`BsnsingClassifier.unknown_at`."""
        check_is_fitted(self)
        return self.best_estimator_.unknown_at(X)

    @property
    def tree_(self) -> Tree:
        """The tree."""
        return self.best_estimator_.tree_

    @property
    def trees_(self) -> list[Tree]:
        """The tree, in a list."""
        return self.best_estimator_.trees_

    def get_depth(self) -> int:
        """Return the depth of the deepest leaf."""
        check_is_fitted(self)
        return self.best_estimator_.get_depth()

    def get_n_leaves(self) -> int:
        """Return the number of leaves."""
        check_is_fitted(self)
        return self.best_estimator_.get_n_leaves()

    def __str__(self) -> str:
        return str(self.best_estimator_) if hasattr(self, "best_estimator_") else repr(self)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags = BsnsingClassifier().__sklearn_tags__().input_tags
        return tags


class _Grown(NamedTuple):
    """A tree pruned no more than growth asked for, with the probabilities of each shrinkage."""

    model: BsnsingClassifier
    trees: list[Tree]


def _grow(
    model: BsnsingClassifier,
    shrinkages: Sequence[float],
    X: Any,
    y: ArrayLike,
    sample_weight: ArrayLike | None,
) -> _Grown:
    ((tree, evidence),) = model._grow(X, y, sample_weight)
    shrunk = (replace(tree, value=tree_shares(tree, evidence, s)) for s in shrinkages)
    return _Grown(model, [prune(own, model.ccp_alpha_, model.max_leaf_nodes) for own in shrunk])


def _penalties(tree: Tree) -> NDArray[np.float64]:
    """Penalties per leaf to try, as shares of the root's impurity: between those of the path."""
    root = float(impurity_per_case(tree)[0])
    if root == 0 or tree.n_leaves == 1:
        return np.zeros(1)
    alphas = pruning_path(tree).ccp_alphas / root
    between = np.append(np.sqrt(alphas[:-1] * alphas[1:]), alphas[-1])  # as Breiman et al. do
    return np.unique(np.quantile(between, np.linspace(0, 1, _MOST_PENALTIES)))


def _quiet_split(
    folds: StratifiedKFold, labels: NDArray[np.int32]
) -> list[tuple[NDArray[np.intp], NDArray[np.intp]]]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # classes with fewer cases than folds
        return list(folds.split(np.zeros(len(labels)), labels))


def _indexable(X: Any) -> Any:
    """Return X in a form whose rows can be picked."""
    if issparse(X):
        return X.tocsr()
    return X if hasattr(X, "shape") or isinstance(X, list) else np.asarray(X)
