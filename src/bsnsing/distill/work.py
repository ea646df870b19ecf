"""About what a rule search costs, and which columns of a wide table it can afford."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from bsnsing.data.columns import Column, SparseCells
from bsnsing.data.table import Table
from bsnsing.distill.config import DistillConfig


def columns_to_ask(
    importances: NDArray[np.float64] | None,
    n_questions: NDArray[np.intp],
    n_rows: int,
    n_classes: int,
    config: DistillConfig,
) -> NDArray[np.bool_]:
    """Mark all columns or, where a search among them would take long, those that matter most.

    In tables of more rows than those with synthetic ones have, time grows with the rows.
    """
    everything = np.ones(len(n_questions), dtype=bool)
    n_rows = min(n_rows, config.most_rows)
    if importances is None or search_work(n_rows, n_questions.sum(), n_classes) <= config.most_work:
        return everything
    order = np.argsort(-importances, kind="stable")
    work = search_work(n_rows, np.cumsum(n_questions[order]), n_classes)
    asked = ~everything
    asked[order[work <= config.most_work]] = True
    asked[order[0]] = True
    return asked


def search_work(n_rows: int, n_questions: Any, n_classes: int, max_rules: int = 2) -> Any:
    """About what the search for a rule costs: rows times sets of questions, more for classes.

    With many classes each set takes longer and, beyond two questions, bounds exclude fewer.
    """
    n_sets = np.asarray(n_questions, dtype=np.float64) ** max_rules
    return n_rows * n_sets * (n_classes / 2) ** (max_rules - 1)


def count_questions(table: Table, n_segments: int, most_levels: int) -> NDArray[np.intp]:
    """About how many questions a search asks of each column."""
    return np.array([_most_questions(column, n_segments, most_levels) for column in table.columns])


def _most_questions(column: Column, n_segments: int, most_levels: int) -> int:
    """About how many questions a search asks of a column."""
    if column.info.kind == "categorical":
        return min(len(column.info.levels), most_levels)
    if column.info.kind == "boolean":
        return 1
    if isinstance(column.cells, SparseCells):
        return n_segments
    numbers = column.numbers()
    has_missing = bool(np.isnan(numbers).any())
    first = np.unique(numbers[: 20 * n_segments])  # enough to see that there are few values
    # Where cells are missing, a threshold does not serve both directions.
    return int(min(max(1, len(first) - 1), n_segments)) * (2 if has_missing else 1)
