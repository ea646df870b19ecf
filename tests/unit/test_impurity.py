"""What pruning weighs against the number of leaves, against the formulas case by case."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import entropy, multinomial

from bsnsing.tree.impurity import gini_impurity, half_deviance, impurity_of

CASES = st.lists(
    st.floats(0, 1e6).map(lambda x: 0.0 if x < 1e-6 else x), min_size=2, max_size=5
).filter(any)


def test_gini_impurity_is_cases_times_gini_and_nothing_where_there_are_no_cases() -> None:
    weighted = np.array([[1.0, 3.0], [5.0, 0.0], [0.0, 0.0]])
    np.testing.assert_allclose(gini_impurity(weighted), [4 * (1 - 1 / 16 - 9 / 16), 0, 0])


def test_half_deviance_is_cases_times_entropy_and_nothing_where_there_are_no_cases() -> None:
    weighted = np.array([[1.0, 3.0], [5.0, 0.0], [0.0, 0.0]])
    by_hand = -math.log(1 / 4) - 3 * math.log(3 / 4)
    np.testing.assert_allclose(half_deviance(weighted), [by_hand, 0, 0])


@given(CASES)
def test_half_deviance_is_scipys_entropy_of_all_cases(cases: list[float]) -> None:
    (found,) = half_deviance(np.array([cases]))
    assert found == pytest.approx(sum(cases) * entropy(cases), rel=1e-9, abs=1e-9 * sum(cases))
    assert found >= 0


def test_half_deviance_is_minus_the_log_likelihood_of_the_labels() -> None:
    counts = np.array([3, 5, 9])
    n_orders = math.factorial(17) / math.prod(map(math.factorial, counts))
    log_likelihood = multinomial(17, counts / 17).logpmf(counts) - math.log(n_orders)
    assert half_deviance(counts[None].astype(float))[0] == pytest.approx(-log_likelihood)


@given(CASES, st.lists(st.floats(0, 1), min_size=5, max_size=5))
def test_no_split_raises_impurity(cases: list[float], shares: list[float]) -> None:
    """Both are concave: parts have at most the impurity of the whole."""
    whole = np.array(cases)
    yes = whole * shares[: len(whole)]
    for impurity in (gini_impurity, half_deviance):
        parts = impurity(np.stack([yes, whole - yes]))
        assert parts.sum() <= impurity(whole[None])[0] + 1e-9 * whole.sum()


def test_taught_trees_pay_in_nats_and_others_in_gini() -> None:
    weighted = np.array([[1.0, 3.0, 2.0]])
    assert impurity_of(weighted, is_taught=True) == half_deviance(weighted)
    assert impurity_of(weighted, is_taught=False) == gini_impurity(weighted)
