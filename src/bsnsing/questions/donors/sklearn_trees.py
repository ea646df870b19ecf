"""scikit-learn's trees, and ensembles of whatever lends cuts."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from bsnsing.questions.donors.base import Donor, is_of
from bsnsing.questions.donors.cuts import Cut, MissingCut, single_cut


class TreeDonor(Donor):
    """A decision tree, or the arrays of one: numbers are compared in 32 bits, ``x <= t``."""

    def takes(self, model: Any) -> bool:
        """Whether this is such a tree."""
        is_arrays = hasattr(model, "children_left") and hasattr(model, "threshold")
        return is_arrays or is_of(model, "sklearn", "BaseDecisionTree")

    def is_fitted(self, model: Any) -> bool:
        """Whether it has arrays."""
        return hasattr(model, "children_left") or hasattr(model, "tree_")

    def cuts(self, model: Any) -> Iterator[Cut]:
        """The cuts of a tree."""
        tree = getattr(model, "tree_", model)
        inner = np.flatnonzero(tree.children_left >= 0)
        left, right = tree.children_left[inner], tree.children_right[inner]
        impurity = tree.impurity * tree.weighted_n_node_samples
        gains = impurity[inner] - impurity[left] - impurity[right]
        columns, thresholds = tree.feature[inner], tree.threshold[inner]
        for column, threshold, gain in zip(
            columns.tolist(), thresholds.tolist(), gains.tolist(), strict=True
        ):
            if np.isinf(threshold):  # missing cells alone go another way
                yield MissingCut(column=column, gain=gain)
            else:
                yield single_cut(column, threshold, is_closed=True, gain=gain)


class EnsembleDonor(Donor):
    """Forests, boosting, bagging, voting: all that has ``estimators_``."""

    def __init__(self, cuts_of: Callable[[Any], Iterator[Cut]]) -> None:
        self._cuts_of = cuts_of

    def takes(self, model: Any) -> bool:
        """Whether this is an ensemble."""
        names = ("BaseEnsemble", "_BaseHeterogeneousEnsemble", "OneVsRestClassifier")
        return hasattr(model, "estimators_") or is_of(model, "sklearn", *names)

    def is_fitted(self, model: Any) -> bool:
        """Whether it has members."""
        return hasattr(model, "estimators_")

    def cuts(self, model: Any) -> Iterator[Cut]:
        """The cuts of all members."""
        members = model.estimators_
        members = members.ravel().tolist() if isinstance(members, np.ndarray) else list(members)
        # Bagging may give each member a selection of the columns.
        selections = getattr(model, "estimators_features_", [None] * len(members))
        for member, selection in zip(members, selections, strict=True):
            if isinstance(member, str):  # "drop", of a vote
                continue
            for cut in self._cuts_of(member):
                if selection is not None and isinstance(cut.column, int):
                    yield replace(cut, column=int(selection[cut.column]))
                else:
                    yield cut
