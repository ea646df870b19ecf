"""Short thresholds separate the same rows."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer
from sklearn.tree import DecisionTreeClassifier

from bsnsing import (
    BsnsingClassifier,
    BsnsingClassifierCV,
    BsnsingEnsemble,
    ColumnPair,
    Question,
    Rule,
    export_text,
)
from bsnsing.estimators import scattered
from tests.training_sets import varied


@pytest.mark.parametrize(
    "model",
    [
        BsnsingClassifier.plain(max_rules=3, min_samples_leaf=2),
        BsnsingClassifier(decimals=None, random_state=0),
        BsnsingClassifierCV(BsnsingClassifier.plain(), cv=2),
        BsnsingEnsemble(2, estimator=BsnsingClassifier.plain()),
        BsnsingClassifier.plain(
            own_questions=False,
            extra_questions=[Question(ColumnPair("a", "*", "b"), "<", t) for t in (0.51234, 2.3)],
        ),
    ],
    ids=["plain", "default", "cv", "ensemble", "pairs"],
)
def test_rows_of_the_table_are_separated_alike(model: Any) -> None:
    random = np.random.RandomState(0)
    X = pd.DataFrame(random.lognormal(0, 2, (400, 3)), columns=["a", "b", "c"])
    X["d"] = random.choice(["p", "q"], 400)
    X.loc[random.rand(400) < 0.1, "c"] = np.nan
    y = (X["a"] * X["b"] > 1) ^ (X["c"] > 1)
    model.fit(X, y)
    before = export_text(model)
    short = model.round_thresholds(X)
    assert type(short) is type(model)
    np.testing.assert_array_equal(short.predict_proba(X), model.predict_proba(X))
    assert (short.unknown_at(X) == model.unknown_at(X)).all()
    assert len(export_text(short)) < len(before)
    assert export_text(model) == before, "the model itself stays as it is"


def test_thresholds_of_measured_data_get_shorter_on_the_whole() -> None:
    X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    model = BsnsingClassifier.plain(min_samples_leaf=2).fit(X, y)
    short = model.round_thresholds(X)
    assert (short.apply(X) == model.apply(X)).all()
    digits = [
        sum(len(f"{value:.12g}") for value in own.tree_.question_value) for own in (model, short)
    ]
    assert digits[1] < digits[0]


@pytest.mark.parametrize(
    ("values", "test", "threshold", "expected"),
    [
        ([1.0, 2580.12, 2596.3], ">", 2588.2, "x0 > 2590"),
        ([0.5, 49.0, 50.0], ">", 49.5, "x0 > 49.5"),
        ([-2580.12, -2596.3], "<", -2588.2, "x0 < -2590"),
        ([0.001, 0.002], ">", 0.0015, "x0 > 0.0015"),
        ([-3.5, 4.0], ">", 0.5, "x0 > 0"),
        ([1.0, 2.0, 3.5], ">", 2.0, "x0 > 2"),
        ([1.0, 2.5], ">", 7.123, "x0 > 7.123"),
        ([9.5, 20.5], ">", 14.9, "x0 > 15"),  # not 10, which is next to a row
        # Whole numbers
        ([1.0, 49.0, 50.0], ">", 49.5, "x0 >= 50"),
        ([1.0, 49.0, 50.0], "<", 49.5, "x0 < 50"),
        ([1.0, 2.0, 3.0], ">", 2.0, "x0 >= 3"),
        ([1.0, 2.0, 3.0], "<", 2.0, "x0 < 2"),
        ([34_512.0, 35_200.0], ">", 34_856.0, "x0 >= 35000"),
        ([34_512.0, 35_200.0], "<", 34_856.0, "x0 < 35000"),
        ([-34_512.0, -35_200.0], ">", -34_856.0, "x0 >= -35000"),
        ([-2.0, -1.0, 0.0], ">", -0.5, "x0 > -1"),
        ([9.0, 20.0], ">", 14.5, "x0 >= 15"),
        ([-3.0, 4.0], "<", 0.5, "x0 < 1"),
        ([1.0, 2.0], ">", 7.123, "x0 > 7.123"),
        ([2.0**54, 2.0**55], ">", 2.0**54 * 1.5, "x0 > 3e+16"),
    ],
)
def test_the_shortest_between_the_same_neighbours(
    values: list[float], test: Any, threshold: float, expected: str
) -> None:
    x = np.array(values)[:, None]
    asked = Question("x0", test, threshold)
    model = BsnsingClassifier.plain(
        own_questions=False, extra_questions=[asked], min_samples_leaf=1, max_rules=1
    )
    further = 9 * max(1, abs(threshold))
    wide = np.vstack([x, [[threshold - further]], [[threshold + further]]])
    model.fit(wide, asked.answer(wide[:, 0]))
    short = model.round_thresholds(x).tree_.rule(0)
    assert short is not None
    assert short.text() == expected
    assert short.questions[0].answer(values).tolist() == asked.answer(values).tolist()


def family(seed: int = 0) -> tuple[pd.DataFrame, NDArray[np.bool_]]:
    """Whole numbers, in several types, and others."""
    random = np.random.RandomState(seed)
    children, income = random.randint(0, 7, 500), random.randint(9_000, 90_000, 500)
    X = pd.DataFrame(
        {
            "children": children,
            "rooms": pd.array(random.randint(1, 9, 500), dtype="Int64"),
            "pets": np.where(random.rand(500) < 0.1, np.nan, random.randint(-3, 4, 500)),
            "income": income,
            "height": random.normal(170.123, 10, 500),
        }
    )
    X.loc[:20, "rooms"] = pd.NA
    score = children + income / 20_000 + X["pets"].fillna(0) + (X["height"] > 171.0)
    return X, (score > score.median()).to_numpy()


WHOLE = ("children", "rooms", "pets", "income")


def bounds(model: Any) -> list[Question]:
    asked = [q for tree in model.trees_ for q in tree.asked_questions()]
    return [question for question in asked if question.test in "<>"]


def is_between_whole_numbers(question: Question) -> bool:
    """``x >= k`` or ``x < k``; what is below 0 is written ``x > -1``."""
    shown, value = question.plainest()
    return float(value) == int(value) and (shown in (">=", "<") or (shown, value) == (">", -1))


@pytest.mark.parametrize("multiclass", ["native", "ovr"])
def test_the_default_cuts_between_whole_numbers(multiclass: str) -> None:
    X, y = family()
    labels = y + (X["children"] > 4).to_numpy()
    model = BsnsingClassifier(multiclass=multiclass, column_pairs=None).fit(X, labels)
    whole = [question for question in bounds(model) if question.column in WHOLE]
    assert {question.column for question in whole} >= {"children", "pets", "income"}
    assert all(map(is_between_whole_numbers, whole))
    assert any(">=" in str(question) for question in whole)
    others = [question for question in bounds(model) if question.column == "height"]
    assert all(len(str(question.value)) <= 6 for question in others)


@pytest.mark.parametrize("decimals", ["auto", 0, 2, -3])
@pytest.mark.parametrize("preset", [BsnsingClassifier, BsnsingClassifier.plain])
def test_rounding_changes_thresholds_alone(preset: Any, decimals: Any) -> None:
    X, y = family()
    exact = preset(decimals=None).fit(X, y)
    short = preset(decimals=decimals).fit(X, y)
    np.testing.assert_array_equal(short.predict_proba(X), exact.predict_proba(X))
    assert (short.apply(X) == exact.apply(X)).all()
    mine, other = short.tree_, exact.tree_
    for name in ("counts", "value", "objective", "bound", "optimal", "question_column"):
        np.testing.assert_array_equal(getattr(mine, name), getattr(other, name))
    assert mine.question_value.tolist() != other.question_value.tolist()
    if preset is not BsnsingClassifier and decimals == "auto":
        is_whole = np.isin([c.name for c in mine.columns], WHOLE)[mine.question_column]
        assert (mine.question_value == other.question_value)[~is_whole].all()
    for rule in filter(None, mine.rules):
        assert Rule.parse(str(rule)) == rule
        assert Rule.parse(rule.text()) == rule


@pytest.mark.parametrize("preset", [BsnsingClassifier.plain, BsnsingClassifier.paper])
def test_trees_without_a_teacher_cut_between_whole_numbers_too(preset: Any) -> None:
    X, y = family()
    model = preset().fit(X, y)
    whole = [question for question in bounds(model) if question.column in WHOLE]
    assert {question.column for question in whole} >= {"children", "income"}
    assert all(map(is_between_whole_numbers, whole))
    for question in whole:  # what is shown is what decides, also between whole numbers
        shown, value = question.plainest()
        beside = [float(value) - 0.3, float(value) + 0.3]
        assert question.answer(beside).tolist() == (
            [False, True] if ">" in shown else [True, False]
        )
    exact = preset(decimals=None).fit(X, y)
    own, other = (
        [question.value for question in bounds(each) if question.column == "height"]
        for each in (model, exact)
    )
    assert own == other


@pytest.mark.parametrize(
    ("make", "shown"),
    [
        (lambda days: pd.Timestamp("2021-01-01") + days, "x since 2021-01-03"),
        (
            lambda days: pd.Timestamp("2021-01-01", tz="UTC") + days,
            "x since 2021-01-03T00:00+00:00",
        ),
        (
            lambda days: (pd.Timestamp("2021-03-27") + days).tz_localize("Europe/Berlin"),
            "x since 2021-03-29T00:00+02:00",  # clocks are shifted on the 28th
        ),
        (lambda days: pd.Timestamp("2021-01-01") + days / 24, "x since 2021-01-01T02:00"),
        (lambda days: days, "x >= 2d"),
        (lambda days: days / 86400, "x >= 2s"),
        (lambda days: (pd.Timestamp("2021-01-01") + days / 1440).time(), "x >= 00:02"),
    ],
)
def test_days_and_the_like_are_cut_between_days(make: Any, shown: str) -> None:
    numbers = np.arange(60) % 5
    X = pd.DataFrame({"x": [make(pd.Timedelta(days=int(number))) for number in numbers]})
    for preset in (BsnsingClassifier, BsnsingClassifier.plain, BsnsingClassifier.paper):
        model = preset(max_rules=1).fit(X, numbers >= 2)
        (question,) = model.tree_.rule(0).questions
        assert question.text(negated=question.test == "<") == shown
        assert (model.predict(X) == (numbers >= 2)).all()


def test_whole_numbers_are_told_apart_as_by_the_midpoints() -> None:
    """With decimals, cuts stay where they are: also numbers that fit has not seen go as before."""
    X, y = family()
    exact, short, plain = (
        preset(decimals=given, column_pairs=None).fit(X[list(WHOLE)], y)
        for preset, given in (
            (BsnsingClassifier, None),
            (BsnsingClassifier, 0),
            (BsnsingClassifier.plain, "auto"),
        )
    )
    random = np.random.RandomState(1)
    new = pd.DataFrame({name: random.randint(-9, 99_999, 3000) for name in WHOLE})
    new[["children", "rooms", "pets"]] = random.randint(-4, 9, (3000, 3))
    np.testing.assert_array_equal(short.predict_proba(new), exact.predict_proba(new))
    exact = BsnsingClassifier.plain(decimals=None).fit(X[list(WHOLE)], y)
    np.testing.assert_array_equal(plain.predict_proba(new), exact.predict_proba(new))


def test_decimals_stay_near_the_midpoint() -> None:
    X, y = family()
    exact, short = (
        BsnsingClassifier.plain(decimals=given, min_samples_leaf=5).fit(X[["height"]], y)
        for given in (None, 1)
    )
    before, after = exact.tree_.question_value, short.tree_.question_value
    is_short = np.array([round(value, 1) == value for value in after])
    assert is_short.any()
    assert (np.abs(after - before) <= 0.05 + 1e-9).all()
    held = np.unique(X["height"])
    for old, new in zip(before[~is_short], after[~is_short], strict=True):
        gap = np.searchsorted(held, round(old, 1)) != np.searchsorted(held, old)
        assert gap, f"{round(old, 1)} would separate the same rows as {new}"


def test_questions_of_users_and_donors_stay_as_they_are() -> None:
    X, y = family()
    given = ["income > 41234.5", "height > 171.2345", "children > 2.5"]
    donor = DecisionTreeClassifier(max_depth=3, random_state=0).fit(X[["height", "income"]], y)
    model = BsnsingClassifier(
        extra_questions=[*given, donor], own_questions=False, first_rules=["pets > 0.5"]
    ).fit(X, y)
    assert model.tree_.rule(0) == Rule.parse("pets > 0.5")
    asked = {str(question) for question in bounds(model) if question.origin == "user"}
    assert asked <= {*given, "pets > 0.5"}
    assert len(asked) > 1
    exact = BsnsingClassifier(**(model.get_params() | {"decimals": None})).fit(X, y)
    assert model.tree_.question_value.tolist() == exact.tree_.question_value.tolist()


def test_pairs_of_columns_stay_as_they_are() -> None:
    """Synthetic rows have numbers of their own there, and proofs are about them too."""
    random = np.random.RandomState(0)
    X = pd.DataFrame(random.lognormal(size=(600, 3)), columns=list("abc"))
    y = X["a"] > 1.3 * X["b"]
    exact, short = (BsnsingClassifier(decimals=given).fit(X, y).tree_ for given in (None, "auto"))
    is_pair = exact.question_column >= len(exact.columns)
    assert is_pair.any()
    assert (exact.question_value[is_pair] == short.question_value[is_pair]).all()


@pytest.mark.parametrize(
    "model", [BsnsingClassifierCV(cv=2, max_rules=[1]), BsnsingEnsemble(2)], ids=["cv", "ensemble"]
)
def test_models_of_several_round_too(model: Any) -> None:
    X, y = family()
    model.fit(X, y)
    members = getattr(model, "estimators_", None) or [model.best_estimator_]
    for member in members:
        whole = [question for question in bounds(member) if question.column in WHOLE]
        assert whole
        assert all(map(is_between_whole_numbers, whole))


def test_the_type_of_whole_numbers_does_not_matter() -> None:
    X, y = family()
    as_floats = X.astype(float)
    assert str(BsnsingClassifier().fit(X, y)) == str(BsnsingClassifier().fit(as_floats, y))
    polars = pl.from_pandas(X)
    assert str(BsnsingClassifier().fit(X, y)) == str(BsnsingClassifier().fit(polars, y))


def test_fits_of_files_round_where_rows_are_in_one_place(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    X, y = family()
    path = tmp_path / "family.parquet"
    X.assign(y=y).to_parquet(path)
    for model in (BsnsingClassifier(), BsnsingClassifier.plain(decimals=1)):
        assert str(clone(model).fit_files(path, "y")) == str(model.fit(X, y))
    monkeypatch.setattr(scattered, "FEW_CELLS", 0)
    with pytest.raises(ValueError, match="decimals=1 rounds by rows in one place"):
        BsnsingClassifier.plain(decimals=1).fit_files(path, "y")
    expected = str(BsnsingClassifier.plain().fit(X, y))
    assert str(BsnsingClassifier.plain().fit_files(path, "y")) == expected


def test_tables_of_which_a_sample_is_taught_keep_midpoints() -> None:
    """Wherever their rows are; with decimals, all rows are here and have a say."""
    X, y = family()
    sampled = varied(most_taught=300, n_trees=5)
    auto, exact, short = (
        sampled(decimals=given, column_pairs=None).fit(X, y) for given in ("auto", None, 1)
    )
    assert auto.is_taught_
    assert str(auto) != str(short)
    is_whole = np.isin([c.name for c in auto.tree_.columns], WHOLE)[auto.tree_.question_column]
    assert (auto.tree_.question_value == exact.tree_.question_value)[~is_whole].all()
    assert all(is_between_whole_numbers(q) for q in bounds(auto) if q.column in WHOLE)
    assert (auto.apply(X) == exact.apply(X)).all()
    assert (short.apply(X) == exact.apply(X)).all()
