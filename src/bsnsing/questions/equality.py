"""Equality with single numbers, for tables in which some columns may not be asked for it.

Engines ask all numeric columns of few values for equality, or none. Where a column holds ordered
levels or moments, of which thresholds alone make sense, they ask none, and get these questions.
"""

from __future__ import annotations

import numpy as np

from bsnsing.data.table import Table
from bsnsing.questions.coded import CodedQuestion
from bsnsing.questions.question import TESTS

_EQUAL = TESTS.index("==")


def has_scales(table: Table) -> bool:
    """Whether some column holds ordered levels or moments."""
    # A list, since most tables have none, and to go through a generator takes twice as long.
    return any([column.info.scale is not None for column in table.columns])


def equality_questions(table: Table, most: int) -> list[CodedQuestion]:
    """Ask the columns of plain numbers that have ``most`` values or fewer for each of them."""
    questions: list[CodedQuestion] = []
    for position, column in enumerate(table.columns):
        if column.info.kind != "numeric" or column.info.scale is not None or most < 1:
            continue
        numbers = column.numbers()
        values = np.unique(numbers[~np.isnan(numbers)])
        if len(values) <= most and not np.isin(values, (0, 1)).all():  # engines ask flags anyway
            questions += [(position, _EQUAL, value, []) for value in values.tolist()]
    return questions
