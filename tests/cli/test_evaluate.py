"""bsnsing evaluate: figures that can be worked out by hand, and how they are written."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from command_line import Run
from scipy import stats
from sklearn.metrics import accuracy_score, log_loss, roc_auc_score
from sklearn.model_selection import RepeatedStratifiedKFold

from bsnsing import BsnsingClassifier
from bsnsing.cli.contestants import CONTESTANTS
from bsnsing.cli.figures import interval

FAST = ("--learners", "plain,cart,majority", "--folds", "4", "--repeats", "2")


def test_figures_are_those_of_cross_validation_by_hand(run: Run, people: Path) -> None:
    ran = run("evaluate", people, "-t", "churned", *FAST, "--format", "json", "-q")
    assert ran.code == 0, ran.err
    found = json.loads(ran.out)["learners"]
    frame = pd.read_csv(people, dtype={"zip": str})
    X, y = frame.drop(columns="churned"), frame["churned"].to_numpy()
    own: dict[str, list[float]] = {"accuracy": [], "AUC": [], "log loss": [], "leaves": []}
    folds = RepeatedStratifiedKFold(n_splits=4, n_repeats=2, random_state=0)
    for train, test in folds.split(X, y):
        model = BsnsingClassifier.plain().fit(X.iloc[train], y[train])
        shares = model.predict_proba(X.iloc[test])
        own["accuracy"].append(accuracy_score(y[test], model.predict(X.iloc[test])))
        own["AUC"].append(roc_auc_score(y[test] == "yes", shares[:, 1]))
        own["log loss"].append(log_loss(y[test], shares, labels=["no", "yes"]))
        own["leaves"].append(model.get_n_leaves())
    for name, values in own.items():
        mean = found["plain"][name]["mean"]
        assert np.isclose(mean["mean"] if isinstance(mean, dict) else mean, np.mean(values)), name
    values = np.array(own["AUC"])
    error = np.sqrt((1 / 8 + 1 / 3) * values.var(ddof=1))
    half = stats.t.ppf(0.975, 7) * error
    assert np.isclose(found["plain"]["AUC"]["mean"]["low"], values.mean() - half)
    assert np.isclose(found["majority"]["AUC"]["mean"]["mean"], 0.5)
    assert "difference" not in found["plain"]["AUC"]
    difference = found["majority"]["AUC"]["difference"]
    assert np.isclose(difference["mean"], 0.5 - values.mean())
    assert np.isclose(difference["high"] - difference["mean"], half)  # 0.5 in every fold


def test_an_interval_is_corrected_for_shared_rows() -> None:
    values = np.array([1.0, 2.0, 3.0, 4.0])
    found = interval(values, test_share=0.25, level=0.9)
    half = stats.t.ppf(0.95, 3) * np.sqrt((1 / 4 + 0.25) * values.var(ddof=1))
    assert np.allclose(found, (2.5, 2.5 - half, 2.5 + half))
    assert np.isnan(interval(np.array([1.0]), 0.25, 0.9).low)
    assert np.isnan(interval(np.array([np.nan]), 0.25, 0.9).mean)


@pytest.mark.parametrize("name", CONTESTANTS)
def test_every_learner_takes_missing_cells_levels_and_three_classes(run: Run, name: str) -> None:
    rng = np.random.default_rng(0)
    lines = []
    for i in range(90):
        x, kind = rng.normal(), rng.choice(["a", "b", "c", "NA"])
        label = i % 3
        lines.append(f"{x + label:.3f},{kind},{'NA' if i % 7 == 0 else i % 5},{label}")
    Path("t.csv").write_text("x,kind,n,y\n" + "\n".join(lines))
    options = ("--n-estimators", "2") if name == "ensemble" else ()
    args = ("--learners", name, "--folds", "2", "--repeats", "1", "--format", "json", "-q")
    ran = run("evaluate", "t.csv", "-t", "y", *args, *options)
    assert ran.code == 0, ran.err
    own = json.loads(ran.out)["learners"][name]
    assert 0 <= own["accuracy"]["mean"]["mean"] <= 1
    if name not in ("majority",):
        assert own["AUC"]["mean"]["mean"] > 0.6


def test_figures_are_written_as_text_and_csv(run: Run, people: Path) -> None:
    text = run("evaluate", people, "-t", "churned", *FAST).out
    assert text.startswith("4 folds of 240 rows, dealt 2 times: means and their 95% intervals\n")
    assert "Differences to plain, fold by fold" in text
    worst = next(line for line in text.splitlines()[::-1] if line.startswith("majority"))
    assert worst.count("worse") == 2  # but not in log loss, where pure leaves cost the plain tree
    run("evaluate", people, "-t", "churned", *FAST, "--format", "csv", "-o", "f.csv", "-q")
    rows = list(csv.DictReader(io.StringIO(Path("f.csv").read_text())))
    assert {row["learner"] for row in rows} == {"plain", "cart", "majority"}
    assert {"AUC", "AUC - plain", "leaves"} <= {row["figure"] for row in rows}
    assert all(np.isfinite(float(row["low"])) for row in rows if row["figure"] == "AUC")


def test_too_few_rows_of_a_label_are_refused(run: Run) -> None:
    Path("t.csv").write_text("x,y\n" + "\n".join(f"{i},{'ab'[i == 3]}" for i in range(20)))
    ran = run("evaluate", "t.csv", "-t", "y")
    assert ran.code == 1
    assert "One label has 1 rows only" in ran.err


def test_parameters_go_to_own_learners(run: Run, people: Path) -> None:
    args = ("--learners", "plain", "--folds", "2", "--repeats", "1", "--format", "json", "-q")
    ran = run("evaluate", people, "-t", "churned", *args, "--max-leaf-nodes", "2")
    assert json.loads(ran.out)["learners"]["plain"]["leaves"]["mean"] == 2
    assert run("evaluate", people, "-t", "churned", *args, "--max-rules", "77").code == 2
