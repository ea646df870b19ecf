"""Training sets: which rows are in them, with which soft labels, and what they do not depend on."""

from __future__ import annotations

import warnings
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from numpy.typing import NDArray
from scipy.sparse import csr_matrix
from sklearn.dummy import DummyClassifier
from sklearn.ensemble import RandomForestClassifier

from bsnsing import BsnsingClassifier
from bsnsing.data.weights import read_weights
from bsnsing.distill.encoder import TableEncoder
from bsnsing.distill.synthetic import make_synthetic_rows
from bsnsing.distill.training_set import TrainingSet, in_parts
from bsnsing.distill.work import columns_to_ask, count_questions, search_work
from tests.training_sets import CONFIG, table_of, teaching_of, varied


def mixed(n_rows: int = 60) -> tuple[pd.DataFrame, NDArray[np.int32]]:
    rng = np.random.default_rng(3)
    X = pd.DataFrame({"a": rng.normal(size=n_rows), "kind": rng.choice(list("uvw"), n_rows)})
    X.loc[rng.random(n_rows) < 0.2, "a"] = np.nan
    return X, (X["a"].fillna(0) + (X["kind"] == "u") > 0.4).to_numpy().astype(np.int32)


def cells(training: TrainingSet) -> list[list[float]]:
    cases = training.cases
    columns = [
        c.codes() if c.info.kind == "categorical" else c.numbers() for c in cases.table.columns
    ]
    assert cases.weights.counts is not None
    return np.nan_to_num(
        np.column_stack([*columns, cases.labels, cases.weights.counts]), nan=-99
    ).tolist()


def test_every_row_is_a_whole_case() -> None:
    shares = np.random.default_rng(0).dirichlet([0.3] * 4, 200)
    for n_parts in (CONFIG.parts, 3):
        parts = in_parts(shares, np.ones(200), n_parts)
        assert (parts.sum(axis=1) == n_parts).all()
        assert np.abs(parts / n_parts - shares).max() < 1 / n_parts


def test_parts_of_weighted_rows_follow_their_weights() -> None:
    parts = in_parts(np.array([[0.5, 0.5], [1.0, 0.0]]), np.array([2.0, 0.5]), 8)
    assert parts.tolist() == [[8, 8], [4, 0]]


def test_synthetic_rows_hold_cells_that_occur_in_their_column() -> None:
    X, y = mixed()
    training = teaching_of(X, y).training_set()
    assert training.n_rows > len(training.original)
    assert training.cases.table.n_rows > training.n_rows > len(X)
    numbers = training.cases.table.columns[0].numbers()
    assert np.isin(numbers[~np.isnan(numbers)], X["a"]).all()
    assert set(training.cases.table.columns[1].codes()) == {0, 1, 2}


@pytest.mark.parametrize("swap_chance", [0.0, 0.3, 1.0])
def test_synthetic_rows_swap_some_of_their_cells(swap_chance: float) -> None:
    X = np.tile(np.arange(500.0)[:, None], (1, 3))
    config = replace(CONFIG, swap_chance=swap_chance, times_rows=4)
    made = make_synthetic_rows(table_of(X), 2000, config, np.random.RandomState(0))
    assert made.n_rows == 1500
    for column in made.columns:
        kept = (column.numbers() == np.tile(np.arange(500), 3)).mean()
        assert kept == pytest.approx(1 - swap_chance, abs=0.05)


def test_each_part_is_of_its_row_and_each_real_row_of_a_row_of_the_user() -> None:
    X, y = mixed()
    training = teaching_of(X, y).training_set()
    assert sorted(training.original) == list(range(len(X)))
    assert (np.diff(training.row_of) >= 0).all()
    assert training.row_of[training.n_real - 1] == len(X) - 1
    codes = table_of(X).columns[1].codes()
    own = training.original[training.row_of[: training.n_real]]
    columns = training.cases.table.columns
    np.testing.assert_array_equal(columns[0].numbers()[: training.n_real], X["a"].to_numpy()[own])
    np.testing.assert_array_equal(columns[1].codes()[: training.n_real], codes[own])


def test_one_class_against_the_rest_keeps_rows_and_weights() -> None:
    X, y = mixed()
    training = teaching_of(X, y).training_set()
    other = training.of_class(0)
    np.testing.assert_array_equal(other.cases.labels, 1 - training.cases.labels)
    assert other.n_classes == 2
    assert other.cases.table is training.cases.table
    assert other.cases.weights is training.cases.weights
    assert other.row_of is training.row_of
    np.testing.assert_allclose(other.soft, training.soft[:, ::-1])
    np.testing.assert_allclose(training.of_class(1).soft, training.soft)


@pytest.mark.parametrize("n_rows", [50, 100, 200])
def test_there_are_so_many_rows_with_synthetic_ones(n_rows: int) -> None:
    """As many times the real ones as there may be, in all and for the time of a search."""
    X = np.random.default_rng(0).random((n_rows, 2))
    y = (X[:, 0] > 0.5).astype(np.int32)
    for times_rows, most_rows in ((4, 1000), (3, 10**6), (4, 250)):
        config = replace(CONFIG, times_rows=times_rows, most_rows=most_rows)
        expected = max(n_rows, min(times_rows * n_rows, most_rows))
        assert teaching_of(X, y, config=config).training_set().n_rows == expected
    if n_rows <= 150:  # else there is no time for all columns
        quick = replace(CONFIG, times_rows=4, most_work=150 * search_work(1, 16, 2))
        assert teaching_of(X, y, config=quick).training_set().n_rows == 150


def test_soft_labels_are_unrounded_and_their_parts_nearly_the_same() -> None:
    X, y = mixed()
    training = teaching_of(X, y).training_set()
    teacher, n_real = training.teacher, len(X)
    real = CONFIG.label_share * np.eye(2)[y] + (1 - CONFIG.label_share) * teacher.oob
    np.testing.assert_allclose(training.soft[:n_real], CONFIG.real_weight * real)
    np.testing.assert_allclose(training.soft[n_real:].sum(axis=1), 1)
    counts = training.cases.weights.counts
    assert counts is not None
    parts = np.zeros_like(training.soft)
    np.add.at(parts, (training.row_of, training.cases.labels), counts / CONFIG.parts)
    np.testing.assert_allclose(parts.sum(axis=1), training.soft.sum(axis=1))
    weight = np.where(np.arange(len(parts)) < n_real, CONFIG.real_weight, 1)[:, None]
    assert (np.abs(parts - training.soft) < weight / CONFIG.parts).all()


def test_whole_weights_are_repeated_rows_to_a_teacher() -> None:
    X, y = mixed()
    counts = np.random.default_rng(2).integers(1, 4, len(X))
    repeated = np.repeat(np.arange(len(X)), counts)
    weighted = teaching_of(X, y, read_weights(counts, len(X))).training_set()
    assert cells(weighted) == cells(teaching_of(X.iloc[repeated], y[repeated]).training_set())
    np.testing.assert_array_equal(weighted.original, repeated)


def test_an_unknowing_teacher_leaves_half_of_the_label() -> None:
    """A teacher that always says 1/2 softens each label to 3/4; synthetic rows are of 1/2."""
    X = np.arange(40.0)[:, None]
    y = (np.arange(40) % 2).astype(np.int32)
    config = replace(CONFIG, label_share=0.5, real_weight=3, parts=8)
    teacher = DummyClassifier(strategy="uniform")
    training = teaching_of(X, y, teacher=teacher, config=config).training_set()
    counts, labels = training.cases.weights.counts, training.cases.labels
    assert counts is not None
    values = training.cases.table.columns[0].numbers()
    is_real = counts % 3 == 0
    found = {
        (int(v), int(k)): int(w)
        for v, k, w in zip(values[is_real], labels[is_real], counts[is_real], strict=True)
    }
    assert all(found[i, i % 2] == 3 * 8 * 3 // 4 for i in range(40))
    assert all(found[i, 1 - i % 2] == 3 * 8 // 4 for i in range(40))
    assert (counts[~is_real] == 8 // 2).all()
    assert training.teacher.brier == 0.5**2 + 0.5**2
    assert is_real.sum() == training.n_real
    assert is_real[: training.n_real].all()


@pytest.mark.parametrize("label_share", [0.0, 0.25, 1.0])
def test_labels_have_their_share_in_soft_labels(label_share: float) -> None:
    X = np.arange(40.0)[:, None]
    y = (np.arange(40) % 2).astype(np.int32)
    config = replace(CONFIG, label_share=label_share)
    teacher = DummyClassifier(strategy="uniform")
    soft = teaching_of(X, y, teacher=teacher, config=config).training_set().soft[:40]
    own = (soft / soft.sum(axis=1, keepdims=True))[np.arange(40), y]
    np.testing.assert_allclose(own, label_share + (1 - label_share) / 2)


@pytest.mark.parametrize("multiclass", ["native", "ovr"])
def test_counts_are_real_cases_and_leaves_hold_enough_of_them(multiclass: str) -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(150, 3))
    y = np.digitize(X[:, 0] + X[:, 1] * X[:, 2], [-0.5, 0.5])
    model = BsnsingClassifier(min_samples_leaf=6, multiclass=multiclass).fit(X, y)
    applied = model.apply(X).reshape(150, -1)
    for position, tree in enumerate(model.trees_):
        sizes = np.bincount(applied[:, position], minlength=tree.n_nodes)
        np.testing.assert_array_equal(tree.counts.sum(axis=1)[tree.is_leaf], sizes[tree.is_leaf])
        assert sizes[tree.is_leaf].min() >= 6
        assert tree.is_taught
        np.testing.assert_allclose(tree.weighted_cases[0], 150)
    for tree, evidence, _ in model._grow(X, y, None).trees:
        np.testing.assert_allclose(evidence.learnt[0].sum(), 150)
        np.testing.assert_allclose(evidence.real.sum(axis=1), tree.counts.sum(axis=1))


def test_the_same_data_give_the_same_tree_in_any_order() -> None:
    X, y = mixed(120)
    order = np.random.default_rng(5).permutation(120)
    model = BsnsingClassifier().fit(X, y)
    other = BsnsingClassifier(n_jobs=2).fit(X.iloc[order], y[order])
    assert str(model) == str(other)
    np.testing.assert_allclose(model.predict_proba(X), other.predict_proba(X))


def test_probabilities_are_never_certain() -> None:
    X = np.arange(20.0)[:, None]
    y = (np.arange(20) >= 10).astype(int)
    for teacher in ("forest", None):
        shares = BsnsingClassifier(teacher=teacher).fit(X, y).predict_proba(X)
        assert 0 < shares.min() < shares.max() < 1


def test_large_tables_are_taught_too() -> None:
    """Each tree of the forest then sees some of the rows, and there are no synthetic ones."""
    quick = varied(n_trees=2, rows_per_tree=500)
    rng = np.random.default_rng(5)
    n_rows = CONFIG.most_rows + 1
    X = rng.integers(0, 3, size=(n_rows, 2))
    y = (X[:, 0] > 0) ^ (rng.random(n_rows) < 0.1)
    model = quick(max_depth=1).fit(X, y)
    assert model.is_taught_
    assert model.tree_.n_synthetic == 0
    assert str(model.tree_.rule(0)) in ("x0 >= 1", "x0 < 1", "x0 == 0")
    # As many whole weights count, but are not repeated.
    weights = [n_rows // 2, n_rows - n_rows // 2]
    heavy = quick(min_samples_leaf=1).fit([[0], [1]], [0, 1], sample_weight=weights)
    assert heavy.is_taught_
    assert heavy.tree_.counts[0].tolist() == weights
    assert heavy.tree_.n_leaves == 2


def test_teachers_see_the_same_cells_in_sparse_and_dense_tables() -> None:
    X = np.random.default_rng(0).integers(-1, 2, (50, 6)) * 1.5
    X[3, 2] = np.nan
    dense, sparse = (
        TableEncoder.of(table, 30).matrix(table) for table in (table_of(X), table_of(csr_matrix(X)))
    )
    np.testing.assert_array_equal(sparse.toarray(), np.nan_to_num(dense))


def test_wide_tables_are_asked_about_the_columns_that_matter() -> None:
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(100, 30)))
    X["kind"] = rng.choice(list("uvw"), 100)
    X.columns = X.columns.astype(str)
    y = ((X["7"] > 0) ^ (X["kind"] == "u")).to_numpy().astype(np.int32)
    assert teaching_of(X, y).training_set().asked_columns is None
    work = {"most_work": 100 * 30.0**2, "times_rows": 4}
    assert count_questions(table_of(X), 8, 30).sum() == 30 * 8 + 3
    training = teaching_of(X, y, config=replace(CONFIG, **work)).training_set()
    assert training.asked_columns is not None
    names = X.columns[training.asked_columns]
    assert {"7", "kind"} <= set(names)
    assert 2 <= len(names) <= 4  # 30 questions in all
    n_most = work["most_work"] / search_work(1, 8 * (len(names) - 1) + 3, 2)
    assert 100 <= training.n_rows <= max(100, n_most)
    hurried = varied(**work)
    tree = hurried(n_segments=8, column_pairs=None).fit(X, y).tree_
    assert len(np.unique(tree.question_column)) <= 4  # a forest of few columns may choose others
    must = {"required": ["3"]}
    rules = hurried(n_segments=8, constraints=must).fit(X, y).tree_.rules
    assert all("3" in str(rule) for rule in rules if rule)


def test_more_questions_leave_time_for_fewer_columns() -> None:
    importances, n_questions = np.arange(64.0), np.full(64, 8)
    config = replace(CONFIG, most_work=search_work(4000, 32 * 8), most_rows=5000)
    few = columns_to_ask(importances, n_questions, 4000, config)
    assert columns_to_ask(importances, n_questions // 2, 4000, config).all()
    assert columns_to_ask(None, n_questions, 4000, config).all()
    assert few.tolist() == [False] * 32 + [True] * 32  # those that matter most
    # More rows than there are with synthetic ones leave no fewer columns.
    at_most = columns_to_ask(importances, n_questions, 5000, config).sum()
    assert columns_to_ask(importances, n_questions, 10**6, config).sum() == at_most < 32


class Selective(RandomForestClassifier):
    """A teacher that says what matters of fewer columns than it was shown."""

    @property
    def feature_importances_(self) -> NDArray[np.float64]:
        return super().feature_importances_[:1]


def test_other_teachers_ask_for_no_larger_leaves() -> None:
    X, y = mixed()
    teacher = RandomForestClassifier(20, min_samples_leaf=20, oob_score=True, random_state=0)
    assert BsnsingClassifier(teacher=teacher).fit(X, y).min_samples_leaf_ == min(CONFIG.leaf_rows)


def test_whole_weights_are_repeated_rows_as_long_as_these_are_few() -> None:
    X, y = mixed(30)
    for most_rows, n_rows in ((3000, 3000), (2999, 30)):
        teaching = teaching_of(
            X, y, read_weights(np.full(30, 100), 30), config=replace(CONFIG, most_rows=most_rows)
        )
        assert len(teaching.training_set().original) == n_rows


def test_importances_of_other_columns_are_not_used() -> None:
    X, y = mixed()
    selective, whole = Selective(10, random_state=0), RandomForestClassifier(10, random_state=0)
    assert teaching_of(X, y, teacher=selective).training_set().teacher.importances is None
    found = teaching_of(X, y, teacher=whole).training_set().teacher.importances
    assert found is not None
    assert len(found) == 2  # the levels of a column count together
    assert found.sum() == pytest.approx(1)


def test_a_table_without_questions_is_taught_in_silence() -> None:
    X = pd.DataFrame({"text": pd.Series([None] * 20, dtype=object)})
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = BsnsingClassifier().fit(X, np.arange(20) % 2)
    assert model.get_n_leaves() == 1


@pytest.mark.parametrize("n_rows", [40, 2000])
@pytest.mark.parametrize("n_values", [2, 5, 1000])
def test_sparse_columns_have_the_questions_of_dense_ones(n_rows: int, n_values: int) -> None:
    rng = np.random.default_rng(n_rows + n_values)
    cells = rng.integers(0, n_values, (n_rows, 4)).astype(float)
    cells[rng.random(cells.shape) < 0.8] = 0
    cells[3, 1] = np.nan
    dense, sparse = (
        count_questions(table_of(X), 8, 30).tolist() for X in (cells, csr_matrix(cells))
    )
    assert sparse == dense
