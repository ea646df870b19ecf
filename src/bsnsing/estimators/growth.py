"""grow_trees(): the stages of a fit in order, from cases to unpruned trees.

A tree lives in one of four tables, each made of the one before it:

    given --leave_out--> asked --canonical_form--> canonical --order_levels--> ordered levels
          <--ungroup---        <-----restore------           <----ungroup----

It is grown in the last (in `asked` without a teacher) and handed back step by step. What is kept of
it is pruned in the given table; its proofs are completed where it was grown, so it goes there once
more (`CanonicalForm.inside` and `translate`, then `regroup`) and back. Tables so large that the
teacher learns a sample of them are encoded first (`grow_encoded`), and the same holds of them.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from bsnsing.data.cases import Cases
from bsnsing.data.table import Table
from bsnsing.distill.options import DistillOptions, Grown
from bsnsing.estimators.donors import Lent, ask_learners, read_extra_questions
from bsnsing.estimators.grown import (
    Growth,
    Rounding,
    is_large,
    is_taught_by,
    names_columns,
    one_per_class,
    tree_options,
    with_first_rules,
)
from bsnsing.estimators.options import distill_options
from bsnsing.estimators.unasked import without_unasked
from bsnsing.grow.grow import grow_tree
from bsnsing.grow.options import GrowOptions
from bsnsing.grow.progress import is_wanted, report
from bsnsing.questions.question import Question
from bsnsing.rules.options import effective_n_threads, n_thresholds
from bsnsing.tree.probabilities import Evidence

if TYPE_CHECKING:
    from bsnsing.distill.canonical import CanonicalForm
    from bsnsing.distill.training_set import TrainingSet
    from bsnsing.estimators.classifier import BsnsingClassifier


def grow_trees(model: BsnsingClassifier, cases: Cases, classes: NDArray[Any]) -> Growth:
    """Grow one tree for all classes, or one per class; by a teacher's training set, if any."""
    n_labels = int(np.count_nonzero(np.bincount(cases.labels)))
    is_taught = is_taught_by(model, cases.table.n_rows, n_labels, len(classes))
    extra = read_extra_questions(model.extra_questions)
    questions = with_first_rules(model, extra.on(cases.table))
    rest = without_unasked(model, cases, len(classes), questions, is_taught=is_taught)
    asked = cases if rest is None else replace(cases, table=rest.regrouping.table(cases.table))
    distill = distill_options(model, cases.table.info)
    lent = ask_learners(model, extra, asked, len(classes))
    if lent.questions:
        questions = tuple(dict.fromkeys([*questions, *lent.questions]))
    is_sampled = is_taught and is_large(model, asked.table.n_rows)
    if is_sampled:
        _check_large(model, lent, asked.table.n_rows)
        growth = _grow_large(model, asked, classes, questions)
    elif is_taught:
        # On request, here and below: who grows trees without a teacher does not wait for it.
        from bsnsing.distill.canonical import canonical_form

        form = canonical_form(asked, len(classes), keeps_all=names_columns(model))
        growth = _grow_trees(
            model, form.cases, classes[form.classes], distill, questions, lent, form
        )
        growth = growth.restored(form)
    else:
        growth = _grow_trees(model, asked, classes, distill, questions, lent)
    if rest is not None:
        growth = growth.ungrouped(rest, cases.table)
    is_rounded = is_taught and not is_sampled
    rounding = _rounding(model, cases.table, is_rounded=is_rounded)
    return growth if rounding is None else replace(growth, rounding=rounding)


def _check_large(model: BsnsingClassifier, lent: Lent, n_rows: int) -> None:
    """Refuse learners for single nodes of rows that are searched in codes."""
    if lent.learners:
        raise ValueError(
            f"donors_per_node=True fits donors to the rows of each node, which are only codes in a "
            f"table of {n_rows:,} rows that a forest teaches (the most are "
            f"{model._distill_config.most_taught:,}). Use donors_per_node=False, or teacher=None."
        )


def _grow_large(
    model: BsnsingClassifier,
    cases: Cases,
    classes: NDArray[Any],
    questions: tuple[Question, ...],
) -> Growth:
    """Grow trees on the codes of a table that the teacher learns a sample of."""
    # On request: few tables are large, and few imports should wait for what these need.
    from bsnsing.engine.table import encode_here
    from bsnsing.estimators.encoded import grow_encoded

    info, totals = cases.table.info, cases.class_totals(len(classes))
    options = tree_options(model, info, classes, totals, questions)
    table = encode_here(cases, len(classes), options.engine_options(cases.table))
    return grow_encoded(model, table, classes, questions, is_taught=True)


def _rounding(model: BsnsingClassifier, table: Table, *, is_rounded: bool) -> Rounding | None:
    """How thresholds are rounded: by default to short ones in taught trees, as far as all rows are.

    Whole numbers are cut between whole ones, and moments at full days or the like, in all trees.
    """
    if model.decimals is None:
        return None
    is_auto = model.decimals == "auto"
    return Rounding(
        table, None if is_auto else int(model.decimals), keeps_digits=is_auto and not is_rounded
    )


def _grow_trees(
    model: BsnsingClassifier,
    cases: Cases,
    classes: NDArray[Any],
    distill: DistillOptions,
    questions: tuple[Question, ...],
    lent: Lent,
    form: CanonicalForm | None = None,
) -> Growth:
    """Grow trees on the cases or, with a teacher, on those of their canonical form."""
    n_classes = len(classes)
    totals = cases.class_totals(n_classes)
    training = None if form is None else _lesson(model, cases, n_classes)
    leaf_rows = None if training is None else training.teacher.leaf_rows
    columns = None if form is None else form.columns
    options = tree_options(
        model,
        cases.table.info,
        classes,
        totals,
        questions,
        leaf_rows=leaf_rows,
        places=columns,
        lent=lent,
    )
    if model.multiclass == "native" or n_classes <= 2:
        trees = [_grow_tree(cases, classes, options, distill, training)]
    else:
        trees = [
            _grow_tree(
                replace(cases, labels=(cases.labels == position).astype(np.int32)),
                names,
                own,
                distill,
                None if training is None else training.of_class(position),
            )
            for position, (names, own) in enumerate(one_per_class(classes, totals, options))
        ]
    return Growth(trees, options, training is not None, options.deadline.left())


def _lesson(model: BsnsingClassifier, cases: Cases, n_classes: int) -> TrainingSet:
    from bsnsing.distill.training_set import Teaching

    teaching = Teaching(
        teacher=model.teacher,
        real=cases,
        n_classes=n_classes,
        n_segments=n_thresholds(model.n_segments, cases.table),
        max_levels=model.max_levels,
        random_state=model.random_state,
        n_threads=effective_n_threads(model.n_jobs),
        config=model._distill_config,
    )
    table, is_reported = cases.table, is_wanted(model.verbose)
    name = model.teacher if isinstance(model.teacher, str) else type(model.teacher).__name__
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
) -> Grown:
    if training is None:
        tree = grow_tree(cases, classes, options)
        return Grown(tree, Evidence(tree.counts, tree.counts), None)
    from bsnsing.distill.distill import grow_distilled

    return grow_distilled(cases, classes, training, options, distill)
