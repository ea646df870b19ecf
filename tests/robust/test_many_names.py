"""Names of columns and levels are looked up, so that time is no product of their numbers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from bsnsing import Question, RuleConstraints
from bsnsing.data.columns import ColumnInfo
from bsnsing.data.table import _chosen_columns
from bsnsing.estimators.knowledge import _read_column_costs, read_monotone
from bsnsing.questions.coded import QuestionEncoder
from bsnsing.rules.constraints import resolve_constraints

N = 300


class Name(str):
    """Text that counts how often it is compared with other text than itself."""

    __slots__ = ()
    n_compared = 0

    def __eq__(self, other: object) -> bool:
        Name.n_compared += 1
        return str.__eq__(self, other)

    __hash__ = str.__hash__


NAMES = [Name(f"c{i}") for i in range(N)]
GIVEN = [Name(f"c{i}") for i in range(N)]  # equal, and not the same objects
COLUMNS = tuple(ColumnInfo(name, "numeric") for name in NAMES)
LEVELS = ColumnInfo("t", "categorical", tuple(NAMES))


def encode_names() -> Any:
    encoder = QuestionEncoder(COLUMNS)
    return [encoder.encode(Question(name, ">", 1.0))[0] for name in GIVEN]


def encode_levels() -> Any:
    encoder = QuestionEncoder([LEVELS])
    return [encoder.encode(Question("t", "==", name))[3][0] for name in GIVEN]


def group_questions() -> Any:
    given = RuleConstraints(one_per_column=True, columns=GIVEN)
    limits = resolve_constraints(given, N, 2)
    assert limits is not None
    return limits.column_of


def forbid() -> Any:
    limits = resolve_constraints(RuleConstraints(forbidden=GIVEN), NAMES, 2)
    assert limits is not None
    return np.flatnonzero(~limits.allowed)


LOOK_UPS: dict[str, Callable[[], Any]] = {
    "questions by column": encode_names,
    "questions by level": encode_levels,
    "forbidden columns": forbid,
    "columns of questions": group_questions,
    "categorical_features": lambda: sorted(_chosen_columns(GIVEN, NAMES, has_names=True)),
    "column_costs": lambda: [
        int(name[1:]) for name in _read_column_costs(dict.fromkeys(GIVEN, 1.0), COLUMNS)
    ],
    "monotonic_cst": lambda: [
        int(name[1:])
        for name in read_monotone(dict.fromkeys(GIVEN, 1), COLUMNS, np.array([0, 1]))[0]
    ],
}


@pytest.mark.parametrize("what", LOOK_UPS)
def test_each_name_is_compared_a_few_times(what: str) -> None:
    Name.n_compared = 0
    assert list(LOOK_UPS[what]()) == list(range(N))
    assert Name.n_compared < 20 * N
