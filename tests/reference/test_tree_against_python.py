"""Whole trees against a plain grower that tries every rule at every node."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import judge
import numpy as np
import pandas as pd
import pytest
from node_questions import ask_at_node
from numpy.typing import NDArray

from bsnsing import BsnsingClassifier, Question, Tree

ASKING = {"n_segments": 4, "max_levels": 4, "max_values_as_levels": 4, "bin_size": 3}


@dataclass(frozen=True)
class Branch:
    """A node with all that is below it."""

    counts: tuple[float, ...]
    rule: tuple[tuple[Question, ...], tuple[bool, ...], str] | None = None
    left: Branch | None = None
    right: Branch | None = None


@dataclass(frozen=True)
class Grower:
    """Grows as the documentation says, with no thought of speed."""

    X: pd.DataFrame
    y: NDArray[np.int64]
    min_samples_leaf: int
    stop_prob: float
    criterion: str
    operators: tuple[str, ...]
    max_rules: int

    def grow(self, rows: NDArray[np.bool_]) -> Branch:
        counts = tuple(np.bincount(self.y[rows], minlength=self.y.max() + 1).astype(float).tolist())
        if self.is_final(counts):
            return Branch(counts)
        # Rows outside the node count nothing, but tell how many values a column has in all.
        negation = "and" in self.operators
        weight = rows.astype(int)
        pool = ask_at_node(self.X, self.y, weight, negation=negation, **ASKING)
        best = judge.best_rule(
            pool.answers[rows],
            self.y[rows],
            max_rules=self.max_rules,
            min_samples_leaf=self.min_samples_leaf,
            criterion=self.criterion,
            operators=self.operators,
        )
        if best is None or not self.is_worthwhile(best.objective, counts):
            return Branch(counts)
        yes = rows & best.rule.is_true(pool.answers.astype(bool))
        asked = [pool.questions[q] for q in best.rule.questions]
        literals = [
            self.plain(*literal, rows) for literal in zip(asked, best.rule.negated, strict=True)
        ]
        questions, negated = zip(*literals, strict=True)
        return Branch(
            counts,
            (questions, negated, best.rule.operator),
            self.grow(yes),
            self.grow(rows & ~yes),
        )

    def plain(
        self, question: Question, negated: bool, rows: NDArray[np.bool_]
    ) -> tuple[Question, bool]:
        """Where no cell is missing, and none is on the threshold, "not x > 3" is "x < 3"."""
        if not negated or self.X[question.column][rows].isna().any():
            return question, negated
        if question.test in "<>" and question.value not in set(self.X[question.column][rows]):
            turned = "<" if question.test == ">" else ">"
            return Question(question.column, turned, question.value), False
        if question.test == "==" and set(self.X[question.column].dropna()) == {0.0, 1.0}:
            return Question(question.column, "==", 1.0 - question.value), False
        return question, negated

    def is_final(self, counts: tuple[float, ...]) -> bool:
        share = max(counts) / sum(counts)
        return share == 1 or share > self.stop_prob or sum(counts) < 2 * self.min_samples_leaf

    def is_worthwhile(self, objective: float, counts: tuple[float, ...]) -> bool:
        """Better than no split, and for squared sizes better than a random one in halves."""
        n = sum(counts)
        if self.criterion == "gini_squared":
            return objective < (n * n - sum(k * k for k in counts)) / 2 / 2
        unsplit = {
            "gini": n - sum(k * k for k in counts) / n,
            "entropy": -sum(k * math.log(k / n) for k in counts if k),
            "misclassification": n - max(counts),
        }[self.criterion]
        return objective < unsplit * (1 - 1e-9)


def nested(tree: Tree, node: int = 0) -> Branch:
    """A fitted tree in the same form."""
    counts, rule = tuple(tree.counts[node].tolist()), tree.rules[node]
    if rule is None:
        return Branch(counts)
    return Branch(
        counts,
        (rule.questions, rule.negated, rule.operator),
        nested(tree, int(tree.children_left[node])),
        nested(tree, int(tree.children_right[node])),
    )


def random_table(seed: int, n_classes: int) -> tuple[pd.DataFrame, NDArray[np.int64]]:
    """Numbers with few and with many values, 0/1, levels with rare ones; missing cells, noise."""
    rng = np.random.default_rng(seed)
    n_rows = int(rng.integers(25, 70))
    X = pd.DataFrame(
        {
            "many": rng.normal(size=n_rows).round(1),
            "few": rng.integers(0, rng.integers(3, 8), n_rows).astype(float),
            "bit": rng.integers(0, 2, n_rows).astype(float),
            "level": rng.choice(list("aaabbccdefg")[: rng.integers(4, 12)], n_rows),
        }
    )
    signal = (X["many"] > 0) + X["bit"] * (X["few"] > 1) + X["level"].isin(["a", "c"])
    y = (signal + rng.normal(0, rng.choice([0.0, 0.5, 1.0]), n_rows)).round()
    X = X.mask(rng.random(X.shape) < rng.choice([0.0, 0.15]))
    y = y.clip(0, n_classes - 1).to_numpy(dtype=np.int64)
    y[:n_classes] = np.arange(n_classes)
    return X, y


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("operators", [("or",), ("or", "and")])
@pytest.mark.parametrize("criterion", ["gini_squared", "gini", "entropy", "misclassification"])
@pytest.mark.parametrize("seed", range(6))
def test_trees_are_the_same(
    seed: int, criterion: str, operators: tuple[str, ...], n_classes: int
) -> None:
    X, y = random_table(seed, n_classes)
    settings: dict[str, Any] = {
        "criterion": criterion,
        "operators": operators,
        "min_samples_leaf": [1, 3, 8][seed % 3],
        "stop_prob": [0.9999, 0.8][seed % 2],
        "max_rules": 1 + (seed + n_classes) % 2,
    }
    expected = Grower(X, y, **settings).grow(np.ones(len(y), dtype=bool))
    # The judge leaves midpoints.
    model = BsnsingClassifier.plain(decimals=None, **settings, **ASKING).fit(X, y)
    assert nested(model.tree_) == expected
    assert model.tree_.optimal.all()


def test_tables_are_worth_growing_on() -> None:
    """Deep trees, every kind of question, both operators: else the test above proves little."""
    trees = [
        BsnsingClassifier.plain(min_samples_leaf=1, **ASKING)
        .fit(*random_table(seed, n_classes))
        .tree_
        for seed in range(6)
        for n_classes in (2, 3)
    ]
    rules = [rule for tree in trees for rule in tree.rules if rule]
    assert {q.test for rule in rules for q in rule.questions} == {
        ">", "<", "==", "in", "is missing"
    }  # fmt: skip
    assert {rule.operator for rule in rules} == {"or", "and"}
    assert any(negated for rule in rules for negated in rule.negated)
    assert max(tree.max_depth for tree in trees) >= 5
