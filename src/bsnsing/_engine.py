"""From a table to the native engine that counts, asks, searches and parts its rows."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator

from bsnsing import _core
from bsnsing._columns import Column
from bsnsing._labels import read_labels
from bsnsing._params import ASK_OPTIONS, check_parameters
from bsnsing._questions import Fields, Pool, question_from_fields
from bsnsing._table import Table, read_training_table
from bsnsing._weights import CaseWeights, read_weights


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
    n_threads: int = 1


def encode_table(table: Table, n_threads: int = 1) -> _core.ColumnList:
    """Turn each column into integer codes, a few columns at a time."""
    columns = _core.ColumnList()
    for is_categorical, run in itertools.groupby(
        table.columns, key=lambda column: column.info.kind == "categorical"
    ):
        if is_categorical:
            for column in run:
                columns.add_levels(column.codes(), len(column.info.levels))
        else:
            # Groups keep what is made dense at a time small, and match the native cache blocking.
            for group in _groups(run, 8 * n_threads):
                columns.add_numbers([column.numbers() for column in group], n_threads)
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
        list(options.extra_questions),
        options.n_threads,
    )


def ask_root(X: Any, y: ArrayLike, **options: Any) -> Pool:
    """Ask the questions of a whole table; see ask_questions."""
    check_parameters("ask_questions", ASK_OPTIONS, options)
    table = read_training_table(BaseEstimator(), X, options["categorical_features"])
    labels, codes = read_labels(y, table.n_rows)
    target = options["target"]
    if target is not None and target not in labels:
        raise ValueError(
            f"target={target!r} is not a label of y. Choose one of {labels[:10].tolist()}."
        )
    engine = make_engine(
        encode_table(table),
        codes,
        max(2, len(labels)),
        read_weights(options["sample_weight"], table.n_rows),
        EngineOptions(
            n_segments=options["n_segments"],
            max_levels=options["max_levels"],
            max_values_as_levels=options["max_values_as_levels"],
            bin_size=options["bin_size"],
            operators=("or", "and") if options["negation"] else ("or",),
        ),
    )
    position = None if target is None else int(np.flatnonzero(labels == target)[0])
    fields, packed, rows = engine.ask(0, position)
    answers = np.zeros((table.n_rows, len(fields)), dtype=np.uint8)
    answers[rows] = packed
    return Pool([question_from_fields(f, table.info) for f in fields], answers)
