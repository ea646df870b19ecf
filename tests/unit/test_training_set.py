"""Lessons: who is in them, what they say, and what they do not depend on."""

from __future__ import annotations

import warnings

import numpy as np
import pandas as pd
import pytest
from numpy.typing import NDArray
from scipy.sparse import csr_matrix
from sklearn.dummy import DummyClassifier
from sklearn.ensemble import RandomForestClassifier

from bsnsing import BsnsingClassifier
from bsnsing import _forest as forest_module
from bsnsing import _teacher as teacher_module
from bsnsing._table import Table, read_training_table
from bsnsing._teacher import (
    Lesson,
    _columns_to_ask,
    _Encoder,
    _in_parts,
    _most_questions,
    _most_rows,
    _noise,
    canonical_order,
    prepare_lesson,
    search_work,
)
from bsnsing._weights import CaseWeights, read_weights

NONE = CaseWeights(None, 1.0)


def mixed(n_rows: int = 60) -> tuple[pd.DataFrame, NDArray[np.int32]]:
    rng = np.random.default_rng(3)
    X = pd.DataFrame({"a": rng.normal(size=n_rows), "kind": rng.choice(list("uvw"), n_rows)})
    X.loc[rng.random(n_rows) < 0.2, "a"] = np.nan
    return X, (X["a"].fillna(0) + (X["kind"] == "u") > 0.4).to_numpy().astype(np.int32)


def table_of(X: object) -> Table:
    return read_training_table(BsnsingClassifier(), X)


def lesson_of(X: object, y: NDArray[np.int32], weights: CaseWeights = NONE) -> Lesson:
    state = np.random.RandomState(0)
    return prepare_lesson("forest", table_of(X), y, 2, weights, 8, state, 1)


def cells(lesson: Lesson) -> list[list[float]]:
    columns = [
        c.codes() if c.info.kind == "categorical" else c.numbers() for c in lesson.table.columns
    ]
    assert lesson.weights.counts is not None
    return np.nan_to_num(
        np.column_stack([*columns, lesson.codes, lesson.weights.counts]), nan=-99
    ).tolist()


def test_every_row_is_a_whole_case() -> None:
    shares = np.random.default_rng(0).dirichlet([0.3] * 4, 200)
    parts = _in_parts(shares, np.ones(200))
    assert (parts.sum(axis=1) == teacher_module._PARTS).all()
    assert np.abs(parts / teacher_module._PARTS - shares).max() < 1 / teacher_module._PARTS


def test_parts_of_weighted_rows_follow_their_weights() -> None:
    parts = _in_parts(np.array([[0.5, 0.5], [1.0, 0.0]]), np.array([2.0, 0.5]))
    assert parts.tolist() == [[8, 8], [4, 0]]


def test_made_up_rows_hold_cells_that_occur_in_their_column() -> None:
    X, y = mixed()
    lesson = lesson_of(X, y)
    assert lesson.table.n_rows > len(X)
    numbers = lesson.table.columns[0].numbers()
    assert np.isin(numbers[~np.isnan(numbers)], X["a"]).all()
    assert set(lesson.table.columns[1].codes()) == {0, 1, 2}


def n_rows_of(lesson: Lesson) -> int:
    assert lesson.rows is not None
    return int(lesson.rows[-1]) + 1


def test_with_little_noise_a_teacher_is_heard_about_more_rows(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(teacher_module, "_MOST_ROWS", 120)
    rng = np.random.default_rng(0)
    X = rng.random((100, 2))
    clear = (X[:, 0] > 0.5).astype(np.int32)
    noisy = rng.integers(0, 2, 100).astype(np.int32)
    lessons = [lesson_of(X, y) for y in (noisy, clear)]
    assert lessons[0].noise > teacher_module._LITTLE_NOISE > lessons[1].noise
    assert n_rows_of(lessons[0]) == 120
    assert n_rows_of(lessons[1]) == 120 * teacher_module._TIMES_MORE
    monkeypatch.setattr(teacher_module, "_MOST_WORK", 150 * search_work(1, 16, 2))
    assert n_rows_of(lesson_of(X, clear)) == 150


@pytest.mark.parametrize(
    ("noise", "expected"),
    [(0.5, 12_000), (0.2, 12_000), (0.16, 15_000), (0.1, 24_000), (0.001, 24_000), (0.0, 24_000)],
)
def test_most_rows(noise: float, expected: int) -> None:
    assert _most_rows(noise) == pytest.approx(expected)


def test_noise_is_a_mean_over_cases_and_never_more_than_all_there_is_to_explain() -> None:
    own = np.array([[1.0, 0.0], [1.0, 0.0], [0.0, 1.0]])
    seen = np.array([[0.5, 0.5], [1.0, 0.0], [0.0, 1.0]])
    assert _noise(own, seen, np.ones(3)) == (
        pytest.approx(0.5 / 3),
        pytest.approx(0.5 / 3 / (4 / 9)),
    )
    weighted = _noise(own, seen, np.array([2.0, 0.0, 2.0]))
    assert weighted == (pytest.approx(0.25), pytest.approx(0.25 / 0.5))
    assert _noise(own, 1 - own, np.ones(3)) == (pytest.approx(2.0), 1.0)


def test_lessons_depend_on_neither_the_order_of_rows_nor_on_repeats_as_weights() -> None:
    X, y = mixed()
    expected = cells(lesson_of(X, y))
    order = np.random.default_rng(1).permutation(len(X))
    assert cells(lesson_of(X.iloc[order], y[order])) == expected
    counts = np.random.default_rng(2).integers(1, 4, len(X))
    repeated = np.repeat(np.arange(len(X)), counts)
    assert cells(lesson_of(X, y, read_weights(counts, len(X)))) == cells(
        lesson_of(X.iloc[repeated], y[repeated])
    )


def test_sparse_and_dense_tables_have_the_same_order() -> None:
    X = np.random.default_rng(0).integers(0, 2, (50, 6)).astype(float)
    y = np.arange(50, dtype=np.int32) % 2
    dense, sparse = table_of(X), table_of(csr_matrix(X))
    np.testing.assert_array_equal(canonical_order(dense, y, NONE), canonical_order(sparse, y, NONE))


def test_an_unknowing_teacher_leaves_half_of_the_label() -> None:
    """A teacher that always says 1/2 softens each label to 3/4 and makes up rows of 1/2."""
    X = np.arange(40.0)[:, None]
    y = (np.arange(40) % 2).astype(np.int32)
    state = np.random.RandomState(0)
    teacher = DummyClassifier(strategy="uniform")
    lesson = prepare_lesson(teacher, table_of(X), y, 2, NONE, 8, state, 1)
    assert lesson.weights.counts is not None
    values = lesson.table.columns[0].numbers()
    is_real = lesson.weights.counts % teacher_module._REAL == 0
    found = {
        (int(v), int(k)): int(w)
        for v, k, w in zip(
            values[is_real], lesson.codes[is_real], lesson.weights.counts[is_real], strict=True
        )
    }
    unit = teacher_module._PARTS * teacher_module._REAL
    assert all(found[i, i % 2] == unit * 3 // 4 for i in range(40))
    assert all(found[i, 1 - i % 2] == unit // 4 for i in range(40))
    assert lesson.noise == 0.5**2 + 0.5**2
    assert lesson.unexplained == 1.0
    assert is_real.sum() == lesson.n_real
    assert is_real[: lesson.n_real].all()


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
        assert tree.taught is not None
        np.testing.assert_allclose(tree.taught[0].sum(), 150)
        assert tree.softened is not None
        np.testing.assert_allclose(tree.softened.sum(axis=1), tree.counts.sum(axis=1))


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


@pytest.mark.parametrize(("n_rows", "is_taught"), [(50_000, True), (50_001, False)])
def test_large_tables_are_learnt_from_labels(
    n_rows: int, is_taught: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(forest_module, "_N_TREES", 2)
    rng = np.random.default_rng(5)
    X = rng.integers(0, 3, size=(n_rows, 2))
    y = (X[:, 0] > 0) ^ (rng.random(n_rows) < 0.1)
    model = BsnsingClassifier(max_depth=1).fit(X, y)
    assert model.is_taught_ == is_taught
    assert model.min_samples_leaf_ == (2 if is_taught else 223)
    if not is_taught:
        alone = BsnsingClassifier(max_depth=1, teacher=None).fit(X, y)
        assert str(model) == str(alone)
    # Whole weights are repeated rows here too.
    weights = [25_000, n_rows - 25_000]
    repeated = BsnsingClassifier().fit([[0], [1]], [0, 1], sample_weight=weights)
    assert repeated.is_taught_ == is_taught


def test_teachers_see_the_same_cells_in_sparse_and_dense_tables() -> None:
    X = np.random.default_rng(0).integers(-1, 2, (50, 6)) * 1.5
    X[3, 2] = np.nan
    dense, sparse = (_Encoder.of(t).matrix(t) for t in (table_of(X), table_of(csr_matrix(X))))
    np.testing.assert_array_equal(sparse.toarray(), np.nan_to_num(dense))


def test_wide_tables_are_asked_about_the_columns_that_matter(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(100, 30)))
    X["kind"] = rng.choice(list("uvw"), 100)
    X.columns = X.columns.astype(str)
    y = ((X["7"] > 0) ^ (X["kind"] == "u")).to_numpy().astype(np.int32)
    assert lesson_of(X, y).asked is None
    monkeypatch.setattr(teacher_module, "_MOST_WORK", 4 * 100 * 100.0**2)
    monkeypatch.setattr(teacher_module, "_MOST_WORK_BY_CHOICE", 4 * 100 * 30.0**2)
    assert sum(_most_questions(column, 8) for column in table_of(X).columns) == 30 * 8 + 3
    lesson = lesson_of(X, y)
    assert lesson.asked is not None
    names = X.columns[lesson.asked]
    assert {"7", "kind"} <= set(names)
    assert 2 <= len(names) <= 4  # 30 questions in all
    n_most = teacher_module._MOST_WORK_BY_CHOICE / search_work(1, 8 * (len(names) - 1) + 3, 2)
    assert 2 * 100 < n_rows_of(lesson) <= n_most  # there is room for made-up rows
    tree = BsnsingClassifier(n_segments=8, column_pairs=None).fit(X, y).tree_
    assert set(X.columns[tree.question_column]) <= set(names)
    must = {"required": ["3"]}
    rules = BsnsingClassifier(n_segments=8, constraints=must).fit(X, y).tree_.rules
    assert all("3" in str(rule) for rule in rules if rule)


def test_more_classes_leave_time_for_fewer_columns() -> None:
    importances, n_questions = np.arange(64.0), np.full(64, 8)
    few = _columns_to_ask(importances, n_questions, 4000, 10)
    assert _columns_to_ask(importances, n_questions, 4000, 2).all()
    assert _columns_to_ask(None, n_questions, 4000, 10).all()
    assert 0 < few.sum() < 64
    assert few[-few.sum() :].all()  # those that matter most
    work = search_work(4000, n_questions[few].sum(), 10)
    assert work <= teacher_module._MOST_WORK_BY_CHOICE < work * 1.2


class Selective(RandomForestClassifier):
    """A teacher that says what matters of fewer columns than it was shown."""

    @property
    def feature_importances_(self) -> NDArray[np.float64]:
        return super().feature_importances_[:1]


def test_other_teachers_ask_for_no_larger_leaves() -> None:
    X, y = mixed()
    teacher = RandomForestClassifier(20, min_samples_leaf=20, oob_score=True, random_state=0)
    assert BsnsingClassifier(teacher=teacher).fit(X, y).min_samples_leaf_ == 2


def test_whole_weights_are_repeated_rows_as_long_as_a_forest_is_asked() -> None:
    X, y = mixed(30)
    weights = np.full(30, 1000)
    found = lesson_of(X, y, read_weights(weights, 30))
    assert found.rows is not None
    assert n_rows_of(found) >= 30_000


def test_importances_of_other_columns_are_not_used() -> None:
    X, y = mixed()
    lesson = prepare_lesson(
        Selective(10, random_state=0), table_of(X), y, 2, NONE, 8, np.random.RandomState(0), 1
    )
    assert lesson.importances is None


def test_a_table_without_questions_is_taught_in_silence() -> None:
    X = pd.DataFrame({"text": pd.Series([None] * 20, dtype=object)})
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = BsnsingClassifier().fit(X, np.arange(20) % 2)
    assert model.get_n_leaves() == 1
