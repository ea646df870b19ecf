"""One class alone; and all that BsnsingClassifierCV may be given as table, estimator and folds."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.model_selection import (
    GroupKFold,
    KFold,
    LeaveOneOut,
    PredefinedSplit,
    RepeatedStratifiedKFold,
    ShuffleSplit,
    StratifiedKFold,
    TimeSeriesSplit,
)
from sklearn.tree import DecisionTreeClassifier

from bsnsing import BsnsingClassifier, BsnsingClassifierCV, BsnsingEnsemble

PLAIN = BsnsingClassifier.plain
X = np.random.default_rng(0).random((40, 3))
Y = (X[:, 0] > 0.5).astype(int)


def cv(**options: Any) -> BsnsingClassifierCV:
    return BsnsingClassifierCV(PLAIN(), **({"cv": 2, "shrinkages": (1,)} | options))


@pytest.mark.parametrize("class_weight", [{"only": 2.0}, {}, {"only": 0.5}, "balanced", None])
@pytest.mark.parametrize(
    "make",
    [
        lambda tree: tree,
        lambda tree: tree.set_params(multiclass="ovr"),
        lambda tree: tree.set_params(teacher="forest", shrinkage="auto", ccp_alpha="auto"),
        lambda tree: BsnsingEnsemble(2, estimator=tree),
        lambda tree: BsnsingClassifierCV(tree, cv=2),
    ],
    ids=["plain", "ovr", "taught", "ensemble", "cv"],
)
def test_one_class_may_have_a_weight(make: Any, class_weight: Any) -> None:
    model = make(PLAIN(class_weight=class_weight)).fit(X, ["only"] * 40)
    np.testing.assert_array_equal(model.predict_proba(X), np.ones((40, 1)))
    assert set(model.predict(X)) == {"only"}


@pytest.mark.parametrize(
    ("table", "labels", "error", "message"),
    [
        (X[:0], Y[:0], ValueError, "0 sample"),
        (pd.DataFrame(X[:0]), Y[:0], ValueError, "0 sample"),
        (None, Y, ValueError, "2D array"),
        (3, Y, ValueError, "2D array"),
        ("table", Y, ValueError, "2D array"),
        (X[:, 0], Y, ValueError, "2D array"),
        (pl.DataFrame(X).lazy(), Y, TypeError, "Call .collect"),
        (pl.DataFrame(X).lazy(), "label", TypeError, "Call .collect"),
        (X, None, ValueError, "y is None"),
    ],
    ids=range(9),
)
def test_what_is_no_table_is_refused(table: Any, labels: Any, error: Any, message: str) -> None:
    with pytest.raises(error, match=message):
        cv().fit(table, labels)


@pytest.mark.parametrize("estimator", [DecisionTreeClassifier(), BsnsingEnsemble(), 3, PLAIN])
@pytest.mark.parametrize("kind", [BsnsingClassifierCV, BsnsingEnsemble])
def test_other_estimators_are_refused(kind: Any, estimator: Any) -> None:
    with pytest.raises(ValueError, match="must be None or a BsnsingClassifier"):
        kind(estimator=estimator).fit(X, Y)


def test_one_weight_may_be_given_for_all_rows() -> None:
    weighted, plain = cv().fit(X, Y, sample_weight=0.5), cv().fit(X, Y)
    assert weighted.best_score_ == pytest.approx(plain.best_score_)
    with pytest.raises(ValueError, match="zero for every row"):
        cv().fit(X, Y, sample_weight=0.0)


@pytest.mark.filterwarnings("ignore:The groups parameter is ignored")
@pytest.mark.parametrize(
    "folds",
    [
        StratifiedKFold(3),
        KFold(3),
        ShuffleSplit(2, random_state=0),
        LeaveOneOut(),
        GroupKFold(3),
        PredefinedSplit(np.arange(40) % 3),
        RepeatedStratifiedKFold(n_splits=2, n_repeats=2, random_state=0),
        TimeSeriesSplit(3),
        [(np.arange(20), np.arange(20, 40))],
        list(KFold(2).split(X)),
        [(np.arange(40) < 20, np.arange(40) >= 20)],
    ],
    ids=lambda folds: type(folds).__name__,
)
def test_folds_may_come_from_any_splitter_or_list(folds: Any) -> None:
    model = cv(cv=folds).fit(X, Y, groups=np.arange(40) % 5)
    is_list = isinstance(folds, list)
    n_folds = len(folds) if is_list else folds.get_n_splits(X, Y, np.arange(40) % 5)
    assert n_folds >= 1
    assert np.isfinite(model.best_score_)
    assert model.get_n_leaves() >= 1


def test_folds_may_come_from_an_iterator_that_is_read_once() -> None:
    listed = cv(cv=list(KFold(2).split(X))).fit(X, Y)
    assert cv(cv=KFold(2).split(X)).fit(X, Y).best_score_ == listed.best_score_
    assert cv(cv=KFold(2)).fit(X, Y).best_score_ == listed.best_score_


def test_a_model_that_is_not_fitted_has_no_tree() -> None:
    assert not hasattr(cv(), "tree_")
    assert not hasattr(cv(), "trees_")


@pytest.mark.parametrize("later", ["text", 1.5, None, True])
def test_a_column_without_cells_at_fit_may_hold_anything_later(later: Any) -> None:
    """Nothing said what it holds; folds of a table may well lack all cells of a column."""
    nothing = np.column_stack([X.astype(object), np.full(40, None)])
    something = np.column_stack([X.astype(object), np.full(40, later)])
    for options in ({}, {"categorical_features": None}):
        model = PLAIN(**options).fit(nothing, Y)
        np.testing.assert_array_equal(model.predict_proba(something), model.predict_proba(nothing))
        assert (model.unknown_at(something) == -1).all()


def test_folds_may_lack_all_cells_of_a_column_of_text() -> None:
    table = pd.DataFrame({"x": X[:, 0], "t": ["a"] + [None] * 38 + ["b"]}, dtype=object)
    assert cv(cv=KFold(2)).fit(table, Y).predict(table).shape == (40,)
