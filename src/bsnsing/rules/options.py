"""SearchOptions and AskOptions: the checked parameters as the engines take them."""

from __future__ import annotations

import math
import os
from dataclasses import dataclass

from bsnsing import _core
from bsnsing.data.table import Table


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchOptions:
    """What a rule may be and what is minimised; see :func:`bsnsing.best_rule` for each."""

    max_rules: int = 2
    criterion: str = "gini_squared"
    operators: tuple[str, ...] = ("or",)
    min_samples_leaf: float = 1.0  # in cases
    distinct_children: bool = False
    time_limit: float = math.inf  # seconds per rule
    greedy_level: float | None = None  # greedy instead of exact search
    n_threads: int = 1

    def native(self) -> _core.SearchOptions:
        """The same for native code."""
        return _core.SearchOptions(
            max_rules=self.max_rules,
            criterion=self.criterion,
            operators=self.operators,
            min_samples_leaf=self.min_samples_leaf,
            distinct_children=self.distinct_children,
            time_limit=self.time_limit,
            greedy_level=self.greedy_level,
            n_threads=self.n_threads,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class AskOptions:
    """Which questions are asked of a node; see :func:`bsnsing.ask_questions` for each."""

    n_segments: int = 20
    max_levels: int = 30
    max_values_as_levels: int = 10
    bin_size: float = 5.0  # in cases

    def native(self) -> _core.AskOptions:
        """The same for native code."""
        return _core.AskOptions(
            n_segments=self.n_segments,
            max_levels=self.max_levels,
            max_values_as_levels=self.max_values_as_levels,
            bin_size=self.bin_size,
        )


# Thresholds per numeric column and node: at least the first number, and with few numeric columns
# the second in all.
FEWEST_SEGMENTS, _ALL_SEGMENTS = 8, 128


def n_thresholds(n_segments: int | str, table: Table, n_pairs: int = 0) -> int:
    """Most thresholds per numeric column, or pair of columns; "auto" is what suits a table."""
    if n_segments != "auto":
        return int(n_segments)
    n_numeric = n_pairs + sum(column.info.kind == "numeric" for column in table.columns)
    return max(FEWEST_SEGMENTS, _ALL_SEGMENTS // max(1, n_numeric))


def effective_n_threads(n_jobs: int | None) -> int:
    """Number of threads for ``n_jobs``: None is one, -1 all, -2 all but one, and so on."""
    if n_jobs is None:
        return 1
    if n_jobs > 0:
        return int(n_jobs)
    return max(1, (os.cpu_count() or 1) + 1 + int(n_jobs))


def seconds(time_limit: float | None) -> float:
    """Seconds that a search may take; None is no limit."""
    return math.inf if time_limit is None else float(time_limit)
