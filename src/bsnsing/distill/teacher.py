"""Teacher: a fitted learner, its out-of-bag probabilities, and how far they are from the labels."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.utils.validation import has_fit_parameter

from bsnsing.data.cases import Cases
from bsnsing.data.table import Table
from bsnsing.distill.config import DistillConfig
from bsnsing.distill.encoder import TableEncoder
from bsnsing.distill.forest import Forest
from bsnsing.tree.totals import class_factors, scaled_by, weighted_sum


@dataclass(frozen=True, slots=True)
class Teacher:
    """What a learner knows of the rows it was fitted to."""

    learner: Any  # a fitted classifier of labels
    encoder: TableEncoder
    oob: NDArray[np.float64]  # probabilities of each row without that row's label
    importances: NDArray[np.float64] | None  # of each column, if the learner says so
    brier: float  # Brier score of the out-of-bag probabilities
    factors: NDArray[np.float64]  # per class, which make the probabilities sum to the cases
    leaf_rows: int  # that a leaf of a forest needs to speak for itself

    def probabilities(self, table: Table) -> NDArray[np.float64]:
        """What the learner says of new rows."""
        n_classes = self.oob.shape[1]
        if table.n_rows == 0:
            return np.zeros((0, n_classes))
        told = _told(self.learner, self.encoder.matrix(table), n_classes)
        return scaled_by(told, self.factors)


def fit_teacher(
    teacher: Any,
    cases: Cases,
    one_hot: NDArray[np.float64],
    config: DistillConfig,
    max_levels: int,
    random_state: np.random.RandomState,
    n_threads: int,
) -> Teacher:
    """Let a teacher ("forest" or a classifier) learn the cases."""
    is_forest = isinstance(teacher, str)
    encoder = TableEncoder.of(cases.table, max_levels, order_only=is_forest)
    learner = Forest(config, random_state, n_threads) if is_forest else teacher
    counts = None if cases.weights.counts is None else cases.per_row()
    matrix = encoder.matrix(cases.table)
    oob, fitted = _learn(learner, matrix, cases.labels, counts, one_hot)
    if counts is not None and cases.weights.unit == 1.0:
        # A whole weight stands for copies: without one of them a learner still has the others.
        others = 1 - 1 / np.maximum(counts, 1.0)[:, None]
        oob = (1 - others) * oob + others * _told(fitted, matrix, oob.shape[1])
    factors = class_factors(oob, weighted_sum(cases.per_row(), one_hot), cases.per_row())
    oob = scaled_by(oob, factors)
    errors = ((one_hot - oob) ** 2).sum(axis=1)
    return Teacher(
        fitted,
        encoder,
        oob,
        encoder.column_importances(fitted),
        float(np.average(errors, weights=cases.per_row())),
        factors,
        getattr(fitted, "leaf_rows_", min(config.leaf_rows)),
    )


def _learn(
    learner: Any,
    X: Any,
    labels: NDArray[np.int32],
    counts: NDArray[np.float64] | None,
    one_hot: NDArray[np.float64],
) -> tuple[NDArray[np.float64], Any]:
    """Fit the learner; return its probabilities of each row without that label, and itself."""
    with warnings.catch_warnings():
        # Rows that no tree left out, and classes with few cases, are dealt with below.
        warnings.simplefilter("ignore", UserWarning)
        warnings.simplefilter("ignore", RuntimeWarning)
        own = (
            learner if isinstance(learner, Forest) else clone(learner)
        )  # the user's stays as it is
        weights: dict[str, NDArray[np.float64]] = {}
        if counts is not None and has_fit_parameter(own, "sample_weight"):
            weights["sample_weight"] = counts
        if getattr(own, "oob_score", False):
            fitted = own.fit(X, labels, **weights)
            found = fitted.oob_decision_function_
        else:
            found = _without_own_label(own, X, labels, one_hot, weights)
            fitted = clone(own).fit(X, labels, **weights)
    oob = np.zeros_like(one_hot)
    oob[:, fitted.classes_] = found
    is_unknown = ~(np.isfinite(oob).all(axis=1) & (oob.sum(axis=1) > 0))
    oob[is_unknown] = one_hot[is_unknown]
    return oob, fitted


def _without_own_label(
    learner: Any,
    X: Any,
    labels: NDArray[np.int32],
    one_hot: NDArray[np.float64],
    weights: dict[str, NDArray[np.float64]],
) -> NDArray[np.float64]:
    """Probabilities by 5-fold cross-validation, with fewer folds where a class has fewer cases."""
    # Only here: who imports the package need not wait for it.
    from sklearn.model_selection import StratifiedKFold

    n_folds = int(min(5, one_hot.sum(axis=0).max()))
    present = np.unique(labels)
    found = np.zeros((len(labels), len(present)))
    if n_folds < 2:
        return found  # rows keep their labels
    for train, test in StratifiedKFold(n_folds).split(labels, labels):
        if len(np.unique(labels[train])) < 2:
            continue  # nothing to tell apart
        own = {name: given[train] for name, given in weights.items()}
        fitted = clone(learner).fit(X[train], labels[train], **own)
        places = np.searchsorted(present, fitted.classes_)
        found[np.ix_(test, places)] = fitted.predict_proba(X[test])
    return found


def _told(learner: Any, X: Any, n_classes: int) -> NDArray[np.float64]:
    """What a learner says of rows, also of classes it never saw."""
    told = np.zeros((X.shape[0], n_classes))
    told[:, learner.classes_] = learner.predict_proba(X)
    return told
