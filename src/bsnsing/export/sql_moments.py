"""Moments, times of day and durations in SQL: types and literals of each dialect."""

from __future__ import annotations

import datetime
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, TypeAlias

from bsnsing.data.columns import ColumnInfo
from bsnsing.data.scales import Moment, Scale
from bsnsing.export.moments import STEPS_PER_SECOND, in_whole_minutes
from bsnsing.export.sql_dialects import sqlite_double

# Of columns: as scales have them, but moments that have a time zone are of a type of their own.
MomentKind: TypeAlias = Literal["moment", "zoned", "time", "duration"]
_STEP = datetime.timedelta(microseconds=1)


@dataclass(frozen=True, slots=True)
class MomentType:
    """How a dialect reads cells of one kind, and how it writes what they are compared with."""

    cell: str  # with {} for the column
    literal: str  # with {} for the text
    text: Callable[[Moment], str] = str


def moment_type(column: ColumnInfo, dialect: str) -> MomentType:
    """Return how a dialect has the cells of a column.

    Raises
    ------
    ValueError
        If it has no type for them.
    """
    assert column.scale is not None
    found = _TYPES[dialect].get(_kind_of(column.scale))
    if found is None:
        raise ValueError(
            f"export_sql cannot ask about column {column.name!r} in {dialect}, which has no type "
            f"for {column.scale.words}. Fit to a table that has it as a number, such as seconds."
        )
    return found


def _kind_of(scale: Scale) -> MomentKind:
    if scale.kind == "moment" and scale.zone is not None:
        return "zoned"
    assert scale.kind != "order"
    return scale.kind


# --- Text ---


def _zoned_text(value: Moment) -> str:
    assert isinstance(value, datetime.datetime)
    return str(in_whole_minutes(value))


def _utc_text(value: Moment) -> str:
    assert isinstance(value, datetime.datetime)
    return str(value.astimezone(datetime.timezone.utc).replace(tzinfo=None))


def _signs_apart(value: Moment) -> str:
    """Write a duration in days and hours that have a sign each: ``-1 days -02:03:04.5``."""
    sign, days, clock = _days_and_clock(value)
    return f"{sign}{days} days {sign}{clock}"


def _two_signs(value: Moment) -> str:
    sign, days, clock = _days_and_clock(value)
    return f"{sign}{days} {sign}{clock}"


def _one_sign(value: Moment) -> str:
    sign, days, clock = _days_and_clock(value)
    return f"{sign}{days} {clock}"


def _days_and_clock(value: Moment) -> tuple[str, int, str]:
    assert isinstance(value, datetime.timedelta)
    size = abs(value)
    clock = (datetime.datetime.min + (size - datetime.timedelta(days=size.days))).time()
    return "-" if value < datetime.timedelta() else "", size.days, str(clock)


def _seconds(value: Moment) -> str:
    assert isinstance(value, datetime.timedelta)
    digits = repr(value // _STEP / STEPS_PER_SECOND)
    return sqlite_double(digits if "e" in digits else f"{digits.removesuffix('.0')}e0")


# --- Dialects ---


def _cast(kind: str) -> str:
    return f"CAST({{}} AS {kind})"


def _sqlite_text(form: str) -> str:
    """Write as text of one form all that SQLite reads as a moment or time.

    That is text, whole numbers of seconds since 1970, and Julian days as REAL. The seconds of text
    are read by SQLite, their fraction here: SQLite would round it to milliseconds.
    """
    point = "INSTR({0} || '.', '.')"
    zone = f"LTRIM(SUBSTR({{0}}, {point} + 1), '0123456789')"
    whole = f"STRFTIME('{form}%S', SUBSTR({{0}}, 1, {point} - 1) || {zone})"
    # A little more than the double of the digits, so that it is no microsecond less.
    steps = f"CAST('0.' || SUBSTR({{0}}, {point} + 1) AS REAL) * 1e6 + 5e-4"
    return (
        f"CASE TYPEOF({{0}}) WHEN 'integer' THEN STRFTIME('{form}%S.000000', {{0}}, 'unixepoch')\n"
        f"      WHEN 'real' THEN STRFTIME('{form}%f000', {{0}})\n"
        f"      ELSE {whole}\n"
        f"        || PRINTF('.%06d', CAST({steps} AS INTEGER)) END"
    )


_WITH_ZONE = "TIMESTAMP WITH TIME ZONE"
_STANDARD: dict[MomentKind, MomentType] = {
    "moment": MomentType(_cast("TIMESTAMP"), "TIMESTAMP '{}'"),
    # A literal is not enough: some databases then leave out the zone.
    "zoned": MomentType(_cast(_WITH_ZONE), f"CAST('{{}}' AS {_WITH_ZONE})", _zoned_text),
    "time": MomentType(_cast("TIME"), "TIME '{}'"),
    # As it is: a cast would name how many digits its days have.
    "duration": MomentType("{}", "INTERVAL '{}' DAY(9) TO SECOND(6)", _one_sign),
}
_OF_SERVERS = _STANDARD | {
    "zoned": MomentType(_cast("TIMESTAMPTZ"), "TIMESTAMPTZ '{}'", _zoned_text),
    "duration": MomentType(_cast("INTERVAL"), "INTERVAL '{}'", _signs_apart),
}
_TYPES: dict[str, dict[MomentKind, MomentType]] = {
    "sqlite": {
        "moment": MomentType(_sqlite_text("%Y-%m-%d %H:%M:"), "'{}'"),
        "zoned": MomentType(_sqlite_text("%Y-%m-%d %H:%M:"), "'{}'", _utc_text),
        "time": MomentType(_sqlite_text("%H:%M:"), "'{}'"),
        "duration": MomentType(_cast("REAL"), "{}", _seconds),
    },
    "duckdb": _OF_SERVERS,
    "postgresql": _OF_SERVERS,
    "bigquery": {
        "moment": MomentType(_cast("DATETIME"), "DATETIME '{}'"),
        "zoned": MomentType(_cast("TIMESTAMP"), "TIMESTAMP '{}'", _zoned_text),
        "time": MomentType(_cast("TIME"), "TIME '{}'"),
        "duration": MomentType(_cast("INTERVAL"), "INTERVAL '{}' DAY TO SECOND", _two_signs),
    },
    "snowflake": {
        "moment": MomentType(_cast("TIMESTAMP_NTZ"), "'{}'::TIMESTAMP_NTZ"),
        "zoned": MomentType(_cast("TIMESTAMP_TZ"), "'{}'::TIMESTAMP_TZ", _zoned_text),
        "time": MomentType(_cast("TIME"), "'{}'::TIME"),
    },
    "spark": {
        "moment": MomentType(_cast("TIMESTAMP_NTZ"), "TIMESTAMP_NTZ '{}'"),
        "zoned": MomentType(_cast("TIMESTAMP_LTZ"), "TIMESTAMP_LTZ '{}'", _zoned_text),
        "duration": MomentType(
            _cast("INTERVAL DAY TO SECOND"), "INTERVAL '{}' DAY TO SECOND", _one_sign
        ),
    },
    "ansi": _STANDARD,
}
