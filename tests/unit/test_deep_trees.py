"""Trees of very many levels: text, paths and subtrees, at a cost as of what comes out."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest
from large_trees import balanced_tree, chain_tree, model_of
from scipy.sparse import csr_matrix

from bsnsing import Tree, export_text
from bsnsing.tree.predict import passed_nodes
from bsnsing.tree.prune import _best_leaves, best_subtree

from .test_prune import random_tree


def test_chain_answers_as_it_is_made() -> None:
    for tree in (chain_tree(7), balanced_tree(7)):
        model = model_of(tree)
        assert model.predict(np.arange(7.0)[:, None]).tolist() == [0, 1, 0, 1, 0, 1, 0]
        assert tree.n_leaves == 7


def test_print_of_a_deep_tree_makes_the_lines_it_shows(monkeypatch: pytest.MonkeyPatch) -> None:
    tree = chain_tree(10_000)
    made: list[int] = []
    node = Tree.node
    monkeypatch.setattr(Tree, "node", lambda self, i: (made.append(i), node(self, i))[1])
    shown = str(model_of(tree)).splitlines()
    assert len(shown) == 101
    assert len(made) == 100
    assert shown[-1] == "... and 19899 more lines; export_text(model) writes them all"
    assert max(map(len, shown)) < 250


def test_text_of_a_deep_tree_is_linear_in_its_size() -> None:
    short, long = (len(export_text(chain_tree(n))) for n in (1000, 4000))
    assert long < 4.5 * short


def test_indentation_begins_anew_behind_the_depth_it_begins_at() -> None:
    tree = chain_tree(80)
    lines = export_text(tree, show_numbers=True).splitlines()
    assert lines[0] == "#0 x0 > 0.5 ?"
    assert lines[1] == "  yes: #2 x0 > 1.5 ?"
    assert lines[25] == "  " + 7 * 24 * " " + "yes: #50 x0 > 25.5 ?"
    assert lines[26] == "[depth 26]  yes: #52 x0 > 26.5 ?"
    assert lines[51].startswith("[depth 51]  yes: #102 ")
    assert len(lines) == tree.n_nodes
    for line in lines:  # mark and indentation tell the depth of every node
        found = re.match(r"(?:\[depth (\d+)\])?( *)(?:yes:|no: )? ?#(\d+) ", line)
        assert found is not None
        spaces = len(found[2]) - 2
        depth = 0 if spaces < 0 else int(found[1] or 1) + spaces // 7
        assert depth == tree.depth[int(found[3])]


def plain_path(tree: Tree, node: int) -> list[int]:
    path = [node]
    while tree.parent[path[0]] >= 0:
        path.insert(0, int(tree.parent[path[0]]))
    return path


@pytest.mark.parametrize("tree", [chain_tree(40), balanced_tree(33), chain_tree(1)], ids=str)
def test_passed_nodes_are_those_of_the_plain_way(tree: Tree) -> None:
    random = np.random.default_rng(0)
    ends = random.integers(0, tree.n_nodes, 200)  # of rows that met an unknown, inner nodes too
    found = passed_nodes(tree, ends)
    assert isinstance(found, csr_matrix)
    assert found.shape == (200, tree.n_nodes)
    assert found.has_sorted_indices
    assert (found.data == 1).all()
    for row, end in enumerate(ends):
        own = found.indices[found.indptr[row] : found.indptr[row + 1]]
        assert own.tolist() == plain_path(tree, int(end))
    assert passed_nodes(tree, ends[:0]).shape == (0, tree.n_nodes)


def plain_best_leaves(tree: Tree, max_leaf_nodes: int) -> list[int]:
    """The dynamic program as it is written on paper: every size of every left child in turn."""
    costs: dict[int, list[float]] = {}
    shares: dict[int, list[int]] = {}
    for v in reversed(range(tree.n_nodes)):
        left, right = int(tree.children_left[v]), int(tree.children_right[v])
        if left < 0:
            costs[v], shares[v] = [float(tree.impurity[v])], [0]
            continue
        n_most = min(max_leaf_nodes, len(costs[left]) + len(costs[right]))
        cost, share = [float(tree.impurity[v])] * n_most, [0] * n_most
        for n_left, of_left in enumerate(costs[left], start=1):
            for n_right, of_right in enumerate(costs[right], start=1):
                k = n_left + n_right - 1
                if k < n_most and of_left + of_right < cost[k] - 1e-12 * (1 + abs(cost[k])):
                    cost[k], share[k] = of_left + of_right, n_left
        for k in range(1, n_most):
            if cost[k - 1] <= cost[k]:
                cost[k], share[k] = cost[k - 1], -1
        costs[v], shares[v] = cost, share
    found, waiting = [], [(0, max_leaf_nodes)]
    while waiting:
        v, n_leaves = waiting.pop()
        k = min(n_leaves, len(shares[v])) - 1
        while shares[v][k] < 0:
            k -= 1
        if (n_left := shares[v][k]) == 0:
            found.append(v)
        else:
            waiting += [(int(tree.children_left[v]), n_left)]
            waiting += [(int(tree.children_right[v]), k + 1 - n_left)]
    return sorted(found)


@pytest.mark.parametrize("most_cases", [2, 30], ids=["ties", "no ties"])
@pytest.mark.parametrize("seed", range(8))
def test_best_subtree_is_the_one_of_the_plain_program(seed: int, most_cases: int) -> None:
    tree = random_tree(seed, 40, most_cases)
    for most in (1, 2, 3, 7, 13, 20, 39):
        found = np.flatnonzero(_best_leaves(tree, most)).tolist()
        assert found == plain_best_leaves(tree, most)


@pytest.mark.parametrize("make", [chain_tree, balanced_tree])
def test_best_subtree_of_a_large_tree(make: Any) -> None:
    tree = make(600)
    assert plain_best_leaves(tree, 150) == np.flatnonzero(_best_leaves(tree, 150)).tolist()
    assert best_subtree(tree, 150).n_leaves <= 150
