"""BsnsingEnsemble: a few trees that vote, each of which can be read by itself."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from bsnsing.data.frames import take_labels
from bsnsing.data.row_names import message_about
from bsnsing.estimators.classifier import ESTIMATOR_PARAMETER, BsnsingClassifier
from bsnsing.estimators.drawn import DrawnModel
from bsnsing.estimators.parameters import ENSEMBLE_PARAMETERS
from bsnsing.estimators.reports import Reports
from bsnsing.estimators.side_by_side import side_by_side
from bsnsing.estimators.storable import StorableModel
from bsnsing.estimators.stored import Sort
from bsnsing.estimators.working_copy import take_over, working_copy
from bsnsing.rules.parameters import Parameters, check_parameters
from bsnsing.tree.decide import decide_together
from bsnsing.tree.tree import Tree

# Trees that stand together need not be small: their errors even out.
_OWN: dict[str, Any] = {
    "ccp_alpha": 0.00005,
    "criterion": "gini",
    "max_rules": 2,
    "column_pairs": None,
}
_PAPER_RULES = (1, 2, 3)
_PAPER_LEAVES = ("sqrt", 1, 10)


class BsnsingEnsemble(Reports, DrawnModel, StorableModel, ClassifierMixin, BaseEstimator):
    """A few trees whose probabilities are averaged.

    Each tree learns the same rows from a teacher of its own (see ``teacher`` of
    :class:`BsnsingClassifier`), and is less pruned than a tree that stands alone.

    Parameters
    ----------
    n_estimators : int, default=9
        Number of trees.
    estimator : BsnsingClassifier, default=None
        What each tree is grown with, but for its ``random_state``; None is
        ``BsnsingClassifier(ccp_alpha=0.00005, criterion="gini", max_rules=2,
        column_pairs=None)``.
    settings : sequence of dict, default=None
        Changes of the estimator's parameters for each tree in turn, in place of
        ``n_estimators`` equal ones: there are as many trees as settings.
    voting : {"soft", "hard"}, default="soft"
        Whether the label is the class of the greatest mean probability, or the one that most
        trees choose (of equals the one of greater mean probability). Probabilities are means
        either way.
    random_state : int, RandomState or None, default=0
        What the trees' own random states are drawn from.
    n_jobs : int, default=None
        Trees grown at the same time; None is 1 and -1 is as many as there are cores.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        Class labels.
    estimators_ : list of BsnsingClassifier
        The fitted trees; print one to read it.
    n_features_in_ : int
        Number of columns.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the columns, where they have names.
    label_name_ : str or None
        Name of the column that the labels came from, where ``y`` was a name.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> model = BsnsingEnsemble().fit(X, y)
    >>> len(model.estimators_)
    9
    """

    _stored_as: ClassVar[str] = "BsnsingEnsemble"
    _stored_parameters: ClassVar[Parameters] = ESTIMATOR_PARAMETER | ENSEMBLE_PARAMETERS
    _kept: ClassVar[dict[str, Sort]] = {"estimators_": "members"}

    def __init__(
        self,
        n_estimators: int = 9,
        *,
        estimator: BsnsingClassifier | None = None,
        settings: Sequence[dict[str, Any]] | None = None,
        voting: str = "soft",
        random_state: int | np.random.RandomState | None = 0,
        n_jobs: int | None = None,
    ) -> None:
        self.n_estimators = n_estimators
        self.estimator = estimator
        self.settings = settings
        self.voting = voting
        self.random_state = random_state
        self.n_jobs = n_jobs

    @classmethod
    def paper(cls, **changes: Any) -> BsnsingEnsemble:
        """Return the paper's nine trees: rules of 1, 2 and 3 questions, three sizes of leaves.

        Labels are those of the majority, and probabilities means.
        """
        settings = [
            {"max_rules": rules, "min_samples_leaf": leaf}
            for rules in _PAPER_RULES
            for leaf in _PAPER_LEAVES
        ]
        own: dict[str, Any] = {
            "estimator": BsnsingClassifier.paper(),
            "settings": settings,
            "voting": "hard",
        }
        return cls(**(own | changes))

    @staticmethod
    def default_estimator() -> BsnsingClassifier:
        """Return what each tree is grown with where ``estimator`` is None."""
        return BsnsingClassifier(**_OWN)

    def fit(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None) -> BsnsingEnsemble:
        """Grow the trees.

        A fit that fails or is stopped leaves the ensemble as it was.

        Parameters
        ----------
        X : array, sparse matrix or dataframe of shape (n_rows, n_columns)
            The table, as for :meth:`BsnsingClassifier.fit`.
        y : array-like of shape (n_rows,), or str
            Class labels, or the name of the column of the dataframe X that holds them. That
            column is taken out of X; ``predict`` ignores it.
        sample_weight : array-like of shape (n_rows,), default=None
            Weights of the rows.

        Returns
        -------
        BsnsingEnsemble
            The fitted ensemble.
        """
        fresh = working_copy(self)._fit(X, y, sample_weight)
        left_out = dict.fromkeys(name for model in fresh.estimators_ for name in model.left_out_)
        if left_out:
            warnings.warn(message_about(list(left_out)), stacklevel=2)
        return take_over(self, fresh)

    def _fit(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None) -> BsnsingEnsemble:
        checks = ESTIMATOR_PARAMETER | ENSEMBLE_PARAMETERS
        check_parameters(type(self).__name__, checks, self.get_params(deep=False))
        X, y, label_name = take_labels(X, y)
        models = self._models()
        if any(model.cost != models[0].cost for model in models):
            raise ValueError(
                "settings give the trees different costs, and they decide together. "
                "Give the estimator one cost."
            )
        calls = [(model, X, y, sample_weight) for model in models]
        self.estimators_: list[BsnsingClassifier] = side_by_side(self.n_jobs, _fit, calls)
        self.label_name_ = label_name
        for model in self.estimators_:
            model.label_name_ = label_name
        first = self.estimators_[0]
        self.classes_ = first.classes_
        self.n_classes_ = len(self.classes_)
        self.n_features_in_ = first.n_features_in_
        if hasattr(first, "feature_names_in_"):
            self.feature_names_in_ = first.feature_names_in_
        elif hasattr(self, "feature_names_in_"):
            del self.feature_names_in_  # from an earlier fit
        return self

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the class of each row, by the trees' mean probability or by their votes.

        Where the trees have ``cost``, mean probabilities and votes decide by it.
        """
        best = decide_together(self._shares(X), self.voting, self.costs_)
        labels: NDArray[Any] = self.classes_[best]
        return labels

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Return the mean over the trees of the probability of each class."""
        mean: NDArray[np.float64] = np.mean(self._shares(X), axis=0)
        return mean

    def predict_log_proba(self, X: Any) -> NDArray[np.float64]:
        """Return the logarithm of the probability of each class."""
        with np.errstate(divide="ignore"):
            logarithms: NDArray[np.float64] = np.log(self.predict_proba(X))
        return logarithms

    def unknown_at(self, X: Any) -> NDArray[np.int64]:
        """Return where each row first met an unknown in each of ``trees_``; -1 where it met none.

        The shape is (n_rows, n_trees): see :meth:`BsnsingClassifier.unknown_at`.
        """
        check_is_fitted(self)
        return np.column_stack([model.unknown_at(X) for model in self.estimators_])

    def get_n_leaves(self) -> int:
        """Return the number of leaves of all trees together."""
        check_is_fitted(self)
        return sum(model.get_n_leaves() for model in self.estimators_)

    @property
    def costs_(self) -> NDArray[np.float64] | None:
        """What errors cost: the same for all trees. None without ``cost``."""
        check_is_fitted(self)
        return self.estimators_[0].costs_

    @property
    def trees_(self) -> list[Tree]:
        """All trees, for exports and for reading."""
        check_is_fitted(self)
        return [tree for model in self.estimators_ for tree in model.trees_]

    @property
    def feature_importances_(self) -> NDArray[np.float64]:
        """Mean over the trees of each column's share in the reduction of impurity."""
        check_is_fitted(self)
        mean: NDArray[np.float64] = np.mean(
            [model.feature_importances_ for model in self.estimators_], axis=0
        )
        return mean

    def __len__(self) -> int:
        check_is_fitted(self)
        return len(self.estimators_)

    def __getitem__(self, i: int) -> BsnsingClassifier:
        check_is_fitted(self)
        return self.estimators_[i]

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags = BsnsingClassifier().__sklearn_tags__().input_tags
        return tags

    def _restore(self) -> None:
        self.n_classes_ = len(self.classes_)
        for model in self.estimators_:
            if model.classes_.tolist() != self.classes_.tolist():
                raise ValueError("The members' classes are not those of the ensemble.")
            if model.n_features_in_ != self.n_features_in_:
                raise ValueError("The members are about tables of different widths.")

    def _models(self) -> list[BsnsingClassifier]:
        """Return the trees to grow, each with a random state of its own."""
        estimator = self.default_estimator() if self.estimator is None else self.estimator
        changes = [{}] * self.n_estimators if self.settings is None else self.settings
        random_state = check_random_state(self.random_state)
        models = []
        for change in changes:
            seed = int(random_state.randint(np.iinfo(np.int32).max))
            models.append(clone(estimator).set_params(**({"random_state": seed} | change)))
        return models

    def _shares(self, X: Any) -> list[NDArray[np.float64]]:
        check_is_fitted(self)
        return [model.predict_proba(X) for model in self.estimators_]


def _fit(
    model: BsnsingClassifier, X: Any, y: ArrayLike, sample_weight: ArrayLike | None
) -> BsnsingClassifier:
    return model._fit(X, y, sample_weight)
