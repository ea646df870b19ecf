"""finish_nodes(): nodes whose rows fit in one place are grown there, to the end.

The native engine has all rows of such a node, with the bins of the whole table, so that the subtree
is the one that counts from all parts would lead to.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from bsnsing.engine.base import EngineOptions
from bsnsing.engine.coded import CodedEngine
from bsnsing.engine.native import NativeEngine
from bsnsing.engine.parts import Coding, EncodedPart, joined
from bsnsing.engine.scattered import ScatteredEngine
from bsnsing.grow.builder import TreeBuilder
from bsnsing.grow.levels import GrowPlan, grow_levels
from bsnsing.grow.options import GrowOptions
from bsnsing.grow.origins import Origins
from bsnsing.grow.progress import report_finished
from bsnsing.grow.tallies import NodeTallies
from bsnsing.rules.deadline import Deadline
from bsnsing.solvers.native import NativeSolver


@dataclass(frozen=True, slots=True, kw_only=True)
class GrowTask:
    """What is told to who grows nodes to the end."""

    options: GrowOptions
    engine_options: EngineOptions
    class_weight: list[float]
    unit: float
    n_cases: float
    depths: list[int]  # of all nodes
    seconds: float
    tallies: NodeTallies | None


def finish_nodes(
    engine: ScatteredEngine, builder: TreeBuilder, options: GrowOptions, plan: GrowPlan
) -> TreeBuilder:
    """Grow the nodes that were set aside, each in one place, and put their subtrees in."""
    nodes, tracker = plan.set_aside, plan.tracker
    assert tracker is None or isinstance(tracker, NodeTallies)
    weights = plan.class_weight
    n_threads = engine.n_threads
    search = replace(engine.options.search, n_threads=n_threads)
    task = GrowTask(
        # Who makes engines stays here.
        options=replace(options, make_engine=NativeEngine, deadline=Deadline(0.0)),
        engine_options=replace(engine.options, search=search),
        class_weight=weights,
        unit=plan.unit,
        n_cases=sum(n * w for n, w in zip(builder.counts[0], weights, strict=True)),
        depths=[node.depth for node in nodes],
        seconds=options.deadline.left(),
        tallies=None if tracker is None else replace(tracker, sums={}),
    )
    n_cases = sum(builder.counts[0])
    shares = [sum(builder.counts[node.tree_node]) / n_cases for node in nodes]
    done = list[int]()
    report_finished(options.reports_progress, builder, shares, done, plan.unit)
    for positions, subtrees in engine.gathered(
        grow_nodes, [node.engine_node for node in nodes], shares, task=task
    ):
        for position, (subtree, sums) in zip(positions, subtrees, strict=True):
            places = builder.graft(nodes[position].tree_node, subtree)
            if tracker is not None and sums is not None:
                tracker.sums |= {places[own]: found for own, found in sums.items()}
        done += positions
        report_finished(options.reports_progress, builder, shares, done, plan.unit)
    ordered, order = builder.in_level_order()
    if tracker is not None:
        tracker.sums = {i: tracker.sums[node] for i, node in enumerate(order)}
    return ordered


def grow_nodes(
    pieces: Sequence[Sequence[EncodedPart]],
    *,
    positions: Sequence[int],
    coding: Coding,
    task: GrowTask,
) -> list[tuple[TreeBuilder, dict[int, object] | None]]:
    """Grow nodes to the end, each from the pieces that parts have of it."""
    deadline, grown = Deadline(task.seconds), list[tuple[TreeBuilder, dict[int, object] | None]]()
    for i, position in enumerate(positions):
        rows = joined([piece[i] for piece in pieces])
        engine = CodedEngine(rows, coding, task.unit, task.engine_options)
        seconds = deadline.left() / (len(positions) - i)
        tracker = None if task.tallies is None else replace(task.tallies, sums={})
        plan = GrowPlan(
            class_weight=task.class_weight,
            unit=task.unit,
            n_cases=task.n_cases,
            depth=task.depths[position],
            tracker=tracker,
            origins=Origins(task.engine_options.allowed_origins()),
        )
        options = replace(task.options, deadline=Deadline(seconds), reports_progress=False)
        builder = grow_levels(engine, NativeSolver(), options, plan)
        grown.append((builder, None if tracker is None else dict(tracker.sums)))
    return grown
