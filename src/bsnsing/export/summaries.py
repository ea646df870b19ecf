"""A model in one page: its tree, and how well it does on training cases or on given ones."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from bsnsing.data.frames import is_frame, names_of, take_labels
from bsnsing.data.labels import read_labels
from bsnsing.data.weights import read_relative_weights
from bsnsing.export.by_group import measure_groups, take_groups
from bsnsing.export.event import place_of_event
from bsnsing.export.form import titled_trees
from bsnsing.export.measures import (
    Scored,
    accuracy_of,
    auc_of,
    brier_score,
    calibration_bins,
    confusion_of,
    log_loss,
    measures_of,
)
from bsnsing.export.summary_page import Summary, TreeSummaries
from bsnsing.export.text import first_lines, places_of
from bsnsing.tree.model import check_tree_model
from bsnsing.tree.text import TextOptions
from bsnsing.tree.tree import Tree

_MOST_LINES = 100


def summary(
    model: Any,
    X: Any = None,
    y: ArrayLike | str | None = None,
    *,
    sample_weight: ArrayLike | None = None,
    event: Any = None,
    by: Any = None,
) -> Summary | TreeSummaries:
    """Return a model in one page: its tree, and how well it does, class by class.

    Parameters
    ----------
    model : BsnsingClassifier, BsnsingClassifierCV, BsnsingEnsemble or Tree
        A fitted model, or a tree of it.
    X, y : table and labels, or the name of the labels' column in X, default=None
        Cases to judge the model on. Without them each tree is judged on the cases that it was
        fitted to, which its leaves have counted. Labels that fit never saw count as errors.
    sample_weight : array-like of shape (n_rows,), default=None
        What each row of X counts.
    event : class label, default=None
        Whose calibration to print; with two classes the second by default.
    by : str or array-like of shape (n_rows,), default=None
        Name of a column of the dataframe X, which the model need not know, or a group for each
        row: rates and errors are then told for each group too. Numbers of more than ten values
        are cut into four groups of about equally many rows; missing cells are a group.

    Returns
    -------
    Summary
        With ``str()``, ``to_dict()``, ``to_json()``, ``confusion_frame()``, ``classes_frame()``,
        ``calibration_frame()`` and ``groups_frame()``. Without cases, a model of several trees
        gives a :class:`TreeSummaries`, a sequence of one for each: trees know how the training
        cases fared in each of them, but not in all of them together.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from bsnsing import BsnsingClassifier
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> page = summary(BsnsingClassifier.plain().fit(X, y))
    >>> page.confusion.tolist(), round(page.accuracy, 3), round(page.auc, 3)
    ([[185.0, 27.0], [2.0, 355.0]], 0.949, 0.993)
    """
    check_tree_model(model, "summary")
    if X is None and y is None:
        if by is not None:
            raise ValueError(
                "The tree does not know the groups of its training cases. Give the cases: "
                "summary(model, X, y, by=...)."
            )
        return _on_training_cases(model, event)
    groups = None
    if by is not None and X is not None:
        trees = [model] if isinstance(model, Tree) else model.trees_
        known = [column.name for column in trees[0].columns]
        y = _known_label_name(model, X) if y is None else y
        X, groups = take_groups(X, by, [*known, *([y] if isinstance(y, str) else [])])
    scored, labels, n_unknown = _given_cases(model, X, y, sample_weight)
    if groups is not None and len(groups.codes) != len(scored.cases):
        raise ValueError(
            f"by must be one group for each of the {len(scored.cases)} rows. "
            f"Got {len(groups.codes)}."
        )
    page = _page(model, scored, labels, event, is_training=False)
    if groups is not None:
        measured = measure_groups(scored, labels, groups)
        page = replace(page, by=groups.name, groups=measured)
    return replace(page, n_unknown=n_unknown)


def _on_training_cases(model: Any, event: Any) -> Summary | TreeSummaries:
    """Judge each tree by its leaves, with the cases that they counted at fit."""
    titled = list(titled_trees(model))
    pages = []
    for (_, tree), place in zip(titled, places_of(event, [own for _, own in titled]), strict=True):
        leaves = np.flatnonzero(tree.is_leaf)
        scored = Scored(tree.value[leaves], tree.labels[leaves], tree.counts[leaves])
        own = None if place is None else event
        pages.append(_page(tree, scored, tree.classes.tolist(), own, is_training=True))
    return pages[0] if len(pages) == 1 else TreeSummaries([title for title, _ in titled], pages)


def _page(
    model: Any, scored: Scored, labels: list[Any], event: Any, *, is_training: bool
) -> Summary:
    confusion = confusion_of(scored)
    cases = float(confusion.sum())
    return Summary(
        text=first_lines(
            model, _MOST_LINES, "export_text(model) writes them all", TextOptions(show_numbers=True)
        ),
        is_training=is_training,
        cases=cases,
        n_unknown=0,
        labels=tuple(labels),
        confusion=confusion,
        accuracy=accuracy_of(scored),
        most_frequent=float(confusion.sum(axis=1).max()) / cases if cases else math.nan,
        auc=auc_of(scored),
        brier=brier_score(scored),
        log_loss=log_loss(scored),
        classes=measures_of(scored, labels),
        calibration=tuple(
            own for k, label in enumerate(labels) for own in calibration_bins(scored, k, label)
        ),
        event=_event_of(event, labels),
    )


def _given_cases(
    model: Any, X: Any, y: Any, sample_weight: ArrayLike | None
) -> tuple[Scored, list[Any], int]:
    if X is None or isinstance(model, Tree):
        wrong = "has labels but no table" if X is None else "has a Tree, which predicts nothing"
        raise ValueError(f"summary {wrong}. Give a fitted model with the table X and its labels y.")
    if y is None:
        y = _known_label_name(model, X)
    X, y, _ = take_labels(X, y)
    probabilities = model.predict_proba(X)
    found, codes = read_labels(y, len(probabilities))
    known = model.classes_.tolist()
    labels = known + [label for label in found.tolist() if label not in known]
    place = {label: i for i, label in enumerate(labels)}
    actual = np.array([place[label] for label in found.tolist()])[codes]
    weights = read_relative_weights(sample_weight, len(codes))
    cases = np.zeros((len(codes), len(labels)))
    counts = weights.counts
    cases[np.arange(len(codes)), actual] = 1 if counts is None else counts / weights.unit
    given = np.zeros_like(cases)
    given[:, : len(known)] = probabilities
    position = np.array([place[label] for label in model.predict(X).tolist()])
    stops = np.asarray(model.unknown_at(X)).reshape(len(codes), -1)
    return Scored(given, position, cases), labels, int((stops >= 0).any(axis=1).sum())


def _known_label_name(model: Any, X: Any) -> str:
    name = getattr(model, "label_name_", None)
    if name is None or not is_frame(X) or name not in names_of(X):
        raise ValueError(
            "summary has a table but no labels. Give y too, or the name of its column."
        )
    return str(name)


def _event_of(event: Any, labels: Sequence[Any]) -> Any:
    if event is None:
        return labels[1] if len(labels) == 2 else None
    return labels[place_of_event(event, labels)]
