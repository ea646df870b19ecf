"""The n best rules, against all rules written out one by one."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from bsnsing import best_rule
from bsnsing.rules.criteria import exact_objective

ORDER = ("or", "and", "xor")


def all_rules(n_questions: int, max_rules: int, operators: tuple[str, ...], oriented: bool):
    """Every rule of the space, as (questions, negated, operator)."""
    has_negation = "and" in operators
    for question in range(n_questions):
        yield (question,), (False,), "or"
        if has_negation and oriented:
            yield (question,), (True,), "or"
    for size in range(2, max_rules + 1):
        for questions in itertools.combinations(range(n_questions), size):
            for negated in itertools.product([False, True], repeat=size):
                for operator in operators:
                    if operator == "xor" and (size > 2 or any(negated)):
                        continue
                    if has_negation or not any(negated):
                        yield questions, negated, operator


def follow(answers: np.ndarray, rule) -> np.ndarray:
    questions, negated, operator = rule
    literals = [answers[:, q].astype(bool) != n for q, n in zip(questions, negated, strict=True)]
    joined = literals[0]
    for literal in literals[1:]:
        joined = {"or": joined | literal, "and": joined & literal, "xor": joined != literal}[
            operator
        ]
    return joined


def brute_force(answers, y, k, max_rules, criterion, operators, min_leaf):
    """The k best rules that say something with every question, none the opposite of another."""
    n_classes = y.max() + 1
    ranked = []
    for rule in all_rules(answers.shape[1], max_rules, operators, criterion == "error"):
        questions, negated, operator = rule
        yes = follow(answers, rule)
        if min(yes.sum(), (~yes).sum()) < min_leaf:
            continue
        parts = [
            (tuple(np.delete(questions, i)), tuple(np.delete(negated, i)), operator)
            for i in range(len(questions) if len(questions) > 1 else 0)
        ]
        if any((follow(answers, part) == yes).all() for part in parts):
            continue
        counts = [np.bincount(y[side], minlength=n_classes) for side in (yes, ~yes)]
        value = exact_objective(criterion, *counts)
        simplicity = (len(questions), questions, sum(negated), ORDER.index(operator), negated)
        ranked.append((value, simplicity, rule))
    ranked.sort(key=lambda entry: entry[:2])
    kept: list = []
    for value, _, rule in ranked:
        questions, negated, operator = rule
        flipped = {"or": "and", "and": "or"}.get(operator)
        opposite = (questions, tuple(not n for n in negated), flipped)
        is_new = criterion == "error" or opposite not in [other for _, other in kept]
        if is_new:
            kept.append((value, rule))
    return kept[:k]


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("criterion", ["gini_squared", "misclassification", "error"])
@pytest.mark.parametrize("operators", [("or",), ("or", "and"), ("or", "and", "xor")])
def test_the_n_best_rules_are_those_of_brute_force(seed, criterion, operators) -> None:
    random = np.random.RandomState(seed)
    n_rows, n_questions = random.randint(8, 40), random.randint(2, 7)
    answers = (random.rand(n_rows, n_questions) < random.rand(n_questions)).astype(np.uint8)
    y = random.randint(0, 2 if criterion == "error" else 3, n_rows)
    y[:3] = [0, 1, y.max()]
    max_rules, min_leaf, k = random.randint(1, 4), random.randint(1, 4), random.randint(1, 12)
    wanted = brute_force(answers, y, k, max_rules, criterion, operators, min_leaf)
    found = best_rule(
        answers,
        y,
        max_rules=max_rules,
        criterion=criterion,
        operators=operators,
        min_samples_leaf=min_leaf,
        n_best=k,
    )
    assert [split.objective for split in found] == [value for value, _ in wanted]
    assert [(s.questions, s.negated, s.operator) for s in found] == [rule for _, rule in wanted]
    assert all(split.optimal for split in found)


@pytest.mark.parametrize("n_jobs", [1, 2])
@pytest.mark.parametrize("max_rules", [1, 2, 3])
def test_the_first_is_the_best_rule_whatever_the_threads(n_jobs: int, max_rules: int) -> None:
    random = np.random.RandomState(0)
    answers = (random.rand(3000, 60) < 0.3).astype(np.uint8)
    y = (answers[:, 3] | answers[:, 7]) ^ (random.rand(3000) < 0.2)
    options = {"max_rules": max_rules, "criterion": "entropy", "n_jobs": n_jobs}
    best = best_rule(answers, y, **options)
    several = best_rule(answers, y, n_best=8, **options)
    assert (several[0].questions, several[0].operator) == (best.questions, best.operator)
    values = [split.objective for split in several]
    assert values == sorted(values)
    assert len({(s.questions, s.negated, s.operator) for s in several}) == 8


def test_limits_hold_for_all_of_them() -> None:
    random = np.random.RandomState(1)
    answers = (random.rand(200, 12) < 0.4).astype(np.uint8)
    y = (answers[:, 0] | answers[:, 1]).astype(int)
    found = best_rule(answers, y, n_best=20, constraints={"forbidden": [0]})
    assert len(found) == 20
    assert all(0 not in split.questions for split in found)


def test_fewer_rules_than_are_wanted() -> None:
    assert len(best_rule([[0], [1], [1]], [0, 1, 1], n_best=10)) == 1
    assert best_rule([[0], [0]], [0, 1], n_best=10) == []


def test_other_solvers_find_one_rule() -> None:
    with pytest.raises(ValueError, match="solver='greedy' finds one rule"):
        best_rule([[0], [1]], [0, 1], solver="greedy", n_best=2)
    with pytest.raises(ValueError, match="'n_best' parameter"):
        best_rule([[0], [1]], [0, 1], n_best=0)
