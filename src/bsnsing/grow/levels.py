"""grow_levels(): open nodes, level by level, until none is worth splitting."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field

from bsnsing.engine.base import Engine
from bsnsing.grow.builder import OpenNode, TreeBuilder
from bsnsing.grow.first import FirstRules, beside
from bsnsing.grow.guard import Guard
from bsnsing.grow.options import GrowOptions
from bsnsing.grow.origins import Origins
from bsnsing.grow.progress import report, report_level
from bsnsing.grow.rows import Tracker
from bsnsing.rules.deadline import LEAST_SECONDS
from bsnsing.rules.split import Found
from bsnsing.solvers.base import Solver


@dataclass(frozen=True, slots=True, kw_only=True)
class GrowPlan:
    """What growth goes by besides the options: the whole tree, and where in it growth begins."""

    class_weight: list[float]  # in splits
    unit: float
    n_cases: float | None = None  # weighted cases of the whole tree; None: those that there are
    depth: int = 0
    tracker: Tracker | None = None
    guard: Guard | None = None
    first: FirstRules | None = None
    origins: Origins = field(default_factory=lambda: Origins([]))
    # Whether a node with this share of all cases is to be grown elsewhere, and those that are.
    is_set_aside: Callable[[float], bool] | None = None
    set_aside: list[OpenNode] = field(default_factory=list)


def grow_levels(
    engine: Engine, solver: Solver, options: GrowOptions, plan: GrowPlan
) -> TreeBuilder:
    """Split the open nodes of one level after the other, each by the rule the solver chooses."""
    builder = TreeBuilder()
    tracker, guard, first = plan.tracker, plan.guard, plan.first
    root = builder.add_node(engine.class_totals(0), plan.depth)
    n_cases = plan.n_cases
    if n_cases is None:
        n_cases = sum(n * w for n, w in zip(builder.counts[root], plan.class_weight, strict=True))
    stopping = _Stopping(options, plan.class_weight, plan.unit, options.ccp_alpha * n_cases)
    frontier = [OpenNode(root, 0, plan.depth)]
    while frontier:
        if tracker is not None:
            tracker.follow(engine, frontier)
        splittable = stopping.worth_a_search(builder, frontier, tracker)
        aside = _set_aside(plan, builder, splittable)
        if aside:
            splittable = [node for node in splittable if node.tree_node not in aside]
        given: dict[int, Found] = {}
        if first is not None and frontier[0].depth < options.max_depth:
            given = first.given(engine, frontier)
        if given:
            free = {node.tree_node for node in splittable} - given.keys()
            splittable = [n for n in frontier if n.tree_node in free or n.tree_node in given]
        if options.reports_progress and splittable:
            nodes = [node.tree_node for node in splittable]
            report_level(builder, splittable[0].depth, nodes, plan.unit)
        seconds = _seconds_for(frontier[0].depth, options)
        if seconds <= 0 and splittable:
            report(options.reports_progress, "time is up: %d nodes stay leaves", len(splittable))
        chosen = _choose(solver, engine, builder, splittable, seconds, guard, given)
        accepted = []
        for node, found in zip(splittable, chosen, strict=True):
            builder.found[node.tree_node] = found
            if found and found.is_worthwhile:
                accepted.append((node, found))
        children = engine.split(
            [node.engine_node for node, _ in accepted], [found.rule for _, found in accepted]
        )
        opened = list[OpenNode]()
        for (node, found), pair in zip(accepted, children, strict=True):
            below = builder.split(node, found, pair, plan.origins.of(node.engine_node, found))
            if guard is not None:
                guard.split(node, found, below, builder)
            opened += below
        done = [n for n in frontier if not builder.is_split[n.tree_node]]
        engine.close([n.engine_node for n in done if n.tree_node not in aside])
        frontier = opened
    return builder


def _set_aside(plan: GrowPlan, builder: TreeBuilder, nodes: list[OpenNode]) -> set[int]:
    """Set those nodes aside that are to be grown elsewhere; return their numbers in the tree.

    What is known of whole trees and paths is kept here, and so are the first rules.
    """
    n_first = 0 if plan.first is None else len(plan.first.rules)
    if plan.is_set_aside is None or plan.guard is not None:
        return set()
    n_cases = sum(builder.counts[0])
    small = [
        node
        for node in nodes
        if node.depth >= n_first
        and plan.is_set_aside(sum(builder.counts[node.tree_node]) / n_cases)
    ]
    plan.set_aside.extend(small)
    return {node.tree_node for node in small}


def _choose(
    solver: Solver,
    engine: Engine,
    builder: TreeBuilder,
    nodes: list[OpenNode],
    seconds: float,
    guard: Guard | None,
    given: dict[int, Found],
) -> list[Found | None]:
    """The rule of each node: what was given, beside what a search finds, or what is chosen."""
    if guard is None and not given:
        return solver.choose(engine, [node.engine_node for node in nodes], seconds)
    free = [node for node in nodes if node.tree_node not in given]
    held = [node for node in nodes if node.tree_node in given]
    share = _share(seconds, len(held), len(nodes))
    searched = solver.choose(engine, [node.engine_node for node in held], share)
    rules: dict[int, Found | None] = {}
    for node, best in zip(held, searched, strict=True):
        if best is not None:
            builder.best[node.tree_node] = best
        rules[node.tree_node] = beside(given[node.tree_node], best)
    rest = _share(seconds, len(free), len(nodes))
    if guard is not None:
        chosen = guard.choose(solver, engine, builder, free, rest)
    else:
        chosen = solver.choose(engine, [node.engine_node for node in free], rest)
    rules |= zip((node.tree_node for node in free), chosen, strict=True)
    return [rules[node.tree_node] for node in nodes]


def _share(seconds: float, n_nodes: int, n_all: int) -> float:
    """Seconds for some of the nodes; time without end has no parts."""
    return seconds if math.isinf(seconds) else seconds * n_nodes / max(1, n_all)


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
        self.ccp_alpha = options.ccp_alpha

    def worth_a_search(
        self, builder: TreeBuilder, frontier: list[OpenNode], tracker: Tracker | None
    ) -> list[OpenNode]:
        open_nodes = [
            node
            for node in frontier
            if node.depth < self.max_depth and self.may_split(builder.counts[node.tree_node])
        ]
        if self.ccp_alpha <= 0:
            return open_nodes
        # With less impurity no subtree can save what its leaves cost, so none would be kept.
        if tracker is None:
            return [node for node in open_nodes if self.gini(builder, node) >= self.least_saved]
        saved = tracker.most_saved(len(builder.left))
        return [node for node in open_nodes if saved[node.tree_node] >= self.ccp_alpha]

    def gini(self, builder: TreeBuilder, node: OpenNode) -> float:
        """Cases times Gini impurity of a node."""
        counts = builder.counts[node.tree_node]
        weighted = [n * w for n, w in zip(counts, self.class_weight, strict=True)]
        total = sum(weighted)
        return total - sum(w * w for w in weighted) / total

    def may_split(self, counts: list[float]) -> bool:
        """In Python's numbers, as small arrays cost more."""
        if sum(counts) < self.least_cases:
            return False
        weighted = [n * w for n, w in zip(counts, self.class_weight, strict=True)]
        total = sum(weighted)
        # Counted last, as it takes longest.
        return (
            total > 0
            and max(weighted) <= self.stop_prob * total
            and len([n for n in counts if n > 0]) >= 2
        )
