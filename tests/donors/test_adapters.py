"""What adapters read of a model parts the rows as the model itself does."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from donors.stumps import STUMPS, stump
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, clone
from sklearn.datasets import load_iris
from sklearn.dummy import DummyClassifier
from sklearn.ensemble import RandomForestClassifier, StackingClassifier, VotingClassifier
from sklearn.exceptions import NotFittedError
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.multiclass import OneVsRestClassifier
from sklearn.tree import DecisionTreeClassifier

from bsnsing import BsnsingClassifier, BsnsingEnsemble, Question, questions_of
from bsnsing.data.table import read_training_table
from bsnsing.questions.donors.place import place_cuts
from bsnsing.questions.donors.registry import donors, lender_of

# Cells that 32 bits tell from each other, and cells that they do not.
COLUMNS: dict[str, NDArray[np.float64]] = {
    "tenths": np.round(np.arange(60) / 10, 1),
    "whole": np.arange(60.0),
    "negative": -np.round(np.arange(60) / 7, 3),
    "close": 1 + np.repeat(np.arange(30), 2) * 3e-8,
    "large": 1e9 + np.arange(60.0),
    "small": np.arange(60) * 1e-30,
    "with zero": np.arange(60) - 30.0,
}


def placed(model: Any, X: Any) -> list[Question]:
    table = read_training_table(BaseEstimator(), X, "from_dtype")
    return place_cuts(lender_of(model), table)


def assert_parts_alike(name: str, X: pd.DataFrame, y: Any, n_at_most: int = 3) -> None:
    """Some question about the table has the answers that the model has sides."""
    own = stump(name)
    model = own.fit(X, y)
    questions = placed(model, X)
    assert len(questions) <= n_at_most
    sides = own.parted(model, X)
    if sides.all():  # there was nothing to cut
        assert not questions
        return
    known = ~X[questions[0].column].isna().to_numpy()
    cells = X[questions[0].column].to_numpy(dtype=object)
    answers = [question.answer(cells) for question in questions if question.test != "is missing"]
    assert any(np.array_equal(own_answer[known], sides[known]) for own_answer in answers)
    if len(answers) == 2:  # both directions
        assert np.array_equal(answers[0][known], ~answers[1][known])
    assert {question.origin for question in questions} == {name}


@pytest.mark.parametrize("column", COLUMNS)
@pytest.mark.parametrize("name", STUMPS)
def test_thresholds_part_as_the_model_does(name: str, column: str) -> None:
    cells = COLUMNS[column]
    X = pd.DataFrame({"other": np.zeros(60), "x": cells})
    for seed in range(3):
        rng = np.random.default_rng(seed)
        y = (np.arange(60) + rng.integers(-6, 6, 60) > 17 + 9 * seed).astype(int)
        assert_parts_alike(name, X, y)


@pytest.mark.parametrize("name", [name for name, own in STUMPS.items() if own.takes_missing])
def test_missing_cells_do_not_move_a_threshold(name: str) -> None:
    rng = np.random.default_rng(0)
    cells = np.where(rng.random(60) < 0.3, np.nan, COLUMNS["tenths"])
    y = np.where(np.isnan(cells), rng.random(60) < 0.7, cells > 2.9).astype(int)
    assert_parts_alike(name, pd.DataFrame({"other": np.zeros(60), "x": cells}), y)


@pytest.mark.parametrize("kind", ["text", "numbers"])
@pytest.mark.parametrize("name", [name for name, own in STUMPS.items() if own.takes_categories])
def test_levels_part_as_the_model_does(name: str, kind: str) -> None:
    rng = np.random.default_rng(1)
    levels = ["ulm", "bonn", "kiel", "jena", "köln"] if kind == "text" else [5, 3, 11, 8, 2]
    cells = rng.choice(levels, 200)
    y = np.isin(cells, levels[1:3]).astype(int)
    frame = pd.DataFrame({"zero": rng.random(200), "town": pd.Categorical(cells, levels)})
    model = stump(name).fit(frame, y)
    questions = placed(model, frame)
    (yes, no) = questions
    assert (
        {frozenset(yes.value), frozenset(no.value)}
        == {  # type: ignore[arg-type]
            frozenset(levels[1:3]),
            frozenset(levels) - set(levels[1:3]),
        }
    )
    assert {type(level) for question in questions for level in question.value} <= {str, int}  # type: ignore[union-attr]


def test_lightgbm_writes_names_its_own_way() -> None:
    own = stump("LGBMClassifier")
    X = pd.DataFrame({"a b": np.zeros(60), "size (in cm)": np.arange(60.0)})
    y = (np.arange(60) > 20).astype(int)
    questions = placed(own.fit(X, y), X)
    assert {question.column for question in questions} == {"size (in cm)"}
    model = own.fit(X[["size (in cm)"]], y)
    alike = X.rename(columns={"a b": "size [in cm]", "size (in cm)": "size {in cm}"})
    with pytest.raises(ValueError, match="asks about a column that the table does not have"):
        placed(model, alike)  # nobody knows which


def test_lightgbm_says_which_categories_it_does_not_tell_apart() -> None:
    own = stump("LGBMClassifier")
    rng = np.random.default_rng(0)
    towns = pd.Categorical(rng.choice(["a", "b", "c"], 200))
    X = pd.DataFrame({"same": pd.Categorical(["u"] * 200), "town": towns})
    with pytest.raises(ValueError, match="2 columns of categories, of which 1 have more than one"):
        lender_of(own.fit(X, (towns == "a").astype(int)))


def test_boosters_are_read_like_the_models_around_them() -> None:
    X = pd.DataFrame({"x": np.arange(60.0)})
    y = (np.arange(60) > 20).astype(int)
    for name, inner in (("LGBMClassifier", "booster_"), ("XGBClassifier", "get_booster")):
        model = stump(name).fit(X, y)
        booster = getattr(model, inner)
        booster = booster() if callable(booster) else booster
        assert placed(booster, X) == placed(model, X)
        assert {question.origin for question in questions_of(booster)} == {"Booster"}


def test_a_linear_booster_has_no_trees() -> None:
    xgboost = pytest.importorskip("xgboost", reason="xgboost is not installed")
    X, y = np.arange(20.0)[:, None], (np.arange(20) > 9).astype(int)
    linear = xgboost.XGBClassifier(booster="gblinear", n_estimators=2).fit(X, y)
    with pytest.raises(ValueError, match="XGBoost model is linear and has no trees"):
        questions_of(linear)


def test_catboost_lends_numbers_and_passes_over_hashes() -> None:
    catboost = pytest.importorskip("catboost", reason="catboost is not installed")
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"a": rng.random(200), "town": rng.choice(["u", "v", "w"], 200)})
    y = ((X["a"] > 0.5) ^ (X["town"] == "u")).astype(int)
    for settings in ({"one_hot_max_size": 10}, {}, {"grow_policy": "Lossguide"}):
        model = catboost.CatBoostClassifier(
            iterations=3, verbose=False, allow_writing_files=False, **settings
        ).fit(X, y, cat_features=["town"])
        assert {question.column for question in questions_of(model)} == {"a"}


def test_a_tree_is_read_node_by_node() -> None:
    """Every split of a whole tree, each used once, with what it gained."""
    X, y = load_iris(return_X_y=True)
    model = DecisionTreeClassifier(max_depth=3, random_state=0).fit(X, y)
    cuts = lender_of(model).cuts
    tree = model.tree_
    inner = np.flatnonzero(tree.feature >= 0)
    assert [cut.column for cut in cuts] == [f"x{f}" for f in tree.feature[inner]]
    assert [cut.value for cut in cuts] == tree.threshold[inner].tolist()  # type: ignore[union-attr]
    assert sum(cut.gain for cut in cuts) == pytest.approx(
        sum(
            tree.impurity[v] * tree.weighted_n_node_samples[v] * (-1 if leaf else 1)
            for v, leaf in enumerate(tree.feature < 0)
            if v == 0 or leaf
        )
    )


def test_ensembles_of_ensembles_are_read() -> None:
    X, y = load_iris(return_X_y=True)
    tree = DecisionTreeClassifier(max_leaf_nodes=2, random_state=0)
    forest = RandomForestClassifier(2, max_leaf_nodes=2, random_state=0)
    asked = {question for own in (tree, forest) for question in questions_of(own.fit(X, y))}
    vote = VotingClassifier([("a", tree), ("b", "drop"), ("c", forest)]).fit(X, y)
    assert set(questions_of(vote)) == asked
    assert {question.origin for question in questions_of(vote)} == {"VotingClassifier"}
    stack = StackingClassifier([("a", tree), ("c", forest)], cv=2).fit(X, y)
    assert set(questions_of(stack)) == asked
    several = OneVsRestClassifier(tree).fit(X, y)
    assert len(questions_of(several)) >= 4


def test_estimators_around_one_other_are_looked_into() -> None:
    X, y = load_iris(return_X_y=True, as_frame=True)
    tree = DecisionTreeClassifier(max_leaf_nodes=3, random_state=0)
    asked = questions_of(clone(tree).fit(X, y))
    frozen = FrozenEstimator(clone(tree).fit(X, y))
    search = GridSearchCV(tree, {"max_leaf_nodes": [3]}, cv=2)
    for model in (frozen, clone(frozen), clone(search).fit(X, y)):
        assert questions_of(model) == asked
        assert {question.origin for question in questions_of(model)} == {"DecisionTreeClassifier"}
    for unfitted in (FrozenEstimator(tree), search):
        with pytest.raises(NotFittedError):
            questions_of(unfitted)
    learnt = BsnsingClassifier.plain(extra_questions=search, own_questions=False).fit(X, y)
    assert set(learnt.tree_.asked_questions()) <= set(asked)


def test_our_own_models_lend_both_directions() -> None:
    X, y = load_iris(return_X_y=True, as_frame=True)
    X["kind"] = pd.Categorical(np.array(["u", "v", "w"])[np.arange(150) % 3])
    model = BsnsingClassifier.plain(
        extra_questions=["sepal length (cm) < 5.5", "kind in {u, v}"], own_questions=False
    ).fit(X, y)
    asked = {str(question) for question in questions_of(model)}
    assert asked >= {"sepal length (cm) < 5.5", "sepal length (cm) >= 5.5"}
    for whole in (model.tree_, BsnsingEnsemble(n_estimators=2, random_state=0).fit(X, y)):
        assert {question.origin for question in questions_of(whole)} == {type(whole).__name__}


def test_what_lends_nothing_is_refused_with_its_type() -> None:
    for other in (LogisticRegression(), DummyClassifier(), object(), 3, {"a": 1}):
        with pytest.raises(TypeError, match=f"extra_questions takes .* Got {type(other).__name__}"):
            questions_of(other)
    with pytest.raises(TypeError, match="A LogisticRegression lends no cuts"):
        questions_of(VotingClassifier([("a", LogisticRegression())]).fit([[0], [1]], [0, 1]))
    with pytest.raises(NotFittedError, match="RandomForestClassifier is not fitted"):
        questions_of([RandomForestClassifier()])


def test_imodels_categories_are_refused() -> None:
    imodels = pytest.importorskip("imodels", reason="imodels is not installed")
    model = imodels.FIGSClassifier(max_rules=1).fit(np.arange(20.0)[:, None], np.arange(20) > 9)
    model.categorical_features_ = ["town"]
    with pytest.raises(ValueError, match=r"columns of categories \(\['town'\]\)"):
        questions_of(model)


def test_pystreed_reads_categories_and_flags() -> None:
    pystreed = pytest.importorskip("pystreed", reason="pystreed is not installed")
    rng = np.random.default_rng(0)
    X = pd.DataFrame(
        {
            "flag": rng.integers(0, 2, 200),
            "size": rng.random(200),
            "town": rng.choice(["u", "v", "w"], 200),
        }
    )
    for column, y in (
        ("flag", X["flag"] == 1),
        ("town", X["town"] == "v"),
        ("size", X["size"] > X["size"].median()),
    ):
        model = pystreed.STreeDClassifier(max_depth=1, n_thresholds=3).fit(X, y.astype(int))
        questions = placed(model, X)
        assert {question.column for question in questions} == {column}
        cells = X[column].to_numpy(dtype=object)
        assert any(np.array_equal(question.answer(cells), y) for question in questions)
    limited = pystreed.STreeDClassifier(max_depth=1, max_num_binary_features=2)
    with pytest.raises(ValueError, match="max_num_binary_features"):
        questions_of(limited.fit(X, (X["size"] > 0.5).astype(int)))


def test_every_donor_stands_in_the_registry_once() -> None:
    assert len({type(donor) for donor in donors()}) == len(donors())
