"""tree_from_sketch(): given rules on cases, each beside the best rule of its size."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bsnsing.data.cases import Cases
from bsnsing.engine.base import Engine
from bsnsing.grow.builder import OpenNode, TreeBuilder
from bsnsing.grow.first import coded_rule
from bsnsing.grow.guard import Guard, guard_of
from bsnsing.grow.options import GrowOptions
from bsnsing.grow.search_tree import search_tree
from bsnsing.questions.coded import CodedRule, QuestionEncoder
from bsnsing.questions.pair import ColumnPair
from bsnsing.questions.question import USER, Question
from bsnsing.rules.criteria import CRITERIA, objectives_of
from bsnsing.rules.knowledge import NodeLimits
from bsnsing.rules.split import Found
from bsnsing.tree.decide import split_weights
from bsnsing.tree.rule import Rule
from bsnsing.tree.sketch import Sketch
from bsnsing.tree.tree import Tree

# Objectives that differ by less, relatively, are equal: sums are rounded.
_ROUNDING = 1e-11


def tree_from_sketch(
    sketch: Sketch, cases: Cases, classes: NDArray[Any], options: GrowOptions
) -> Tree:
    """Return the tree of these rules, with the counts and probabilities that the cases give it.

    Each rule is compared with the best one of at most as many questions, found by a search: of
    those that keep what the options know of columns, given the rules above and the columns of all
    other nodes.
    """
    asked = replace(options, extra_questions=pair_questions(sketch.rules, options))
    exact = replace(asked, max_bins=None)
    tree, limits = _parted(sketch, cases, classes, exact)
    if asked.max_bins is not None:
        binned, _ = _parted(sketch, cases, classes, asked)
        # Where bins part the cases by these rules as well, the search asks what a fit would.
        exact = asked if np.array_equal(binned.counts, tree.counts) else exact
    return _with_proofs(tree, cases, exact, limits)


def _parted(
    sketch: Sketch, cases: Cases, classes: NDArray[Any], options: GrowOptions
) -> tuple[Tree, dict[int, NodeLimits]]:
    """The tree of the rules, without proofs; and what the rules of each node keep, if anything."""
    n_classes = max(2, len(classes))
    engine_options = options.engine_options(cases.table)
    engine = options.make_engine(cases, n_classes, engine_options)
    class_weight = options.weights(n_classes)
    encoder = QuestionEncoder(cases.table.info, engine_options.pairs)
    rules = [None if rule is None else coded_rule(rule, encoder) for rule in sketch.rules]
    split_weight = split_weights(class_weight, options.costs)
    guard = guard_of(options, engine_options, cases, split_weight.tolist())
    builder, limits = _follow(engine, sketch, rules, split_weight, options.search.criterion, guard)
    unit = cases.weights.unit
    tree = builder.finish(
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
    return tree, limits


def pair_questions(rules: Sequence[Rule | None], options: GrowOptions) -> tuple[Question, ...]:
    """Questions from elsewhere, and those of the rules that are about pairs: engines must know."""
    asked = [question for rule in rules if rule for question in rule.questions]
    about_pairs = [question for question in asked if isinstance(question.column, ColumnPair)]
    return tuple(dict.fromkeys([*options.extra_questions, *about_pairs]))


def _follow(
    engine: Engine,
    sketch: Sketch,
    rules: Sequence[CodedRule | None],
    split_weight: NDArray[np.float64],
    criterion: str,
    guard: Guard | None,
) -> tuple[TreeBuilder, dict[int, NodeLimits]]:
    """Part the cases by the given rules, level by level."""
    builder, limits = TreeBuilder(), dict[int, NodeLimits]()
    builder.add_node(engine.class_totals(0), 0)
    level = [(OpenNode(0, 0, 0), 0)]
    while level:
        parted = [(node, place) for node, place in level if rules[place] is not None]
        own = [rule for _, place in parted if (rule := rules[place]) is not None]
        nodes = [node.engine_node for node, _ in parted]
        counts = engine.rule_counts(nodes, [[rule] for rule in own])
        parts = engine.split(nodes, own)
        below = list[tuple[OpenNode, int]]()
        for (node, place), rule, yes, pair in zip(parted, own, counts, parts, strict=True):
            totals = np.array(builder.counts[node.tree_node])
            left = np.asarray(yes[0], dtype=np.float64)
            objective = float(
                objectives_of(
                    criterion, left[None] * split_weight, (totals - left)[None] * split_weight
                )[0]
            )
            if guard is not None:
                guard.used = _asked_elsewhere(rules, place)
                limits[node.tree_node] = guard.limits_at(node.tree_node, builder)
                objective += _price(rule, limits[node.tree_node])
            found = Found(True, *rule, left.tolist(), objective, np.nan, False, 0.0, 0.0, 0.0)
            builder.found[node.tree_node] = found
            children = builder.split(node, found, pair, _origins(sketch.rules[place]))
            if guard is not None:
                guard.split(node, found, children, builder)
            below += zip(children, (sketch.yes[place], sketch.no[place]), strict=True)
        engine.close([node.engine_node for node, place in level if rules[place] is None])
        level = below
    return builder, limits


def _asked_elsewhere(rules: Sequence[CodedRule | None], place: int) -> set[int]:
    """Columns that the rules of other nodes ask about."""
    others = (rule for i, rule in enumerate(rules) if i != place and rule is not None)
    return {question[0] for rule in others for question in rule.questions}


def _price(rule: CodedRule, limits: NodeLimits) -> float:
    """What the columns of a rule cost that are not paid for above, in the unit of the criterion."""
    if not limits.prices:
        return 0.0
    return sum(limits.prices[column] for column in {question[0] for question in rule.questions})


def _origins(rule: Rule | None) -> tuple[str, ...]:
    """Where the questions of a given rule came from: the user, unless they say."""
    return () if rule is None else tuple(question.origin or USER for question in rule.questions)


def _with_proofs(
    tree: Tree, cases: Cases, options: GrowOptions, limits: Mapping[int, NodeLimits]
) -> Tree:
    """Say of each rule what the best one of its size is."""
    bound, optimal = tree.bound.copy(), tree.is_leaf.copy()
    best, proven = tree.objective.copy(), np.zeros(tree.n_nodes, dtype=bool)
    n_counted, n_excluded = np.zeros(tree.n_nodes), np.zeros(tree.n_nodes)
    n_questions = np.diff(tree.first_question)
    for size in np.unique(n_questions[n_questions > 0]):
        search = replace(options.search, max_rules=int(size))
        own_options = replace(options, search=search)
        found = search_tree(tree, n_questions == size, cases, own_options, options.deadline, limits)
        for v, other in found.items():
            # A rule that leaves fewer cases on one side than allowed may beat all that are.
            bound[v] = min(other.bound, tree.objective[v])
            best[v] = min(other.objective, tree.objective[v])
            optimal[v] = other.is_complete and tree.objective[v] <= other.bound * (1 + _ROUNDING)
            proven[v] = other.is_complete
            n_counted[v], n_excluded[v] = other.n_counted, other.n_excluded
    return replace(
        tree,
        bound=bound,
        optimal=optimal,
        own_objective=tree.objective,
        best_own_objective=best,
        best_own_proven=proven,
        n_counted=n_counted,
        n_excluded=n_excluded,
    )
