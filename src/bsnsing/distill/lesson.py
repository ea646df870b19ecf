"""Lesson: what a teacher that learnt a sample of the rows tells of all of them, part by part.

Soft labels are whole numbers: parts of a case, among which a search divides them, and finer ones,
whose sums say what was learnt. So they add up to the same wherever the rows lie.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_random_state

from bsnsing.data.cases import Cases
from bsnsing.data.columns import Column, ColumnInfo
from bsnsing.data.table import Table
from bsnsing.data.weights import CaseWeights
from bsnsing.distill.config import DistillConfig
from bsnsing.distill.content import Keys
from bsnsing.distill.sample import Sample
from bsnsing.distill.teacher import Teacher, fit_teacher
from bsnsing.distill.training_set import in_parts
from bsnsing.distill.work import columns_to_ask, count_questions
from bsnsing.engine.parts import EncodedPart
from bsnsing.tree.impurity import half_deviance

# Of a case: soft labels, and their impurity, are told this finely.
FINE = 2.0**20
# Rows whose labels are told at a time: their matrix of numbers fits into a cache.
_ROWS_AT_A_TIME = 50_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Subject:
    """What is taught: the table and its classes, in canonical order."""

    info: tuple[ColumnInfo, ...]
    n_codes: tuple[int, ...]
    n_classes: int
    unit: float  # counts that make one case
    n_segments: int
    max_levels: int
    config: DistillConfig

    @property
    def soft_unit(self) -> float:
        """Counts that make one case, of soft labels."""
        return float(self.config.parts) if self.unit == 1.0 else self.unit

    def table(self, part: EncodedPart) -> Table:
        """Rows as a table of codes: all that a learner of order and levels needs of them."""
        columns = []
        own = part.codes[: len(self.info)]
        for info, codes, n in zip(self.info, own, self.n_codes, strict=True):
            if info.kind == "categorical":
                levels = codes.astype(np.int32)
                levels[codes == n] = -1
                columns.append(Column(info, levels))
            else:
                numbers = codes.astype(np.float64)
                numbers[codes == n] = np.nan
                columns.append(Column(info, numbers))
        return Table(tuple(columns), part.n_rows)


@dataclass(frozen=True, slots=True, eq=False)
class Lesson:
    """A teacher that has learnt a sample."""

    teacher: Teacher
    sample: Sample  # whose rows it does not know by their own labels
    facts: LessonFacts


@dataclass(frozen=True, slots=True)
class LessonFacts:
    """What growth needs to know of a lesson."""

    n_rows: int
    brier: float
    leaf_rows: int
    asked_columns: tuple[bool, ...]  # columns to ask about


def learn(
    sample: Sample,
    *,
    subject: Subject,
    random_state: int | np.random.RandomState | None,
    n_threads: int,
) -> Lesson:
    """Let the forest learn a sample."""
    rows, config = sample.rows, subject.config
    assert rows is not None
    counts = sample.n_taken if rows.counts is None or subject.unit == 1.0 else None
    if counts is None:  # fractions of cases
        assert rows.counts is not None
        counts = sample.n_taken * rows.counts
    is_whole = subject.unit == 1.0
    weights = CaseWeights(None if is_whole and (counts == 1).all() else counts, subject.unit)
    cases = Cases(subject.table(rows), rows.labels, weights)
    one_hot = np.eye(subject.n_classes)[rows.labels]
    teacher = fit_teacher(
        "forest",
        cases,
        one_hot,
        config,
        subject.max_levels,
        check_random_state(random_state),
        n_threads,
    )
    n_questions = count_questions(cases.table, subject.n_segments, subject.max_levels)
    asked = columns_to_ask(teacher.importances, n_questions, len(rows.labels), config)
    facts = LessonFacts(len(rows.labels), teacher.brier, teacher.leaf_rows, tuple(asked.tolist()))
    return Lesson(teacher, replace(sample, rows=None, held=None), facts)


def facts_of_lesson(lesson: Lesson) -> LessonFacts:
    """What growth needs to know."""
    return lesson.facts


def tell(part: EncodedPart, keys: Keys, lesson: Lesson, *, subject: Subject) -> NDArray[np.int32]:
    """Return the soft labels of a part's rows, finely.

    They are the mean of a row's label and of what the teacher says of it; of a row of the sample,
    without having known its label.
    """
    config = subject.config
    told = np.empty((part.n_rows, subject.n_classes))
    for first in range(0, part.n_rows, _ROWS_AT_A_TIME):
        own = slice(first, first + _ROWS_AT_A_TIME)
        block = EncodedPart([codes[own] for codes in part.codes], part.labels[own], None)
        told[own] = lesson.teacher.probabilities(subject.table(block))
    places, is_known = lesson.sample.places(keys)
    told[is_known] = lesson.teacher.oob[places[is_known]]
    one_hot = np.eye(subject.n_classes)[part.labels]
    soft = config.label_share * one_hot + (1 - config.label_share) * told
    fine: NDArray[np.int32] = np.rint(soft * FINE).astype(np.int32)
    return fine


def soften(
    part: EncodedPart,
    fine: NDArray[np.int32],
    *,
    subject: Subject,
    class_of: NDArray[np.int32],
    split_weight: NDArray[np.float64],
) -> EncodedPart:
    """Give a part soft labels to grow by, and tallies of them: see :class:`NodeTallies`.

    Tallies are, per class, what was learnt and then the cases themselves; at last impurity.
    """
    soft = fine / FINE
    parts = in_parts(soft, np.ones(part.n_rows), subject.config.parts)
    counts = np.ones(part.n_rows, np.int64) if part.counts is None else part.counts
    n_cases = counts / subject.unit
    n_classes = len(split_weight)
    learnt, real = np.zeros((part.n_rows, n_classes)), np.zeros((part.n_rows, n_classes), np.int64)
    for label, position in enumerate(class_of.tolist()):
        learnt[:, position] += soft[:, label]
        real[part.labels == label, position] = counts[part.labels == label]
    impurity = half_deviance(learnt * n_cases[:, None] * split_weight)
    finely = np.rint(np.column_stack([learnt * n_cases[:, None], impurity]) * FINE)
    tallies = np.column_stack(
        [finely[:, :-1].astype(np.int64), real, finely[:, -1].astype(np.int64)]
    )
    weights = parts * _per_part(counts, subject)[:, None]
    return replace(part, soft=_short(weights), tallies=_short(tallies))


def _per_part(counts: NDArray[np.int64], subject: Subject) -> NDArray[np.int64]:
    """What one part of a row counts: fractions of cases are fine enough to be divided."""
    return counts if subject.unit == 1.0 else np.maximum(1, counts // subject.config.parts)


def _short(numbers: NDArray[np.int64]) -> NDArray[np.int64]:
    """The same in half the bytes, where these hold them."""
    return numbers.astype(np.int32) if numbers.max(initial=0) < 2**31 else numbers


def sum_tallies(part: EncodedPart) -> NDArray[np.int64]:
    """Sum up the tallies of all rows."""
    assert part.tallies is not None
    sums: NDArray[np.int64] = part.tallies.sum(axis=0, dtype=np.int64)
    return sums
