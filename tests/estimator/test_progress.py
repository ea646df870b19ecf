"""verbose: what a long fit reports, and to whom."""

from __future__ import annotations

import logging
import re
from typing import Any

import numpy as np
import pytest
from sklearn.datasets import make_classification

from bsnsing import BsnsingClassifier

X, y = make_classification(300, 5, n_informative=4, n_redundant=0, flip_y=0.1, random_state=0)


def lines(caplog: pytest.LogCaptureFixture, model: BsnsingClassifier) -> list[str]:
    with caplog.at_level(logging.INFO, logger="bsnsing"):
        model.fit(X, y)
    assert {record.name for record in caplog.records} <= {"bsnsing"}
    assert {record.levelno for record in caplog.records} <= {logging.INFO}
    return [record.getMessage() for record in caplog.records]


@pytest.mark.parametrize("verbose", [True, 1, 2])
def test_levels_are_reported(caplog: pytest.LogCaptureFixture, verbose: Any) -> None:
    model = BsnsingClassifier.plain(min_samples_leaf=5, verbose=verbose)
    said = lines(caplog, model)
    errors = 100 * min(np.bincount(y)) / len(y)
    first = "level 0: 1 open nodes of 300 cases, 0 leaves so far; best so far: "
    assert said[0] == f"{first}{errors:.1f}% errors"
    pattern = (
        r"level (\d+): (\d+) open nodes of (\d+) cases, (\d+) leaves so far; "
        r"best so far: (\d+\.\d)% errors"
    )
    found = [re.fullmatch(pattern, line) for line in said]
    assert all(found)
    told = [[int(number) for number in match.groups()[:4]] for match in found if match]
    assert [level for level, *_ in told] == list(range(len(told)))
    assert model.get_depth() in (len(told), len(told) - 1)
    tree = model.tree_
    for level, n_open, n_cases, n_leaves in told:
        at_level = tree.depth == level
        inner = at_level & ~tree.is_leaf
        assert n_open >= inner.sum()
        assert n_cases >= tree.counts[inner].sum()
        above = (tree.depth <= level) & tree.is_leaf
        assert n_leaves + n_open == above.sum() + inner.sum()
    shares = [float(match.group(5)) for match in found if match]
    assert shares == sorted(shares, reverse=True)
    assert shares[-1] < shares[0] / 2


def test_the_teacher_is_reported_first(caplog: pytest.LogCaptureFixture) -> None:
    said = lines(caplog, BsnsingClassifier(verbose=1))
    assert said[0] == "teacher forest learns 300 rows of 5 columns"
    assert re.fullmatch(
        r"teacher forest has a Brier score of 0\.\d+; the tree learns from \d+ rows", said[1]
    )
    assert said[2].startswith("level 0: 1 open nodes of ")
    assert any(line.startswith("growing again, with rules of at most ") for line in said)


def test_each_class_is_reported(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.INFO, logger="bsnsing"):
        BsnsingClassifier.plain(multiclass="ovr", verbose=1).fit([[0], [1], [2]] * 9, [0, 1, 2] * 9)
    said = [record.getMessage() for record in caplog.records if "tree of" in record.getMessage()]
    assert said == ["tree of class 0", "tree of class 1", "tree of class 2"]


@pytest.mark.parametrize("settings", [{}, {"teacher": None}])
def test_nothing_is_said_unasked(
    caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str], settings: dict[str, Any]
) -> None:
    assert lines(caplog, BsnsingClassifier(**settings)) == []
    BsnsingClassifier(**settings, verbose=1).fit(X, y)
    assert capfd.readouterr() == ("", ""), "never printed"


@pytest.mark.parametrize(("verbose", "prints"), [(False, False), (1, False), (2, True)])
def test_solvers_print_from_two_on(
    capfd: pytest.CaptureFixture[str], verbose: Any, prints: bool
) -> None:
    pytest.importorskip("highspy")
    model = BsnsingClassifier.paper(max_depth=1, max_rules=1, solver="highs", verbose=verbose)
    model.fit(X[:60], y[:60])
    assert bool(capfd.readouterr().out) == prints
