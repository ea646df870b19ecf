"""The criteria by name: what each needs and is counted in. Their formulas are native code."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

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
