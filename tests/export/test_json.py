"""Model files: what is saved comes back whole, to the last bit, and fits the published schema."""

from __future__ import annotations

import json
import pickle
import warnings
from dataclasses import fields
from pathlib import Path
from typing import Any

import jsonschema
import numpy as np
import pandas as pd
import pytest
from export.models import DEEP, NAMES, SMALL_NAMES, fitted, mixed_table, trial_rows
from sklearn.base import clone
from sklearn.ensemble import RandomForestClassifier
from sklearn.exceptions import NotFittedError
from sklearn.metrics import accuracy_score, make_scorer
from sklearn.model_selection import StratifiedKFold
from sklearn.tree import DecisionTreeClassifier

import bsnsing
from bsnsing import (
    BsnsingClassifier,
    BsnsingClassifierCV,
    BsnsingEnsemble,
    ColumnPair,
    ModelFileError,
    NotStored,
    Question,
    RuleConstraints,
    Tree,
)
from bsnsing.export.registry import export
from bsnsing.solvers.mip_options import MipOptions

PLAIN = BsnsingClassifier.plain
NUMBERS = np.arange(40.0)[:, None]
HALVES = np.arange(40) > 19


def assert_same_tree(ours: Tree, theirs: Tree) -> None:
    for field in fields(Tree):
        a, b = getattr(ours, field.name), getattr(theirs, field.name)
        if not isinstance(a, np.ndarray):
            assert a == b, field.name
        elif a.dtype == object:
            assert a.tolist() == b.tolist()
            assert list(map(type, a)) == list(map(type, b))
        elif field.name != "question_value":  # of levels, engines leave there what they like
            assert (a.dtype, a.tobytes()) == (b.dtype, b.tobytes()), field.name
    assert ours.rules == theirs.rules


def assert_same_state(model: Any, loaded: Any) -> None:
    """All fitted attributes, however deep."""
    assert type(loaded) is type(model)
    assert set(vars(loaded)) == set(vars(model))
    for name in vars(model):
        if not name.endswith("_"):
            continue
        a, b = getattr(model, name), getattr(loaded, name)
        assert type(a) is type(b), name
        if name == "estimators_":
            for own, other in zip(a, b, strict=True):
                assert_same_state(own, other)
        elif name == "best_estimator_":
            assert_same_state(a, b)
        elif name in ("trees_", "tree_"):
            pairs = zip(a, b, strict=True) if name == "trees_" else [(a, b)]
            for own, other in pairs:
                assert_same_tree(own, other)
        elif name == "cv_results_":
            for key in a:
                assert a[key].dtype == b[key].dtype
                np.testing.assert_array_equal(a[key], b[key])
        elif isinstance(a, np.ndarray):
            assert a.dtype == b.dtype
            assert a.tolist() == b.tolist()
        else:
            assert a == b, name
    np.testing.assert_array_equal(model.feature_importances_, loaded.feature_importances_)
    assert repr(loaded) == repr(model)
    assert str(loaded) == str(model)


@pytest.mark.parametrize("name", [*NAMES, DEEP])
def test_loaded_models_are_the_same_to_the_last_bit(name: str, tmp_path: Path) -> None:
    model, rows = fitted(name), trial_rows(name)
    model.save(tmp_path / "model.json")
    loaded = bsnsing.load(tmp_path / "model.json")
    assert loaded.predict_proba(rows).tobytes() == model.predict_proba(rows).tobytes()
    ours, theirs = loaded.predict(rows), model.predict(rows)
    assert (ours.dtype, ours.tolist()) == (theirs.dtype, theirs.tolist())
    assert_same_state(model, loaded)
    text = (tmp_path / "model.json").read_text(encoding="utf-8")
    assert loaded.to_json() == text
    if name in SMALL_NAMES:  # jsonschema takes ten seconds for 10,000 nodes
        jsonschema.Draft202012Validator(bsnsing.json_schema()).validate(json.loads(text))


@pytest.mark.parametrize("name", SMALL_NAMES)
def test_loaded_models_can_be_cloned_pickled_and_fitted_again(name: str) -> None:
    model = fitted(name)
    loaded = bsnsing.from_json(model.to_json())
    assert repr(clone(loaded)) == repr(clone(model))
    again = pickle.loads(pickle.dumps(loaded))
    assert_same_state(model, again)
    rows = trial_rows(name)
    np.testing.assert_array_equal(again.predict_proba(rows), model.predict_proba(rows))


def test_a_loaded_model_that_is_fitted_again_grows_the_same_tree() -> None:
    trial = mixed_table()
    model = BsnsingClassifier(random_state=np.random.RandomState(3), max_rules=np.int64(2))
    again = bsnsing.from_json(
        PLAIN().fit(NUMBERS, HALVES).set_params(**model.get_params()).to_json()
    )
    ours = clone(model).fit(trial.table, trial.labels)
    theirs = clone(again).fit(trial.table, trial.labels)
    assert_same_tree(ours.tree_, theirs.tree_)


def test_cross_validated_models_come_back_whole() -> None:
    trial = mixed_table()
    model = BsnsingClassifierCV(
        PLAIN(constraints={"forbidden": ["debt"]}), cv=3, max_rules=range(1, 3)
    ).fit(trial.table, trial.labels)
    loaded = bsnsing.from_json(model.to_json())
    assert_same_state(model, loaded)
    assert loaded.max_rules == range(1, 3)
    assert loaded.estimator.constraints == {"forbidden": ["debt"]}
    np.testing.assert_array_equal(
        loaded.predict_proba(trial.table), model.predict_proba(trial.table)
    )
    jsonschema.validate(json.loads(model.to_json()), bsnsing.json_schema())


def test_the_column_of_labels_is_remembered() -> None:
    table = pd.DataFrame({"x": np.arange(40.0), "outcome": HALVES})
    for model in (PLAIN(), BsnsingEnsemble(2, estimator=PLAIN())):
        loaded = bsnsing.from_json(model.fit(table, "outcome").to_json())
        assert loaded.label_name_ == "outcome"
        assert loaded.score(table, HALVES) == 1


def test_names_that_no_column_of_fit_had_are_not_made_up() -> None:
    loaded = bsnsing.from_json(PLAIN().fit(NUMBERS, HALVES).to_json())
    assert not hasattr(loaded, "feature_names_in_")
    assert loaded.n_features_in_ == 1


@pytest.mark.parametrize(
    "labels",
    [
        HALVES,
        HALVES.astype(np.uint8),
        HALVES.astype(np.int64) - 2**62,
        HALVES.astype(np.float32),
        np.where(HALVES, "ja", "nein"),
        np.where(HALVES, "ja", "nein").astype("U50"),
        np.where(HALVES, "ja", "nein").astype(object),
        pd.Series(np.where(HALVES, "a", "b"), dtype="category"),
        pd.Series(HALVES, dtype="boolean"),
        np.where(HALVES, "\ud800", "é"),
    ],
    ids=lambda labels: str(labels.dtype),
)
def test_labels_keep_their_type(labels: Any) -> None:
    model = PLAIN().fit(NUMBERS, labels)
    loaded = bsnsing.from_json(model.to_json().encode("utf-8"))
    assert loaded.classes_.dtype == model.classes_.dtype
    assert list(map(type, loaded.classes_)) == list(map(type, model.classes_))
    assert loaded.predict(NUMBERS).tolist() == list(labels)


@pytest.mark.parametrize(
    "labels",
    [
        np.where(HALVES, np.datetime64("2020-01-01"), np.datetime64("2021-01-01")),
    ],
)
def test_labels_that_json_has_not_are_refused(labels: Any) -> None:
    model = PLAIN().fit(NUMBERS, labels)
    with pytest.raises(TypeError, match="JSON cannot hold"):
        model.to_json()


PARAMETERS: dict[str, Any] = {
    "operators": ["or", "xor"],
    "class_weight": {False: 1.0, True: 2.5},
    "categorical_features": np.array([True]),
    "constraints": RuleConstraints(forbidden={"x0"}, linear=(([1.0], None, np.inf),)),
    "solver_options": MipOptions(gap=0.25),
    "extra_questions": (
        Question("x0", ">", 3.5),
        Question(ColumnPair("a", "-", "b", 2.0), "<", -0.0),
        Question("c", "in", ("u", 1, 2.5, True)),
        Question("c", "is missing"),
    ),
    "column_pairs": [["a", "b"], ("c", "d")],
    "time_limit": np.inf,
    "max_rules": np.int32(2),
    "teacher": PLAIN(max_rules=1),
    "n_jobs": -1,
}


@pytest.mark.parametrize("name", PARAMETERS)
def test_parameters_come_back_as_they_were(name: str) -> None:
    value = PARAMETERS[name]
    model = PLAIN().fit(NUMBERS, HALVES).set_params(**{name: value})
    loaded = bsnsing.from_json(model.to_json())
    got = getattr(loaded, name)
    assert repr(got) == repr(value.item() if isinstance(value, np.generic) else value)
    if name == "extra_questions":
        assert got == value
        assert [type(level) for level in got[2].value] == [str, int, float, bool]
    assert repr(clone(loaded)) == repr(loaded)


def test_a_random_state_goes_on_where_it_was() -> None:
    random = np.random.RandomState(5)
    random.rand(7)
    random.randn(1)
    model = PLAIN(random_state=random).fit(NUMBERS, HALVES)
    got = bsnsing.from_json(model.to_json()).random_state
    np.testing.assert_array_equal(got.randn(5), random.randn(5))


def test_questions_are_taken_from_models_that_lend_them() -> None:
    donor = DecisionTreeClassifier(max_depth=1).fit(NUMBERS, HALVES)
    model = PLAIN(extra_questions=donor, own_questions=False).fit(NUMBERS, HALVES)
    loaded = bsnsing.from_json(model.to_json())
    assert loaded.extra_questions == bsnsing.questions_of(donor)
    assert_same_tree(clone(loaded).fit(NUMBERS, HALVES).tree_, model.tree_)


def test_objects_of_others_leave_a_note_and_a_warning() -> None:
    forest = RandomForestClassifier(n_estimators=3, random_state=0)
    trial = mixed_table()
    model = BsnsingClassifier(teacher=forest).fit(trial.table, trial.labels)
    with pytest.warns(UserWarning, match="a note only of teacher=RandomForestClassifier"):
        text = model.to_json()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        loaded = bsnsing.from_json(text)
        assert loaded.to_json() == text  # the note is passed on
    np.testing.assert_array_equal(
        loaded.predict_proba(trial.table), model.predict_proba(trial.table)
    )
    assert isinstance(loaded.get_params()["teacher"], NotStored)
    assert repr(loaded.teacher) == f"<not stored: {forest!r}>"
    with pytest.raises(ValueError, match=r"'teacher' parameter .* Got <not stored: Random"):
        clone(loaded).fit(trial.table, trial.labels)
    loaded.set_params(teacher=forest).fit(trial.table, trial.labels)


def test_splitters_and_scorers_leave_notes_too() -> None:
    model = BsnsingClassifierCV(
        PLAIN(), cv=StratifiedKFold(2), scoring=make_scorer(accuracy_score)
    ).fit(NUMBERS, HALVES)
    with pytest.warns(UserWarning, match="cv=StratifiedKFold.*scoring=make_scorer"):
        loaded = bsnsing.from_json(model.to_json())
    assert_same = [loaded.best_score_, loaded.best_params_]
    assert assert_same == [model.best_score_, model.best_params_]


def test_each_class_loads_its_own_kind(tmp_path: Path) -> None:
    path = tmp_path / "model.json"
    model = PLAIN().fit(NUMBERS, HALVES)
    model.save(path)
    assert isinstance(BsnsingClassifier.load(path), BsnsingClassifier)
    with pytest.raises(ModelFileError, match="holds a BsnsingClassifier, not a BsnsingEnsemble"):
        BsnsingEnsemble.load(path)
    with pytest.raises(FileExistsError, match="overwrite=True"):
        model.save(path)
    model.save(path, overwrite=True)
    with pytest.raises(FileNotFoundError):
        bsnsing.load(tmp_path / "none.json")
    with pytest.raises(NotFittedError):
        PLAIN().save(tmp_path / "other.json")
    assert list(tmp_path.iterdir()) == [path]


def test_a_class_made_from_ours_loads_as_itself() -> None:
    class Own(BsnsingClassifier):
        pass

    model = Own(max_rules=1).fit(NUMBERS, HALVES)
    assert type(Own.from_json(model.to_json())) is Own
    assert type(bsnsing.from_json(model.to_json())) is BsnsingClassifier


def test_parameters_that_ours_has_not_are_named() -> None:
    class Own(BsnsingClassifier):
        def __init__(self, *, max_rules: Any = 2, teacher: Any = None, colour: str = "red") -> None:
            super().__init__(max_rules=max_rules, teacher=teacher)
            self.colour = colour

    model = Own(colour="blue").fit(NUMBERS, HALVES)
    with pytest.warns(UserWarning, match="a note only of colour='blue'"):
        text = model.to_json()
    assert bsnsing.from_json(text).predict(NUMBERS).tolist() == HALVES.tolist()


def test_trees_are_written_too(tmp_path: Path) -> None:
    tree = fitted("missing").tree_
    export(tree, tmp_path / "tree.json")
    assert_same_tree(bsnsing.load(tmp_path / "tree.json"), tree)
    jsonschema.validate(
        json.loads((tmp_path / "tree.json").read_text(encoding="utf-8")), bsnsing.json_schema()
    )


def test_extreme_thresholds_come_back() -> None:
    least = -float(np.finfo(float).max)
    table = pd.DataFrame({"x": [np.nan if i % 2 else float(i) for i in range(40)]})
    model = PLAIN(
        extra_questions=[Question("x", ">", least)], own_questions=False, min_samples_leaf=1
    ).fit(table, np.arange(40) % 2)
    assert model.get_n_leaves() == 2
    loaded = bsnsing.from_json(model.to_json())
    assert_same_tree(loaded.tree_, model.tree_)


def test_rules_can_be_read_and_edits_of_one_side_are_seen() -> None:
    text = PLAIN(decimals=None).fit(NUMBERS, HALVES).to_json()
    assert '"rule": "x0 > 19.5"' in text
    with pytest.raises(ModelFileError, match=r"reads 'x0 > 18', but .* say 'x0 > 19.5'"):
        bsnsing.from_json(text.replace('"x0 > 19.5"', '"x0 > 18"'))
    with pytest.raises(ModelFileError, match=r"reads 'x0 > 19.5', but .* say 'x0 > 18'"):
        bsnsing.from_json(text.replace('"value": 19.5', '"value": 18'))
    both = text.replace('"x0 > 19.5"', '"x0 > 18"').replace('"value": 19.5', '"value": 18')
    assert bsnsing.from_json(both).predict([[19.0]]).tolist() == [True]
    without = text.replace('"rule": "x0 > 19.5",', "").replace('"value": 19.5', '"value": 18')
    assert bsnsing.from_json(without).predict([[19.0]]).tolist() == [True]
