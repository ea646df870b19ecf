"""Cells as they stand in a file, and as text."""

from __future__ import annotations

import datetime
import json
from decimal import Decimal
from typing import Any

import pyarrow as pa

from bsnsing.cli.table_formats import Style
from bsnsing.data.scales import show_moment


def texts_of(array: Any, style: Style) -> tuple[Any, bool]:
    """Return an array of text, null where there is nothing, and whether the file says it is text.

    Nested cells raise ValueError.
    """
    if style == "text":
        return array, False
    cells = array.to_pylist()
    if style == "typed":
        is_text = is_text_type(array.type)
        return pa.array([None if c is None else plain_text(c) for c in cells], pa.string()), is_text
    values = [None if cell is None else json.loads(cell, parse_float=_Number) for cell in cells]
    is_text = any(isinstance(value, str) and not isinstance(value, _Number) for value in values)
    return pa.array([None if v is None else plain_text(v) for v in values], pa.string()), is_text


def plain_text(value: Any) -> str:
    """Write one value as text, the way that files have it."""
    if isinstance(value, str):
        return str(value)
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return repr(value)
    if isinstance(value, list | dict):
        raise ValueError(f"{json.dumps(value, default=str):.60} is no plain cell.")
    if isinstance(value, datetime.timedelta):
        return show_moment(value)
    if hasattr(value, "isoformat"):
        return str(value.isoformat())
    return str(value)


def shown_cells(array: Any, style: Style) -> list[str]:
    """Return the cells as a text file has them; nothing is empty."""
    if style == "text":
        return [cell or "" for cell in array.to_pylist()]
    if style == "json":
        return [_shown_literal(cell) for cell in array.to_pylist()]
    return ["" if cell is None else _shown(cell) for cell in array.to_pylist()]


def json_literals(array: Any, style: Style) -> list[str]:
    """Return the cells as literals of JSON."""
    if style == "json":
        return [cell or "null" for cell in array.to_pylist()]
    if style == "text":
        return [json.dumps(cell or None, ensure_ascii=False) for cell in array.to_pylist()]
    return [_literal(cell) for cell in array.to_pylist()]


class _Number(str):
    """A number of JSON as it is written, so that no digit is lost."""

    __slots__ = ()


def is_text_type(kind: Any) -> bool:
    """Whether a type of arrow is text, perhaps as a dictionary."""
    if pa.types.is_dictionary(kind):
        kind = kind.value_type
    return bool(
        pa.types.is_string(kind) or pa.types.is_large_string(kind) or str(kind) == "string_view"
    )


def _shown_literal(cell: str | None) -> str:
    if cell is None or cell == "null":
        return ""
    return str(json.loads(cell)) if cell.startswith('"') else cell


def _shown(value: Any) -> str:
    if isinstance(value, list | dict):
        return json.dumps(value, ensure_ascii=False, default=str)
    return plain_text(value)


def _literal(value: Any) -> str:
    if isinstance(value, float) and (value != value or value in (float("inf"), -float("inf"))):
        return "null"  # which JSON has no word for
    if value is None or isinstance(value, bool | int | float | str | list | dict):
        return json.dumps(value, ensure_ascii=False, default=str)
    if isinstance(value, Decimal) and value.is_finite():
        return format(value, "f")  # a number, digit for digit
    return json.dumps(plain_text(value), ensure_ascii=False)
