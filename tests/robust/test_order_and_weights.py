"""Neither the order of rows nor rows of weight zero matter, in tables of letters above all."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from bsnsing import BsnsingClassifier, BsnsingEnsemble
from bsnsing.data.row_keys import row_keys
from tests.training_sets import cases_of, varied

# A few trees are enough of a teacher where many tables are tried.
Quick = varied(n_trees=5, times_rows=2)
PLAIN = BsnsingClassifier.plain


def table_of_letters(seed: int) -> tuple[NDArray[Any], NDArray[np.intp]]:
    """Three columns of letters, and labels that two of them decide, but for a few."""
    rng = np.random.default_rng(seed)
    X = rng.choice(list("abcde")[: rng.integers(2, 6)], (int(rng.integers(20, 120)), 3))
    y = ((X[:, 0] == "a") | (X[:, 1] == "b")).astype(np.intp)
    return X.astype(object), np.where(rng.random(len(y)) < 0.1, 1 - y, y)


@pytest.mark.parametrize("seed", range(60))
def test_tables_of_letters_give_one_tree_in_any_order(seed: int) -> None:
    X, y = table_of_letters(seed)
    order = np.random.default_rng(seed).permutation(len(y))
    first, second = Quick().fit(X, y), Quick().fit(X[order], y[order])
    assert str(first) == str(second)
    np.testing.assert_array_equal(first.predict_proba(X), second.predict_proba(X))


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("make", [Quick, PLAIN])
def test_weights_are_repeated_rows_also_where_they_are_zero(make: Any, seed: int) -> None:
    X, y = table_of_letters(seed)
    weights = np.random.default_rng(seed).integers(0, 3, len(y))
    weights[np.unique(y, return_index=True)[1]] = 1  # each label occurs
    X[weights == 0, 2] = "occurs here only"
    weighted = make().fit(X, y, sample_weight=weights)
    repeated = make().fit(np.repeat(X, weights, axis=0), np.repeat(y, weights))
    assert weighted.trees_[0].columns == repeated.trees_[0].columns
    np.testing.assert_array_equal(weighted.predict_proba(X), repeated.predict_proba(X))
    np.testing.assert_array_equal(weighted.unknown_at(X), repeated.unknown_at(X))


def test_a_level_of_rows_without_weight_was_never_seen() -> None:
    X = np.array([["a"], ["a"], ["b"], ["b"], ["c"]], dtype=object)
    for make in (PLAIN(min_samples_leaf=1), BsnsingEnsemble(1, estimator=PLAIN())):
        model = make.fit(X, [0, 0, 1, 1, 1], sample_weight=[1, 1, 1, 1, 0])
        assert model.trees_[0].columns[0].levels == ("a", "b")


def test_rows_that_differ_have_different_keys() -> None:
    cells = np.array([[first, second] for first in "abcdefgh" for second in "abcd"], dtype=object)
    X, labels = np.repeat(cells, 3, axis=0), np.tile(np.arange(3, dtype=np.int32), len(cells))
    assert len(np.unique(row_keys(cases_of(X, labels)))) == len(X)
