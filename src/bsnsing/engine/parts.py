"""The work on one part of the rows: codes, counts and splits, as plain functions.

An encoded part has a small integer per cell. Native engines count it; what they hold is never
changed, so that every function here gives the same for the same arguments, however often it is
called.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from bsnsing import _core
from bsnsing.data.cases import Cases
from bsnsing.engine.base import CaseCounts
from bsnsing.engine.workers import cheap
from bsnsing.questions.coded import CodedQuestion, CodedRule

# (kind, n_codes, has_missing, values, lowest) of a column, as a ColumnSchema keeps it.
Shape: TypeAlias = tuple[int, int, bool, Sequence[float], Sequence[float]]
KINDS = ("numeric", "boolean", "categorical")

_ASK = _core.AskOptions(n_segments=1, max_levels=1, max_values_as_levels=1, bin_size=1.0)
_SEARCH = _core.SearchOptions(
    max_rules=1,
    criterion="gini",
    operators=("or",),
    min_samples_leaf=1.0,
    distinct_children=False,
    time_limit=float("inf"),
    n_threads=1,
)
# Counts up to here travel in four bytes.
_SHORT = 2**31 - 1


@dataclass(frozen=True, slots=True, eq=False)
class EncodedPart:
    """Rows as codes, column after column; one code more than there are stands for missing."""

    codes: list[NDArray[Any]]
    labels: NDArray[np.int32]
    counts: NDArray[np.int64] | None  # None if every row is one case
    # Where a teacher has a say: what each row counts as a case of each label, in place of both.
    soft: NDArray[np.int64] | None = None
    # Whole numbers that are summed up by node, a line for each row.
    tallies: NDArray[np.int64] | None = None

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return len(self.labels)

    def take(self, rows: NDArray[np.int64]) -> EncodedPart:
        """Return some of the rows, in the order in which they are named."""
        if len(rows) == self.n_rows and bool((np.diff(rows) > 0).all()):
            return self
        arrays = (self.counts, self.soft, self.tallies)
        return EncodedPart(
            [codes[rows] for codes in self.codes],
            self.labels[rows],
            *(None if array is None else array[rows] for array in arrays),
        )

    def __sizeof__(self) -> int:
        arrays = (self.labels, self.counts, self.soft, self.tallies, *self.codes)
        return sum(array.nbytes for array in arrays if array is not None)


def joined(pieces: Sequence[EncodedPart]) -> EncodedPart:
    """Put the rows of several parts together."""
    first, *others = [piece for piece in pieces if piece.n_rows > 0] or pieces[:1]
    if not others:
        return first
    kept = [first, *others]

    def together(arrays: Sequence[NDArray[Any] | None]) -> Any:
        known = [array for array in arrays if array is not None]
        return np.concatenate(known) if known else None

    return EncodedPart(
        # In memory that the next ones can have: fresh memory takes longer than to copy.
        [_core.join_codes(codes) for codes in zip(*(piece.codes for piece in kept), strict=True)],
        together([piece.labels for piece in kept]),
        together([piece.counts for piece in kept]),
        together([piece.soft for piece in kept]),
        together([piece.tallies for piece in kept]),
    )


# --- From cases to codes ---


def encode_levels(cases: Cases, columns: Sequence[int]) -> list[NDArray[Any]]:
    """Turn the levels of some columns of a part into codes; missing is one more than there are."""
    coded = []
    for column in (cases.table.columns[i] for i in columns):
        n_levels, levels = len(column.info.levels), column.codes()
        coded.append(np.where(levels < 0, n_levels, levels).astype(_code_type(n_levels)))
    return coded


def _code_type(n_codes: int) -> type[np.unsignedinteger[Any]]:
    return np.uint8 if n_codes < 2**8 else np.uint16 if n_codes < 2**16 else np.uint32


def make_schema(shapes: Sequence[Shape]) -> _core.ColumnSchema:
    """Describe columns to the native code."""
    schema = _core.ColumnSchema.__new__(_core.ColumnSchema)
    schema.__setstate__([(k, n, m, list(v), list(low)) for k, n, m, v, low in shapes])
    return schema


# --- The open nodes of a part ---


@dataclass(frozen=True, slots=True, eq=False)
class Coding:
    """What codes and labels stand for, in all parts."""

    schema: _core.ColumnSchema
    class_of: NDArray[np.int32]  # the class that each label is counted as
    n_classes: int

    def cases_of(
        self, part: EncodedPart
    ) -> tuple[NDArray[np.intp] | None, NDArray[np.int32], NDArray[np.int64] | None]:
        """The rows of cases, where some have several or none, their classes and their weights."""
        if part.soft is None:
            return None, self.class_of[part.labels], part.counts
        weights = np.zeros((part.n_rows, self.n_classes), dtype=np.int64)
        for label, position in enumerate(self.class_of.tolist()):
            weights[:, position] += part.soft[:, label]
        rows, classes = np.nonzero(weights)
        return rows, classes.astype(np.int32), weights[rows, classes]


def once(rows: NDArray[np.int64], row_of: NDArray[np.int64] | None) -> NDArray[np.int64]:
    """The rows that ascending cases are of, each once."""
    if row_of is None:
        return rows
    own: NDArray[np.int64] = row_of[rows]
    return own[np.diff(own, prepend=-1) > 0]


class Place(NamedTuple):
    """Where the rows of a node are: a node of an engine, whose rows stand for those of a part."""

    engine: _core.Engine
    node: int
    row_of: NDArray[np.int64] | None  # None if they are the same


@dataclass(frozen=True, slots=True, eq=False)
class PartNodes:
    """The rows of each open node in a part."""

    part: EncodedPart
    coding: Coding
    places: dict[int, Place | None]  # None where a node has no rows here

    def rows(self, node: int) -> NDArray[np.int64]:
        """Numbers of a node's rows, ascending."""
        place = self.places[node]
        if place is None:
            return np.empty(0, dtype=np.int64)
        (rows,) = place.engine.rows_of([place.node])
        return once(rows, place.row_of)

    def take(self, node: int) -> EncodedPart:
        """Return a node's rows, in any order."""
        part, place = self.part, self.places[node]
        if place is None or part.counts is not None or part.soft is not None:
            return part.take(self.rows(node))
        # Its cells lie side by side already.
        numbers, codes = place.engine.cells(place.node)
        rows = numbers if place.row_of is None else place.row_of[numbers]
        tallies = None if part.tallies is None else part.tallies[rows]
        return EncodedPart(codes, part.labels[rows], None, None, tallies)

    def __sizeof__(self) -> int:
        # Codes and a row number for each case; soft labels make several of a row.
        n_bytes = sum(codes.itemsize for codes in self.part.codes) + 4
        soft = self.part.soft
        return n_bytes * (self.part.n_rows if soft is None else int(np.count_nonzero(soft)))

    def __reduce__(self) -> tuple[Any, ...]:
        return _reopened, (self.part, self.coding, {node: self.rows(node) for node in self.places})


@cheap
def open_root(part: EncodedPart, *, coding: Coding) -> PartNodes:
    """All rows are in node 0."""
    return PartNodes(part, coding, {0: _place(part, None, coding)})


def _reopened(part: EncodedPart, coding: Coding, rows: dict[int, NDArray[np.int64]]) -> PartNodes:
    return PartNodes(part, coding, {node: _place(part, own, coding) for node, own in rows.items()})


def _place(part: EncodedPart, rows: NDArray[np.int64] | None, coding: Coding) -> Place | None:
    own = part if rows is None else part.take(rows)
    if own.n_rows == 0:
        return None
    row_of, columns, cases = coded_cases(own, coding)
    engine = _core.Engine(columns, cases, ask=_ASK, search=_SEARCH)
    if row_of is not None and rows is not None:
        return Place(engine, 0, rows[row_of])
    return Place(engine, 0, row_of if rows is None else rows)


def coded_cases(
    part: EncodedPart,
    coding: Coding,
    unit: float = 1.0,
    class_weights: list[float] | None = None,
) -> tuple[NDArray[np.intp] | None, _core.ColumnList, _core.Cases]:
    """What a native engine takes: the rows of its cases, their columns and their classes."""
    row_of, classes, weights = coding.cases_of(part)
    codes = part.codes if row_of is None else [own[row_of] for own in part.codes]
    columns = _core.ColumnList()
    # What came over a network may lie at odd addresses.
    readable = [np.require(own, requirements=["C", "A"]) for own in codes]
    columns.add_codes(coding.schema, readable)
    cases = _core.Cases(
        np.ascontiguousarray(classes),
        n_classes=coding.n_classes,
        weights=None if weights is None else np.ascontiguousarray(weights),
        unit=unit,
        class_weights=class_weights,
    )
    return row_of, columns, cases


class _Here(NamedTuple):
    """Nodes that one engine has: their positions among those wanted, and its numbers for them."""

    engine: _core.Engine
    positions: list[int]
    numbers: list[int]
    row_of: list[NDArray[np.int64] | None]


def _by_engine(nodes: PartNodes, wanted: Sequence[int]) -> list[_Here]:
    found: dict[int, _Here] = {}
    for position, node in enumerate(wanted):
        place = nodes.places[node]
        if place is not None:
            own = found.setdefault(id(place.engine), _Here(place.engine, [], [], []))
            own.positions.append(position)
            own.numbers.append(place.node)
            own.row_of.append(place.row_of)
    return list(found.values())


# --- Counts, which add up over parts ---


def histograms(nodes: PartNodes, *, wanted: Sequence[int]) -> CaseCounts:
    """Count the cases of each class and code, per node; the columns' codes lie side by side."""
    schema = nodes.coding.schema
    n_codes = sum(schema.n_codes(c) + 1 for c in range(schema.n_columns))
    counted = np.zeros((len(wanted), nodes.coding.n_classes, n_codes), dtype=np.int64)
    for here in _by_engine(nodes, wanted):
        found = here.engine.histograms(here.numbers)
        for position, columns in zip(here.positions, found, strict=True):
            np.concatenate(columns, axis=1, out=counted[position])
    return _shortened(counted)


def pair_counts(
    nodes: PartNodes, *, wanted: Sequence[int], questions: Sequence[Sequence[CodedQuestion]]
) -> list[CaseCounts]:
    """Count the cases of each class that answer yes to both of any two questions.

    Per node and class, each pair once: see :func:`both_ways`.
    """
    n_classes = nodes.coding.n_classes
    sizes = [len(asked) * (len(asked) + 1) // 2 for asked in questions]
    counted: list[CaseCounts] = [np.zeros((n_classes, size), np.int64) for size in sizes]
    for here in _by_engine(nodes, wanted):
        asked = [questions[position] for position in here.positions]
        found = here.engine.pair_counts(here.numbers, asked)
        for position, counts in zip(here.positions, found, strict=True):
            above = np.triu_indices(len(questions[position]))
            counted[position] = _shortened(counts[:, above[0], above[1]])
    return counted


def both_ways(counts: CaseCounts, n_questions: int) -> CaseCounts:
    """Counts of pairs, each of which is there once, as (n_classes, n_questions, n_questions)."""
    both = np.empty((len(counts), n_questions, n_questions), dtype=np.int64)
    first, second = np.triu_indices(n_questions)
    both[:, first, second] = counts
    both[:, second, first] = counts
    return both


def rule_counts(
    nodes: PartNodes, *, wanted: Sequence[int], rules: Sequence[Sequence[CodedRule]]
) -> list[CaseCounts]:
    """Count the cases of each class that answer yes to each rule."""
    counted = [np.zeros((len(given), nodes.coding.n_classes), np.int64) for given in rules]
    for here in _by_engine(nodes, wanted):
        given = [rules[position] for position in here.positions]
        found = here.engine.rule_counts(here.numbers, given)
        for position, counts in zip(here.positions, found, strict=True):
            counted[position] = counts
    return counted


def tallies(nodes: PartNodes, *, wanted: Sequence[int]) -> NDArray[np.int64]:
    """Sum up the tallies of each node's rows."""
    assert nodes.part.tallies is not None
    own = nodes.part.tallies
    return np.stack([own[nodes.rows(node)].sum(axis=0, dtype=np.int64) for node in wanted])


def _shortened(counts: CaseCounts) -> CaseCounts:
    """The same numbers, in half the bytes where these hold them."""
    return counts.astype(np.int32) if counts.max(initial=0) <= _SHORT else counts


def add_up(several: Sequence[Any]) -> Any:
    """Add up counts of some parts: arrays, or lists of lists of them."""
    if not isinstance(several[0], np.ndarray):
        return [add_up(own) for own in zip(*several, strict=True)]
    dtype = np.int64 if several[0].dtype.kind == "i" else several[0].dtype
    total = np.sum(several, axis=0, dtype=dtype)
    is_short = any(own.dtype == np.int32 for own in several)
    return _shortened(total) if is_short else total


# --- Splits ---


def split(
    nodes: PartNodes,
    *,
    parted: Sequence[int],
    rules: Sequence[CodedRule],
    children: Sequence[tuple[int, int]],
    closed: Sequence[int] = (),
) -> PartNodes:
    """Part the rows of nodes by their rules, and forget those of nodes that stay leaves."""
    branches = {
        id(place.engine): place.engine.branch()
        for node in (*parted, *closed)
        if (place := nodes.places[node]) is not None
    }
    places: dict[int, Place | None] = {
        node: place and place._replace(engine=branches.get(id(place.engine), place.engine))
        for node, place in nodes.places.items()
        if node not in {*parted, *closed}
    }
    places |= dict.fromkeys(child for pair in children for child in pair)
    for here in _by_engine(nodes, parted):
        branch = branches[id(here.engine)]
        found = branch.split(here.numbers, [rules[position] for position in here.positions])
        for position, pair, row_of in zip(here.positions, found, here.row_of, strict=True):
            for child, number in zip(children[position], pair, strict=True):
                if sum(branch.class_totals(number)) > 0:
                    places[child] = Place(branch, number, row_of)
    for here in _by_engine(nodes, closed):
        branches[id(here.engine)].close(here.numbers)
    return PartNodes(nodes.part, nodes.coding, places)


@cheap
def take_nodes(nodes: PartNodes, *, wanted: Sequence[int]) -> list[EncodedPart]:
    """Take the rows of some nodes."""
    return [nodes.take(node) for node in wanted]


@cheap
def take_all(part: EncodedPart) -> list[EncodedPart]:
    """Take all rows, which are those of the root."""
    return [part]
