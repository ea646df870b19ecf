"""The teacher's forest: how far its trees are cut back, and what they then say."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose
from numpy.typing import NDArray
from scipy.sparse import csr_matrix
from sklearn.base import clone
from sklearn.ensemble import RandomForestClassifier

from bsnsing.distill.config import DistillConfig
from bsnsing.distill.forest import Forest, cut_back

CONFIG = DistillConfig()


def forest_of(
    X: Any, labels: NDArray[np.int32], weights: Any = None, config: DistillConfig = CONFIG
) -> Forest:
    return Forest(config, np.random.RandomState(0), 1).fit(X, labels, weights)


def noisy_table(n_rows: int = 300) -> tuple[NDArray[np.float32], NDArray[np.int32]]:
    """Few distinct rows, whose labels differ by chance."""
    rng = np.random.default_rng(0)
    X = rng.integers(0, 3, (n_rows, 3)).astype(np.float32)
    return X, (rng.random(n_rows) < 0.3 + 0.2 * X[:, 0]).astype(np.int32)


@pytest.mark.parametrize(("n_columns", "n_tried"), [(1, 1), (4, 4), (100, 30)])
def test_extremely_random_trees_choose_among_more_columns(n_columns: int, n_tried: int) -> None:
    X = np.random.default_rng(0).random((20, n_columns)).astype(np.float32)
    forest = forest_of(X, np.arange(20, dtype=np.int32) % 2)
    assert [half.estimators_[0].max_features_ for half in forest.halves] == [
        max(1, int(n_columns**0.5)),
        n_tried,
    ]


def test_forests_of_whole_trees_say_what_scikit_learn_says() -> None:
    X, labels = noisy_table()
    forest = forest_of(X, labels, config=replace(CONFIG, leaf_rows=(1,)))
    expected = np.mean([half.predict_proba(X) for half in forest.halves], axis=0)
    assert_allclose(forest.predict_proba(X), expected)
    for half in forest.halves:
        alone = clone(half).set_params(oob_score=True, random_state=0).fit(X, labels)
        forest.halves = [alone]
        assert_allclose(forest._out_of_bag(X, [1])[0], alone.oob_decision_function_)


def test_shares_come_from_the_nearest_node_with_enough_rows() -> None:
    X, labels = noisy_table()
    tree = RandomForestClassifier(1, random_state=0).fit(X, labels).estimators_[0].tree_
    paths = [list(path_to(tree, leaf)) for leaf in range(tree.node_count)]
    sizes = [1, 8, 50, 10**6]
    for size, shares in zip(sizes, cut_back(tree, sizes), strict=True):
        for node, path in enumerate(paths):
            enough = [v for v in path if tree.n_node_samples[v] >= size] or [0]
            assert_allclose(shares[node], tree.value[enough[-1], 0])


def path_to(tree: Any, node: int) -> Iterator[int]:
    """Nodes from the root to this one."""
    at = np.flatnonzero((tree.children_left == node) | (tree.children_right == node))
    for parent in at:
        yield from path_to(tree, int(parent))
    yield node


def test_a_forest_cuts_its_trees_back_as_far_as_noise_demands() -> None:
    X, labels = noisy_table()
    forest = forest_of(X, labels)
    assert forest.leaf_rows_ > 1
    one_hot = np.eye(2)[labels]
    errors = ((forest._out_of_bag(X, CONFIG.leaf_rows) - one_hot) ** 2).sum(axis=(1, 2))
    assert forest.leaf_rows_ == CONFIG.leaf_rows[int(np.argmin(errors))]
    assert_allclose(
        forest.oob_decision_function_, forest._out_of_bag(X, [forest.leaf_rows_])[0], atol=1e-12
    )
    clear = (X[:, 0] == 1).astype(np.int32)
    assert forest_of(X, clear).leaf_rows_ == 1


def test_what_a_forest_says_is_cut_back_for_new_rows_too() -> None:
    X, labels = noisy_table()
    forest = forest_of(X, labels)
    told = [
        next(cut_back(tree.tree_, [forest.leaf_rows_]))[tree.apply(X)]
        for half in forest.halves
        for tree in half.estimators_
    ]
    assert forest.leaf_rows_ > 1
    assert_allclose(forest.predict_proba(X), np.mean(told, axis=0))


def test_heavy_rows_have_more_say_in_how_far_trees_are_cut_back() -> None:
    """A few heavy rows have narrow stripes of classes, and chance rules the many light ones."""
    X, labels = noisy_table(900)
    stripes = np.column_stack([np.full(40, 9), np.zeros(40), np.arange(40)])
    both = np.concatenate([stripes, X]).astype(np.float32)
    all_labels = np.append(np.arange(40) // 8 % 2, labels).astype(np.int32)
    weights = np.repeat([1.0, 0.1], [40, 900])
    forest = forest_of(both, all_labels, weights)
    errors = (forest._out_of_bag(both, CONFIG.leaf_rows) - np.eye(2)[all_labels]) ** 2
    by_weight, by_row = errors.sum(axis=2) @ weights, errors.sum(axis=(1, 2))
    assert forest.leaf_rows_ == CONFIG.leaf_rows[int(np.argmin(by_weight))]
    assert np.argmin(by_weight) != np.argmin(by_row)


def test_rows_that_all_trees_were_grown_on_have_no_say() -> None:
    X, labels = noisy_table()
    heavy = np.ones(300)
    forest = forest_of(X, labels, heavy)
    for half in forest.halves:
        half.bootstrap = False  # each tree was grown on all rows
    assert forest._out_of_bag(X, [1, 8]).tolist() == np.zeros((2, 300, 2)).tolist()


@pytest.mark.parametrize(("room", "is_whole"), [(0, False), (-1, True)])
def test_a_forest_of_many_classes_keeps_its_whole_trees(room: int, is_whole: bool) -> None:
    X, labels = noisy_table()
    config = replace(CONFIG, most_shares=2 * len(X) + room)
    assert (forest_of(X, labels, config=config).leaf_rows_ == 1) is is_whole


@pytest.mark.parametrize(
    ("n_rows", "sizes"),
    [(3, [1]), (4, [1, 2]), (63, [1, 2, 4]), (64, [1, 2, 4, 8]), (300, [1, 2, 4, 8, 16])],
)
def test_leaves_of_a_forest_have_at_most_the_square_root_of_all_rows(
    n_rows: int, sizes: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    tried = []
    out_of_bag = Forest._out_of_bag

    def spy(forest: Forest, X: Any, sizes: list[int]) -> NDArray[np.float64]:
        tried.append(sizes)
        return out_of_bag(forest, X, sizes)

    monkeypatch.setattr(Forest, "_out_of_bag", spy)
    X, labels = noisy_table(n_rows)
    labels[:2] = 0, 1
    forest_of(X, labels)
    assert tried == [sizes]


@pytest.mark.parametrize(("n_rows", "n_trees"), [(50, 50), (2000, 40), (5000, 25)])
def test_forests_of_large_tables_have_fewer_trees(n_rows: int, n_trees: int) -> None:
    X = np.arange(n_rows, dtype=np.float32)[:, None]
    forest = forest_of(X, (np.arange(n_rows) % 2).astype(np.int32))
    assert [len(half.estimators_) for half in forest.halves] == [n_trees] * 2


def test_forests_see_sparse_tables_as_they_see_dense_ones() -> None:
    X, labels = noisy_table()
    dense, sparse = forest_of(X, labels), forest_of(csr_matrix(X), labels)
    assert sparse.leaf_rows_ == dense.leaf_rows_
    assert_allclose(sparse.oob_decision_function_, dense.oob_decision_function_)
    assert_allclose(sparse.predict_proba(csr_matrix(X)), dense.predict_proba(X))
