"""decision_threshold(): from which probability on to say yes, for a wanted rate of errors."""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.validation import check_is_fitted

from bsnsing.data.frames import take_labels
from bsnsing.data.labels import read_labels
from bsnsing.data.weights import read_relative_weights


@dataclass(frozen=True, slots=True)
class DecisionThreshold:
    """A threshold, and what it gives on the cases it was chosen by.

    Attributes
    ----------
    threshold : float
        Say the event where its probability is at least this.
    sensitivity : float
        Share of the event's cases of which it is said.
    specificity : float
        Share of all other cases of which it is not.
    event : class label
        Whose probability it is about.
    """

    threshold: float
    sensitivity: float
    specificity: float
    event: Any


def decision_threshold(
    model: Any,
    X: Any,
    y: ArrayLike | str,
    *,
    sensitivity: float | None = None,
    specificity: float | None = None,
    event: Any = None,
    sample_weight: ArrayLike | None = None,
) -> DecisionThreshold:
    """Return the threshold that keeps a wanted sensitivity or specificity on given cases.

    Exact: of all thresholds that reach the wanted rate on these cases, the one with the greatest
    other rate, and of these the greatest. Give cases that the model was not fitted on.

    Parameters
    ----------
    model : fitted classifier
        With ``predict_proba``; any of scikit-learn's will do.
    X, y : table and labels
        The cases; ``y`` may be the name of a column of ``X``.
    sensitivity, specificity : float, default=None
        Least share of the event's cases to find, or of the others to leave alone. Give one.
    event : class label, default=None
        The class to find; None is the second of two.
    sample_weight : array-like of shape (n_rows,), default=None
        What each row counts.

    Returns
    -------
    DecisionThreshold
        ``threshold``, and the rates that it gives.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.model_selection import FixedThresholdClassifier
    >>> from bsnsing import BsnsingClassifier
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> model = BsnsingClassifier.plain().fit(X[:300], y[:300])
    >>> found = decision_threshold(model, X[300:], y[300:], sensitivity=0.99)
    >>> found.sensitivity >= 0.99
    True
    >>> said = FixedThresholdClassifier(model, threshold=found.threshold).fit(X[:300], y[:300])
    >>> float(said.predict(X[300:])[y[300:] == 1].mean()) == found.sensitivity
    True
    """
    check_is_fitted(model)
    wanted = _wanted(sensitivity, specificity)
    X, y, _ = take_labels(X, y)
    shares = np.asarray(model.predict_proba(X), dtype=np.float64)
    found, codes = read_labels(y, len(shares))
    place, label = _event(model, event)
    weights = read_relative_weights(sample_weight, len(codes))
    cases = np.ones(len(codes)) if weights.counts is None else weights.counts.astype(np.float64)
    is_event = np.array([own == label for own in found.tolist()])[codes]
    tallies = _tally(shares[:, place], is_event, cases, label)
    keeps, other = tallies[1:] if sensitivity is not None else tallies[:0:-1]
    allowed = np.flatnonzero(keeps >= wanted - 1e-12)  # rates are quotients
    best = allowed[other[allowed] == other[allowed].max()][-1]
    threshold, sensitive, specific = (float(own[best]) for own in tallies)
    return DecisionThreshold(threshold, sensitive, specific, label)


def _wanted(sensitivity: float | None, specificity: float | None) -> float:
    if (sensitivity is None) == (specificity is None):
        raise ValueError(
            f"Give one of sensitivity and specificity. Got {sensitivity!r} and {specificity!r}."
        )
    wanted = specificity if sensitivity is None else sensitivity
    if not isinstance(wanted, Real) or not 0 <= wanted <= 1:
        raise ValueError(f"The wanted rate must be a number from 0 to 1. Got {wanted!r}.")
    return float(wanted)


def _event(model: Any, event: Any) -> tuple[int, Any]:
    labels = np.asarray(model.classes_).tolist()
    if event is None and len(labels) == 2:
        return 1, labels[1]
    if event is None or event not in labels:
        raise ValueError(
            f"event must be a class of the model. Got {event!r}: give one of {labels[:10]}."
        )
    return labels.index(event), event


def _tally(
    probability: NDArray[np.float64],
    is_event: NDArray[np.bool_],
    cases: NDArray[np.float64],
    label: Any,
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """All thresholds that differ on the cases, ascending, with both rates of each."""
    yes, no = cases * is_event, cases * ~is_event
    if yes.sum() == 0 or no.sum() == 0:
        lacking = f"no case of {label!r}" if yes.sum() == 0 else f"only cases of {label!r}"
        raise ValueError(f"There is {lacking}, so rates are not defined. Give cases of both kinds.")
    values, place = np.unique(probability, return_inverse=True)
    of_yes, of_no = (np.bincount(place, own, len(values)) for own in (yes, no))
    # From each value on, and beyond all of them, where nothing is said to be the event.
    thresholds = np.append(values, np.nextafter(max(values[-1], 1.0), 2.0))
    found = np.append(np.cumsum(of_yes[::-1])[::-1], 0.0)
    spared = np.append(0.0, np.cumsum(of_no))
    return thresholds, found / yes.sum(), spared / no.sum()
