"""Cases in canonical order, and trees there and back."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import pytest
from numpy.typing import NDArray
from scipy.sparse import csr_matrix

from bsnsing import BsnsingClassifier, Tree
from bsnsing.data.columns import Column
from bsnsing.data.weights import CaseWeights
from bsnsing.distill.canonical import CanonicalForm, _has_missing, canonical_form
from bsnsing.tree.predict import find_leaves
from bsnsing.tree.probabilities import Evidence
from tests.training_sets import NO_WEIGHTS, cases_of, table_of


def mixed(seed: int = 0, n_rows: int = 200) -> tuple[pd.DataFrame, NDArray[np.int32]]:
    """Numbers, levels and flags with missing cells; the first two columns say nothing new."""
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(
        {
            "same": np.full(n_rows, 3.0),
            "none": np.full(n_rows, np.nan),
            "a": rng.normal(size=n_rows),
            "level": rng.choice(np.array(list("zyxw"), dtype=object), n_rows),
            "b": rng.lognormal(size=n_rows),
            "flag": rng.random(n_rows) < 0.5,
        }
    )
    signal = X["a"] + 2 * X["level"].isin(["z", "x"]) + X["b"]
    y = np.digitize(signal, [1.0, 2.5]).astype(np.int32)
    X.loc[rng.random(n_rows) < 0.1, "a"] = np.nan
    X.loc[rng.random(n_rows) < 0.1, "level"] = None
    return X, y


def form_of(
    X: Any, y: NDArray[np.int32], weights: CaseWeights = NO_WEIGHTS, *, keeps_all: bool = False
) -> CanonicalForm:
    return canonical_form(cases_of(X, y, weights), int(y.max()) + 1, keeps_all=keeps_all)


def cells(column: Column) -> NDArray[Any]:
    """Names of levels, or numbers."""
    if column.info.kind == "categorical":
        return np.array([*column.info.levels, None], dtype=object)[column.codes()]
    return column.numbers()


def rows_of(form: CanonicalForm, X: pd.DataFrame) -> NDArray[np.intp]:
    """Which of the given rows each is, by the numbers of a column without ties."""
    place = [info.name for info in form.cases.table.info].index("b")
    numbers = form.cases.table.columns[place].numbers()
    ascending = np.argsort(X["b"].to_numpy())
    return ascending[np.searchsorted(X["b"].to_numpy()[ascending], numbers)]


def assert_same_tree(tree: Tree, other: Tree) -> None:
    for name in Tree.__dataclass_fields__:
        np.testing.assert_array_equal(getattr(tree, name), getattr(other, name), err_msg=name)


@pytest.mark.parametrize("keeps_all", [False, True])
def test_cases_are_the_same_in_another_order(keeps_all: bool) -> None:
    X, y = mixed()
    X["id"] = np.arange(len(X)) * 1.0
    form = form_of(X, y, keeps_all=keeps_all)
    own, given = form.cases.table, form.given
    place_of_id = [info.name for info in own.info].index("id")
    rows = own.columns[place_of_id].numbers().astype(int)
    assert sorted(rows) == list(range(len(X)))
    for column, place, levels in zip(own.columns, form.columns, form.levels, strict=True):
        before = given.columns[place]
        assert column.info.name == before.info.name
        np.testing.assert_array_equal(cells(column), cells(before)[rows])
        if levels is None:
            assert column.info == before.info
        else:
            assert column.info.levels == tuple(before.info.levels[i] for i in levels)
    np.testing.assert_array_equal(form.classes[form.cases.labels], y[rows])
    assert sorted(form.classes) == [0, 1, 2]


def test_columns_that_say_nothing_new_are_left_out_unless_all_are_kept() -> None:
    X, y = mixed()
    X["copy"] = X["level"].map({"z": 1, "y": 2, "x": 3, "w": 4}).map("level {}".format)
    X["other unit"] = 3 * X["a"]
    X["turned"] = -X["a"]  # another order of missing cells and values
    named = {info.name for info in form_of(X, y).cases.table.info}
    assert named - {"copy"} == {"a", "level", "b", "flag", "turned"}
    everything = form_of(X, y, keeps_all=True)
    assert {info.name for info in everything.cases.table.info} == set(X.columns)
    assert sorted(everything.columns) == list(range(len(X.columns)))


def test_a_table_that_says_nothing_has_a_column_all_the_same() -> None:
    X = pd.DataFrame({"one": [1.0] * 6, "two": ["u"] * 6})
    form = form_of(X, (np.arange(6) % 2).astype(np.int32))
    assert [info.name for info in form.cases.table.info] == ["one"]


@pytest.mark.parametrize("unit", [1.0, 4.0])
def test_weights_go_with_their_rows(unit: float) -> None:
    X, y = mixed()
    counts = np.random.default_rng(1).integers(1, 9, len(y))
    X["count"] = counts * 1.0
    form = form_of(X, y, CaseWeights(counts, unit))
    place = [info.name for info in form.cases.table.info].index("count")
    weights = form.cases.weights
    assert weights.counts is not None
    assert weights.unit == unit
    np.testing.assert_array_equal(weights.counts, form.cases.table.columns[place].numbers())


def test_sparse_and_dense_tables_have_the_same_form() -> None:
    X = np.random.default_rng(0).integers(0, 3, (50, 6)).astype(float)
    y = (np.arange(50) % 2).astype(np.int32)
    dense, sparse = (form_of(form, y) for form in (X, csr_matrix(X)))
    np.testing.assert_array_equal(dense.columns, sparse.columns)
    np.testing.assert_array_equal(dense.classes, sparse.classes)
    np.testing.assert_array_equal(dense.cases.labels, sparse.cases.labels)
    for a, b in zip(dense.cases.table.columns, sparse.cases.table.columns, strict=True):
        np.testing.assert_array_equal(a.numbers(), b.numbers())


@pytest.mark.parametrize("keeps_all", [False, True])
@pytest.mark.parametrize("seed", range(3))
def test_there_and_back(seed: int, keeps_all: bool) -> None:
    X, y = mixed(seed)
    form = form_of(X, y, keeps_all=keeps_all)
    tree = BsnsingClassifier().fit(X, y).tree_
    assert tree.n_leaves > 3
    translated = form.translate(tree)
    assert_same_tree(form.restore(translated), tree)
    assert translated.columns == form.cases.table.info
    assert_same_tree(form.translate(form.restore(translated)), translated)
    # Rows go to the same leaves, whichever table says so.
    found = find_leaves(translated, form.cases.table, 1)
    np.testing.assert_array_equal(found, find_leaves(tree, table_of(X), 1)[rows_of(form, X)])
    np.testing.assert_array_equal(translated.counts, tree.counts[:, form.classes])
    np.testing.assert_array_equal(translated.value, tree.value[:, form.classes])


def test_pairs_stay_behind_the_columns() -> None:
    rng = np.random.default_rng(1)
    X = pd.DataFrame(rng.lognormal(size=(700, 3)), columns=list("abc")).assign(same=1.0)
    y = (X["a"] > X["c"]).to_numpy().astype(np.int32)
    tree = BsnsingClassifier().fit(X, y).tree_
    assert tree.pairs
    form = form_of(X, y)
    translated = form.translate(tree)
    assert translated.pairs == tree.pairs
    is_pair = tree.question_column >= 4
    assert (translated.question_column[is_pair] == tree.question_column[is_pair] - 1).all()
    assert_same_tree(form.restore(translated), tree)


def test_the_tree_of_one_class_keeps_its_own_classes() -> None:
    X, y = mixed()
    form = form_of(X, y)
    for tree in BsnsingClassifier(multiclass="ovr").fit(X, y).trees_:
        translated = form.translate(tree)
        np.testing.assert_array_equal(translated.counts, tree.counts)
        assert_same_tree(form.restore(translated), tree)


def test_evidence_has_its_classes_in_the_order_in_which_they_were_given() -> None:
    X, y = mixed()
    form = form_of(X, y)
    given = np.random.default_rng(0).random((2, 7, 3))
    own = Evidence(given[0][:, form.classes], given[1][:, form.classes], learnt_weight=0.5)
    restored = form.restore_evidence(own)
    np.testing.assert_array_equal(restored.real, given[0])
    np.testing.assert_array_equal(restored.learnt, given[1])
    assert restored.learnt_weight == 0.5
    of_one_class = Evidence(given[0][:, :2], given[1][:, :2])
    assert form.restore_evidence(of_one_class) is of_one_class


def test_a_form_inside_a_larger_table() -> None:
    X, y = mixed()
    form = form_of(X, y)
    larger = X.copy()
    larger.insert(0, "first", 1.0)
    larger.insert(3, "later", "text")
    kept = np.flatnonzero(~larger.columns.isin(["first", "later"]))
    inside = form.inside(table_of(larger), kept)
    tree = BsnsingClassifier().fit(X, y).tree_
    placed = inside.restore(form.translate(tree))
    assert [info.name for info in placed.columns] == list(larger.columns)
    np.testing.assert_array_equal(
        find_leaves(placed, table_of(larger), 1), find_leaves(tree, table_of(X), 1)
    )
    assert_same_tree(inside.translate(placed), form.translate(tree))


@pytest.mark.parametrize(
    ("cells", "expected"),
    [
        ([1.0, 2.0], False),
        ([1.0, np.nan], True),
        (["u", "v"], False),
        (["u", None], True),
        ([True, False], False),
    ],
)
def test_missing_cells_are_seen_in_columns_of_any_kind(cells: list[Any], expected: bool) -> None:
    (column,) = table_of(pd.DataFrame({"x": cells})).columns
    assert _has_missing(column) is expected


def test_what_a_tree_knows_of_missing_cells_stays() -> None:
    """Rows too light to be learnt from may have the only ones."""
    X, y = mixed()
    form = form_of(X, y)
    tree = form.translate(BsnsingClassifier().fit(X, y).tree_)
    names = [info.name for info in tree.columns]
    known = tuple(name == "b" for name in names)
    restored = form.restore(replace(tree, has_missing=known))
    found = dict(zip(X.columns, restored.has_missing, strict=True))
    assert found == {name: name in ("b", "none") for name in X.columns}
