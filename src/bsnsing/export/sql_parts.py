"""Months, weekdays and hours that a query works out itself, as date_parts() makes them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from bsnsing.data.columns import ColumnInfo
from bsnsing.data.date_parts import PART_NAMES
from bsnsing.export.form import ModelForm
from bsnsing.export.sql_dialects import Dialect
from bsnsing.export.sql_moments import moment_type


@dataclass(frozen=True, slots=True)
class DatePart:
    """A part of a column of dates."""

    source: ColumnInfo
    part: str


@dataclass(frozen=True, slots=True)
class _Clock:
    """How a dialect tells parts, with {} for a moment; None where it cannot."""

    weekday: str | None
    zone: str | None  # with {cell} and {zone}: what clocks of a time zone show
    part: str = "EXTRACT({part} FROM {{}})"


_ISO_WEEKDAY = "EXTRACT(DAYOFWEEK_ISO FROM {})"
_OF_SERVERS = _Clock("EXTRACT(ISODOW FROM {})", "({cell} AT TIME ZONE {zone})")
_CLOCKS = {
    "sqlite": _Clock("(STRFTIME('%w', SUBSTR({}, 1, 10)) + 6) % 7 + 1", None),
    "duckdb": _OF_SERVERS,
    "postgresql": _OF_SERVERS,
    "bigquery": _Clock("MOD(EXTRACT(DAYOFWEEK FROM {}) + 5, 7) + 1", "DATETIME({cell}, {zone})"),
    "snowflake": _Clock(_ISO_WEEKDAY, "CONVERT_TIMEZONE({zone}, {cell})"),
    "spark": _Clock(_ISO_WEEKDAY, None),
    "ansi": _Clock(None, None),
}
# Where a part stands in the text that SQLite's moments are made into.
_SIGNS = {"year": (1, 4), "month": (6, 2), "day": (9, 2), "hour": (12, 2), "minute": (15, 2)}


def asked_parts(form: ModelForm, dates: str | Sequence[str]) -> dict[str, DatePart]:
    """Return the columns that are parts of some columns of dates, of those that rules ask about.

    Raises
    ------
    ValueError
        If a name is not that of a column of dates.
    """
    named = [dates] if isinstance(dates, str) else list(dates)
    known = {c.name: c for c in form.columns if c.scale is not None and c.scale.kind == "moment"}
    for name in named:
        if name not in known:
            raise ValueError(
                f"date_parts names {name!r:.60}, which is no column of dates of the model. Keep it "
                "in the table of fit, or make its parts columns of a view."
            )
    found = {f"{name} {part}": DatePart(known[name], part) for name in named for part in PART_NAMES}
    return {
        column.name: found[column.name]
        for column in form.asked_columns
        if column.name in found and column.kind == "numeric" and column.scale is None
    }


def written_part(own: DatePart, cell: str, dialect: Dialect) -> str:
    """Write a part of a cell of the table, as a double."""
    clock = _CLOCKS[dialect.name]
    shown = moment_type(own.source, dialect.name).cell.format(cell)
    zone = None if own.source.scale is None else own.source.scale.zone
    is_plain_text = dialect.name == "sqlite"
    if zone is not None and not (is_plain_text and zone == "UTC"):
        has_name = re.fullmatch(r"[A-Za-z][\w+/-]*", zone) and not zone.startswith("UTC+")
        if clock.zone is None or not has_name:
            raise _refused(own, dialect, f"of the time zone {zone!r}")
        shown = clock.zone.format(cell=shown, zone=dialect.literal(zone))
    if own.part == "weekday":
        if clock.weekday is None:
            raise _refused(own, dialect, "of dates")
        number = clock.weekday.format(shown)
    elif is_plain_text:
        place, length = _SIGNS[own.part]
        number = f"SUBSTR({shown}, {place}, {length})"
    else:
        number = clock.part.format(part=own.part.upper()).format(shown)
    return dialect.cast(number, dialect.double)


def _refused(own: DatePart, dialect: Dialect, what: str) -> ValueError:
    return ValueError(
        f"{dialect.name} cannot tell the {own.part} {what}, which column {own.source.name!r} "
        f"holds. Make {f'{own.source.name} {own.part}'!r} a column of a view, and leave it out of "
        "date_parts."
    )
