"""Sample weights as whole numbers, so that sums never depend on the order of the rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

# Sums of scaled weights stay exact in a double.
_LARGEST_SUM = 2.0**52
_SMALLEST_SUM = 1e-140
# Whole weights up to this sum are counted as they are: their squares fit 64 bits.
_LARGEST_WHOLE_SUM = 2.0**31
# Of two, in class weights that are taken as they are.
_LARGEST_EXPONENT = 32


@dataclass(frozen=True, slots=True)
class CaseWeights:
    """Weights in whole numbers: ``unit`` of them make one case.

    ``counts`` is None if every row is one case.
    """

    counts: NDArray[np.int64] | None
    unit: float

    def class_totals(self, labels: NDArray[np.int32], n_classes: int) -> NDArray[np.float64]:
        """Cases per class, in the whole numbers that the native engine counts in."""
        return np.bincount(labels, weights=self.counts, minlength=n_classes).astype(np.float64)

    def to_cases(self, counts: NDArray[np.float64]) -> NDArray[Any]:
        """Turn counted sums back into the user's weights: integers where those were integers."""
        if self.unit == 1.0:
            return counts.astype(np.int64)
        return counts / self.unit


def read_weights(sample_weight: ArrayLike | None, n_rows: int) -> CaseWeights:
    """Check sample weights and scale them to whole numbers.

    Integers stay as they are. Other weights are rounded to 2^-52 of their sum, the precision that
    a sum of doubles has anyway.
    """
    if sample_weight is None:
        return CaseWeights(None, 1.0)
    weights = _as_floats(sample_weight)
    if weights.shape != (n_rows,):
        raise ValueError(
            f"sample_weight must have one weight for each of the {n_rows} rows. "
            f"Got shape {weights.shape}."
        )
    if not np.isfinite(weights).all():
        raise ValueError("sample_weight contains NaN or infinity. Replace or drop those rows.")
    if (weights < 0).any():
        raise ValueError(
            f"sample_weight must not be negative. Got {weights.min()}; use 0 to leave a row out."
        )
    with np.errstate(over="ignore"):
        total = _sum(weights)
    if total == 0:
        raise ValueError("sample_weight is zero for every row. Give at least one a weight.")
    if not _SMALLEST_SUM < total < 1 / _SMALLEST_SUM:
        raise ValueError(
            f"The sum of sample_weight is {total:g}, whose square a double cannot hold. "
            "Divide the weights by their mean."
        )
    if total < _LARGEST_WHOLE_SUM and (weights == np.floor(weights)).all():
        if (weights == 1).all():
            return CaseWeights(None, 1.0)
        return CaseWeights(weights.astype(np.int64), 1.0)
    exponent = np.floor(np.log2(_LARGEST_SUM / total))
    return CaseWeights(np.rint(np.ldexp(weights, int(exponent))).astype(np.int64), 2.0**exponent)


def read_relative_weights(sample_weight: ArrayLike | None, n_rows: int) -> CaseWeights:
    """Read weights of which only whole numbers count cases; others are scaled to a mean of one.

    Limits on the number of cases then mean the same whatever the unit of the weights.
    """
    if sample_weight is None:
        return CaseWeights(None, 1.0)
    weights = _as_floats(sample_weight)
    if weights.ndim == 0:
        weights = np.full(n_rows, float(weights))
    is_positive = weights > 0
    is_relative = (weights != np.floor(weights)).any() or weights.max(initial=0) > _LARGEST_SUM
    if np.isfinite(weights).all() and is_positive.any() and is_relative:
        weights = weights / weights.max()  # first, so that the mean cannot overflow
        weights = weights / (_sum(weights) / is_positive.sum())
    return read_weights(weights, n_rows)


def _as_floats(sample_weight: ArrayLike) -> NDArray[np.float64]:
    try:
        return np.asarray(sample_weight, dtype=np.float64)
    except OverflowError as error:
        raise ValueError(
            "sample_weight holds an integer that is too large for a float. Divide the weights by "
            "their mean."
        ) from error


def _sum(weights: NDArray[np.float64]) -> float:
    """The sum, rounded in the same way whatever the order of the rows."""
    return float(np.sort(weights).sum())


def design_effect(totals: NDArray[np.float64], class_weight: NDArray[np.float64]) -> float:
    """How many times as much sums of weighted cases vary as those of equal ones (Kish).

    With n_j cases of weight w_j in class j: n sum(n_j w_j^2) / sum(n_j w_j)^2, which is 1 for equal
    weights.
    """
    weighted = float((totals * class_weight).sum())
    if weighted == 0:
        return 1.0
    shares = class_weight / weighted  # first, so that squares cannot overflow
    return float(totals.sum() * (totals * shares**2).sum())


def read_class_weight(
    class_weight: Any, classes: NDArray[Any], totals: NDArray[np.float64]
) -> NDArray[np.float64] | None:
    """Return what a case of each class counts, None for all the same.

    ``totals`` are the cases per class.
    """
    if class_weight is None:
        return None
    if class_weight == "balanced":
        present = np.maximum(totals, 1e-300)
        balanced: NDArray[np.float64] = totals.sum() / (np.count_nonzero(totals) * present)
        return _relative(np.where(totals > 0, balanced, 1.0))
    given = cast(dict[Any, float], class_weight)
    labels = classes.tolist()
    unknown = [label for label in given if label not in labels]
    if unknown:
        raise ValueError(
            f"class_weight names the label {unknown[0]!r}, which is not in y. "
            f"The labels are {labels[:10]}."
        )
    weights = np.array([given.get(label, 1.0) for label in labels], dtype=np.float64)
    if not (np.isfinite(weights).all() and (weights >= 0).all() and weights.max() > 0):
        raise ValueError(
            f"class_weight must give non-negative, finite weights. Got {class_weight!r}."
        )
    return _relative(weights)


def _relative(weights: NDArray[np.float64]) -> NDArray[np.float64] | None:
    """Return weights of the same ratios whose squares are finite; None where all are equal."""
    if (weights == weights[0]).all():
        return None
    exponent = int(np.frexp(weights.max())[1])  # a power of two changes no digit
    return weights if abs(exponent) <= _LARGEST_EXPONENT else np.ldexp(weights, -exponent)
