"""Scores of probabilities that cross-validation chooses by; greater is better."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray
from scipy.stats import rankdata

# Probabilities of zero, which trees without shrinkage have, cost this much at most.
_SMALLEST = 1e-15


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
