"""Classifiers of scikit-learn whose labels are those of models that vote, or whose errors cost."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.ensemble import RandomForestClassifier
from sklearn.tree import DecisionTreeClassifier

from bsnsing.tree.decide import decide, decide_together


class DecidingTree(DecisionTreeClassifier):
    """A tree over codes whose labels are the cheapest decision; made by :func:`to_sklearn`.

    Attributes
    ----------
    costs_ : ndarray of shape (n_classes, n_classes)
        What it costs to say a class (column) of a case of another (row).
    """

    @classmethod
    def of(cls, tree: DecisionTreeClassifier) -> DecidingTree:
        """Return the same tree with labels of its own."""
        made = cls(**tree.get_params())
        made.__dict__.update(tree.__dict__)
        return made

    def predict(self, X: Any, check_input: bool = True) -> NDArray[Any]:
        """Return the class of each row that is expected to cost least."""
        labels: NDArray[Any] = self.classes_[
            decide(self.predict_proba(X, check_input), self.costs_)
        ]
        return labels


class DecidingForest(RandomForestClassifier):
    """Trees over codes that vote, or whose errors cost; made by :func:`to_sklearn`.

    Attributes
    ----------
    voting_ : {"soft", "hard"}
        Whether the mean of probabilities decides, or votes.
    costs_ : ndarray of shape (n_classes, n_classes) or None
        What it costs to say a class (column) of a case of another (row).
    """

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the class that the trees decide for, as the model does."""
        members = [tree.predict_proba(X) for tree in self.estimators_]
        labels: NDArray[Any] = self.classes_[decide_together(members, self.voting_, self.costs_)]
        return labels


class TreePerClass(ClassifierMixin, BaseEstimator):
    """Members of one tree per class, over codes; made by :func:`to_sklearn`.

    Attributes
    ----------
    members_ : list of lists of DecisionTreeClassifier
        Each member's trees, which tell a class (the second of two) from the rest.
    classes_ : ndarray
        Class labels.
    voting_ : {"soft", "hard"}
        Whether the mean of probabilities decides, or votes.
    costs_ : ndarray of shape (n_classes, n_classes) or None
        What it costs to say a class (column) of a case of another (row).
    """

    def fit(self, X: Any, y: Any) -> TreePerClass:
        """Refuse: the model has been fitted."""
        raise TypeError("This stands for a fitted model. Fit the BsnsingClassifier instead.")

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Return the probability of each class, as the model does."""
        mean: NDArray[np.float64] = np.mean(self._shares(X), axis=0)
        return mean

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the class that the members decide for, as the model does."""
        best = decide_together(self._shares(X), self.voting_, self.costs_)
        labels: NDArray[Any] = self.classes_[best]
        return labels

    def _shares(self, X: Any) -> list[NDArray[np.float64]]:
        members = []
        for trees in self.members_:
            scores = np.column_stack([tree.predict_proba(X)[:, 1] for tree in trees])
            sums = np.add.accumulate(scores, axis=1)[:, -1:]
            shares = np.full_like(scores, 1 / len(trees))
            np.divide(scores, sums, out=shares, where=sums > 0)
            members.append(shares)
        return members

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "members_")
