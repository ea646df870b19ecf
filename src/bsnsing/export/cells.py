"""Sets of cells of one column: what a question leaves of them, how they meet, and their text."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import NamedTuple, TypeAlias

from bsnsing.data.columns import ColumnInfo, Level
from bsnsing.data.scales import Scale
from bsnsing.data.show import plainer_beside, show_column, show_level
from bsnsing.export.form import AskedQuestion
from bsnsing.questions.pair import ColumnPair
from bsnsing.questions.question import Question

Subject: TypeAlias = str | ColumnPair  # a column's name, or what is made of two
Show: TypeAlias = Callable[[Level], str]  # what writes a number


class Span(NamedTuple):
    """Numbers between two ends, each of which may belong to it."""

    low: float
    high: float
    has_low: bool = False
    has_high: bool = False

    def holds(self, number: float) -> bool:
        """Whether a number lies in the span."""
        above = number > self.low or (self.has_low and number == self.low)
        return above and (number < self.high or (self.has_high and number == self.high))


Spans: TypeAlias = tuple[Span, ...]  # apart from each other, in ascending order
ALL_NUMBERS: Spans = (Span(-math.inf, math.inf),)


@dataclass(frozen=True, slots=True)
class CellSet:
    """Cells of a column: numbers, or positions of levels, and whether missing ones belong to them.

    One of the two sorts is None.
    """

    spans: Spans | None
    levels: frozenset[int] | None
    has_missing: bool

    @property
    def has_known(self) -> bool:
        """Whether cells that are not missing belong to the set."""
        return bool(self.spans) if self.levels is None else bool(self.levels)

    @property
    def is_empty(self) -> bool:
        """Whether no cell belongs to the set."""
        return not self.has_known and not self.has_missing

    def meet(self, other: CellSet) -> CellSet:
        """Return the cells of both sets."""
        has_missing = self.has_missing and other.has_missing
        if self.levels is not None and other.levels is not None:
            return CellSet(None, self.levels & other.levels, has_missing)
        return CellSet(meet_spans(self.spans or (), other.spans or ()), None, has_missing)

    def join(self, other: CellSet) -> CellSet:
        """Return the cells of one set or the other."""
        has_missing = self.has_missing or other.has_missing
        if self.levels is not None and other.levels is not None:
            return CellSet(None, self.levels | other.levels, has_missing)
        return CellSet(join_spans(self.spans or (), other.spans or ()), None, has_missing)

    def less(self, other: CellSet) -> CellSet:
        """Return the cells of this set that are not in the other."""
        has_missing = self.has_missing and not other.has_missing
        if self.levels is not None and other.levels is not None:
            return CellSet(None, self.levels - other.levels, has_missing)
        outside = complement_of(other.spans or ())
        return CellSet(meet_spans(self.spans or (), outside), None, has_missing)

    def holds(self, number: float) -> bool:
        """Whether a number, or the position of a level, belongs to the set."""
        if self.levels is not None:
            return number in self.levels
        return any(span.holds(number) for span in self.spans or ())


def all_cells(subject: Subject, column: ColumnInfo | None, *, has_missing: bool) -> CellSet:
    """Return all cells that a column may hold; a pair has no column of its own."""
    if isinstance(subject, str) and column is not None and column.kind == "categorical":
        return CellSet(None, frozenset(range(len(column.levels))), has_missing)
    return CellSet(ALL_NUMBERS, None, has_missing)


def every_cell(column: ColumnInfo | None) -> CellSet:
    """Return all that a column, or a pair, may hold: also missing cells, and levels never seen.

    The latter have the position past the last level.
    """
    if column is not None and column.kind == "categorical":
        return CellSet(None, frozenset(range(len(column.levels) + 1)), True)
    if column is not None and column.kind == "boolean":
        return CellSet((Span(0, 0, True, True), Span(1, 1, True, True)), None, True)
    return CellSet(ALL_NUMBERS, None, True)


def cells_that(asked: AskedQuestion, answer: bool, column: ColumnInfo | None) -> CellSet:
    """Return the cells to which a question, negated where the rule says so, answers like that.

    Missing cells whose answer is unknown do not belong to the set.
    """
    wanted = answer != asked.negated  # of the plain question
    has_missing = asked.when_missing is not None and asked.when_missing == wanted
    question = asked.question
    if question.test == "is missing":
        known = all_cells(question.column, column, has_missing=has_missing)
        return known if not wanted else _none_of(known)
    if column is not None and column.kind == "categorical":
        named = question.value if isinstance(question.value, tuple) else (question.value,)
        inside = frozenset(i for i, level in enumerate(column.levels) if level in named)
        every = frozenset(range(len(column.levels)))
        return CellSet(None, inside if wanted else every - inside, has_missing)
    scale = None if column is None else column.scale
    return CellSet(_spans_of(question, wanted, scale), None, has_missing)


def _none_of(cells: CellSet) -> CellSet:
    if cells.levels is None:
        return replace(cells, spans=())
    return replace(cells, levels=frozenset())


def _spans_of(question: Question, wanted: bool, scale: Scale | None) -> Spans:
    """Where the answer is that; cuts between the same two numbers have the same ends.

    Else there would be room between ``x >= 5``, which is ``x > 4.999...``, and ``x < 5``.
    """
    value = float(question.value)  # type: ignore[arg-type]  # numbers, by Question's own check
    if question.test == "==":
        if wanted:
            return (Span(value, value, True, True),)
        return Span(-math.inf, value), Span(value, math.inf)
    is_above = (question.test == ">") == wanted
    span = (
        Span(value, math.inf, not wanted) if is_above else Span(-math.inf, value, False, not wanted)
    )
    return (plainest_span(span) if scale is None else _in_steps(span),)


def _in_steps(span: Span) -> Span:
    """Return the same moments, which are whole numbers: from the first to before the next."""
    low = math.floor(span.low) + 1 if math.isfinite(span.low) and not span.has_low else span.low
    high = math.floor(span.high) + 1 if math.isfinite(span.high) and span.has_high else span.high
    return Span(low, high, math.isfinite(low), False)


def meet_spans(first: Spans, second: Spans) -> Spans:
    """Return the numbers that belong to both."""
    met = []
    i = j = 0
    while i < len(first) and j < len(second):
        a, b = first[i], second[j]
        low = max(a.low, b.low)
        high = min(a.high, b.high)
        has_low = (a.has_low or a.low < low) and (b.has_low or b.low < low)
        has_high = (a.has_high or a.high > high) and (b.has_high or b.high > high)
        if low < high or (low == high and has_low and has_high):
            met.append(Span(low, high, has_low, has_high))
        # The one that ends first has met all it can.
        if (a.high, a.has_high) < (b.high, b.has_high):
            i += 1
        else:
            j += 1
    return tuple(met)


def join_spans(first: Spans, second: Spans) -> Spans:
    """Return the numbers that belong to one or the other."""
    joined: list[Span] = []
    for span in sorted((*first, *second), key=lambda own: (own.low, not own.has_low)):
        before = joined[-1] if joined else None
        if before is None or (
            span.low > before.high
            or (span.low == before.high and not (before.has_high or span.has_low))
        ):
            joined.append(span)
        elif (span.high, span.has_high) > (before.high, before.has_high):
            joined[-1] = before._replace(high=span.high, has_high=span.has_high)
    return tuple(joined)


def complement_of(spans: Spans) -> Spans:
    """Return the numbers that belong to none of the spans."""
    found, low, has_low = [], -math.inf, False
    for span in spans:
        if low < span.low or (low == span.low and has_low and not span.has_low):
            found.append(Span(low, span.low, has_low, not span.has_low))
        low, has_low = span.high, not span.has_high
    if low < math.inf:
        found.append(Span(low, math.inf, has_low, False))
    return tuple(found)


# --- Words ---


def shown_within(own: CellSet, known: CellSet, column: ColumnInfo | None) -> CellSet:
    """Return what to say of cells of which it is said already that they are among the known.

    It is the shorter text: with the bounds, levels and missing cells that matter.
    """
    has_missing = own.has_missing and known.has_missing
    if own.levels is not None and known.levels is not None:
        levels = () if column is None else range(len(column.levels))
        free = frozenset(levels) - known.levels
        inner, outer = own.levels & known.levels, own.levels | free
        n_inner, n_outer = (min(len(s), len(levels) - len(s)) for s in (inner, outer))
        return CellSet(None, outer if n_outer < n_inner else inner, has_missing)
    both = meet_spans(own.spans or (), known.spans or ())
    if not both or not known.spans:
        return CellSet(both, None, has_missing)
    first, last = known.spans[0], known.spans[-1]
    wide = list(both)
    if (wide[0].low, wide[0].has_low) == (first.low, first.has_low):
        wide[0] = wide[0]._replace(low=-math.inf, has_low=False)
    if (wide[-1].high, wide[-1].has_high) == (last.high, last.has_high):
        wide[-1] = wide[-1]._replace(high=math.inf, has_high=False)
    return CellSet(tuple(wide), None, has_missing)


def show_subject(subject: Subject) -> str:
    """Write a column's name, or a pair, so that it stays on its line."""
    return str(subject) if isinstance(subject, ColumnPair) else show_column(subject)


def show_cells(
    subject: Subject,
    cells: CellSet,
    column: ColumnInfo | None,
    *,
    full_levels: bool = False,
    show: Show = show_level,
) -> str:
    """Write that a column's cell belongs to a set; "" where every cell does.

    ``show`` writes numbers.
    """
    name = show_subject(subject)
    if column is not None and column.kind == "boolean":
        return _show_truth(name, cells)
    if not cells.has_known:
        return f"{name} is missing" if cells.has_missing else f"{name} is impossible"
    if cells.levels is not None and column is not None:
        text = _show_levels(subject, cells.levels, column.levels, full_levels=full_levels)
    else:
        scale = None if column is None else column.scale
        text = show_spans(name, cells.spans or (), show, scale)
    if not text:
        return "" if cells.has_missing else f"{name} is not missing"
    return f"{text} or {name} is missing" if cells.has_missing else text


def _show_truth(name: str, cells: CellSet) -> str:
    """Write that a Boolean column is true, false, or missing; "" where it may be all of them."""
    words = [word for word, cell in (("true", 1.0), ("false", 0.0)) if cells.holds(cell)]
    if len(words) == 2:
        return "" if cells.has_missing else f"{name} is not missing"
    words += ["missing"] if cells.has_missing else []
    return " or ".join(f"{name} is {word}" for word in words) or f"{name} is impossible"


def _show_levels(
    subject: Subject, allowed: Iterable[int], levels: Sequence[Level], *, full_levels: bool
) -> str:
    inside = sorted(allowed)
    outside = sorted(set(range(len(levels))) - set(inside))
    if not outside:
        return ""
    negated = len(outside) < len(inside)
    named = tuple(levels[i] for i in (outside if negated else inside))
    question = (
        Question(subject, "==", named[0]) if len(named) == 1 else Question(subject, "in", named)
    )
    return question.text(negated=negated, full_levels=full_levels)


def show_spans(name: str, spans: Spans, show: Show = show_level, scale: Scale | None = None) -> str:
    """Write where a number lies; "" where it lies anywhere. On a scale, it stands for a moment."""
    if scale is not None:
        spans, show = tuple(plainest_moments(own, scale) for own in spans), _shown_on(scale)
    gaps = list(pairwise(spans))
    if any(before.high != after.low for before, after in gaps):
        return " or ".join(_show_span(name, span, show) for span in spans)
    whole = Span(spans[0].low, spans[-1].high, spans[0].has_low, spans[-1].has_high)
    holes = [f"{name} != {show(before.high)}" for before, _ in gaps]
    return " and ".join(filter(None, [_show_span(name, whole, show), *holes]))


def _shown_on(scale: Scale) -> Show:
    return lambda number: scale.show(float(number))


def plainest_moments(span: Span, scale: Scale) -> Span:
    """Return the same moments, with bounds that are written shortest: inside or outside."""
    low, has_low, high, has_high = span.low, span.has_low, span.high, span.has_high
    if math.isfinite(low):
        other = low - 1 if has_low else low + 1
        if len(scale.show(other)) < len(scale.show(low)):
            low, has_low = other, not has_low
    if math.isfinite(high):
        other = high + 1 if has_high else high - 1
        if len(scale.show(other)) < len(scale.show(high)):
            high, has_high = other, not has_high
    return Span(low, high, has_low, has_high)


def plainest_span(span: Span) -> Span:
    """Return the same numbers, with bounds that take fewest digits: inside or outside."""
    low = plainer_beside(span.low, -math.inf if span.has_low else math.inf)
    high = plainer_beside(span.high, math.inf if span.has_high else -math.inf)
    return Span(
        span.low if low is None else low,
        span.high if high is None else high,
        span.has_low == (low is None),
        span.has_high == (high is None),
    )


def _show_span(name: str, span: Span, show: Show) -> str:
    if span.low == span.high:
        return f"{name} == {show(span.low)}"
    span = plainest_span(span)
    has_low, has_high = span.low > -math.inf, span.high < math.inf
    if has_low and has_high:
        signs = ["<=" if closed else "<" for closed in (span.has_low, span.has_high)]
        return f"{show(span.low)} {signs[0]} {name} {signs[1]} {show(span.high)}"
    if has_low:
        return f"{name} {'>=' if span.has_low else '>'} {show(span.low)}"
    return f"{name} {'<=' if span.has_high else '<'} {show(span.high)}" if has_high else ""
