"""How well probabilities and labels fit: confusion, precision, recall, AUC and calibration.

Summaries, pages and the command line all tell these figures.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

_MOST_BINS = 10


class Scored(NamedTuple):
    """Groups of cases that got the same probabilities: a row each, or a leaf's."""

    probabilities: NDArray[np.float64]  # of shape (n_groups, n_classes)
    predicted: NDArray[np.intp]  # position of the class
    cases: NDArray[np.float64]  # of each class, of shape (n_groups, n_classes)


@dataclass(frozen=True, slots=True)
class ClassMeasures:
    """How a model does on one class against the rest. NaN where there is nothing to divide by."""

    label: Any
    cases: float
    predicted: float  # cases that get the label
    precision: float  # share of these that are of the class
    recall: float  # share of its cases that get the label
    f1: float
    auc: float
    mean_probability: float
    observed: float  # share of the class in all cases
    calibration_error: float  # mean over the bins of abs(probability - observed)


@dataclass(frozen=True, slots=True)
class CalibrationBin:
    """Cases to which a class is about equally probable, and how many are of the class."""

    label: Any
    low: float
    high: float
    cases: float
    probability: float  # mean
    observed: float


def scored_rows(
    probabilities: NDArray[np.float64], predicted: NDArray[np.intp], actual: NDArray[np.intp]
) -> Scored:
    """Return rows as groups of one case each; labels are given by the positions of classes."""
    cases = np.zeros_like(probabilities)
    cases[np.arange(len(actual)), actual] = 1
    return Scored(probabilities, predicted, cases)


def confusion_of(scored: Scored) -> NDArray[np.float64]:
    """Return the cases of each class (rows) that get each label (columns)."""
    n_classes = scored.cases.shape[1]
    confusion = np.zeros((n_classes, n_classes))
    np.add.at(confusion.T, scored.predicted, scored.cases)
    return confusion


def measures_of(scored: Scored, labels: list[Any]) -> tuple[ClassMeasures, ...]:
    """Return how each class does."""
    confusion = confusion_of(scored)
    n_all = float(confusion.sum())
    found = []
    for k, label in enumerate(labels):
        right, actual = float(confusion[k, k]), float(confusion[k].sum())
        predicted = float(confusion[:, k].sum())
        own, all_cases = scored.probabilities[:, k], scored.cases.sum(axis=1)
        bins = calibration_bins(scored, k, label)
        errors = sum(b.cases * abs(b.probability - b.observed) for b in bins)
        found.append(
            ClassMeasures(
                label=label,
                cases=actual,
                predicted=predicted,
                precision=_share(right, predicted),
                recall=_share(right, actual),
                f1=_share(2 * right, actual + predicted),
                auc=area_under_curve(own, scored.cases[:, k], all_cases - scored.cases[:, k]),
                mean_probability=_share(float(own @ all_cases), n_all),
                observed=_share(actual, n_all),
                calibration_error=_share(errors, n_all),
            )
        )
    return tuple(found)


def accuracy_of(scored: Scored) -> float:
    """Return the share of cases that get their own label."""
    confusion = confusion_of(scored)
    return _share(float(np.trace(confusion)), float(confusion.sum()))


def auc_of(scored: Scored) -> float:
    """Return the area under the ROC curve: of the second of two classes, or the mean over classes.

    With more than two, each is told from the rest; those that no case is of, or all are, do not
    count. NaN where none counts.
    """
    n_classes = scored.cases.shape[1]
    n_cases = scored.cases.sum(axis=1)
    areas = [
        area_under_curve(scored.probabilities[:, k], own, n_cases - own)
        for k, own in enumerate(scored.cases.T)
        if k == 1 or n_classes != 2
    ]
    known = [area for area in areas if not np.isnan(area)]
    return float(np.mean(known)) if known else float("nan")


def area_under_curve(
    scores: NDArray[np.float64], positive: NDArray[np.float64], negative: NDArray[np.float64]
) -> float:
    """Return how probably a positive case scores above a negative one; equals count by half."""
    distinct, place = np.unique(scores, return_inverse=True)
    n_positive = np.bincount(place, positive, len(distinct))
    n_negative = np.bincount(place, negative, len(distinct))
    below = np.cumsum(n_negative) - n_negative
    pairs = float(n_positive.sum() * n_negative.sum())
    return _share(float(n_positive @ (below + n_negative / 2)), pairs)


def calibration_bins(scored: Scored, k: int, label: Any) -> tuple[CalibrationBin, ...]:
    """Return at most ten bins of about equally many cases; equal probabilities share a bin."""
    distinct, place = np.unique(scored.probabilities[:, k], return_inverse=True)
    n_all = np.bincount(place, scored.cases.sum(axis=1), len(distinct))
    n_own = np.bincount(place, scored.cases[:, k], len(distinct))
    # A probability belongs to the bin in which the middle one of its cases lies.
    middle = np.cumsum(n_all) - n_all / 2
    part = np.floor(middle / max(float(n_all.sum()), 1e-300) * _MOST_BINS)
    found = []
    for own in np.unique(part):
        here = np.flatnonzero((part == own) & (n_all > 0))
        n_cases = float(n_all[here].sum())
        if n_cases > 0:
            found.append(
                CalibrationBin(
                    label=label,
                    low=float(distinct[here[0]]),
                    high=float(distinct[here[-1]]),
                    cases=n_cases,
                    probability=float(n_all[here] @ distinct[here]) / n_cases,
                    observed=float(n_own[here].sum()) / n_cases,
                )
            )
    return tuple(found)


def brier_score(scored: Scored) -> float:
    """Return the mean square of probabilities minus labels.

    As scikit-learn's ``brier_score_loss`` has it: with two classes that of the second alone, at
    most 1; with more the sum over all of them, at most 2.
    """
    p = scored.probabilities
    squares = (p**2).sum(axis=1, keepdims=True) - 2 * p + 1
    if p.shape[1] == 2:
        squares /= 2  # both classes have the same
    return _share(float((scored.cases * squares).sum()), float(scored.cases.sum()))


def log_loss(scored: Scored) -> float:
    """Return the mean of minus the logarithm of what was given to the class that came."""
    smallest = np.finfo(np.float64).eps
    losses = -np.log(np.clip(scored.probabilities, smallest, 1.0))
    return _share(float((scored.cases * losses).sum()), float(scored.cases.sum()))


def _share(part: float, whole: float) -> float:
    return part / whole if whole > 0 else float("nan")
