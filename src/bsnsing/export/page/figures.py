"""Figures of a model on given cases: numbers alone, none of the cases."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from bsnsing.data.frames import take_labels
from bsnsing.export.form import ModelForm
from bsnsing.export.measures import (
    accuracy_of,
    auc_of,
    brier_score,
    confusion_of,
    log_loss,
    scored_rows,
)
from bsnsing.tree.decide import decide
from bsnsing.tree.tree import Tree


def figures_on(model: Any, form: ModelForm, X: Any, y: Any) -> dict[str, Any] | None:
    """Return accuracy, AUC, log loss, confusion and the classes found in each leaf.

    Raises
    ------
    ValueError
        If one of X and y is given alone, or a label is none of the model's classes.
    TypeError
        If the model is a Tree, which cannot read tables.
    """
    if X is None and y is None:
        return None
    if X is None or y is None:
        raise ValueError("Figures need cases and their labels. Give both X and y, or neither.")
    if isinstance(model, Tree):
        raise TypeError("A Tree cannot read X. Give the fitted estimator that it belongs to.")
    X, y, _ = take_labels(X, y)
    codes = _codes(y, form.classes)
    shares = np.asarray(model.predict_proba(X), dtype=np.float64)
    if len(codes) != len(shares):
        raise ValueError(
            f"X has {len(shares)} rows and y {len(codes)} labels. Give a label for each row."
        )
    # One tree decides by its probabilities; several may vote.
    is_single = form.is_single
    said = decide(shares, model.costs_) if is_single else _codes(model.predict(X), form.classes)
    scored = scored_rows(shares, said, codes)
    auc = auc_of(scored)
    return {
        "n": len(codes),
        "accuracy": accuracy_of(scored),
        "auc": None if np.isnan(auc) else auc,
        "logLoss": log_loss(scored),
        "brier": brier_score(scored),
        "confusion": confusion_of(scored).astype(int).tolist(),
        "leaves": _found_in_leaves(model, form, X, codes),
    }


def _codes(labels: Any, classes: tuple[Any, ...]) -> NDArray[np.intp]:
    values = np.asarray(labels).tolist()
    known = {label: i for i, label in enumerate(classes)}
    for value in values:
        if value not in known:
            raise ValueError(
                f"y holds {value!r}, which is no class of the model. Its classes are "
                f"{', '.join(map(repr, classes[:10]))}{', ...' if len(classes) > 10 else ''}."
            )
    return np.array([known[value] for value in values], dtype=np.intp)


def _found_in_leaves(
    model: Any, form: ModelForm, X: Any, codes: NDArray[np.intp]
) -> list[list[Any]] | None:
    """Return leaf and cases per class of each leaf reached; of one tree only.

    Rows that met an unknown count for the node where they did.
    """
    if not form.is_single or not hasattr(model, "apply"):
        return None
    ends = np.asarray(model.apply(X))
    found = np.zeros((form.trees[0].tree.n_nodes, len(form.classes)), dtype=int)
    np.add.at(found, (ends, codes), 1)
    return [[int(i), found[i].tolist()] for i in np.unique(ends)]
