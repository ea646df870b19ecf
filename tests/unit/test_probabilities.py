"""Shrunken shares of trees made by hand, against the formula walked down from the root."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from bsnsing import Tree
from tests.unit.test_prune import random_tree


def walk(tree: Tree, strength: float) -> dict[int, np.ndarray]:
    shares = {}
    cases = (tree.counts if tree.softened is None else tree.softened) * tree.class_weight

    def go(v: int, above: np.ndarray, strength_above: float) -> None:
        own = cases[v]
        if tree.taught is not None and v != 0:
            shown = tree.taught[v] * tree.class_weight
            own = own + 2 * strength * shown / shown.sum()
        shares[v] = (own + strength_above * above) / (own.sum() + strength_above)
        for child in (int(tree.children_left[v]), int(tree.children_right[v])):
            if child >= 0:
                go(child, shares[v], strength)

    go(0, np.full(3, 1 / 3), 1.0)
    return shares


@pytest.mark.parametrize("strength", [0.5, 10.0])
@pytest.mark.parametrize("seed", range(5))
def test_parents_count_as_further_cases(seed: int, strength: float) -> None:
    tree = replace(random_tree(seed, 9, 10), shrinkage=strength)
    expected = walk(tree, strength)
    for v, shares in enumerate(tree.probabilities):
        np.testing.assert_allclose(shares, expected[v])
    assert (tree.probabilities > 0).all()
    np.testing.assert_allclose(tree.probabilities.sum(axis=1), 1)


def test_without_shrinkage_shares_are_plain() -> None:
    tree = random_tree(0, 5, 10)
    cases = tree.counts * tree.class_weight
    np.testing.assert_allclose(tree.probabilities, cases / cases.sum(axis=1, keepdims=True))


def test_softened_cases_come_before_counts_and_a_lesson_counts_as_a_few_more() -> None:
    tree = random_tree(1, 5, 10)
    lesson = {"taught": 7.0 * tree.counts[:, [1, 2, 0]], "softened": tree.counts[:, ::-1] + 1.0}
    taught = replace(tree, **lesson, shrinkage=2.0)
    expected = walk(taught, 2.0)
    for v, shares in enumerate(taught.probabilities):
        np.testing.assert_allclose(shares, expected[v])
    plain = replace(taught, shrinkage=0.0).probabilities
    cases = taught.softened * tree.class_weight
    np.testing.assert_allclose(plain, cases / cases.sum(axis=1, keepdims=True))


def test_a_lesson_counts_with_its_class_weights() -> None:
    """One node has cases of a class without weight only: there these count as they are."""
    tree = random_tree(1, 5, 10)
    softened = tree.counts + 1.0
    softened[-1] = [4.0, 0.0, 0.0]
    taught = softened[:, [1, 2, 0]]
    weights = {"class_weight": np.array([0.0, 1.0, 2.0]), "shrinkage": 2.0}
    shares = replace(tree, taught=taught, softened=softened, **weights).probabilities
    parent = tree.parent[-1]
    np.testing.assert_allclose(
        shares[0], (softened[0] * [0, 1, 2] + 1 / 3) / (softened[0] @ [0, 1, 2] + 1)
    )
    shown = taught[-1] * [0, 1, 2]
    expected = (softened[-1] + 4 * shown / shown.sum() + 2 * shares[parent]) / (4 + 4 + 2)
    np.testing.assert_allclose(shares[-1], expected)


def test_a_lesson_with_nothing_to_say_of_a_node_leaves_its_shares() -> None:
    tree = random_tree(3, 5, 10)
    silent = replace(tree, taught=0.0 * tree.counts, shrinkage=2.0)
    expected = replace(tree, shrinkage=2.0)
    np.testing.assert_allclose(silent.probabilities, expected.probabilities)


def test_nodes_of_cases_too_light_to_count_have_the_shares_of_their_parent() -> None:
    tree = random_tree(2, 6, 10)
    softened = tree.counts.astype(float)
    softened[-1] = 0.0
    lesson = {"taught": tree.counts[:, ::-1] + 1.0, "softened": softened}
    light = replace(tree, **lesson, shrinkage=0.0).probabilities
    np.testing.assert_allclose(light[-1], light[tree.parent[-1]])
    np.testing.assert_allclose(light[1:-1], tree.probabilities[1:-1], atol=1e-6)
