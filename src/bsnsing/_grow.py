"""grow_tree(): open nodes, level by level, until none is worth splitting."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bsnsing import _core
from bsnsing._questions import Fields
from bsnsing._table import ColumnInfo
from bsnsing._tree import Tree
from bsnsing.solvers import Found, Solver


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """When a node stays a leaf without a search."""

    max_depth: float
    min_leaf: float  # in the engine's unit of weight
    stop_prob: float
    ccp_alpha: float = 0.0  # price of a leaf: impurity per case


@dataclass(slots=True)
class OpenNode:
    """A node that may still be split: its place in the tree and in the engine."""

    tree_node: int
    engine_node: int
    depth: int


@dataclass
class TreeBuilder:
    """The tree so far, as growing lists; one entry per node or per question."""

    class_weight: NDArray[np.float64]
    left: list[int] = field(default_factory=list)
    right: list[int] = field(default_factory=list)
    depth: list[int] = field(default_factory=list)
    counts: list[NDArray[np.float64]] = field(default_factory=list)
    found: list[Found | None] = field(default_factory=list)
    is_split: list[bool] = field(default_factory=list)

    def add_node(self, counts: NDArray[np.float64], depth: int) -> int:
        """Add a leaf and return its number."""
        self.left.append(-1)
        self.right.append(-1)
        self.depth.append(depth)
        self.counts.append(counts)
        self.found.append(None)
        self.is_split.append(False)
        return len(self.left) - 1

    def split(
        self,
        nodes: Sequence[OpenNode],
        found: Sequence[Found],
        children: Sequence[tuple[int, int]],
    ) -> list[OpenNode]:
        """Give nodes of one level their rules and two children each; return those as open nodes."""
        if not nodes:
            return []
        left_counts = np.array([rule.left for rule in found])
        right_counts = self.counts_of(nodes) - left_counts
        opened = []
        for i, node in enumerate(nodes):
            depth = node.depth + 1
            left = OpenNode(self.add_node(left_counts[i], depth), children[i][0], depth)
            right = OpenNode(self.add_node(right_counts[i], depth), children[i][1], depth)
            self.left[node.tree_node], self.right[node.tree_node] = left.tree_node, right.tree_node
            self.is_split[node.tree_node] = True
            opened += [left, right]
        return opened

    def counts_of(self, nodes: Sequence[OpenNode]) -> NDArray[np.float64]:
        """Return the cases per class, one row per node."""
        return np.array([self.counts[node.tree_node] for node in nodes])

    def finish(
        self,
        columns: tuple[ColumnInfo, ...],
        has_missing: tuple[bool, ...],
        classes: NDArray[Any],
        unit: float,
        unit_power: int,
    ) -> Tree:
        """Freeze the lists into a tree, in the user's unit of weight."""
        rules = [
            found if split else None for found, split in zip(self.found, self.is_split, strict=True)
        ]
        questions = [question for rule in rules if rule for question in rule.questions]
        scale = unit**unit_power
        return Tree(
            columns=columns,
            has_missing=has_missing,
            classes=classes,
            class_weight=self.class_weight,
            children_left=np.array(self.left, dtype=np.int32),
            children_right=np.array(self.right, dtype=np.int32),
            depth=np.array(self.depth, dtype=np.int32),
            counts=np.array(self.counts)[:, : len(classes)] / unit,
            operator=np.array([rule.operator if rule else 0 for rule in rules], dtype=np.uint8),
            objective=np.array([rule.objective / scale if rule else np.nan for rule in rules]),
            bound=np.array([rule.bound / scale if rule else np.nan for rule in rules]),
            optimal=np.array([found.optimal if found else True for found in self.found]),
            n_counted=np.array([found.n_counted if found else 0.0 for found in self.found]),
            n_excluded=np.array([found.n_excluded if found else 0.0 for found in self.found]),
            first_question=_starts([len(rule.questions) if rule else 0 for rule in rules]),
            question_negated=np.array(
                [negated for rule in rules if rule for negated in rule.negated], dtype=np.uint8
            ),
            **_question_arrays(questions),
        )


def grow_tree(
    engine: _core.Engine, solver: Solver, limits: Limits, builder: TreeBuilder
) -> TreeBuilder:
    """Split the open nodes of one level after the other, each by the rule the solver chooses."""
    root = builder.add_node(np.asarray(engine.class_totals(0)), 0)
    least_impurity = limits.ccp_alpha * float((builder.counts[root] * builder.class_weight).sum())
    frontier = [OpenNode(root, 0, 0)]
    while frontier:
        splittable = _may_split(frontier, builder, limits, least_impurity)
        chosen = solver.choose(engine, [node.engine_node for node in splittable])
        accepted = []
        for node, found in zip(splittable, chosen, strict=True):
            builder.found[node.tree_node] = found
            if found and found.is_worthwhile:
                accepted.append((node, found))
        nodes, rules = [node for node, _ in accepted], [found for _, found in accepted]
        children = engine.split([node.engine_node for node in nodes])
        opened = builder.split(nodes, rules, children)
        engine.close([n.engine_node for n in frontier if not builder.is_split[n.tree_node]])
        frontier = opened
    return builder


def _may_split(
    frontier: Sequence[OpenNode], builder: TreeBuilder, limits: Limits, least_impurity: float
) -> list[OpenNode]:
    """Return the nodes of a level that are worth a search."""
    if frontier[0].depth >= limits.max_depth:
        return []
    counts = builder.counts_of(frontier)
    weighted = counts * builder.class_weight
    totals = weighted.sum(axis=1)
    impurity = totals - (weighted**2).sum(axis=1) / np.maximum(totals, 1e-300)  # cases times Gini's
    may_split = (
        (counts.sum(axis=1) >= 2 * limits.min_leaf * (1 - 1e-9))  # sums of fractions are rounded
        & (weighted.max(axis=1) <= limits.stop_prob * totals)
        & (np.count_nonzero(counts, axis=1) > 1)
        # No subtree can save more than all of the node's impurity, so none will be kept.
        & (impurity >= least_impurity)
    )
    return [node for node, is_open in zip(frontier, may_split.tolist(), strict=True) if is_open]


def _starts(lengths: Sequence[int]) -> NDArray[np.int32]:
    """Where each of several runs begins, and where the last one ends."""
    return np.concatenate([[0], np.cumsum(lengths)]).astype(np.int32)


def _question_arrays(questions: Sequence[Fields]) -> dict[str, Any]:
    return {
        "question_column": np.array([q[0] for q in questions], dtype=np.int32),
        "question_test": np.array([q[1] for q in questions], dtype=np.uint8),
        "question_value": np.array([q[2] for q in questions], dtype=np.float64),
        "first_level": _starts([len(q[3]) for q in questions]),
        "levels": np.array([level for q in questions for level in q[3]], dtype=np.int32),
    }
