"""grow_tree(): open nodes, level by level, until none is worth splitting."""

from __future__ import annotations

from collections.abc import Callable, Sequence
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
    counts: list[list[float]] = field(default_factory=list)  # cases per class
    found: list[Found | None] = field(default_factory=list)
    is_split: list[bool] = field(default_factory=list)

    def add_node(self, counts: list[float], depth: int) -> int:
        """Add a leaf and return its number."""
        self.left.append(-1)
        self.right.append(-1)
        self.depth.append(depth)
        self.counts.append(counts)
        self.found.append(None)
        self.is_split.append(False)
        return len(self.left) - 1

    def split(self, node: OpenNode, found: Found, children: tuple[int, int]) -> list[OpenNode]:
        """Give a node its rule and two children; return them as open nodes."""
        depth = node.depth + 1
        rest = [
            n - n_left for n, n_left in zip(self.counts[node.tree_node], found.left, strict=True)
        ]
        left = OpenNode(self.add_node(found.left, depth), children[0], depth)
        right = OpenNode(self.add_node(rest, depth), children[1], depth)
        self.left[node.tree_node], self.right[node.tree_node] = left.tree_node, right.tree_node
        self.is_split[node.tree_node] = True
        return [left, right]

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


# Impurity of each node that no split can save, where there is any.
Floors = Callable[[TreeBuilder], NDArray[np.float64]]


def grow_tree(
    engine: _core.Engine,
    solver: Solver,
    limits: Limits,
    builder: TreeBuilder,
    floors: Floors | None = None,
) -> TreeBuilder:
    """Split the open nodes of one level after the other, each by the rule the solver chooses."""
    class_weight = builder.class_weight.tolist()
    root = builder.add_node(engine.class_totals(0), 0)
    n_cases = sum(n * w for n, w in zip(builder.counts[root], class_weight, strict=True))
    least_saved = limits.ccp_alpha * n_cases
    frontier = [OpenNode(root, 0, 0)]
    while frontier:
        floor = None if floors is None else floors(builder).tolist()
        splittable = [
            node
            for node in frontier
            if node.depth < limits.max_depth
            and _may_split(
                builder.counts[node.tree_node],
                class_weight,
                limits,
                least_saved + (0.0 if floor is None else floor[node.tree_node]),
            )
        ]
        chosen = solver.choose(engine, [node.engine_node for node in splittable])
        accepted = []
        for node, found in zip(splittable, chosen, strict=True):
            builder.found[node.tree_node] = found
            if found and found.is_worthwhile:
                accepted.append((node, found))
        children = engine.split([node.engine_node for node, _ in accepted])
        opened = [
            child
            for (node, found), pair in zip(accepted, children, strict=True)
            for child in builder.split(node, found, pair)
        ]
        engine.close([n.engine_node for n in frontier if not builder.is_split[n.tree_node]])
        frontier = opened
    return builder


def _may_split(
    counts: list[float], class_weight: list[float], limits: Limits, least_impurity: float
) -> bool:
    """Whether a node is worth a search; in plain numbers, as small arrays cost more."""
    if sum(counts) < 2 * limits.min_leaf * (1 - 1e-9):  # sums of fractions are rounded
        return False
    weighted = [n * w for n, w in zip(counts, class_weight, strict=True)]
    total = sum(weighted)
    n_present = sum(n > 0 for n in counts)
    if n_present < 2 or total <= 0 or max(weighted) > limits.stop_prob * total:
        return False
    # With less impurity no subtree can save what its leaves cost, so none would be kept.
    return total - sum(w * w for w in weighted) / total >= least_impurity


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
