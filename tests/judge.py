"""The obvious way to find the best rule: write down every rule and try it on every row.

Slow, free of cleverness, and the oracle that the search of the package is held against.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations, product
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

Counts = tuple[float, ...]  # weight per class, in sorted label order; exact ints where weights are

TIE = 1e-11  # two objectives this close (relatively) are a tie, unless both are integers
OPERATORS = ("or", "and", "xor")
JOIN: dict[str, Callable[..., NDArray[np.bool_]]] = {
    "or": np.any,
    "and": np.all,
    "xor": np.logical_xor.reduce,
}


@dataclass(frozen=True, slots=True)
class Rule:
    """Questions, each perhaps negated, joined by one operator."""

    questions: tuple[int, ...]
    negated: tuple[bool, ...]
    operator: str

    def is_true(self, answers: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Say for each row whether the rule holds."""
        literals = answers[:, list(self.questions)] ^ np.array(self.negated)
        return JOIN[self.operator](literals, axis=1)

    def tie_order(self) -> tuple[object, ...]:
        """Among rules of equal objective the one that sorts first wins."""
        operator = OPERATORS.index(self.operator)
        return len(self.questions), self.questions, sum(self.negated), operator, self.negated


@dataclass(frozen=True, slots=True)
class Candidate:
    """A rule with what it does to the rows."""

    rule: Rule
    objective: float
    left: Counts
    right: Counts


def all_rules(n_questions: int, max_rules: int, operators: Sequence[str]) -> Iterator[Rule]:
    """Write down every rule of the space; questions may be negated once "and" is allowed."""
    signs = (False, True) if "and" in operators else (False,)
    for size in range(1, max_rules + 1):
        for questions in combinations(range(n_questions), size):
            for negated in product(signs, repeat=size):
                if size == 1 or "or" in operators:
                    yield Rule(questions, negated, "or")
                if size > 1 and "and" in operators:
                    yield Rule(questions, negated, "and")
            if size == 2 and "xor" in operators:
                yield Rule(questions, (False, False), "xor")


def gini_squared(left: Counts, right: Counts) -> float:
    """Pairs of cases of different classes that stay together: half of |child|^2 - sum n_j^2."""
    return sum(a * b for child in (left, right) for a, b in combinations(child, 2))


def gini(left: Counts, right: Counts) -> float:
    return sum(sum(child) - sum(n * n for n in child) / sum(child) for child in (left, right))


def entropy(left: Counts, right: Counts) -> float:
    return sum(-n * math.log(n / sum(child)) for child in (left, right) for n in child if n > 0)


def misclassification(left: Counts, right: Counts) -> float:
    return sum(sum(child) - max(child) for child in (left, right))


def error(left: Counts, right: Counts) -> float:
    """P * FP + N * FN, where "yes" (left) predicts the greater of two labels."""
    (fp, tp), (tn, fn) = left, right
    return (tp + fn) * fp + (tn + fp) * fn


CRITERIA: dict[str, Callable[[Counts, Counts], float]] = {
    "gini_squared": gini_squared,
    "gini": gini,
    "entropy": entropy,
    "misclassification": misclassification,
    "error": error,
}


def have_distinct_majorities(left: Counts, right: Counts) -> bool:
    """Two classes: "yes" is at least half positive, "no" at least half negative. Else: they differ.

    A tie for the majority counts as either class.
    """
    if len(left) == 2:
        return left[1] >= left[0] and right[0] >= right[1]
    left_majority, right_majority = (
        {j for j, n in enumerate(child) if n == max(child)} for child in (left, right)
    )
    return any(i != j for i in left_majority for j in right_majority)


def cases_by_class(y: ArrayLike, sample_weight: ArrayLike | None = None) -> NDArray[Any]:
    """Weight of each row in the column of its class, zero elsewhere; labels in sorted order."""
    y = np.asarray(y)
    weight = np.ones(len(y), dtype=np.int64) if sample_weight is None else np.asarray(sample_weight)
    return np.column_stack([np.where(y == label, weight, 0) for label in np.unique(y)])


def split_counts(yes: NDArray[np.bool_], cases: NDArray[Any]) -> tuple[Counts, Counts]:
    """Weight of each class where the rule holds, and where it does not, as Python numbers."""
    left, right = (tuple(cases[rows].sum(axis=0).tolist()) for rows in (yes, ~yes))
    return left, right


def best_rule(
    answers: ArrayLike,
    y: ArrayLike,
    *,
    max_rules: int = 2,
    min_samples_leaf: float = 1,
    criterion: str = "gini_squared",
    operators: Sequence[str] = ("or",),
    distinct_children: bool = False,
    sample_weight: ArrayLike | None = None,
    allow: Callable[[tuple[int, ...]], bool] = lambda questions: True,
) -> Candidate | None:
    """Try every rule and return the best feasible one, or None where there is none.

    ``allow`` says which sets of questions a rule may have.
    """
    answers = np.asarray(answers, dtype=bool)
    cases = cases_by_class(y, sample_weight)
    feasible = []
    for rule in all_rules(answers.shape[1], max_rules, operators):
        if not allow(rule.questions):
            continue
        left, right = split_counts(rule.is_true(answers), cases)
        if min(sum(left), sum(right)) < min_samples_leaf:
            continue
        if distinct_children and not have_distinct_majorities(left, right):
            continue
        feasible.append(Candidate(rule, CRITERIA[criterion](left, right), left, right))
    if not feasible:
        return None
    least = min(candidate.objective for candidate in feasible)
    slack = 0 if isinstance(least, int) else TIE * abs(least)
    tied = [candidate for candidate in feasible if candidate.objective <= least + slack]
    return min(tied, key=lambda candidate: candidate.rule.tie_order())
