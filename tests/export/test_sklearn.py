"""Trees of scikit-learn that say the same to the last bit, and what SHAP makes of them."""

from __future__ import annotations

import operator
import pickle
import warnings
from typing import Any

import numpy as np
import pandas as pd
import pytest
from export.models import DEEP, LARGE, NAMES, fitted, trial, trial_rows
from export.moment_models import MOMENT_NAMES
from sklearn.base import clone
from sklearn.ensemble import RandomForestClassifier
from sklearn.tree import DecisionTreeClassifier, export_text, plot_tree

from bsnsing import BsnsingClassifier, to_sklearn
from bsnsing.data.show import show_level
from bsnsing.export.sklearn_codes import CellCodes
from bsnsing.export.sklearn_labels import TreePerClass

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # of theirs about others
    shap = pytest.importorskip("shap")

COMPARE = {">": operator.gt, ">=": operator.ge, "<": operator.lt, "<=": operator.le}
# Rules of three questions on twelve columns, fifteen deep: with all unknowns they are too many.
TOO_MANY = "odd names"
UNROLLED = tuple(name for name in [*NAMES, *MOMENT_NAMES, DEEP] if name != TOO_MANY)


def codes_known(codes: CellCodes, rows: Any) -> Any:
    """Rows without a cell whose answer is unknown."""
    found = clone(codes).set_params(unknown="larger").fit_transform(rows)
    is_bad = [np.isin(found[:, i], own.unknown_codes) for i, own in enumerate(codes.codes)]
    return rows[~np.any(is_bad, axis=0)]


def known_rows(name: str) -> Any:
    """Rows that meet no unknown in any tree."""
    model, rows = fitted(name), trial_rows(name)
    return rows[(model.unknown_at(rows).reshape(len(rows), -1) < 0).all(axis=1)]


@pytest.mark.parametrize("name", UNROLLED)
def test_probabilities_are_the_same_to_the_last_bit(name: str) -> None:
    model, rows = fitted(name), known_rows(name)
    same = to_sklearn(model, unknown="larger")
    assert same.predict_proba(rows).tobytes() == model.predict_proba(rows).tobytes()
    assert same.predict(rows).tolist() == model.predict(rows).tolist()
    assert same.classes_.dtype == model.classes_.dtype


@pytest.mark.parametrize("name", [name for name in UNROLLED if name != LARGE])
def test_the_mean_of_both_ways_is_the_same_to_the_last_bit(name: str) -> None:
    model, rows = fitted(name), trial_rows(name)
    same = to_sklearn(model, unknown="mix")
    assert same.predict_proba(rows).tobytes() == model.predict_proba(rows).tobytes()
    assert same.predict(rows).tolist() == model.predict(rows).tolist()


@pytest.mark.parametrize("name", [*NAMES, DEEP])
def test_rows_of_fit_need_no_leave_to_guess(name: str) -> None:
    model, table = fitted(name), trial(name).table
    same = to_sklearn(model, table)
    assert same.predict_proba(table).tobytes() == model.predict_proba(table).tobytes()
    rows = codes_known(same["codes"], trial_rows(name))
    assert len(rows) > len(trial_rows(name)) / 4
    assert same.predict_proba(rows).tobytes() == model.predict_proba(rows).tobytes()
    # Codes are whole numbers that float32 has.
    codes = same["codes"].transform(table)
    assert (codes == np.rint(codes)).all()
    assert np.abs(codes).max(initial=0) < 2**24


def test_codes_of_moments_say_which_dates_they_mean() -> None:
    days = pd.DataFrame({"day": pd.date_range("2021-01-01", periods=20)})
    model = BsnsingClassifier.from_text(
        "day since 2021-01-05 and day <= 2021-01-10 ?\n  yes:\n  no:\n", days, [0, 1] * 10
    )
    codes = to_sklearn(model, days)["codes"]
    assert codes.transform(days).ravel().tolist() == [0] * 4 + [1] * 6 + [2] * 10
    assert codes.meanings("day") == {
        -1: "missing",
        0: "< 2021-01-05",
        1: ">= 2021-01-05 and < 2021-01-10T00:00:00.000001",
        2: ">= 2021-01-10T00:00:00.000001",
    }


def test_rows_with_unknown_cells_are_refused_unless_allowed() -> None:
    model, rows = fitted("default"), trial_rows("default")
    with pytest.raises(ValueError, match=r"a missing cell in row \d+.*unknown='larger'"):
        to_sklearn(model).predict_proba(rows)
    table = trial("default").table.copy()
    table.loc[3, "city"] = "Atlantis"
    with pytest.raises(ValueError, match="'city' has a level that fit never saw in row 3"):
        to_sklearn(model).predict_proba(table)
    assert np.isfinite(to_sklearn(model, unknown="larger").predict_proba(rows)).all()


def test_rows_with_unknown_cells_go_the_way_of_most() -> None:
    X = np.array([[age, bmi] for age in range(20, 60) for bmi in range(20, 40)], float)
    model = BsnsingClassifier.plain().fit(X, (X[:, 0] > 35) | (X[:, 1] > 30))
    assert str(model.tree_.rule(0)) == "x0 >= 36 or x1 >= 31"
    same = to_sklearn(model, unknown="larger")
    new = np.array([[np.nan, 31.0], [np.nan, 25.0], [25.0, np.nan]])
    assert same.predict_proba(new)[:, 1].tolist() == [1, 1, 1]  # the yes child has more cases


def test_ensembles_and_one_tree_per_class_have_forms_of_their_own() -> None:
    assert isinstance(to_sklearn(fitted("default"))["tree"], DecisionTreeClassifier)
    assert isinstance(to_sklearn(fitted("ensemble"))["tree"], RandomForestClassifier)
    assert isinstance(to_sklearn(fitted("one tree per class"))["tree"], TreePerClass)
    with pytest.raises(TypeError, match="fitted model"):
        to_sklearn(fitted("one tree per class"))["tree"].fit([[0]], [0])
    tree = to_sklearn(fitted("default").tree_)  # a tree alone has no names of its own
    table = trial("default").table.to_numpy(dtype=object)
    assert (
        tree.predict(table).tolist() == fitted("default").predict(trial("default").table).tolist()
    )


def test_trees_that_would_not_end_are_refused() -> None:
    with pytest.raises(ValueError, match=r"more than 100 nodes\. Prune it"):
        to_sklearn(fitted("60 leaves"), max_nodes=100)
    with pytest.raises(ValueError, match="more than 100000 nodes"):
        to_sklearn(fitted(TOO_MANY), unknown="larger")
    with pytest.raises(ValueError, match=r"more than 1000 nodes\. .*unknown='error'"):
        to_sklearn(fitted("60 leaves"), unknown="mix", max_nodes=1000)
    with pytest.raises(ValueError, match="unknown must be"):
        to_sklearn(fitted("leaf"), unknown="mean")


def test_cases_are_those_of_the_rows_given() -> None:
    model, table = fitted("plain"), trial("plain").table
    counted = to_sklearn(model, table)["tree"].tree_
    assert counted.n_node_samples[0] == len(table)
    np.testing.assert_allclose(counted.weighted_n_node_samples[0], len(table))
    np.testing.assert_allclose(counted.value[0, 0], model.tree_.value[0], atol=1e-6)
    shared = to_sklearn(model)["tree"].tree_
    np.testing.assert_allclose(shared.weighted_n_node_samples[0], len(table))
    np.testing.assert_allclose(shared.value[0, 0], model.tree_.value[0], atol=1e-6)
    twice = to_sklearn(model, table, sample_weight=np.full(len(table), 2.0))["tree"].tree_
    np.testing.assert_allclose(twice.weighted_n_node_samples, 2 * counted.weighted_n_node_samples)
    for tree in (counted, shared):
        inner = tree.children_left >= 0
        below = (
            tree.weighted_n_node_samples[tree.children_left[inner]]
            + tree.weighted_n_node_samples[tree.children_right[inner]]
        )
        np.testing.assert_allclose(below, tree.weighted_n_node_samples[inner])


@pytest.mark.parametrize("name", ["default", "plain", "missing", "levels", "pairs", "ensemble"])
@pytest.mark.parametrize("with_rows", [True, False])
def test_shap_values_sum_to_the_probabilities(name: str, with_rows: bool) -> None:
    model, table = fitted(name), trial(name).table.iloc[:40]
    same = to_sklearn(model, trial(name).table if with_rows else None)
    codes = same["codes"].transform(table)
    explainer = shap.TreeExplainer(same["tree"])
    values = explainer.shap_values(codes)
    sums = values.sum(axis=1) + explainer.expected_value
    np.testing.assert_allclose(sums, model.predict_proba(table), atol=1e-9)
    names = same["codes"].get_feature_names_out()
    assert list(names[: len(table.columns)]) == list(table.columns)
    asked = {str(own.subject) for own in same["codes"].codes if own.answers}
    unasked = [i for i, column in enumerate(names) if column not in asked]
    assert (values[:, unasked] == 0).all()


def test_shap_with_a_background_sums_too() -> None:
    model, table = fitted("default"), trial("default").table
    same = to_sklearn(model, table)
    codes = same["codes"].transform(table)
    explainer = shap.TreeExplainer(same["tree"], codes[:50], model_output="probability")
    values = explainer.shap_values(codes[:20])
    sums = values.sum(axis=1) + explainer.expected_value
    np.testing.assert_allclose(sums, model.predict_proba(table.iloc[:20]), atol=1e-6)  # in float32


def test_scikit_learn_draws_and_writes_them() -> None:
    same = to_sklearn(fitted("plain"), trial("plain").table)
    names = list(same["codes"].get_feature_names_out())
    text = export_text(same["tree"], feature_names=names)
    assert "|--- city <=" in text
    figure = pytest.importorskip("matplotlib.figure").Figure()
    pytest.importorskip("matplotlib.backends.backend_agg").FigureCanvasAgg(figure)
    boxes = plot_tree(same["tree"], feature_names=names, ax=figure.subplots(), max_depth=2)
    assert any("samples = 300" in box.get_text() for box in boxes)


@pytest.mark.parametrize("name", ["missing", "levels", "numbers", "pairs"])
def test_codes_mean_what_they_say(name: str) -> None:
    table = trial(name).table
    codes = to_sklearn(fitted(name))["codes"]
    coded = codes.transform(table)
    for i, own in enumerate(codes.codes):
        meanings = codes.meanings(str(own.subject))
        if not own.answers:
            assert meanings == {0: "any cell, as no rule asks"}
        elif own.edges is None:
            for cell, code in zip(table.iloc[:, i].tolist(), coded[:, i], strict=True):
                if cell is None or cell != cell:
                    assert meanings[int(code)] == "missing"
                else:
                    level = int(cell) if isinstance(cell, float) and cell.is_integer() else cell
                    assert show_level(level) in meanings[int(code)].split(", ")
        elif i < len(table.columns):
            for cell, code in zip(table.iloc[:, i].tolist(), coded[:, i], strict=True):
                if cell is pd.NA or cell != cell:
                    assert meanings[int(code)] == "missing"
                elif meanings[int(code)] != "any number":
                    parts = [part.split(" ") for part in meanings[int(code)].split(" and ")]
                    assert all(COMPARE[test](float(cell), float(end)) for test, end in parts)


def test_they_can_be_pickled_and_cloned() -> None:
    model, table = fitted("missing"), trial("missing").table
    same = to_sklearn(model, table)
    again = pickle.loads(pickle.dumps(same))
    np.testing.assert_array_equal(again.predict_proba(table), model.predict_proba(table))
    np.testing.assert_array_equal(
        again["codes"].fit_transform(table), same["codes"].transform(table)
    )
    fresh = clone(same)["codes"]
    np.testing.assert_array_equal(fresh.fit_transform(table), same["codes"].transform(table))


def test_dtreeviz_reads_them() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        dtreeviz = pytest.importorskip("dtreeviz")
    model, own = fitted("plain"), trial("plain")
    same = to_sklearn(model, own.table)
    names = list(same["codes"].get_feature_names_out())
    codes = same["codes"].transform(own.table)
    viz = dtreeviz.model(
        same["tree"], codes, own.labels, feature_names=names, class_names=["a", "b", "c"]
    )
    path = viz.explain_prediction_path(codes[0])
    assert any(name in path for name in names)
