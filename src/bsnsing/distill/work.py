"""About what a rule search costs, and which columns of a wide table it can afford."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from bsnsing.data.blocks import n_different, numeric_blocks
from bsnsing.data.columns import Column, SparseCells
from bsnsing.data.table import Table
from bsnsing.distill.config import DistillConfig

# Cells per threshold at the head of a column, enough to see that there are few values.
_FIRST = 20


def columns_to_ask(
    importances: NDArray[np.float64] | None,
    n_questions: NDArray[np.intp],
    n_rows: int,
    config: DistillConfig,
) -> NDArray[np.bool_]:
    """Mark all columns or, where a search among them would take long, those that matter most.

    In tables of more rows than those with synthetic ones have, time grows with the rows.
    """
    everything = np.ones(len(n_questions), dtype=bool)
    n_rows = min(n_rows, config.most_rows)
    if importances is None or search_work(n_rows, n_questions.sum()) <= config.most_work:
        return everything
    order = np.argsort(-importances, kind="stable")
    work = search_work(n_rows, np.cumsum(n_questions[order]))
    asked = ~everything
    asked[order[work <= config.most_work]] = True
    asked[order[0]] = True
    return asked


def search_work(n_rows: int, n_questions: Any, n_classes: int = 2, max_rules: int = 2) -> Any:
    """About what the search for a rule costs: rows times sets of questions.

    With many classes bounds exclude fewer sets of more than two questions.
    """
    n_sets = np.asarray(n_questions, dtype=np.float64) ** max_rules
    return n_rows * n_sets * (n_classes / 2) ** max(0, max_rules - 2)


def count_questions(table: Table, n_segments: int, most_levels: int) -> NDArray[np.intp]:
    """About how many questions a search asks of each column."""
    counts = np.array(
        [_most_questions(column, n_segments, most_levels) for column in table.columns],
        dtype=np.intp,
    )
    for places, numbers in numeric_blocks(table.columns, table.n_rows):
        has_missing = np.asarray(np.isnan(numbers).any(axis=1))
        own = _thresholds(numbers[:, : _FIRST * n_segments], has_missing, n_segments)
        counts[places] = np.where(_are_boolean(table, places), 1, own)
    return counts


def _thresholds(
    numbers: NDArray[np.float64], has_missing: NDArray[np.bool_], n_segments: int
) -> NDArray[np.intp]:
    """About how many thresholds each line of numbers has."""
    n_asked = np.minimum(np.maximum(1, n_different(numbers) - 1), n_segments)
    # Where cells are missing, a threshold does not serve both directions.
    thresholds: NDArray[np.intp] = np.where(has_missing, 2 * n_asked, n_asked)
    return thresholds


def _are_boolean(table: Table, places: NDArray[np.intp]) -> NDArray[np.bool_]:
    return np.array([table.columns[place].info.kind == "boolean" for place in places])


def _most_questions(column: Column, n_segments: int, most_levels: int) -> int:
    """About how many questions a search asks of a column that is not of dense numbers."""
    if column.info.kind == "categorical":
        return min(len(column.info.levels), most_levels)
    if column.info.kind == "boolean" or not isinstance(column.cells, SparseCells):
        return 1
    return _sparse_thresholds(column.cells, n_segments)


def _sparse_thresholds(cells: SparseCells, n_segments: int) -> int:
    """The same as of dense cells."""
    values = cells.values.astype(np.float64)
    n_first = min(cells.n_rows, _FIRST * n_segments)
    first = values[cells.rows < n_first]
    if len(first) < n_first:
        first = np.append(first, cells.filling)
    has_missing = np.array([np.isnan(values).any()])
    return int(_thresholds(first[None, :], has_missing, n_segments)[0])
