"""Which node each row is in, and what no split can save, against parting rows in every way."""

from __future__ import annotations

import math
from dataclasses import fields, replace
from itertools import product
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from bsnsing import BsnsingClassifier
from bsnsing.data.cases import Cases
from bsnsing.data.weights import CaseWeights
from bsnsing.distill.config import DistillConfig
from bsnsing.distill.distill import _grow
from bsnsing.distill.training_set import TrainingSet
from bsnsing.estimators.options import read_options
from bsnsing.grow.grow import grow_tree
from bsnsing.grow.options import GrowOptions
from bsnsing.grow.rows import RowTracker
from bsnsing.tree.predict import find_leaves
from bsnsing.tree.prune import prune_by_cost
from tests.training_sets import silent_teacher, table_of, teaching_of


def small_training_set(seed: int) -> tuple[TrainingSet, NDArray[np.int64]]:
    """Six rows of three classes, and the cases of each by class."""
    parts = np.random.default_rng(seed).integers(0, 4, (6, 3))
    parts[:, 1] += parts.sum(axis=1) == 0
    rows, labels = np.nonzero(parts)
    table = table_of(np.arange(6.0)[:, None]).take(rows)
    cases = Cases(table, labels.astype(np.int32), CaseWeights(parts[rows, labels], 1.0))
    soft = parts.astype(float)
    return TrainingSet(cases, rows, np.arange(6), 1.0, 3, None, soft, silent_teacher(3)), parts


def impurity(cases: NDArray[np.float64]) -> float:
    """Minus the log likelihood of the cases, one class after the other."""
    return sum(-n * math.log(n / cases.sum()) for n in cases if n > 0)


@pytest.mark.parametrize("seed", range(5))
def test_no_way_to_part_rows_leaves_less(seed: int) -> None:
    training, parts = small_training_set(seed)
    class_weight = np.array([1.0, 2.0, 0.5])
    tracker = training.tracker(class_weight)
    weighted = parts * class_weight
    np.testing.assert_allclose(tracker.impurity, [impurity(row) for row in weighted])
    left = [
        sum(impurity(weighted[np.array(part) == p].sum(axis=0)) for p in range(3))
        for part in product(range(3), repeat=6)
    ]
    (most_saved,) = tracker.most_saved(1)
    whole = impurity(weighted.sum(axis=0))
    assert most_saved == pytest.approx((whole - tracker.impurity.sum()) / weighted.sum())
    assert most_saved * weighted.sum() >= whole - min(left) - 1e-9


@pytest.mark.parametrize("seed", range(5))
def test_what_can_be_saved_is_that_of_the_cases_of_each_node(seed: int) -> None:
    training, parts = small_training_set(seed)
    tracker = training.tracker(np.ones(3))
    node_of_case = np.random.default_rng(seed).integers(0, 4, 6)
    tracker.node_of = node_of_case[training.row_of]
    expected = [
        impurity(parts[node_of_case == node].sum(axis=0))
        - sum(impurity(row) for row in parts[node_of_case == node])
        for node in range(5)
    ]
    np.testing.assert_allclose(tracker.most_saved(5), np.array(expected) / parts.sum(), atol=1e-12)


def noisy(seed: int) -> tuple[Cases, TrainingSet, GrowOptions]:
    """Real rows with labels that differ by chance; no synthetic ones, so that every node has some.

    Options have a complexity penalty and leaves of one case.
    """
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(200, 4))
    y = (X[:, 0] * X[:, 1] + X[:, 2] + rng.normal(size=200) > 0).astype(np.int32)
    model = BsnsingClassifier(min_samples_leaf=1)
    config = replace(DistillConfig(), times_rows=1)
    teaching = teaching_of(X, y, config=config)
    training = teaching.training_set()
    assert training.n_rows == len(training.original)
    options = read_options(model, training.teacher.leaf_rows, 200.0)
    assert options.ccp_alpha > 0
    return teaching.real, training, replace(options, class_weight=np.array([1.0, 2.0]))


class Forgetful(RowTracker):
    """Knows where rows are, but not what cannot be saved."""

    def most_saved(self, n_nodes: int) -> list[float]:
        return [math.inf] * n_nodes


class Unbounded(TrainingSet):
    """Lets every tree grow as if all impurity could be saved."""

    def tracker(self, class_weight: NDArray[np.float64]) -> RowTracker:
        own = super().tracker(class_weight)
        return Forgetful(own.node_of, own.first_rows, own.weighted, own.impurity)


@pytest.mark.parametrize("seed", range(4))
def test_growth_leaves_out_only_what_pruning_would(seed: int) -> None:
    real, training, options = noisy(seed)
    classes = np.array([0, 1])
    unbounded = Unbounded(**{f.name: getattr(training, f.name) for f in fields(training)})
    trees = [
        _grow(real, classes, rows, options, DistillConfig())[0] for rows in (training, unbounded)
    ]
    assert trees[0].n_nodes < trees[1].n_nodes, "the bound left something out"
    kept, whole = (prune_by_cost(tree, options.ccp_alpha) for tree in trees)
    assert str(kept) == str(whole)
    np.testing.assert_allclose(kept.value, whole.value, rtol=1e-12)  # sums are rounded
    assert kept.n_leaves > 2


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("settings", [{}, {"max_depth": 2}, {"ccp_alpha": 0.0}], ids=str)
def test_tracked_rows_are_where_the_grown_tree_sends_them(
    seed: int, settings: dict[str, Any]
) -> None:
    _, training, options = noisy(seed)
    tracker = training.tracker(np.ones(2))
    tree = grow_tree(
        training.cases, np.array([0, 1]), replace(options, **settings), tracker=tracker
    )
    assert tree.n_leaves > 2
    np.testing.assert_array_equal(tracker.node_of, find_leaves(tree, training.cases.table, 1))
