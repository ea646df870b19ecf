"""Class weights and the complexity penalty: weighted noise does not pay for leaves."""

from __future__ import annotations

import numpy as np
import pytest

from bsnsing import BsnsingClassifier
from bsnsing.data.weights import design_effect


@pytest.mark.parametrize(
    ("totals", "weights", "expected"),
    [
        ([30, 70], [1, 1], 1.0),
        ([30, 70], [5, 5], 1.0),
        ([10, 90], [5, 5 / 9], 1 / (4 * 0.1 * 0.9)),  # balanced
        ([10, 90], [1, 0], 10.0),  # a tenth of the cases is left
        ([10, 90, 0], [2, 2, 9], 1.0),
        ([10, 90], [1e300, 1e300], 1.0),
        ([10, 90], [0, 0], 1.0),
    ],
)
def test_design_effect(totals: list[float], weights: list[float], expected: float) -> None:
    found = design_effect(np.array(totals, dtype=float), np.array(weights, dtype=float))
    assert found == pytest.approx(expected)


def rare(n_rows: int = 3000) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n_rows, 4))
    chance = 1 / (1 + np.exp(3.2 - 1.2 * X[:, 0] - X[:, 1]))
    return X, (rng.random(n_rows) < chance).astype(int)


def test_balanced_trees_are_not_several_times_as_large() -> None:
    X, y = rare()
    plain, balanced = (BsnsingClassifier(class_weight=w).fit(X, y) for w in (None, "balanced"))
    effect = design_effect(np.bincount(y).astype(float), len(y) / 2 / np.bincount(y))
    assert effect > 2
    assert balanced.ccp_alpha_ == pytest.approx(plain.ccp_alpha_ * effect)
    unaware = BsnsingClassifier(class_weight="balanced", ccp_alpha=plain.ccp_alpha_).fit(X, y)
    assert 1 < balanced.get_n_leaves() < 0.7 * unaware.get_n_leaves()


def test_given_penalties_and_equal_weights_stay_as_they_are() -> None:
    X, y = rare(400)
    given = BsnsingClassifier(class_weight="balanced", ccp_alpha=0.01).fit(X, y)
    assert given.ccp_alpha_ == 0.01
    equal = BsnsingClassifier(class_weight={0: 3.0, 1: 3.0}).fit(X, y)
    assert equal.ccp_alpha_ == pytest.approx(BsnsingClassifier().fit(X, y).ccp_alpha_)
