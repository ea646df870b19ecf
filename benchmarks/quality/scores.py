"""How good are probabilities? Accuracy, AUC and log loss, the same for every learner."""

from __future__ import annotations

import numpy as np
from scipy.stats import rankdata

# What a probability of zero counts as in the log loss.
SMALLEST = 1e-15


def accuracy(shares: np.ndarray, y: np.ndarray) -> float:
    """Share of rows whose most probable class is theirs; ``y`` holds positions of classes."""
    return float((shares.argmax(axis=1) == y).mean())


def auc(shares: np.ndarray, y: np.ndarray) -> float:
    """Rank statistic, ties half; with more classes the mean of one against the rest.

    Classes that do not occur in ``y`` are left out.
    """
    if shares.shape[1] == 2:
        return _auc_of_class(shares[:, 1], y == 1)
    of_classes = [_auc_of_class(shares[:, k], y == k) for k in np.unique(y)]
    return float(np.mean(of_classes)) if of_classes else np.nan


def log_loss(shares: np.ndarray, y: np.ndarray) -> float:
    """Mean of minus the logarithm of the probability given to the true class."""
    given = shares[np.arange(len(y)), y]
    return float(-np.log(np.maximum(given, SMALLEST)).mean())


def _auc_of_class(scores: np.ndarray, is_class: np.ndarray) -> float:
    n_yes, n_no = int(is_class.sum()), int((~is_class).sum())
    if not n_yes or not n_no:
        return np.nan
    ranks = rankdata(scores)[is_class].sum()
    return float((ranks - n_yes * (n_yes + 1) / 2) / (n_yes * n_no))
