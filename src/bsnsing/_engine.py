"""From a table to the native engine that counts, asks, searches and parts its rows."""

from __future__ import annotations

import itertools
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from bsnsing import _core
from bsnsing._columns import Column
from bsnsing._questions import Fields
from bsnsing._table import Table
from bsnsing._weights import CaseWeights
from bsnsing.constraints import SubjectLimits


@dataclass(frozen=True, slots=True, kw_only=True)
class EngineOptions:
    """What the engine needs to know of the parameters; see BsnsingClassifier for each."""

    criterion: str = "gini"
    operators: tuple[str, ...] = ("or",)
    max_rules: int = 2
    min_samples_leaf: float = 1.0
    distinct_children: bool = False
    time_limit: float = np.inf
    greedy_level: float | None = None
    n_segments: int = 20
    max_levels: int = 30
    max_values_as_levels: int = 10
    bin_size: float = 5.0
    own_questions: bool = True
    extra_questions: Sequence[Fields] = field(default_factory=list)
    class_weight: NDArray[np.float64] | None = None
    limits: SubjectLimits | None = None  # over columns
    given_only: Collection[int] = ()  # columns that extra questions alone are about
    n_threads: int = 1


def encode_table(
    table: Table,
    *,
    max_bins: int | None = None,
    unbinned: Collection[int] = (),
    counts: NDArray[np.int64] | None = None,
    n_threads: int = 1,
) -> _core.ColumnList:
    """Turn each column into integer codes, a few columns at a time.

    Numeric columns with more than ``max_bins`` values are cut into bins of about equal numbers of
    cases, but for those at the positions ``unbinned``; ``counts`` are the cases of each row.
    """
    columns = _core.ColumnList()
    for (is_categorical, is_exact), run in itertools.groupby(
        enumerate(table.columns),
        key=lambda item: (item[1].info.kind == "categorical", item[0] in unbinned),
    ):
        if is_categorical:
            for _, column in run:
                columns.add_levels(column.codes(), len(column.info.levels))
        else:
            bins = 0 if is_exact or max_bins is None else max_bins
            # Groups keep what is made dense at a time small; a line of cache holds 64 bytes.
            for group in _groups((column for _, column in run), 64 * n_threads):
                numbers = [column.native_numbers() for column in group]
                columns.add_numbers(numbers, bins, counts, n_threads)
    return columns


def _groups(columns: Iterable[Column], size: int) -> Iterator[list[Column]]:
    iterator = iter(columns)
    while group := list(itertools.islice(iterator, size)):
        yield group


def make_engine(
    columns: _core.ColumnList,
    codes: NDArray[np.int32],
    n_classes: int,
    weights: CaseWeights,
    options: EngineOptions,
) -> _core.Engine:
    """Make an engine over encoded columns, which it takes over."""
    limits = options.limits
    forbidden = [] if limits is None else np.flatnonzero(~limits.allowed).tolist()
    class_weights = None if options.class_weight is None else options.class_weight.tolist()
    return _core.Engine(
        columns,
        codes,
        n_classes,
        weights.counts,
        weights.unit,
        class_weights,
        options.criterion,
        list(options.operators),
        options.max_rules,
        options.min_samples_leaf,
        options.distinct_children,
        options.time_limit,
        options.greedy_level,
        options.n_segments,
        options.max_levels,
        options.max_values_as_levels,
        options.bin_size,
        options.own_questions,
        [q for q in options.extra_questions if limits is None or limits.allowed[q[0]]],
        options.n_threads,
        [*forbidden, *options.given_only],
        [] if limits is None else [(c.tolist(), low, high) for c, low, high in limits.linear],
        limits is not None and limits.column_of is not None,
    )
