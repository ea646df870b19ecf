"""Class shares of trees made by hand, against the formula walked down from the root."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import NDArray

from bsnsing import Tree
from bsnsing.tree.impurity import impurity_of
from bsnsing.tree.probabilities import Evidence, tree_shares, with_evidence
from tests.unit.test_prune import random_tree


def walk(tree: Tree, evidence: Evidence, strength: float) -> dict[int, np.ndarray]:
    shares = {}
    cases = evidence.real * tree.class_weight
    case = cases[0].sum() / evidence.real[0].sum()  # what further cases weigh, each
    strength = case * strength

    def go(v: int, above: np.ndarray, strength_above: float) -> None:
        own = cases[v]
        if evidence.learnt_weight > 0 and v != 0:
            learnt = evidence.learnt[v] * tree.class_weight
            own = own + evidence.learnt_weight * strength * learnt / learnt.sum()
        shares[v] = (own + strength_above * above) / (own.sum() + strength_above)
        for child in (int(tree.children_left[v]), int(tree.children_right[v])):
            if child >= 0:
                go(child, shares[v], strength)

    go(0, np.full(3, 1 / 3), case)
    return shares


def unshrunk(tree: Tree, cases: NDArray[np.float64]) -> NDArray[np.float64]:
    weighted = cases * tree.class_weight
    return weighted / weighted.sum(axis=1, keepdims=True)


@pytest.mark.parametrize("strength", [0.5, 10.0])
@pytest.mark.parametrize("seed", range(5))
def test_parents_count_as_further_cases(seed: int, strength: float) -> None:
    tree = random_tree(seed, 9, 10)
    evidence = Evidence(tree.counts, tree.counts)
    found = tree_shares(tree, evidence, strength)
    expected = walk(tree, evidence, strength)
    for v, shares in enumerate(found):
        np.testing.assert_allclose(shares, expected[v])
    assert (found > 0).all()
    np.testing.assert_allclose(found.sum(axis=1), 1)


def test_without_shrinkage_shares_are_those_of_the_counts() -> None:
    tree = random_tree(0, 5, 10)
    found = tree_shares(tree, Evidence(tree.counts, tree.counts), 0.0)
    np.testing.assert_allclose(found, unshrunk(tree, tree.counts))


@pytest.mark.parametrize("learnt_weight", [0.5, 2.0])
def test_real_cases_come_before_counts_and_what_was_learnt_counts_as_a_few_more(
    learnt_weight: float,
) -> None:
    tree = random_tree(1, 5, 10)
    evidence = Evidence(tree.counts[:, ::-1] + 1.0, 7.0 * tree.counts[:, [1, 2, 0]], learnt_weight)
    expected = walk(tree, evidence, 2.0)
    for v, shares in enumerate(tree_shares(tree, evidence, 2.0)):
        np.testing.assert_allclose(shares, expected[v])
    np.testing.assert_allclose(
        tree_shares(tree, evidence, 0.0), unshrunk(tree, tree.counts[:, ::-1] + 1.0)
    )


def test_what_was_learnt_counts_with_its_class_weights() -> None:
    """One node has cases of a class without weight only: there these weigh what others do."""
    tree = replace(random_tree(1, 5, 10), class_weight=np.array([0.0, 1.0, 2.0]))
    real = tree.counts + 1.0
    real[-1] = [4.0, 0.0, 0.0]
    learnt = real[:, [1, 2, 0]]
    shares = tree_shares(tree, Evidence(real, learnt, 2.0), 2.0)
    parent = tree.parent[-1]
    case = real[0] @ [0, 1, 2] / real[0].sum()
    at_root = (real[0] * [0, 1, 2] + case / 3) / (real[0] @ [0, 1, 2] + case)
    np.testing.assert_allclose(shares[0], at_root)
    shown = learnt[-1] * [0, 1, 2]
    expected = (real[-1] + 4 * shown / shown.sum() + 2 * shares[parent]) / (4 + 4 + 2)
    np.testing.assert_allclose(shares[-1], expected)


def test_where_nothing_was_learnt_of_a_node_its_shares_stay() -> None:
    tree = random_tree(3, 5, 10)
    silent = Evidence(tree.counts, 0.0 * tree.counts, 2.0)
    np.testing.assert_allclose(
        tree_shares(tree, silent, 2.0), tree_shares(tree, Evidence(tree.counts, tree.counts), 2.0)
    )


def test_nodes_of_cases_too_light_to_count_have_the_shares_of_their_parent() -> None:
    tree = random_tree(2, 6, 10)
    real = tree.counts.copy()
    real[-1] = 0.0
    light = tree_shares(tree, Evidence(real, tree.counts[:, ::-1] + 1.0, 2.0), 0.0)
    np.testing.assert_allclose(light[-1], light[tree.parent[-1]])
    np.testing.assert_allclose(light[1:-1], unshrunk(tree, tree.counts)[1:-1], atol=1e-6)


@pytest.mark.parametrize("is_taught", [False, True])
def test_a_tree_stores_shares_of_real_cases_and_the_impurity_of_all_that_was_learnt(
    is_taught: bool,
) -> None:
    tree = replace(random_tree(4, 6, 10), is_taught=is_taught)
    evidence = Evidence(tree.counts + 0.5, 3.0 * tree.counts[:, ::-1], 2.0)
    stored = with_evidence(tree, evidence, 1.5)
    np.testing.assert_array_equal(stored.value, tree_shares(tree, evidence, 1.5))
    weighted = evidence.learnt * tree.class_weight
    np.testing.assert_array_equal(stored.weighted_cases, weighted.sum(axis=1))
    np.testing.assert_array_equal(stored.impurity, impurity_of(weighted, is_taught=is_taught))
    np.testing.assert_array_equal(stored.counts, tree.counts)
