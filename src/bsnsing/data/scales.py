"""Scales: what the numbers of a column stand for, where these are moments, times or ordered levels.

Such a column is numbers to every search: microseconds since 1970 (moments; of those with a time
zone, in UTC), since midnight (times of day) or in all (durations), and for ordered levels 1, 2, ...
from the least one on.
"""

from __future__ import annotations

import datetime
import math
import re
from dataclasses import dataclass
from functools import cache
from typing import Any, Literal, TypeAlias
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

ScaleKind: TypeAlias = Literal["moment", "time", "duration", "order"]
Moment: TypeAlias = datetime.datetime | datetime.time | datetime.timedelta

SCALE_KINDS: tuple[ScaleKind, ...] = ("moment", "time", "duration", "order")
_WORDS = {"moment": "dates", "time": "times of day", "duration": "durations", "order": "levels"}

_EPOCH = datetime.datetime(1970, 1, 1)
_EPOCH_UTC = _EPOCH.replace(tzinfo=datetime.timezone.utc)
_STEP = datetime.timedelta(microseconds=1)
_SECOND, MINUTE = 1_000_000, 60_000_000
_HOUR, _DAY = 60 * MINUTE, 24 * 60 * MINUTE
# Moments that Python has, a day short of its ends, where clocks of some time zone would be beyond.
_FIRST = (datetime.datetime.min + datetime.timedelta(1) - _EPOCH) // _STEP
_LAST = (datetime.datetime.max - datetime.timedelta(1) - _EPOCH) // _STEP
# Units that moments are rounded to, the coarsest first.
UNITS = (_DAY, _HOUR, MINUTE, _SECOND, 1000, 1)


@dataclass(frozen=True, slots=True)
class Scale:
    """What the numbers of a column stand for.

    Attributes
    ----------
    kind : {"moment", "time", "duration", "order"}
        Moments (dates too), times of day, durations, or levels with an order.
    zone : str or None
        The time zone of moments, in which they are shown; None where they have none.
    levels : tuple of str
        Of an order, the least first.
    """

    kind: ScaleKind
    zone: str | None = None
    levels: tuple[str, ...] = ()

    @property
    def words(self) -> str:
        """What the column holds, for messages."""
        return _WORDS[self.kind]

    @property
    def fixed_offset(self) -> int | None:
        """Microseconds that clocks of the time zone are ahead of UTC; None where it depends."""
        if self.zone is None or self.zone == "UTC":
            return 0
        zone = zone_of(self.zone)
        fixed = zone.utcoffset(None) if isinstance(zone, datetime.timezone) else None
        return None if fixed is None else fixed // _STEP

    def number(self, value: Any, test: str) -> float:
        """Return the number that ``cell test number`` compares with where a question has a value.

        Raises
        ------
        ValueError
            If the value is of another scale.
        """
        if self.kind == "order":
            return self._place(value, test)
        is_aware = isinstance(value, datetime.datetime) and value.tzinfo is not None
        if scale_of(value) != self.kind or is_aware != (self.zone is not None):
            raise ValueError(self._advice())
        return float(in_steps(value))

    def value(self, number: float, test: str) -> tuple[str, Any]:
        """Return test and value of a question, given those of the numbers; answers are the same."""
        if self.kind == "order":
            if test == ">":
                return ">=", self.levels[min(max(math.floor(number), 0), len(self.levels) - 1)]
            if test == "<":
                return "<=", self.levels[min(max(math.ceil(number) - 2, 0), len(self.levels) - 1)]
            return test, self.levels[min(max(round(number) - 1, 0), len(self.levels) - 1)]
        steps = math.floor(number) if test == ">" else math.ceil(number)
        return test, self.at(steps)

    def at(self, steps: float) -> Moment:
        """Return the moment of a number of microseconds; beyond what Python has, the nearest."""
        if self.kind == "duration":
            least, most = datetime.timedelta.min // _STEP, datetime.timedelta.max // _STEP
            return _STEP * min(max(int(steps), least), most)
        if self.kind == "time":
            inside = min(max(int(steps), 0), _DAY - 1)
            return (_EPOCH + _STEP * inside).time()
        naive = _EPOCH + _STEP * min(max(int(steps), _FIRST), _LAST)
        if self.zone is None:
            return naive
        moment = naive.replace(tzinfo=datetime.timezone.utc)
        # By its offset: an hour that clocks repeat equals no moment of another zone to Python.
        offset = zone_of(self.zone).utcoffset(moment.astimezone(zone_of(self.zone)))
        return moment.astimezone(datetime.timezone(offset or datetime.timedelta()))

    def rounded(self, number: float, unit: int) -> float:
        """Return the nearest moment of a unit, as the clocks of its time zone show it."""
        offset = 0
        if self.zone is not None:
            moment = self.at(number)
            assert isinstance(moment, datetime.datetime)
            offset = (moment.utcoffset() or datetime.timedelta()) // _STEP
        return float(round((number + offset) / unit) * unit - offset)

    def show(self, number: float) -> str:
        """Write a number of the column for people."""
        if self.kind == "order":
            return str(self.value(number, "==")[1])
        return show_moment(self.at(round(number)))

    def _place(self, value: Any, test: str) -> float:
        place = {level: i + 1 for i, level in enumerate(self.levels)}.get(value)
        if place is None:
            listed = " < ".join(self.levels[:8]) + (" < ..." if len(self.levels) > 8 else "")
            raise ValueError(f"The levels are {listed}.")
        return {">": place + 0.5, ">=": place - 0.5, "<": place - 0.5, "<=": place + 0.5}.get(
            test, float(place)
        )

    def _advice(self) -> str:
        if self.kind == "moment":
            form = "2021-03-01 or 2021-03-01T14:30"
            form += "+01:00, with its offset from UTC" if self.zone else ", without an offset"
        else:
            form = "14:30" if self.kind == "time" else "2d 3h 15min 2.5s"
        return f"The column holds {self.words}. Write one such as {form}."


def scale_of(value: Any) -> ScaleKind | None:
    """What a value is on: None if it is no moment, time or duration."""
    if isinstance(value, datetime.date):
        return "moment"
    if isinstance(value, datetime.time):
        return "time"
    return "duration" if isinstance(value, datetime.timedelta) else None


def in_steps(value: Any) -> int:
    """Return a moment, time or duration in microseconds."""
    if isinstance(value, datetime.timedelta):
        return value // _STEP
    if isinstance(value, datetime.time):
        return (datetime.datetime.combine(_EPOCH, value.replace(tzinfo=None)) - _EPOCH) // _STEP
    if not isinstance(value, datetime.datetime):
        value = datetime.datetime(value.year, value.month, value.day)
    since: datetime.timedelta = value - (_EPOCH if value.tzinfo is None else _EPOCH_UTC)
    return since // _STEP


def beside(value: Moment, way: int) -> Moment | None:
    """Return the moment a microsecond later (1) or earlier (-1); None where there is none."""
    try:
        if isinstance(value, datetime.time):
            return Scale("time").at(in_steps(value) + way) if _is_inside(value, way) else None
        return value + way * _STEP
    except OverflowError:
        return None


def _is_inside(value: datetime.time, way: int) -> bool:
    return 0 <= in_steps(value) + way < _DAY


@cache
def zone_of(name: str) -> datetime.tzinfo:
    """Return a time zone by its name, or by its offset as in +01:00."""
    offset = re.fullmatch(r"(?:UTC)?([+-])(\d\d):(\d\d)", name)
    try:
        if offset is None:
            return ZoneInfo(name)
        sign, hours, minutes = offset.groups()
        own = datetime.timedelta(hours=int(hours), minutes=int(minutes))
        return datetime.timezone(own if sign == "+" else -own)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        return datetime.timezone.utc  # the moment is the same


# --- Text ---

_DATE = r"\d{4}-\d\d-\d\d"
_CLOCK = r"\d\d:\d\d(?::\d\d(?:\.\d{1,6})?)?"
MOMENT = re.compile(rf"({_DATE})(?:[T ]({_CLOCK})(Z|[+-]\d\d:\d\d(?::\d\d)?)?)?(?![\w:.-])")
TIME = re.compile(rf"{_CLOCK}(?![\w:.-])")
DURATION = re.compile(
    r"-?(?=\d)(?:(\d{1,9})d)?(?:\s*(\d{1,12})h)?(?:\s*(\d{1,12})min)?(?:\s*(\d{1,15}(?:\.\d{1,6})?)s)?(?![\w.])"
)


def show_moment(value: Moment | datetime.date) -> str:
    """Write a moment, time or duration as the grammar reads it, as short as may be."""
    if isinstance(value, datetime.timedelta):
        return _show_duration(value // _STEP)
    if isinstance(value, datetime.time):
        return _short_clock(value)
    date = f"{value.year:04d}-{value.month:02d}-{value.day:02d}"
    if not isinstance(value, datetime.datetime):
        return date  # a day, as some libraries have it
    if value.tzinfo is None:
        is_midnight = value.time() == datetime.time()
        return date if is_midnight else f"{date}T{_short_clock(value.time())}"
    offset = value.isoformat(timespec="microseconds")[len("2021-03-01T00:00:00.000000") :]
    return f"{date}T{_short_clock(value.time())}{offset}"


def _short_clock(time: datetime.time) -> str:
    if time.microsecond:
        return time.isoformat(timespec="microseconds").rstrip("0")
    return time.isoformat(timespec="seconds" if time.second else "minutes")


def _show_duration(steps: int) -> str:
    sign, steps = ("-" if steps < 0 else ""), abs(steps)
    days, rest = divmod(steps, _DAY)
    hours, rest = divmod(rest, _HOUR)
    minutes, rest = divmod(rest, MINUTE)
    seconds, fraction = divmod(rest, _SECOND)
    shown = f"{seconds}.{fraction:06d}".rstrip("0").rstrip(".")
    parts = [(days, f"{days}d"), (hours, f"{hours}h"), (minutes, f"{minutes}min")]
    parts.append((rest, f"{shown}s"))
    return sign + (" ".join(text for amount, text in parts if amount) or "0s")


def read_moment(text: str, place: int = 0) -> tuple[Moment, int] | None:
    """Read the moment, time or duration at a place; return it and where it ends, or None.

    Raises
    ------
    ValueError
        If there is no such day or time.
    """
    found = MOMENT.match(text, place)
    if found:
        day, clock, offset = found.groups()
        shown = f"{day}T{_full_clock(clock or '00:00')}{(offset or '').replace('Z', '+00:00')}"
        return datetime.datetime.fromisoformat(shown), found.end()
    found = TIME.match(text, place)
    if found:
        return datetime.time.fromisoformat(_full_clock(found.group())), found.end()
    found = DURATION.match(text, place)
    if found and any(found.groups()):
        days, hours, minutes, seconds = (own or "0" for own in found.groups())
        whole, _, fraction = seconds.partition(".")
        steps = int(days) * _DAY + int(hours) * _HOUR + int(minutes) * MINUTE
        steps += int(whole) * _SECOND + int(fraction.ljust(6, "0"))
        sign = -1 if found.group().startswith("-") else 1
        try:
            return sign * steps * _STEP, found.end()
        except OverflowError as error:
            raise ValueError("It is beyond what durations can be") from error
    return None


def reads_as_moment(text: str) -> bool:
    """Whether text would be taken for a moment, time or duration, perhaps one that is not."""
    try:
        found = read_moment(text)
    except ValueError:
        return True
    return found is not None and found[1] == len(text)


def _full_clock(clock: str) -> str:
    """The same with all digits, which older versions of Python insist on."""
    head, dot, fraction = clock.partition(".")
    return f"{head}.{fraction.ljust(6, '0')}" if dot else head
