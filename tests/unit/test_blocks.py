"""Columns in blocks: the same numbers as column by column."""

from __future__ import annotations

import numpy as np
import pytest

from bsnsing.data import blocks
from bsnsing.data.blocks import in_blocks, n_different, numeric_blocks, ranks_of
from bsnsing.data.columns import Column, ColumnInfo, SparseCells

NUMBERS = np.array([[3.0, np.nan, 1.0, 3.0, -0.0, 0.0], [np.nan] * 6, [2.0] * 6])


def test_ranks_start_at_one_and_are_zero_where_cells_are_missing() -> None:
    assert ranks_of(NUMBERS).tolist() == [[3, 0, 2, 3, 1, 1], [0] * 6, [1] * 6]


def test_missing_cells_count_as_one_number() -> None:
    assert n_different(NUMBERS).tolist() == [4, 1, 1]
    assert n_different(NUMBERS[:, :0]).tolist() == [0, 0, 0]
    random = np.random.RandomState(0)
    table = np.where(random.rand(40, 30) < 0.2, np.nan, random.randint(0, 9, (40, 30)))
    assert n_different(table).tolist() == [len(np.unique(line)) for line in table]


def test_blocks_hold_the_dense_numbers_and_nothing_else(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(blocks, "_BLOCK_CELLS", 7)
    cells = np.arange(12.0).reshape(4, 3)
    columns = [
        Column(ColumnInfo("a", "numeric"), cells[0]),
        Column(ColumnInfo("b", "categorical", ("x",)), np.zeros(3, np.int32)),
        Column(ColumnInfo("c", "boolean"), cells[1] > 4),
        Column(ColumnInfo("d", "numeric"), SparseCells(np.array([0]), np.array([1.0]), 0, 3)),
        Column(ColumnInfo("e", "numeric"), cells[3].astype(np.int8)),
    ]
    found = [(places.tolist(), own.tolist()) for places, own in numeric_blocks(columns, 3)]
    assert found == [([0, 2], [[0.0, 1.0, 2.0], [0.0, 0.0, 1.0]]), ([4], [[9.0, 10.0, 11.0]])]
    assert [own.tolist() for own in in_blocks([1, 2], 100)] == [[1], [2]]
