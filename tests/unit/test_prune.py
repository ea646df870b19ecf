"""Subtrees of trees made by hand, against trying all of them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields
from itertools import product

import numpy as np
import pytest

from bsnsing import Tree
from bsnsing.data.columns import ColumnInfo
from bsnsing.tree.probabilities import Evidence, with_evidence
from bsnsing.tree.prune import (
    best_subtree,
    bypass_small_children,
    first_marked,
    impurity_per_case,
    keep_nodes,
    leaves_by_cost,
    prune_by_cost,
    pruning_path,
)
from bsnsing.tree.tree import select_nodes

COLUMN = ColumnInfo("c", "categorical", tuple("abcdefghij"))


def depths(left: list[int], right: list[int]) -> np.ndarray:
    depth = np.zeros(len(left), dtype=np.int32)
    for v, children in enumerate(zip(left, right, strict=True)):
        if children[0] >= 0:
            depth[list(children)] = depth[v] + 1
    return depth


def random_tree(seed: int, n_leaves: int, most_cases: int) -> Tree:
    """Split random leaves until there are enough; node v asks ``v % 3`` questions more than one."""
    rng = np.random.default_rng(seed)
    left, right = [-1], [-1]
    counts = {}
    while left.count(-1) < n_leaves:
        node = rng.choice(np.flatnonzero(np.array(left) < 0))
        left[node], right[node] = len(left), len(left) + 1
        left += [-1, -1]
        right += [-1, -1]
    for v in reversed(range(len(left))):
        is_leaf = left[v] < 0
        counts[v] = (
            rng.integers(0, most_cases, 3) + (np.arange(3) == v % 3)
            if is_leaf
            else counts[left[v]] + counts[right[v]]
        )
    n_nodes = len(left)
    n_questions = [0 if left[v] < 0 else 1 + v % 3 for v in range(n_nodes)]
    owner = np.repeat(np.arange(n_nodes), n_questions)
    n_levels = 1 + owner % 4
    tree = Tree(
        columns=(COLUMN,),
        pairs=(),
        has_missing=(False,),
        classes=np.array(["p", "q", "r"]),
        class_weight=np.array([1.0, 2.0, 1.0]),
        is_taught=False,
        n_synthetic=0,
        children_left=np.array(left, dtype=np.int32),
        children_right=np.array(right, dtype=np.int32),
        depth=depths(left, right),
        counts=np.array([counts[v] for v in range(n_nodes)], dtype=float),
        value=np.zeros((n_nodes, 3)),
        impurity=np.zeros(n_nodes),
        weighted_cases=np.zeros(n_nodes),
        operator=np.array([v % 2 for v in range(n_nodes)], dtype=np.uint8),
        objective=np.arange(n_nodes, dtype=float),
        bound=np.arange(n_nodes, dtype=float),
        optimal=np.ones(n_nodes, dtype=bool),
        own_objective=np.arange(n_nodes, dtype=float),
        best_own_objective=np.arange(n_nodes, dtype=float),
        best_own_proven=np.array(left) >= 0,
        n_counted=np.arange(n_nodes, dtype=float),
        n_excluded=np.arange(n_nodes, dtype=float),
        first_question=np.concatenate([[0], np.cumsum(n_questions)]).astype(np.int32),
        question_column=np.zeros(len(owner), dtype=np.int32),
        question_test=np.full(len(owner), 3, dtype=np.uint8),  # in
        question_value=np.zeros(len(owner)),
        question_negated=(owner % 2).astype(np.uint8),
        first_level=np.concatenate([[0], np.cumsum(n_levels)]).astype(np.int32),
        levels=np.concatenate([np.arange(n) for n in n_levels]).astype(np.int32),
    )
    return with_evidence(tree, Evidence(tree.counts, tree.counts), 0.0)


def all_subtrees(tree: Tree, node: int = 0) -> Iterator[tuple[int, ...]]:
    yield (node,)
    if tree.children_left[node] >= 0:
        children = int(tree.children_left[node]), int(tree.children_right[node])
        for pair in product(*(all_subtrees(tree, child) for child in children)):
            yield pair[0] + pair[1]


def total_impurity(tree: Tree) -> float:
    return float(tree.impurity[tree.is_leaf].sum())


@pytest.mark.parametrize("most_cases", [2, 30], ids=["ties", "no ties"])
@pytest.mark.parametrize("seed", range(12))
def test_no_subtree_is_better(seed: int, most_cases: int) -> None:
    tree = random_tree(seed, 9, most_cases)
    impurity = tree.impurity
    subtrees = [(len(s), impurity[list(s)].sum()) for s in all_subtrees(tree)]
    for most in range(1, 11):
        found = best_subtree(tree, most)
        least = min(cost for size, cost in subtrees if size <= most)
        assert total_impurity(found) == pytest.approx(least, abs=1e-9)
        assert found.n_leaves <= most
        if most < 9:
            fewest = min(size for size, cost in subtrees if cost <= least + 1e-9)
            assert found.n_leaves == fewest


def test_impurity_is_cases_times_gini() -> None:
    tree = random_tree(0, 3, 10)
    for v, impurity in enumerate(tree.impurity):
        n = tree.counts[v] * [1, 2, 1]
        assert tree.weighted_cases[v] == n.sum()
        assert impurity_per_case(tree)[v] == impurity / tree.weighted_cases[0]
        assert impurity == pytest.approx(n.sum() * (1 - ((n / n.sum()) ** 2).sum()))


def test_small_trees_stay_as_they_are() -> None:
    tree = random_tree(1, 5, 10)
    assert best_subtree(tree, 5) is tree
    assert best_subtree(tree, 99) is tree


@pytest.mark.parametrize("seed", range(5))
def test_kept_nodes_keep_what_is_theirs(seed: int) -> None:
    tree = random_tree(seed, 12, 10)
    cut = np.zeros(tree.n_nodes, dtype=bool)
    cut[np.random.default_rng(seed).choice(np.flatnonzero(~tree.is_leaf)[1:], 2)] = True
    pruned = keep_nodes(tree, cut)
    pairs = [(0, 0)]
    for old, new in pairs:  # grows while it is walked
        assert pruned.counts[new].tolist() == tree.counts[old].tolist()
        if tree.is_leaf[old] or cut[old]:
            assert pruned.is_leaf[new]
            assert pruned.rules[new] is None
            assert np.isnan(pruned.objective[new])
        else:
            assert pruned.rules[new] == tree.rules[old]
            assert pruned.objective[new] == tree.objective[old]
            assert min(pruned.children_left[new], pruned.children_right[new]) > new
            pairs.append((tree.children_left[old], pruned.children_left[new]))
            pairs.append((tree.children_right[old], pruned.children_right[new]))
    assert len(pairs) == pruned.n_nodes < tree.n_nodes
    assert len(pruned.levels) == pruned.first_level[-1]


def arrays_of(tree: Tree, kind: str) -> dict[str, np.ndarray]:
    """The arrays that are declared as having an entry per node, or per question."""
    declared = [f.name for f in fields(tree) if str(f.type).startswith(kind)]
    return {name: getattr(tree, name) for name in declared}


def test_every_array_has_an_entry_per_node_or_per_question_or_is_known_to_have_none() -> None:
    tree = random_tree(0, 12, 10)
    others = {"classes", "class_weight", "first_question", "first_level", "levels"}
    arrays = {f.name for f in fields(tree) if isinstance(getattr(tree, f.name), np.ndarray)}
    assert arrays == others | set(arrays_of(tree, "PerNode")) | set(arrays_of(tree, "PerQuestion"))
    assert {len(array) for array in arrays_of(tree, "PerNode").values()} == {tree.n_nodes}
    assert {len(array) for array in arrays_of(tree, "PerQuestion").values()} == {tree.n_questions}


@pytest.mark.parametrize("seed", range(5))
def test_selected_nodes_take_all_their_arrays_along(seed: int) -> None:
    tree = random_tree(seed, 12, 10)
    root = int(tree.children_right[0] if tree.is_leaf[1] else tree.children_left[0])
    cut = np.flatnonzero(~tree.is_leaf)[-1]
    left, right = tree.children_left.copy(), tree.children_right.copy()
    left[cut] = right[cut] = -1
    selected = select_nodes(tree, root, left, right)
    kept = [root]
    for v in kept:  # grows while it is walked
        kept += [int(child) for child in (left[v], right[v]) if child >= 0]
    kept.sort()
    assert 0 < selected.n_nodes == len(kept) < tree.n_nodes
    renumbered = {"children_left", "children_right", "depth"}
    # A leaf has none.
    of_rules = {"objective", "bound", "own_objective", "best_own_objective"}
    empty = dict.fromkeys(of_rules, np.nan) | {"operator": 0, "best_own_proven": False}
    for name, array in arrays_of(selected, "PerNode").items():
        expected = getattr(tree, name)[kept]
        assert array.shape == expected.shape, name
        assert array.dtype == expected.dtype, name
        if name in empty:
            expected = np.where(selected.is_leaf, empty[name], expected)
        if name not in renumbered:
            np.testing.assert_array_equal(array, expected, err_msg=name)
    asked = [
        question
        for v in kept
        if left[v] >= 0
        for question in range(tree.first_question[v], tree.first_question[v + 1])
    ]
    assert selected.first_question[-1] == selected.n_questions == len(asked)
    for name, array in arrays_of(selected, "PerQuestion").items():
        np.testing.assert_array_equal(array, getattr(tree, name)[asked], err_msg=name)
        assert array.dtype == getattr(tree, name).dtype, name
    for new, old in enumerate(asked):
        assert selected.coded_question(new) == tree.coded_question(old)


@pytest.mark.parametrize("seed", range(12))
def test_marked_nodes_end_the_paths_of_the_pruned_tree(seed: int) -> None:
    """Below a marked node all is cut off, marked or not."""
    tree = random_tree(seed, 12, 30)
    for alpha in (0.0, 0.003, 0.01, 0.03):
        is_leaf = leaves_by_cost(tree, alpha)
        pruned = prune_by_cost(tree, alpha)
        kept = np.flatnonzero(first_marked(tree, is_leaf) == np.arange(tree.n_nodes))
        np.testing.assert_array_equal(tree.counts[kept], pruned.counts)
        np.testing.assert_array_equal(is_leaf[kept], pruned.is_leaf)
        ends = first_marked(tree, is_leaf)
        for v in range(tree.n_nodes):
            above = [v]
            while tree.parent[above[-1]] >= 0:
                above.append(int(tree.parent[above[-1]]))
            marked = [u for u in reversed(above) if is_leaf[u]]
            assert ends[v] == (marked[0] if marked else v)


@pytest.mark.parametrize("most_cases", [2, 30], ids=["ties", "no ties"])
@pytest.mark.parametrize("seed", range(12))
def test_no_subtree_is_better_for_the_price(seed: int, most_cases: int) -> None:
    tree = random_tree(seed, 9, most_cases)
    impurity = impurity_per_case(tree)
    subtrees = [(len(s), impurity[list(s)].sum()) for s in all_subtrees(tree)]
    for alpha in (1e-4, 0.001, 0.003, 0.01, 0.03, 0.1):
        found = prune_by_cost(tree, alpha)
        cost = impurity_per_case(found)[found.is_leaf].sum() + alpha * found.n_leaves
        least = min(c + alpha * size for size, c in subtrees)
        assert cost == pytest.approx(least, abs=1e-9)
        assert found.n_leaves == min(s for s, c in subtrees if c + alpha * s <= least + 1e-12)


@pytest.mark.parametrize("seed", range(12))
def test_the_path_has_every_change_of_the_best_subtree(seed: int) -> None:
    tree = random_tree(seed, 9, 30)
    impurity = impurity_per_case(tree)
    subtrees = [(len(s), impurity[list(s)].sum()) for s in all_subtrees(tree)]
    path = pruning_path(tree)
    assert (np.diff(path.ccp_alphas) > 0).all()
    assert (np.diff(path.n_leaves) < 0).all()
    assert path.n_leaves[-1] == 1
    ends = np.append(path.ccp_alphas[1:], path.ccp_alphas[-1] + 1)
    for alpha, n_leaves, cost in zip(
        (path.ccp_alphas + ends) / 2, path.n_leaves, path.impurities, strict=True
    ):
        assert (n_leaves, pytest.approx(cost)) == min(
            subtrees, key=lambda pair: (pair[1] + alpha * pair[0], pair[0])
        )
        assert prune_by_cost(tree, float(alpha)).n_leaves == n_leaves


def test_a_leaf_has_a_path_of_one_step() -> None:
    path = pruning_path(best_subtree(random_tree(0, 3, 10), 1))
    assert path.n_leaves.tolist() == [1]
    assert path.ccp_alphas.tolist() == [0.0]


@pytest.mark.parametrize("seed", range(12))
def test_small_children_are_bypassed(seed: int) -> None:
    tree = random_tree(seed, 12, 10)
    found = bypass_small_children(tree, tree.counts.sum(axis=1), 8)

    def walk(v: int) -> tuple:
        """The tree as it should be, by the definition."""
        yes, no = int(tree.children_left[v]), int(tree.children_right[v])
        if yes < 0 or max(tree.counts[yes].sum(), tree.counts[no].sum()) < 8:
            return (tree.counts[v].tolist(),)
        for small, large in ((yes, no), (no, yes)):
            if tree.counts[small].sum() < 8:
                return walk(large)
        return (tree.counts[v].tolist(), str(tree.rules[v]), walk(yes), walk(no))

    def read(v: int) -> tuple:
        if found.is_leaf[v]:
            return (found.counts[v].tolist(),)
        yes, no = int(found.children_left[v]), int(found.children_right[v])
        assert found.depth[yes] == found.depth[no] == found.depth[v] + 1
        return (found.counts[v].tolist(), str(found.rules[v]), read(yes), read(no))

    assert read(0) == walk(0)
