"""TrainingSet: the rows a taught tree learns from, each with the soft labels a teacher gives it.

A tree grown on labels alone takes every label at its word. A forest, or any other classifier, knows
better how the classes lie, but cannot be read. So the tree learns from it: real rows get the mean
of their label and of the teacher's out-of-bag probabilities, and synthetic rows, put together from
cells of real ones, get the teacher's probabilities. The tree is then one tree as ever, each split
the best rule for the cases of the training set.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_random_state

from bsnsing.data.cases import Cases
from bsnsing.data.weights import CaseWeights
from bsnsing.distill.config import DistillConfig
from bsnsing.distill.synthetic import join_tables, make_synthetic_rows
from bsnsing.distill.teacher import Teacher, fit_teacher
from bsnsing.distill.work import columns_to_ask, count_questions, search_work
from bsnsing.grow.rows import RowTracker


@dataclass(frozen=True, slots=True)
class TrainingSet:
    """Soft labels as cases: a row stands once for each class that it may be of."""

    cases: Cases
    row_of: NDArray[np.intp]  # which real or synthetic row each of these is part of, ascending
    original: NDArray[np.intp]  # which of the user's rows each real row is; these come first
    real_weight: float  # what a real case counts beside a synthetic one
    n_classes: int  # that cases have
    asked_columns: NDArray[np.bool_] | None  # columns to ask about; None is all
    soft: NDArray[np.float64]  # weight per class of each real or synthetic row, unrounded
    teacher: Teacher

    @property
    def n_rows(self) -> int:
        """Number of real and synthetic rows."""
        return int(self.row_of[-1]) + 1

    @property
    def n_real(self) -> int:
        """How many of ``cases`` are parts of real rows; they come first."""
        return int(np.searchsorted(self.row_of, len(self.original)))

    def of_class(self, position: int) -> TrainingSet:
        """The same for telling one class from the rest."""
        labels = (self.cases.labels == position).astype(np.int32)
        own = self.soft[:, position]
        soft = np.stack([self.soft.sum(axis=1) - own, own], axis=1)
        return replace(self, cases=replace(self.cases, labels=labels), soft=soft, n_classes=2)

    def tracker(self, class_weight: NDArray[np.float64]) -> RowTracker:
        """Follow the rows, each with the impurity of its soft labels."""
        first = np.flatnonzero(np.diff(self.row_of, prepend=-1))
        weighted = self.soft[self.row_of[first]] * class_weight
        return RowTracker.start(first, weighted, len(self.row_of))

    def real_leaves(self, tracker: RowTracker) -> NDArray[np.int64] | None:
        """The leaf of each of the user's rows; None if some are too light to be in the set."""
        n_rows = len(self.original)
        if np.searchsorted(self.row_of[tracker.first_rows], n_rows) < n_rows:
            return None
        leaves = np.empty(int(self.original.max()) + 1, dtype=np.int64)
        leaves[self.original] = tracker.node_of[tracker.first_rows[:n_rows]]
        return leaves


@dataclass(frozen=True, slots=True, kw_only=True)
class Teaching:
    """Who teaches what."""

    teacher: Any  # "forest" or a classifier
    real: Cases
    n_classes: int
    n_segments: int
    max_levels: int
    random_state: int | np.random.RandomState | None
    n_threads: int
    config: DistillConfig

    def training_set(self) -> TrainingSet:
        """Let the teacher learn the real rows, and write down what it knows of all."""
        config = self.config
        random_state = check_random_state(self.random_state)
        original, cases = _rows_to_teach(self.real, config.most_rows)
        table, counts = cases.table, cases.per_row()
        one_hot = np.eye(self.n_classes)[cases.labels]
        teacher = fit_teacher(
            self.teacher, cases, one_hot, config, self.max_levels, random_state, self.n_threads
        )
        n_questions = count_questions(self.real.table, self.n_segments, self.max_levels)
        asked = columns_to_ask(teacher.importances, n_questions, table.n_rows, config)
        row_work = search_work(1, max(1, n_questions[asked].sum()))
        most_rows = min(config.most_rows, config.most_work / row_work)
        synthetic = make_synthetic_rows(table, most_rows, config, random_state)
        soft = config.label_share * one_hot + (1 - config.label_share) * teacher.oob
        n_parts = config.parts
        real_parts = in_parts(soft, counts, n_parts)
        made = teacher.probabilities(synthetic)
        synthetic_parts = in_parts(made, np.ones(synthetic.n_rows), n_parts)
        parts = np.concatenate([config.real_weight * real_parts, synthetic_parts])
        soft = np.concatenate([config.real_weight * counts[:, None] * soft, made])
        row_of, labels = np.nonzero(parts)
        weights = CaseWeights(parts[row_of, labels], float(n_parts))
        return TrainingSet(
            Cases(join_tables(table, synthetic).take(row_of), labels.astype(np.int32), weights),
            row_of,
            original,
            float(config.real_weight),
            len(np.unique(cases.labels)),
            None if asked.all() else asked,
            soft,
            teacher,
        )


def _rows_to_teach(real: Cases, most_rows: int) -> tuple[NDArray[np.intp], Cases]:
    """The real rows as a teacher gets them, and which of the user's rows each is.

    Whole weights are repeated rows, also to a forest that draws rows.
    """
    rows, weights = np.arange(len(real.labels)), real.weights
    counts = weights.counts
    if counts is not None and weights.unit == 1.0 and counts.sum() <= most_rows:
        rows, counts = np.repeat(rows, counts), None
    taught = CaseWeights(counts, weights.unit)
    return rows, Cases(real.table.take(rows), real.labels[rows], taught)


def in_parts(
    shares: NDArray[np.float64], counts: NDArray[np.float64], n_parts: int
) -> NDArray[np.int64]:
    """Divide each row's cases among the classes, in whole parts of a case."""
    wanted = shares * counts[:, None] * n_parts
    parts = np.floor(wanted).astype(np.int64)
    n_left = np.rint(counts * n_parts).astype(np.int64) - parts.sum(axis=1)
    # What is left over goes to the largest remainders.
    place = np.argsort(np.argsort(parts - wanted, axis=1, kind="stable"), axis=1)
    divided: NDArray[np.int64] = parts + (place < n_left[:, None])
    return divided
