"""What other tools do with an estimator: copy it, save it, search its settings, wrap it."""

from __future__ import annotations

import copy
import io
import pickle
from collections.abc import Callable
from typing import Any

import joblib
import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.compose import ColumnTransformer
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.exceptions import NotFittedError
from sklearn.frozen import FrozenEstimator
from sklearn.model_selection import GridSearchCV, cross_val_predict, cross_validate
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

from bsnsing import BsnsingClassifier, Question

X, y = load_iris(return_X_y=True)
X_TWO, y_TWO = load_breast_cancer(return_X_y=True)
MIXED = pd.DataFrame(X[:, :2], columns=["length", "width"]).assign(
    size=pd.Categorical(np.where(X[:, 2] > 3, "large", "small")), is_thin=X[:, 3] < 0.5
)
SETTINGS: dict[str, dict[str, Any]] = {
    "default": {},
    "ovr": {"multiclass": "ovr"},
    "pruned": {"max_leaf_nodes": 3, "class_weight": "balanced"},
    "imported": {"extra_questions": [Question("width", ">", 3.0)], "n_jobs": 2},
}
each_setting = pytest.mark.parametrize("settings", SETTINGS.values(), ids=SETTINGS.keys())


def through_joblib(model: BsnsingClassifier) -> BsnsingClassifier:
    file = io.BytesIO()
    joblib.dump(model, file)
    file.seek(0)
    return joblib.load(file)


COPIES: dict[str, Callable[[BsnsingClassifier], BsnsingClassifier]] = {
    **{f"pickle{p}": lambda m, p=p: pickle.loads(pickle.dumps(m, protocol=p)) for p in (2, 5)},
    "joblib": through_joblib,
    "deepcopy": copy.deepcopy,
}


# --- Parameters ---


@each_setting
def test_clone_keeps_parameters_and_nothing_else(settings: dict[str, Any]) -> None:
    model = BsnsingClassifier.plain(**settings).fit(MIXED, y)
    copied = clone(model)
    assert str(copied.get_params()) == str(model.get_params())
    assert not [name for name in vars(copied) if name.endswith("_")]
    assert np.array_equal(copied.fit(MIXED, y).predict(MIXED), model.predict(MIXED))


def test_get_and_set_params() -> None:
    model = BsnsingClassifier.plain(max_rules=3)
    assert model.get_params()["max_rules"] == 3
    assert model.set_params(max_rules=1, criterion="entropy") is model
    assert (model.max_rules, model.criterion) == (1, "entropy")
    with pytest.raises(ValueError, match="max_rule"):
        model.set_params(max_rule=1)


def test_fit_leaves_parameters_alone() -> None:
    model = BsnsingClassifier.plain(
        operators=["or", "and"], class_weight={0: 2.0}, min_samples_leaf=0.1
    )
    before = copy.deepcopy(model.get_params())
    assert model.fit(X, y).get_params() == before


def test_paper_settings_can_be_changed() -> None:
    model = BsnsingClassifier.paper(max_depth=2, multiclass="native")
    assert (model.criterion, tuple(model.operators)) == ("gini_squared", ("or",))
    assert (model.max_depth, model.multiclass) == (2, "native")


@pytest.mark.parametrize(
    "method",
    ["predict", "predict_proba", "predict_log_proba", "apply", "decision_path", "score"],
)
def test_methods_ask_for_a_fit_first(method: str) -> None:
    given = (X, y) if method == "score" else (X,)
    with pytest.raises(NotFittedError):
        getattr(BsnsingClassifier.plain(), method)(*given)


@pytest.mark.parametrize("name", ["get_depth", "get_n_leaves"])
def test_tree_facts_ask_for_a_fit_first(name: str) -> None:
    with pytest.raises(NotFittedError):
        getattr(BsnsingClassifier.plain(), name)()
    with pytest.raises(NotFittedError):
        _ = BsnsingClassifier.plain().feature_importances_


# --- Copies and files ---


@each_setting
@pytest.mark.parametrize("copied", COPIES.values(), ids=COPIES.keys())
def test_copies_predict_the_same(
    copied: Callable[[BsnsingClassifier], BsnsingClassifier], settings: dict[str, Any]
) -> None:
    model = BsnsingClassifier.plain(**settings).fit(MIXED, y)
    again = copied(model)
    assert np.array_equal(again.predict_proba(MIXED), model.predict_proba(MIXED))
    assert np.array_equal(again.apply(MIXED[::-1]), model.apply(MIXED[::-1]))
    assert str(again) == str(model)
    assert not again.trees_[0].counts.flags.writeable


@pytest.mark.parametrize("copied", COPIES.values(), ids=COPIES.keys())
def test_unfitted_models_can_be_copied(
    copied: Callable[[BsnsingClassifier], BsnsingClassifier],
) -> None:
    again = copied(BsnsingClassifier.plain(max_rules=3))
    assert again.max_rules == 3
    assert again.fit(X, y).score(X, y) > 0.9


def test_refit_leaves_nothing_of_the_earlier_fit() -> None:
    model = BsnsingClassifier.plain().fit(MIXED, y)
    assert model.tree_ is model.trees_[0]
    model.set_params(multiclass="ovr").fit(X_TWO, y_TWO.astype(str))
    assert model.tree_ is model.trees_[0], "two classes need one tree"
    assert not hasattr(model, "feature_names_in_")
    assert (model.n_features_in_, model.classes_.tolist()) == (30, ["0", "1"])
    model.fit(X, y)
    assert not hasattr(model, "tree_")
    assert len(model.trees_) == 3
    fresh = BsnsingClassifier.plain(multiclass="ovr").fit(X, y)
    assert vars(model).keys() == vars(fresh).keys()
    assert str(model) == str(fresh)
    model.set_params(multiclass="native").fit(X, y)
    assert len(model.trees_) == 1
    assert model.tree_ is model.trees_[0]


# --- Text ---


def test_unfitted_text_is_the_call_that_makes_it() -> None:
    assert repr(BsnsingClassifier()) == str(BsnsingClassifier()) == "BsnsingClassifier()"
    assert repr(BsnsingClassifier(max_rules=3)) == "BsnsingClassifier(max_rules=3)"


def test_fitted_text_is_the_tree(capsys: pytest.CaptureFixture[str]) -> None:
    model = BsnsingClassifier(max_depth=1).fit(X, y)
    assert repr(model) == "BsnsingClassifier(max_depth=1)"
    print(model)
    first, *lines = capsys.readouterr().out.splitlines()
    assert first.startswith("Splits proven best: 1 of 1 for the teacher's training set ")
    assert len(lines) == 3
    assert lines[0].endswith(" ?")
    assert lines[1].startswith("  yes: ")
    assert lines[2].startswith("  no:  ")
    assert "BsnsingClassifier" in model._repr_html_()


# --- Wrapped by scikit-learn ---


def test_grid_search() -> None:
    search = GridSearchCV(
        BsnsingClassifier.plain(), {"max_rules": [1, 2], "min_samples_leaf": [1, "sqrt"]}, n_jobs=2
    ).fit(X, y)
    assert search.best_score_ > 0.9
    assert np.isfinite(search.cv_results_["mean_test_score"]).all()
    assert search.best_estimator_.get_params()["max_rules"] in (1, 2)


def test_pipeline_of_columns_of_two_kinds() -> None:
    scale = ColumnTransformer(
        [("numbers", StandardScaler(), ["length", "width"])],
        remainder="passthrough",
        verbose_feature_names_out=False,
    ).set_output(transform="pandas")
    model = Pipeline([("scale", scale), ("tree", BsnsingClassifier.plain())]).fit(MIXED, y)
    plain = BsnsingClassifier.plain().fit(MIXED, y)
    assert model["tree"].feature_names_in_.tolist() == ["length", "width", "size", "is_thin"]
    assert np.array_equal(model.predict_proba(MIXED), plain.predict_proba(MIXED))
    assert model.set_params(tree__max_depth=1).fit(MIXED, y)["tree"].get_depth() == 1


def test_pipeline_without_names() -> None:
    model = make_pipeline(StandardScaler(), BsnsingClassifier.plain()).fit(X, y)
    assert model.score(X, y) > 0.9


@pytest.mark.parametrize("method", ["sigmoid", "isotonic"])
def test_calibration(method: str) -> None:
    model = CalibratedClassifierCV(BsnsingClassifier.plain(), method=method, cv=3).fit(X, y)
    shares = model.predict_proba(X)
    assert np.allclose(shares.sum(axis=1), 1)
    assert model.score(X, y) > 0.9


@each_setting
def test_cross_validation(settings: dict[str, Any]) -> None:
    found = cross_validate(
        BsnsingClassifier.plain(**settings), MIXED, y, cv=3, scoring=["accuracy", "roc_auc_ovr"]
    )
    assert (found["test_accuracy"] > 0.6).all()
    assert (found["test_roc_auc_ovr"] > 0.8).all()


@pytest.mark.parametrize("method", ["predict", "predict_proba", "predict_log_proba"])
def test_cross_validated_predictions(method: str) -> None:
    found = cross_val_predict(BsnsingClassifier.plain(), X, y, cv=3, method=method)
    labels = found if method == "predict" else found.argmax(axis=1)
    assert (labels == y).mean() > 0.9


def test_frozen_trees_lend_their_questions_to_a_grid_search() -> None:
    """Cloning an estimator would undo its fit; scikit-learn's way around it is to freeze it."""
    lender = FrozenEstimator(DecisionTreeClassifier(max_depth=2, random_state=0).fit(X, y))
    model = BsnsingClassifier.plain(extra_questions=lender, own_questions=False)
    search = GridSearchCV(model, {"max_rules": [1, 2]}, cv=3, error_score="raise").fit(X, y)
    thresholds = set(lender.tree_.threshold[lender.tree_.feature >= 0])
    asked = [q for rule in search.best_estimator_.tree_.rules if rule for q in rule.questions]
    assert asked
    assert {q.value for q in asked} <= thresholds | {np.nextafter(t, np.inf) for t in thresholds}
