"""TreeModel: what exports take beside a Tree."""

from __future__ import annotations

from typing import Any

from sklearn.utils.validation import check_is_fitted

from bsnsing.tree.tree import Tree


class TreeModel:
    """Base of the estimators that are made of trees: once fitted they have ``trees_``."""


def check_tree_model(model: Any, caller: str) -> None:
    """Raise TypeError for what is no tree or model of trees, NotFittedError before its fit."""
    if isinstance(model, Tree):
        return
    if not isinstance(model, TreeModel):
        got = f"the class {model.__name__}" if isinstance(model, type) else type(model).__name__
        raise TypeError(
            f"{caller} takes a fitted BsnsingClassifier, BsnsingClassifierCV or BsnsingEnsemble, "
            f"or a Tree. Got {got}."
        )
    check_is_fitted(model)
