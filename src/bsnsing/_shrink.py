"""shrunk_shares(): class shares of nodes, drawn towards those above and what a lesson shows."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from bsnsing._tree import Tree

# The root is drawn towards equal shares, as by one case spread over all classes.
_CASES_AT_ROOT = 1.0
# What a lesson shows in a node counts so many times as much as the parent's shares. At the root it
# counts nothing: the cases there say how many there are of each class.
_LESSON = 2.0


def shrunk_shares(tree: Tree, strength: float) -> NDArray[np.float64]:
    """Return each node's class shares, its parent's counting as ``strength`` further cases.

    With n cases of which a share s is of some class, and a parent whose share came out as t, a
    node gets (n s + strength t) / (n + strength): few cases say little against the many above
    them, and no share is 0 or 1. Where a teacher gave a lesson, what that shows in a node below the
    root, by real and made-up rows, counts as further cases in the same way. With strength 0 these
    are the plain shares.
    """
    weighted = tree.weighted_real
    sizes = weighted.sum(axis=1, keepdims=True)
    if strength == 0 and (sizes > 0).all():
        plain: NDArray[np.float64] = weighted / sizes
        return plain
    of_lesson = _LESSON * strength
    strength = max(strength, 1e-9)  # cases too light to be counted leave a node its parent's shares
    shares = np.empty_like(weighted)
    n_classes = weighted.shape[1]
    shares[0] = (weighted[0] + _CASES_AT_ROOT / n_classes) / (sizes[0] + _CASES_AT_ROOT)
    if tree.taught is not None:
        weighted = weighted + of_lesson * _shares_of(tree.weighted)
        sizes = weighted.sum(axis=1, keepdims=True)
    parent = tree.parent
    for depth in range(1, tree.max_depth + 1):  # parents are one level up
        nodes = np.flatnonzero(tree.depth == depth)
        drawn = weighted[nodes] + strength * shares[parent[nodes]]
        shares[nodes] = drawn / (sizes[nodes] + strength)
    return shares


def _shares_of(cases: NDArray[np.float64]) -> NDArray[np.float64]:
    """Class shares of each node; none where it has no cases."""
    sizes = cases.sum(axis=1, keepdims=True)
    shares: NDArray[np.float64] = cases / np.where(sizes > 0, sizes, 1.0)
    return shares
