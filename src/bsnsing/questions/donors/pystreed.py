"""Optimal trees of pystreed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from bsnsing.questions.donors.base import Donor, is_of
from bsnsing.questions.donors.cuts import Cut, LevelCut, Subject, ThresholdCut


class PystreedDonor(Donor):
    """A tree of 0/1 questions, which a binarizer of its own has made of the columns."""

    def takes(self, model: Any) -> bool:
        """Whether this is such a model."""
        return is_of(model, "pystreed", "BaseSTreeDSolver")

    def is_fitted(self, model: Any) -> bool:
        """Whether it has a tree."""
        return hasattr(model, "tree_")

    def takes_missing(self, learner: Any) -> bool:
        """It does not."""
        return False

    def cuts(self, model: Any) -> Iterator[Cut]:
        """The cuts of the tree."""
        asked = _asked_columns(model)
        waiting = [model.tree_]
        while waiting:
            node = waiting.pop()
            if node.is_branching_node():
                yield asked[node.feature]
                waiting += [node.right_child, node.left_child]


def _asked_columns(model: Any) -> list[Cut]:
    """What each 0/1 column stands for: given ones first, then levels, then thresholds."""
    binarizer = model.binarizer_
    if binarizer is None:
        return [ThresholdCut(column=i, value=0.5) for i in range(model.n_features_in_)]
    if binarizer.binary_feature_limiter is not None:
        raise ValueError(
            "The pystreed model has chosen among its 0/1 columns (max_num_binary_features), so "
            "that its cuts cannot be told apart by position. Fit it without that limit."
        )
    names = getattr(model, "feature_names_in_", None)
    place = {name: i for i, name in enumerate(names)} if names is not None else {}
    asked: list[Cut] = [
        ThresholdCut(column=_position(column, place), value=0.5)
        for column in binarizer.binary_columns
    ]
    if binarizer.categorical_binarizer is not None:
        asked += _levels(binarizer, place)
    if binarizer.continuous_binarizer is not None:
        thresholds = binarizer.continuous_binarizer.thresholds_
        asked += [
            ThresholdCut(column=_position(column, place), value=float(value))
            for column, own in zip(binarizer.continuous_columns, thresholds, strict=True)
            for value in own
        ]
    return asked


def _levels(binarizer: Any, place: dict[Any, int]) -> Sequence[Cut]:
    listed = binarizer.categorical_binarizer.categories_
    return [
        LevelCut(
            column=_position(column, place),
            levels=frozenset(level if isinstance(level, list) else [level]),
        )
        for column, own in zip(binarizer.categorical_columns, listed, strict=True)
        for level in own
    ]


def _position(column: Any, place: dict[Any, int]) -> Subject:
    position: Subject = place.get(column, column)
    return position
