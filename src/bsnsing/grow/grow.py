"""grow_tree(): open nodes, level by level, until none is worth splitting."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from bsnsing.data.cases import Cases
from bsnsing.engine.base import Engine
from bsnsing.grow.builder import OpenNode, TreeBuilder
from bsnsing.grow.options import GrowOptions
from bsnsing.grow.progress import report, report_level
from bsnsing.grow.rows import RowTracker
from bsnsing.rules.criteria import CRITERIA
from bsnsing.rules.deadline import LEAST_SECONDS
from bsnsing.solvers.base import Solver
from bsnsing.solvers.nodes import make_node_solver
from bsnsing.tree.tree import Tree


def grow_tree(
    cases: Cases,
    classes: NDArray[Any],
    options: GrowOptions,
    tracker: RowTracker | None = None,
) -> Tree:
    """Grow a tree on cases of the given classes, with probabilities from its counts, unpruned.

    When the deadline is over, nodes that were not searched stay leaves, and are not proven.
    """
    n_classes = max(2, len(classes))  # a single class gets an empty partner
    engine_options = options.engine_options(cases.table)
    engine = options.make_engine(cases, n_classes, engine_options)
    solver = make_node_solver(options.solver, engine_options, cases, n_classes)
    given = options.class_weight
    class_weight = np.ones(n_classes) if given is None else given
    unit = cases.weights.unit
    builder = grow_levels(engine, solver, options, class_weight.tolist(), unit, tracker)
    return builder.finish(
        columns=cases.table.info,
        pairs=tuple(engine_options.pairs),
        has_missing=engine.has_missing,
        classes=classes,
        class_weight=class_weight,
        unit=unit,
        objective_unit=unit ** CRITERIA[options.search.criterion].unit_power,
        shrinkage=options.shrinkage,
    )


def grow_levels(
    engine: Engine,
    solver: Solver,
    options: GrowOptions,
    class_weight: list[float],
    unit: float,
    tracker: RowTracker | None = None,
) -> TreeBuilder:
    """Split the open nodes of one level after the other, each by the rule the solver chooses."""
    builder = TreeBuilder()
    root = builder.add_node(engine.class_totals(0), 0)
    n_cases = sum(n * w for n, w in zip(builder.counts[root], class_weight, strict=True))
    stopping = _Stopping(options, class_weight, unit, options.ccp_alpha * n_cases)
    frontier = [OpenNode(root, 0, 0)]
    while frontier:
        if tracker is not None:
            tracker.follow(engine, frontier)
        splittable = stopping.worth_a_search(builder, frontier, tracker)
        if options.reports_progress and splittable:
            nodes = [node.tree_node for node in splittable]
            report_level(builder, splittable[0].depth, nodes, unit)
        seconds = _seconds_for(frontier[0].depth, options)
        if seconds <= 0 and splittable:
            report(options.reports_progress, "time is up: %d nodes stay leaves", len(splittable))
        chosen = solver.choose(engine, [node.engine_node for node in splittable], seconds)
        accepted = []
        for node, found in zip(splittable, chosen, strict=True):
            builder.found[node.tree_node] = found
            if found and found.is_worthwhile:
                accepted.append((node, found))
        children = engine.split(
            [node.engine_node for node, _ in accepted], [found.rule for _, found in accepted]
        )
        opened = [
            child
            for (node, found), pair in zip(accepted, children, strict=True)
            for child in builder.split(node, found, pair)
        ]
        engine.close([n.engine_node for n in frontier if not builder.is_split[n.tree_node]])
        frontier = opened
    return builder


def _seconds_for(level: int, options: GrowOptions) -> float:
    """Seconds for the searches of a level: half of what is left, as there are levels below."""
    left = options.deadline.left()
    seconds = left if level + 1 >= options.max_depth else left / 2
    return max(seconds, LEAST_SECONDS) if level == 0 else seconds  # something to show for it


class _Stopping:
    """Decides which nodes stay leaves without a search."""

    def __init__(
        self, options: GrowOptions, class_weight: list[float], unit: float, least_saved: float
    ) -> None:
        self.max_depth, self.stop_prob = options.max_depth, options.stop_prob
        self.class_weight = class_weight
        self.least_saved = least_saved  # impurity that a split must save to pay for its leaf
        # Sums of fractions are rounded.
        self.least_cases = 2 * (options.search.min_samples_leaf * unit) * (1 - 1e-9)
        self.has_penalty = options.ccp_alpha > 0

    def worth_a_search(
        self, builder: TreeBuilder, frontier: list[OpenNode], tracker: RowTracker | None
    ) -> list[OpenNode]:
        if tracker is None or not self.has_penalty:
            lasting = None
        else:
            lasting = tracker.lasting_impurity(len(builder.left))
        return [
            node
            for node in frontier
            if node.depth < self.max_depth
            and self.may_split(
                builder.counts[node.tree_node], 0.0 if lasting is None else lasting[node.tree_node]
            )
        ]

    def may_split(self, counts: list[float], lasting_impurity: float) -> bool:
        """In Python's numbers, as small arrays cost more."""
        if sum(counts) < self.least_cases:
            return False
        weighted = [n * w for n, w in zip(counts, self.class_weight, strict=True)]
        total = sum(weighted)
        if total <= 0 or max(weighted) > self.stop_prob * total or sum(n > 0 for n in counts) < 2:
            return False
        # With less impurity no subtree can save what its leaves cost, so none would be kept.
        least_impurity = self.least_saved + lasting_impurity
        return total - sum(w * w for w in weighted) / total >= least_impurity
