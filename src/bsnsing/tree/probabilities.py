"""From the cases of each node to the probabilities and impurities that a tree stores."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bsnsing.tree.impurity import impurity_of
from bsnsing.tree.tree import Tree, parents_of

# The root is drawn towards equal shares, as by one case spread over all classes.
_CASES_AT_ROOT = 1.0
# Most cases that a parent may count for: beside them, no case of a node changes a share.
_MOST_CASES = 1e200


@dataclass(frozen=True, slots=True)
class Evidence:
    """Cases per node and class that a tree was learnt from; arrays of shape (n_nodes, n_classes).

    Without a teacher all are the counts of the tree.
    """

    real: NDArray[np.float64]  # real rows, partly with soft labels where a teacher gave them
    learnt: NDArray[np.float64]  # all that splits and pruning go by: synthetic rows too
    learnt_weight: float = 0.0  # what the shares of `learnt` count for beside the parent's


class Nodes(NamedTuple):
    """What the probabilities of nodes depend on besides their evidence."""

    left: NDArray[np.int32]  # children; -1 at leaves
    right: NDArray[np.int32]
    depth: NDArray[np.int32]
    class_weight: NDArray[np.float64]
    split_weight: NDArray[np.float64]  # the same in splits and pruning


def with_evidence(tree: Tree, evidence: Evidence, shrinkage: float) -> Tree:
    """Return the tree with the probabilities and impurities that its evidence gives."""
    return replace(
        tree, **arrays_from(_nodes_of(tree), evidence, shrinkage, is_taught=tree.is_taught)
    )


def arrays_from(
    nodes: Nodes, evidence: Evidence, shrinkage: float, *, is_taught: bool = False
) -> dict[str, Any]:
    """Return what a tree stores of its evidence, by the names of the tree's arrays."""
    weighted = evidence.learnt * nodes.split_weight
    return {
        "value": shrunk_shares(nodes, evidence, shrinkage),
        "impurity": impurity_of(weighted, is_taught=is_taught),
        "weighted_cases": weighted.sum(axis=1),
    }


def tree_shares(tree: Tree, evidence: Evidence, strength: float) -> NDArray[np.float64]:
    """Return the shrunk shares of a tree's nodes."""
    return shrunk_shares(_nodes_of(tree), evidence, strength)


def _nodes_of(tree: Tree) -> Nodes:
    return Nodes(
        tree.children_left, tree.children_right, tree.depth, tree.class_weight, tree.split_weight
    )


def shrunk_shares(nodes: Nodes, evidence: Evidence, strength: float) -> NDArray[np.float64]:
    """Return each node's class shares, its parent's counting as ``strength`` further cases.

    With n cases of which a share s is of some class, and a parent whose share came out as t, a
    node gets (n s + strength t) / (n + strength): few cases say little against the many above
    them, and no share is 0 or 1. Further cases weigh what the cases of the root do on average.
    Where a teacher had a say, the shares of all that was learnt in a node below the root count as
    ``learnt_weight * strength`` further cases in the same way; the root's cases say how many there
    are of each class. With strength 0 these are the shares of the real cases.
    """
    weighted, sizes = _weigh(evidence.real, nodes.class_weight)
    if strength == 0 and sizes.all():
        unshrunk: NDArray[np.float64] = weighted / sizes
        return unshrunk
    case = _weight_of_a_case(evidence.real, nodes.class_weight)
    strength = min(strength, _MOST_CASES)  # sums stay finite
    n_learnt = case * (evidence.learnt_weight * strength)
    # Cases too light to be counted leave a node its parent's shares.
    strength = case * max(strength, 1e-9)
    shares = np.empty_like(weighted)
    n_classes, at_root = weighted.shape[1], case * _CASES_AT_ROOT
    shares[0] = (weighted[0] + at_root / n_classes) / (sizes[0] + at_root)
    if n_learnt > 0:
        learnt, n_cases = _weigh(evidence.learnt, nodes.class_weight)
        weighted = weighted + n_learnt * (learnt / np.where(n_cases > 0, n_cases, 1.0))
        sizes = weighted.sum(axis=1, keepdims=True)
    parent = parents_of(nodes.left, nodes.right)
    for depth in range(1, int(nodes.depth.max()) + 1):  # parents are one level up
        level = np.flatnonzero(nodes.depth == depth)
        drawn = weighted[level] + strength * shares[parent[level]]
        shares[level] = drawn / (sizes[level] + strength)
    return shares


def _weigh(
    cases: NDArray[np.float64], class_weight: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the weighted cases of each node and class, and those of each node."""
    weighted: NDArray[np.float64] = cases * class_weight
    sizes = weighted.sum(axis=1, keepdims=True)
    if not sizes.all():
        # Where only classes of weight zero occur, their cases count as any other.
        weighted = np.where(sizes == 0, _weight_of_a_case(cases, class_weight) * cases, weighted)
        sizes = weighted.sum(axis=1, keepdims=True)
    return weighted, sizes


def _weight_of_a_case(cases: NDArray[np.float64], class_weight: NDArray[np.float64]) -> float:
    """What the root's cases weigh on average: only ratios of class weights are to count."""
    total = float((cases[0] * class_weight).sum())
    return total / float(cases[0].sum()) if total > 0 else 1.0
