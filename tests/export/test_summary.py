"""Summaries: every figure against scikit-learn, on training cases and on given ones."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pandas as pd
import pytest
from large_trees import balanced_tree
from sklearn.datasets import load_breast_cancer
from sklearn.metrics import (
    accuracy_score,
    brier_score_loss,
    confusion_matrix,
    log_loss,
    precision_recall_fscore_support,
    roc_auc_score,
)

from bsnsing import BsnsingClassifier, BsnsingClassifierCV, BsnsingEnsemble, export_text, summary
from bsnsing.export.measures import Scored, calibration_bins

from .test_form import MODELS, hostile_rows, mixed_table


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("n_classes", [2, 3])
def test_figures_are_those_of_scikit_learn(name: str, n_classes: int) -> None:
    table, y = mixed_table(n_classes=n_classes)
    model = MODELS[name].fit(table, y)
    rows = hostile_rows(table, np.random.RandomState(1))
    weight = np.random.RandomState(2).randint(0, 4, len(y))
    page = model.summary(rows, y, sample_weight=weight)
    probabilities, predicted = model.predict_proba(rows), model.predict(rows)
    np.testing.assert_array_equal(
        page.confusion, confusion_matrix(y, predicted, sample_weight=weight)
    )
    assert page.accuracy == pytest.approx(accuracy_score(y, predicted, sample_weight=weight))
    assert page.cases == weight.sum()
    assert page.log_loss == pytest.approx(log_loss(y, probabilities, sample_weight=weight))
    scored = precision_recall_fscore_support(y, predicted, sample_weight=weight, zero_division=0)
    for k, own in enumerate(page.classes):
        area = roc_auc_score(y == k, probabilities[:, k], sample_weight=weight)
        assert own.auc == pytest.approx(area)
        assert own.recall == pytest.approx(scored[1][k])
        assert np.nan_to_num(own.precision) == pytest.approx(scored[0][k])
        assert own.f1 == pytest.approx(scored[2][k])
        assert own.observed == pytest.approx(np.average(y == k, weights=weight))
        assert own.mean_probability == pytest.approx(
            np.average(probabilities[:, k], weights=weight)
        )
    if n_classes == 2:
        assert page.auc == page.classes[1].auc
        brier = brier_score_loss(y, probabilities[:, 1], sample_weight=weight)
        assert page.brier == pytest.approx(brier)
    else:
        assert page.auc == pytest.approx(np.mean([own.auc for own in page.classes]))
    stops = model.unknown_at(rows).reshape(len(y), -1)
    assert page.n_unknown == (stops >= 0).any(axis=1).sum()


@pytest.mark.parametrize("weight", [None, "whole", "other"])
@pytest.mark.parametrize("name", ["default", "plain", "leaf"])
def test_leaves_know_how_training_cases_fared(name: str, weight: str | None) -> None:
    table, y = mixed_table()
    random = np.random.RandomState(0)
    weights = {None: None, "whole": random.randint(1, 4, 300), "other": random.rand(300)}[weight]
    model = MODELS[name].fit(table, y, sample_weight=weights)
    own, given = model.summary(), model.summary(table, y, sample_weight=weights)
    assert own.is_training
    assert not given.is_training
    np.testing.assert_allclose(own.confusion, given.confusion)
    for field in ("accuracy", "auc", "brier", "log_loss", "cases", "most_frequent"):
        assert getattr(own, field) == pytest.approx(getattr(given, field))
    for ours, theirs in zip(own.calibration, given.calibration, strict=True):
        assert ours.probability == pytest.approx(theirs.probability)
        assert ours.observed == pytest.approx(theirs.observed)
    assert str(own) == str(given).replace(" given cases", " training cases")


def test_summary_as_printed() -> None:
    assert str(summary(balanced_tree(4))) == (
        "#0 x0 > 1.5 ?\n"
        "  yes: #1 x0 > 2.5 ?\n"
        "         yes: #3 1   (1 of 1)\n"
        "         no:  #4 0   (1 of 1)\n"
        "  no:  #2 x0 > 0.5 ?\n"
        "         yes: #5 1   (1 of 1)\n"
        "         no:  #6 0   (1 of 1)\n"
        "\n"
        "On 4 training cases:\n"
        "  accuracy     100%   (always the most frequent class: 50.0%)\n"
        "  AUC          1.000\n"
        "  Brier score  0.000\n"
        "  log loss     0.000\n"
        "\n"
        "Confusion matrix (columns: the label given)\n"
        "  actual         0      1   recall\n"
        "  0              2      0     100%\n"
        "  1              0      2     100%\n"
        "  precision   100%   100%\n"
        "\n"
        "Class by class\n"
        "  class   cases   precision   recall      F1     AUC   mean probability   observed"
        "   calibration error\n"
        "  0           2        100%     100%   1.000   1.000              50.0%      50.0%"
        "                  0%\n"
        "  1           2        100%     100%   1.000   1.000              50.0%      50.0%"
        "                  0%\n"
        "\n"
        "Calibration of 1\n"
        "  probability   cases   mean   observed\n"
        "  0%                2     0%         0%\n"
        "  100%              2   100%       100%"
    )


def test_calibration_bins_hold_equal_probabilities_together() -> None:
    random = np.random.RandomState(0)
    p = random.choice([0.0, 0.1, 0.5, 0.9], 1000, p=[0.5, 0.1, 0.2, 0.2])
    y = random.rand(1000) < p
    cases = np.column_stack([~y, y]).astype(float)
    bins = calibration_bins(Scored(np.column_stack([1 - p, p]), y.astype(int), cases), 1, "x")
    assert [own.low for own in bins] == [own.high for own in bins] == [0.0, 0.1, 0.5, 0.9]
    for own in bins:
        assert own.cases == (p == own.low).sum()
        assert own.observed == pytest.approx(y[p == own.low].mean())
    many = random.rand(1000)
    bins = calibration_bins(Scored(np.column_stack([1 - many, many]), y.astype(int), cases), 1, "x")
    assert len(bins) == 10
    assert all(own.cases == 100 for own in bins)


def test_json_and_frames() -> None:
    table, y = mixed_table()
    page = MODELS["plain"].fit(table, y).summary(table, np.where(y == 2, "other", y.astype(str)))
    assert page.labels == (0, 1, 2, "0", "1", "other"), "labels that fit never saw are errors"
    assert page.accuracy == 0
    plain = json.loads(page.to_json())
    assert plain["confusion"] == page.confusion.tolist()
    assert plain["classes"][0]["recall"] is None
    page = MODELS["plain"].fit(table, y).summary(event=1)
    assert page.confusion_frame()["cases"].sum() == 300
    assert len(page.classes_frame(library="records")) == 3
    assert set(page.calibration_frame()["label"]) == {0, 1, 2}
    assert "Calibration of 1" in str(page)
    assert "Calibration of" not in str(MODELS["plain"].summary())


def test_labels_may_be_a_column_of_the_table() -> None:
    table, y = mixed_table()
    table = table.assign(y=np.array(["a", "b", "c"])[y])
    model = BsnsingClassifier.plain().fit(table, "y")
    assert str(model.summary(table, "y")) == str(model.summary(table))
    assert model.summary(table, "y").accuracy == model.summary().accuracy


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda m, X, y: m["ovr"].summary(by="a"), "does not know the groups"),
        (lambda m, X, y: m["ovr"].summary(event="x"), "event='x' is no class"),
        (lambda m, X, y: m["plain"].summary(X), "has a table but no labels"),
        (lambda m, X, y: m["plain"].summary(None, y), "has labels but no table"),
        (lambda m, X, y: summary(m["plain"].tree_, X, y), "a Tree, which predicts nothing"),
        (lambda m, X, y: m["plain"].summary(event="x"), "event='x' is no class"),
    ],
)
def test_what_is_missing_is_said(call: Any, message: str) -> None:
    table, y = mixed_table()
    fitted = {name: MODELS[name].fit(table, y) for name in ("ovr", "plain")}
    with pytest.raises(ValueError, match=message):
        call(fitted, table, y)


@pytest.mark.parametrize("name", ["ovr", "ensemble", "ensemble of ovr"])
def test_several_trees_are_judged_one_by_one_without_cases(name: str) -> None:
    table, y = mixed_table()
    model = MODELS[name].fit(table, y)
    pages = model.summary()
    assert len(pages) == len(model.trees_)
    for tree, page in zip(model.trees_, pages, strict=True):
        assert str(page) == str(summary(tree))
        assert page.is_training
        assert page.cases == len(y)
    text = str(pages)
    assert [line for line in text.splitlines() if line.startswith("[")] == [
        line for line in export_text(model).splitlines() if line.startswith("[")
    ]
    assert "summary(model, X, y)" in text
    told = json.loads(pages.to_json())
    assert [own["title"] for own in told] == list(pages.titles)
    assert str(pages[:1]).startswith(f"[{pages.titles[0]}]")


def test_estimators_have_the_reports_as_methods() -> None:
    X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    X = pd.DataFrame(X).iloc[:, :4]
    plain = BsnsingClassifier.plain()
    for model in (BsnsingClassifierCV(plain, cv=2), BsnsingEnsemble(2, estimator=plain), plain):
        model.fit(X, y)
        page = model.summary(X, y)
        assert page.accuracy == model.score(X, y)
        assert page.text.count("#0 ") == len(model.trees_)
        assert len(model.nodes_frame()) == sum(tree.n_nodes for tree in model.trees_)
        assert len(model.rules_frame()) == sum(tree.n_leaves for tree in model.trees_)
        assert [own.label for own in model.explain(X.head())] == model.predict(X.head()).tolist()
        shown = str(model).splitlines()
        assert shown[:100] == export_text(model).splitlines()[:100]
        assert type(model)().__str__() == repr(type(model)())


@pytest.mark.parametrize("n_classes", [2, 3])
def test_rates_by_group_are_those_of_the_group_alone(n_classes: int) -> None:
    table, y = mixed_table(n_classes=n_classes)
    model = MODELS["plain"].fit(table, y)
    weight = np.random.RandomState(2).randint(1, 4, len(y))
    told = np.where(np.arange(len(y)) % 3 == 0, "f", "m").astype(object)
    told[5] = None
    with_sex = table.assign(sex=told)
    page = model.summary(with_sex, y, sample_weight=weight, by="sex")
    same = model.summary(table, y, sample_weight=weight, by=told)
    assert [own.group for own in page.groups] == [own.group for own in same.groups]
    assert (
        page.confusion.tolist() == model.summary(table, y, sample_weight=weight).confusion.tolist()
    )
    assert [own.group for own in page.groups[::n_classes]] == ["missing", "f", "m"]
    predicted, shares = model.predict(table), model.predict_proba(table)
    for own in page.groups:
        here = [cell is None for cell in told] if own.group == "missing" else told == own.group
        here = np.asarray(here)
        is_own, says = y[here] == own.label, predicted[here] == own.label
        w = weight[here]
        assert own.cases == w.sum()
        assert own.accuracy == pytest.approx(np.average(predicted[here] == y[here], weights=w))
        assert own.observed == pytest.approx(np.average(is_own, weights=w))
        assert own.predicted == pytest.approx(np.average(says, weights=w))
        k = model.classes_.tolist().index(own.label)
        assert own.mean_probability == pytest.approx(np.average(shares[here, k], weights=w))
        if is_own.any():
            assert own.missed == pytest.approx(np.average(~says[is_own], weights=w[is_own]))
        if not is_own.all():
            wrong = np.average(says[~is_own], weights=w[~is_own])
            assert own.false_alarms == pytest.approx(wrong)
    assert "By sex" in str(page)
    assert len(page.groups_frame("records")) == len(page.groups)
    assert page.to_dict()["by"] == "sex"


def test_numbers_of_many_values_are_cut_into_quarters() -> None:
    table, y = mixed_table(n_classes=2)
    numbers = np.arange(len(y), dtype=float) ** 2
    page = MODELS["plain"].fit(table, y).summary(table, y, by=numbers)
    cases = [own.cases for own in page.groups[::2]]
    assert len(cases) == 4
    assert max(cases) - min(cases) <= 2
    assert page.groups[0].group.startswith("<= ")
    assert page.groups[-1].group.startswith("> ")
    few = MODELS["plain"].summary(table, y, by=np.arange(len(y)) % 2 == 0)
    assert [own.group for own in few.groups[::2]] == ["False", "True"]


def test_groups_that_are_not_there_are_named() -> None:
    table, y = mixed_table()
    model = MODELS["plain"].fit(table, y)
    with pytest.raises(ValueError, match="by='nobody' names a column that X does not have"):
        model.summary(table, y, by="nobody")
    with pytest.raises(ValueError, match=r"Give the cases: summary\(model, X, y, by"):
        model.summary(by="age")
    with pytest.raises(ValueError, match="one group for each of the"):
        model.summary(table, y, by=[1, 2, 3])
