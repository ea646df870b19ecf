"""The best rules of a node, in order, under what experts know: against every rule there is."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import judge
import numpy as np
import pandas as pd
import pytest
from node_questions import ask_at_node
from numpy.typing import NDArray

from bsnsing import BsnsingClassifier, Rule, best_rule
from bsnsing.tree.decide import split_weights

ASKING: dict[str, Any] = {
    "n_segments": 3,
    "max_levels": 3,
    "max_values_as_levels": 3,
    "bin_size": 3,
}
CLOSE = 1e-9
Rows = NDArray[np.bool_]


def table_of(seed: int, n_rows: int = 60) -> tuple[pd.DataFrame, NDArray[np.int64]]:
    random = np.random.default_rng(seed)
    X = pd.DataFrame(
        {
            "a": random.integers(0, 5, n_rows).astype(float),
            "b": random.integers(0, 4, n_rows),
            "c": random.integers(0, 6, n_rows) + 0.25,
            "flag": random.random(n_rows) < 0.5,
            "town": random.choice(["x", "y", "z"], n_rows),
        }
    )
    score = X["a"] - X["b"] + 2 * X["flag"] + X["c"] / 2 + random.normal(0, 2, n_rows)
    return X, (score > score.median()).to_numpy().astype(int)


def columns_of(rule: Rule) -> set[str]:
    return {str(question.column) for question in rule.questions}


def answers_to(rule: Rule, X: pd.DataFrame) -> Rows:
    literals = [
        question.answer(X[str(question.column)].to_numpy()) != negated
        for question, negated in zip(rule.questions, rule.negated, strict=True)
    ]
    return np.asarray(judge.JOIN[rule.operator](np.column_stack(literals), axis=1))


class Node:
    """A node of a fitted tree: its rows, what is above it, and what else the tree asks about."""

    def __init__(self, model: BsnsingClassifier, X: pd.DataFrame, y: Any, number: int) -> None:
        tree = model.tree_
        self.model, self.X, self.y, self.number = model, X, y, number
        passed = model.decision_path(X).toarray().astype(bool)
        self.rows: Rows = passed[:, number]
        parent, way = tree.parent, [number]
        while parent[way[-1]] >= 0:
            way.append(int(parent[way[-1]]))
        self.above = [(tree.rules[v], *self._parted(passed, v)) for v in reversed(way[1:])]
        self.path = [int(v) for v in reversed(way)]
        self.asked_above = set[str]().union(*(columns_of(rule) for rule, *_ in self.above))
        others = (rule for v, rule in enumerate(tree.rules) if v != number and rule is not None)
        self.asked_elsewhere = set[str]().union(*map(columns_of, others))
        weight = model.class_weight
        given = np.ones(2) if weight is None else np.array([weight[0], weight[1]], dtype=float)
        self.weights = split_weights(given, model.costs_)

    def _parted(self, passed: Rows, node: int) -> tuple[Rows, Rows]:
        tree = self.model.tree_
        return passed[:, tree.children_left[node]], passed[:, tree.children_right[node]]

    def share(self, rows: Rows) -> float:
        counts = np.bincount(self.y[rows], minlength=2) * self.weights
        return float(counts[1] / counts.sum())

    def objective(self, rule: Rule) -> float:
        """By the criterion, with class weights and what columns cost that were not asked above."""
        yes = answers_to(rule, self.X)
        left, right = (
            tuple(np.bincount(self.y[self.rows & own], minlength=2) * self.weights)
            for own in (yes, ~yes)
        )
        costs = self.model.column_costs or {}
        new = columns_of(rule) - self.asked_above
        n_cases = float((np.bincount(self.y[self.rows], minlength=2) * self.weights).sum())
        price = n_cases * sum(costs.get(name, 0.0) for name in new)
        return judge.CRITERIA[self.model.criterion](left, right) + price

    def allows(self, rule: Rule) -> bool:
        yes = answers_to(rule, self.X)
        sides = [self.rows & yes, self.rows & ~yes]
        if min(own.sum() for own in sides) < self.model.min_samples_leaf:
            return False
        return (
            self._keeps_constraints(rule) and self._keeps_columns(rule) and self._is_ordered(rule)
        )

    def _keeps_columns(self, rule: Rule) -> bool:
        most = self.model.max_columns
        return most is None or len(columns_of(rule) | self.asked_elsewhere) <= most

    def _keeps_constraints(self, rule: Rule) -> bool:
        given = self.model.constraints or {}
        asked = columns_of(rule)
        all_asked = [str(question.column) for question in rule.questions]
        if asked & set(given.get("forbidden", ())) or not set(given.get("required", ())) <= asked:
            return False
        if given.get("one_per_column") and len(asked) < len(all_asked):
            return False
        costs = given.get("costs", {})
        if sum(costs.get(name, 0) for name in all_asked) > given.get("max_cost", np.inf):
            return False
        met = asked | self.asked_above if given.get("along_paths") else asked
        apart = [set(pair) for pair in given.get("apart", ())]
        groups = given.get("groups", ())
        apart += [{p, q} for g, h in pairwise(groups) for p in g for q in h]
        return not any(pair <= met for pair in apart)

    def _is_ordered(self, rule: Rule) -> bool:
        signs = self.model.monotonic_cst
        if signs is None:
            return True
        low, high = 0.0, 1.0
        for node, (above, yes, no) in zip(self.path[1:], self.above, strict=True):
            order = direction(above, signs)
            assert order is not None
            if order:
                middle = (self.share(yes) + self.share(no)) / 2
                is_yes = self.model.tree_.children_left[self.model.tree_.parent[node]] == node
                if is_yes == (order > 0):
                    low = middle
                else:
                    high = middle
        order = direction(rule, signs)
        if order is None:
            return False
        yes = answers_to(rule, self.X)
        shares = self.share(self.rows & yes), self.share(self.rows & ~yes)
        is_inside = min(shares) >= low - CLOSE and max(shares) <= high + CLOSE
        return is_inside and order * (shares[0] - shares[1]) >= -CLOSE

    def every_rule(self, size: int) -> list[Rule]:
        operators = tuple(self.model.operators)
        pool = ask_at_node(
            self.X,
            self.y,
            self.rows.astype(int),
            negation="and" in operators,
            class_weight=self.weights,
            **ASKING,
        )
        return [
            Rule(tuple(pool.questions[q] for q in rule.questions), rule.negated, rule.operator)
            for rule in judge.all_rules(len(pool.questions), size, operators)
        ]

    def is_redundant(self, rule: Rule) -> bool:
        whole = answers_to(rule, self.X)[self.rows]
        places = range(len(rule.questions))
        for k in places if len(places) > 1 else ():
            rest = [i for i in places if i != k]
            part = Rule(
                tuple(rule.questions[i] for i in rest),
                tuple(rule.negated[i] for i in rest),
                rule.operator,
            )
            is_same = (answers_to(part, self.X)[self.rows] == whole).all()
            if is_same and self._keeps_constraints(part):
                return True
        return False


def direction(rule: Rule, signs: dict[str, int]) -> int | None:
    """Which way "yes" leads; None if no way that the signs allow."""
    ways = set()
    for question, negated in zip(rule.questions, rule.negated, strict=True):
        sign = signs.get(str(question.column), 0)
        if sign == 0 or question.test == "is missing":
            continue
        if question.test == "==" and question.column == "flag":
            way = sign if question.value else -sign
        elif question.test in "<>":
            way = sign if question.test == ">" else -sign
        else:
            return None
        ways.add(-way if negated else way)
    if len(ways) > 1 or (ways and rule.operator == "xor"):
        return None
    return ways.pop() if ways else 0


KNOWN: dict[str, dict[str, Any]] = {
    "nothing": {},
    "forbidden": {"constraints": {"forbidden": ["a"]}},
    "required": {"constraints": {"required": ["b"]}},
    "one_per_column": {"constraints": {"one_per_column": True}},
    "costs": {"constraints": {"costs": {"a": 2, "b": 1, "c": 3}, "max_cost": 3}},
    "apart": {"constraints": {"apart": [("a", "c"), ("b", "flag")]}},
    "apart on paths": {"constraints": {"apart": [("a", "c"), ("b", "flag")], "along_paths": True}},
    "groups": {"constraints": {"groups": [["a", "b"], ["c", "flag"]], "along_paths": True}},
    "class weights": {"class_weight": {0: 1.0, 1: 2.5}},
    "cost": {"cost": {(1, 0): 7.0}},
    "monotone": {"monotonic_cst": {"a": 1, "b": -1, "flag": 1}},
    "max_columns": {"max_columns": 3},
    "column_costs": {"column_costs": {"a": 0.02, "b": 0.01, "c": 0.04, "flag": 0.08}},
    "much": {
        "constraints": {"apart": [("a", "town")], "one_per_column": True},
        "class_weight": {0: 1.0, 1: 1.5},
        "monotonic_cst": {"a": 1},
        "max_columns": 4,
        "column_costs": {"a": 0.02, "c": 0.01},
    },
}


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("criterion", ["gini", "entropy", "misclassification"])
@pytest.mark.parametrize("known", list(KNOWN))
def test_no_better_rule_is_missing(known: str, criterion: str, seed: int) -> None:
    X, y = table_of(seed)
    operators = ("or", "and", "xor") if criterion == "gini" else ("or", "and")
    model = BsnsingClassifier.plain(
        criterion=criterion,
        operators=operators,
        min_samples_leaf=4,
        max_depth=2,
        stop_prob=1.0,
        max_bins=None,
        decimals=None,
        **KNOWN[known],
        **ASKING,
    ).fit(X, y)
    for number in range(min(3, model.tree_.n_nodes)):
        node = Node(model, X, y, number)
        if len(np.unique(y[node.rows])) < 2:
            continue
        found = model.alternatives(number, X, y, k=7, max_rules=2)
        own = [each for each in found if each.is_own]
        listed = [each for each in found if node.allows(each.rule)]
        assert all(each.is_own for each in found if each not in listed)
        assert len(own) == (model.tree_.rules[number] is not None)
        assert [each.objective for each in found] == sorted(each.objective for each in found)
        said = set()
        for each in listed:
            assert each.objective == pytest.approx(node.objective(each.rule), abs=CLOSE)
            assert each.loss == pytest.approx(each.objective - found[0].objective, abs=CLOSE)
            assert each.is_own or not node.is_redundant(each.rule)
            said.add(saying(node, each.rule))
        others = [rule for rule in node.every_rule(2) if node.allows(rule)]
        if len(found) < 7:
            reach = np.inf
        else:
            reach = max(each.objective for each in listed if each.is_proven)
        for rule in others:
            if node.objective(rule) < reach - CLOSE and not node.is_redundant(rule):
                assert saying(node, rule) in said, f"{rule} is missing"


def saying(node: Node, rule: Rule) -> tuple[Any, ...]:
    """What a rule says of the node's rows; its opposite parts them alike."""
    yes = answers_to(rule, node.X)[node.rows]
    names = sorted(str(question.column) for question in rule.questions)
    return tuple(names), min(yes.tobytes(), (~yes).tobytes())


@pytest.mark.parametrize("known", ["apart on paths", "monotone", "column_costs", "cost", "much"])
def test_the_rule_of_the_fit_comes_first(known: str) -> None:
    """What the tree chose under its limits is the best alternative under them."""
    for seed in range(4):
        X, y = table_of(seed, 150)
        settings = KNOWN[known] | {"max_columns": None}
        model = BsnsingClassifier.plain(min_samples_leaf=5, max_depth=3, **settings).fit(X, y)
        for number in np.flatnonzero(~model.tree_.is_leaf):
            first = model.alternatives(int(number), X, y, k=3)[0]
            assert first.objective == pytest.approx(model.tree_.objective[number])
            assert first.is_proven


def test_rules_that_a_requirement_keeps_long_are_ranked() -> None:
    """A question that changes no answer stays where the rule may not do without it."""
    answers = np.array([[1, 1, 0], [1, 1, 0], [0, 0, 1], [0, 0, 0], [1, 1, 1], [0, 0, 1]])
    y = np.array([1, 1, 0, 0, 1, 1])
    ranked = best_rule(answers, y, n_best=3, max_rules=2, constraints={"required": [1]})
    assert [split.questions for split in ranked] == [(1,), (1, 2)]  # question 0 says what 1 does
    both = best_rule(answers, y, n_best=3, max_rules=2, constraints={"required": [0, 1]})
    assert [split.questions for split in both] == [(0, 1)]


@pytest.mark.parametrize("known", [name for name in KNOWN if name not in ("max_columns", "much")])
def test_swapped_trees_are_judged_as_fits_are(known: str) -> None:
    """A rule in its own place is as good, and as proven, as the fit said; another one is not."""
    for seed in range(2):
        X, y = table_of(seed, 150)
        model = BsnsingClassifier.plain(min_samples_leaf=5, max_depth=3, **KNOWN[known]).fit(X, y)
        tree = model.tree_
        same = model.swap(0, tree.rules[0], X, y).tree_
        inner = ~tree.is_leaf
        np.testing.assert_allclose(same.objective[inner], tree.objective[inner])
        assert same.optimal[inner].all()
        ranked = model.alternatives(0, X, y, k=4)
        for other in ranked[1:]:
            swapped = model.swap(0, other.rule, X, y).tree_
            assert swapped.objective[0] == pytest.approx(other.objective)
            best = model.alternatives(0, X, y, k=1, max_rules=len(other.rule.questions))[0]
            if not best.is_own:  # which may be larger
                assert swapped.best_own_objective[0] == pytest.approx(best.objective)
                assert swapped.optimal[0] == (other.objective < best.objective + CLOSE)


def test_rules_of_other_nodes_leave_their_columns_alone() -> None:
    """With max_columns, the best rule of a node is one of the columns that the others leave it."""
    X, y = table_of(3, 200)
    model = BsnsingClassifier.plain(min_samples_leaf=5, max_depth=2, max_columns=2).fit(X, y)
    asked = {q.column for rule in model.tree_.rules if rule for q in rule.questions}
    assert len(asked) == 2
    given = model.swap(0, f"{sorted(asked)[0]} > 1", X, y)
    best = given.alternatives(0, X, y, k=1, max_rules=1)[0]
    assert given.tree_.best_own_objective[0] == pytest.approx(best.objective)
    free = BsnsingClassifier.plain(min_samples_leaf=5, max_depth=1, max_rules=1).fit(X, y)
    assert free.tree_.objective[0] <= best.objective
