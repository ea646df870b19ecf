"""Synthetic rows, put together from cells of real ones."""

from __future__ import annotations

from typing import Any

import numpy as np

from bsnsing.data.columns import Column, SparseCells
from bsnsing.data.table import Table
from bsnsing.distill.config import DistillConfig
from bsnsing.distill.forest import MOST_SEEDS


def make_synthetic_rows(
    table: Table, most_rows: float, config: DistillConfig, random_state: np.random.RandomState
) -> Table:
    """Put rows together: each from one real row, some cells from others, column by column.

    With the real rows there are at most ``most_rows``.
    """
    n_rows = table.n_rows
    n_made = max(0, int(min(config.times_rows * n_rows, most_rows)) - n_rows)
    origin = np.resize(np.arange(n_rows), n_made)
    # Several times as fast as the older one, of which there are two numbers for each cell.
    drawn = np.random.Generator(np.random.SFC64(random_state.randint(MOST_SEEDS)))
    columns = []
    for column in table.columns:
        rows = origin.copy()
        swapped = np.flatnonzero(drawn.random(n_made, dtype=np.float32) < config.swap_chance)
        rows[swapped] = drawn.integers(n_rows, size=len(swapped))
        cells = column.cells
        taken = cells.take(rows) if isinstance(cells, SparseCells) else cells[rows]
        columns.append(Column(column.info, taken))
    return Table(tuple(columns), n_made)


def join_tables(first: Table, second: Table) -> Table:
    """The rows of the first table, then those of the second."""
    columns = []
    for a, b in zip(first.columns, second.columns, strict=True):
        if isinstance(a.cells, SparseCells) and isinstance(b.cells, SparseCells):
            cells: Any = SparseCells(
                np.concatenate([a.cells.rows, b.cells.rows + first.n_rows]),
                np.concatenate([a.cells.values, b.cells.values]),
                a.cells.filling,
                first.n_rows + second.n_rows,
            )
        else:
            cells = np.concatenate([a.cells, b.cells])
        columns.append(Column(a.info, cells))
    return Table(tuple(columns), first.n_rows + second.n_rows)
