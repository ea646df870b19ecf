"""The leaf of each complete row, by the TreeEnsemble operator of ai.onnx.ml 5.

In ai.onnx.ml 3 it is TreeEnsembleRegressor, which compares doubles too, but knows no groups.
Nodes ask one question each, and none may have two parents. So rules are unrolled, and what
comes below the answers of a rule is repeated. Large trees are cut into parts, each an operator
that gives the number of the node where a row leaves it.
"""

from __future__ import annotations

import math
from collections import deque
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from bsnsing.export.code.program import CellTest, Program
from bsnsing.export.form import NodeForm, TreeForm
from bsnsing.export.onnx.features import Features
from bsnsing.export.onnx.graph import ML_DOMAIN, ML_OPSET, Graph

LEQ, EQUAL, MEMBER = 0, 4, 6  # modes of nodes
# Nodes of an operator after unrolling; its depth, as runtimes may walk it by recursion.
_LARGEST_PART = 20_000
_DEEPEST_PART = 100


@dataclass(frozen=True, slots=True)
class Branch:
    """One comparison, and the question's answer if it holds. A group is an index of groups."""

    mode: int
    operand: float
    answer: bool


@dataclass(frozen=True, slots=True)
class Chain:
    """A question as comparisons in turn; ``otherwise`` is its answer if none of them holds."""

    feature: int
    branches: tuple[Branch, ...]
    otherwise: bool
    when_missing: bool | None

    @property
    def missing_holds_at(self) -> int:
        """The branch that a missing cell is sent along, -1 for none."""
        if self.when_missing is None or self.when_missing == self.otherwise:
            return -1
        return [branch.answer for branch in self.branches].index(self.when_missing)


def chain_of(program: Program, test: CellTest, features: Features) -> Chain:
    """A question as nodes ask it, with its negation; groups may be columns of their own."""
    feature = features.column[test.cell]
    no, yes = test.negated, not test.negated
    branches: tuple[Branch, ...]
    operands = test.operands
    if test.name == "above":
        branches, otherwise = (Branch(LEQ, operands[0], no),), yes
    elif test.name == "below":
        branches, otherwise = (Branch(LEQ, math.nextafter(operands[0], -math.inf), yes),), no
    elif test.name == "within":
        cuts = []
        for low, high in zip(operands[::2], operands[1::2], strict=True):
            cuts += [Branch(LEQ, math.nextafter(low, -math.inf), no), Branch(LEQ, high, yes)]
        branches, otherwise = tuple(cuts), no
    elif test.name == "blank":
        branches, otherwise = (Branch(LEQ, math.inf, no),), yes
    elif test.name == "among" and features.groups:
        feature = features.groups[test.cell, int(operands[0])]
        branches, otherwise = (Branch(EQUAL, 1.0, yes),), no
    elif test.name == "among" and not program.groups[int(operands[0])]:
        branches, otherwise = (Branch(LEQ, -math.inf, yes),), no
    else:
        mode = MEMBER if test.name == "among" else EQUAL
        branches, otherwise = (Branch(mode, operands[0], yes),), no
    missing = test.when_missing
    return Chain(feature, branches, otherwise, None if missing is None else missing != test.negated)


@dataclass(slots=True)
class _Arrays:
    """The attributes of a TreeEnsemble node."""

    features: list[int] = field(default_factory=list)
    modes: list[int] = field(default_factory=list)
    splits: list[float] = field(default_factory=list)
    tracks: list[int] = field(default_factory=list)
    goes_to: list[list[int]] = field(default_factory=lambda: [[], []])  # if it holds, if not
    is_leaf: list[list[int]] = field(default_factory=lambda: [[], []])
    members: dict[int, int] = field(default_factory=dict)  # group of each node that has one
    leaves: list[int] = field(default_factory=list)

    def add(self, chain: Chain, branch: int) -> int:
        own = chain.branches[branch]
        self.features.append(chain.feature)
        self.modes.append(own.mode)
        self.splits.append(0.0 if own.mode == MEMBER else own.operand)
        self.tracks.append(int(chain.missing_holds_at == branch))
        if own.mode == MEMBER:
            self.members[len(self.modes) - 1] = int(own.operand)
        for lists in (*self.goes_to, *self.is_leaf):
            lists.append(-1)
        return len(self.modes) - 1

    def add_leaf(self, node: int) -> int:
        self.leaves.append(node)
        return len(self.leaves) - 1

    def link(self, place: tuple[int, bool], target: int, *, is_leaf: bool) -> None:
        at, holds = place
        side = 0 if holds else 1
        self.goes_to[side][at] = target
        self.is_leaf[side][at] = int(is_leaf)


def add_walk(graph: Graph, program: Program, tree: TreeForm, features: Features) -> str:
    """Add what gives the number of each row's leaf, of shape (n_rows, 1)."""
    roots, inside = parts_of(program, tree)
    found = ""
    for root in roots:
        arrays = _unrolled(program, tree, root, inside[root], features)
        if graph.ml_opset < ML_OPSET:
            result = _add_regressor(graph, arrays, features.value)
        else:
            result = _add_ensemble(graph, program, arrays, features.value)
        if not found:
            found = result
        else:
            is_here = graph.add("Equal", found, graph.constant(float(root)))
            found = graph.add("Where", is_here, result, found)
    return graph.cast(found, "INT64")


def parts_of(program: Program, tree: TreeForm) -> tuple[list[int], dict[int, set[int]]]:
    """The root of each part, parents first, and the inner nodes that it holds."""
    roots, inside = [0], {}
    for root in roots:  # which grows
        own: set[int] = set()
        waiting, cost = deque([(root, 1, 0)]), 0
        while waiting:
            i, copies, depth = waiting.popleft()
            node = tree.nodes[i]
            n = len(node.questions)
            size = copies * (2**n - 1 if node.operator == "xor" else n)
            if i != root and (cost + size > _LARGEST_PART or depth + n > _DEEPEST_PART):
                roots.append(i)
                continue
            own.add(i)
            cost += size
            for child, times in zip((node.yes, node.no), _copies(node), strict=True):
                if not tree.nodes[child].is_leaf:
                    waiting.append((child, copies * times, depth + n))
        inside[root] = own
    return roots, inside


def _copies(node: NodeForm) -> tuple[int, int]:
    """How often each child is repeated."""
    n = len(node.questions)
    if node.operator == "xor":
        return 2 ** (n - 1), 2 ** (n - 1)
    return (n, 1) if node.operator == "or" else (1, n)


def _unrolled(
    program: Program, tree: TreeForm, root: int, inside: set[int], features: Features
) -> _Arrays:
    arrays = _Arrays()
    chains = {
        i: [chain_of(program, test, features) for test in program.tests(tree.nodes[i])]
        for i in inside
    }
    # Node, how many of its questions are answered, how many of them yes; and where from.
    waiting: list[tuple[int, int, int, tuple[int, bool] | None]] = [(root, 0, 0, None)]
    while waiting:
        i, n_asked, n_yes, parent = waiting.pop()
        if i not in inside:
            assert parent is not None
            arrays.link(parent, arrays.add_leaf(i), is_leaf=True)
            continue
        for place, answer in _add_chain(arrays, chains[i][n_asked], parent):
            target = _next(tree.nodes[i], n_asked, n_yes + answer, answer)
            if target is None:
                waiting.append((i, n_asked + 1, n_yes + answer, place))
            else:
                waiting.append((target, 0, 0, place))
    return arrays


def _add_chain(
    arrays: _Arrays, chain: Chain, parent: tuple[int, bool] | None
) -> list[tuple[tuple[int, bool], bool]]:
    """Add a question's comparisons, and return where each of their answers leads from."""
    ends = []
    for number, branch in enumerate(chain.branches):
        at = arrays.add(chain, number)
        if parent is not None:
            arrays.link(parent, at, is_leaf=False)
        ends.append(((at, True), branch.answer))
        parent = (at, False)
    assert parent is not None
    return [*ends, (parent, chain.otherwise)]


def _next(node: NodeForm, n_asked: int, n_yes: int, answer: bool) -> int | None:
    """The child that is certain after an answer; None where the next question is to be asked."""
    if node.operator == "or" and answer:
        return node.yes
    if node.operator == "and" and not answer:
        return node.no
    if n_asked + 1 < len(node.questions):
        return None
    if node.operator == "xor":
        return node.yes if n_yes % 2 else node.no
    return node.no if node.operator == "or" else node.yes


def _add_ensemble(graph: Graph, program: Program, arrays: _Arrays, features: str) -> str:
    tensor = graph.onnx.numpy_helper.from_array
    attributes: dict[str, Any] = {}
    if arrays.members:
        groups = [
            [*map(float, program.groups[arrays.members[at]]), math.nan]
            for at in sorted(arrays.members)
        ]
        attributes["membership_values"] = tensor(np.concatenate(groups))
    return graph.add(
        "TreeEnsemble",
        features,
        domain=ML_DOMAIN,
        tree_roots=[0],
        n_targets=1,
        aggregate_function=1,
        post_transform=0,
        nodes_featureids=arrays.features,
        nodes_modes=tensor(np.array(arrays.modes, dtype=np.uint8)),
        nodes_splits=tensor(np.array(arrays.splits, dtype=np.float64)),
        nodes_missing_value_tracks_true=arrays.tracks,
        nodes_truenodeids=arrays.goes_to[0],
        nodes_trueleafs=arrays.is_leaf[0],
        nodes_falsenodeids=arrays.goes_to[1],
        nodes_falseleafs=arrays.is_leaf[1],
        leaf_targetids=[0] * len(arrays.leaves),
        leaf_weights=tensor(np.array(arrays.leaves, dtype=np.float64)),
        **attributes,
    )


def _add_regressor(graph: Graph, arrays: _Arrays, features: str) -> str:
    tensor = graph.onnx.numpy_helper.from_array
    n, n_leaves = len(arrays.modes), len(arrays.leaves)
    leaf_numbers = list(range(n, n + n_leaves))
    names = {LEQ: "BRANCH_LEQ", EQUAL: "BRANCH_EQ"}
    children = [
        [to + n * is_leaf for to, is_leaf in zip(goes_to, leafs, strict=True)] + [0] * n_leaves
        for goes_to, leafs in zip(arrays.goes_to, arrays.is_leaf, strict=True)
    ]
    found = graph.add(
        "TreeEnsembleRegressor",
        features,
        domain=ML_DOMAIN,
        n_targets=1,
        aggregate_function="SUM",
        post_transform="NONE",
        nodes_treeids=[0] * (n + n_leaves),
        nodes_nodeids=list(range(n + n_leaves)),
        nodes_featureids=arrays.features + [0] * n_leaves,
        nodes_modes=[names[mode] for mode in arrays.modes] + ["LEAF"] * n_leaves,
        nodes_values_as_tensor=tensor(np.array(arrays.splits + [0.0] * n_leaves)),
        nodes_missing_value_tracks_true=arrays.tracks + [0] * n_leaves,
        nodes_truenodeids=children[0],
        nodes_falsenodeids=children[1],
        target_ids=[0] * n_leaves,
        target_treeids=[0] * n_leaves,
        target_nodeids=leaf_numbers,
        target_weights_as_tensor=tensor(np.array(arrays.leaves, dtype=np.float64)),
    )
    return graph.cast(found, "DOUBLE")  # numbers of nodes, which floats hold exactly
