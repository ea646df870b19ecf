"""Columns of many levels in a fit: ids are left out, and levels speak by their cases."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_array_equal
from numpy.typing import NDArray

from bsnsing import (
    BsnsingClassifier,
    BsnsingClassifierCV,
    BsnsingEnsemble,
    Question,
    RuleConstraints,
    export_text,
)

MODELS = {
    "default": BsnsingClassifier(),
    "plain": BsnsingClassifier.plain(),
    "paper": BsnsingClassifier.paper(),
    "one tree per class": BsnsingClassifier(multiclass="ovr", max_rules=1),
    "ensemble": BsnsingEnsemble(n_estimators=2),
    "cv": BsnsingClassifierCV(cv=2, max_rules=[1, 2]),
}


def numbers(n_rows: int = 300, seed: int = 0) -> tuple[pd.DataFrame, NDArray[np.int64]]:
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(rng.normal(size=(n_rows, 3)), columns=["a", "b", "c"])
    y = (X["a"] + X["b"] * (X["c"] > 0) + rng.normal(size=n_rows) > 0).to_numpy().astype(np.int64)
    y[: n_rows // 10] = 2
    return X, y


def with_ids(X: pd.DataFrame) -> pd.DataFrame:
    ids = np.random.default_rng(1).permutation(len(X))
    table = X.assign(name=[f"name {i}" for i in range(len(X))])
    table.insert(1, "id", [f"id {i}" for i in ids])
    return table


def fit_with_warnings(model: Any, X: pd.DataFrame, y: Any) -> tuple[Any, list[str]]:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        model.fit(X, y)
    assert all(warning.filename == __file__ for warning in caught)
    return model, [str(warning.message) for warning in caught]


@pytest.mark.parametrize("name", MODELS)
def test_ids_change_nothing_but_bring_one_warning(name: str) -> None:
    X, y = numbers()
    model, messages = fit_with_warnings(MODELS[name], with_ids(X), y)
    assert len(messages) == 1
    assert "'id', 'name'" in messages[0]
    assert model.n_features_in_ == 5
    assert list(model.feature_names_in_) == ["a", "id", "b", "c", "name"]
    new, _ = numbers(seed=2)
    shares, importances = model.predict_proba(with_ids(new)), model.feature_importances_
    texts = [export_text(tree) for tree in model.trees_]
    without, messages = fit_with_warnings(MODELS[name], X, y)
    assert messages == []
    assert_array_equal(shares, without.predict_proba(new))
    assert_array_equal(importances, without.feature_importances_[[0, 0, 1, 2, 0]] * [1, 0, 1, 1, 0])
    assert texts == [export_text(tree) for tree in without.trees_]


def test_the_columns_left_out_are_named() -> None:
    X, y = numbers()
    with pytest.warns(UserWarning, match="nine of ten rows"):
        model = BsnsingClassifier.plain().fit(with_ids(X), y)
    assert model.left_out_ == ["id", "name"]
    assert BsnsingClassifier.plain().fit(X, y).left_out_ == []


@pytest.mark.parametrize("model", [BsnsingClassifier(), BsnsingClassifier.plain()])
def test_free_text_is_left_out_with_advice(model: BsnsingClassifier) -> None:
    X, y = numbers()
    words = np.random.RandomState(0).choice(["chest", "pain", "since", "no", "fever"], (len(X), 9))
    X["notes"] = [" ".join(row) for row in words]
    with pytest.warns(UserWarning, match="'notes' is left out.* free text .*CountVectorizer"):
        model.fit(X, y)
    assert "notes" not in export_text(model)


@pytest.mark.parametrize("model", [BsnsingClassifier(), BsnsingClassifier.plain()])
def test_whether_an_id_is_missing_can_be_asked(model: BsnsingClassifier) -> None:
    X, y = numbers(600)
    ids = pd.Series([f"id {i}" for i in range(600)], dtype=object)
    X["ticket"] = ids.where((y == 0) | (np.arange(600) % 5 == 0), None)
    with pytest.warns(UserWarning, match="'ticket' is left out"):
        model.fit(X, y)
    text = export_text(model)
    assert "ticket is missing" in text or "ticket is not missing" in text
    assert "{" not in text  # no group of levels
    assert (model.unknown_at(X.assign(ticket="new")) == -1).all()
    assert_array_equal(np.bincount(y, minlength=3), model.tree_.counts[0])


def test_a_table_of_nothing_but_ids_has_a_tree_of_one_leaf() -> None:
    _, y = numbers(100)
    ids = pd.DataFrame({"id": [f"id {i}" for i in range(100)]})
    with pytest.warns(UserWarning, match="'id' is left out"):
        model = BsnsingClassifier().fit(ids, y)
    assert model.get_n_leaves() == 1
    assert len(model.predict(ids)) == 100


def test_who_asks_about_an_id_or_raises_max_levels_keeps_it() -> None:
    X, y = numbers()
    X["id"] = [f"id {i}" for i in range(300)]
    known = tuple(sorted(X["id"][y == 2]))
    question = Question("id", "in", known)
    for model in (
        BsnsingClassifier.plain(extra_questions=question, min_samples_leaf=5),
        BsnsingClassifier(extra_questions=question),
    ):
        fitted, messages = fit_with_warnings(model, X, y)
        assert messages == []
        assert question in list(fitted.tree_.asked_questions())
    assert fit_with_warnings(BsnsingClassifier.plain(max_levels=300), X, y)[1] == []


def test_constraints_still_count_all_columns() -> None:
    X, y = numbers()
    forbidden = RuleConstraints(forbidden=[0, "id"])
    with pytest.warns(UserWarning, match="'id', 'name' are left out"):
        model = BsnsingClassifier(constraints=forbidden).fit(with_ids(X), y)
    assert_array_equal(model.feature_importances_[[0, 1, 4]], 0)
    assert model.get_n_leaves() > 1


def zip_codes(n_rows: int, effect: float, seed: int) -> tuple[pd.DataFrame, NDArray[np.int64]]:
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(rng.normal(size=(n_rows, 2)), columns=["a", "b"])
    codes = rng.integers(n_rows // 10, size=n_rows)
    X["zip"] = [f"{code:05d}" for code in codes]
    log_odds = X["a"] + effect * np.random.default_rng(0).normal(size=n_rows // 10)[codes]
    return X, (rng.random(n_rows) < 1 / (1 + np.exp(-log_odds))).astype(np.int64)


def test_levels_that_say_nothing_change_nothing() -> None:
    X, y = zip_codes(1000, 0.0, seed=1)
    model, messages = fit_with_warnings(BsnsingClassifier(), X, y)
    assert messages == []  # they do not name rows
    without = BsnsingClassifier().fit(X[["a", "b"]], y)
    assert export_text(model) == export_text(without)


def test_levels_that_say_much_are_asked_about_as_they_are() -> None:
    X, y = zip_codes(1000, 2.0, seed=1)
    model = BsnsingClassifier().fit(X, y)
    asked = [q for q in model.tree_.asked_questions() if q.column == "zip"]
    assert asked
    assert all(q.test in ("in", "==") for q in asked)
    # Each case of the table ends where fit counted it, rare levels too.
    counts = np.zeros_like(model.tree_.counts)
    np.add.at(counts, (model.apply(X), y), 1)
    is_leaf = model.tree_.is_leaf
    assert_array_equal(counts[is_leaf], model.tree_.counts[is_leaf])
    assert (model.unknown_at(X) == -1).all()
    new, labels = zip_codes(1000, 2.0, seed=2)
    assert model.score(new, labels) > BsnsingClassifier().fit(X[["a"]], y).score(new[["a"]], labels)


def test_missing_levels_have_their_answer() -> None:
    X, y = zip_codes(1000, 2.0, seed=1)
    X["zip"] = X["zip"].where(np.arange(1000) % 3 > 0, None)
    model = BsnsingClassifier().fit(X, y)
    assert (model.unknown_at(X) == -1).all()
    counts = np.zeros_like(model.tree_.counts)
    np.add.at(counts, (model.apply(X), y), 1)
    assert_array_equal(counts[model.tree_.is_leaf], model.tree_.counts[model.tree_.is_leaf])


def test_the_order_of_the_rows_does_not_matter() -> None:
    X, y = zip_codes(600, 1.5, seed=3)
    rows = np.random.default_rng(4).permutation(600)
    shuffled = BsnsingClassifier().fit(X.iloc[rows], y[rows])
    assert export_text(shuffled) == export_text(BsnsingClassifier().fit(X, y))
