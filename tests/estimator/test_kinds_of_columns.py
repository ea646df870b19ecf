"""Trees of tables with ordered levels, dates, times and durations."""

from __future__ import annotations

import datetime as dt
import itertools
import sqlite3
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

import bsnsing
from bsnsing import (
    BsnsingClassifier,
    BsnsingClassifierCV,
    Tree,
    ask_questions,
    export_python,
    export_rules,
    export_sql,
    export_text,
    to_sklearn,
)

GRADES = ["low", "mid", "high", "top"]


def patients(seed: int = 0, n: int = 300) -> tuple[pd.DataFrame, Any]:
    random = np.random.RandomState(seed)
    X = pd.DataFrame(
        {
            "grade": pd.Categorical(random.choice(GRADES, n), GRADES, ordered=True),
            "visit": pd.Timestamp("2020-01-01") + pd.to_timedelta(random.randint(0, 900, n), "D"),
            "wait": pd.to_timedelta(random.randint(0, 600, n), "min"),
            "code": random.randint(0, 5, n),
        }
    )
    y = (X.grade >= "high") & (X.visit >= "2021-03-01") | (X.code == 3)
    return X, np.where(y ^ (random.rand(n) < 0.05), "ill", "well")


MODELS = {
    "plain": BsnsingClassifier.plain(),
    "default": BsnsingClassifier(),
    "paper": BsnsingClassifier.paper(),
    "greedy": BsnsingClassifier.plain(solver="greedy"),
    "cv": BsnsingClassifierCV(cv=3),
}


@pytest.mark.parametrize("name", MODELS)
def test_orders_are_never_broken_up(name: str) -> None:
    X, y = patients()
    model = MODELS[name].fit(X, y)
    asked = list(model.tree_.asked_questions())
    assert {q.test for q in asked if q.column == "grade"} <= {">=", "<="}
    assert all(isinstance(q.value, dt.datetime) for q in asked if q.column == "visit")
    assert all(isinstance(q.value, dt.timedelta) for q in asked if q.column == "wait")
    assert any(q.test == "==" and q.column == "code" for q in asked)  # others still are
    assert model.score(X, y) > 0.85


def test_pools_ask_orders_for_thresholds_alone() -> None:
    X, y = patients()
    asked = [str(question) for question in ask_questions(X, y).questions]
    assert "grade >= high" in asked
    assert "code == 3" in asked
    assert not [text for text in asked if text.startswith(("grade ==", "visit ==", "wait =="))]


def test_the_rule_is_the_best_of_all_thresholds() -> None:
    """Brute force over single thresholds of the order."""
    X, y = patients(3)
    model = BsnsingClassifier.plain(max_rules=1, max_depth=1).fit(X[["grade"]], y)
    is_ill = y == "ill"

    def impurity(yes: Any) -> float:
        sides = (is_ill[yes], is_ill[~yes])
        return sum(2 * len(s) * s.mean() * (1 - s.mean()) for s in sides if len(s))

    best = min(impurity(np.asarray(X.grade >= level)) for level in GRADES[1:])
    assert model.tree_.objective[0] == pytest.approx(best)


def test_thresholds_are_full_days_where_these_part_the_same_rows() -> None:
    X, y = patients()
    for model in (BsnsingClassifier.plain(), BsnsingClassifier()):
        values = [q.value for q in model.fit(X, y).tree_.asked_questions() if q.column == "visit"]
        days = [dt.datetime(v.year, v.month, v.day) for v in values]
        assert values
        # After the last microsecond of a day, or before the first of one.
        assert all(v == d or v + dt.timedelta(microseconds=1) == d + dt.timedelta(1)
                   for v, d in zip(values, days, strict=True))  # fmt: skip


def test_time_zones_are_shown_and_moments_compared() -> None:
    X, y = patients()
    X["visit"] = X["visit"].dt.tz_localize("Europe/Berlin")
    model = BsnsingClassifier.plain(max_rules=1, max_depth=1).fit(X[["visit"]], y)
    assert str(model.tree_.rule(0)).endswith(("T00:00+01:00", "T00:00+02:00"))
    elsewhere = X[["visit"]].assign(visit=X.visit.dt.tz_convert("Asia/Tokyo"))
    assert (model.predict(elsewhere) == model.predict(X[["visit"]])).all()


@pytest.mark.parametrize("teacher", [None, "forest"])
def test_what_is_printed_is_read_back(teacher: Any, tmp_path: Any) -> None:
    X, y = patients()
    X.loc[::9, "grade"] = None
    model = BsnsingClassifier.plain(teacher=teacher, max_leaf_nodes=6).fit(X, y)
    again = BsnsingClassifier.from_text(export_text(model), X, y, criterion="gini")
    assert (again.apply(X) == model.apply(X)).all()
    model.save(tmp_path / "model.json")
    loaded = bsnsing.load(tmp_path / "model.json")
    assert str(loaded) == str(model)
    assert np.array_equal(loaded.predict_proba(X), model.predict_proba(X))
    table = pl.from_pandas(X)
    assert np.array_equal(loaded.predict_proba(table), model.predict_proba(X))


def test_the_users_questions_and_first_rules() -> None:
    X, y = patients()
    words = ["visit since 2021-03-01", "grade >= high", "wait > 1h 30min"]
    model = BsnsingClassifier.plain(
        extra_questions=words, own_questions=False, first_rules=["visit since 2021-03-01"]
    ).fit(X, y)
    assert str(model.tree_.rule(0)) == words[0]
    assert {str(q) for q in model.tree_.asked_questions()} <= {*words, "grade < high"}
    with pytest.raises(ValueError, match=r"'grade >= best' does not fit.*low < mid < high < top"):
        BsnsingClassifier.plain(extra_questions="grade >= best").fit(X, y)
    with pytest.raises(ValueError, match=r"'visit > 3' does not fit its column.*2021-03-01"):
        BsnsingClassifier.plain(extra_questions="visit > 3").fit(X, y)
    with pytest.raises(ValueError, match=r"'grade in \{low, top\}' is about single levels"):
        BsnsingClassifier.plain(extra_questions="grade in {low, top}").fit(X, y)
    with pytest.raises(ValueError, match="'code >= low' must compare a numeric column"):
        BsnsingClassifier.plain(extra_questions="code >= low").fit(X, y)


@pytest.mark.parametrize(
    ("words", "shown"),
    [
        ("grade in {top, high}", "grade >= high"),
        ("grade in {low, mid, high}", "grade <= high"),
        ("grade in {low}", "grade <= low"),
    ],
)
def test_lists_of_the_least_or_greatest_levels_follow_the_order(words: str, shown: str) -> None:
    X, y = patients()
    wanted = X["grade"].isin(words[len("grade in {") : -1].split(", "))
    model = BsnsingClassifier.plain(first_rules=[words], max_depth=1).fit(X, y)
    assert model.tree_.rule(0).text() == shown
    assert (model.apply(X) == np.where(wanted, 1, 2)).all()


def test_orders_can_be_monotone() -> None:
    X, y = patients(5)
    model = BsnsingClassifier(monotonic_cst={"grade": {"ill": 1}}).fit(X, y)
    place = model.classes_.tolist().index("ill")
    shares = [
        model.predict_proba(X.assign(grade=pd.Categorical([level] * len(X), GRADES, ordered=True)))
        for level in GRADES
    ]
    for low, high in itertools.pairwise(shares):
        assert (low[:, place] <= high[:, place]).all()


def test_exports_of_orders_are_sets_of_levels() -> None:
    X, y = patients()
    X = X[["grade", "code"]]
    model = BsnsingClassifier.plain().fit(X, y)
    program: dict[str, Any] = {}
    exec(export_python(model), program)  # our own
    rows = X.astype(object).to_dict("records")
    told = [program["predict_proba"](row) for row in rows]
    told = [list(own.values()) if isinstance(own, dict) else own for own in told]
    assert np.allclose(told, model.predict_proba(X))
    assert "grade in {high, top}" in export_rules(model)
    assert np.allclose(to_sklearn(model).predict_proba(X), model.predict_proba(X))
    with sqlite3.connect(":memory:") as database:
        X.astype({"grade": str}).to_sql("patients", database, index=False)
        scored = pd.read_sql(export_sql(model, table="patients", dialect="sqlite"), database)
    shares = scored[[f"p_{label}" for label in model.classes_]].to_numpy()
    assert len(scored) == len(X)  # in an order of its own
    assert np.allclose(shares, model.predict_proba(scored[["grade", "code"]]))


def test_dates_are_explained_and_asked_about_by_programs() -> None:
    X, y = patients()
    model = BsnsingClassifier.plain(max_leaf_nodes=3).fit(X[["visit"]], y)
    case = pd.DataFrame({"visit": pd.to_datetime(["2020-02-03"])})
    assert "visit is 2020-02-03" in str(model.explain(case))
    assert "visit >= 20" in export_rules(model)
    module: dict[str, Any] = {}
    exec(compile(export_python(model), "model.py", "exec"), module)
    asked = [module["predict"]({"visit": day}) for day in X["visit"]]
    assert asked == model.predict(X[["visit"]]).tolist()


def test_own_trees_lend_them_too() -> None:
    X, y = patients()
    lender = BsnsingClassifier.plain(max_leaf_nodes=4).fit(X, y)
    model = BsnsingClassifier.plain(extra_questions=lender, own_questions=False).fit(X, y)
    cut = {str(q).split(" ", 1)[0] for q in lender.tree_.asked_questions()}
    assert {str(q).split(" ", 1)[0] for q in model.tree_.asked_questions()} <= cut
    assert model.tree_.origins == ("own", "BsnsingClassifier")


def test_trees_of_experts_may_ask_them() -> None:
    X, y = patients()
    text = "grade >= high and visit since 2021-03-01 ?\n  yes: ill\n  no: well"
    tree = Tree.from_text(text, X, y)
    holds = (X.grade >= "high") & (X.visit >= "2021-03-01")
    assert tree.counts[1].sum() == holds.sum()


def test_groups_of_a_summary_are_in_their_order() -> None:
    X, y = patients()
    model = BsnsingClassifier.plain(max_leaf_nodes=3).fit(X, y)
    by_grade = [own.group for own in model.summary(X, y, by="grade").groups]
    assert list(dict.fromkeys(by_grade)) == GRADES
    assert any("2020-" in own.group for own in model.summary(X, y, by="visit").groups)
