"""grow_encoded(): unpruned trees of a table whose rows are encoded, in parts anywhere."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from bsnsing.distill.large import (
    OrderedTable,
    grow_told,
    put_in_order,
    subject_of,
    teach,
    tell_all,
)
from bsnsing.distill.options import Grown
from bsnsing.engine.table import EncodedTable
from bsnsing.estimators.grown import Growth, names_columns, one_per_class, tree_options
from bsnsing.grow.grow import grow_tree
from bsnsing.grow.options import GrowOptions
from bsnsing.grow.progress import is_wanted, report
from bsnsing.questions.question import Question
from bsnsing.rules.options import n_thresholds
from bsnsing.tree.probabilities import Evidence

if TYPE_CHECKING:
    from bsnsing.estimators.classifier import BsnsingClassifier


def grow_encoded(
    model: BsnsingClassifier,
    table: EncodedTable,
    classes: NDArray[Any],
    questions: tuple[Question, ...],
    *,
    is_taught: bool,
) -> Growth:
    """Grow one tree for all classes, or one per class; by what a forest tells of rows, if taught.

    The trees are the same wherever the rows lie.
    """
    if is_taught:
        ordered = put_in_order(table, keeps_all=names_columns(model))
        growth = _grow_taught(model, ordered, classes[ordered.form.classes], questions)
        return growth.restored(ordered.form)
    totals = table.label_counts / table.unit
    options = tree_options(model, table.info, classes, totals, questions)

    def grow(own: NDArray[Any], options: GrowOptions, class_of: NDArray[np.int32]) -> Grown:
        maker = table.engine_maker(class_of)
        tree = grow_tree(table.cases, own, replace(options, make_engine=maker))
        return Grown(tree, Evidence(tree.counts, tree.counts), None)

    trees = _grow_each(model, classes, totals, options, grow)
    return Growth(trees, options, False, options.deadline.left())


def _grow_taught(
    model: BsnsingClassifier,
    ordered: OrderedTable,
    classes: NDArray[Any],
    questions: tuple[Question, ...],
) -> Growth:
    """Grow trees on the canonical form of a table."""
    table, is_reported = ordered.table, is_wanted(model.verbose)
    n_segments = n_thresholds(model.n_segments, table.table)
    subject = subject_of(ordered, n_segments, model.max_levels, model._distill_config)
    report(is_reported, "the forest learns a sample of %d rows", table.n_rows)
    lesson, facts = teach(ordered, subject, model.random_state)
    report(
        is_reported,
        "the forest has a Brier score of %.4f on %d rows; the tree learns from %d",
        facts.brier,
        facts.n_rows,
        table.n_rows,
    )
    told = tell_all(ordered, lesson, subject)
    totals = table.label_counts / table.unit
    options = tree_options(
        model,
        table.info,
        classes,
        totals,
        questions,
        leaf_rows=facts.leaf_rows,
        places=ordered.form.columns,
    )

    def grow(own: NDArray[Any], options: GrowOptions, class_of: NDArray[np.int32]) -> Grown:
        return grow_told(ordered, told, subject, facts, options, own, class_of)

    trees = _grow_each(model, classes, totals, options, grow)
    return Growth(trees, options, True, options.deadline.left())


def _grow_each(
    model: BsnsingClassifier,
    classes: NDArray[Any],
    totals: NDArray[np.float64],
    options: GrowOptions,
    grow: Callable[[NDArray[Any], GrowOptions, NDArray[np.int32]], Grown],
) -> list[Grown]:
    """Grow one tree for all classes, or one per class, by the class that each label counts as."""
    every = np.arange(len(classes), dtype=np.int32)
    if model.multiclass == "native" or len(classes) <= 2:
        return [grow(classes, options, every)]
    return [
        grow(names, own, (every == position).astype(np.int32))
        for position, (names, own) in enumerate(one_per_class(classes, totals, options))
    ]
