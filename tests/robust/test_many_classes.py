"""Very many classes: neither memory nor time run out."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

from bsnsing import BsnsingClassifier
from bsnsing.estimators.grown import is_teachable
from tests.training_sets import varied

Quick = varied(n_trees=2, times_rows=1)
RNG = np.random.default_rng(0)


def test_with_too_many_classes_there_is_no_teacher_and_a_warning() -> None:
    X, y = RNG.random((4000, 3)), RNG.permutation(4000) % 3000
    model = BsnsingClassifier(time_limit=1.0, max_depth=2)
    with pytest.warns(UserWarning, match="y has 3000 classes, too many for a teacher"):
        model.fit(X, y)
    assert not model.is_taught_
    assert model.predict_proba(X[:2]).shape == (2, 3000)
    plain = BsnsingClassifier(time_limit=1.0, max_depth=2, teacher=None)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        plain.fit(X, y)


def test_many_classes_of_few_rows_are_taught() -> None:
    X, y = RNG.random((250, 2)), RNG.permutation(250) % 120
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert Quick(max_depth=1).fit(X, y).is_taught_


def test_what_is_taught_depends_on_rows_times_classes() -> None:
    assert is_teachable(10**9, 100)
    assert is_teachable(20_000, 500)
    assert not is_teachable(20_000, 501)
    assert not is_teachable(200_000, 100_000)


def test_class_weights_that_are_all_the_same_cost_nothing() -> None:
    """They take the quick way of whole cases: the same rule, and the same value to the last bit."""
    X, y = RNG.random((200, 3)), RNG.integers(0, 20, 200)
    plain = BsnsingClassifier.plain(max_rules=2).fit(X, y).tree_
    for class_weight in ({}, {label: 3.0 for label in range(20)}):
        tree = BsnsingClassifier.plain(max_rules=2, class_weight=class_weight).fit(X, y).tree_
        np.testing.assert_array_equal(tree.objective, plain.objective)
        np.testing.assert_array_equal(tree.value, plain.value)
