"""Pools of questions: the search on every kernel against all rules, tried at once.

This is the judge of ``tests/judge.py`` in arrays, which a test holds against it.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from itertools import combinations, product
from typing import Any

import numpy as np

import bsnsing
from bsnsing import _core

KERNELS = list(_core.available_kernels())
OPERATORS = ("or", "and", "xor")
CRITERIA = ("gini_squared", "gini", "entropy", "misclassification", "error")
OPERATOR_SETS = [s for k in (1, 2, 3) for s in combinations(OPERATORS, k)]
_TIE = 1e-11


@cache
def _rules(n_questions: int, max_rules: int, operators: tuple[str, ...]) -> list[Any]:
    """Rules by size and operator, in groups: questions, signs, and the order among equals."""
    signs = (False, True) if "and" in operators else (False,)
    groups = []
    for size in range(1, min(max_rules, n_questions) + 1):
        sets = list(combinations(range(n_questions), size))
        for operator in OPERATORS:
            if operator == "or" and size > 1 and "or" not in operators:
                continue
            if operator == "and" and (size == 1 or "and" not in operators):
                continue
            if operator == "xor" and (size != 2 or "xor" not in operators):
                continue
            own = [(False,) * size] if operator == "xor" else list(product(signs, repeat=size))
            pairs = [(questions, negated) for questions in sets for negated in own]
            groups.append(
                (operator, np.array([p[0] for p in pairs]), np.array([p[1] for p in pairs]))
            )
    return groups


def _counts(answers: np.ndarray, cases: np.ndarray, rules: list[Any]) -> np.ndarray:
    """Cases of each class where each rule holds."""
    join = {"or": np.any, "and": np.all, "xor": np.logical_xor.reduce}
    left = []
    for operator, questions, negated in rules:
        literals = answers.T[questions] ^ negated[:, :, None]
        left.append(join[operator](literals, axis=1).astype(cases.dtype) @ cases)
    return np.concatenate(left)


def _objectives(criterion: str, left: np.ndarray, right: np.ndarray) -> np.ndarray:
    if criterion == "gini_squared":
        return sum((c.sum(1) ** 2 - (c**2).sum(1)) / 2 for c in (left, right))
    if criterion == "misclassification":
        return sum(c.sum(1) - c.max(1) for c in (left, right))
    if criterion == "error":
        positive, negative = left[:, 1] + right[:, 1], left[:, 0] + right[:, 0]
        return positive * left[:, 0] + negative * right[:, 1]
    total = 0.0
    for child in (left, right):
        sums = child.sum(1, keepdims=True)
        if criterion == "gini":
            total = total + (sums[:, 0] - (child**2).sum(1) / sums[:, 0])
        else:
            logs = np.log(np.where(child > 0, child / sums, 1.0))
            total = total - (child * logs).sum(1)
    return np.asarray(total)


def _distinct(left: np.ndarray, right: np.ndarray) -> np.ndarray:
    if left.shape[1] == 2:
        return (left[:, 1] >= left[:, 0]) & (right[:, 0] >= right[:, 1])
    tops = [child == child.max(1, keepdims=True) for child in (left, right)]
    both = tops[0] & tops[1]
    return ~((tops[0].sum(1) == 1) & (tops[1].sum(1) == 1) & both.any(1))


def _tried(
    answers: np.ndarray, y: np.ndarray, weights: np.ndarray | None, *, max_rules: int,
    operators: Sequence[str], criterion: str, min_samples_leaf: float, distinct_children: bool,
) -> tuple[list[Any], np.ndarray, np.ndarray]:  # fmt: skip
    classes, codes = np.unique(y, return_inverse=True)
    cases = np.zeros((len(y), len(classes)), dtype=np.int64 if weights is None else weights.dtype)
    cases[np.arange(len(y)), codes] = 1 if weights is None else weights
    rules = _rules(answers.shape[1], max_rules, tuple(sorted(operators)))
    left = _counts(answers, cases, rules)
    right = cases.sum(axis=0) - left
    is_feasible = np.minimum(left.sum(1), right.sum(1)) >= min_samples_leaf
    if distinct_children:
        is_feasible &= _distinct(left, right)
    places = np.flatnonzero(is_feasible)
    with np.errstate(divide="ignore", invalid="ignore"):
        values = _objectives(
            criterion,
            left[places].astype(float) if criterion in ("gini", "entropy") else left[places],
            right[places],
        )
    return rules, places, values


def best_objective(
    answers: np.ndarray, y: np.ndarray, weights: np.ndarray | None, **options: Any
) -> float | None:
    """The least objective of all feasible rules; None where there is none."""
    if answers.shape[1] == 0:
        return None
    _, places, values = _tried(answers, y, weights, **options)
    return float(values.min()) if len(places) else None


def best_rule(
    answers: np.ndarray, y: np.ndarray, weights: np.ndarray | None, **options: Any
) -> Any:
    """The best rule as (questions, negated, operator, objective); None where there is none."""
    rules, places, values = _tried(answers, y, weights, **options)
    if len(places) == 0:
        return None
    least = values.min()
    slack = 0 if values.dtype.kind == "i" else _TIE * abs(least)
    tied = places[values <= least + slack]
    starts = np.cumsum([0] + [len(group[1]) for group in rules])
    found = []
    for place in tied.tolist():
        group = int(np.searchsorted(starts, place, side="right")) - 1
        operator, questions, negated = rules[group]
        own, signs = questions[place - starts[group]], negated[place - starts[group]]
        key = (
            len(own),
            tuple(own.tolist()),
            int(signs.sum()),
            OPERATORS.index(operator),
            tuple(signs.tolist()),
        )
        found.append((key, operator))
    (_, own, _, _, signs), operator = min(found)
    return own, signs, operator, least


def draw_pool(seed: int) -> dict[str, Any]:
    """Draw a pool, as plain JSON, from its seed."""
    rng = np.random.default_rng(seed)
    criterion = CRITERIA[int(rng.integers(5))]
    n_classes = 2 if criterion == "error" else int(rng.choice([2, 2, 3, 4]))
    n_rows, n_questions = int(rng.integers(n_classes, 81)), int(rng.integers(1, 8))
    columns: list[np.ndarray] = []
    for _ in range(n_questions):
        column = rng.random(n_rows) < rng.choice([0.05, 0.3, 0.5])
        if columns and rng.random() < 0.3:  # alike: the same, its opposite, a part, or a bit more
            other = columns[int(rng.integers(len(columns)))]
            column = [other, ~other, other & column, other | column][int(rng.integers(4))]
        elif rng.random() < 0.1:
            column = np.full(n_rows, rng.random() < 0.5)
        columns.append(column)
    answers = np.column_stack(columns)
    hidden = answers[:, rng.permutation(n_questions)[: rng.integers(1, 4)]].any(axis=1)
    noise = rng.random(n_rows) < rng.choice([0.0, 0.1, 0.4])
    y = np.where(hidden ^ noise, rng.integers(1, n_classes, n_rows), 0)
    y[:n_classes] = np.arange(n_classes)
    weights = None
    if rng.random() < 0.4:
        weights = rng.integers(0, 6, n_rows)
        weights[:n_classes] += 1
    return {
        "seed": seed,
        "answers": ["".join(map(str, row)) for row in answers.astype(int).tolist()],
        "y": y.tolist(),
        "weights": None if weights is None else weights.tolist(),
        "options": {
            "criterion": criterion,
            "max_rules": int(rng.integers(1, 5)),
            "operators": list(OPERATOR_SETS[int(rng.integers(len(OPERATOR_SETS)))]),
            "min_samples_leaf": int(rng.choice([1, 2, 4, max(1, n_rows // 4)])),
            "distinct_children": bool(rng.random() < 0.3),
        },
    }


def check_pool(pool: dict[str, Any]) -> str:
    """Hold the search on every kernel against all rules."""
    answers = np.array([[cell == "1" for cell in row] for row in pool["answers"]])
    y = np.array(pool["y"])
    weights = None if pool["weights"] is None else np.array(pool["weights"])
    options = pool["options"]
    expected = best_rule(answers, y, weights, **options)
    try:
        for name in KERNELS:
            _core.use_kernels(name)
            split = bsnsing.best_rule(answers, y, sample_weight=weights, **options)
            if (split is None) != (expected is None):
                raise AssertionError(f"{name}: {split} instead of {expected}")
            if split is None or expected is None:
                continue
            found = (split.questions, split.negated, split.operator)
            if found != expected[:3] or not np.isclose(
                split.objective, expected[3], rtol=1e-9, atol=1e-9
            ):
                raise AssertionError(f"{name}: {found} {split.objective} instead of {expected}")
            if not split.optimal or split.bound != split.objective:
                raise AssertionError(f"{name}: not proven")
    finally:
        _core.use_kernels(KERNELS[0])
    return "none" if expected is None else "found"
