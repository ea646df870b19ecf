"""Rare outcomes are seen, and probabilities are as high as outcomes are frequent."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray
from sklearn.metrics import roc_auc_score

from bsnsing import BsnsingClassifier


def outcomes(
    rate: float, seed: int, n_rows: int = 4000
) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Two columns multiply the odds, three say nothing."""
    rng = np.random.RandomState(seed)
    X = rng.randn(n_rows, 5)
    chance = rate * np.exp(0.8 * (X[:, 0] + X[:, 1])) / np.exp(0.64)
    return X, (rng.rand(n_rows) < chance).astype(int)


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("rate", [0.005, 0.01, 0.02, 0.05, 0.2])
def test_mean_probabilities_are_the_rates_of_the_outcomes(rate: float, seed: int) -> None:
    X, y = outcomes(rate, seed)
    told = BsnsingClassifier().fit(X, y).predict_proba(X)[:, 1]
    assert told.mean() == pytest.approx(y.mean(), rel=0.01)


def test_mean_probabilities_of_three_classes() -> None:
    X, y = outcomes(0.05, 0)
    y = y * (1 + (X[:, 2] > 0))
    told = BsnsingClassifier().fit(X, y).predict_proba(X).mean(axis=0)
    np.testing.assert_allclose(told, np.bincount(y) / len(y), rtol=0.01)


def test_two_of_a_hundred_are_told_from_the_others() -> None:
    X, y = outcomes(0.02, 0, 10_000)
    new_X, new_y = outcomes(0.02, 1, 10_000)
    told = BsnsingClassifier().fit(X, y).predict_proba(new_X)[:, 1]
    assert roc_auc_score(new_y, told) > 0.7
    assert told.mean() == pytest.approx(y.mean(), rel=0.05)
