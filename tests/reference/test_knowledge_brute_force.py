"""What experts know, kept exactly: each split against every rule that keeps it."""

from __future__ import annotations

from typing import Any

import judge
import numpy as np
import pandas as pd
import pytest
from node_questions import ask_at_node
from parts_engine import PartsEngine

from bsnsing import BsnsingClassifier, best_rule
from bsnsing.rules.constraints import RuleConstraints

ASKING: dict[str, Any] = {
    "n_segments": 3,
    "max_levels": 3,
    "max_values_as_levels": 3,
    "bin_size": 3,
}
SIGNS = {"a": 1, "b": -1, "flag": 1}


def table_of(seed: int, n: int = 70, n_classes: int = 2) -> tuple[pd.DataFrame, np.ndarray]:
    random = np.random.default_rng(seed)
    table = pd.DataFrame(
        {
            "a": random.integers(0, 5, n).astype(float),
            "b": random.integers(0, 4, n),
            "c": random.integers(0, 6, n),
            "flag": random.random(n) < 0.5,
            "town": random.choice(["x", "y", "z"], n),
        }
    )
    score = random.choice([-1, 1]) * table["a"] - table["b"] + 2 * table["flag"] + table["c"] / 2
    y = np.digitize(
        score + random.normal(0, 2, n), np.quantile(score, np.arange(1, n_classes) / n_classes)
    )
    return table, y


class Rules:
    """All rules of a node's pool, with what each does."""

    def __init__(self, model: BsnsingClassifier, X: pd.DataFrame, y: np.ndarray, rows: np.ndarray):
        operators = tuple(model.operators)
        self.pool = ask_at_node(X, y, rows.astype(int), negation="and" in operators, **ASKING)
        self.X, self.n_classes = X, int(y.max()) + 1
        self.cases = np.eye(self.n_classes)[y[rows]]
        answers = self.pool.answers[rows].astype(bool)
        criterion = judge.CRITERIA[model.criterion]
        self.rated = []
        for rule in judge.all_rules(answers.shape[1], model.max_rules, operators):
            yes = rule.is_true(answers)
            if min(yes.sum(), (~yes).sum()) < model.min_samples_leaf:
                continue
            left, right = judge.split_counts(yes, self.cases)
            self.rated.append((rule, criterion(left, right), np.array(left), np.array(right)))

    def columns(self, rule: judge.Rule) -> set[str]:
        return {self.pool.questions[q].column for q in rule.questions}

    def order(self, rule: judge.Rule, signs: dict[str, int]) -> int | None:
        """The direction of "yes"; None if there is none that the signs allow."""
        ways = set()
        for q, negated in zip(rule.questions, rule.negated, strict=True):
            question = self.pool.questions[q]
            sign = signs.get(question.column, 0)
            if sign == 0 or question.test == "is missing":
                continue
            if question.test == ">":
                way = sign
            elif question.test == "<":
                way = -sign
            elif question.column == "flag":
                way = sign if question.value else -sign
            else:
                return None
            ways.add(-way if negated else way)
        if len(ways) > 1 or (ways and rule.operator == "xor"):
            return None
        return ways.pop() if ways else 0


def nodes_of(model: BsnsingClassifier, X: pd.DataFrame) -> tuple[Any, np.ndarray]:
    return model.tree_, model.decision_path(X).toarray().astype(bool)


def worth_of(counts: np.ndarray, criterion: str) -> float:
    nothing = np.full_like(counts, 1e-300)
    if criterion == "gini_squared":  # of a split that tells nothing
        return counts.prod() / 2
    return judge.CRITERIA[criterion](tuple(counts), tuple(nothing))


def check_split(model, tree, node, best, counts):
    """The node's own rule is as good as the best, or the best is not worth a split."""
    if tree.is_leaf[node]:
        pure = counts.max() > model.stop_prob * counts.sum()
        small = counts.sum() < 2 * model.min_samples_leaf
        assert pure or small or best >= worth_of(counts, model.criterion) - 1e-9
    else:
        assert tree.objective[node] == pytest.approx(best, rel=1e-9, abs=1e-9)
        assert tree.optimal[node] or model.solver == "greedy"


@pytest.mark.parametrize("engine", ["native", "parts"])
@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize(
    ("criterion", "operators", "max_rules"),
    [
        ("gini", ("or", "and"), 2),
        ("entropy", ("or", "and", "xor"), 2),
        ("gini_squared", ("or",), 3),
    ],
)
def test_monotone_splits_are_the_best_that_keep_the_order(
    seed, criterion, operators, max_rules, engine
):
    n_classes = 3 if seed % 3 == 2 and criterion != "gini_squared" else 2
    X, y = table_of(seed, n_classes=n_classes)
    cst = {name: {1: sign} for name, sign in SIGNS.items()}
    model = made(engine)(
        criterion=criterion,
        operators=operators,
        max_rules=max_rules,
        min_samples_leaf=4,
        stop_prob=1.0,
        max_depth=3,
        max_bins=None,
        monotonic_cst=cst,
        **ASKING,
    )
    model.fit(X, y)
    tree, passed = nodes_of(model, X)
    bounds = {0: (0.0, 1.0)}
    for node in range(tree.n_nodes):
        low, high = bounds[node]
        rows = passed[:, node]
        counts = np.bincount(y[rows], minlength=n_classes).astype(float)
        if tree.depth[node] < 3 and (counts > 0).sum() > 1:
            rules, best = Rules(model, X, y, rows), np.inf
            for rule, value, left, right in rules.rated:
                order = rules.order(rule, SIGNS)
                yes, no = left[1] / left.sum(), right[1] / right.sum()
                fits = min(yes, no) >= low - 1e-12 and max(yes, no) <= high + 1e-12
                if order is not None and order * (yes - no) >= -1e-12 and fits:
                    best = min(best, value)
            check_split(model, tree, node, best, counts)
        if tree.is_leaf[node]:
            continue
        children = [int(tree.children_left[node]), int(tree.children_right[node])]
        order = order_in(tree.rules[node])
        shares = [np.mean(y[passed[:, child]] == 1) for child in children]
        middle = sum(shares) / 2
        ends = [(low, high)] * 2
        if order:
            ends = [(middle, high), (low, middle)][::order]
        bounds.update(zip(children, ends, strict=True))


def order_in(rule):
    for question, negated in zip(rule.questions, rule.negated, strict=True):
        sign = SIGNS.get(question.column, 0)
        if sign and question.test != "is missing":
            up = question.value if question.test == "==" else question.test == ">"
            return sign if bool(up) != negated else -sign
    return 0


class PartsClassifier(BsnsingClassifier):
    """Its engine knows rows by counts alone."""

    _make_engine = PartsEngine


def made(engine):
    kind = BsnsingClassifier if engine == "native" else PartsClassifier
    return kind.plain


@pytest.mark.parametrize("engine", ["native", "parts"])
@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("max_columns", [1, 2, 3])
def test_splits_are_the_best_of_the_columns_that_are_left(seed, max_columns, engine):
    X, y = table_of(seed)
    model = made(engine)(
        criterion="gini",
        min_samples_leaf=4,
        stop_prob=1.0,
        max_depth=3,
        max_bins=None,
        max_columns=max_columns,
        max_rules=2 + seed % 2,
        **ASKING,
    )
    model.fit(X, y)
    tree, passed = nodes_of(model, X)
    used: set[str] = set()
    for depth in range(3):
        level = [v for v in range(tree.n_nodes) if tree.depth[v] == depth]
        for node in sorted(level, key=lambda v: -passed[:, v].sum()):
            rows = passed[:, node]
            counts = np.bincount(y[rows], minlength=2).astype(float)
            if counts.min() > 0:
                rules = Rules(model, X, y, rows)
                best = min(
                    (
                        value
                        for rule, value, *_ in rules.rated
                        if len(used | rules.columns(rule)) <= max_columns
                    ),
                    default=np.inf,
                )
                check_split(model, tree, node, best, counts)
            if tree.rules[node] is not None:
                used |= {question.column for question in tree.rules[node].questions}
    assert len(used) <= max_columns


@pytest.mark.parametrize("engine", ["native", "parts"])
@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("criterion", ["gini", "entropy", "misclassification"])
def test_splits_are_the_best_with_what_their_columns_cost(seed, criterion, engine):
    X, y = table_of(seed)
    costs = {"a": 0.02, "b": 0.01, "c": 0.04, "flag": 0.08}
    model = made(engine)(
        criterion=criterion,
        min_samples_leaf=4,
        stop_prob=1.0,
        max_depth=3,
        max_bins=None,
        column_costs=costs,
        max_rules=2 + seed % 2,
        **ASKING,
    )
    model.fit(X, y)
    tree, passed = nodes_of(model, X)
    paid: dict[int, set[str]] = {0: set()}
    for node in range(tree.n_nodes):
        rows = passed[:, node]
        counts = np.bincount(y[rows], minlength=2).astype(float)
        if tree.depth[node] < 3 and counts.min() > 0:
            rules = Rules(model, X, y, rows)
            best = min(
                (
                    value
                    + rows.sum() * sum(costs.get(c, 0) for c in rules.columns(rule) - paid[node])
                    for rule, value, *_ in rules.rated
                ),
                default=np.inf,
            )
            check_split(model, tree, node, best, counts)
        if not tree.is_leaf[node]:
            asked = {question.column for question in tree.rules[node].questions}
            for child in (tree.children_left[node], tree.children_right[node]):
                paid[int(child)] = paid[node] | asked


@pytest.mark.parametrize("engine", ["native", "parts"])
@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("kind", ["apart", "groups"])
@pytest.mark.parametrize("along_paths", [False, True])
def test_splits_are_the_best_that_do_not_mix_columns(seed, kind, engine, along_paths):
    X, y = table_of(seed)
    given: dict[str, Any] = {
        "apart": [("c", "a"), ("b", "flag")],
        "groups": [["a", "b"], ["c"], ["flag"]],
    }
    pairs = {
        "apart": [{"a", "c"}, {"b", "flag"}],
        "groups": [{p, q} for p in "ab" for q in ("c", "flag")] + [{"c", "flag"}],
    }[kind]
    model = made(engine)(
        criterion="gini",
        min_samples_leaf=4,
        stop_prob=1.0,
        max_depth=2,
        max_bins=None,
        constraints={kind: given[kind], "along_paths": along_paths},
        max_rules=2 + seed % 2,
        **ASKING,
    )
    model.fit(X, y)
    tree, passed = nodes_of(model, X)
    above: dict[int, set[str]] = {0: set()}
    for node in range(tree.n_nodes):
        rows = passed[:, node]
        counts = np.bincount(y[rows], minlength=2).astype(float)
        if tree.depth[node] < 2 and counts.min() > 0:
            rules = Rules(model, X, y, rows)
            best = min(
                (
                    value
                    for rule, value, *_ in rules.rated
                    if not any(pair <= rules.columns(rule) | above[node] for pair in pairs)
                ),
                default=np.inf,
            )
            check_split(model, tree, node, best, counts)
        if not tree.is_leaf[node]:
            asked = {question.column for question in tree.rules[node].questions}
            for child in (tree.children_left[node], tree.children_right[node]):
                above[int(child)] = above[node] | asked if along_paths else set()


@pytest.mark.parametrize("seed", range(8))
def test_pools_keep_questions_apart_with_every_kind_of_solver(seed):
    random = np.random.default_rng(seed)
    answers = random.integers(0, 2, (40, 7))
    y = random.integers(0, 2, 40)
    constraints = RuleConstraints(apart=[(0, 1), (2, 5)], groups=[[0, 3], [4, 6]])
    pairs = [{0, 1}, {2, 5}] + [{p, q} for p in (0, 3) for q in (4, 6)]
    expected = judge.best_rule(
        answers,
        y,
        max_rules=3,
        criterion="gini_squared",
        operators=("or", "and"),
        allow=lambda questions: not any(pair <= set(questions) for pair in pairs),
    )
    for solver in ("enum", "highs"):
        found = best_rule(
            answers,
            y,
            max_rules=3,
            criterion="gini_squared",
            operators=("or", "and"),
            constraints=constraints,
            solver=solver,
        )
        assert found.objective == expected.objective
        assert not any(pair <= set(found.questions) for pair in pairs)
