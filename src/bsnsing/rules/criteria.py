"""The criteria by name: what each needs and is counted in, and what given splits are worth.

Searches use the formulas of native code.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class Criterion:
    """What is known of a criterion without working it out."""

    unit_power: int = 1  # weights in another unit multiply the criterion by unit ** unit_power
    is_exact: bool = False  # whole numbers for whole weights, compared as such
    two_classes_only: bool = False


CRITERIA: dict[str, Criterion] = {
    "gini_squared": Criterion(unit_power=2, is_exact=True),
    "gini": Criterion(),
    "entropy": Criterion(),
    "misclassification": Criterion(is_exact=True),
    "error": Criterion(unit_power=2, is_exact=True, two_classes_only=True),
}


def check_n_classes(criterion: str, n_classes: int, advice: str) -> None:
    """Raise ValueError if a criterion is not defined for that many classes."""
    if CRITERIA[criterion].two_classes_only and n_classes > 2:
        raise ValueError(
            f"criterion={criterion!r} is defined for two classes, and y has {n_classes}. {advice}"
        )


def objectives_of(
    criterion: str, yes: NDArray[np.float64], no: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return the values of splits, given the weighted cases per class of both children, a row each.

    "yes" of the criterion "error" stands for the class with more cases, of equals the last.
    """
    if criterion == "error":
        positives, negatives = (yes + no).max(axis=1), (yes + no).min(axis=1)
        is_last = (yes + no)[:, 1] >= (yes + no)[:, 0]
        false_positives = np.where(is_last, yes[:, 0], yes[:, 1])
        false_negatives = np.where(is_last, no[:, 1], no[:, 0])
        errors: NDArray[np.float64] = positives * false_positives + negatives * false_negatives
        return errors
    value = _CHILD_VALUES[criterion]
    return value(yes) + value(no)


def _entropy(cases: NDArray[np.float64]) -> NDArray[np.float64]:
    # Each class by itself, so that pure children have none at all.
    shares = cases / np.maximum(cases.sum(axis=1, keepdims=True), 1e-300)
    logs = np.log(np.where(shares > 0, shares, 1.0))
    sums: NDArray[np.float64] = 0.0 - (cases * logs).sum(axis=1)
    return sums


def _gini(cases: NDArray[np.float64]) -> NDArray[np.float64]:
    size = cases.sum(axis=1)
    impurity: NDArray[np.float64] = size - (cases**2).sum(axis=1) / np.maximum(size, 1e-300)
    return impurity


def _gini_squared(cases: NDArray[np.float64]) -> NDArray[np.float64]:
    pairs: NDArray[np.float64] = (cases.sum(axis=1) ** 2 - (cases**2).sum(axis=1)) / 2
    return pairs


def _misclassification(cases: NDArray[np.float64]) -> NDArray[np.float64]:
    errors: NDArray[np.float64] = cases.sum(axis=1) - cases.max(axis=1)
    return errors


_CHILD_VALUES: dict[str, Callable[[NDArray[np.float64]], NDArray[np.float64]]] = {
    "gini_squared": _gini_squared,
    "gini": _gini,
    "entropy": _entropy,
    "misclassification": _misclassification,
}


def exact_objective(criterion: str, left: Sequence[Any] | NDArray[Any], right: Any) -> int:
    """Work a whole-number criterion out in Python's integers, which cannot overflow."""
    children = [[int(n) for n in left], [int(n) for n in right]]
    if criterion == "misclassification":
        return sum(sum(n) - max(n) for n in children)
    if criterion == "gini_squared":
        return sum(sum(n) ** 2 - sum(k * k for k in n) for n in children) // 2
    if criterion != "error":
        raise ValueError(f"criterion={criterion!r} has no whole-number values.")
    (false_positives, positives_left), (negatives_right, false_negatives) = children
    positives = positives_left + false_negatives
    negatives = false_positives + negatives_right
    return positives * false_positives + negatives * false_negatives
