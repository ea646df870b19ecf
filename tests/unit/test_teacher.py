"""What a teacher says: factors per class, and what it is shown of numbers."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy.sparse import csr_matrix
from sklearn.dummy import DummyClassifier
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression

from bsnsing import BsnsingClassifier
from bsnsing.data.weights import CaseWeights
from bsnsing.distill.encoder import TableEncoder
from bsnsing.tree.totals import class_factors
from tests.training_sets import table_of, teaching_of


def scaled(shares: NDArray[np.float64], factors: NDArray[np.float64]) -> NDArray[np.float64]:
    """The obvious way: times the factors, then divided by their sum."""
    return np.array([row * factors / (row * factors).sum() for row in shares])


@given(st.integers(0, 10**6), st.integers(2, 5), st.sampled_from([0.2, 1.0, 5.0]))
def test_scaled_probabilities_sum_to_the_cases_of_each_class(
    seed: int, n_classes: int, concentration: float
) -> None:
    rng = np.random.default_rng(seed)
    labels = np.append(np.arange(n_classes), rng.integers(n_classes, size=100))
    bias = rng.uniform(0.2, 5, n_classes)  # as of a teacher that takes some classes for rare
    shares = rng.dirichlet(np.full(n_classes, concentration), len(labels)) * bias + 1e-3
    shares /= shares.sum(axis=1, keepdims=True)
    counts = rng.uniform(0.5, 2, len(labels))
    one_hot = np.eye(n_classes)[labels]
    totals = counts @ one_hot
    found = counts @ scaled(shares, class_factors(shares, counts @ one_hot, counts))
    np.testing.assert_allclose(found, totals, rtol=1e-3)


def test_probabilities_that_sum_to_the_cases_stay() -> None:
    one_hot = np.eye(2)[np.arange(10) % 2]
    factors = class_factors(np.full((10, 2), 0.5), one_hot.sum(axis=0), np.ones(10))
    np.testing.assert_allclose(factors, 1)


def test_classes_without_cases_or_without_probability_keep_their_factor() -> None:
    one_hot = np.array([[1.0, 0, 0], [0, 1.0, 0], [1.0, 0, 0]])
    shares = np.array([[0.5, 0.5, 0.0], [0.4, 0.6, 0.0], [0.9, 0.1, 0.0]])
    factors = class_factors(shares, one_hot.sum(axis=0), np.ones(3))
    assert factors[2] == 1.0
    assert np.isfinite(factors).all()
    # Nobody speaks for class 1.
    told = class_factors(shares[:, [0, 2, 1]], one_hot.sum(axis=0), np.ones(3))
    assert told[1] == 1.0
    assert np.isfinite(told).all()


@pytest.mark.parametrize("weights", [None, np.array([1] * 30 + [4] * 10)])
def test_out_of_bag_probabilities_sum_to_the_cases(weights: NDArray[np.int64] | None) -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(40, 2))
    y = (X[:, 0] + rng.normal(size=40) > 1).astype(np.int32)
    teacher = teaching_of(X, y, CaseWeights(weights, 1.0)).training_set().teacher
    expected = np.bincount(y, weights)
    np.testing.assert_allclose(teacher.oob.sum(axis=0), expected, rtol=1e-3)
    np.testing.assert_allclose(teacher.oob.sum(axis=1), 1)


def test_factors_count_for_new_rows_too() -> None:
    X = np.arange(40.0)[:, None]
    y = (np.arange(40) % 4 == 0).astype(np.int32)
    dummy = DummyClassifier(strategy="uniform")
    teacher = teaching_of(X, y, teacher=dummy).training_set().teacher
    np.testing.assert_allclose(teacher.probabilities(table_of(X[:3])), [[0.75, 0.25]] * 3, 1e-3)
    assert teacher.probabilities(table_of(X).take(np.arange(0))).shape == (0, 2)
    expected = 0.75 * (0.25**2 + 0.25**2) + 0.25 * (0.75**2 + 0.75**2)
    assert teacher.brier == pytest.approx(expected, rel=1e-3)


SMALL_STEPS = 1 + np.arange(6) * 1e-12


@pytest.mark.parametrize(
    "values", [SMALL_STEPS, SMALL_STEPS * 1e300, np.array([-1e200, -1e-200, 0, 1e-300, 5, 1e99])]
)
def test_ranks_tell_apart_what_single_precision_does_not(values: NDArray[np.float64]) -> None:
    X = np.append(np.random.default_rng(0).permutation(values), np.nan)[:, None]
    table = table_of(X)
    shown = TableEncoder.of(table, 30, order_only=True).matrix(table)[:, 0]
    assert shown.dtype == np.float32
    np.testing.assert_array_equal(shown[:-1].argsort(), X[:-1, 0].argsort())
    assert len(np.unique(shown[:-1])) == len(values)
    assert np.isnan(shown[-1])


def test_new_values_have_the_rank_of_the_nearest() -> None:
    """Ranks are counted from that of zero."""
    table = table_of(np.array([[-0.1], [1.1], [4.1], [np.nan]]))
    encoder = TableEncoder.of(table, 30, order_only=True)
    new = np.array([[-9], [-0.06], [-0.04], [0.5], [0.6], [2.5], [2.7], [9], [np.nan]])
    shown = encoder.matrix(table_of(new))[:, 0]
    np.testing.assert_array_equal(shown, [-1, -1, 0, 0, 1, 1, 2, 2, np.nan])


def test_ranks_of_sparse_tables_are_those_of_dense_ones() -> None:
    X = np.random.default_rng(0).integers(-2, 3, (50, 4)) * 0.1
    X[:, 0] += 0.1  # few zeros
    dense, sparse = (
        TableEncoder.of(table, 30, order_only=True).matrix(table)
        for table in (table_of(X), table_of(csr_matrix(X)))
    )
    np.testing.assert_array_equal(sparse.toarray(), dense)
    assert (dense[:, 1] == np.rint(X[:, 1] * 10)).all()


def test_other_learners_see_the_numbers_themselves() -> None:
    X = np.array([[0.1, 7.0], [1.1, np.nan], [4.1, 9.0]])
    shown = TableEncoder.of(table_of(X), 30).matrix(table_of(X))
    np.testing.assert_array_equal(shown, X.astype(np.float32))


class Weighed(LogisticRegression):
    """Insists on weights."""

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Weighed:
        assert sample_weight is not None
        assert len(sample_weight) == len(y)
        super().fit(X, y, sample_weight)
        return self


def test_a_teacher_of_the_users_hears_of_weights_and_stays_as_it_is() -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(80, 3))
    y = X[:, 0] + rng.normal(size=80) > 0
    for teacher in (Weighed(), RandomForestClassifier(10, oob_score=True, random_state=0)):
        BsnsingClassifier(teacher=teacher).fit(X, y, sample_weight=rng.random(80) + 0.5)
        assert not hasattr(teacher, "classes_")


@pytest.mark.parametrize(("n_rows", "n_classes"), [(12, 3), (3, 2), (6, 6)])
def test_a_teacher_of_the_users_may_have_few_cases_of_a_class(n_rows: int, n_classes: int) -> None:
    X = np.random.default_rng(0).normal(size=(n_rows, 3))
    y = np.arange(n_rows) % n_classes
    model = BsnsingClassifier(teacher=LogisticRegression()).fit(X, y)
    assert np.isfinite(model.predict_proba(X)).all()


def test_factors_do_not_drift_where_totals_cannot_be_reached() -> None:
    oob = np.eye(2)[[0, 0, 0, 1]]
    factors = class_factors(oob, np.array([2.0, 2.0]), np.ones(4))
    np.testing.assert_array_equal(factors, [1.0, 1.0])
