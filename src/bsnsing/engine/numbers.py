"""Numeric columns of one part: what it tells of their values, and their codes.

Each function is the work on one part, or merges what parts say; :mod:`bsnsing.engine.bounds` asks
them for what bins of all rows need.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from bsnsing import _core
from bsnsing.data.cases import Cases
from bsnsing.data.parts import add_up_values
from bsnsing.engine.parts import EncodedPart, Shape, add_up, encode_levels
from bsnsing.questions.pair import ColumnPair, pair_columns

Floats: TypeAlias = NDArray[np.float64]
Values: TypeAlias = tuple[Floats, NDArray[np.int64]]  # distinct, ascending, with their cases
Spans: TypeAlias = tuple[Floats, Floats]  # each above the first, at most the second

# Columns of at most this many values (or max_bins) are described by all of them.
FEW_VALUES = 1024
# Cuts that the first pass ranks, and numbers that one part proposes for them.
_FIRST_CUTS, _CUTS_PER_PART = 8192, 4096
# Different values between two cuts, few enough for a part to list them, and for all parts.
_FEW_BETWEEN, SOME_BETWEEN = 8, 64


@dataclass(frozen=True, slots=True)
class Asked:
    """Which numeric columns of a table, and pairs behind them, are meant."""

    pairs: tuple[ColumnPair, ...]
    columns: tuple[int, ...]
    n_threads: int = 1

    def numbers(self, cases: Cases) -> list[NDArray[Any]]:
        """Return the numbers of these columns."""
        columns = cases.table.columns + pair_columns(cases.table, self.pairs)
        return [columns[column].native_numbers() for column in self.columns]

    def some(self, places: Sequence[int]) -> Asked:
        """Return some of these columns."""
        return Asked(self.pairs, tuple(self.columns[i] for i in places), self.n_threads)


@dataclass(frozen=True, slots=True, eq=False)
class Outline:
    """What is known of a column at first: all values if they are few, else some of them."""

    few: Values | None
    most: int  # values that are few
    cuts: Floats
    has_missing: bool  # known if values are few


def outline_part(cases: Cases, *, asked: Asked, most: Sequence[int]) -> list[Outline]:
    """Outline each column of a part."""
    numbers, counts = asked.numbers(cases), cases.weights.counts
    found = _core.outline_columns(numbers, counts, _CUTS_PER_PART, asked.n_threads)
    outlines = []
    for own, most_values, (few, cuts, has_missing) in zip(numbers, most, found, strict=True):
        if few is not None:
            known, cuts = few, few[0]
        elif most_values > FEW_VALUES:
            known, has_missing = _all_values(own, counts)
        else:
            known = None
        if known is not None and len(known[0]) > most_values:
            known = None
        outlines.append(Outline(known, most_values, cuts, has_missing))
    return outlines


def _all_values(numbers: NDArray[Any], counts: NDArray[np.int64] | None) -> tuple[Values, bool]:
    """Distinct values with their cases, and whether some are missing."""
    floats = numbers.astype(np.float64)
    is_known = ~np.isnan(floats)
    # Minus zero is zero.
    values, places, n_rows = np.unique(
        floats[is_known] + 0.0, return_inverse=True, return_counts=True
    )
    if counts is not None:
        n_rows = np.zeros(len(values), dtype=np.int64)
        np.add.at(n_rows, places, counts[is_known])
    return (values, n_rows), not bool(is_known.all())


def merge_outlines(several: Sequence[list[Outline]]) -> list[Outline]:
    """Merge what parts say of each column."""
    return [reduce(_merged_outline, own) for own in zip(*several, strict=True)]


def _merged_outline(one: Outline, other: Outline) -> Outline:
    few = None
    if one.few is not None and other.few is not None:
        few = add_up_values(one.few, other.few)
        few = few if len(few[0]) <= one.most else None
    cuts = np.union1d(one.cuts, other.cuts)
    if len(cuts) > _FIRST_CUTS:
        cuts = cuts[np.unique(np.linspace(0, len(cuts) - 1, _FIRST_CUTS).astype(np.intp))]
    return Outline(few, one.most, cuts, one.has_missing or other.has_missing)


@dataclass(frozen=True, slots=True, eq=False)
class Dealt:
    """Columns of a part, dealt into buckets: what lies between two bounds, with the upper one."""

    buckets: list[NDArray[np.uint16]]  # of each row
    facts: list[BucketFacts]

    def __sizeof__(self) -> int:
        return sum(own.nbytes for own in self.buckets)


@dataclass(frozen=True, slots=True, eq=False)
class BucketFacts:
    """What is known of a column in buckets."""

    n_cases: NDArray[np.int64]  # of each bucket
    n_rows: int
    least: float  # number
    greatest: float
    has_missing: bool


def deal_numbers(cases: Cases, *, asked: Asked, bounds: Sequence[Floats]) -> Dealt:
    """Deal some columns of a part into buckets."""
    counts, n_rows = cases.weights.counts, cases.table.n_rows
    found = _core.deal_columns(asked.numbers(cases), list(bounds), counts, asked.n_threads)
    facts = [
        BucketFacts(n_cases, n_rows, least, greatest, has_missing)
        for _, n_cases, least, greatest, has_missing in found
    ]
    return Dealt([own[0] for own in found], facts)


def facts_of_buckets(dealt: Dealt) -> list[BucketFacts]:
    """What a part says of its buckets."""
    return dealt.facts


def merge_buckets(several: Sequence[list[BucketFacts]]) -> list[BucketFacts]:
    """What some parts say of their buckets."""
    return [
        BucketFacts(
            add_up([facts.n_cases for facts in own]),
            sum(facts.n_rows for facts in own),
            min(facts.least for facts in own),
            max(facts.greatest for facts in own),
            any(facts.has_missing for facts in own),
        )
        for own in zip(*several, strict=True)
    ]


@dataclass(frozen=True, slots=True, eq=False)
class Opened:
    """A column that was dealt, and which of its buckets are looked into."""

    place: int  # among those that were dealt
    bounds: Floats
    is_open: NDArray[np.uint8]

    def of(self, dealt: Dealt) -> tuple[NDArray[np.uint16], Floats, NDArray[np.uint8]]:
        """What native code needs of a part."""
        return dealt.buckets[self.place], self.bounds, self.is_open


@dataclass(frozen=True, slots=True, eq=False)
class SortedValues:
    """Distinct values of a column in a part, and the cases below each, and below none."""

    values: Floats
    below: NDArray[np.int64]  # one more than there are values

    @classmethod
    def of(cls, values: Floats, n_cases: NDArray[np.int64]) -> SortedValues:
        """Take distinct values with their cases."""
        return cls(values, np.append(0, np.cumsum(n_cases)))

    def rank(self, cuts: Floats) -> NDArray[np.int64]:
        """Cases at or below each cut."""
        ranks: NDArray[np.int64] = self.below[np.searchsorted(self.values, cuts, side="right")]
        return ranks

    def between(self, spans: Spans, are_some: NDArray[np.bool_]) -> Between:
        """Distinct values in spans that have but some of them, or few here."""
        begins, ends = (np.searchsorted(self.values, bound, side="right") for bound in spans)
        is_many = (ends - begins > _FEW_BETWEEN) & ~are_some
        lengths = np.where(is_many, 0, ends - begins)
        firsts = np.cumsum(lengths) - lengths
        listed = np.repeat(begins - firsts, lengths) + np.arange(lengths.sum())
        span_of = np.repeat(np.arange(len(begins)), lengths)
        counts = self.below[listed + 1] - self.below[listed]
        return Between(span_of, self.values[listed], counts, is_many)

    def greatest_below(self, bounds: Floats, low: Floats) -> Floats:
        """The greatest value below each bound, if it is above a number; else that number."""
        if len(self.values) == 0:
            return low
        place = np.searchsorted(self.values, bounds, side="left")
        own = np.where(place > 0, self.values[place - 1], -np.inf)
        found: Floats = np.maximum(own, low)
        return found


def pick_values(
    cases: Cases, dealt: Dealt, *, asked: Asked, opened: Sequence[Opened]
) -> list[SortedValues]:
    """Pick the values in open buckets of some columns, to look at them more closely."""
    counts, own = cases.weights.counts, [column.of(dealt) for column in opened]
    picked = _core.values_in(asked.numbers(cases), own, counts, asked.n_threads)
    return [SortedValues.of(values, n_cases) for values, n_cases in picked]


def find_greatest(
    picked: Sequence[SortedValues],
    *,
    places: Sequence[int],
    bounds: Sequence[Floats],
    low: Sequence[Floats],
) -> list[Floats]:
    """Find the greatest picked value below each bound of some columns, or what is given."""
    return [
        picked[place].greatest_below(own, own_low)
        for place, own, own_low in zip(places, bounds, low, strict=True)
    ]


def merge_greatest(several: Sequence[list[Floats]]) -> list[Floats]:
    """Merge what parts found below bounds."""
    return [np.max(own, axis=0) for own in zip(*several, strict=True)]


@dataclass(frozen=True, slots=True, eq=False)
class Between:
    """The values in some spans of a column, and which spans have too many to list them."""

    span_of: NDArray[np.intp]  # ascending
    values: Floats  # ascending in each span
    counts: NDArray[np.int64]
    is_many: NDArray[np.bool_]


def look_closer(
    picked: Sequence[SortedValues],
    *,
    places: Sequence[int],
    cuts: Sequence[Floats],
    spans: Sequence[Spans],
    are_some: Sequence[NDArray[np.bool_]],
) -> tuple[list[NDArray[np.int64]], list[Between]]:
    """Count the cases of each cut from the low end of its span on, and list the values in spans."""
    counts, between = [], []
    for place, own_cuts, own, own_some in zip(places, cuts, spans, are_some, strict=True):
        values, low = picked[place], own[0][np.searchsorted(own[1], own_cuts)]
        counts.append(values.rank(own_cuts) - values.rank(low))
        between.append(values.between(own, own_some))
    return counts, between


def merge_closer(
    several: Sequence[tuple[list[NDArray[np.int64]], list[Between]]],
) -> tuple[list[NDArray[np.int64]], list[Between]]:
    """Merge what parts see."""
    counts, between = zip(*several, strict=True)
    return add_up(counts), [reduce(_merged_between, own) for own in zip(*between, strict=True)]


def _merged_between(one: Between, other: Between) -> Between:
    is_many = one.is_many | other.is_many
    span_of = np.concatenate([one.span_of, other.span_of])
    values, counts = (
        np.concatenate(own) for own in ((one.values, other.values), (one.counts, other.counts))
    )
    order = np.lexsort((values, span_of))
    order = order[~is_many[span_of[order]]]
    span_of, values, counts = span_of[order], values[order], counts[order]
    if len(values):
        is_new = np.append(True, (np.diff(span_of) > 0) | (np.diff(values) > 0))
        first = np.flatnonzero(is_new)
        span_of, values = span_of[first], values[first]
        counts = np.add.reduceat(counts, first)
    is_many |= np.bincount(span_of, minlength=len(is_many)) > SOME_BETWEEN
    is_left = ~is_many[span_of]
    return Between(span_of[is_left], values[is_left], counts[is_left], is_many)


# --- Codes ---


@dataclass(frozen=True, slots=True, eq=False)
class NumberCodes:
    """What the codes of a numeric column begin with, and what they stand for."""

    begins: Floats
    shape: Shape
    opened: Opened | None = None  # where the column was dealt


def encode_part(
    cases: Cases,
    dealt: Dealt | None = None,
    *,
    asked: Asked,
    codes: Sequence[NumberCodes],
    levels: Sequence[int],
) -> EncodedPart:
    """Turn the cells of a part into codes.

    ``codes`` are those of the numeric columns ``asked``, and ``levels`` the positions of
    categorical columns.
    """
    numbers = asked.numbers(cases)
    coded = dict(zip(levels, encode_levels(cases, levels), strict=True))
    few = [i for i, own in enumerate(codes) if own.opened is None]
    found = _core.encode_from(
        [numbers[i] for i in few], [codes[i].begins for i in few], asked.n_threads
    )
    coded |= zip((asked.columns[i] for i in few), found, strict=True)
    if dealt is not None:
        opened = [(i, own.opened) for i, own in enumerate(codes) if own.opened is not None]
        found = _core.encode_dealt(
            [numbers[i] for i, _ in opened],
            [own.of(dealt) for _, own in opened],
            [codes[i].begins for i, _ in opened],
            asked.n_threads,
        )
        coded |= zip((asked.columns[i] for i, _ in opened), found, strict=True)
    in_order = [coded[i] for i in range(len(coded))]
    return EncodedPart(in_order, cases.labels, cases.weights.counts)
