"""What "auto" stands for: numbers that depend on the table, or on whether a teacher had a say."""

from __future__ import annotations

import math
from typing import cast

from bsnsing._table import Table

# Where a teacher has softened the labels, and where none has: the Gini impurity, in cases, that a
# leaf must save, and the cases that a parent's shares count for.
_PRICE = {True: 0.8, False: 0.0}
_SHRINKAGE = {True: 1.0, False: 10.0}

# Where labels abound, a forest is not asked: it would take minutes.
_MANY_ROWS, _MANY_CELLS = 50_000, 5_000_000

# Thresholds per column: at least the first number, and with few numeric columns the second in all.
FEWEST_SEGMENTS, _ALL_SEGMENTS = 8, 128


def leaf_size(min_samples_leaf: str | float, n_cases: float) -> int:
    """Cases that each child needs."""
    if min_samples_leaf == "sqrt" or (min_samples_leaf == "auto" and n_cases > _MANY_ROWS):
        return max(1, math.isqrt(int(n_cases)))
    if min_samples_leaf == "auto":
        return max(1, math.floor(math.sqrt(math.sqrt(n_cases)) + 0.5))
    size = cast(float, min_samples_leaf)
    return int(size) if size >= 1 else max(1, math.ceil(size * n_cases))


def has_many_labels(table: Table, n_cases: float) -> bool:
    """Whether a forest would take minutes, and labels abound."""
    return n_cases > _MANY_ROWS or n_cases * len(table.columns) > _MANY_CELLS


def price_per_leaf(ccp_alpha: str | float, n_cases: float, *, is_taught: bool) -> float:
    """Impurity per case that each leaf must save."""
    return _PRICE[is_taught] / n_cases if ccp_alpha == "auto" else float(ccp_alpha)


def parent_cases(shrinkage: str | float, *, is_taught: bool) -> float:
    """Cases that a parent's class shares count for in those of its children."""
    return _SHRINKAGE[is_taught] if shrinkage == "auto" else float(shrinkage)


def most_thresholds(n_segments: str | int, table: Table) -> int:
    """Most thresholds per numeric column and node."""
    if n_segments != "auto":
        return int(n_segments)
    n_numeric = sum(column.info.kind == "numeric" for column in table.columns)
    return max(FEWEST_SEGMENTS, _ALL_SEGMENTS // max(1, n_numeric))
