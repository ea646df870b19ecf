"""grow_trees(): the stages of a fit in order, from cases to unpruned trees.

A tree lives in one of four tables, each made of the one before it:

    given --leave_out--> asked --canonical_form--> canonical --order_levels--> ordered levels
          <--ungroup---        <-----restore------           <----ungroup----

It is grown in the last (in `asked` without a teacher) and handed back step by step. What is kept of
it is pruned in the given table; its proofs are completed where it was grown, so it goes there once
more (`CanonicalForm.inside` and `translate`, then `regroup`) and back.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from bsnsing.data.cases import Cases
from bsnsing.data.table import Table
from bsnsing.data.weights import design_effect
from bsnsing.distill.canonical import CanonicalForm, canonical_form
from bsnsing.distill.distill import DistillOptions, Grown, grow_distilled
from bsnsing.distill.proof import TaughtProof
from bsnsing.distill.training_set import Teaching, TrainingSet
from bsnsing.estimators.options import (
    distill_options,
    read_class_weight,
    read_options,
)
from bsnsing.estimators.unasked import Unasked, without_unasked
from bsnsing.grow.grow import grow_tree
from bsnsing.grow.options import GrowOptions
from bsnsing.grow.progress import report
from bsnsing.questions.elsewhere import questions_of
from bsnsing.questions.question import Question
from bsnsing.rules.deadline import Deadline
from bsnsing.rules.options import effective_n_threads, n_thresholds
from bsnsing.tree.probabilities import Evidence
from bsnsing.tree.tree import Tree
from bsnsing.tree.ungroup import ungroup

if TYPE_CHECKING:
    from bsnsing.estimators.classifier import BsnsingClassifier


@dataclass(frozen=True, slots=True)
class Growth:
    """Unpruned trees, each with the cases it was learnt from, and the options they grew by."""

    trees: list[Grown]
    options: GrowOptions
    is_taught: bool
    seconds_left: float  # for the proofs
    form: CanonicalForm | None = None  # of the cases that taught trees were grown on
    left_out: tuple[str, ...] = ()  # columns that name rows

    def complete(self, kept: list[Tree]) -> list[Tree]:
        """Complete the proofs of the trees, of which some nodes were kept."""
        deadline, completed = Deadline(self.seconds_left), list[Tree]()
        for grown, tree in zip(self.trees, kept, strict=True):
            seconds = deadline.left() / (len(kept) - len(completed))
            completed.append(self._completed(tree, grown.proof, seconds))
        return completed

    def _completed(self, tree: Tree, proof: TaughtProof | None, seconds: float) -> Tree:
        if proof is None or self.form is None:
            return tree
        return self.form.restore(proof.complete(self.form.translate(tree), seconds))

    def restored(self, form: CanonicalForm) -> Growth:
        """Return trees that were grown on a canonical form as those of the given cases."""
        trees = [
            Grown(form.restore(tree), form.restore_evidence(evidence), proof)
            for tree, evidence, proof in self.trees
        ]
        if len(trees) > 1:  # one per class
            trees = [trees[position] for position in np.argsort(form.classes)]
        return replace(self, trees=trees, form=form)

    def ungrouped(self, rest: Unasked, table: Table) -> Growth:
        """Return trees that were grown on what is left of a table as those of all of it."""
        regrouping, form = rest.regrouping, self.form
        return replace(
            self,
            trees=[own._replace(tree=ungroup(own.tree, regrouping)) for own in self.trees],
            form=None if form is None else form.inside(table, regrouping.kept),
            left_out=tuple(rest.row_names),
        )


def grow_trees(model: BsnsingClassifier, cases: Cases, classes: NDArray[Any]) -> Growth:
    """Grow one tree for all classes, or one per class; by a teacher's training set, if any."""
    is_taught = model.teacher is not None and len(np.unique(cases.labels)) > 1
    extra = model.extra_questions
    questions = () if extra is None else tuple(questions_of(extra))
    rest = without_unasked(model, cases, len(classes), questions, is_taught=is_taught)
    asked = cases if rest is None else replace(cases, table=rest.regrouping.table(cases.table))
    distill = distill_options(model, cases.table.info)
    if is_taught:
        form = canonical_form(asked, len(classes), keeps_all=_names_columns(model))
        growth = _grow_trees(model, form.cases, classes[form.classes], distill, questions, form)
        growth = growth.restored(form)
    else:
        growth = _grow_trees(model, asked, classes, distill, questions)
    return growth if rest is None else growth.ungrouped(rest, cases.table)


def _names_columns(model: BsnsingClassifier) -> bool:
    """Whether a parameter is about columns, so that all of them are needed."""
    has_groups = isinstance(model.column_pairs, list | tuple)
    return has_groups or model.extra_questions is not None or model.constraints is not None


def _grow_trees(
    model: BsnsingClassifier,
    cases: Cases,
    classes: NDArray[Any],
    distill: DistillOptions,
    questions: tuple[Question, ...],
    form: CanonicalForm | None = None,
) -> Growth:
    """Grow trees on the cases or, with a teacher, on those of their canonical form."""
    n_classes = len(classes)
    totals = cases.class_totals(n_classes)
    n_cases = float(totals.sum())
    teaching = None if form is None else _teaching(model, cases, n_classes)
    training = None if teaching is None else _lesson(teaching, bool(model.verbose))
    class_weight = read_class_weight(model.class_weight, classes, totals)
    options = read_options(model, training, n_cases, class_weight, questions)
    if form is not None and options.constraints is not None:
        options = replace(options, places=form.columns)
    if class_weight is not None and model.ccp_alpha == "auto":
        # Impurity saved by chance grows with the variance of the weighted cases.
        penalty = options.ccp_alpha * design_effect(totals, class_weight)
        options = replace(options, ccp_alpha=penalty)
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


def _teaching(model: BsnsingClassifier, cases: Cases, n_classes: int) -> Teaching:
    return Teaching(
        teacher=model.teacher,
        real=cases,
        n_classes=n_classes,
        n_segments=n_thresholds(model.n_segments, cases.table),
        max_levels=model.max_levels,
        random_state=model.random_state,
        n_threads=effective_n_threads(model.n_jobs),
        config=model._distill_config,
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
