"""Columns of many levels that nothing can be learnt from: those that name rows, and silent ones."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from bsnsing.data.cases import Cases
from bsnsing.data.regroup import Regrouping, leave_out
from bsnsing.data.row_names import find_row_names
from bsnsing.data.table import Table
from bsnsing.distill.level_order import order_levels
from bsnsing.questions.question import Question

if TYPE_CHECKING:
    from bsnsing.estimators.classifier import BsnsingClassifier


@dataclass(frozen=True, slots=True, eq=False)
class Unasked:
    """A table without the levels that no rule asks about."""

    regrouping: Regrouping
    row_names: list[str]  # columns that name rows


def without_unasked(
    model: BsnsingClassifier,
    cases: Cases,
    n_classes: int,
    questions: Sequence[Question],
    *,
    is_taught: bool,
) -> Unasked | None:
    """Leave out what names rows and, with a teacher, columns none of whose levels has a say.

    The teacher does not see them either: they would only cost it attention. What ``questions``,
    those of the user, are about stays. None if there is no such column.
    """
    table, asked = cases.table, {question.column for question in questions}
    named = [
        position
        for position in find_row_names(cases, model.max_levels)
        if table.columns[position].info.name not in asked
    ]
    left_out = set(named)
    if is_taught:
        ordered = order_levels(cases, n_classes, model.max_levels, asked)
        left_out |= {i for i, groups in ordered.groups.items() if not groups.any()}
    return leave_columns_out(model, table, named, left_out)


def leave_columns_out(
    model: BsnsingClassifier, table: Table, named: Sequence[int], left_out: Collection[int]
) -> Unasked | None:
    """Leave columns out of a table, some of which name rows; None if there are none."""
    if not left_out:
        return None
    # Constraints may count columns, and a table must have one.
    in_place = model.constraints is not None or len(left_out) == len(table.columns)
    regrouping = leave_out(table, left_out, in_place=in_place)
    return Unasked(regrouping, [table.columns[i].info.name for i in named])
