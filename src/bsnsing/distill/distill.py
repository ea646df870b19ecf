"""grow_distilled(): one tree that learns from a teacher, with the real cases as its counts."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bsnsing.data.cases import Cases
from bsnsing.data.regroup import Regrouping
from bsnsing.distill.config import DistillConfig
from bsnsing.distill.level_order import order_levels
from bsnsing.distill.options import DistillOptions, Grown
from bsnsing.distill.proof import TaughtProof, count_cases, sum_up, without_stale_proofs
from bsnsing.distill.rule_space import Enrichment, RuleSpace, with_column_pairs, with_longer_rules
from bsnsing.distill.training_set import TrainingSet
from bsnsing.grow.first import held_by
from bsnsing.grow.grow import grow_tree
from bsnsing.grow.options import GrowOptions
from bsnsing.grow.progress import report
from bsnsing.grow.rows import sum_by_node
from bsnsing.tree.predict import find_leaves
from bsnsing.tree.probabilities import Evidence, with_evidence
from bsnsing.tree.prune import bypass_small_children, least_cost
from bsnsing.tree.tree import Tree
from bsnsing.tree.ungroup import ungroup


def grow_distilled(
    real: Cases,
    classes: NDArray[Any],
    training: TrainingSet,
    options: GrowOptions,
    distill: DistillOptions,
) -> Grown:
    """Grow a tree on a training set; return it unpruned, with the cases it was learnt from.

    Richer rules take the place of simple ones where they save the penalties of some leaves: they
    fit every training set a little better, and predict no better for it.
    """
    space = RuleSpace(options.search.max_rules)
    grown = _grow(real, classes, training, space.options(options), distill.config)
    if options.is_free:
        space, grown = _enriched(real, classes, training, options, distill, space, grown)
    return Grown(*grown, _proof(real, len(classes), training, space.options(options)))


def _enriched(
    real: Cases,
    classes: NDArray[Any],
    training: TrainingSet,
    options: GrowOptions,
    distill: DistillOptions,
    space: RuleSpace,
    grown: tuple[Tree, Evidence],
) -> tuple[RuleSpace, tuple[Tree, Evidence]]:
    """Try richer spaces one after the other, and keep those that pay."""
    config = distill.config
    auto = config.complexity_penalty(float(real.per_row().sum()))
    penalty = max(auto, options.ccp_alpha)
    held = held_by(options.first_rules)
    cost = least_cost(grown[0], penalty, options.max_leaf_nodes, held)
    enrichments: list[Enrichment] = []
    if distill.try_column_pairs:
        enrichments.append(partial(with_column_pairs, same_unit=distill.same_unit))
    if distill.try_longer_rules:
        enrichments.append(with_longer_rules)
    for enrich in enrichments:
        most = cost - config.leaves_saved * penalty * (1 - 1e-9)  # sums are rounded
        if most < penalty or options.deadline.is_over:  # what one leaf costs, if it is pure
            break
        richer = enrich(space, options, training, config)
        if richer is None:
            continue
        report(
            options.reports_progress,
            "growing again, with rules of at most %d questions and %d pairs of columns",
            richer.max_rules,
            len(richer.pairs),
        )
        other = _grow(real, classes, training, richer.options(options), config)
        other_cost = least_cost(other[0], penalty, options.max_leaf_nodes, held)
        if other_cost <= most:
            space, grown, cost = richer, other, other_cost
    return space, grown


def _grow(
    real: Cases,
    classes: NDArray[Any],
    training: TrainingSet,
    options: GrowOptions,
    config: DistillConfig,
) -> tuple[Tree, Evidence]:
    """Grow on a training set, then give the tree the real cases as its counts.

    Splits of which one side holds too few real cases go; those few then go the other way.
    """
    min_samples_leaf = options.search.min_samples_leaf
    given = options.split_weight
    tracker = training.tracker(np.ones(len(classes)) if given is None else given)
    own_options = _training_options(options, training)
    levels = _levels(real, len(classes), options)
    cases = replace(training.cases, table=levels.table(training.cases.table))
    tree = ungroup(grow_tree(cases, classes, own_options, tracker=tracker), levels)
    leaves, n_threads = tracker.node_of, options.search.n_threads
    real_leaves = training.real_leaves(tracker)
    if real_leaves is None:
        real_leaves = find_leaves(tree, real.table, n_threads)
    while True:
        counts = count_cases(tree, real_leaves, real)
        smaller = bypass_small_children(tree, counts.sum(axis=1), min_samples_leaf)
        if smaller.n_nodes == tree.n_nodes:
            break
        tree = smaller
        real_leaves = find_leaves(tree, real.table, n_threads)
        leaves = find_leaves(tree, training.cases.table, n_threads)
        learnt = count_cases(tree, leaves, training.cases)
        tree = without_stale_proofs(tree, learnt, options.search.criterion)
    unknown = np.full(tree.n_nodes, np.nan)  # until the tree is pruned: see TaughtProof
    tree = replace(
        tree,
        is_taught=True,
        n_synthetic=training.n_rows - len(training.original),
        counts=counts,
        own_objective=unknown,
        best_own_objective=unknown,
        best_own_proven=np.zeros(tree.n_nodes, dtype=bool),
    )
    evidence = _evidence(tree, training, leaves, config)
    return with_evidence(tree, evidence, options.shrinkage), evidence


def _training_options(options: GrowOptions, training: TrainingSet) -> GrowOptions:
    """The options of a tree that grows on a training set."""
    # A child with enough real cases has this much weight; synthetic ones may add to it.
    least = options.search.min_samples_leaf * training.real_weight
    search = replace(options.search, min_samples_leaf=least)
    return replace(options, search=search, asked_columns=training.asked_columns)


def _levels(real: Cases, n_classes: int, options: GrowOptions) -> Regrouping:
    """The order of levels by which rules ask about columns of many."""
    asked = {question.column for question in options.extra_questions}
    return order_levels(real, n_classes, options.max_levels, asked)


def _proof(real: Cases, n_classes: int, training: TrainingSet, options: GrowOptions) -> TaughtProof:
    """What completes the proofs of a tree that was grown by these options."""
    levels = _levels(real, n_classes, options)
    return TaughtProof(
        training=replace(training.cases, table=levels.table(training.cases.table)),
        levels=levels,
        training_options=_training_options(options, training),
        real=real,
        # Without bins, so that the tree's own thresholds are met exactly.
        real_options=replace(options, asked_columns=training.asked_columns, max_bins=None),
    )


def _evidence(
    tree: Tree, training: TrainingSet, leaves: NDArray[np.int64], config: DistillConfig
) -> Evidence:
    """What the tree was learnt from, scaled to the number of real cases.

    Synthetic rows show where classes part, but real ones how many there are of each.
    """
    first = np.flatnonzero(np.diff(training.row_of, prepend=-1))
    nodes, soft_labels = leaves[first], training.soft[training.row_of[first]]
    n_real = int(np.searchsorted(training.row_of[first], len(training.original)))
    learnt = sum_up(tree, sum_by_node(nodes, soft_labels, tree.n_nodes))
    soft = sum_up(tree, sum_by_node(nodes[:n_real], soft_labels[:n_real], tree.n_nodes))
    n_cases = tree.counts[0].sum()
    soft, learnt = soft * (n_cases / soft[0].sum()), learnt * (n_cases / learnt[0].sum())
    return Evidence(config.labels_and_word(tree.counts, soft), learnt, learnt_weight=1.0)
