"""time_limit: for the whole fit, and what it leaves open is said."""

from __future__ import annotations

import logging
import time
from typing import Any

import numpy as np
import pytest

from bsnsing import BsnsingClassifier, export_text
from bsnsing.rules.deadline import LEAST_SECONDS, Deadline

RNG = np.random.default_rng(0)
X = RNG.normal(size=(1500, 24))
Y = RNG.integers(0, 2, 1500)  # noise: bounds exclude little
SLOW: dict[str, Any] = {"max_rules": 5, "min_samples_leaf": 5, "n_segments": 20}
# On a busy machine; without the limit these fits take minutes.
SPARE = 2.0


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_a_fit_comes_back_in_time(n_jobs: int) -> None:
    start = time.monotonic()
    model = BsnsingClassifier.plain(time_limit=1.0, n_jobs=n_jobs, **SLOW).fit(X, Y)
    assert time.monotonic() - start < 1.0 + SPARE
    tree = model.tree_
    assert not tree.optimal[0]
    assert tree.max_depth >= 2, "levels below the root got their share"
    assert "[best found: " in export_text(model).splitlines()[0]


def test_each_class_has_its_part() -> None:
    y = RNG.integers(0, 4, 1500)
    start = time.monotonic()
    model = BsnsingClassifier.plain(time_limit=1.0, multiclass="ovr", **SLOW).fit(X, y)
    assert time.monotonic() - start < 1.0 + SPARE
    assert all(tree.n_leaves > 1 for tree in model.trees_)


def test_nodes_without_time_stay_leaves_that_are_not_proven(
    caplog: pytest.LogCaptureFixture,
) -> None:
    with caplog.at_level(logging.INFO, logger="bsnsing"):
        model = BsnsingClassifier.plain(time_limit=1e-6, verbose=1, **SLOW).fit(X, Y)
    tree = model.tree_
    assert len(tree) == 3, "the root is always searched, and there was no time for more"
    assert not tree.optimal.any()
    lines = export_text(model).splitlines()
    assert all(line.endswith("[not proven]") for line in lines[1:])
    assert "time is up: 2 nodes stay leaves" in [r.getMessage() for r in caplog.records]


def test_the_teacher_does_not_count() -> None:
    rows = slice(0, 600)
    start = time.monotonic()
    model = BsnsingClassifier(time_limit=0.5, max_rules=5).fit(X[rows], Y[rows])
    assert time.monotonic() - start < 30
    assert not model.tree_.optimal.all() or model.get_n_leaves() == 1
    assert model.is_taught_


@pytest.mark.parametrize("settings", [{}, {"teacher": None}, {"max_rules": 2}])
def test_a_limit_that_is_not_met_changes_nothing(settings: dict[str, Any]) -> None:
    y = X[:, 0] + X[:, 1] > 0.2
    rows = slice(0, 300)
    limited = BsnsingClassifier(time_limit=600, **settings).fit(X[rows], y[rows])
    free = BsnsingClassifier(time_limit=None, **settings).fit(X[rows], y[rows])
    assert export_text(limited, show_proof=True) == export_text(free, show_proof=True)
    assert limited.tree_.optimal.all()


@pytest.mark.parametrize("solver", ["highs", "hybrid"])
def test_mixed_integer_solvers_share_the_time(solver: str) -> None:
    pytest.importorskip("highspy")
    start = time.monotonic()
    model = BsnsingClassifier.paper(
        solver=solver, time_limit=2.0, min_samples_leaf=5, max_rules=3
    ).fit(X[:250, :6], Y[:250])
    assert time.monotonic() - start < 2.0 + 2 * SPARE
    assert not model.tree_.optimal.all()


def test_shares() -> None:
    deadline = Deadline(100.0)
    assert 24 < deadline.share(4) <= 25
    assert not deadline.is_over
    over = Deadline(-1.0)
    assert over.is_over
    assert over.share(3) == LEAST_SECONDS
    assert Deadline(np.inf).share(7) == np.inf


def test_a_pause_does_not_count() -> None:
    deadline = Deadline(0.05)
    with deadline.paused():
        time.sleep(0.1)
    assert not deadline.is_over
