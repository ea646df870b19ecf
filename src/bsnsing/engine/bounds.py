"""The bins of numeric columns whose values lie in parts: the same as those of the whole table.

Bins follow from the distinct values and their cases (``src/native/grow/bins.hpp``). Where values
are few, they come here with their cases. Where they are many, only ranks do: how many cases lie at
or below a cut. In each pass every bin's end is looked for where the ranks so far say it must lie,
among ever fewer values, until all ends are known exactly. The first pass deals all numbers into
buckets, the second keeps those of buckets in which bins end, and the others look at these alone.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from bsnsing import _core
from bsnsing.engine.numbers import (
    FEW_VALUES,
    SOME_BETWEEN,
    Asked,
    Between,
    BucketFacts,
    Floats,
    NumberCodes,
    Opened,
    Outline,
    Spans,
    deal_numbers,
    facts_of_buckets,
    find_greatest,
    look_closer,
    merge_buckets,
    merge_closer,
    merge_greatest,
    merge_outlines,
    outline_part,
    pick_values,
)
from bsnsing.engine.parts import KINDS, Shape
from bsnsing.engine.workers import Handles, Workers

# Most cuts between two neighbours in later passes.
_LATER_CUTS = 32
# Cases between a cut and an end that are near: bins end with whole values, so ends move by some.
_SLACK = 16


@dataclass(slots=True)
class BinEnds:
    """Looks for the values that bins of a column begin with, by what is known of ranks."""

    n_cases: int
    grain: float  # cases of a row
    n_bins: int
    least: float
    points: Floats  # ascending, from right below the least value on
    ranks: NDArray[np.int64]  # cases at or below each point
    is_exact: NDArray[np.bool_]  # whether the point is the only number above the one before it
    begins: list[float] = field(default_factory=list)
    # Points at whose lower side to look more closely.
    open_points: NDArray[np.intp] = field(default_factory=lambda: np.empty(0, np.intp))

    @classmethod
    def start(cls, bounds: Floats, facts: BucketFacts, n_bins: int) -> BinEnds:
        """Begin with what is in buckets."""
        ranks = np.cumsum(facts.n_cases)
        with np.errstate(over="ignore"):  # below the least of all floats is minus infinity
            below = np.nextafter(facts.least, -np.inf)
        points = np.concatenate([[below], bounds, [facts.greatest]])
        points, places = np.unique(points, return_index=True)
        all_ranks = np.concatenate([[0], ranks[:-1], ranks[-1:]])[places]
        is_exact = np.append(False, np.nextafter(points[:-1], np.inf) == points[1:])
        n_cases = int(ranks[-1])
        grain = n_cases / facts.n_rows
        return cls(n_cases, grain, n_bins, facts.least, points, all_ranks, is_exact)

    def look(self) -> bool:
        """Cut the bins as far as known; return whether all of them are.

        The arithmetic is that of the native chooser of bins, to the last bit. After an end that
        is not known yet the others are looked for where they are likely.
        """
        self.begins, unknown, near = [self.least + 0.0], list[int](), set[int]()
        below = [0, *self.ranks.tolist()]
        is_exact = self.is_exact.tolist()
        n_before, n_bins_left, at = 0.0, float(self.n_bins), 1
        while n_bins_left > 1 and at < len(is_exact):
            wanted = (self.n_cases - n_before) / n_bins_left
            # Ranks that the loop would pass over, but for what rounding may have changed.
            at = max(at, bisect_left(below, n_before + wanted * (1 - 1e-9), lo=1) - 1)
            while at < len(is_exact):
                in_bin, up_to = below[at] - n_before, below[at + 1] - n_before
                if up_to > in_bin > 0 and up_to > wanted:
                    if not is_exact[at]:
                        unknown.append(at)
                        slack = max(_SLACK * self.grain, (up_to - in_bin) / 8)
                        # Neighbours too, where the end may lie there.
                        near |= {at - 1} if wanted - in_bin < slack else set()
                        near |= {at + 1} if up_to - wanted < slack else set()
                        # Bins have whole rows; if no two are equal, as many as are nearest.
                        likely = np.floor(wanted / self.grain + 0.5) * self.grain
                        in_bin = min(max(likely, in_bin), up_to)
                        break
                    if up_to - wanted > wanted - in_bin:
                        self.begins.append(float(self.points[at]))
                        break
                at += 1
            else:
                break
            n_before, n_bins_left, at = n_before + in_bin, n_bins_left - 1, at + 1
        near = {at for at in near if 0 < at < len(is_exact) and not is_exact[at]}
        self.open_points = np.array(sorted(near.union(unknown)), dtype=np.intp)
        return not unknown

    def spans(self) -> Spans:
        """Spans to look at more closely."""
        return self.points[self.open_points - 1], self.points[self.open_points]

    def are_some(self) -> NDArray[np.bool_]:
        """Which spans have but some values in all parts."""
        return self._cases_inside() <= SOME_BETWEEN * self.grain

    def _cases_inside(self) -> NDArray[np.int64]:
        return self.ranks[self.open_points] - self.ranks[self.open_points - 1]

    def buckets(self, bounds: Floats) -> NDArray[np.uint8]:
        """Which buckets to look into: where the spans are."""
        places = np.searchsorted(bounds, self.points[self.open_points])
        is_open = np.zeros(len(bounds) + 1, dtype=np.uint8)
        is_open[places] = 1
        return is_open

    def cuts(self) -> Floats:
        """Cuts inside these spans."""
        low, high = self.spans()
        is_many = ~self.are_some()
        if not is_many.any():
            return np.empty(0)
        low, high, n_cases = low[is_many], high[is_many], self._cases_inside()[is_many]
        # No more than needed: what lies between two of them comes here in the end.
        n_rows = float(np.median(n_cases)) / self.grain
        n_cuts = int(np.clip(2 * n_rows / max(1, SOME_BETWEEN), 2, _LATER_CUTS))
        cuts = [_between(low, high, 4)]  # which halve any span sooner or later
        with np.errstate(over="ignore", invalid="ignore"):
            even = low[:, None] + (high - low)[:, None] * (np.arange(1, n_cuts) / n_cuts)
        cuts.append(even[(even > low[:, None]) & (even < high[:, None])])
        return np.unique(np.concatenate([own.ravel() for own in cuts]))

    def learn(self, cuts: Floats, counts: NDArray[np.int64], between: Between) -> None:
        """Take the cases of cuts from the low ends of their spans on, and the values in spans."""
        low, high = self.spans()
        ranks = self.ranks[self.open_points - 1][np.searchsorted(high, cuts)] + counts
        # One that has no float inside it has but the upper end.
        is_single = between.is_many & (np.nextafter(low, np.inf) == high)
        values, span_of = between.values, between.span_of
        # Ranks of listed values: what lies below their span, and before them inside it.
        sums = np.cumsum(between.counts)
        before = np.append(0, sums)[np.searchsorted(span_of, span_of, side="left")]
        own_ranks = self.ranks[self.open_points - 1][span_of] + sums - before
        points = np.concatenate([self.points, cuts, values])
        all_ranks = np.concatenate([self.ranks, ranks, own_ranks])
        exact = np.concatenate(
            [self.is_exact, np.zeros(len(cuts), bool), np.ones(len(values), bool)]
        )
        exact[self.open_points[is_single]] = True
        merged, first, places = np.unique(points, return_index=True, return_inverse=True)
        self.points, self.ranks = merged, all_ranks[first]
        self.is_exact = np.zeros(len(merged), dtype=bool)
        np.logical_or.at(self.is_exact, places, exact)


def _between(low: Floats, high: Floats, n: int) -> Floats:
    """Numbers between each two, at equal distances among all floats there are."""
    first, steps = _keys(low)[:, None], np.arange(1, n, dtype=np.uint64)
    whole, rest = np.divmod(_keys(high)[:, None] - first, np.uint64(n))  # no product overflows
    return _from_keys(first + whole * steps + rest * steps // np.uint64(n))


_SIGN = np.uint64(1 << 63)


def _keys(numbers: Floats) -> NDArray[np.uint64]:
    """Whole numbers of the same order as floats."""
    bits = (numbers + 0.0).view(np.uint64)
    return np.where(bits & _SIGN, ~bits, bits | _SIGN)


def _from_keys(keys: NDArray[np.uint64]) -> Floats:
    return np.where(keys & _SIGN, keys & ~_SIGN, ~keys).view(np.float64) + 0.0


# --- Bins of all columns ---


@dataclass(frozen=True, slots=True, eq=False)
class AllCodes:
    """Codes of all numeric columns, and the parts in buckets, if any were dealt."""

    codes: list[NumberCodes]
    dealt: Handles | None = None


def number_codes(
    workers: Workers,
    cases: Handles,
    asked: Asked,
    max_bins: int | None,
    unbinned: Sequence[int],
) -> AllCodes:
    """Find what the codes of numeric columns begin with: their values, or bins of them."""
    if not asked.columns:
        return AllCodes([])
    bins = [0 if max_bins is None or own in unbinned else max_bins for own in asked.columns]
    most = [max(own, FEW_VALUES) if own else 2**63 - 1 for own in bins]
    outlines = workers.merged(outline_part, merge_outlines, cases, asked=asked, most=most)
    many = [place for place, outline in enumerate(outlines) if outline.few is None]
    dealt, found = None, iter(list[NumberCodes]())
    if many:
        bounds = [outlines[place].cuts for place in many]
        own = asked.some(many)
        dealt = workers.each(deal_numbers, cases, asked=own, bounds=bounds)
        n_bins = [bins[place] for place in many]
        found = iter(_BinSearch(workers, cases, dealt, own, bounds).codes(n_bins))
    codes = [
        next(found) if outline.few is None else _codes_of_few(outline, bins[place])
        for place, outline in enumerate(outlines)
    ]
    return AllCodes(codes, dealt)


@dataclass(slots=True)
class _BinSearch:
    """Finds the bins of columns that were dealt, in passes over the parts."""

    workers: Workers
    cases: Handles
    dealt: Handles
    asked: Asked
    bounds: list[Floats]
    # Of each column: which buckets are open, the values picked from them, and where among these.
    opened: dict[int, Opened] = field(default_factory=dict)
    picked: dict[int, tuple[Handles, int]] = field(default_factory=dict)

    def codes(self, bins: Sequence[int]) -> list[NumberCodes]:
        """Return the codes of each column, which has a number of bins."""
        facts = self.workers.merged(facts_of_buckets, merge_buckets, self.dealt)
        searches = [
            BinEnds.start(bounds, own, n_bins)
            for bounds, own, n_bins in zip(self.bounds, facts, bins, strict=True)
        ]
        while waiting := {i: own for i, own in enumerate(searches) if not own.look()}:
            self._open(waiting)
            for handles in self._picks(waiting):
                self._look_closer(handles, waiting)
        begins = [np.array(search.begins) for search in searches]
        codes = []
        for i, (own, greatest) in enumerate(
            zip(begins, self._greatest(begins, facts), strict=True)
        ):
            shape: Shape = 0, len(own), facts[i].has_missing, greatest.tolist(), own.tolist()
            opened = self.opened.get(i) or Opened(i, self.bounds[i], self._none_open(i))
            codes.append(NumberCodes(own, shape, opened))
        return codes

    def _none_open(self, column: int) -> NDArray[np.uint8]:
        return np.zeros(len(self.bounds[column]) + 1, dtype=np.uint8)

    def _open(self, waiting: dict[int, BinEnds]) -> None:
        """Pick the values of buckets that are to be looked into and were not yet."""
        anew = {}
        for i, search in waiting.items():
            wanted = search.buckets(self.bounds[i])
            before = self.opened[i].is_open if i in self.opened else self._none_open(i)
            needed = np.searchsorted(self.bounds[i], search.spans()[1])
            if not before[needed].all():
                anew[i] = Opened(i, self.bounds[i], before | wanted)
        if anew:
            asked = self.asked.some(list(anew))
            handles = self.workers.each(
                pick_values, self.cases, self.dealt, asked=asked, opened=list(anew.values())
            )
            self.opened |= anew
            self.picked |= {i: (handles, place) for place, i in enumerate(anew)}

    def _picks(self, columns: Iterable[int]) -> list[Handles]:
        """The different picks that columns are in."""
        return list({id(self.picked[i][0]): self.picked[i][0] for i in columns}.values())

    def _in(self, handles: Handles, columns: Iterable[int]) -> list[int]:
        return [i for i in columns if i in self.picked and self.picked[i][0] is handles]

    def _look_closer(self, handles: Handles, waiting: dict[int, BinEnds]) -> None:
        own = self._in(handles, waiting)
        cuts = [waiting[i].cuts() for i in own]
        counts, between = self.workers.merged(
            look_closer,
            merge_closer,
            handles,
            places=[self.picked[i][1] for i in own],
            cuts=cuts,
            spans=[waiting[i].spans() for i in own],
            are_some=[waiting[i].are_some() for i in own],
        )
        for i, own_cuts, own_counts, found in zip(own, cuts, counts, between, strict=True):
            waiting[i].learn(own_cuts, own_counts, found)

    def _greatest(self, begins: list[Floats], facts: list[BucketFacts]) -> list[Floats]:
        """The greatest value of each bin: of the last one, that of all."""
        below = {}
        for i, own in enumerate(begins):
            places = np.searchsorted(self.bounds[i], own[1:])
            below[i] = np.append(-np.inf, self.bounds[i])[places]  # the bounds are values
        for handles in self._picks(self.picked):
            own_columns = self._in(handles, self.picked)
            found = self.workers.merged(
                find_greatest,
                merge_greatest,
                handles,
                places=[self.picked[i][1] for i in own_columns],
                bounds=[begins[i][1:] for i in own_columns],
                low=[below[i] for i in own_columns],
            )
            below |= zip(own_columns, found, strict=True)
        return [np.append(below[i], facts[i].greatest + 0.0) for i in range(len(begins))]


def _codes_of_few(outline: Outline, max_bins: int) -> NumberCodes:
    """Describe a column by all of its values: that of the native code, given each once."""
    assert outline.few is not None
    values, counts = outline.few
    if outline.has_missing:
        values, counts = np.append(values, np.nan), np.append(counts, 1)
    encoded = _core.ColumnList()
    encoded.add_numbers([values], max_bins, counts.astype(np.int64), 1)
    (state,) = encoded.schema().__getstate__()
    assert KINDS[state[0]] != "categorical"
    begins = np.asarray(state[4] or state[3], dtype=np.float64)
    return NumberCodes(begins, state)
