"""Dates, times of day and durations: as text has them, and as arrow does."""

from __future__ import annotations

import datetime
import re
from collections.abc import Collection, Sequence
from typing import Any, Literal, TypeAlias, TypeGuard

import pyarrow as pa
import pyarrow.compute as pc

from bsnsing.data.scales import Moment, ScaleKind, read_moment, scale_of

MomentKind: TypeAlias = Literal["date", "time", "duration"]

MOMENT_KINDS: tuple[MomentKind, ...] = ("date", "time", "duration")
KIND_OF_SCALE: dict[ScaleKind, MomentKind] = {
    "moment": "date",
    "time": "time",
    "duration": "duration",
}
# What messages say a cell should be.
WANTED = {
    "date": "a date such as 2021-03-01 or 2021-03-01T14:30",
    "time": "a time of day such as 14:30",
    "duration": "a duration such as 2d 3h 15min",
}
WITH_OFFSET = "a moment with its offset from UTC, such as 2021-03-01T14:30+01:00"

# Nanoseconds, which some libraries write: moments are told apart by microseconds.
_FINER = re.compile(r"(\.\d{6})\d{1,3}(?=$|Z|[+-])")
# How data frames write durations: "1 days 02:03:04", "P1DT2H3M4S"; and clocks that run on.
_CLOCK_DURATION = re.compile(
    r"(?:(-?\d{1,9}) days?,? ?)?([+-]?)(\d{1,9}):([0-5]\d)(?::([0-5]\d(?:\.\d{1,6})?))?", re.ASCII
)
_ISO_DURATION = re.compile(
    r"(-?)P(?=.)(?:(\d{1,9})D)?(?:T(?=.)(?:(\d{1,12})H)?(?:(\d{1,12})M)?"
    r"(?:(\d{1,15}(?:\.\d{1,6})?)S)?)?",
    re.ASCII,
)


def read_as(text: str, kind: MomentKind) -> Moment | None:
    """Return what a text says, or None if it is not of the kind, or no such day or time."""
    text = _FINER.sub(r"\1", text)
    try:
        found = read_moment(text)
        if found is not None and found[1] == len(text):
            value = found[0]
            own = scale_of(value)
            if own is not None and KIND_OF_SCALE[own] == kind:
                return value
        return _duration(text) if kind == "duration" else None
    except (ValueError, OverflowError):
        return None


def _duration(text: str) -> datetime.timedelta | None:
    if found := _CLOCK_DURATION.fullmatch(text):
        days, sign, hours, minutes, seconds = found.groups()
        clock = _of_parts("0", hours, minutes, seconds)
        clock = -clock if sign == "-" else clock
        return datetime.timedelta(days=int(days or 0)) + clock
    if found := _ISO_DURATION.fullmatch(text):
        sign, *parts = found.groups()
        whole = _of_parts(*parts)
        return -whole if sign else whole
    return None


def _of_parts(
    days: str | None, hours: str | None, minutes: str | None, seconds: str | None
) -> datetime.timedelta:
    whole, _, fraction = (seconds or "0").partition(".")
    return datetime.timedelta(
        days=int(days or 0),
        hours=int(hours or 0),
        minutes=int(minutes or 0),
        seconds=int(whole),
        microseconds=int(fraction.ljust(6, "0")),
    )


def kind_of_texts(texts: Sequence[str]) -> MomentKind | None:
    """Return what all of some texts are: dates or times of day, as ISO 8601 has them, or neither.

    Durations are not told by their looks: ``5s`` and ``12h`` may be names.
    """
    for kind in ("date", "time"):
        values = [read_as(texts[0], kind)]
        if values[0] is None:
            continue
        values += [read_as(text, kind) for text in texts[1:]]
        known = [value for value in values if value is not None]
        if len(known) == len(values) and len(set(map(has_offset, known))) == 1:
            return kind
    return None


def has_offset(value: Moment) -> bool:
    """Whether a moment says its offset from UTC."""
    return isinstance(value, datetime.datetime) and value.tzinfo is not None


def arrow_type_of(values: Collection[Moment], texts: Collection[str], kind: MomentKind) -> Any:
    """Return the type of arrow for the moments that texts say."""
    if kind == "time":
        return pa.time64("us")
    if kind == "duration":
        return pa.duration("us")
    if any(map(has_offset, values)):
        return pa.timestamp("us", tz=_zone_of(values))
    are_days = all(len(text) == len("2021-03-01") for text in texts)
    return pa.date32() if are_days else pa.timestamp("us")


def _zone_of(values: Collection[Moment]) -> str:
    """The offset of all moments, or UTC where they have several."""
    offsets = {value.utcoffset() for value in values if isinstance(value, datetime.datetime)}
    offset = offsets.pop() if len(offsets) == 1 else None
    minutes = 0 if offset is None else offset // datetime.timedelta(minutes=1)
    if not minutes or offset != datetime.timedelta(minutes=minutes):
        return "UTC"
    return f"{'-' if minutes < 0 else '+'}{abs(minutes) // 60:02d}:{abs(minutes) % 60:02d}"


def kind_of_type(arrow_type: Any) -> MomentKind | None:
    """Return what a type of arrow holds; None if neither dates, times of day nor durations."""
    if pa.types.is_date(arrow_type) or pa.types.is_timestamp(arrow_type):
        return "date"
    if pa.types.is_time(arrow_type):
        return "time"
    return "duration" if pa.types.is_duration(arrow_type) else None


def is_moment_kind(kind: str) -> TypeGuard[MomentKind]:
    """Whether a kind of columns is dates, times of day or durations."""
    return kind in MOMENT_KINDS


def as_integers(array: Any) -> Any:
    """Return dates, times of day or durations as they are counted, in units of their type."""
    return array.cast(pa.int32() if array.type.bit_width == 32 else pa.int64())


def moment_ends(array: Any) -> tuple[Any, Any]:
    """Return the least and the greatest moment of an array that has some, as Python's own."""
    counted = pc.min_max(as_integers(array)).as_py()
    ends = pa.array([counted["min"], counted["max"]], as_integers(array).type).cast(array.type)
    if getattr(ends.type, "unit", "") == "ns":  # Python has no nanoseconds
        ends = ends.cast(_in_microseconds(ends.type), safe=False)
    least, most = ends.to_pylist()
    return least, most


def _in_microseconds(arrow_type: Any) -> Any:
    if pa.types.is_timestamp(arrow_type):
        return pa.timestamp("us", tz=arrow_type.tz)
    return pa.time64("us") if pa.types.is_time(arrow_type) else pa.duration("us")
