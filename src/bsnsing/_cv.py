"""BsnsingClassifierCV: how large a tree, chosen by cross-validation inside one fit."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import issparse
from scipy.stats import rankdata
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.model_selection import StratifiedKFold
from sklearn.utils import _safe_indexing
from sklearn.utils.parallel import Parallel, delayed
from sklearn.utils.validation import check_is_fitted

from bsnsing._estimator import BsnsingClassifier
from bsnsing._labels import read_labels
from bsnsing._params import CV_PARAMETERS, check_parameters
from bsnsing._predict import find_leaves
from bsnsing._prune import impurity_per_case, prune_by_cost, pruning_path
from bsnsing._table import read_prediction_table
from bsnsing._tree import Tree

# Probabilities of zero, which trees without shrinkage have, cost this much at most.
_SMALLEST = 1e-15
_MOST_PRICES = 30
# In cases; for two classes an eighth of what the default of BsnsingClassifier asks.
_LEAST_PRICE = 0.1


def log_loss(shares: NDArray[np.float64], y: NDArray[np.int32]) -> float:
    """Mean logarithm of the probability given to the true class; greater is better."""
    given = shares[np.arange(len(y)), y]
    return float(np.log(np.maximum(given, _SMALLEST)).mean())


def accuracy(shares: NDArray[np.float64], y: NDArray[np.int32]) -> float:
    """Share of rows whose most probable class is the true one."""
    return float((shares.argmax(axis=1) == y).mean())


def roc_auc(shares: NDArray[np.float64], y: NDArray[np.int32]) -> float:
    """Area under the ROC curve, of each class against the rest where there are more than two."""
    present = np.unique(y)
    if len(present) < 2:
        return 0.5
    # By ranks for all classes at once: scikit-learn's function would take most of the time.
    is_class = y[:, None] == present
    n_yes = is_class.sum(axis=0)
    ranks = (rankdata(shares[:, present], axis=0) * is_class).sum(axis=0)
    areas = (ranks - n_yes * (n_yes + 1) / 2) / (n_yes * (len(y) - n_yes))
    return float(areas.mean())


SCORES: dict[str, Callable[[NDArray[np.float64], NDArray[np.int32]], float]] = {
    "neg_log_loss": log_loss,
    "accuracy": accuracy,
    "roc_auc": roc_auc,
}


class BsnsingClassifierCV(ClassifierMixin, BaseEstimator):
    """One tree, whose size and shrinkage, and rules on demand, are chosen by cross-validation.

    Per fold and value of ``max_rules`` one tree is grown; every price per leaf and every strength
    of shrinkage is then read off that tree. The costs are those of ``cv + 1`` fits. It predicts
    about as well as ``BsnsingClassifier()``, with more leaves (``benchmarks/DEFAULTS.md``): use it
    without a teacher, or where a score of your own is to be best.

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
        ``mean_test_score`` and ``std_test_score``. Prices are shares of the root's impurity.
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
        labels, codes = read_labels(y, n_rows)
        whole = [
            self._unpruned(rules, n_rows, len(labels)).fit(X, y, sample_weight=sample_weight)
            for rules in self.max_rules
        ]
        self._take_over(whole[0])
        prices = [_prices(model.tree_) for model in whole]
        scores = self._score_folds(X, np.asarray(labels)[codes], codes, sample_weight, prices)
        tried = [
            (rules, price, strength)
            for rules, own in zip(self.max_rules, prices, strict=True)
            for price, strength in product(own, self.shrinkages)
        ]
        mean = scores.mean(axis=0)
        # Of equals the smallest tree: prices rise, so the last.
        best = len(mean) - 1 - int(mean[::-1].argmax())
        rules, price, strength = tried[best]
        self.best_score_ = float(mean[best])
        self.cv_results_ = {
            "param_max_rules": np.array([rules for rules, _, _ in tried]),
            "param_ccp_alpha": np.array([price for _, price, _ in tried]),
            "param_shrinkage": np.array([strength for _, _, strength in tried]),
            "mean_test_score": mean,
            "std_test_score": scores.std(axis=0),
        }
        model = whole[list(self.max_rules).index(rules)]
        self._finish(model, price, strength)
        return self

    def _finish(self, model: BsnsingClassifier, price: float, strength: float) -> None:
        alpha = float(price * impurity_per_case(model.tree_)[0])
        model.tree_ = replace(prune_by_cost(model.tree_, alpha), shrinkage=strength)
        model.trees_ = [model.tree_]
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
        # A lesson has no end of small differences: what no leaf would be kept for is not grown.
        least = 0.0 if estimator.teacher is None else _LEAST_PRICE * 2 / max(2, n_classes) / n_rows
        fresh: BsnsingClassifier = clone(estimator)
        fresh.set_params(max_rules=max_rules, ccp_alpha=least)
        return fresh

    def _score_folds(
        self,
        X: Any,
        y: NDArray[Any],
        codes: NDArray[np.int32],
        sample_weight: ArrayLike | None,
        prices: list[NDArray[np.float64]],
    ) -> NDArray[np.float64]:
        """Scores of shape (n_folds, n_tried)."""
        n_folds = min(self.cv, max(2, int(np.bincount(codes).max())))
        folds = StratifiedKFold(n_folds, shuffle=True, random_state=self.random_state)
        weights = None if sample_weight is None else np.asarray(sample_weight)
        scored = Parallel(n_jobs=self.n_jobs, prefer="threads")(
            delayed(self._score_fold)(X, y, weights, codes, train, test, prices)
            for train, test in _quiet_split(folds, codes)
        )
        return np.array(scored)

    def _score_fold(
        self,
        X: Any,
        y: NDArray[Any],
        weights: NDArray[Any] | None,
        codes: NDArray[np.int32],
        train: NDArray[np.intp],
        test: NDArray[np.intp],
        prices: list[NDArray[np.float64]],
    ) -> list[float]:
        score = SCORES[self.scoring]
        scores = []
        for rules, own in zip(self.max_rules, prices, strict=True):
            model = self._unpruned(rules, len(train), len(self.classes_)).fit(
                _safe_indexing(X, train),
                y[train],
                sample_weight=None if weights is None else weights[train],
            )
            place = np.searchsorted(self.classes_, model.classes_)
            table = read_prediction_table(model, _safe_indexing(X, test), model.tree_.columns)
            root = float(impurity_per_case(model.tree_)[0])
            for price in own:
                pruned = prune_by_cost(model.tree_, price * root)
                leaves = find_leaves(pruned, table, 1)
                for strength in self.shrinkages:
                    shares = np.zeros((len(test), len(self.classes_)))
                    shares[:, place] = replace(pruned, shrinkage=strength).probabilities[leaves]
                    scores.append(score(shares, codes[test]))
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


def _prices(tree: Tree) -> NDArray[np.float64]:
    """Prices per leaf to try, as shares of the root's impurity: between those of the path."""
    root = float(impurity_per_case(tree)[0])
    if root == 0 or tree.n_leaves == 1:
        return np.zeros(1)
    alphas = pruning_path(tree).ccp_alphas / root
    between = np.append(np.sqrt(alphas[:-1] * alphas[1:]), alphas[-1])  # as Breiman et al. do
    return np.unique(np.quantile(between, np.linspace(0, 1, _MOST_PRICES)))


def _quiet_split(
    folds: StratifiedKFold, codes: NDArray[np.int32]
) -> list[tuple[NDArray[np.intp], NDArray[np.intp]]]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # classes with fewer cases than folds
        return list(folds.split(np.zeros(len(codes)), codes))


def _indexable(X: Any) -> Any:
    """Return X in a form whose rows can be picked."""
    if issparse(X):
        return X.tocsr()
    return X if hasattr(X, "shape") or isinstance(X, list) else np.asarray(X)
