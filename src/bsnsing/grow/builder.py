"""TreeBuilder: the tree so far, as lists that grow."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bsnsing.data.columns import ColumnInfo
from bsnsing.questions.coded import CodedQuestion
from bsnsing.questions.pair import ColumnPair
from bsnsing.questions.question import OWN
from bsnsing.rules.split import Found
from bsnsing.tree.decide import split_weights
from bsnsing.tree.probabilities import Evidence, Nodes, arrays_from
from bsnsing.tree.tree import Tree, drop_unasked_pairs, origin_arrays, starts_of

# What is said of the rule of a leaf, and of the search where there was none.
_NO_RULE = Found(False, [], [], 0, [], np.nan, np.nan, True, 0.0, 0.0, 0.0)


@dataclass(slots=True)
class OpenNode:
    """A node that may still be split: its place in the tree and in the engine."""

    tree_node: int
    engine_node: int
    depth: int


@dataclass(slots=True)
class TreeBuilder:
    """One entry per node; counts and objectives in the engine's unit of weight."""

    left: list[int] = field(default_factory=list)
    right: list[int] = field(default_factory=list)
    depth: list[int] = field(default_factory=list)
    counts: list[list[float]] = field(default_factory=list)  # cases per class
    found: list[Found | None] = field(default_factory=list)
    is_split: list[bool] = field(default_factory=list)
    # What searches found at nodes whose rule was given.
    best: dict[int, Found] = field(default_factory=dict)
    # Where the questions of nodes came from that ask others than their own.
    origins: dict[int, tuple[str, ...]] = field(default_factory=dict)

    def add_node(self, counts: list[float], depth: int) -> int:
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
        node: OpenNode,
        found: Found,
        children: tuple[int, int],
        origins: tuple[str, ...],
    ) -> list[OpenNode]:
        """Give a node its rule and two children; return them as open nodes."""
        if origins:
            self.origins[node.tree_node] = origins
        depth = node.depth + 1
        rest = [
            n - n_left for n, n_left in zip(self.counts[node.tree_node], found.left, strict=True)
        ]
        left = OpenNode(self.add_node(found.left, depth), children[0], depth)
        right = OpenNode(self.add_node(rest, depth), children[1], depth)
        self.left[node.tree_node], self.right[node.tree_node] = left.tree_node, right.tree_node
        self.is_split[node.tree_node] = True
        return [left, right]

    def graft(self, node: int, subtree: TreeBuilder) -> list[int]:
        """Put a subtree that was grown elsewhere in place of a leaf; return where its nodes are."""
        places = [node, *range(len(self.left), len(self.left) + len(subtree.left) - 1)]
        for own, place in enumerate(places):
            if own > 0:
                self.add_node(subtree.counts[own], subtree.depth[own])
            self.found[place] = subtree.found[own]
            self.is_split[place] = subtree.is_split[own]
        for own, place in enumerate(places):
            if subtree.is_split[own]:
                self.left[place] = places[subtree.left[own]]
                self.right[place] = places[subtree.right[own]]
        self.best |= {places[own]: found for own, found in subtree.best.items()}
        self.origins |= {places[own]: names for own, names in subtree.origins.items()}
        return places

    def in_level_order(self) -> tuple[TreeBuilder, list[int]]:
        """Number the nodes level by level, as they are when all grow here; return the old numbers.

        A subtree that was grafted has its nodes one behind the other.
        """
        order, level = list[int](), [0]
        while level:
            order += level
            inner = [node for node in level if self.is_split[node]]
            level = [child for node in inner for child in (self.left[node], self.right[node])]
        number = {node: i for i, node in enumerate(order)} | {-1: -1}
        renumbered = TreeBuilder(
            [number[self.left[node]] for node in order],
            [number[self.right[node]] for node in order],
            [self.depth[node] for node in order],
            [self.counts[node] for node in order],
            [self.found[node] for node in order],
            [self.is_split[node] for node in order],
            {number[node]: found for node, found in self.best.items()},
            {number[node]: names for node, names in self.origins.items()},
        )
        return renumbered, order

    def finish(
        self,
        *,
        columns: tuple[ColumnInfo, ...],
        pairs: tuple[ColumnPair, ...],
        has_missing: tuple[bool, ...],
        classes: NDArray[Any],
        class_weight: NDArray[np.float64],
        costs: NDArray[np.float64] | None,
        unit: float,
        objective_unit: float,
        shrinkage: float,
    ) -> Tree:
        """Freeze the lists into a tree in the user's unit of weight."""
        searches = [found or _NO_RULE for found in self.found]
        rules = [
            found if split else _NO_RULE
            for found, split in zip(searches, self.is_split, strict=True)
        ]
        questions = [question for rule in rules for question in rule.questions]
        counts = np.array(self.counts)[:, : len(classes)] / unit
        nodes = Nodes(
            left=np.array(self.left, dtype=np.int32),
            right=np.array(self.right, dtype=np.int32),
            depth=np.array(self.depth, dtype=np.int32),
            class_weight=class_weight[: len(classes)],
            split_weight=split_weights(class_weight, costs)[: len(classes)],
        )
        objective = np.array([rule.objective / objective_unit for rule in rules])
        tree = Tree(
            columns=columns,
            pairs=pairs,
            has_missing=has_missing,
            classes=classes,
            class_weight=nodes.class_weight,
            is_taught=False,
            n_synthetic=0,
            children_left=nodes.left,
            children_right=nodes.right,
            depth=nodes.depth,
            counts=counts,
            **arrays_from(nodes, Evidence(counts, counts), shrinkage),
            operator=np.array([rule.operator for rule in rules], dtype=np.uint8),
            objective=objective,
            bound=np.array([rule.bound / objective_unit for rule in rules]),
            optimal=np.array([found.optimal for found in searches]),
            own_objective=objective,
            best_own_objective=self._best_objectives(objective, objective_unit),
            best_own_proven=self._are_proven(rules),
            n_counted=np.array([found.n_counted for found in searches], dtype=np.float64),
            n_excluded=np.array([found.n_excluded for found in searches], dtype=np.float64),
            first_question=starts_of([len(rule.questions) for rule in rules]),
            question_negated=np.array(
                [negated for rule in rules for negated in rule.negated], dtype=np.uint8
            ),
            **_question_arrays(questions),
            **self._origin_arrays(rules),
            costs=costs,
        )
        return drop_unasked_pairs(tree)

    def _origin_arrays(self, rules: Sequence[Found]) -> dict[str, Any]:
        if not self.origins:
            return {}
        names = list[str]()
        for node, rule in enumerate(rules):
            names += self.origins.get(node, (OWN,) * len(rule.questions))
        return origin_arrays(names)

    def _best_objectives(self, objective: NDArray[np.float64], unit: float) -> NDArray[np.float64]:
        best = objective.copy()
        for node, found in self.best.items():
            if found.questions:
                best[node] = min(best[node], found.objective / unit)
        return best

    def _are_proven(self, rules: Sequence[Found]) -> NDArray[np.bool_]:
        proven: NDArray[np.bool_] = np.array([rule.optimal for rule in rules]) & self.is_split
        for node, found in self.best.items():
            proven[node] = found.optimal
        return proven


def _question_arrays(questions: Sequence[CodedQuestion]) -> dict[str, Any]:
    return {
        "question_column": np.array([q[0] for q in questions], dtype=np.int32),
        "question_test": np.array([q[1] for q in questions], dtype=np.uint8),
        "question_value": np.array([q[2] for q in questions], dtype=np.float64),
        "first_level": starts_of([len(q[3]) for q in questions]),
        "levels": np.array([level for q in questions for level in q[3]], dtype=np.int32),
    }
