"""Trees of the engine for graphics cards are those of the native engine.

Its calls are answered by NumPy here; `test_cuda_kernels.py` holds the kernels against that.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from cuda_stand_in import StandInEngine
from numpy.typing import NDArray
from same_trees import assert_same
from sklearn.tree import DecisionTreeClassifier

import bsnsing.engine.cuda.engine as cuda_engine
from bsnsing import BsnsingClassifier, ColumnPair, Question


@pytest.fixture(autouse=True)
def small_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    """Many pieces to a node, as large tables have them."""
    monkeypatch.setattr(cuda_engine, "COUNTED", 64)
    monkeypatch.setattr(cuda_engine, "MOVED", 32)


def on_device(n_bytes: int = 2**30, **settings: Any) -> BsnsingClassifier:
    engine = type("Small", (StandInEngine,), {"n_bytes": n_bytes})
    kind = type("OnDevice", (BsnsingClassifier,), {"_make_engine": staticmethod(engine)})
    return kind(**settings)


def random_table(seed: int, n_classes: int) -> tuple[pd.DataFrame, NDArray[np.int64]]:
    """Numbers of few and many values, 0/1, levels with rare ones, missing cells, noise."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(150, 400))
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
    assert_same(on_device(**settings).fit(X, y).tree_, expected.tree_)


@pytest.mark.parametrize("max_rules", [1, 3, 4])
@pytest.mark.parametrize("seed", range(3))
def test_rules_of_any_size_are_the_same(seed: int, max_rules: int) -> None:
    X, y = random_table(seed, 2 + seed % 2)
    operators = ("or",) if max_rules == 4 else ("or", "and")
    settings = PLAIN | {"max_rules": max_rules, "n_segments": 3, "operators": operators}
    expected = BsnsingClassifier(criterion="gini", **settings).fit(X, y).tree_
    assert_same(on_device(criterion="gini", **settings).fit(X, y).tree_, expected)


@pytest.mark.parametrize(
    "settings",
    [
        {"criterion": "error"},
        {"distinct_children": True},
        {"class_weight": {0: 1.0, 1: 3.5}},
        {"constraints": {"forbidden": ["few"], "one_per_column": True}},
        {"constraints": {"costs": {"many": 3, "level": 1}, "max_cost": 4}},
        {"monotonic_cst": {"many": 1}},
        {"max_columns": 2},
        {"extra_questions": [Question("many", ">", 0.123), Question("level", "in", ("a", "b"))]},
        {"extra_questions": [Question(ColumnPair("many", "*", "few"), ">", 0.5)]},
        {"extra_questions": [STUMP, Question("many", ">", 0.123)], "donors_per_node": True},
        {"max_bins": 8},
        {"max_bins": None},
        {"solver": "greedy", "max_rules": 3},
        {"solver": "highs", "criterion": "error", "operators": ("or",)},
    ],
    ids=str,
)
def test_whatever_is_asked_for(settings: dict[str, Any]) -> None:
    if settings.get("solver") == "highs":
        pytest.importorskip("highspy")
        settings |= {"n_segments": 2, "max_depth": 2}
    X, y = random_table(5, 2)
    settings = PLAIN | {"max_rules": 2, "criterion": "gini"} | settings
    expected = BsnsingClassifier(**settings).fit(X, y).tree_
    assert expected.n_leaves > 1
    assert_same(on_device(**settings).fit(X, y).tree_, expected)


@pytest.mark.parametrize("unit", [1, 0.37])
def test_weights(unit: float) -> None:
    X, y = random_table(2, 3)
    weight = np.random.default_rng(0).integers(0, 7, len(y)) * unit
    expected = BsnsingClassifier(**PLAIN).fit(X, y, sample_weight=weight).tree_
    assert_same(on_device(**PLAIN).fit(X, y, sample_weight=weight).tree_, expected)


def test_many_classes() -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 3)).round(1)
    y = np.digitize(X[:, 0], np.linspace(-1.5, 1.5, 11)) + (X[:, 1] > 0)
    settings = PLAIN | {"criterion": "entropy", "max_rules": 3, "n_segments": 3}
    expected = BsnsingClassifier(**settings).fit(X, y).tree_
    assert_same(on_device(**settings).fit(X, y).tree_, expected)


def test_codes_of_two_bytes() -> None:
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(600, 2)), rng.integers(0, 2, 600)
    settings = PLAIN | {"max_bins": None, "max_depth": 3}
    expected = BsnsingClassifier(**settings).fit(X, y).tree_
    assert_same(on_device(**settings).fit(X, y).tree_, expected)


def test_little_memory_is_used_bit_by_bit() -> None:
    X, y = random_table(4, 3)
    expected = BsnsingClassifier(**PLAIN).fit(X, y).tree_
    assert_same(on_device(n_bytes=1, **PLAIN).fit(X, y).tree_, expected)


def test_the_default_learns_the_same_from_its_teacher() -> None:
    X, y = random_table(7, 3)
    settings = {"n_segments": 4, "max_rules": 2, "column_pairs": None}
    expected = BsnsingClassifier(**settings).fit(X, y)
    found = on_device(**settings).fit(X, y)
    assert_same(found.tree_, expected.tree_)
    np.testing.assert_array_equal(found.predict_proba(X), expected.predict_proba(X))
