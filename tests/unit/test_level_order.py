"""Levels in order: who has a say, and which groups that makes."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from bsnsing import BsnsingClassifier
from bsnsing.data.regroup import Regrouping
from bsnsing.data.weights import CaseWeights
from bsnsing.distill.level_order import cases_to_speak, order_levels
from bsnsing.estimators.options import read_options
from bsnsing.grow.grow import grow_tree
from bsnsing.tree.predict import find_leaves
from bsnsing.tree.ungroup import regroup, ungroup
from tests.training_sets import cases_of


def brier_of_others(codes: NDArray[np.int64], labels: NDArray[np.int64], k: float) -> float:
    """The obvious way: each case from the others of its level, one case at a time."""
    one_hot = np.eye(int(labels.max()) + 1)[labels]
    mean, error = one_hot.mean(axis=0), 0.0
    for i, code in enumerate(codes):
        others = (codes == code) & (np.arange(len(codes)) != i)
        predicted = (one_hot[others].sum(axis=0) + k * mean) / (others.sum() + k)
        error += float(((one_hot[i] - predicted) ** 2).sum())
    return error


@settings(max_examples=50, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 2)), min_size=2, max_size=40))
def test_enough_cases_are_what_predicts_each_case_best_from_the_others(
    rows: list[tuple[int, int]],
) -> None:
    codes, labels = np.array(rows).T
    counts = np.zeros((6, int(labels.max()) + 1))
    np.add.at(counts, (codes, labels), 1)
    shares, most = counts.sum(axis=0) / len(rows), counts.sum(axis=1).max()
    errors = {k: brier_of_others(codes, labels, k) for k in (2, 4, 8, 16, 32, 64) if k <= 2 * most}
    errors[np.inf] = float(len(rows) * (1 - (shares**2).sum()))
    enough = cases_to_speak(counts)
    assert errors[enough] == pytest.approx(min(errors.values()))


def order_of(codes: NDArray[np.int64], labels: NDArray[np.int64], max_levels: int) -> Regrouping:
    X = pd.DataFrame({"level": [f"level {code:04d}" for code in codes]})
    cases = cases_of(X, labels.astype(np.int32))
    return order_levels(cases, int(labels.max()) + 1, max_levels, ())


def test_levels_that_say_nothing_are_one_group() -> None:
    rng = np.random.default_rng(0)
    (groups,) = order_of(
        rng.integers(300, size=2000), rng.integers(2, size=2000), 30
    ).groups.values()
    assert not groups.any()


def test_levels_that_say_much_are_in_order_of_their_shares() -> None:
    n_levels, n_each = 60, 20
    codes = np.repeat(np.arange(n_levels), n_each)
    share = np.arange(n_levels) % 7 / 6  # not in the order of the levels
    labels = (np.tile(np.arange(n_each), n_levels) < share[codes] * n_each).astype(np.int64)
    (groups,) = order_of(codes, labels, 30).groups.values()
    # Seven shares make seven groups, one after the other.
    expected = np.arange(n_levels) % 7
    assert np.array_equal(groups, expected) or np.array_equal(groups, 6 - expected)


def test_there_are_at_most_as_many_groups_as_levels_may_be_asked_about() -> None:
    codes = np.repeat(np.arange(200), 50)
    labels = (np.tile(np.arange(50), 200) < codes / 4).astype(np.int64)
    (groups,) = order_of(codes, labels, 12).groups.values()
    assert set(groups.tolist()) == set(range(12))
    sizes = np.bincount(groups)
    assert sizes.max() - sizes.min() <= 6  # levels of the same share stay together


def test_rare_levels_of_a_telling_column_are_one_group() -> None:
    codes = np.concatenate([np.repeat(np.arange(40), 50), 40 + np.arange(30)])
    labels = np.concatenate([np.repeat(np.arange(40) % 2, 50), np.arange(30) % 2])
    (groups,) = order_of(codes, labels, 30).groups.values()
    assert len(set(groups[40:].tolist())) == 1
    assert set(groups[:40].tolist()).isdisjoint(groups[40:].tolist())


def test_with_many_classes_levels_that_differ_most_lie_apart() -> None:
    codes = np.repeat(np.arange(45), 20)
    labels = codes % 3
    (groups,) = order_of(codes, labels, 30).groups.values()
    assert len({(int(g), int(c)) for g, c in zip(groups, np.arange(45) % 3, strict=True)}) == 3


def test_few_levels_and_columns_of_own_questions_stay_as_they_are() -> None:
    X = pd.DataFrame({"few": ["a", "b"] * 50, "many": [f"m{i // 2}" for i in range(100)]})
    cases = cases_of(X, (np.arange(100) % 2).astype(np.int32))
    assert list(order_levels(cases, 2, 30, ()).groups) == [1]
    assert list(order_levels(cases, 2, 30, ("many",)).groups) == []


def test_whole_weights_are_repeated_rows_and_others_change_nothing() -> None:
    rng = np.random.default_rng(1)
    codes = rng.integers(60, size=500)
    labels = (rng.random(500) < np.arange(60)[codes] / 60).astype(np.int32)
    X = pd.DataFrame({"level": [f"level {code:04d}" for code in codes]})
    counts = rng.integers(1, 4, size=500)
    (repeated,) = order_of(codes.repeat(counts), labels.repeat(counts), 30).groups.values()
    for unit, expected in ((1.0, repeated), (2.0, order_of(codes, labels, 30).groups[0])):
        cases = cases_of(X, labels, CaseWeights(counts, unit))
        assert np.array_equal(order_levels(cases, 2, 30, ()).groups[0], expected)


@pytest.mark.parametrize("n_classes", [2, 3])
def test_trees_ask_about_levels_and_can_be_asked_about_their_groups_again(n_classes: int) -> None:
    """Rows go the same way in the table of levels and in that of their groups."""
    rng = np.random.default_rng(2)
    codes = rng.integers(60, size=900)
    shares = np.random.default_rng(3).random(60)[codes]
    labels = ((rng.random(900) < shares) * (1 + codes % (n_classes - 1))).astype(np.int32)
    X = pd.DataFrame({"level": [f"level {code:04d}" for code in codes], "x": rng.normal(size=900)})
    X = X.mask(rng.random(X.shape) < 0.05)
    cases = cases_of(X, labels)
    order = order_levels(cases, n_classes, 12, ())
    grouped = replace(cases, table=order.table(cases.table))
    options = read_options(BsnsingClassifier(max_levels=12, ccp_alpha=0.0), None, 900.0)
    grown = grow_tree(grouped, np.arange(n_classes), options)
    about_levels = ungroup(grown, order)
    assert {"==", "in"} & {q.test for rule in about_levels.rules if rule for q in rule.questions}
    leaves = find_leaves(grown, grouped.table, 1)
    np.testing.assert_array_equal(find_leaves(about_levels, cases.table, 1), leaves)
    again = regroup(about_levels, order)
    assert again.columns == grouped.table.info
    np.testing.assert_array_equal(find_leaves(again, grouped.table, 1), leaves)
