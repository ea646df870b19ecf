"""Trees grown from mergeable counts over parts of the rows are those of the native engine.

That is the proof that an engine over a cluster's or a device's parts can return the same tree.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from numpy.typing import NDArray
from parts_engine import PartsEngine
from same_trees import assert_same
from sklearn.tree import DecisionTreeClassifier

from bsnsing import BsnsingClassifier, BsnsingEnsemble, ColumnPair, Question


def over_parts(n_parts: int, **settings: Any) -> BsnsingClassifier:
    engine = type("Parts", (PartsEngine,), {"n_parts": n_parts})
    kind = type("OverParts", (BsnsingClassifier,), {"_make_engine": staticmethod(engine)})
    return kind(**settings)


def random_table(seed: int, n_classes: int) -> tuple[pd.DataFrame, NDArray[np.int64]]:
    """Numbers of few and many values, 0/1, levels with rare ones, missing cells, noise."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(60, 140))
    X = pd.DataFrame(
        {
            "many": rng.normal(size=n),
            "few": rng.integers(0, 6, n).astype(float),
            "bit": rng.integers(0, 2, n),
            "level": rng.choice(list("aaabbccdefghij"), n),
        }
    )
    signal = 2 * (X["many"] > 0) + X["bit"] * (X["few"] > 1) + X["level"].isin(["a", "c"])
    y = np.rint(signal + rng.normal(0, 0.7, n)).clip(0, n_classes - 1).astype(int).to_numpy()
    if seed % 2:
        X = X.mask(rng.random(X.shape) < 0.1)
    return X, y


PLAIN = {"teacher": None, "min_samples_leaf": 3, "shrinkage": 0.0}
STUMP = DecisionTreeClassifier(max_depth=2, random_state=0)


@pytest.mark.parametrize("operators", [("or",), ("or", "and"), ("and",), ("or", "and", "xor")])
@pytest.mark.parametrize("criterion", ["gini_squared", "gini", "entropy", "misclassification"])
@pytest.mark.parametrize("seed", range(3))
def test_trees_are_the_same(seed: int, criterion: str, operators: tuple[str, ...]) -> None:
    X, y = random_table(seed, 2 + seed % 3)
    settings = PLAIN | {
        "criterion": criterion,
        "operators": operators,
        "max_rules": 2,
        "n_segments": 6,
    }
    expected = BsnsingClassifier(**settings).fit(X, y)
    assert expected.get_n_leaves() > 2
    assert_same(over_parts(1 + seed, **settings).fit(X, y).tree_, expected.tree_)


@pytest.mark.parametrize("max_rules", [1, 3, 4])
@pytest.mark.parametrize("seed", range(4))
def test_rules_of_any_size_are_the_same(seed: int, max_rules: int) -> None:
    X, y = random_table(seed, 2 + seed % 2)
    operators = ("or",) if max_rules == 4 else ("or", "and")
    settings = PLAIN | {"max_rules": max_rules, "n_segments": 3, "operators": operators}
    expected = BsnsingClassifier(criterion="gini", **settings).fit(X, y).tree_
    assert_same(over_parts(3, criterion="gini", **settings).fit(X, y).tree_, expected)


@pytest.mark.parametrize(
    "settings",
    [
        {"criterion": "error"},
        {"distinct_children": True},
        {"class_weight": {0: 1.0, 1: 3.5}},
        {"constraints": {"forbidden": ["few"], "one_per_column": True}},
        {"constraints": {"costs": {"many": 3, "level": 1}, "max_cost": 4}},
        {"extra_questions": [Question("many", ">", 0.123), Question("level", "in", ("a", "b"))]},
        {"extra_questions": [Question(ColumnPair("many", "*", "few"), ">", 0.5)]},
        {"extra_questions": STUMP},
        {"extra_questions": [STUMP, Question("many", ">", 0.123)], "donors_per_node": True},
        {"extra_questions": STUMP, "donors_per_node": True, "own_questions": False},
        {"max_bins": 8},
        {"max_bins": None},
        {"solver": "greedy", "max_rules": 3},
    ],
    ids=str,
)
def test_whatever_is_asked_for(settings: dict[str, Any]) -> None:
    X, y = random_table(5, 2)
    settings = PLAIN | {"max_rules": 2, "criterion": "gini"} | settings
    expected = BsnsingClassifier(**settings).fit(X, y).tree_
    assert expected.n_leaves > 1
    assert_same(over_parts(4, **settings).fit(X, y).tree_, expected)


@pytest.mark.parametrize("unit", [1, 0.37])
def test_weights_add_up_over_parts(unit: float) -> None:
    X, y = random_table(2, 3)
    weight = np.random.default_rng(0).integers(0, 5, len(y)) * unit
    expected = BsnsingClassifier(**PLAIN).fit(X, y, sample_weight=weight).tree_
    assert_same(over_parts(3, **PLAIN).fit(X, y, sample_weight=weight).tree_, expected)


def test_many_classes() -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 3)).round(1)
    y = np.digitize(X[:, 0], np.linspace(-1.5, 1.5, 11)) + (X[:, 1] > 0)
    for criterion in ("gini", "entropy"):
        settings = PLAIN | {"criterion": criterion, "max_rules": 3, "n_segments": 3}
        expected = BsnsingClassifier(**settings).fit(X, y).tree_
        assert_same(over_parts(2, **settings).fit(X, y).tree_, expected)


@pytest.mark.parametrize(
    "settings",
    [
        {"n_segments": 6, "max_rules": 2},
        {"n_segments": 6, "max_rules": 2, "multiclass": "ovr"},
        {"n_segments": 2, "column_pairs": None},
    ],
    ids=str,
)
def test_the_default_learns_the_same_from_its_teacher(settings: dict[str, Any]) -> None:
    X, y = random_table(7, 3)
    expected = BsnsingClassifier(**settings).fit(X, y)
    found = over_parts(3, **settings).fit(X, y)
    for mine, theirs in zip(found.trees_, expected.trees_, strict=True):
        assert_same(mine, theirs)
    np.testing.assert_array_equal(found.predict_proba(X), expected.predict_proba(X))


def test_parts_without_rows_change_nothing() -> None:
    X, y = random_table(4, 2)
    expected = BsnsingClassifier(**PLAIN).fit(X, y).tree_
    assert_same(over_parts(200, **PLAIN).fit(X, y).tree_, expected)


def test_ensembles_over_parts() -> None:
    X, y = random_table(3, 2)
    expected = BsnsingEnsemble(2).fit(X, y)
    found = BsnsingEnsemble(
        2,
        estimator=over_parts(
            2, ccp_alpha=0.00005, criterion="gini", max_rules=2, column_pairs=None
        ),
    ).fit(X, y)
    for mine, theirs in zip(found.trees_, expected.trees_, strict=True):
        assert_same(mine, theirs)
