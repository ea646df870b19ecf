"""Smaller trees inside a grown one: the best of a given size, or by complexity penalty."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bsnsing.tree.tree import Tree, select_nodes


def prune(tree: Tree, alpha: float, max_leaf_nodes: int | None = None) -> Tree:
    """Return the best subtree for a penalty per leaf and, of it, the best of a number of leaves."""
    pruned = prune_by_cost(tree, alpha)
    return pruned if max_leaf_nodes is None else best_subtree(pruned, max_leaf_nodes)


def best_subtree(tree: Tree, max_leaf_nodes: int) -> Tree:
    """Return the subtree with the same root, at most that many leaves and the least impurity.

    Exact: over all such subtrees, the sum over leaves of cases times impurity is least.
    Ties go to fewer leaves.
    """
    if tree.n_leaves <= max_leaf_nodes:
        return tree
    return keep_nodes(tree, _best_leaves(tree, max_leaf_nodes))


def prune_by_cost(tree: Tree, alpha: float) -> Tree:
    """Return the subtree of least impurity plus ``alpha`` for each leaf.

    Exact over all subtrees with the same root; ties go to fewer leaves. Impurity and ``alpha``
    are per case, as in scikit-learn.
    """
    return tree if alpha <= 0 else keep_nodes(tree, leaves_by_cost(tree, alpha))


def leaves_by_cost(tree: Tree, alpha: float) -> NDArray[np.bool_]:
    """Mark where the subtree of least impurity plus ``alpha`` per leaf ends.

    Nodes below a marked one may be marked too.
    """
    if alpha <= 0:
        return tree.is_leaf
    impurity = impurity_per_case(tree)
    cost = impurity + alpha
    is_leaf = np.ones(tree.n_nodes, dtype=bool)
    for v in reversed(np.flatnonzero(~tree.is_leaf)):  # children come after their parents
        below = cost[tree.children_left[v]] + cost[tree.children_right[v]]
        # Sums are rounded: a split that saves nothing but dust is not worth its leaf.
        if below < cost[v] - 1e-12 * impurity[0]:
            cost[v], is_leaf[v] = below, False
    return is_leaf


@dataclass(frozen=True, slots=True)
class PruningPath:
    """The subtrees that some penalty per leaf makes best, from the whole tree to its root."""

    ccp_alphas: NDArray[np.float64]  # the least penalty that makes each subtree the best
    impurities: NDArray[np.float64]  # sum over its leaves, per case
    n_leaves: NDArray[np.int64]


def pruning_path(tree: Tree) -> PruningPath:
    """Return every penalty at which the best subtree changes (weakest-link pruning)."""
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


def _best_leaves(tree: Tree, max_leaf_nodes: int) -> NDArray[np.bool_]:
    """Mark the nodes that are leaves of the best subtree, by dynamic programming from below.

    ``cost[v][k]`` is the least impurity of a subtree at v with at most k + 1 leaves, and
    ``share[v][k]`` how many of them its left child gets (0: v itself is the leaf).
    """
    impurity = tree.impurity
    cost: list[NDArray[np.float64]] = [np.empty(0)] * tree.n_nodes
    share: list[NDArray[np.intp]] = [np.empty(0, dtype=np.intp)] * tree.n_nodes
    for v in reversed(range(tree.n_nodes)):  # children come after their parents
        left, right = tree.children_left[v], tree.children_right[v]
        if left < 0:
            cost[v], share[v] = impurity[v : v + 1], np.zeros(1, dtype=np.intp)
            continue
        n_most = min(max_leaf_nodes, len(cost[left]) + len(cost[right]))
        costs, shares = np.full(n_most, impurity[v]), np.zeros(n_most, dtype=np.intp)
        for n_left in range(1, len(cost[left]) + 1):
            n_right = np.arange(1, min(len(cost[right]), n_most - n_left) + 1)
            if len(n_right) == 0:
                break
            total = cost[left][n_left - 1] + cost[right][n_right - 1]
            place = n_left + n_right - 1
            is_better = total < costs[place] - 1e-12 * (1 + abs(costs[place]))
            costs[place[is_better]] = total[is_better]
            shares[place[is_better]] = n_left
        # "At most": more room never costs more.
        for k in range(1, n_most):
            if costs[k - 1] <= costs[k]:
                costs[k], shares[k] = costs[k - 1], -1
        cost[v], share[v] = costs, shares
    return _collect_leaves(tree, share, max_leaf_nodes)


def _collect_leaves(
    tree: Tree, share: list[NDArray[np.intp]], max_leaf_nodes: int
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
