"""Moments, times of day and durations in PMML.

Moments are of type dateTime, which has no time zone: those that have one are given in UTC. Times of
day are of type time. For durations there is no type; they are seconds, as doubles.
"""

from __future__ import annotations

import datetime

from bsnsing.data.scales import Moment, Scale
from bsnsing.export.moments import Cut
from bsnsing.export.pmml_elements import NEGATED, apply, constant, never, simple
from bsnsing.export.xml_text import Element

_TYPES = {"moment": "dateTime", "time": "time", "duration": "double"}
_SECOND = datetime.timedelta(seconds=1)


def moment_type(scale: Scale) -> dict[str, str]:
    """Return what tells the type of a field, and how its cells are given, for people."""
    words = {"time": "a time of day", "duration": "a duration in seconds"}
    zone = "of any time zone, in UTC" if scale.zone is not None else "without time zone"
    shown = words.get(scale.kind, f"a moment {zone}")
    return {"displayName": shown, "optype": "continuous", "dataType": _TYPES[scale.kind]}


def cut_predicate(name: str, cut: Cut, scale: Scale, negated: bool) -> Element:
    """Write on which side of a cut a field lies."""
    if cut.value is None:
        is_none = cut.is_above_all == cut.asks_above
        return never(name, negated == is_none, _text(scale.at(0), scale))
    operator = _operator(cut)
    return simple(name, NEGATED[operator] if negated else operator, _text(cut.value, scale))


def cut_holds(field: Element, cut: Cut, scale: Scale) -> Element:
    """Write whether a known cell lies on the side that a question asks for."""
    if cut.value is None:
        is_none = cut.is_above_all == cut.asks_above
        return apply("isMissing" if is_none else "isNotMissing", field)
    return apply(_operator(cut), field, constant(_text(cut.value, scale), _TYPES[scale.kind]))


def _operator(cut: Cut) -> str:
    return "greaterOrEqual" if cut.asks_above else "lessThan"


def _text(value: Moment, scale: Scale) -> str:
    if isinstance(value, datetime.timedelta):
        return repr(value / _SECOND)
    if isinstance(value, datetime.datetime) and scale.zone is not None:
        value = value.astimezone(datetime.timezone.utc).replace(tzinfo=None)
    return value.isoformat()
