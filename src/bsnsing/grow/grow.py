"""grow_tree(): a tree from cases, by the engine and the solver that the options name."""

from __future__ import annotations

from typing import Any

from numpy.typing import NDArray

from bsnsing.data.cases import Cases
from bsnsing.grow.first import FirstRules
from bsnsing.grow.guard import guard_of
from bsnsing.grow.levels import GrowPlan, grow_levels
from bsnsing.grow.node_solver import node_solver
from bsnsing.grow.options import GrowOptions
from bsnsing.grow.origins import Origins
from bsnsing.grow.rows import Tracker
from bsnsing.rules.criteria import CRITERIA
from bsnsing.tree.decide import split_weights
from bsnsing.tree.tree import Tree


def grow_tree(
    cases: Cases,
    classes: NDArray[Any],
    options: GrowOptions,
    tracker: Tracker | None = None,
) -> Tree:
    """Grow a tree on cases of the given classes, with probabilities from its counts, unpruned.

    When the deadline is over, nodes that were not searched stay leaves, and are not proven.
    """
    n_classes = max(2, len(classes))  # a single class gets an empty partner
    engine_options = options.engine_options(cases.table)
    engine = options.make_engine(cases, n_classes, engine_options)
    origins = Origins(engine_options.allowed_origins())
    solver = node_solver(options, engine_options, cases, n_classes, origins, options.deadline)
    class_weight = options.weights(n_classes)
    unit = cases.weights.unit
    split_weight = split_weights(class_weight, options.costs).tolist()
    guard = guard_of(options, engine_options, cases, split_weight)
    first = None
    if options.first_rules:
        first = FirstRules(options.first_rules, cases, engine_options)
    scattered = engine.scattered
    plan = GrowPlan(
        class_weight=split_weight,
        unit=unit,
        tracker=tracker,
        guard=guard,
        first=first,
        origins=origins,
        is_set_aside=None if scattered is None else scattered.fits,
    )
    builder = grow_levels(engine, solver, options, plan)
    if scattered is not None and plan.set_aside:
        from bsnsing.grow.finish import finish_nodes  # on request: most tables are in one place

        builder = finish_nodes(scattered, builder, options, plan)
    return builder.finish(
        columns=cases.table.info,
        pairs=tuple(engine_options.pairs),
        has_missing=engine.has_missing,
        classes=classes,
        class_weight=class_weight,
        costs=options.costs,
        unit=unit,
        objective_unit=unit ** CRITERIA[options.search.criterion].unit_power,
        shrinkage=options.shrinkage,
    )
