"""grow_trees(): the stages of a fit in order, from cases to unpruned trees."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from bsnsing.data.cases import Cases
from bsnsing.data.weights import design_effect
from bsnsing.distill.distill import DistillOptions, Grown, grow_distilled
from bsnsing.distill.training_set import Teaching, TrainingSet
from bsnsing.estimators.options import (
    distill_options,
    read_class_weight,
    read_options,
)
from bsnsing.grow.grow import grow_tree
from bsnsing.grow.options import GrowOptions
from bsnsing.grow.progress import report
from bsnsing.rules.deadline import Deadline
from bsnsing.rules.options import effective_n_threads, n_thresholds
from bsnsing.tree.probabilities import Evidence
from bsnsing.tree.tree import Tree

if TYPE_CHECKING:
    from bsnsing.estimators.classifier import BsnsingClassifier


@dataclass(frozen=True, slots=True)
class Growth:
    """Unpruned trees, each with the cases it was learnt from, and the options they grew by."""

    trees: list[Grown]
    options: GrowOptions
    is_taught: bool
    seconds_left: float  # for the proofs

    def complete(self, kept: list[Tree]) -> list[Tree]:
        """Complete the proofs of the trees, of which some nodes were kept."""
        deadline, completed = Deadline(self.seconds_left), list[Tree]()
        for grown, tree in zip(self.trees, kept, strict=True):
            seconds = deadline.left() / (len(kept) - len(completed))
            completed.append(tree if grown.proof is None else grown.proof.complete(tree, seconds))
        return completed


def grow_trees(model: BsnsingClassifier, cases: Cases, classes: NDArray[Any]) -> Growth:
    """Grow one tree for all classes, or one per class; by a teacher's training set, if any."""
    n_classes = len(classes)
    totals = cases.class_totals(n_classes)
    n_cases = float(totals.sum())
    teaching = _teaching(model, cases, n_cases, n_classes)
    training = None if teaching is None else _lesson(teaching, bool(model.verbose))
    class_weight = read_class_weight(model.class_weight, classes, totals)
    options = read_options(model, training, n_cases, class_weight)
    if class_weight is not None and model.ccp_alpha == "auto":
        # Impurity saved by chance grows with the variance of the weighted cases.
        penalty = options.ccp_alpha * design_effect(totals, class_weight)
        options = replace(options, ccp_alpha=penalty)
    distill = distill_options(model)
    if model.multiclass == "native" or n_classes <= 2:
        trees = [_grow_tree(cases, classes, options, distill, training, teaching)]
    else:
        trees = [
            _grow_one_class(
                position, cases, classes, _part(options, n_classes - position), distill, training
            )
            for position in range(n_classes)
        ]
    return Growth(trees, options, training is not None, options.deadline.left())


def _part(options: GrowOptions, n_trees: int) -> GrowOptions:
    """Return the options of the next tree: its part of the time that is left for all of them."""
    return replace(options, deadline=Deadline(options.deadline.left() / n_trees))


def _teaching(
    model: BsnsingClassifier, cases: Cases, n_cases: float, n_classes: int
) -> Teaching | None:
    """Who teaches; None where there is no teacher, or nothing to teach."""
    if model.teacher is None or len(np.unique(cases.labels)) < 2:
        return None
    config, n_columns = model._distill_config, len(cases.table.columns)
    if isinstance(model.teacher, str) and config.has_many_labels(n_cases, n_columns):
        return None
    return Teaching(
        teacher=model.teacher,
        real=cases,
        n_classes=n_classes,
        n_segments=n_thresholds(model.n_segments, cases.table),
        random_state=model.random_state,
        n_threads=effective_n_threads(model.n_jobs),
        config=config,
    )


def _lesson(teaching: Teaching, is_reported: bool) -> TrainingSet:
    table = teaching.real.table
    name = (
        teaching.teacher if isinstance(teaching.teacher, str) else type(teaching.teacher).__name__
    )
    report(
        is_reported,
        "teacher %s learns %d rows of %d columns",
        name,
        table.n_rows,
        len(table.columns),
    )
    training = teaching.training_set()
    report(
        is_reported,
        "teacher %s has a Brier score of %.4f; the tree learns from %d rows",
        name,
        training.teacher.brier,
        training.n_rows,
    )
    return training


def _grow_tree(
    cases: Cases,
    classes: NDArray[Any],
    options: GrowOptions,
    distill: DistillOptions,
    training: TrainingSet | None,
    teaching: Teaching | None = None,
) -> Grown:
    if training is None:
        tree = grow_tree(cases, classes, options)
        return Grown(tree, Evidence(tree.counts, tree.counts), None)
    return grow_distilled(cases, classes, training, options, distill, teaching)


def _grow_one_class(
    position: int,
    cases: Cases,
    classes: NDArray[Any],
    options: GrowOptions,
    distill: DistillOptions,
    training: TrainingSet | None,
) -> Grown:
    """Grow the tree that tells one class from the rest."""
    label = classes.tolist()[position]
    report(options.reports_progress, "tree of class %r", label)
    class_weight, own_weight = options.class_weight, None
    if class_weight is not None:
        # The rest counts what its cases do on average.
        totals = cases.weights.class_totals(cases.labels, len(classes))
        others = np.arange(len(classes)) != position
        rest = (class_weight * totals)[others].sum() / max(totals[others].sum(), 1.0)
        own_weight = np.array([rest, class_weight[position]])
    return _grow_tree(
        replace(cases, labels=(cases.labels == position).astype(np.int32)),
        np.array([f"not {label}", label], dtype=object),
        replace(options, class_weight=own_weight),
        distill,
        None if training is None else training.of_class(position),
    )
