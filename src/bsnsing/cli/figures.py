"""Scores of cross-validation, and intervals that mind that folds share their rows."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.stats import t as student

from bsnsing.export.measures import accuracy_of, auc_of, log_loss, scored_rows

# What each score is called, and whether more is better.
SCORES = {"accuracy": True, "AUC": True, "log loss": False}


class Interval(NamedTuple):
    """A mean, and what it may be."""

    mean: float
    low: float
    high: float


def scores(
    labels: NDArray[Any], probabilities: NDArray[np.float64], classes: NDArray[Any]
) -> dict[str, float]:
    """Return the scores of one fold; one that its rows cannot tell is NaN."""
    actual = np.searchsorted(classes, labels)
    scored = scored_rows(probabilities, probabilities.argmax(axis=1), actual)
    return {
        "accuracy": accuracy_of(scored),
        "AUC": auc_of(scored),
        "log loss": log_loss(scored),
    }


def spread_over(
    probabilities: NDArray[np.float64], own: NDArray[Any], classes: NDArray[Any]
) -> NDArray[np.float64]:
    """Return probabilities of all classes, where a fold lacked some to learn from."""
    whole = np.zeros((len(probabilities), len(classes)))
    whole[:, np.searchsorted(classes, own)] = probabilities
    return whole


def interval(values: NDArray[np.float64], test_share: float, level: float) -> Interval:
    """Return the mean over folds with its corrected resampled t interval.

    Parameters
    ----------
    values : ndarray of shape (n_folds,)
        A score of each fold, or differences of two.
    test_share : float
        Rows to test on by rows to learn from. Folds share rows to learn from, so that their scores
        vary together: the variance of the mean is (1 / n_folds + test_share) times theirs, by
        Nadeau and Bengio, instead of 1 / n_folds times.
    level : float
        Probability of the interval, such as 0.95.
    """
    known = values[~np.isnan(values)]
    if len(known) == 0:
        return Interval(float("nan"), float("nan"), float("nan"))
    mean = float(known.mean())
    if len(known) == 1:
        return Interval(mean, float("nan"), float("nan"))
    error = np.sqrt((1 / len(known) + test_share) * known.var(ddof=1))
    half = float(student.ppf((1 + level) / 2, len(known) - 1) * error)
    return Interval(mean, mean - half, mean + half)
