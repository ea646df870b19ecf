"""Smaller trees inside a grown one: the best of a given size, or by complexity penalty."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from bsnsing.tree.children import check_children
from bsnsing.tree.tree import Tree, select_nodes

# Marks the nodes of a tree that must not become leaves.
Held: TypeAlias = Callable[[Tree], NDArray[np.bool_]]


def prune(
    tree: Tree, alpha: float, max_leaf_nodes: int | None = None, held: Held | None = None
) -> Tree:
    """Return the best subtree for a penalty per leaf and, of it, the best of a number of leaves.

    Nodes that ``held`` marks keep their rules, as far as the number of leaves allows.
    """
    if alpha <= 0 and max_leaf_nodes is None:
        return tree
    check_children(tree.children_left, tree.children_right)
    pruned = prune_by_cost(tree, alpha, held)
    return pruned if max_leaf_nodes is None else best_subtree(pruned, max_leaf_nodes, held)


def best_subtree(tree: Tree, max_leaf_nodes: int, held: Held | None = None) -> Tree:
    """Return the subtree with the same root, at most that many leaves and the least impurity.

    Exact: over all such subtrees, the sum over leaves of cases times impurity is least.
    Ties go to fewer leaves.
    """
    if tree.n_leaves <= max_leaf_nodes:
        return tree
    return keep_nodes(tree, _best_leaves(tree, max_leaf_nodes, held))


def prune_by_cost(tree: Tree, alpha: float, held: Held | None = None) -> Tree:
    """Return the subtree of least impurity plus ``alpha`` for each leaf.

    Exact over all subtrees with the same root; ties go to fewer leaves. Impurity and ``alpha``
    are per case, as in scikit-learn.
    """
    return tree if alpha <= 0 else keep_nodes(tree, leaves_by_cost(tree, alpha, held))


def leaves_by_cost(tree: Tree, alpha: float, held: Held | None = None) -> NDArray[np.bool_]:
    """Mark where the subtree of least impurity plus ``alpha`` per leaf ends.

    Nodes below a marked one may be marked too.
    """
    return tree.is_leaf if alpha <= 0 else _least_costs(tree, alpha, held)[1]


def least_cost(
    tree: Tree, alpha: float, max_leaf_nodes: int | None = None, held: Held | None = None
) -> float:
    """Return the impurity per case of :func:`prune`'s subtree, plus ``alpha`` for each leaf."""
    if alpha > 0 and max_leaf_nodes is None:
        return float(_least_costs(tree, alpha, held)[0])
    kept = prune(tree, alpha, max_leaf_nodes, held)
    return float(impurity_per_case(kept)[kept.is_leaf].sum()) + alpha * kept.n_leaves


def _least_costs(tree: Tree, alpha: float, held: Held | None) -> tuple[float, NDArray[np.bool_]]:
    """The least impurity plus ``alpha`` per leaf of all subtrees, and where the best one ends."""
    inner = np.flatnonzero(~tree.is_leaf)
    is_held = np.zeros(tree.n_nodes, dtype=bool) if held is None else held(tree)
    impurity = impurity_per_case(tree)
    # In Python's numbers: one by one, those of arrays cost more.
    cost, dust = (impurity + alpha).tolist(), 1e-12 * float(impurity[0])
    left, right = tree.children_left.tolist(), tree.children_right.tolist()
    is_leaf = np.ones(tree.n_nodes, dtype=bool)
    for v in reversed(inner.tolist()):  # children come after their parents
        below = cost[left[v]] + cost[right[v]]
        # Sums are rounded: a split that saves nothing but dust is not worth its leaf.
        if is_held[v] or below < cost[v] - dust:
            cost[v], is_leaf[v] = below, False
    return cost[0], is_leaf


@dataclass(frozen=True, slots=True)
class PruningPath:
    """The subtrees that some penalty per leaf makes best, from the whole tree to its root."""

    ccp_alphas: NDArray[np.float64]  # the least penalty that makes each subtree the best
    impurities: NDArray[np.float64]  # sum over its leaves, per case
    n_leaves: NDArray[np.int64]


def pruning_path(tree: Tree) -> PruningPath:
    """Return every penalty at which the best subtree changes (weakest-link pruning)."""
    check_children(tree.children_left, tree.children_right)
    impurity = impurity_per_case(tree)
    below, n_leaves = impurity.copy(), np.ones(tree.n_nodes, dtype=np.int64)
    inner = np.flatnonzero(~tree.is_leaf)
    for v in reversed(inner):
        children = [tree.children_left[v], tree.children_right[v]]
        below[v], n_leaves[v] = below[children].sum(), n_leaves[children].sum()
    is_inner = ~tree.is_leaf
    parent = tree.parent
    steps = [(0.0, below[0], n_leaves[0])]
    while is_inner[0]:
        nodes = np.flatnonzero(is_inner)
        saved = (impurity[nodes] - below[nodes]) / (n_leaves[nodes] - 1)
        weakest = saved.min()
        for v in nodes[saved <= weakest + 1e-12 * impurity[0]]:
            if is_inner[v]:
                _cut_off(tree, v, impurity[v], (below, n_leaves, is_inner), parent)
        steps.append((max(float(weakest), steps[-1][0]), below[0], n_leaves[0]))
    if len(steps) > 1 and steps[1][0] <= 0:
        del steps[0]  # splits that save nothing go for free
    alphas, impurities, sizes = zip(*steps, strict=True)
    return PruningPath(np.array(alphas), np.array(impurities), np.array(sizes))


def _cut_off(
    tree: Tree,
    v: int,
    own: float,
    state: tuple[NDArray[np.float64], NDArray[np.int64], NDArray[np.bool_]],
    parent: NDArray[np.intp],
) -> None:
    """Make v a leaf, and tell the nodes above what that changes."""
    below, n_leaves, is_inner = state
    more, fewer = own - below[v], n_leaves[v] - 1
    gone = [int(v)]
    while gone:
        node = gone.pop()
        if is_inner[node]:
            is_inner[node] = False
            gone += [int(tree.children_left[node]), int(tree.children_right[node])]
    while v >= 0:
        below[v] += more
        n_leaves[v] -= fewer
        v = int(parent[v])


def impurity_per_case(tree: Tree) -> NDArray[np.float64]:
    """Return each node's impurity times its share of all cases, as scikit-learn counts it."""
    return tree.impurity / max(float(tree.weighted_cases[0]), 1e-300)


def bypass_small_children(
    tree: Tree, n_cases: NDArray[np.float64], min_samples_leaf: float
) -> Tree:
    """Return the tree without the splits that leave some child with fewer cases than that.

    ``n_cases`` are those of each node. The larger child takes the place of such a node. Rows of the
    smaller one then go on where the others go, so cases have to be counted anew, and what was
    proven of the larger child's cases no longer is.
    """
    is_large = n_cases >= min_samples_leaf * (1 - 1e-9)
    if is_large[1:].all():
        return tree
    left, right = tree.children_left.copy(), tree.children_right.copy()
    place = np.arange(tree.n_nodes)  # the node that takes each one's place
    for v in reversed(np.flatnonzero(~tree.is_leaf)):
        yes, no = tree.children_left[v], tree.children_right[v]
        if is_large[yes] and is_large[no]:
            left[v], right[v] = place[yes], place[no]
        elif is_large[yes] or is_large[no]:
            place[v] = place[yes] if is_large[yes] else place[no]
        else:
            left[v] = right[v] = -1
    return select_nodes(tree, int(place[0]), left, right)


def _best_leaves(tree: Tree, max_leaf_nodes: int, held: Held | None = None) -> NDArray[np.bool_]:
    """Mark the nodes that are leaves of the best subtree, by dynamic programming from below.

    ``cost[v][k]`` is the least impurity of a subtree at v with at most k + 1 leaves, and
    ``share[v][k]`` how many of them its left child gets (0: v itself is the leaf).
    """
    impurity = tree.impurity
    if held is not None:  # dearer than any subtree, so that only too few leaves make it one
        impurity = np.where(held(tree), 1e6 * (1 + impurity[0]), impurity)
    cost: list[NDArray[np.float64]] = [_NO_COSTS] * tree.n_nodes
    share: list[NDArray[np.signedinteger[Any]]] = [_NO_SHARES] * tree.n_nodes
    share_type = np.min_scalar_type(-max_leaf_nodes)  # there are leaves * max_leaf_nodes of them
    for v in reversed(range(tree.n_nodes)):  # children come after their parents
        left, right = tree.children_left[v], tree.children_right[v]
        if left < 0:
            cost[v], share[v] = impurity[v : v + 1], np.zeros(1, dtype=share_type)
            continue
        costs, shares = _joined(cost[left], cost[right], impurity[v], max_leaf_nodes)
        # "At most": more room never costs more.
        least = np.minimum.accumulate(costs)
        shares[1:][least[:-1] <= costs[1:]] = -1
        cost[v], share[v] = least, shares.astype(share_type)
        cost[left] = cost[right] = _NO_COSTS  # their parent alone asks
    return _collect_leaves(tree, share, max_leaf_nodes)


_NO_COSTS = np.empty(0)
_NO_SHARES = np.empty(0, dtype=np.int8)


def _joined(
    left: NDArray[np.float64], right: NDArray[np.float64], own: float, max_leaf_nodes: int
) -> tuple[NDArray[np.float64], NDArray[np.intp]]:
    """Return the least cost of each number of leaves, and how many of them the left child gets.

    All sizes of the larger child are tried at once for each size of the smaller one, so that the
    loops over a whole tree take at most leaves * log(leaves) rounds. Of equals the one with the
    fewest leaves on the left is kept, whichever child is the smaller.
    """
    n_most = min(max_leaf_nodes, len(left) + len(right))
    costs, shares = np.full(n_most, own), np.zeros(n_most, dtype=np.intp)
    # Fewest on the left first: of a given number of leaves, that is most on the right.
    is_left_small = len(left) <= len(right)
    small, large = (left, right) if is_left_small else (right, left)
    sizes = range(1, len(small) + 1) if is_left_small else range(len(small), 0, -1)
    for n_small in sizes:
        n_large = min(len(large), n_most - n_small)
        if n_large < 1:
            continue
        total = small[n_small - 1] + large[:n_large]
        held = costs[n_small : n_small + n_large]  # views: what is better is written in place
        is_better = total < held - 1e-12 * (1 + np.abs(held))
        n_left = n_small if is_left_small else np.arange(1, n_large + 1)
        np.copyto(shares[n_small : n_small + n_large], n_left, where=is_better)
        np.copyto(held, total, where=is_better)
    return costs, shares


def _collect_leaves(
    tree: Tree, share: list[NDArray[np.signedinteger[Any]]], max_leaf_nodes: int
) -> NDArray[np.bool_]:
    is_leaf = np.zeros(tree.n_nodes, dtype=bool)
    waiting = [(0, max_leaf_nodes)]
    while waiting:
        v, n_leaves = waiting.pop()
        k = min(n_leaves, len(share[v])) - 1
        while share[v][k] < 0:  # fewer leaves are as good
            k -= 1
        if share[v][k] == 0:
            is_leaf[v] = True
            continue
        n_left = int(share[v][k])
        waiting.append((int(tree.children_left[v]), n_left))
        waiting.append((int(tree.children_right[v]), k + 1 - n_left))
    return is_leaf


def keep_nodes(tree: Tree, is_leaf: NDArray[np.bool_]) -> Tree:
    """Return the tree cut off below the marked nodes, its nodes renumbered in order."""
    left = np.where(is_leaf, -1, tree.children_left)
    right = np.where(is_leaf, -1, tree.children_right)
    return select_nodes(tree, 0, left, right)


def first_marked(tree: Tree, is_leaf: NDArray[np.bool_]) -> NDArray[np.intp]:
    """Per node, the first marked one on the way to it from the root; itself where there is none."""
    first, parent = np.arange(tree.n_nodes), tree.parent
    for v in range(1, tree.n_nodes):  # children come after their parents
        above = first[parent[v]]
        if is_leaf[above]:
            first[v] = above
    return first
