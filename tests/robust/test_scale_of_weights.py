"""Of class weights only ratios count, whatever their size; no strength of shrinkage is too much."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest

from bsnsing import BsnsingClassifier
from tests.training_sets import varied

PLAIN = BsnsingClassifier.plain
Quick = varied(n_trees=5, times_rows=2)
RNG = np.random.default_rng(0)
X = RNG.random((150, 4))
TWO = ((X[:, 0] > 0.5) ^ (RNG.random(150) < 0.1)).astype(int)
THREE = TWO + (X[:, 1] > 0.7)
SETTINGS: dict[str, Any] = {
    "taught": Quick,
    "plain": PLAIN,
    "shrunk": lambda **options: PLAIN(shrinkage=10, ccp_alpha=0.001, **options),
    "entropy": lambda **options: PLAIN(criterion="entropy", **options),
    "misclassification": lambda **options: PLAIN(criterion="misclassification", **options),
    "paper": BsnsingClassifier.paper,
}


@pytest.mark.parametrize("scale", [0.01, 1e160, 1e-200, 1e308])
@pytest.mark.parametrize("y", [TWO, THREE], ids=["two classes", "three classes"])
@pytest.mark.parametrize("setting", SETTINGS)
def test_only_ratios_of_class_weights_count(setting: str, y: Any, scale: float) -> None:
    make = SETTINGS[setting]
    labels = range(y.max() + 1)
    for ratios in ({label: 1.0 for label in labels}, {label: 1.0 for label in labels} | {1: 0.25}):
        scaled = {label: ratio * scale for label, ratio in ratios.items()}
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            model = make(class_weight=scaled).fit(X, y)
        expected = make(class_weight=ratios).fit(X, y)
        np.testing.assert_allclose(model.predict_proba(X), expected.predict_proba(X), atol=1e-9)
        assert model.get_n_leaves() == expected.get_n_leaves()


@pytest.mark.parametrize("setting", SETTINGS)
def test_equal_class_weights_are_none(setting: str) -> None:
    make = SETTINGS[setting]
    weighted, plain = make(class_weight={0: 0.01, 1: 0.01}).fit(X, TWO), make().fit(X, TWO)
    np.testing.assert_allclose(weighted.predict_proba(X), plain.predict_proba(X), atol=1e-12)


@pytest.mark.parametrize("make", [Quick, PLAIN])
@pytest.mark.parametrize("strength", [1e15, 1e100, 1e308])
def test_probabilities_are_those_of_the_parent_where_shrinkage_is_all(
    make: Any, strength: float
) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        shares = make(shrinkage=strength).fit(X, TWO).predict_proba(X)
    expected = make(shrinkage=1e12).fit(X, TWO).predict_proba(X)
    np.testing.assert_allclose(shares, expected, atol=1e-6)
    np.testing.assert_allclose(shares.sum(axis=1), 1.0)
