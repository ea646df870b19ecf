"""What a user says of tables: how they are read, and what their columns hold."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field

MISSING_MARKS = ("", "NA", "N/A", "n/a", "NaN", "nan", "NULL", "null", "?")
KINDS = ("number", "text", "category", "boolean", "date", "time", "duration", "skip")


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadOptions:
    """How files are read."""

    format: str | None = None  # None: by the suffix
    delimiter: str | None = None  # None: that of the format
    encoding: str = "utf-8"
    has_header: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class TypeOptions:
    """What the user says of the columns."""

    types: Mapping[str, str] = field(default_factory=dict)
    drop: Collection[str] = ()
    marks: Collection[str] = MISSING_MARKS
    decimal: str = "."
