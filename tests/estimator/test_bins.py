"""Numeric columns with many values are cut into bins; what that may and may not change."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from bsnsing import BsnsingClassifier, Question


def noisy_table(n_rows: int, seed: int = 0) -> tuple[NDArray[Any], NDArray[Any]]:
    """Columns of many values: even, skewed, mostly zero, with missing cells."""
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(n_rows, 4))
    x[:, 1] = np.exp(3 * x[:, 1])
    x[rng.random(n_rows) < 0.7, 2] = 0.0
    x[rng.random(n_rows) < 0.1, 3] = np.nan
    y = (x[:, 0] > 0.3) | (x[:, 1] < 0.2) & (rng.random(n_rows) < 0.8) | (x[:, 2] > 1)
    return x, y.astype(int)


def same_tree(one: BsnsingClassifier, other: BsnsingClassifier) -> bool:
    """Whether all rules and counts are the same; texts of Booleans and of 0 and 1 differ."""
    names = ("operator", "first_question", "children_left", "children_right", "counts")
    names += ("question_column", "question_test", "question_value", "question_negated")
    return all(np.array_equal(getattr(one.tree_, n), getattr(other.tree_, n)) for n in names)


@pytest.mark.parametrize("max_bins", [2, 3, 16, 255, 256, 400, None])
def test_rows_end_where_their_numbers_say(max_bins: int | None) -> None:
    x, y = noisy_table(3000)
    model = BsnsingClassifier.plain(max_bins=max_bins, min_samples_leaf=5).fit(x, y)
    leaves = model.apply(x)
    for leaf in np.unique(leaves):
        assert np.bincount(y[leaves == leaf], minlength=2) == pytest.approx(
            model.tree_.counts[leaf]
        )
    assert model.get_n_leaves() == len(np.unique(leaves))


def test_few_values_are_not_touched() -> None:
    x, y = noisy_table(250)
    assert same_tree(
        BsnsingClassifier.plain(max_bins=255).fit(x, y),
        BsnsingClassifier.plain(max_bins=None).fit(x, y),
    )


def test_thresholds_lie_between_bins() -> None:
    x = np.arange(1000.0)[:, None] + 0.25
    y = (x[:, 0] > 333.5).astype(int)
    model = BsnsingClassifier.plain(max_bins=4, max_rules=1, min_samples_leaf=1, max_depth=1).fit(
        x, y
    )
    assert model.tree_.question_value.tolist() == [249.75]
    exact = BsnsingClassifier.plain(max_bins=None, max_rules=1, min_samples_leaf=1).fit(x, y)
    assert exact.tree_.question_value.tolist() == [333.75]


@pytest.mark.parametrize("max_bins", [10, 255])
def test_weights_are_repeated_rows_and_order_does_not_matter(max_bins: int) -> None:
    x, y = noisy_table(1500)
    weights = np.random.default_rng(1).integers(1, 4, size=len(y))
    model = BsnsingClassifier.plain(max_bins=max_bins, min_samples_leaf=20)
    weighted = BsnsingClassifier.plain(**model.get_params()).fit(x, y, sample_weight=weights)
    order = np.random.default_rng(2).permutation(weights.sum())
    repeated = model.fit(x.repeat(weights, axis=0)[order], y.repeat(weights)[order])
    assert same_tree(weighted, repeated)


def test_given_thresholds_are_met_exactly() -> None:
    x, y = noisy_table(2000)
    given = Question("x0", ">", 0.3)
    model = BsnsingClassifier.plain(
        max_bins=3, own_questions=False, extra_questions=[given], min_samples_leaf=1
    ).fit(x, y)
    n_yes = np.count_nonzero(x[:, 0] > 0.3)
    assert sorted(model.tree_.counts[1:].sum(axis=1)) == sorted([n_yes, len(y) - n_yes])


@pytest.mark.parametrize("dtype", ["f4", "i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", ">f8"])
@pytest.mark.parametrize("order", ["C", "F"])
def test_the_type_of_the_numbers_does_not_matter(dtype: str, order: Any) -> None:
    rng = np.random.default_rng(3)
    x = rng.integers(0, 100, size=(600, 70)).astype(float)
    y = (x[:, 0] > 40) | (x[:, 69] < 20)
    typed = np.asarray(x.astype(dtype), order=order)
    assert same_tree(BsnsingClassifier.plain().fit(x, y), BsnsingClassifier.plain().fit(typed, y))
    booleans = x > 50
    assert same_tree(
        BsnsingClassifier.plain().fit(booleans.astype(float), y),
        BsnsingClassifier.plain().fit(booleans, y),
    )
