"""A sample of rows that lie in parts, chosen by what they hold and not by where they lie.

Of m rows that hold the same, floor(m q + u) are taken, where q is the share that is wanted and u a
number from 0 to 1 that their key decides: q m on average, and never more than one off. How often a
row occurs is known only when all parts are heard, so parts first name the rows that may be taken,
and then count these. Rows that occur at most b times are taken only if u is at least 1 - b q, and
there are few of them; rows that occur more often are found by summaries of frequent rows (Misra
and Gries, 1982), which merge, and are never too short: see :class:`Frequent`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bsnsing.distill.content import Keys, Repeats
from bsnsing.engine.parts import EncodedPart
from bsnsing.engine.workers import Handle, Handles, Workers

# How many times as often rows of one tier occur as those of the tier before.
_STEP = 4


def n_taken(keys: Keys, counts: NDArray[np.int64], share: float) -> NDArray[np.int64]:
    """How many of the rows with each key are taken."""
    taken: NDArray[np.int64] = np.floor(counts * share + _chance(keys)).astype(np.int64)
    return taken


def _chance(keys: Keys) -> NDArray[np.float64]:
    chance: NDArray[np.float64] = (keys >> np.uint64(11)) * np.float64(2.0**-53)
    return chance


# --- Rows that may be taken ---


@dataclass(frozen=True, slots=True, eq=False)
class Frequent:
    """Some different rows, ascending by key, and at least how often they occur in some parts.

    A row that is not named occurs at most ``lost`` times, and one that is named at most that much
    more often than it says.
    """

    keys: Keys
    counts: NDArray[np.int64]
    lost: int = 0

    def shortened(self, most: int) -> Frequent:
        """Name ``most`` rows at most, those that occur most often."""
        if len(self.keys) <= most:
            return self
        cut = int(np.partition(self.counts, -most - 1)[-most - 1])
        is_left = self.counts > cut
        return Frequent(self.keys[is_left], self.counts[is_left] - cut, self.lost + cut)


@dataclass(frozen=True, slots=True)
class Tiers:
    """How many rows are to be named, of those that occur up to 1, 4, 16, ... times."""

    share: float
    most: int  # rows named of each tier but the first, which has all

    @property
    def times(self) -> list[float]:
        """How often the rows of each tier occur at most; all that may be are in the last."""
        n_tiers = 1 + max(1, math.ceil(math.log(1 / self.share, _STEP)))
        return [float(_STEP**k) for k in range(n_tiers)]


def name_rows(part: EncodedPart, keys: Keys, *, repeats: Repeats, tiers: Tiers) -> list[Frequent]:
    """Name the rows of a part that may be taken, tier by tier."""
    counts, chance, named = repeats.counts(part), _chance(keys), []
    for k, times in enumerate(tiers.times):
        # A little more, as products are rounded.
        may_be = chance >= 1 - times * tiers.share * (1 + 1e-9) - 1e-12
        found = Frequent(*_counted(keys[may_be], counts[may_be]))
        named.append(found if k == 0 else found.shortened(tiers.most))
    return named


def merge_named(several: Sequence[list[Frequent]], most: int) -> list[Frequent]:
    """Merge what parts name."""
    merged = []
    for k, own in enumerate(zip(*several, strict=True)):
        keys, counts = _counted(
            np.concatenate([named.keys for named in own]),
            np.concatenate([named.counts for named in own]),
        )
        found = Frequent(keys, counts, sum(named.lost for named in own))
        merged.append(found if k == 0 else found.shortened(most))
    return merged


def _counted(keys: Keys, counts: NDArray[np.int64]) -> tuple[Keys, NDArray[np.int64]]:
    """Different keys, ascending, and the sums of their counts."""
    if len(keys) == 0:
        return keys, counts
    order = np.argsort(keys)
    ordered = keys[order]
    first = np.flatnonzero(np.append(True, ordered[1:] != ordered[:-1]))
    return ordered[first], np.add.reduceat(counts[order], first)


def most_lost(named: Sequence[Frequent]) -> list[int]:
    """How often rows may occur that each tier does not name."""
    return [own.lost for own in named]


def all_named(named: Sequence[Frequent]) -> Keys:
    """The rows that are named, ascending by key."""
    return np.unique(np.concatenate([own.keys for own in named]))


# --- The sample ---


@dataclass(frozen=True, slots=True, eq=False)
class Sample:
    """Rows that were taken, ascending by key, and how often each."""

    keys: Keys
    n_taken: NDArray[np.int64]
    rows: EncodedPart | None = None  # those of them that some parts have
    held: NDArray[np.bool_] | None = None  # which these are

    def found(self) -> tuple[EncodedPart, NDArray[np.bool_]]:
        """The rows that some parts have, and which of the sample's they are."""
        assert self.rows is not None
        assert self.held is not None
        return self.rows, self.held

    def places(self, keys: Keys) -> tuple[NDArray[np.intp], NDArray[np.bool_]]:
        """Where rows of these keys are in the sample, and whether they are."""
        return _places(self.keys, keys)


def _places(sorted_keys: Keys, keys: Keys) -> tuple[NDArray[np.intp], NDArray[np.bool_]]:
    if len(sorted_keys) == 0:
        return np.zeros(len(keys), np.intp), np.zeros(len(keys), dtype=bool)
    places = np.minimum(np.searchsorted(sorted_keys, keys), len(sorted_keys) - 1)
    return places, sorted_keys[places] == keys


def count_named(
    part: EncodedPart, keys: Keys, named: Keys, *, repeats: Repeats
) -> NDArray[np.int64]:
    """Count how often a part has each of the rows that are named."""
    places, is_one = _places(named, keys)
    counts = np.zeros(len(named), dtype=np.int64)
    np.add.at(counts, places[is_one], repeats.counts(part)[is_one])
    return counts


def add_counts(several: Sequence[NDArray[np.int64]]) -> NDArray[np.int64]:
    """Add up how often parts have rows."""
    total: NDArray[np.int64] = np.sum(several, axis=0)
    return total


def choose(named: Keys, counts: NDArray[np.int64], *, share: float) -> Sample:
    """Take rows, now that it is known how often each occurs."""
    taken = n_taken(named, counts, share)
    return Sample(named[taken > 0], taken[taken > 0])


def take_sample(part: EncodedPart, keys: Keys, sample: Sample) -> Sample:
    """Take one of each of the sample's rows that a part has."""
    places, is_one = sample.places(keys)
    rows = np.flatnonzero(is_one)
    found, first = np.unique(places[rows], return_index=True)
    held = np.zeros(len(sample.keys), dtype=bool)
    held[found] = True
    return replace(sample, rows=part.take(rows[first]), held=held)


def merge_samples(several: Sequence[Sample]) -> Sample:
    """Put the rows that parts have together."""
    merged = several[0]
    for other in several[1:]:
        merged = _merged(merged, other)
    return merged


def _merged(one: Sample, other: Sample) -> Sample:
    (own, held), (others, others_held) = one.found(), other.found()
    is_new = others_held & ~held
    more = others.take(np.flatnonzero(is_new[others_held]))
    order = np.argsort(np.append(np.flatnonzero(held), np.flatnonzero(is_new)))

    def together(first: NDArray[Any], second: NDArray[Any]) -> NDArray[Any]:
        return np.concatenate([first, second])[order]

    counts = None
    if own.counts is not None and more.counts is not None:
        counts = together(own.counts, more.counts)
    codes = [together(*both) for both in zip(own.codes, more.codes, strict=True)]
    rows = EncodedPart(codes, together(own.labels, more.labels), counts)
    return replace(one, rows=rows, held=held | others_held)


def sample_rows(
    workers: Workers, encoded: Handles, keys: Handles, n_cases: int, n_wanted: int, repeats: Repeats
) -> Handle:
    """Take about ``n_wanted`` of ``n_cases`` rows; return what stands for a :class:`Sample`."""
    n_parts, share = len(encoded), n_wanted / n_cases
    named = _name_rows(workers, encoded, keys, share, n_wanted, repeats)
    counts = workers.reduced(
        count_named, add_counts, encoded, keys, [named] * n_parts, repeats=repeats
    )
    chosen = workers.call(choose, named, counts, share=share)
    return workers.reduced(take_sample, merge_samples, encoded, keys, [chosen] * n_parts)


def _name_rows(
    workers: Workers,
    encoded: Handles,
    keys: Handles,
    share: float,
    n_wanted: int,
    repeats: Repeats,
) -> Handle:
    """Name all rows that may be taken, and not many more."""
    most = _STEP * n_wanted
    while True:
        tiers = Tiers(share, most)
        named = workers.reduced(
            name_rows, partial(merge_named, most=most), encoded, keys, repeats=repeats, tiers=tiers
        )
        lost = workers.fetch(workers.call(most_lost, named))
        # Rows that occur no more often than those of the tier before are named there.
        if all(own <= before for own, before in zip(lost[1:], tiers.times, strict=False)):
            return workers.call(all_named, named)
        most *= 2
