"""BsnsingClassifierCV: how large a tree, chosen by cross-validation inside one fit."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from copy import copy
from dataclasses import dataclass, replace
from itertools import product
from typing import Any, ClassVar, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import csr_matrix
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.metrics import check_scoring
from sklearn.utils.validation import check_is_fitted

from bsnsing.data.frames import indexable, take_labels, take_rows
from bsnsing.data.labels import read_labels
from bsnsing.data.row_names import message_about
from bsnsing.data.table import read_prediction_table, read_training_table
from bsnsing.data.weights import read_relative_weights
from bsnsing.estimators.classifier import ESTIMATOR_PARAMETER, BsnsingClassifier
from bsnsing.estimators.drawn import DrawnModel
from bsnsing.estimators.folds import Fold, make_folds
from bsnsing.estimators.grown import Growth
from bsnsing.estimators.knowledge import check_first_rule, ordered, read_first_rules
from bsnsing.estimators.parameters import CV_PARAMETERS
from bsnsing.estimators.reports import Reports
from bsnsing.estimators.scores import SCORES, call_scorer
from bsnsing.estimators.side_by_side import side_by_side
from bsnsing.estimators.storable import StorableModel
from bsnsing.estimators.stored import Sort
from bsnsing.estimators.working_copy import take_over, working_copy
from bsnsing.grow.first import held_by
from bsnsing.rules.parameters import Parameters, check_parameters
from bsnsing.tree.predict import walk_down
from bsnsing.tree.probabilities import tree_shares
from bsnsing.tree.prune import (
    first_marked,
    impurity_per_case,
    keep_nodes,
    leaves_by_cost,
    prune,
    prune_by_cost,
    pruning_path,
)
from bsnsing.tree.tree import Tree

# Of the penalty by default: below this share of it cross-validation grows nothing.
_LEAST_PENALTY = 0.125
_MOST_PENALTIES = 30


class BsnsingClassifierCV(Reports, DrawnModel, StorableModel, ClassifierMixin, BaseEstimator):
    """One tree, whose size and shrinkage, and rules on demand, are chosen by cross-validation.

    Per fold and value of ``max_rules`` one tree is grown; every penalty per leaf and every strength
    of shrinkage is then read off that tree. The costs are those of ``cv + 1`` fits. It predicts
    about as well as ``BsnsingClassifier()``, with more leaves: use it without a teacher, or where a
    score of your own is to be best. ``benchmarks/results/DEFAULTS.md`` has the figures.

    Parameters
    ----------
    estimator : BsnsingClassifier, default=None
        What the tree is grown with; None is ``BsnsingClassifier()``.
    cv : int, splitter or iterable, default=5
        Number of folds, drawn with equal shares of classes (and, given ``groups``, with no group
        in two folds). Or a splitter of scikit-learn, or (train, test) pairs of row positions.
    scoring : str or callable, default="neg_log_loss"
        What is best: "neg_log_loss", "accuracy" and "roc_auc" are quick. Other names that
        :func:`sklearn.metrics.get_scorer` takes, and callables ``scorer(estimator, X, y)``, are
        asked about each candidate in turn.
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
    n_features_in_ : int
        Number of columns.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the columns, where they have names.
    feature_importances_ : ndarray of shape (n_features_in_,)
        Share of each column in the total reduction of impurity.
    label_name_ : str or None
        Name of the column that the labels came from, where ``y`` was a name.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> model = BsnsingClassifierCV(BsnsingClassifier(teacher=None)).fit(X, y)
    >>> model.best_estimator_.get_n_leaves() > 1
    True
    """

    _stored_as: ClassVar[str] = "BsnsingClassifierCV"
    _stored_parameters: ClassVar[Parameters] = ESTIMATOR_PARAMETER | CV_PARAMETERS
    _kept: ClassVar[dict[str, Sort]] = {
        "best_score_": "value",
        "best_params_": "value",
        "cv_results_": "value",
        "best_estimator_": "member",
    }

    def __init__(
        self,
        estimator: BsnsingClassifier | None = None,
        *,
        cv: Any = 5,
        scoring: str | Callable[..., float] = "neg_log_loss",
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
        self,
        X: Any,
        y: ArrayLike,
        sample_weight: ArrayLike | None = None,
        groups: ArrayLike | None = None,
    ) -> BsnsingClassifierCV:
        """Choose by cross-validation, then grow on all rows.

        A fit that fails or is stopped leaves the classifier as it was.

        Parameters
        ----------
        X : array, sparse matrix or dataframe of shape (n_rows, n_columns)
            The table, as for :meth:`BsnsingClassifier.fit`.
        y : array-like of shape (n_rows,), or str
            Class labels, or the name of the column of the dataframe X that holds them. That
            column is taken out of X; ``predict`` ignores it.
        sample_weight : array-like of shape (n_rows,), default=None
            Weights of the rows, in growth and in scores (of scorers that take weights). Folds
            are made of rows, whatever their weights; rows of weight zero are in none.
        groups : array-like of shape (n_rows,), default=None
            The group of each row, for ``cv``.

        Returns
        -------
        BsnsingClassifierCV
            The fitted classifier.
        """
        fresh = working_copy(self)._fit(X, y, sample_weight, groups)
        if left_out := fresh.best_estimator_.left_out_:
            warnings.warn(message_about(left_out), stacklevel=2)
        return take_over(self, fresh)

    def _fit(
        self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None, groups: ArrayLike | None
    ) -> BsnsingClassifierCV:
        checks = ESTIMATOR_PARAMETER | CV_PARAMETERS
        check_parameters(type(self).__name__, checks, self.get_params(deep=False))
        X, y, self.label_name_ = take_labels(X, y)
        table = read_training_table(self, X, self._estimator().categorical_features)
        self.classes_, labels = read_labels(y, table.n_rows)
        rows = _Rows.read(indexable(X), self.classes_, labels, sample_weight)
        folds = make_folds(
            self.cv,
            rows.X,
            rows.y,
            labels,
            has_weight=rows.n_cases > 0,
            groups=groups,
            random_state=self.random_state,
        )
        whole = [
            _grow(self._unpruned(rules, rows), self.shrinkages, rows) for rules in self.max_rules
        ]
        penalties = [_penalties(grown.trees[0]) for grown in whole]
        scores = self._score_folds(rows, folds, penalties)
        tried = [
            (rules, penalty, strength)
            for rules, own in zip(self.max_rules, penalties, strict=True)
            for penalty, strength in product(own, self.shrinkages)
        ]
        mean = scores.mean(axis=0)
        best = _last_best(mean)
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
        held = held_by(read_first_rules(model.first_rules))
        model._keep(grown.growth.complete([prune_by_cost(tree, alpha, held)]))
        check_first_rule(model, model.trees_)
        model.set_params(ccp_alpha=alpha, shrinkage=strength)
        model.label_name_ = self.label_name_
        self.best_estimator_ = model
        self.best_params_ = {
            "max_rules": model.max_rules,
            "ccp_alpha": alpha,
            "shrinkage": float(strength),
        }

    def _restore(self) -> None:
        if self.classes_.tolist() != self.best_estimator_.classes_.tolist():
            raise ValueError("The classes are not those of best_estimator_.")
        results = self.cv_results_
        if type(self.best_score_) is not float or type(self.best_params_) is not dict:
            raise ValueError("best_score_ must be a number, and best_params_ an object.")
        is_table = type(results) is dict and all(type(v) is np.ndarray for v in results.values())
        if not is_table or len({len(column) for column in results.values()}) != 1:
            raise ValueError("cv_results_ must be an object of arrays of equal length.")

    def _estimator(self) -> BsnsingClassifier:
        estimator = BsnsingClassifier() if self.estimator is None else self.estimator
        if estimator.multiclass != "native":
            raise ValueError(
                f"BsnsingClassifierCV chooses one tree, but its estimator has multiclass="
                f"{estimator.multiclass!r}, one tree per class. Use multiclass='native'."
            )
        return estimator

    def _unpruned(self, max_rules: int, rows: _Rows) -> BsnsingClassifier:
        estimator = self._estimator()
        # Soft labels have no end of small differences: what no leaf would be kept for is not grown.
        config = estimator._distill_config
        least = _LEAST_PENALTY * config.complexity_penalty(float(rows.n_cases.sum()))
        fresh: BsnsingClassifier = clone(estimator)
        fresh.set_params(max_rules=max_rules, ccp_alpha=0.0 if estimator.teacher is None else least)
        return fresh

    def _score_folds(
        self, rows: _Rows, folds: list[Fold], penalties: list[NDArray[np.float64]]
    ) -> NDArray[np.float64]:
        """Scores of shape (n_folds, n_tried)."""
        calls = ((rows.take(train), rows.take(test), penalties) for train, test in folds)
        return np.array(side_by_side(self.n_jobs, self._score_fold, calls))

    def _score_fold(
        self, train: _Rows, test: _Rows, penalties: list[NDArray[np.float64]]
    ) -> list[float]:
        scores: list[float] = []
        for rules, own in zip(self.max_rules, penalties, strict=True):
            grown = _grow(self._unpruned(rules, train), self.shrinkages, train)
            tree = grown.trees[0]
            held = held_by(read_first_rules(grown.model.first_rules))
            score = self._scoring(grown, test)
            root = float(impurity_per_case(tree)[0])
            known: dict[bytes, list[float]] = {}  # many penalties leave the same nodes
            for penalty in own:
                is_leaf = leaves_by_cost(tree, penalty * root, held)
                ends = first_marked(tree, is_leaf)
                if (key := ends.tobytes()) not in known:
                    known[key] = [score(shrunk, is_leaf, ends) for shrunk in grown.trees]
                scores += known[key]
        return scores

    def _scoring(self, grown: _Grown, test: _Rows) -> _CandidateScore:
        """Return what judges a grown tree of which the marked nodes are the leaves."""
        place = np.searchsorted(self.classes_, grown.model.classes_)
        # Labels by costs are not those of the greatest shares.
        is_quick = self.scoring != "accuracy" or grown.trees[0].costs is None
        if isinstance(self.scoring, str) and self.scoring in SCORES and is_quick:
            quick = SCORES[self.scoring]
            tree = grown.trees[0]
            walk = walk_down(tree, read_prediction_table(grown.model, test.X, tree.columns), 1)

            def score_shares(shrunk: Tree, _: NDArray[np.bool_], ends: NDArray[np.intp]) -> float:
                # A row ends where its path meets the first leaf of the pruned tree. So do both of
                # its ways at an unknown, and where that is below, their mean is that leaf's value.
                shares = np.zeros((len(test.y), len(self.classes_)))
                shares[:, place] = walk.mean(shrunk.value[ends])
                return quick(shares, test.labels, test.score_weights)

            return score_shares
        candidate = copy(grown.model)
        candidate.classes_, candidate.n_classes_ = self.classes_, len(self.classes_)
        scorer = check_scoring(candidate, scoring=self.scoring)

        def score_model(shrunk: Tree, is_leaf: NDArray[np.bool_], _: NDArray[np.intp]) -> float:
            candidate._keep([_with_classes(keep_nodes(shrunk, is_leaf), self.classes_, place)])
            return call_scorer(scorer, candidate, test.X, test.y, test.score_weights)

        return score_model

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the most probable class of each row."""
        check_is_fitted(self)
        return self.best_estimator_.predict(X)

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Return the probability of each class, as :meth:`BsnsingClassifier.predict_proba`."""
        check_is_fitted(self)
        return self.best_estimator_.predict_proba(X)

    def predict_log_proba(self, X: Any) -> NDArray[np.float64]:
        """Return the logarithm of the probability of each class."""
        check_is_fitted(self)
        return self.best_estimator_.predict_log_proba(X)

    def apply(self, X: Any) -> NDArray[np.int64]:
        """Return the leaf of each row, or the first node whose rule its cells leave unknown."""
        check_is_fitted(self)
        return self.best_estimator_.apply(X)

    def decision_path(self, X: Any) -> csr_matrix:
        """Return which nodes each row passes, as :meth:`BsnsingClassifier.decision_path`."""
        check_is_fitted(self)
        return self.best_estimator_.decision_path(X)

    @property
    def feature_importances_(self) -> NDArray[np.float64]:
        """Share of each column in the total reduction of impurity."""
        check_is_fitted(self)
        return self.best_estimator_.feature_importances_

    def unknown_at(self, X: Any) -> NDArray[np.int64]:
        """Return where each row first met an unknown, as :meth:`BsnsingClassifier.unknown_at`."""
        check_is_fitted(self)
        return self.best_estimator_.unknown_at(X)

    @property
    def costs_(self) -> NDArray[np.float64] | None:
        """What errors cost, as :attr:`BsnsingClassifier.costs_`."""
        return self.best_estimator_.costs_

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

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags = BsnsingClassifier().__sklearn_tags__().input_tags
        return tags


# Judges a tree by its marked leaves, and by where each node's rows end.
_CandidateScore: TypeAlias = Callable[[Tree, NDArray[np.bool_], NDArray[np.intp]], float]


@dataclass(frozen=True, slots=True, eq=False)
class _Rows:
    """Rows of the table with their labels and weights."""

    X: Any
    y: NDArray[Any]
    labels: NDArray[np.int32]
    sample_weight: NDArray[Any] | None  # as given
    n_cases: NDArray[np.float64]  # that each row counts for

    @classmethod
    def read(
        cls,
        X: Any,
        classes: NDArray[Any],
        labels: NDArray[np.int32],
        sample_weight: ArrayLike | None,
    ) -> _Rows:
        weights = read_relative_weights(sample_weight, len(labels))
        n_cases = np.ones(len(labels)) if weights.counts is None else weights.counts / weights.unit
        given = None if sample_weight is None else np.asarray(sample_weight)
        if given is not None and given.ndim == 0:
            given = np.full(len(labels), given)
        return cls(X, np.asarray(classes)[labels], labels, given, n_cases)

    def take(self, rows: NDArray[np.intp]) -> _Rows:
        weight = self.sample_weight
        return _Rows(
            take_rows(self.X, rows),
            self.y[rows],
            self.labels[rows],
            None if weight is None else weight[rows],
            self.n_cases[rows],
        )

    @property
    def score_weights(self) -> NDArray[np.float64] | None:
        return None if self.sample_weight is None else self.n_cases


class _Grown(NamedTuple):
    """A tree pruned no more than growth asked for, with the probabilities of each shrinkage."""

    model: BsnsingClassifier
    trees: list[Tree]
    growth: Growth


def _grow(model: BsnsingClassifier, shrinkages: Sequence[float], rows: _Rows) -> _Grown:
    growth = model._grow(rows.X, rows.y, rows.sample_weight)
    ((tree, evidence, _),) = growth.trees
    shrunk = (replace(tree, value=tree_shares(tree, evidence, s)) for s in shrinkages)
    held = held_by(read_first_rules(model.first_rules))
    trees = [
        prune(ordered(model, own), model.ccp_alpha_, model.max_leaf_nodes, held) for own in shrunk
    ]
    return _Grown(model, trees, growth)


def _with_classes(tree: Tree, classes: NDArray[Any], place: NDArray[np.intp]) -> Tree:
    """Return the tree with all classes, of which a fold may lack some."""
    if len(place) == len(classes):
        return tree
    counts, value = np.zeros((2, tree.n_nodes, len(classes)))
    counts[:, place], value[:, place] = tree.counts, tree.value
    class_weight = np.ones(len(classes))
    class_weight[place] = tree.class_weight
    costs = tree.costs
    if costs is not None:
        of_all = np.zeros((len(classes), len(classes)))
        # What was not learnt is never the cheapest to say.
        of_all[:, np.setdiff1d(np.arange(len(classes)), place)] = 1 + 2 * costs.max()
        of_all[np.ix_(place, place)] = costs
        costs = of_all
    return replace(
        tree, classes=classes, class_weight=class_weight, counts=counts, value=value, costs=costs
    )


def _last_best(mean: NDArray[np.float64]) -> int:
    """Position of the greatest mean score; of equals the smallest tree, which comes last."""
    if np.isnan(mean).all():
        raise ValueError("scoring gives NaN for every candidate. Use another score or other folds.")
    # Sums of scores are rounded.
    rounded = np.round(np.where(np.isnan(mean), -np.inf, mean), 12)
    return len(mean) - 1 - int(rounded[::-1].argmax())


def _penalties(tree: Tree) -> NDArray[np.float64]:
    """Penalties per leaf to try, as shares of the root's impurity: between those of the path."""
    root = float(impurity_per_case(tree)[0])
    if root == 0 or tree.n_leaves == 1:
        return np.zeros(1)
    alphas = pruning_path(tree).ccp_alphas / root
    between = np.append(np.sqrt(alphas[:-1] * alphas[1:]), alphas[-1])  # as Breiman et al. do
    return np.unique(np.quantile(between, np.linspace(0, 1, _MOST_PENALTIES)))
