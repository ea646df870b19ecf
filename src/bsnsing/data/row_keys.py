"""row_keys(): a number for each row that its cells and its label alone decide."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from bsnsing.data.cases import Cases
from bsnsing.data.columns import Column


def row_keys(cases: Cases) -> NDArray[np.uint64]:
    """Return a number per row: the same for rows that hold the same, else almost never."""
    # Labels are spread out first: both they and codes of levels are small numbers, and a label 1 at
    # level 0 must not be taken for a label 0 at level 1.
    mixed = (cases.labels.astype(np.uint64) + np.uint64(1)) * np.uint64(0x94D049BB133111EB)
    mixed ^= mixed >> np.uint64(31)
    for column in cases.table.columns:
        cells = _cell_bits(column)
        mixed = (mixed ^ cells) * np.uint64(0x9E3779B97F4A7C15)
        mixed ^= mixed >> np.uint64(29)
    return mixed


def _cell_bits(column: Column) -> NDArray[np.uint64]:
    if column.info.kind == "categorical":
        return column.codes().astype(np.int64).view(np.uint64)
    numbers = np.ascontiguousarray(column.numbers()) + 0.0  # minus zero is zero
    numbers[np.isnan(numbers)] = np.nan
    bits = numbers.view(np.uint64)
    return (bits ^ (bits >> np.uint64(32))) * np.uint64(0xBF58476D1CE4E5B9)
