"""From a table to integer codes, column by column, as engines hold it."""

from __future__ import annotations

import itertools
from collections.abc import Collection, Iterable, Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from bsnsing import _core
from bsnsing.data.columns import Column
from bsnsing.data.table import Table
from bsnsing.questions.pair import ColumnPair, pair_columns


def encode_table(
    table: Table,
    pairs: Sequence[ColumnPair] = (),
    *,
    max_bins: int | None = None,
    unbinned: Collection[int] = (),
    counts: NDArray[np.int64] | None = None,
    n_threads: int = 1,
) -> _core.ColumnList:
    """Turn each column, and then each pair, into integer codes, a few at a time.

    Numeric columns with more than ``max_bins`` values are cut into bins of about equal numbers of
    cases, but for those at the positions ``unbinned``; ``counts`` are the cases of each row.
    """
    encoded = _core.ColumnList()
    columns = table.columns + pair_columns(table, pairs)
    for (is_categorical, is_exact), run in itertools.groupby(
        enumerate(columns),
        key=lambda item: (item[1].info.kind == "categorical", item[0] in unbinned),
    ):
        if is_categorical:
            for _, column in run:
                encoded.add_levels(column.codes(), len(column.info.levels))
        else:
            bins = 0 if is_exact or max_bins is None else max_bins
            # Groups keep what is made dense at a time small; a line of cache holds 64 bytes.
            for group in _groups((column for _, column in run), 64 * n_threads):
                numbers = [column.native_numbers() for column in group]
                encoded.add_numbers(numbers, bins, counts, n_threads)
    return encoded


def _groups(columns: Iterable[Column], size: int) -> Iterator[list[Column]]:
    iterator = iter(columns)
    while group := list(itertools.islice(iterator, size)):
        yield group
