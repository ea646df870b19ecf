"""What "auto" stands for: numbers that depend on the table, or on whether a teacher had a say."""

from __future__ import annotations

import math
from typing import cast

from bsnsing._table import Table

# What a leaf must save where a teacher has softened the labels of two classes: Gini impurity, in
# cases. The more classes, the fewer cases each has, and the price falls in proportion. In a
# large table there are more splits that save some by chance, the more so the less the teacher can
# explain: for each doubling of the first number of cases it must save the second times that share
# as much, where that is more.
_PRICE = 0.8
_LARGE, _PER_DOUBLING = 2000, 4.0
# With less noise than this, few cases are more likely to be more than chance, and the price falls
# in proportion, to no less than this share.
_QUIET, _LEAST_SHARE = 0.1, 0.5
# Where the teacher leaves more than this share of the impurity unexplained, but not all of it,
# what there is to find saves little, and the price falls: by the second number times the excess.
_HARDLY_EXPLAINED, _FALL = 0.7, 2.0

# Questions per rule, to begin with.
_MAX_RULES = 2

# Fewest real cases that each child needs with a teacher: made-up ones speak for them too.
_TAUGHT_LEAF = 2

# Cases that a parent's shares count for, with a teacher and without.
_SHRINKAGE = {True: 1.0, False: 10.0}

# Where labels abound, a forest is not asked: it would take minutes.
MANY_ROWS, _MANY_CELLS = 50_000, 5_000_000

# Thresholds per column: at least the first number, and with few numeric columns the second in all.
FEWEST_SEGMENTS, _ALL_SEGMENTS = 8, 128


def leaf_size(
    min_samples_leaf: str | float, n_cases: float, teachers_rows: int | None = None
) -> int:
    """Cases that each child needs; a teacher's leaves, where there is one, have so many rows."""
    if min_samples_leaf == "auto" and teachers_rows is not None:
        # Where a forest has to average over so many rows, one tree has to at least.
        return max(_TAUGHT_LEAF, teachers_rows)
    if min_samples_leaf == "sqrt" or (min_samples_leaf == "auto" and n_cases > MANY_ROWS):
        return max(1, math.isqrt(int(n_cases)))
    if min_samples_leaf == "auto":
        return max(1, math.floor(math.sqrt(math.sqrt(n_cases)) + 0.5))
    size = cast(float, min_samples_leaf)
    return int(size) if size >= 1 else max(1, math.ceil(size * n_cases))


def has_many_labels(table: Table, n_cases: float) -> bool:
    """Whether a forest would take minutes, and labels abound."""
    return n_cases > MANY_ROWS or n_cases * len(table.columns) > _MANY_CELLS


def price_per_leaf(n_cases: float, n_classes: int, noise: float, unexplained: float) -> float:
    """Impurity per case that each leaf must save, where a teacher has softened the labels.

    ``noise`` is how far labels are from what the teacher says of their rows, and ``unexplained``
    the same as a share of the labels' impurity.
    """
    n_doublings = math.log2(max(1.0, n_cases / _LARGE))
    share = min(1.0, max(_LEAST_SHARE, noise / _QUIET))
    cases = _PRICE * 2 / max(2, n_classes)
    if _HARDLY_EXPLAINED < unexplained < 1:
        cases *= 1 - _FALL * (unexplained - _HARDLY_EXPLAINED)
    return cases * max(share, _PER_DOUBLING * unexplained * n_doublings) / n_cases


def first_rule_size(max_rules: str | int) -> int:
    """Most questions per rule, to begin with."""
    return _MAX_RULES if max_rules == "auto" else int(max_rules)


def parent_cases(shrinkage: str | float, *, is_taught: bool) -> float:
    """Cases that a parent's class shares count for in those of its children."""
    return _SHRINKAGE[is_taught] if shrinkage == "auto" else float(shrinkage)


def most_thresholds(n_segments: str | int, table: Table, n_pairs: int = 0) -> int:
    """Most thresholds per numeric column, or pair of columns, and node."""
    if n_segments != "auto":
        return int(n_segments)
    n_numeric = n_pairs + sum(column.info.kind == "numeric" for column in table.columns)
    return max(FEWEST_SEGMENTS, _ALL_SEGMENTS // max(1, n_numeric))
