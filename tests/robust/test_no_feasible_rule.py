"""Where no rule is feasible there is no split, whatever searches and whatever limits there are."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from bsnsing import BsnsingClassifier, best_rule

LIMITS: dict[str, Any] = {
    "none": None,
    "one question per column": {"one_per_column": True},
    "a required column": {"required": [0]},
    "costs": {"costs": [1.0, 1.0], "max_cost": 1.0},
}


@pytest.mark.parametrize("limits", LIMITS)
@pytest.mark.parametrize("solver", ["enum", "greedy"])
def test_a_node_without_a_feasible_rule_stays_a_leaf(solver: str, limits: str) -> None:
    X = np.array([[0.0, 1.0], [1.0, 1.0], [2.0, 1.0], [3.0, 0.0]])
    model = BsnsingClassifier.plain(
        solver=solver, min_samples_leaf=3, constraints=LIMITS[limits]
    ).fit(X, [0, 0, 1, 1])
    assert model.get_n_leaves() == 1


@pytest.mark.parametrize("limits", ["none", "a required column", "costs"])
@pytest.mark.parametrize("solver", ["enum", "greedy"])
def test_a_pool_without_a_feasible_rule_has_none(solver: str, limits: str) -> None:
    answers = [[1, 1], [1, 1], [1, 1], [1, 1]]
    assert best_rule(answers, [0, 0, 1, 1], solver=solver, constraints=LIMITS[limits]) is None
