"""What rows hold, as numbers that neither their order nor names nor units decide.

Rows that lie in parts cannot be sorted, but sums over them are the same wherever they lie. First
come the cases of each class and code: they give every class, column and level a key. These make a
key for each row, and sums of the rows' keys tell apart what counts do not. Columns, levels and
classes then have an order of their own, and rows a name by which to choose among them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

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

    cells: tuple[Keys | None, ...]  # per column, by code; None where all rows have one code
    # Columns whose keys are the same: if they repeat each other, one of them counts.
    alike: tuple[tuple[int, ...], ...]
    labels: Keys


def key_tables(counted: Sequence[CaseCounts], has_levels: Sequence[bool]) -> KeyTables:
    """Make keys from what was counted of each column."""
    labels = mixed(counted[0].sum(axis=1).astype(np.uint64))
    cells: list[Keys | None] = []
    columns: dict[int, list[int]] = {}
    for place, (counts, is_levels) in enumerate(zip(counted, has_levels, strict=True)):
        if (counts.any(axis=0)).sum() <= 1:
            cells.append(None)
            continue
        # Levels have no order, so that a level's key is what was counted of it.
        own = mixed((counts.astype(np.uint64) * mixed(labels)[:, None]).sum(axis=0))
        codes = np.arange(counts.shape[1], dtype=np.uint64)
        codes[-1] = _MISSING
        own = own if is_levels else mixed(own + mixed(codes))
        own[-1] = _MISSING
        of_column = mixed(np.array([_sum(mixed(own) * counts.any(axis=0)) + is_levels], np.uint64))
        columns.setdefault(int(of_column[0]), []).append(place)
        cells.append(mixed(own + of_column))
    alike = tuple(tuple(own) for own in columns.values() if len(own) > 1)
    return KeyTables(tuple(cells), alike, labels)


def row_keys(part: EncodedPart, *, tables: KeyTables, repeats: Repeats) -> Keys:
    """Return the key of each row but for its label, where labels have the same key."""
    keys = repeats.keys(part) + mixed(tables.labels)[part.labels]
    grouped = {place for own in tables.alike for place in own}
    for place, cells in enumerate(tables.cells):
        if cells is not None and place not in grouped:
            keys += cells[part.codes[place]]
    for group in tables.alike:
        own = [tables.cells[place] for place in group]
        found = np.sort(
            [
                cells[part.codes[k]]
                for k, cells in zip(group, own, strict=True)
                if cells is not None
            ],
            axis=0,
        )
        is_new = np.diff(found, axis=0, prepend=~found[:1]) != 0
        keys += (found * is_new).sum(axis=0, dtype=np.uint64)
    return mixed(keys)


# --- The order of columns, levels and classes ---


def sum_keys(
    part: EncodedPart, keys: Keys, *, n_codes: Sequence[int], n_labels: int, repeats: Repeats
) -> list[Keys]:
    """Sum up the keys of rows: by label, and then of each column by code."""
    weighted = mixed(keys) * repeats.counts(part).astype(np.uint64)
    own_codes = [part.labels, *part.codes[: len(n_codes)]]
    sums = []
    for codes, size in zip(own_codes, [n_labels, *(n + 1 for n in n_codes)], strict=True):
        own = np.zeros(size, dtype=np.uint64)
        np.add.at(own, codes, weighted)
        sums.append(own)
    return sums


@dataclass(frozen=True, slots=True, eq=False)
class CanonicalOrder:
    """Which columns, levels and labels come where, by what they tell apart alone."""

    columns: NDArray[np.intp]  # those that tell something, and not what an earlier one does
    levels: tuple[NDArray[np.intp] | None, ...]  # of each of them; None where it has none
    labels: NDArray[np.intp]
    label_keys: Keys  # of the labels as they were given, no two the same
    n_given: int  # columns

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
    sums: Sequence[Keys], has_levels: Sequence[bool], *, keeps_all: bool
) -> CanonicalOrder:
    """Put columns, levels and labels in order; equals stay as they were given."""
    labels, *columns = sums
    label_keys = mixed(labels)
    if len(np.unique(label_keys)) < len(label_keys):
        places: Keys = np.arange(len(label_keys), dtype=np.uint64)
        label_keys = mixed(label_keys + places)
    keys, kept = list[int](), list[int]()
    seen = set[tuple[bool, int]]()
    for place, (own, is_levels) in enumerate(zip(columns, has_levels, strict=True)):
        codes = np.arange(len(own), dtype=np.uint64)
        if is_levels:  # which have no order
            codes[:] = 0
        codes[-1] = _MISSING
        key = (is_levels, _sum(mixed(own + mixed(codes)) * (own != 0)))
        says_something = np.count_nonzero(own) > 1 and key not in seen
        seen.add(key)
        if keeps_all or says_something:
            kept.append(place)
            keys.append(key[1])
    if not kept:
        kept, keys = [0], [0]
    order = np.array(kept, dtype=np.intp)[np.argsort(np.array(keys, np.uint64), kind="stable")]
    levels = tuple(
        np.argsort(mixed(columns[place][:-1]), kind="stable") if has_levels[place] else None
        for place in order
    )
    in_order = np.argsort(labels, kind="stable")
    return CanonicalOrder(order, levels, in_order, label_keys, len(columns))


@cheap
def with_labels(part: EncodedPart, keys: Keys, *, labels: Keys) -> Keys:
    """Return the keys of rows, by which rows that differ in anything differ."""
    return mixed(keys + labels[part.labels])


def mixed(keys: Keys) -> Keys:
    """Numbers that look random, each decided by one of the keys alone (splitmix64)."""
    found = keys + np.uint64(0x9E3779B97F4A7C15)
    found = (found ^ (found >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    found = (found ^ (found >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return found ^ (found >> np.uint64(31))


_MISSING = np.uint64(0xFFFF_FFFF)


def _sum(keys: Keys) -> int:
    return int(keys.sum(dtype=np.uint64))
