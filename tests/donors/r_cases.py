"""Tests of R's learners. test_r.py runs them in a process of their own: R settles in for good."""

from __future__ import annotations

import signal
import threading
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator, clone

from bsnsing import BsnsingClassifier, BsnsingClassifierCV, Question, RLearner, questions_of
from bsnsing.data.table import read_training_table
from bsnsing.questions.donors.place import place_cuts
from bsnsing.questions.donors.r import R_LEARNERS, R, r_session
from bsnsing.questions.donors.registry import lender_of


def needs(name: str) -> str:
    package, _ = R_LEARNERS[name]
    with r_session() as r:
        if not r.has(package):
            pytest.skip(f"R has no package {package!r} here: Debian has rpart and party alone")
    return name


LEARNERS = list(R_LEARNERS)


def table(seed: int = 0, n_rows: int = 300, n_classes: int = 2) -> tuple[pd.DataFrame, Any]:
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(
        {
            "size of it": np.round(rng.normal(size=n_rows), 2),
            "dose": np.round(rng.exponential(2, n_rows), 3),
            "town": pd.Categorical(rng.choice(["ulm", "bonn", "kiel", "köln"], n_rows)),
        }
    )
    score = 2 * (frame["size of it"] > 0.3) + frame["town"].isin(["ulm", "köln"])
    score = score + 0.5 * (frame["dose"] > 2) + rng.normal(0, 0.4, n_rows)
    return frame, np.searchsorted(np.linspace(1, 2, n_classes - 1), score)


def placed(fit: Any, X: pd.DataFrame) -> list[Question]:
    return place_cuts(lender_of(fit), read_training_table(BaseEstimator(), X, "from_dtype"))


def fitted(r: R, name: str, X: pd.DataFrame, y: Any) -> Any:
    """An object of R as a user has it, under names that R makes of the columns'."""
    columns = {}
    for column in X:
        cells = X[column]
        if cells.dtype == "category":
            codes = r.factor(cells.cat.codes.to_numpy(), len(cells.cat.categories))
            names = r._ri.StrSexpVector(list(map(str, cells.cat.categories)))
            codes.do_slot_assign("levels", names)
            columns[column] = codes
        else:
            columns[column] = r.numbers(cells.to_numpy())
    frame = r.call("base", "data.frame", **columns, y=r.factor(y, int(y.max()) + 1))
    package, function = R_LEARNERS[name]
    return r.call(package, function, r.call("stats", "as.formula", r.text("y ~ .")), data=frame)


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("name", LEARNERS)
def test_objects_of_r_are_read(name: str, n_classes: int) -> None:
    needs(name)
    X, y = table(1, n_classes=n_classes)
    with r_session() as r:
        fit = fitted(r, name, X, y)
    questions = placed(fit, X)
    assert {question.column for question in questions} >= {"size of it", "town"}
    assert {question.origin for question in questions} == {name}
    assert {question.origin for question in questions_of(fit)} == {name}
    model = BsnsingClassifier.plain(extra_questions=fit, own_questions=False).fit(X, y)
    assert model.score(X, y) > 0.7


@pytest.mark.parametrize("name", ["rpart", "ctree"])
def test_splits_part_the_rows_as_r_does(name: str) -> None:
    """Stumps: where R says each row is, and what the questions say."""
    needs(name)
    for seed in range(6):
        X, y = table(seed)
        if seed % 2:
            X = X[["town"]]
        with r_session() as r:
            fit = fitted(r, name, X, y)
            where = np.array(list(_where(r, name, fit)))
        questions = place_cuts(
            lender_of(fit), read_training_table(BaseEstimator(), X, "from_dtype")
        )
        answers = np.column_stack(
            [question.answer(X[question.column].to_numpy(dtype=object)) for question in questions]
        )
        # Rows with the same answers end in the same leaf, and each leaf is told by the answers.
        _, group = np.unique(answers, axis=0, return_inverse=True)
        for number in np.unique(group):
            assert len(set(where[group.ravel() == number])) == 1
        assert len(set(where)) > 1


def _where(r: R, name: str, fit: Any) -> Any:
    return r.part(fit, "where") if name == "rpart" else r.call("party", "where", fit)


@pytest.mark.parametrize("per_node", [False, True])
@pytest.mark.parametrize("name", LEARNERS)
def test_learners_by_name(name: str, per_node: bool) -> None:
    needs(name)
    X, y = table(2, n_classes=3)
    X.loc[X.index[::7], "dose"] = np.nan
    X.loc[X.index[::11], "town"] = None
    weights = 1 + np.arange(len(y)) % 2
    for sample_weight in (None, weights, weights * 0.7):
        model = BsnsingClassifier.plain(
            extra_questions=name, own_questions=False, donors_per_node=per_node
        ).fit(X, y, sample_weight)
        assert set(model.tree_.origins) == {"own", name}
        assert model.get_n_leaves() > 2
        again = clone(model).fit(X, y, sample_weight)
        assert str(again) == str(model)


def test_settings_reach_r() -> None:
    needs("rpart")
    X, y = table(3)

    def n_asked(extra: Any) -> int:
        model = BsnsingClassifier.plain(
            extra_questions=extra, own_questions=False, min_samples_leaf=2
        ).fit(X, y)
        return len(set(model.tree_.asked_questions()))

    assert n_asked(RLearner("rpart", {"maxdepth": 1})) <= 2
    assert n_asked(RLearner("rpart", {"cp": 0.0, "minsplit": 4})) > 4
    needs("ctree")
    assert n_asked(RLearner("ctree", {"maxdepth": 1})) <= 2
    with pytest.raises(ValueError, match=r"rpart in extra_questions could not be fitted.*minsplit"):
        n_asked(RLearner("rpart", {"minsplit": "many"}))


def test_many_levels_are_given_as_0_1_columns() -> None:
    needs("rpart")
    needs("ctree")
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"many": [f"level {i}" for i in rng.integers(0, 45, 400)]})
    y = np.where(X["many"] == "level 7", 2, np.where(X["many"] == "level 3", 1, 0))
    for name in ("rpart", "ctree"):  # with three classes rpart would try 2^44 subsets
        model = BsnsingClassifier.plain(
            extra_questions=name, own_questions=False, min_samples_leaf=2, max_levels=60
        ).fit(X, y)
        assert 'many == "level 3"' in str(model)


def test_hostile_names_stay_names() -> None:
    needs("rpart")
    X, y = table(4)
    X.columns = ["y", "x0); system('touch hacked'", "`~ ."]
    X["`~ ."] = X["`~ ."].cat.rename_categories({"ulm": "quit('no')", "bonn": '"\\'})
    model = BsnsingClassifier.plain(extra_questions=["rpart"], own_questions=False).fit(X, y)
    assert {question.column for question in model.tree_.asked_questions()} <= set(X.columns)


def test_r_in_threads_and_folds() -> None:
    needs("rpart")
    X, y = table(5)
    before = signal.getsignal(signal.SIGINT)
    model = BsnsingClassifier.plain(extra_questions="rpart", donors_per_node=True)
    expected = str(clone(model).fit(X, y))
    found: list[str] = []
    threads = [
        threading.Thread(target=lambda: found.append(str(clone(model).fit(X, y)))) for _ in range(3)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [expected] * 3
    BsnsingClassifierCV(model, cv=2, max_rules=[1], n_jobs=2).fit(X, y)
    assert signal.getsignal(signal.SIGINT) is before


def test_a_package_that_is_not_there_is_named() -> None:
    with r_session() as r, pytest.raises(ImportError, match="R has no package 'no such package'"):
        r.call("no such package", "f")


# --- Objects made by hand, of the form that the packages document ---


def made_tree(r: R, nodes: list[tuple[str, str, float, str, str]], **levels: Any) -> Any:
    """A tree of numbers and names of nodes, their deviance, and labels of both sides."""
    numbers, names, deviance, left, right = zip(*nodes, strict=True)
    frame = r.call(
        "base",
        "data.frame",
        var=r._ri.StrSexpVector(names),
        dev=r.numbers(np.array(deviance)),
        **{"row.names": r._ri.StrSexpVector(numbers)},
    )
    splits = r.call("base", "matrix", r._ri.StrSexpVector([*left, *right]), ncol=r.scalar(2))
    frame = r.call("base", "$<-.data.frame", frame, r.text("splits"), splits)
    fit = r.call("base", "list", frame=frame)
    listed = {"xlevels": r.call("base", "list", **levels)} if levels else {}
    return r.call("base", "structure", fit, **listed, **{"class": r.text("tree")})


def test_a_tree_of_the_package_tree() -> None:
    leaf = "<leaf>"
    with r_session() as r:
        fit = made_tree(
            r,
            [
                ("1", "size.of.it", 10.0, "<0.305", ">0.305"),
                ("2", "town", 6.0, ":ac", ":bd"),
                ("4", leaf, 1.0, "", ""),
                ("5", leaf, 2.0, "", ""),
                ("3", leaf, 3.0, "", ""),
            ],
            **{"size.of.it": r._ri.NULL},
            town=r._ri.StrSexpVector(["bonn", "kiel", "köln", "ulm"]),
        )
        numbers = made_tree(
            r,
            [
                ("1", "dose", 4.0, "<1.5", ">1.5"),
                ("2", leaf, 1.0, "", ""),
                ("3", leaf, 1.0, "", ""),
            ],
        )
    X, _ = table()
    lender = lender_of(fit)
    assert [cut.gain for cut in lender.cuts] == [1.0, 3.0]
    assert [str(question) for question in placed(fit, X)] == [
        *("town in {bonn, köln}", "town in {kiel, ulm}"),
        *("size of it >= 0.305", "size of it < 0.305"),
    ]
    assert [str(question) for question in placed(numbers, X)] == ["dose >= 1.5", "dose < 1.5"]


def test_a_tree_of_c50() -> None:
    text = "\n".join(
        [
            'id="See5/C5.0 2.07 GPL Edition 2026-01-01"',
            'entries="1"',
            'type="2" class="0" freq="150,150" att="size.of.it" forks="3" cut="0.30000001"',
            'type="0" class="0"',
            'type="3" class="0" freq="90,20" att="town" forks="3" elts="N/A" elts="bonn","köln" '
            'elts="kiel","ulm"',
            'type="0" class="0"',
            'type="0" class="0" freq="80,0"',
            'type="0" class="1" freq="10,20"',
            'type="1" class="1" freq="60,130" att="town" forks="5"',
            *['type="0" class="1" freq="1,1"'] * 5,
        ]
    )
    names = "| made by hand\ny.\n\ny: 0,1.\nsize.of.it: continuous.\ntown: bonn,kiel,köln,ulm.\n"
    with r_session() as r:
        fit = r.call("base", "list", tree=r.text(text), names=r.text(names))
        fit = r.call("base", "structure", fit, **{"class": r.text("C5.0")})
    X, _ = table()
    X["size of it"] = X["size of it"].round(1)
    questions = placed(fit, X)
    asked = [str(question) for question in questions]
    assert set(asked) >= {
        "town in {bonn, köln}",
        "town in {kiel, ulm}",
        "town == bonn",
        "town == ulm",
    }
    above = next(question for question in questions if question.column == "size of it")
    # 0.3 in 32 bits is the cut, so that 0.3 is on the low side, as C5.0 has it.
    assert above.answer([0.3, 0.4]).tolist() == [False, True]
