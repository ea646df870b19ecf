"""What rows hold, as numbers that neither their order nor names nor units decide.

Rows that lie in parts cannot be sorted, but sums over them are the same wherever they lie. First
come the cases of each class and code: they give every class, column and level a key. These make a
key for each row, and sums of the rows' keys tell apart what counts do not. Columns, levels and
classes then have an order of their own, and rows a name by which to choose among them.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bsnsing.engine.base import CaseCounts
from bsnsing.engine.parts import EncodedPart
from bsnsing.engine.workers import cheap

Keys = NDArray[np.uint64]


@dataclass(frozen=True, slots=True, eq=False)
class Repeats:
    """How often a row occurs, and what else its weight tells of it.

    Whole weights are repeats. Others tell rows apart, by rank: units of weights do not matter.
    """

    weights: NDArray[np.int64] | None = None  # different ones, ascending
    ranks: Keys | None = None  # of each of them

    @classmethod
    def of(cls, weights: NDArray[np.int64] | None, unit: float) -> Repeats:
        """Judge by the different weights that rows have, in whole numbers of a unit."""
        if weights is None or unit == 1.0:
            return cls()
        different = np.unique(weights)
        # Other units round weights a little differently.
        ranks = np.unique((different / unit).round(9), return_inverse=True)[1]
        return cls(different, ranks.astype(np.uint64))

    def counts(self, part: EncodedPart) -> NDArray[np.int64]:
        """How often each row occurs."""
        if part.counts is None or self.weights is not None:
            return np.ones(part.n_rows, dtype=np.int64)
        return part.counts

    def keys(self, part: EncodedPart) -> Keys:
        """What the weights of rows add to their keys."""
        if part.counts is None or self.weights is None or self.ranks is None:
            return np.zeros(part.n_rows, dtype=np.uint64)
        return self.ranks[np.searchsorted(self.weights, part.counts)]


# --- Keys of rows, by what was counted of all ---


def count_codes(
    part: EncodedPart, *, n_codes: Sequence[int], n_labels: int, repeats: Repeats
) -> list[CaseCounts]:
    """Count, per column, the rows of each label and code; the last code stands for missing."""
    n_rows, labels = repeats.counts(part), part.labels.astype(np.intp)
    counted = []
    for codes, n in zip(part.codes[: len(n_codes)], n_codes, strict=True):
        own = np.zeros(n_labels * (n + 1), dtype=np.int64)
        np.add.at(own, labels * (n + 1) + codes, n_rows)
        counted.append(own.reshape(n_labels, n + 1))
    return counted


@dataclass(frozen=True, slots=True, eq=False)
class KeyTables:
    """Keys of cells and labels, of which those of rows are made."""

    cells: tuple[Keys | None, ...]  # per column, by code; None where the column does not count
    # Columns whose keys are the same: they repeat each other, or are counted the same by chance.
    alike: tuple[tuple[int, ...], ...]
    tied: tuple[int, ...]  # columns in which some levels have the same key
    labels: Keys

    def without(self, columns: Collection[int]) -> KeyTables:
        """Let some columns not count."""
        cells = tuple(None if i in columns else own for i, own in enumerate(self.cells))
        return replace(self, cells=cells)


def key_tables(counted: Sequence[CaseCounts], has_levels: Sequence[bool]) -> KeyTables:
    """Make keys from what was counted of each column; one that is constant does not count."""
    labels = mixed(counted[0].sum(axis=1).astype(np.uint64))
    cells: list[Keys | None] = []
    columns: dict[int, list[int]] = {}
    tied = list[int]()
    for place, (counts, is_levels) in enumerate(zip(counted, has_levels, strict=True)):
        occurs = counts.any(axis=0)
        if occurs.sum() <= 1:
            cells.append(None)
            continue
        # Levels have no order, so that a level's key is what was counted of it.
        own = mixed((counts.astype(np.uint64) * mixed(labels)[:, None]).sum(axis=0))
        codes = np.arange(counts.shape[1], dtype=np.uint64)
        codes[-1] = _MISSING
        own = own if is_levels else mixed(own + mixed(codes))
        own[-1] = _MISSING
        if len(np.unique(own[occurs])) < occurs.sum():
            tied.append(place)
        of_column = mixed(np.array([_sum(mixed(own) * occurs) + is_levels], np.uint64))
        columns.setdefault(int(of_column[0]), []).append(place)
        cells.append(mixed(own + of_column))
    alike = tuple(tuple(own) for own in columns.values() if len(own) > 1)
    return KeyTables(tuple(cells), alike, tuple(tied), labels)


def print_columns(
    part: EncodedPart, *, columns: Sequence[int], n_codes: Sequence[int]
) -> list[Keys]:
    """Sum up, by code of some columns, numbers that differ between rows that do.

    Columns repeat each other if and only if their sums are the same.
    """
    rows = part.labels.astype(np.uint64)
    for codes in part.codes[: len(n_codes)]:
        rows = mixed(rows + codes)
    return [_sums_by(part.codes[place], rows, n_codes[place] + 1) for place in columns]


def repeated_columns(
    prints: Mapping[int, Keys], tables: KeyTables, has_levels: Sequence[bool]
) -> set[int]:
    """Columns that tell rows apart just as an earlier one of the same keys does."""
    repeated = set[int]()
    for group in tables.alike:
        seen = set[tuple[Any, ...]]()
        for place in group:
            *own, missing = prints[place].tolist()
            codes = [0] * len(own) if has_levels[place] else range(len(own))  # levels have no order
            told = (missing, *sorted(both for both in zip(codes, own, strict=True) if both[1]))
            if told in seen:
                repeated.add(place)
            seen.add(told)
    return repeated


def row_keys(part: EncodedPart, *, tables: KeyTables, repeats: Repeats) -> Keys:
    """Return the key of each row by what was counted, in which some may not differ that do."""
    keys = repeats.keys(part) + mixed(tables.labels)[part.labels]
    for codes, cells in zip(part.codes, tables.cells, strict=False):
        if cells is not None:
            keys += cells[codes]
    return mixed(keys)


# --- The order of columns, levels and classes ---


def sum_keys(
    part: EncodedPart, keys: Keys, *, n_codes: Sequence[int], n_labels: int, repeats: Repeats
) -> list[Keys]:
    """Sum up the keys of rows: by label, and then of each column by code."""
    weighted = mixed(keys) * repeats.counts(part).astype(np.uint64)
    own_codes = [part.labels, *part.codes[: len(n_codes)]]
    sizes = [n_labels, *(n + 1 for n in n_codes)]
    return [_sums_by(own, weighted, n) for own, n in zip(own_codes, sizes, strict=True)]


def _sums_by(codes: NDArray[Any], keys: Keys, size: int) -> Keys:
    sums = np.zeros(size, dtype=np.uint64)
    np.add.at(sums, codes, keys)
    return sums


@dataclass(frozen=True, slots=True, eq=False)
class CanonicalOrder:
    """Which columns, levels and labels come where, by what they tell apart alone."""

    columns: NDArray[np.intp]  # those that tell something, and not what an earlier one does
    levels: tuple[NDArray[np.intp] | None, ...]  # of each of them; None where it has none
    labels: NDArray[np.intp]
    n_given: int  # columns
    label_keys: Keys  # of the labels as they were given, no two the same
    # Of columns whose codes the keys of rows do not tell apart: other keys, which do.
    cell_keys: Mapping[int, Keys]

    def recoded(self, part: EncodedPart) -> EncodedPart:
        """Return a part in this order; pairs stay behind the columns."""
        place = np.argsort(self.labels).astype(np.int32)
        codes = []
        for column, levels in zip(self.columns.tolist(), self.levels, strict=True):
            own = part.codes[column]
            if levels is not None:  # what is missing stays behind the last
                own = np.append(np.argsort(levels), len(levels)).astype(own.dtype)[own]
            codes.append(own)
        codes += part.codes[self.n_given :]
        return EncodedPart(codes, place[part.labels], part.counts)


def canonical_order(
    sums: Sequence[Keys],
    has_levels: Sequence[bool],
    tables: KeyTables,
    repeated: Collection[int],
    *,
    keeps_all: bool,
) -> CanonicalOrder:
    """Put columns, levels and labels in order; equals stay as they were given."""
    labels, *columns = sums
    keys, kept = list[int](), list[int]()
    for place, (own, is_levels) in enumerate(zip(columns, has_levels, strict=True)):
        if keeps_all or (np.count_nonzero(own) > 1 and place not in repeated):
            kept.append(place)
            keys.append(_column_key(own, is_levels))
    if not kept:
        kept, keys = [0], [0]
    order = np.array(kept, dtype=np.intp)[np.argsort(np.array(keys, np.uint64), kind="stable")]
    levels = tuple(
        np.argsort(mixed(columns[place][:-1]), kind="stable") if has_levels[place] else None
        for place in order
    )
    in_order = np.argsort(labels, kind="stable")
    groups = ([place for place in own if place not in repeated] for own in tables.alike)
    alike = {place for own in groups if len(own) > 1 for place in own}
    unclear = alike.union(tables.tied) - {*repeated}
    cell_keys = _told_apart({place: columns[place] for place in sorted(unclear)}, has_levels)
    label_keys = _unequal(mixed(labels))
    return CanonicalOrder(order, levels, in_order, len(columns), label_keys, cell_keys)


def _column_key(sums: Keys, is_levels: bool) -> int:
    codes = np.arange(len(sums), dtype=np.uint64)
    if is_levels:  # which have no order
        codes[:] = 0
    codes[-1] = _MISSING
    return _sum(mixed(sums + mixed(codes)) * (sums != 0))


def _told_apart(columns: Mapping[int, Keys], has_levels: Sequence[bool]) -> dict[int, Keys]:
    """Keys of cells, of which no two are the same."""
    of_columns = np.array(
        [_column_key(own, has_levels[i]) for i, own in columns.items()], np.uint64
    )
    return {
        place: mixed(mixed(_unequal(mixed(own))) + of_column)
        for (place, own), of_column in zip(columns.items(), _unequal(of_columns), strict=True)
    }


def _unequal(keys: Keys) -> Keys:
    """The same keys but for equals, which the order in which they were given tells apart."""
    order = np.argsort(keys, kind="stable")
    in_order = keys[order]
    n_before = np.empty(len(keys), dtype=np.uint64)
    n_before[order] = np.arange(len(keys)) - np.searchsorted(in_order, in_order)
    return np.where(n_before > 0, mixed(keys + n_before), keys)


@cheap
def with_labels(part: EncodedPart, keys: Keys, *, labels: Keys, cells: Mapping[int, Keys]) -> Keys:
    """Return the keys of rows, by which rows that differ in anything differ."""
    found = keys + labels[part.labels]
    for place, own in cells.items():
        found += own[part.codes[place]]
    return mixed(found)


def mixed(keys: Keys) -> Keys:
    """Numbers that look random, each decided by one of the keys alone (splitmix64)."""
    found = keys + np.uint64(0x9E3779B97F4A7C15)
    found = (found ^ (found >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    found = (found ^ (found >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return found ^ (found >> np.uint64(31))


_MISSING = np.uint64(0xFFFF_FFFF)


def _sum(keys: Keys) -> int:
    return int(keys.sum(dtype=np.uint64))
