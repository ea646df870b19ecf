"""Scores that cross-validation chooses by; greater is better."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy.stats import rankdata

# Of probabilities and the positions of the true classes, with what each row counts.
Score: TypeAlias = Callable[
    [NDArray[np.float64], NDArray[np.int32], NDArray[np.float64] | None], float
]

# Probabilities of zero, which trees without shrinkage have, cost this much at most.
_SMALLEST = 1e-15


def log_loss(
    shares: NDArray[np.float64], y: NDArray[np.int32], weights: NDArray[np.float64] | None = None
) -> float:
    """Mean logarithm of the probability given to the true class; greater is better."""
    given = shares[np.arange(len(y)), y]
    return float(np.average(np.log(np.maximum(given, _SMALLEST)), weights=weights))


def accuracy(
    shares: NDArray[np.float64], y: NDArray[np.int32], weights: NDArray[np.float64] | None = None
) -> float:
    """Share of rows whose most probable class is the true one."""
    return float(np.average(shares.argmax(axis=1) == y, weights=weights))


def roc_auc(
    shares: NDArray[np.float64], y: NDArray[np.int32], weights: NDArray[np.float64] | None = None
) -> float:
    """Area under the ROC curve, of each class against the rest where there are more than two."""
    present = np.unique(y)
    if len(present) < 2:
        return 0.5
    # By ranks for all classes at once: scikit-learn's function would take most of the time.
    is_class = y[:, None] == present
    if weights is not None:
        return float(np.mean([_weighted_area(shares[:, k], y == k, weights) for k in present]))
    n_yes = is_class.sum(axis=0)
    ranks = (rankdata(shares[:, present], axis=0) * is_class).sum(axis=0)
    areas = (ranks - n_yes * (n_yes + 1) / 2) / (n_yes * (len(y) - n_yes))
    return float(areas.mean())


def _weighted_area(
    share: NDArray[np.float64], is_yes: NDArray[np.bool_], weights: NDArray[np.float64]
) -> float:
    """Weight of the pairs in which the "yes" has the greater share; ties count half."""
    _, place = np.unique(share, return_inverse=True)
    yes = np.bincount(place, weights * is_yes)
    no = np.bincount(place, weights * ~is_yes)
    below = np.cumsum(no) - no
    return float((yes * (below + no / 2)).sum() / (yes.sum() * no.sum()))


SCORES: dict[str, Score] = {
    "neg_log_loss": log_loss,
    "accuracy": accuracy,
    "roc_auc": roc_auc,
}


def call_scorer(
    scorer: Callable[..., Any], model: Any, X: Any, y: Any, weights: NDArray[np.float64] | None
) -> float:
    """Return what a scorer says of a model; weights go to those scorers that take them."""
    takes = weights is not None and _takes_weights(scorer)
    score = scorer(model, X, y, sample_weight=weights) if takes else scorer(model, X, y)
    try:
        return float(score)
    except (TypeError, ValueError) as error:
        raise TypeError(
            f"scoring must give one number for a model. Got {score!r:.60} instead."
        ) from error


def _takes_weights(scorer: Callable[..., Any]) -> bool:
    # A scorer of scikit-learn takes them if its metric does.
    parameters = inspect.signature(getattr(scorer, "_score_func", scorer)).parameters
    return "sample_weight" in parameters
