"""The default tree depends on nothing but information: not on order, names or units.

Each change leaves what a table tells as it is, and says what the new names stand for. The judge
fits both tables, and compares the trees node by node, in the old names.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy.sparse import csr_matrix
from sklearn.datasets import load_breast_cancer, load_iris, load_wine

from bsnsing import (
    BsnsingClassifier,
    BsnsingClassifierCV,
    BsnsingEnsemble,
    ColumnPair,
    Question,
    Tree,
)
from tests.training_sets import varied

# A few trees are enough of a teacher where many tables are tried.
Quick = varied(n_trees=5, times_rows=2)


@dataclass(frozen=True)
class Told:
    """A table, and what its rows, columns, levels and labels were called before."""

    X: pd.DataFrame
    y: NDArray[Any]
    weights: NDArray[Any] | None = None
    rows: NDArray[np.intp] = field(default_factory=lambda: np.arange(0))  # of the first table
    columns: dict[str, str] = field(default_factory=dict)  # old names by new ones
    levels: dict[str, dict[Any, Any]] = field(default_factory=dict)  # by the new name of a column
    labels: dict[Any, Any] = field(default_factory=dict)

    @classmethod
    def first(cls, X: pd.DataFrame, y: NDArray[Any], weights: NDArray[Any] | None = None) -> Told:
        return cls(X, y, weights, np.arange(len(X)))

    def column(self, name: str) -> str:
        return self.columns.get(name, name)

    def label(self, name: Any) -> Any:
        return self.labels.get(name, name)


Change = Callable[[Told, np.random.Generator], Told]
CHANGES: dict[str, Change] = {}


def change(function: Change) -> Change:
    CHANGES[function.__name__] = function
    return function


@change
def other_order_of_rows(told: Told, rng: np.random.Generator) -> Told:
    order = rng.permutation(len(told.X))
    weights = None if told.weights is None else told.weights[order]
    X, y, rows = told.X.iloc[order], told.y[order], told.rows[order]
    return replace(told, X=X, y=y, weights=weights, rows=rows)


@change
def other_order_of_columns(told: Told, rng: np.random.Generator) -> Told:
    return replace(told, X=told.X[rng.permutation(told.X.columns)])


@change
def other_names_of_columns(told: Told, rng: np.random.Generator) -> Told:
    old = list(told.X.columns)
    new = [f"column {i}" for i in rng.permutation(len(old))]
    names = {a: told.column(b) for a, b in zip(new, old, strict=True)}
    levels = {a: told.levels[b] for a, b in zip(new, old, strict=True) if b in told.levels}
    return replace(told, X=told.X.set_axis(new, axis=1), columns=names, levels=levels)


@change
def other_names_of_levels(told: Told, rng: np.random.Generator) -> Told:
    """Their order by name changes too."""
    X, levels = told.X.copy(), dict(told.levels)
    for name in X.columns.difference(X.select_dtypes(("number", "bool")).columns, sort=False):
        old = sorted(X[name].dropna().unique())
        new = [f"level {i:03d}" for i in rng.permutation(len(old))]
        X[name] = X[name].astype(object).map(dict(zip(old, new, strict=True)))
        before = told.levels.get(name, {})
        levels[name] = {a: before.get(b, b) for a, b in zip(new, old, strict=True)}
    return replace(told, X=X, levels=levels)


@change
def other_names_of_labels(told: Told, rng: np.random.Generator) -> Told:
    """Their order by name changes too; two labels are swapped."""
    old = np.unique(told.y)
    new = np.array([f"label {i}" for i in np.roll(rng.permutation(len(old)), 1)])
    if len(old) == 2:
        new = np.array(["label 1", "label 0"])
    labels = {a: told.label(b) for a, b in zip(new.tolist(), old.tolist(), strict=True)}
    return replace(told, y=new[np.searchsorted(old, told.y)], labels=labels)


@change
def other_units(told: Told, rng: np.random.Generator) -> Told:
    X = told.X.copy()
    for name in X.select_dtypes("number"):
        X[name] = X[name] * 10.0 ** rng.integers(-60, 60) * rng.uniform(1, 10)
    return replace(told, X=X)


def exact_units(told: Told, rng: np.random.Generator) -> Told:
    """Powers of two, by which nothing is rounded."""
    X = told.X.copy()
    for name in X.select_dtypes("number"):
        X[name] = X[name] * 2.0 ** rng.integers(-200, 200)
    return replace(told, X=X)


@change
def columns_that_say_nothing(told: Told, rng: np.random.Generator) -> Told:
    X = told.X.copy()
    nothing: dict[str, Any] = {
        "one": 1.0,
        "text": "text",
        "flag": True,
        "missing": np.nan,
        "no text": pd.Series([None] * len(X), X.index, dtype=object),
    }
    for name, cells in nothing.items():
        X.insert(int(rng.integers(len(X.columns) + 1)), name, cells)
    return replace(told, X=X)


@change
def columns_that_say_the_same(told: Told, rng: np.random.Generator) -> Told:
    """Some of them come first, so that the tree asks about them."""
    X, columns, levels = told.X.copy(), dict(told.columns), dict(told.levels)
    for i, name in enumerate(rng.choice(told.X.columns, 3)):
        X.insert(int(rng.integers(len(X.columns) + 1)), f"copy {i}", told.X[name])
        columns[f"copy {i}"] = told.column(name)
        levels[f"copy {i}"] = told.levels.get(name, {})
    return replace(told, X=X, columns=columns, levels=levels)


def described(tree: Tree, told: Told) -> list[Any]:
    """Each node in the old names: rule, children, cases and probabilities."""
    order = sorted(range(len(tree.classes)), key=lambda i: str(told.label(tree.classes[i])))
    return [
        (
            None if node.rule is None else (node.rule.operator, node.rule.negated),
            None if node.rule is None else [asked(q, told) for q in node.rule.questions],
            (node.left, node.right),
            tree.counts[node.id][order].tolist(),
            tree.value[node.id][order].tolist(),
            tree.impurity[node.id],
            np.nan_to_num([node.objective, node.bound, node.best_own_objective], nan=-1).tolist(),
            (bool(node.optimal), bool(node.best_own_proven)),
        )
        for node in tree
    ]


def asked(question: Question, told: Told) -> Any:
    """What a question is about; thresholds are judged by where rows go."""
    if isinstance(question.column, ColumnPair):
        pair = question.column
        return told.column(pair.first), pair.sign, told.column(pair.second), question.test
    name = told.column(question.column)
    if question.test not in ("==", "in") or not isinstance(question.value, str | tuple):
        return name, question.test
    values = question.value if isinstance(question.value, tuple) else (question.value,)
    names = told.levels.get(question.column, {})
    return name, question.test, frozenset(names.get(value, value) for value in values)


def assert_same(model: Any, other: Any, first: Told, told: Told) -> None:
    """Both are fitted, to either table; the one comes from the other."""
    labels = [told.label(label) for label in other.classes_.tolist()]
    order = [labels.index(label) for label in model.classes_.tolist()]
    trees = other.trees_
    if len(trees) == len(labels) > 1 and len(model.classes_) > 2:  # one per class
        trees = [trees[place] for place in order]
    for tree, same in zip(model.trees_, trees, strict=True):
        assert described(same, told) == described(tree, first)
    # Rows without weight may lie on a threshold, which is rounded with the unit.
    counts = slice(None) if told.weights is None else told.weights > 0
    expected = model.predict_proba(first.X)[told.rows][counts]
    # Sums over the trees of all classes are rounded; one tree gives what it says.
    rounding = 0.0 if len(trees) == 1 else 1e-14
    found = other.predict_proba(told.X)[:, order][counts]
    np.testing.assert_allclose(found, expected, rtol=rounding)


def load(loader: Any) -> Told:
    X, y = loader(return_X_y=True, as_frame=True)
    return Told.first(X, y.to_numpy())


def with_levels(seed: int = 0) -> Told:
    """Wine with its colour, which tells something, in levels; and cells that are missing."""
    wine = load(load_wine)
    rng, X = np.random.default_rng(seed), wine.X.copy()
    colours = pd.qcut(X["color_intensity"], 6, labels=False) + rng.integers(0, 2, len(X))
    X["colour"] = np.array(list("uwasxnb"), dtype=object)[colours]
    X["place"] = rng.choice(np.array(list("abcd"), dtype=object), len(X))
    told_by_it = ["color_intensity", "hue", "proline", "flavanoids", "alcohol"]
    X = X.drop(columns=[*told_by_it, "od280/od315_of_diluted_wines"])
    return replace(wine, X=X.mask(rng.random(X.shape) < 0.05))


def slanting() -> Told:
    """Two columns that matter by their ratio."""
    rng = np.random.default_rng(1)
    X = pd.DataFrame(rng.lognormal(size=(700, 4)), columns=list("abcd"))
    return Told.first(X, (X["a"] > 1.3 * X["c"]).to_numpy().astype(int))


TABLES: dict[str, Callable[[], Told]] = {
    "iris": lambda: load(load_iris),
    "wine": lambda: load(load_wine),
    "breast cancer": lambda: load(load_breast_cancer),
    "levels": with_levels,
    "slanting": slanting,
}


@cache
def fitted(name: str) -> BsnsingClassifier:
    told = TABLES[name]()
    model = BsnsingClassifier().fit(told.X, told.y)
    assert model.get_n_leaves() > 2
    return model


@pytest.mark.parametrize("name", CHANGES)
@pytest.mark.parametrize("table", TABLES)
def test_the_default_is_the_same_tree(table: str, name: str) -> None:
    first = TABLES[table]()
    told = CHANGES[name](first, np.random.default_rng(3))
    assert_same(fitted(table), BsnsingClassifier().fit(told.X, told.y), first, told)


# Of tables with more rows than that the teacher learns a sample.
FewTaught = varied(most_taught=80, n_trees=5)


@pytest.mark.parametrize("name", CHANGES)
@pytest.mark.parametrize("table", ["wine", "levels"])
def test_of_a_large_table_too(table: str, name: str) -> None:
    first = TABLES[table]()
    told = CHANGES[name](first, np.random.default_rng(3))
    model = FewTaught().fit(first.X, first.y)
    assert_same(model, FewTaught().fit(told.X, told.y), first, told)


def test_the_tables_ask_about_levels_and_pairs() -> None:
    """Else the above would show little."""
    assert fitted("slanting").tree_.pairs
    columns = {q.column for rule in fitted("levels").tree_.rules if rule for q in rule.questions}
    assert "colour" in columns


def all_changes(first: Told, seed: int, names: tuple[str, ...] = tuple(CHANGES)) -> Told:
    rng, told = np.random.default_rng(seed), first
    for name in rng.permutation(names):
        told = (exact_units if name == "exact_units" else CHANGES[name])(told, rng)
    return told


# Cells of whole numbers may lie on the threshold of a rule that they only come to as a small leaf
# is left out; in other units, both are rounded.
EXACT = (*(name for name in CHANGES if name != "other_units"), "exact_units")


def label_weights(told: Told, weights: dict[Any, float]) -> dict[Any, float]:
    return {label: weights[told.label(label)] for label in np.unique(told.y).tolist()}


@pytest.mark.parametrize("kind", ["whole", "fractions"])
@pytest.mark.parametrize("table", ["iris", "levels"])
def test_weights_are_part_of_what_is_told(table: str, kind: str) -> None:
    rng, plain = np.random.default_rng(0), TABLES[table]()
    n = len(plain.y)
    weights = rng.integers(0, 4, n) if kind == "whole" else rng.uniform(0.1, 3, n).round(2)
    first = replace(plain, weights=weights)
    told = all_changes(first, 5)
    model = BsnsingClassifier().fit(first.X, first.y, first.weights)
    other = BsnsingClassifier().fit(told.X, told.y, told.weights)
    assert_same(model, other, first, told)


@pytest.mark.parametrize("scale", [0.25, 3.7, 1e-6, 1e6])
def test_other_units_of_fractional_weights_leave_rules_and_rows_as_they_are(scale: float) -> None:
    first = with_levels()
    weights = np.random.default_rng(0).uniform(0.1, 3, len(first.y))
    model = BsnsingClassifier().fit(first.X, first.y, weights)
    other = BsnsingClassifier().fit(first.X, first.y, weights * scale)
    assert str(model) == str(other)
    expected = model.predict_proba(first.X)
    np.testing.assert_allclose(other.predict_proba(first.X), expected, rtol=1e-9)


@pytest.mark.parametrize("multiclass", ["native", "ovr"])
def test_class_weights_go_with_their_labels(multiclass: str) -> None:
    first = with_levels()
    told = all_changes(first, 6)
    weights = {0: 1.0, 1: 3.0, 2: 0.5}
    model, other = (
        BsnsingClassifier(multiclass=multiclass, class_weight=label_weights(t, weights)).fit(
            t.X, t.y
        )
        for t in (first, told)
    )
    assert_same(model, other, first, told)


@pytest.mark.parametrize("class_weight", [None, "balanced"])
@pytest.mark.parametrize("table", ["iris", "levels", "slanting"])
def test_one_tree_per_class(table: str, class_weight: Any) -> None:
    first = TABLES[table]()
    told = all_changes(first, 7)
    model, other = (
        BsnsingClassifier(multiclass="ovr", class_weight=class_weight).fit(t.X, t.y)
        for t in (first, told)
    )
    assert_same(model, other, first, told)


def test_ensembles() -> None:
    first = with_levels()
    told = all_changes(first, 8, EXACT)
    model, other = (BsnsingEnsemble(2).fit(t.X, t.y) for t in (first, told))
    assert_same(model, other, first, told)


def test_cross_validation() -> None:
    """Its folds are drawn from rows in the order of their labels; these stay."""
    first = with_levels()
    names = tuple(n for n in CHANGES if n not in ("other_order_of_rows", "other_names_of_labels"))
    told = all_changes(first, 9, names)
    model, other = (BsnsingClassifierCV(Quick(), cv=2).fit(t.X, t.y) for t in (first, told))
    assert model.best_params_ == other.best_params_
    assert_same(model, other, first, told)


@pytest.mark.parametrize("groups", [["a", "b", "c"], ["c", "d"]])
def test_columns_that_share_a_unit(groups: list[str]) -> None:
    first = slanting()
    first = replace(first, y=(first.X["c"] - first.X["a"] > 0.5).to_numpy().astype(int))
    for name in ("other_order_of_rows", "other_order_of_columns", "other_names_of_columns"):
        told = CHANGES[name](first, np.random.default_rng(2))
        new = {told.column(column): column for column in told.X.columns}
        model = BsnsingClassifier(column_pairs=[groups]).fit(first.X, first.y)
        same = BsnsingClassifier(column_pairs=[[new[c] for c in groups]]).fit(told.X, told.y)
        assert_same(model, same, first, told)


@pytest.mark.parametrize("shift", [1.0, -1e3, 1e9])
@pytest.mark.parametrize("table", ["iris", "wine", "breast cancer", "levels"])
def test_where_zero_lies_does_not_matter_without_pairs(table: str, shift: float) -> None:
    first = TABLES[table]()
    assert fitted(table).tree_.pairs == ()
    X = first.X.copy()
    numbers = X.select_dtypes("number").columns
    X[numbers] += shift
    assert (X[numbers].nunique() == first.X[numbers].nunique()).all()
    told = replace(first, X=X)
    model, other = (BsnsingClassifier(column_pairs=None).fit(t.X, t.y) for t in (first, told))
    assert_same(model, other, first, told)


INCREASING: dict[str, Callable[[Any], Any]] = {
    "cube": lambda x: x**3,
    "arcsinh": np.arcsinh,
    "rank": lambda x: x.rank(),
    "steep": lambda x: np.exp(30 * x / x.abs().max()),
    "beyond single precision": lambda x: 1 + x / x.abs().max() * 1e-6,
}


@pytest.mark.parametrize("name", INCREASING)
@pytest.mark.parametrize("table", TABLES)
def test_what_keeps_the_order_of_values_keeps_the_tree_without_pairs(table: str, name: str) -> None:
    first = TABLES[table]()
    X = first.X.copy()
    numbers = X.select_dtypes("number").columns
    for column in numbers:
        X[column] = INCREASING[name](X[column])
    assert (X[numbers].nunique() == first.X[numbers].nunique()).all()
    told = replace(first, X=X)
    model, other = (BsnsingClassifier(column_pairs=None).fit(t.X, t.y) for t in (first, told))
    assert_same(model, other, first, told)


@st.composite
def tables(draw: st.DrawFn) -> Told:
    """Small tables of numbers and levels, perhaps with missing cells and weights."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n_rows, n_classes = draw(st.integers(15, 70)), draw(st.integers(2, 4))
    X = pd.DataFrame(
        {f"n{i}": rng.normal(size=n_rows) for i in range(draw(st.integers(1, 3)))}
        # Not 0 and 1, which are asked about as "== 0", and in another unit as "< 0.5".
        | {f"f{i}": rng.integers(2, 6, n_rows) for i in range(draw(st.integers(0, 2)))}
        | {f"l{i}": levels_of(rng, n_rows) for i in range(draw(st.integers(0, 2)))}
    )
    y = rng.integers(n_classes, size=n_rows)
    y = np.where(X["n0"] > draw(st.sampled_from([0.0, 0.7])), 0, y)
    if draw(st.booleans()):
        # Not in the first column, which tells all rows apart: rows that only levels of their own
        # tell apart could change places, and nothing but their order says which comes first.
        X = X.mask((rng.random(X.shape) < 0.1) & (X.columns != "n0"))
    weights = draw(
        st.sampled_from([None, rng.integers(0, 3, n_rows), rng.uniform(0.2, 2, n_rows).round(1)])
    )
    return Told.first(X, y, weights)


def levels_of(rng: np.random.Generator, n_rows: int) -> NDArray[np.object_]:
    """Three to forty, which may be more than a tree asks about one by one."""
    n_levels = int(rng.choice([3, 6, 40]))
    return np.array([f"l{i}" for i in rng.integers(n_levels, size=n_rows)], dtype=object)


@settings(max_examples=40)
@given(tables(), st.integers(0, 1000), st.sampled_from(["native", "ovr"]))
@pytest.mark.filterwarnings("ignore:.*left out")
def test_all_changes_of_any_table(first: Told, seed: int, multiclass: str) -> None:
    if (np.bincount(first.y, first.weights) > 0).sum() < 2:
        return
    told = all_changes(first, seed, EXACT)
    model = Quick(multiclass=multiclass, ccp_alpha=0.001).fit(first.X, first.y, first.weights)
    other = Quick(multiclass=multiclass, ccp_alpha=0.001).fit(told.X, told.y, told.weights)
    assert_same(model, other, first, told)


@settings(max_examples=30)
@given(tables(), st.integers(0, 1000), st.sampled_from(["native", "ovr"]))
@pytest.mark.filterwarnings("ignore:.*left out")
def test_all_changes_of_any_large_table(first: Told, seed: int, multiclass: str) -> None:
    if (np.bincount(first.y, first.weights) > 0).sum() < 2:
        return
    told = all_changes(first, seed, EXACT)
    learner = varied(most_taught=12, n_trees=5)
    model = learner(multiclass=multiclass, ccp_alpha=0.001).fit(first.X, first.y, first.weights)
    other = learner(multiclass=multiclass, ccp_alpha=0.001).fit(told.X, told.y, told.weights)
    assert_same(model, other, first, told)


@settings(max_examples=25)
@given(tables(), st.integers(0, 1000))
@pytest.mark.filterwarnings("ignore:.*left out")
def test_whole_weights_are_repeated_rows(first: Told, seed: int) -> None:
    weights = np.random.default_rng(seed).integers(0, 4, len(first.y))
    if len(np.unique(first.y[weights > 0])) < 2:
        return
    rows = np.repeat(np.arange(len(weights)), weights)
    model = Quick(ccp_alpha=0.001).fit(first.X, first.y, weights)
    repeated = Quick(ccp_alpha=0.001).fit(first.X.iloc[rows], first.y[rows])
    if len(model.classes_) == len(repeated.classes_):
        assert described(model.tree_, first) == described(repeated.tree_, first)


def board(n_values: int, n_columns: int) -> NDArray[np.int64]:
    """Every combination of values: columns, and many rows with them, could change places."""
    return np.array(list(itertools.product(range(1, n_values + 1), repeat=n_columns)))


@pytest.mark.parametrize(
    ("X", "rule"),
    [
        (board(4, 4), lambda X: np.sign(X[:, 0] * X[:, 1] - X[:, 2] * X[:, 3])),
        (board(2, 8), lambda X: (X.sum(axis=1) >= 12).astype(int)),
    ],
    ids=["balance", "at least four of eight"],
)
def test_rows_may_come_in_any_order_where_columns_could_change_places(
    X: NDArray[np.int64], rule: Callable[[NDArray[np.int64]], NDArray[np.int64]]
) -> None:
    y = rule(X)
    expected = BsnsingClassifier().fit(X, y).predict_proba(X)
    for seed in range(2):
        order = np.random.default_rng(seed).permutation(len(X))
        model = BsnsingClassifier().fit(X[order], y[order])
        np.testing.assert_array_equal(model.predict_proba(X), expected)


def test_levels_that_could_change_places_leave_rows_in_any_order() -> None:
    """Suits and colours of cards: each level has a twin."""
    X = pd.DataFrame(
        list(itertools.product("abcd", "wxyz", range(5))), columns=["suit", "hue", "n"]
    )
    y = ((X["suit"] == "a") == (X["hue"] == "w")).to_numpy()
    expected = BsnsingClassifier().fit(X, y).predict_proba(X)
    order = np.random.default_rng(0).permutation(len(X))
    model = BsnsingClassifier().fit(X.iloc[order], y[order])
    np.testing.assert_array_equal(model.predict_proba(X), expected)


def test_sparse_tables_with_missing_cells_get_the_tree_of_dense_ones() -> None:
    rng = np.random.default_rng(0)
    X = np.where(rng.random((150, 4)) < 0.5, 0.0, rng.normal(size=(150, 4)))
    X[rng.random(X.shape) < 0.05] = np.nan
    y = np.nan_to_num(X[:, 0]) + rng.normal(size=150) / 2 > 0
    dense, sparse = (BsnsingClassifier().fit(form, y) for form in (X, csr_matrix(X)))
    np.testing.assert_array_equal(dense.predict_proba(X), sparse.predict_proba(X))
