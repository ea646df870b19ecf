"""Pairs of columns solved for one of them, and round numbers in a set near a given one."""

from __future__ import annotations

import math
from collections.abc import Iterator

from bsnsing.export.cells import ALL_NUMBERS, Span, Spans
from bsnsing.questions.pair import ColumnPair

_NOT_ZERO: Spans = (Span(-math.inf, 0.0), Span(0.0, math.inf))


def solve_pair(pair: ColumnPair, spans: Spans, *, first: bool, other: float) -> Spans:
    """Return where one column of a pair puts its number into ``spans``, given the other's cell.

    Parameters
    ----------
    pair : ColumnPair
        What is made of two columns.
    spans : Spans
        Where its number is to lie.
    first : bool
        Whether the first column is looked for, else the second.
    other : float
        Cell of the column that stays.
    """
    if pair.sign == "*":
        return _all_if(spans, 0.0) if other == 0 else _scaled(spans, 1 / other, 0.0)
    if pair.sign == "/":
        if first:
            return () if other == 0 else _scaled(spans, other, 0.0)
        if other == 0:
            return _NOT_ZERO if _all_if(spans, 0.0) else ()
        return _divided(other, spans)
    sign = 1.0 if pair.sign == "+" else -1.0
    if first:
        return _scaled(spans, 1.0, -sign * pair.factor * other)
    slope = sign / pair.factor
    return _scaled(spans, slope, -slope * other)


def _all_if(spans: Spans, number: float) -> Spans:
    return ALL_NUMBERS if any(span.holds(number) for span in spans) else ()


def _scaled(spans: Spans, slope: float, offset: float) -> Spans:
    moved = [
        Span(span.low * slope + offset, span.high * slope + offset, span.has_low, span.has_high)
        for span in spans
    ]
    if slope < 0:
        moved = [Span(s.high, s.low, s.has_high, s.has_low) for s in reversed(moved)]
    return tuple(moved)


def _divided(number: float, spans: Spans) -> Spans:
    """Return the b with number / b in the spans; the number is not zero."""
    found = []
    for span in spans:
        for low, high, has_low, has_high in (
            (max(span.low, 0.0), span.high, span.has_low and span.low > 0, span.has_high),
            (span.low, min(span.high, 0.0), span.has_low, span.has_high and span.high < 0),
        ):
            if low > high or (low == high and not (has_low and has_high)):
                continue
            ends = [_quotient(number, low, from_above=True), _quotient(number, high)]
            own = Span(ends[1], ends[0], has_high, has_low)  # falls, for a positive number
            found.append(own if number > 0 else Span(ends[0], ends[1], has_low, has_high))
    return tuple(sorted(found))


def _quotient(number: float, end: float, *, from_above: bool = False) -> float:
    if end == 0:  # the limit, from the side on which the span lies
        return math.copysign(math.inf, number) * (1 if from_above else -1)
    return number / end


def near_number(spans: Spans, present: float | None) -> float | None:
    """Return a short number of the spans near the present one; None where there is none."""
    for span in sorted(spans, key=lambda span: _distance(span, present)):
        for number in _round_numbers(span, present):
            if span.holds(number):
                return number
    return None


def _distance(span: Span, present: float | None) -> float:
    if present is None:
        return 0.0
    return max(span.low - present, present - span.high, 0.0)


def _round_numbers(span: Span, present: float | None) -> Iterator[float]:
    """Numbers at the end of the span that is nearest, from short to exact, and at last any."""
    if present is not None and span.holds(present):
        yield present
    low, high = span.low, span.high
    if low == high:
        yield low
        return
    at_high = high < math.inf and (low == -math.inf or (present is not None and present >= high))
    end, inward = (high, -1.0) if at_high else (low, 1.0)
    if not math.isfinite(end):
        yield 0.0
        return
    away = abs(end if present is None else present - end)
    scale = max(min(away, high - low), abs(end) * 1e-12, 1e-300)
    is_whole = present is None or present == round(present)
    if is_whole and scale >= 0.5:
        yield float(math.floor(end) if at_high else math.ceil(end))
        yield float(math.floor(end) - 1 if at_high else math.ceil(end) + 1)
    place = math.floor(math.log10(scale))
    for digits in range(-place, 18 - place):
        whole = _to_digits(end, digits, inward)
        for number in (whole, _to_digits(end + inward * 10.0**-digits, digits, inward)):
            if abs(number - end) <= scale / 10:
                yield number
    yield from (end, math.nextafter(end, end + inward * scale), (low + high) / 2)


def _to_digits(number: float, digits: int, inward: float) -> float:
    """Round to a number of decimal digits, towards the inside."""
    size = 10.0 ** abs(digits)
    scaled = number * size if digits >= 0 else number / size
    if not math.isfinite(scaled):
        return number
    whole = math.floor(scaled + 1e-9) if inward < 0 else math.ceil(scaled - 1e-9)
    return whole / size if digits >= 0 else whole * size
