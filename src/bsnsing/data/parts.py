"""Tables in parts: what each part says of itself, and what all of them agree on.

A part is read by itself, as if it were the whole table. What its cells mean depends on the other
parts: the classes, the levels, the kinds of columns and the unit of the weights. Parts tell these
facts, which are merged in any order, and are then made cases of one table.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import reduce
from typing import Any, TypeAlias

import narwhals.stable.v1 as nw
import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator

from bsnsing.data.align import align_column
from bsnsing.data.cases import Cases
from bsnsing.data.columns import Column, ColumnInfo, Kind, Level, SparseCells
from bsnsing.data.frames import is_frame, names_of, take_labels, with_rows_at_hand
from bsnsing.data.labels import read_labels
from bsnsing.data.scales import Scale
from bsnsing.data.table import CategoricalFeatures, Table, read_training_table
from bsnsing.data.weights import CaseWeights, read_relative_weights

# Whole weights up to this sum are counted as they are, so none need be scaled.
_LARGEST_WHOLE_SUM = 2.0**31


@dataclass(frozen=True, slots=True, eq=False)
class Part:
    """Some rows as they were read, with their own classes and levels."""

    number: int
    table: Table
    names: tuple[Any, ...] | None  # of the columns; None where they have none
    classes: NDArray[Any]
    labels: NDArray[np.int32]  # positions among these classes
    weights: NDArray[np.float64] | None

    def __sizeof__(self) -> int:
        own = self.labels.nbytes + (0 if self.weights is None else self.weights.nbytes)
        return self.table.__sizeof__() + own


@contextmanager
def named_part(number: int) -> Iterator[None]:
    """Say in which part something was wrong."""
    try:
        yield
    except (TypeError, ValueError) as error:
        message = f"{error} This is in part {number} (the first is 0)."
        raise type(error)(message) from error


def names_in(X: Any, y: Any = None) -> list[Any] | None:
    """Names of a part's columns but for that of the labels; None if it is no dataframe."""
    X = with_rows_at_hand(X)
    label = y if isinstance(y, str) else None
    return [name for name in names_of(X) if name != label] if is_frame(X) else None


def read_part(
    X: Any,
    y: Any,
    weights: Any = None,
    *,
    number: int,
    names: Sequence[Any] | None,
    categorical_features: CategoricalFeatures = "from_dtype",
) -> Part:
    """Read one part; its columns may come in another order than ``names``."""
    with named_part(number):
        X, y, _ = take_labels(X, y)
        X = _in_order(with_rows_at_hand(_readable(X)), names)
        n_rows = X.shape[0] if hasattr(X, "shape") else len(X)
        if n_rows == 0:
            nothing = np.empty(0, dtype=np.int32)
            own = None if names is None else tuple(names)
            return Part(number, Table((), 0), own, np.empty(0, dtype=object), nothing, None)
        reader = BaseEstimator()
        table = _readable_table(read_training_table(reader, X, categorical_features))
        own_names = getattr(reader, "feature_names_in_", None)
        classes, labels = read_labels(y, n_rows)
        return Part(
            number,
            table,
            None if own_names is None else tuple(own_names.tolist()),
            classes,
            labels,
            None if weights is None else _read_weights(weights, n_rows),
        )


def _readable(cells: Any) -> Any:
    """Arrays that came over a network may lie at odd addresses, which native code does not read.

    They are copied once, here, and not in each pass over the part.
    """
    return np.require(cells, requirements="A") if isinstance(cells, np.ndarray) else cells


def _readable_table(table: Table) -> Table:
    columns = (replace(column, cells=_readable(column.cells)) for column in table.columns)
    return replace(table, columns=tuple(columns))


def _in_order(X: Any, names: Sequence[Any] | None) -> Any:
    """Return a dataframe's columns in the order of ``names``, which are all of them."""
    if names is None or not is_frame(X):
        return X
    own = names_of(X)
    if own == list(names):
        return X
    if set(own) != set(names):
        lacks = ", ".join(repr(name) for name in names if name not in own)
        has = ", ".join(repr(name) for name in own if name not in set(names))
        found = [f"lacks {lacks}"] * bool(lacks) + [f"has the further {has}"] * bool(has)
        raise ValueError(
            f"The columns differ from those of other parts: it {' and '.join(found)}. "
            "Give all parts the same columns, in any order."
        )
    return nw.from_native(X, eager_only=True)[list(names)].to_native()


def _read_weights(weights: Any, n_rows: int) -> NDArray[np.float64]:
    own = np.asarray(weights, dtype=np.float64)
    if own.shape != (n_rows,):
        raise ValueError(
            f"sample_weight must have one weight for each of the {n_rows} rows. "
            f"Got shape {own.shape}."
        )
    return own


# --- What parts agree on first: classes, weights, kinds of columns ---


# A kind, that of a column without any cell, or what numbers stand for.
KindIn: TypeAlias = str | Scale


@dataclass(frozen=True, slots=True, eq=False)
class Facts:
    """What is known of some parts without their rows."""

    n_rows: int
    n_columns: int
    names: tuple[Any, ...] | None
    labels: tuple[NDArray[Any], ...]  # distinct labels of each dtype that occurs
    kinds: tuple[Mapping[KindIn, int], ...]  # of each column, and the first part that has the kind
    weights: tuple[NDArray[np.float64], NDArray[np.int64]] | None  # distinct, and their rows


def facts_of(part: Part) -> Facts:
    """What one part says."""
    weights = part.weights
    return Facts(
        part.table.n_rows,
        len(part.table.columns),
        part.names,
        (part.classes,) if part.table.n_rows else (),
        tuple({_kind_in(column): part.number} for column in part.table.columns),
        None if weights is None else np.unique(weights, return_counts=True),
    )


def _kind_in(column: Column) -> KindIn:
    """The kind of a column; of one without any cell, nothing is known but how it was read."""
    if column.info.scale is not None:
        return column.info.scale
    kind, cells = column.info.kind, column.cells
    if isinstance(cells, SparseCells) or kind == "boolean":
        return kind
    if kind == "categorical":
        return kind if column.info.levels else "empty categorical"
    # Of most columns the first cell tells.
    is_empty = cells.dtype.kind == "f" and bool(np.isnan(cells[0]) and np.isnan(cells).all())
    return "empty numeric" if is_empty else kind


def merge_facts(several: Sequence[Facts]) -> Facts:
    """What some parts say together; the order of the parts does not matter."""
    return reduce(_merged, several)


def _merged(one: Facts, other: Facts) -> Facts:
    if one.n_rows == 0 or other.n_rows == 0:
        return one if other.n_rows == 0 else other
    if one.n_columns != other.n_columns:
        few, many = sorted([one, other], key=lambda facts: facts.n_columns)
        raise ValueError(
            f"Part {min(few.kinds[0].values())} has {few.n_columns} columns, and part "
            f"{min(many.kinds[0].values())} has {many.n_columns}. Give all parts the same columns."
        )
    kinds = tuple(
        {kind: min(a.get(kind, b.get(kind, 0)), b.get(kind, a.get(kind, 0))) for kind in {**a, **b}}
        for a, b in zip(one.kinds, other.kinds, strict=True)
    )
    weights = one.weights if other.weights is None else other.weights
    if one.weights is not None and other.weights is not None:
        weights = add_up_values(one.weights, other.weights)
    by_dtype: dict[Any, list[NDArray[Any]]] = {}
    for labels in (*one.labels, *other.labels):
        by_dtype.setdefault(labels.dtype.kind, []).append(labels)
    labels_of_each = (
        np.array(list(dict.fromkeys(label for part in own for label in part.tolist())), object)
        if kind == "O"
        else np.unique(np.concatenate(own))
        for kind, own in by_dtype.items()
    )
    n_rows = one.n_rows + other.n_rows
    return Facts(n_rows, one.n_columns, one.names, tuple(labels_of_each), kinds, weights)


def add_up_values(
    one: tuple[NDArray[np.float64], NDArray[np.int64]],
    other: tuple[NDArray[np.float64], NDArray[np.int64]],
) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Merge two lists of distinct values with their numbers."""
    values, places = np.unique(np.concatenate([one[0], other[0]]), return_inverse=True)
    sums = np.zeros(len(values), dtype=np.int64)
    np.add.at(sums, places, np.concatenate([one[1], other[1]]))
    return values, sums


@dataclass(frozen=True, slots=True, eq=False)
class Agreed:
    """What the cells of all parts mean, but for levels."""

    n_rows: int
    names: tuple[str, ...]
    has_names: bool
    kinds: tuple[Kind, ...]
    scales: tuple[Scale | None, ...]
    classes: NDArray[Any]
    unit: float
    weights: NDArray[np.float64] | None  # distinct ones; None if every row is one case
    counts: NDArray[np.int64] | None  # what each of them counts


def agree(facts: Facts) -> Agreed:
    """Decide by all facts, and raise what reading the whole table would."""
    if facts.n_rows == 0:
        raise ValueError(
            "Found array with 0 sample(s) in all parts, while a minimum of 1 is required. "
            "Give at least one row."
        )
    names = facts.names or tuple(f"x{i}" for i in range(facts.n_columns))
    agreed = [_agreed_kind(*item) for item in zip(names, facts.kinds, strict=True)]
    kinds, scales = (tuple(own) for own in zip(*agreed, strict=True))
    own = facts.labels
    labels = own[0] if len(own) == 1 else np.concatenate([part.astype(object) for part in own])
    # Three of each: the check of labels takes many that occur once for numbers.
    classes, _ = read_labels(np.repeat(labels, 3), 3 * len(labels))
    weights, counts, unit = None, None, 1.0
    if facts.weights is not None:
        weights, counts, unit = _agreed_weights(*facts.weights)
    has_names = facts.names is not None
    return Agreed(facts.n_rows, names, has_names, kinds, scales, classes, unit, weights, counts)


def _agreed_kind(name: str, kinds: Mapping[KindIn, int]) -> tuple[Kind, Scale | None]:
    known = {kind: number for kind, number in kinds.items() if kind not in _EMPTY}
    if not known:
        return "categorical" if set(kinds) == {"empty categorical"} else "numeric", None
    scales = [kind for kind in known if isinstance(kind, Scale)]
    if scales and len(known) > 1:
        (one, first), (other, second) = sorted(known.items(), key=lambda item: item[1])[:2]
        raise ValueError(
            f"Column {name!r} holds {_in_words(one)} in part {first} and {_in_words(other)} in "
            f"part {second}. Convert it to one type."
        )
    if scales:
        return "numeric", scales[0]
    if "categorical" in known and len(known) > 1:
        other = next(kind for kind in known if kind != "categorical")
        raise ValueError(
            f"Column {name!r} holds text or categories in part {known['categorical']} and is "
            f"{other} in part {known[other]}. Convert it to one type, or name the column in "
            "categorical_features to take every value as a level."
        )
    if "categorical" in known:
        return "categorical", None
    return "boolean" if set(known) == {"boolean"} else "numeric", None


_EMPTY = ("empty categorical", "empty numeric")


def _in_words(kind: KindIn) -> str:
    if not isinstance(kind, Scale):
        return "text or categories" if kind == "categorical" else "numbers"
    if kind.kind == "order":
        return f"levels in the order {' < '.join(kind.levels[:8])}"
    return kind.words + (f" of the time zone {kind.zone}" if kind.zone else "")


def _agreed_weights(
    weights: NDArray[np.float64], n_rows: NDArray[np.int64]
) -> tuple[NDArray[np.float64] | None, NDArray[np.int64] | None, float]:
    """Scale the distinct weights as those of the whole table are."""
    is_whole = bool((weights == np.floor(weights)).all()) and weights[0] >= 0
    if is_whole and 0 < float(weights @ n_rows) < _LARGEST_WHOLE_SUM:
        return (None, None, 1.0) if (weights == 1).all() else (weights, weights.astype(int), 1.0)
    # The sum of fractions is rounded as that of all rows is, so here are all of them.
    all_rows = read_relative_weights(np.repeat(weights, n_rows), int(n_rows.sum()))
    if all_rows.counts is None:
        return None, None, all_rows.unit
    return weights, all_rows.counts[np.cumsum(n_rows) - 1], all_rows.unit


# --- Cases of one table ---


def cases_of(part: Part, agreed: Agreed) -> Cases:
    """Make a part's rows cases of the agreed classes, kinds and weights; levels are its own."""
    place = {label: i for i, label in enumerate(agreed.classes.tolist())}
    infos = agreed_info(agreed)
    if part.table.n_rows == 0:
        columns = (_empty_column(info) for info in infos)
        return Cases(Table(tuple(columns), 0), part.labels, _weights_in(part, agreed))
    positions = np.array([place[label] for label in part.classes.tolist()], dtype=np.int32)
    columns = (
        _of_kind(column, info) for column, info in zip(part.table.columns, infos, strict=True)
    )
    table = replace(part.table, columns=tuple(columns))
    return Cases(table, positions[part.labels], _weights_in(part, agreed)).with_weight()


def _empty_column(info: ColumnInfo) -> Column:
    return Column(info, np.empty(0, np.int32 if info.kind == "categorical" else float))


def _of_kind(column: Column, known: ColumnInfo) -> Column:
    info = replace(known, levels=column.info.levels)
    if (column.info.kind == "categorical") == (known.kind == "categorical"):
        return Column(info, column.cells)
    if known.kind == "categorical":  # no cell at all
        n_rows = len(column.numbers())
        return Column(info, np.full(n_rows, -1, dtype=np.int32))
    return Column(info, np.full(len(column.codes()), np.nan))


def _weights_in(part: Part, agreed: Agreed) -> CaseWeights:
    if agreed.weights is None or agreed.counts is None:
        return CaseWeights(None, agreed.unit)
    if part.weights is None:
        return CaseWeights(np.ones(part.table.n_rows, dtype=np.int64), agreed.unit)
    counts = agreed.counts[np.searchsorted(agreed.weights, part.weights)]
    return CaseWeights(counts, agreed.unit)


def levels_of(cases: Cases) -> list[set[Level]]:
    """The levels of each column."""
    return [set(column.info.levels) for column in cases.table.columns]


def merge_levels(several: Sequence[list[set[Level]]]) -> list[set[Level]]:
    """The levels of each column in some parts; if only some are Booleans, these are numbers."""
    merged = []
    for own in zip(*several, strict=True):
        found = list[Level](level for levels in own for level in levels)
        if not all(isinstance(level, bool) for level in found):
            found = [int(level) if isinstance(level, bool) else level for level in found]
        merged.append(set(found))
    return merged


def agreed_info(
    agreed: Agreed, levels: Sequence[Collection[Level]] | None = None
) -> tuple[ColumnInfo, ...]:
    """Describe the columns of the whole table, with their levels if these are known."""
    ordered = (
        tuple(sorted(own, key=lambda level: (isinstance(level, str), level)))
        for own in levels or [()] * len(agreed.names)
    )
    described = zip(agreed.names, agreed.kinds, ordered, agreed.scales, strict=True)
    return tuple(ColumnInfo(*own) for own in described)


def align_cases(cases: Cases, info: tuple[ColumnInfo, ...]) -> Cases:
    """Give a part the levels of the whole table."""
    columns = (
        align_column(column, known) if known.kind == "categorical" else Column(known, column.cells)
        for column, known in zip(cases.table.columns, info, strict=True)
    )
    return replace(cases, table=Table(tuple(columns), cases.table.n_rows))


def joined_cases(several: Sequence[Cases]) -> Cases:
    """Put the rows of parts, which have the same columns and levels, together."""
    first = several[0]
    columns = []
    for own in zip(*(cases.table.columns for cases in several), strict=True):
        is_levels = own[0].info.kind == "categorical"
        cells = [column.codes() if is_levels else _plain_cells(column) for column in own]
        columns.append(Column(own[0].info, np.concatenate(cells)))
    counts = [cases.weights.counts for cases in several]
    known = [own for own in counts if own is not None]
    weights = CaseWeights(np.concatenate(known) if known else None, first.weights.unit)
    labels = np.concatenate([cases.labels for cases in several])
    return Cases(Table(tuple(columns), len(labels)), labels, weights)


def _plain_cells(column: Column) -> NDArray[Any]:
    return column.numbers() if isinstance(column.cells, SparseCells) else column.cells
