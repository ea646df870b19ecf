"""The teacher's forest: how far its trees are cut back, and what they then say."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose
from numpy.typing import NDArray
from scipy.sparse import csr_matrix
from sklearn.datasets import load_breast_cancer, load_iris, load_wine
from sklearn.ensemble import ExtraTreesClassifier, RandomForestClassifier
from sklearn.model_selection import train_test_split

from bsnsing import _core
from bsnsing.distill import forest as forest_module
from bsnsing.distill.config import DistillConfig
from bsnsing.distill.forest import Forest

CONFIG = DistillConfig()
NAN = np.nan


def forest_of(
    X: Any,
    labels: NDArray[np.int32],
    weights: Any = None,
    config: DistillConfig = CONFIG,
    n_threads: int = 1,
) -> Forest:
    return Forest(config, np.random.RandomState(0), n_threads).fit(X, labels, weights)


def out_of_bag(forest: Forest, X: Any, sizes: tuple[int, ...]) -> NDArray[np.float64]:
    """Of a forest whose trees are still whole."""
    return forest.trees.out_of_bag(forest._codes(X), leaf_rows=sizes, n_threads=1)


def noisy_table(n_rows: int = 300) -> tuple[NDArray[np.float32], NDArray[np.int32]]:
    """Few distinct rows, whose labels differ by chance."""
    rng = np.random.default_rng(0)
    X = rng.integers(0, 3, (n_rows, 3)).astype(np.float32)
    return X, (rng.random(n_rows) < 0.3 + 0.2 * X[:, 0]).astype(np.int32)


def brier_score(shares: NDArray[np.float64], labels: NDArray[np.int32]) -> float:
    return float(((shares - np.eye(shares.shape[1])[labels]) ** 2).sum(axis=1).mean())


@pytest.mark.parametrize("load", [load_iris, load_wine, load_breast_cancer])
def test_a_forest_predicts_as_well_as_those_of_scikit_learn(load: Any) -> None:
    X, y = load(return_X_y=True)
    ours, theirs, out = [], [], []
    for seed in range(3):
        data = train_test_split(X.astype(np.float32), y.astype(np.int32), random_state=seed)
        train, test, labels, truth = data
        forest = Forest(CONFIG, np.random.RandomState(seed), 1).fit(train, labels, None)
        halves = [
            RandomForestClassifier(50, random_state=seed).fit(train, labels),
            ExtraTreesClassifier(50, bootstrap=True, random_state=seed).fit(train, labels),
        ]
        ours.append(brier_score(forest.predict_proba(test), truth))
        theirs.append(brier_score(np.mean([h.predict_proba(test) for h in halves], axis=0), truth))
        out.append(brier_score(forest.oob_decision_function_, labels))
    assert np.mean(ours) < np.mean(theirs) + 0.02
    assert np.mean(out) < np.mean(theirs) + 0.05


def test_columns_matter_as_they_do_to_scikit_learn() -> None:
    X, y = load_iris(return_X_y=True)
    theirs = RandomForestClassifier(100, random_state=0).fit(X, y).feature_importances_
    ours = forest_of(X.astype(np.float32), y.astype(np.int32)).feature_importances_
    assert_allclose(ours, theirs, atol=0.1)
    assert_allclose(ours.sum(), 1)


def test_a_forest_cuts_its_trees_back_as_far_as_noise_demands() -> None:
    X, labels = noisy_table()
    forest = forest_of(X, labels)
    assert forest.leaf_rows_ > min(CONFIG.leaf_rows)
    whole = forest_of(X, labels, config=replace(CONFIG, leaf_rows=(1,)))
    oob = out_of_bag(whole, X, CONFIG.leaf_rows)
    best = int(np.argmin([brier_score(shares, labels) for shares in oob]))
    assert forest.leaf_rows_ == CONFIG.leaf_rows[best]
    assert forest.oob_decision_function_.tolist() == oob[best].tolist()
    clear = (X[:, 0] == 1).astype(np.int32)
    assert forest_of(X, clear).leaf_rows_ == min(CONFIG.leaf_rows)


def test_what_a_forest_says_is_cut_back_for_new_rows_too() -> None:
    X, labels = noisy_table()
    forest = forest_of(X, labels)
    whole = forest_of(X, labels, config=replace(CONFIG, leaf_rows=(1,)))
    before = whole.predict_proba(X)
    whole.trees.cut_back(forest.leaf_rows_)
    assert whole.predict_proba(X).tolist() == forest.predict_proba(X).tolist() != before.tolist()
    whole.trees.cut_back(10**6)
    rooted = whole.predict_proba(X)
    assert_allclose(rooted, np.broadcast_to(rooted[0], rooted.shape))
    assert_allclose(rooted[0, 1], labels.mean(), atol=0.02)


def test_heavy_rows_have_more_say_in_how_far_trees_are_cut_back() -> None:
    """A few heavy rows have narrow stripes of classes, and chance rules the many light ones."""
    X, labels = noisy_table(900)
    X[:, 1] = np.random.default_rng(1).random(900)
    stripes = np.column_stack([np.full(40, 9), np.zeros(40), np.arange(40)])
    both = np.concatenate([stripes, X]).astype(np.float32)
    all_labels = np.append(np.arange(40) // 8 % 2, labels).astype(np.int32)
    weights = np.repeat([1.0, 0.1], [40, 900])
    forest = forest_of(both, all_labels, weights)
    whole = forest_of(both, all_labels, weights, replace(CONFIG, leaf_rows=(1,)))
    errors = (out_of_bag(whole, both, CONFIG.leaf_rows) - np.eye(2)[all_labels]) ** 2
    by_weight, by_row = errors.sum(axis=2) @ weights, errors.sum(axis=(1, 2))
    assert forest.leaf_rows_ == CONFIG.leaf_rows[int(np.argmin(by_weight))]
    assert np.argmin(by_weight) != np.argmin(by_row)


@pytest.mark.parametrize("sizes", [CONFIG.leaf_rows, (1, 3, 9)])
@pytest.mark.parametrize("n_rows", [3, 4, 63, 64, 300])
def test_leaves_of_a_forest_have_at_most_the_square_root_of_all_rows(
    n_rows: int, sizes: tuple[int, ...]
) -> None:
    """Labels are chance, so that the largest leaves are the best; some size there has to be."""
    X = np.arange(n_rows, dtype=np.float32)[:, None]
    labels = np.random.RandomState(1).permutation(n_rows).astype(np.int32) % 2
    most = max([size for size in sizes if size**2 <= n_rows], default=sizes[0])
    found = forest_of(X, labels, config=replace(CONFIG, leaf_rows=sizes)).leaf_rows_
    assert found <= most
    if n_rows == 300:
        assert found == most


@pytest.mark.parametrize("n_trees", [1, 7])
def test_there_are_as_many_trees_of_each_kind_as_the_configuration_says(n_trees: int) -> None:
    X, labels = noisy_table()
    forest = forest_of(X, labels, config=replace(CONFIG, n_trees=n_trees))
    assert forest.trees.n_trees == 2 * n_trees


def test_trees_of_large_tables_are_drawn_from_some_of_their_rows() -> None:
    """Each tree of one draw is a root, which has seen one row: all the others are out of bag."""
    X, labels = noisy_table()
    forest = forest_of(X, labels, config=replace(CONFIG, rows_per_tree=1, n_trees=40))
    (told,) = np.unique(forest.predict_proba(X), axis=0)
    assert 0 < told[1] < 1
    assert told[1] * 80 == pytest.approx(round(told[1] * 80))
    assert_allclose(forest.oob_decision_function_.sum(axis=1), 1)


def test_forests_see_sparse_tables_as_they_see_dense_ones(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    X, labels = noisy_table()
    dense = forest_of(X, labels)
    for n_columns in 2, 256:  # more than one part, and one
        monkeypatch.setattr(forest_module, "DENSE_COLUMNS", n_columns)
        sparse = forest_of(csr_matrix(X), labels)
        assert sparse.oob_decision_function_.tolist() == dense.oob_decision_function_.tolist()
        assert sparse.predict_proba(csr_matrix(X)).tolist() == dense.predict_proba(X).tolist()


def test_the_number_of_threads_changes_nothing() -> None:
    X, y = load_wine(return_X_y=True)
    one = forest_of(X.astype(np.float32), y.astype(np.int32))
    two = forest_of(X.astype(np.float32), y.astype(np.int32), n_threads=2)
    assert one.oob_decision_function_.tolist() == two.oob_decision_function_.tolist()
    assert one.predict_proba(X).tolist() == two.predict_proba(X).tolist()
    assert one.feature_importances_.tolist() == two.feature_importances_.tolist()


def test_a_forest_sees_the_order_of_values_only() -> None:
    X, y = load_wine(return_X_y=True)
    X = X.astype(np.float32)
    one, two = forest_of(X, y.astype(np.int32)), forest_of(np.log(X), y.astype(np.int32))
    assert one.oob_decision_function_.tolist() == two.oob_decision_function_.tolist()
    assert one.predict_proba(X).tolist() == two.predict_proba(np.log(X)).tolist()


def test_labels_keep_their_names() -> None:
    X, labels = noisy_table()
    forest = forest_of(X, labels * 4 + 3)
    assert forest.classes_.tolist() == [3, 7]
    assert forest.predict_proba(X).tolist() == forest_of(X, labels).predict_proba(X).tolist()


EDGES: dict[str, tuple[Any, Any, Any]] = {
    "two rows": ([[0], [1]], [0, 1], None),
    "one class": ([[0], [1], [2]], [0, 0, 0], None),
    "nothing to tell rows by": ([[1, 1]] * 9, [0, 1, 1] * 3, None),
    "nothing but missing cells": ([[NAN, NAN]] * 9, [0, 1, 1] * 3, None),
    "only missing cells differ": ([[1], [NAN], [1], [NAN]] * 5, [0, 1, 0, 1] * 5, None),
    "infinite cells": ([[-np.inf], [0], [np.inf]] * 5, [0, 1, 0] * 5, None),
    "rows of no weight": ([[0], [1], [2]] * 5, [0, 1, 0] * 5, [0.0, 1.5, 0.25] * 5),
    "one row has all the weight": ([[0], [1], [2]], [0, 1, 0], [0.0, 3.0, 0.0]),
    "a hundred classes": (np.arange(200)[:, None], np.arange(200) // 2, None),
    "more values than bins": (np.arange(700)[:, None], np.arange(700) // 350, None),
}


@pytest.mark.parametrize("name", EDGES)
def test_tables_at_the_edge_are_learnt(name: str) -> None:
    cells, labels, weights = EDGES[name]
    X = np.array(cells, dtype=np.float32)
    y = np.array(labels, dtype=np.int32)
    forest = forest_of(X, y, None if weights is None else np.array(weights))
    told = forest.predict_proba(X)
    assert_allclose(told.sum(axis=1), 1)
    sums = forest.oob_decision_function_.sum(axis=1)
    assert_allclose(sums[sums > 0], 1)
    if name in ("only missing cells differ", "infinite cells"):
        assert (told.argmax(axis=1) == y).all()


def test_bins_have_about_as_many_rows_each_where_values_are_many() -> None:
    numbers = np.random.default_rng(0).normal(size=(5000, 1)).astype(np.float32)
    numbers[:2000] = 0  # ties stay together
    codes = _core.Bins(numbers, n_threads=1).codes(numbers, n_threads=1)[0]
    sizes = np.bincount(codes)
    assert len(sizes) == 255
    assert sizes.max() == 2000
    assert sizes.min() > 5
    assert np.sort(sizes)[-2] < 25
    assert (np.diff(codes[np.argsort(numbers[:, 0], kind="stable")].astype(int)) >= 0).all()


def test_new_values_fall_into_the_nearer_bin() -> None:
    numbers = np.array([[0], [1], [4], [NAN]], dtype=np.float32)
    new = np.array([[-9], [0.4], [0.6], [2.4], [2.6], [9], [NAN]], dtype=np.float32)
    bins = _core.Bins(numbers, n_threads=1)
    assert bins.codes(numbers, n_threads=1).tolist() == [[0, 1, 2, 255]]
    assert bins.codes(new, n_threads=1).tolist() == [[0, 0, 1, 1, 2, 2, 255]]
