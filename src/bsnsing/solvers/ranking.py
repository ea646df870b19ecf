"""The best rules of a pool, in order: what each further one loses, for experts to choose from."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bsnsing.rules.criteria import objectives_of
from bsnsing.rules.split import PoolRule
from bsnsing.solvers.pool import PoolSearch

# Rules that say nothing new are passed over, so more are asked for than are wanted.
_TIMES_WANTED = 4
# Rules that are looked at, at most: of limits that next to none keeps.
_MOST_ASKED = 1_000_000
# Objectives that differ by less, relatively, are equal: sums are rounded.
_ROUNDING = 1e-11


@dataclass(frozen=True, slots=True)
class FurtherLimits:
    """What a pool cannot say of rules: whether one is allowed, and what it costs beside."""

    keeps: Callable[[PoolRule], bool] = lambda rule: True
    price: Callable[[PoolRule], float] | None = None  # never negative; None is nothing


NO_FURTHER = FurtherLimits()


def rank_rules(
    search: PoolSearch, n_best: int, further: FurtherLimits = NO_FURTHER
) -> list[PoolRule]:
    """Return the ``n_best`` best rules, best first; fewer where there are no more.

    Exact, but for a time limit. Passed over are rules with a question that changes no answer (if
    the others keep all limits), and of two rules that are each other's opposite the less simple
    one, if either side may be "yes".

    Rules come in the order of their objectives, so that those that further limits forbid can be
    left out as they come. With a price the search goes on until the objective alone of any other
    rule is more than what the best ones come to.
    """
    n_asked = _TIMES_WANTED * n_best
    while True:
        found, is_complete = search.ranked(max(2, n_asked))
        kept = [rule for rule in found if further.keeps(rule) and not _is_redundant(search, rule)]
        if search.options.criterion != "error":
            kept = _without_opposites(kept)
        ranked = [_judged(search, rule, is_complete) for rule in kept]
        is_all = len(found) < n_asked
        n_sure = len(ranked)
        if further.price is not None:
            reach = np.inf if is_all else _judged(search, found[-1], is_complete).objective
            ranked = _with_prices(ranked, further.price, reach * (1 - _ROUNDING))
            n_sure = sum(rule.optimal for rule in ranked)
        if n_sure >= n_best or is_all or not is_complete or n_asked >= _MOST_ASKED:
            return ranked[:n_best]
        n_asked *= _TIMES_WANTED


def _with_prices(
    rules: list[PoolRule], price: Callable[[PoolRule], float], reach: float
) -> list[PoolRule]:
    """Rules by objective and price; those within reach are before all that are not here."""
    priced = []
    for rule in rules:
        value = rule.objective + price(rule)
        is_sure = rule.optimal and value <= reach
        priced.append(rule._replace(objective=value, bound=value, optimal=is_sure))
    return sorted(priced, key=lambda rule: rule.objective)


def judge_rule(
    search: PoolSearch, questions: list[int], negated: list[bool], operator: str
) -> PoolRule:
    """Return what a given rule is worth; whether it is the best is not said."""
    yes = follow_rule(search.answers, questions, negated, operator)
    counts = search.weights.counts
    left = np.bincount(
        search.labels[yes], None if counts is None else counts[yes], search.n_classes
    )
    rule = PoolRule(
        questions, negated, operator, left.tolist(), np.nan, np.nan, False, 0.0, 0.0, 0.0
    )
    return _judged(search, rule, is_complete=False)


def follow_rule(
    answers: NDArray[np.uint8], questions: list[int], negated: list[bool], operator: str
) -> NDArray[np.bool_]:
    """Whether the rule holds, per row."""
    literals = answers[:, questions].astype(bool) ^ np.array(negated, dtype=bool)
    holds: NDArray[np.bool_]
    if operator == "xor":
        holds = literals.sum(axis=1) % 2 == 1
    else:
        holds = literals.all(axis=1) if operator == "and" else literals.any(axis=1)
    return holds


def _is_redundant(search: PoolSearch, rule: PoolRule) -> bool:
    """Whether the rule says the same without one of its questions, and may do without it."""
    answers, questions, negated = search.answers, list(rule.questions), list(rule.negated)
    if len(questions) == 1:
        return False
    whole = follow_rule(answers, questions, negated, rule.operator)
    for k in range(len(questions)):
        rest = [i for i in range(len(questions)) if i != k]
        others = [questions[i] for i in rest]
        part = follow_rule(answers, others, [negated[i] for i in rest], rule.operator)
        if (part == whole).all() and search.limits.allow(others):
            return True
    return False


def _without_opposites(rules: list[PoolRule]) -> list[PoolRule]:
    """Keep the first of any two rules of which one is "not" the other."""
    seen, kept = set(), []
    for rule in rules:
        # "a or not b" is the opposite of "not a and b".
        is_and = rule.operator == "and"
        form = tuple(
            (question, negated != is_and)
            for question, negated in zip(rule.questions, rule.negated, strict=True)
        )
        key = (rule.operator == "xor", form if len(form) > 1 else form[0][0])
        if key not in seen:
            kept.append(rule)
        seen.add(key)
    return kept


def _judged(search: PoolSearch, rule: PoolRule, is_complete: bool) -> PoolRule:
    weights = 1.0 if search.split_weights is None else np.array(search.split_weights)
    yes = np.array([rule.left])
    no = search.weights.class_totals(search.labels, search.n_classes) - yes
    yes, no = yes * weights, no * weights
    if search.options.criterion == "error":  # class 1 is the positive one
        objective = (yes + no)[0, 1] * yes[0, 0] + (yes + no)[0, 0] * no[0, 1]
    else:
        objective = objectives_of(search.options.criterion, yes, no)[0]
    value = float(objective)
    return rule._replace(objective=value, bound=value, optimal=is_complete)
