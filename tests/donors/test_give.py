"""Questions that engines are given for single nodes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from parts_engine import PartsEngine
from sklearn.base import BaseEstimator

from bsnsing.data.cases import Cases
from bsnsing.data.table import read_training_table
from bsnsing.data.weights import CaseWeights
from bsnsing.engine.base import Engine, EngineOptions
from bsnsing.engine.native import NativeEngine
from bsnsing.questions.coded import CodedRule
from bsnsing.rules.options import AskOptions, SearchOptions

GREATER, LESS = 0, 1
EVERYWHERE = (1, GREATER, 0.35, [])
HERE = [(0, GREATER, 0.41, []), (0, LESS, 0.41, [])]


def made(kind: Any, **options: Any) -> Engine:
    rng = np.random.default_rng(0)
    X = rng.random((80, 2))
    table = read_training_table(BaseEstimator(), X, None)
    labels = ((X[:, 0] > 0.41) ^ (rng.random(80) < 0.05)).astype(np.int32)
    settings = {
        "ask": AskOptions(n_segments=2, max_levels=30, max_values_as_levels=0, bin_size=5.0),
        "search": SearchOptions(operators=("or", "and"), criterion="gini", min_samples_leaf=3.0),
        "extra_questions": [EVERYWHERE],
        "extra_origins": ["user"],
    }
    engine: Engine = kind(
        Cases(table, labels, CaseWeights(None, 1.0)), 2, EngineOptions(**(settings | options))
    )
    return engine


@pytest.mark.parametrize("kind", [NativeEngine, PartsEngine])
def test_a_node_asks_what_it_was_given_last(kind: Any) -> None:
    engine = made(kind, own_questions=False)
    before = engine.ask([0])[0]
    assert before[-1] == EVERYWHERE
    engine.give(0, HERE)
    assert engine.ask([0])[0] == before + HERE
    (found,) = engine.best_rules([0])
    assert found.questions[0] == HERE[0]
    assert found.given[0] == 1  # behind the one of all nodes
    engine.give(0, HERE[1:])
    assert engine.ask([0])[0] == before + HERE[1:]
    ((yes, no),) = engine.split([0], [CodedRule([HERE[0]], [False], 0)])
    for child in (yes, no):
        assert engine.ask([child])[0][-1] == EVERYWHERE


def test_rules_from_elsewhere_tell_what_was_given() -> None:
    engine = made(NativeEngine)
    engine.give(0, HERE)
    rule = CodedRule([HERE[1], EVERYWHERE, (1, GREATER, 0.7, [])], [True, False, True], 1)
    found = engine.evaluate(0, rule)
    assert found is not None
    assert list(found.given) == [2, 0, -1]
    # Given ones keep the words of who gave them, and others get a plain name.
    assert found.questions[0] == HERE[1]
    assert list(found.negated) == [True, False, False]
    assert found.questions[2] == (1, LESS, 0.7, [])


def test_what_cannot_be_given_is_refused() -> None:
    engine = made(NativeEngine)
    with pytest.raises(ValueError, match="there is no node 7"):
        engine.give(7, HERE)
    with pytest.raises(ValueError, match="there is no node -1"):
        engine.give(-1, HERE)
    with pytest.raises((ValueError, IndexError)):
        engine.give(0, [(9, GREATER, 0.5, [])])
    with pytest.raises(ValueError, match="compares with NaN"):
        engine.give(0, [(0, GREATER, float("nan"), [])])
    assert engine.ask([0])[0][-1] == EVERYWHERE
    engine.give(0, HERE)
    engine.close([0])
    with pytest.raises(ValueError, match="has no rows any more"):
        engine.give(0, HERE)
