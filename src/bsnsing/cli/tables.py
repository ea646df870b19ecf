"""Whole tables for learning: their columns, what each holds, and what is shown of it."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from bsnsing.cli.cells import is_text_type, texts_of
from bsnsing.cli.errors import Refusal
from bsnsing.cli.kinds import TextColumn
from bsnsing.cli.moments import MOMENT_KINDS, is_moment_kind, kind_of_type, moment_ends
from bsnsing.cli.sources import expand_paths, open_source
from bsnsing.cli.table_formats import Style
from bsnsing.cli.table_options import ReadOptions, TypeOptions
from bsnsing.data.scales import show_moment
from bsnsing.data.show import show_level, show_name

_SHOWN_COLUMNS = 40
_SHOWN_LEVELS = 3
_WIDEST_NAME, _WIDEST_DETAIL = 32, 44


@dataclass(frozen=True, slots=True)
class RawTable:
    """Columns as they stand in the file."""

    path: str
    columns: dict[str, Any]
    style: Style
    n_rows: int


@dataclass(frozen=True, slots=True)
class ReadColumn:
    """A column as it is understood."""

    name: str
    kind: str  # number, boolean, text, ordered, category, date, time, duration or empty
    array: Any  # of arrow
    n_missing: int
    marks: tuple[str, ...] = ()  # of missing cells, as far as they occur
    note: str = ""


def read_table(patterns: Sequence[str], options: ReadOptions) -> RawTable:
    """Read one or more files of the same columns as one table."""
    paths = expand_paths(patterns)
    parts: list[dict[str, Any]] = []
    styles: set[Style] = set()
    n_rows = 0
    for path in paths:
        with open_source(path, options) as source:
            styles.add(source.style)
            own = [(batch.columns, batch.n_rows) for batch in source.batches]
        n_rows += sum(count for _, count in own)
        parts += [_padded(columns, own[-1][0], count) for columns, count in own]
        _check_same_columns(paths[0], parts[0], path, parts[-1])
    if len(styles) > 1:
        raise Refusal(f"{paths[0]!r} and others are of different formats.", "convert them first.")
    if n_rows == 0:
        raise Refusal(f"{paths[0]!r} has no rows.", "a table has at least one.")
    columns = {name: _joined(name, [part[name] for part in parts]) for name in parts[0]}
    return RawTable(paths[0], columns, styles.pop(), n_rows)


def _padded(columns: dict[str, Any], last: dict[str, Any], n_rows: int) -> dict[str, Any]:
    """Names of JSON lines may come up late: rows before have nothing there."""
    return {name: columns.get(name, pa.nulls(n_rows, last[name].type)) for name in last}


def _joined(name: str, arrays: list[Any]) -> Any:
    try:
        joined = pa.chunked_array(arrays)
    except pa.ArrowInvalid as error:
        raise Refusal(
            f"Column {name!r} is of different types in the files.", "convert them first."
        ) from error
    except TypeError:
        joined = pa.chunked_array([array.cast(arrays[0].type) for array in arrays])
    combined = joined.combine_chunks()
    return pa.concat_arrays(combined.chunks) if isinstance(combined, pa.ChunkedArray) else combined


def _check_same_columns(
    path: str, columns: Iterable[str], other_path: str, others: Iterable[str]
) -> None:
    differing = sorted(set(columns) ^ set(others))
    if differing:
        raise Refusal(
            f"{path!r} and {other_path!r} do not have the same columns: {differing[0]!r} is in "
            "one of them only.",
            "give files of the same table.",
        )


def check_names(wanted: Iterable[str], names: Collection[str], option: str) -> None:
    """Refuse a name of a column that the table does not have."""
    for name in wanted:
        if name in names:
            continue
        near = get_close_matches(name, names, n=1)
        first = ", ".join(map(repr, list(names)[:8])) + (", ..." if len(names) > 8 else "")
        hint = f"did you mean {near[0]!r}?" if near else f"its columns are {first}."
        if len(names) == 1 and any(mark in first for mark in ";\t|"):
            hint = f"its only column is {first}: say the --delimiter."
        raise Refusal(f"{option} names the column {name!r}, which the table does not have.", hint)


def read_columns(table: RawTable, options: TypeOptions) -> list[ReadColumn]:
    """Find out what each column holds, but where the user says it."""
    check_names(options.types, table.columns, "--type")
    check_names(options.drop, table.columns, "--drop")
    return [
        read_column(name, array, table.style, options)
        for name, array in table.columns.items()
        if name not in options.drop and options.types.get(name) != "skip"
    ]


def read_column(name: str, array: Any, style: Style, options: TypeOptions) -> ReadColumn:
    """Understand one column."""
    wanted = options.types.get(name)
    if style == "typed" and (wanted is None or _is_of_kind(array.type, wanted)):
        typed = _read_typed(name, array, wanted)
        if typed is not None:
            return typed
    try:
        texts, is_text = texts_of(array, style)
    except ValueError as error:
        raise Refusal(
            f"Column {name!r} holds lists or objects: {error}", f"say --drop {show_level(name)}."
        ) from error
    cells = TextColumn.read(name, texts, options.marks, options.decimal)
    kind, note = cells.kind()
    if is_text:
        kind, note = _text_kind(kind, note, style, name)
    if wanted is not None:
        note = "" if wanted == kind else "as you say"
        kind = _as_levels(kind) if wanted == "category" else wanted
    shown = "category" if wanted == "category" else kind
    built = _built(cells, kind)
    return ReadColumn(name, shown, built, cells.n_missing, tuple(cells.marks_met), note)


def _text_kind(kind: str, note: str, style: Style, name: str) -> tuple[str, str]:
    """What text holds that the file says is text: JSON has no other form for dates."""
    if kind == "empty" or (style == "json" and kind in (*MOMENT_KINDS, "local date")):
        return kind, note
    if kind in MOMENT_KINDS:
        return "text", f"say --type {show_level(name)}={kind} if you mean that"
    return "text", ""


def _built(cells: TextColumn, kind: str) -> Any:
    """The cells as an array of what they hold."""
    if kind == "number":
        return cells.numbers()
    if kind == "boolean":
        return cells.booleans()
    return cells.moments(kind) if is_moment_kind(kind) else cells.texts()


def _as_levels(kind: str) -> str:
    return kind if kind in ("number", "boolean") else "text"


def _is_of_kind(arrow_type: Any, wanted: str) -> bool:
    is_number = pa.types.is_integer(arrow_type) or pa.types.is_floating(arrow_type)
    is_boolean = pa.types.is_boolean(arrow_type)
    accepted = {
        "number": is_number or pa.types.is_decimal(arrow_type),
        "boolean": is_boolean,
        "category": is_number or is_boolean,
    }
    return bool(accepted.get(wanted)) or kind_of_type(arrow_type) == wanted


def _read_typed(name: str, array: Any, wanted: str | None) -> ReadColumn | None:
    """Take over what a typed file has no text for; None for all else."""
    kind = array.type
    moments = kind_of_type(kind)
    is_ordered = pa.types.is_dictionary(kind) and kind.ordered and is_text_type(kind)
    if pa.types.is_decimal(kind):
        array = array.cast(pa.float64())
    elif pa.types.is_boolean(kind):
        return ReadColumn(name, wanted or "boolean", array, array.null_count)
    elif moments is not None or is_ordered:
        found = "empty" if array.null_count == len(array) else moments or "ordered"
        return ReadColumn(name, found, array, array.null_count)
    elif not (pa.types.is_integer(kind) or pa.types.is_floating(kind)):
        return None
    n_missing = int(pc.sum(pc.is_null(array, nan_is_null=True)).as_py() or 0)
    if n_missing == len(array):
        return ReadColumn(name, "empty", array, n_missing)
    return ReadColumn(name, wanted or "number", array, n_missing)


# --- What is shown ---


def describe(columns: Sequence[ReadColumn], roles: Mapping[str, str]) -> str:
    """Write what was found as a table: column, what it holds, values, missing cells."""
    rows = [("column", "holds", "values", "missing")]
    for column in columns[:_SHOWN_COLUMNS]:
        notes = ", ".join(filter(None, [roles.get(column.name, ""), column.note]))
        holds = f"{column.kind} ({notes})" if notes else column.kind
        name = _clipped(show_name(column.name), _WIDEST_NAME)
        rows.append((name, holds, _clipped(_values(column), _WIDEST_DETAIL), _missing(column)))
    widths = [max(len(row[i]) for row in rows) for i in range(3)]
    lines = [
        "  ".join([*(cell.ljust(width) for cell, width in zip(row, widths, strict=False)), row[3]])
        for row in rows
    ]
    n_more = len(columns) - _SHOWN_COLUMNS
    if n_more > 0:
        lines.append(f"... and {n_more} more columns")
    return "\n".join(line.rstrip() for line in lines)


def _values(column: ReadColumn) -> str:
    array = column.array
    if column.kind == "empty":
        return "left out"
    if column.kind == "number":
        numbers = pc.cast(array, pa.float64(), safe=False).to_numpy(zero_copy_only=False)
        ends = show_level(float(np.nanmin(numbers))), show_level(float(np.nanmax(numbers)))
        return f"{ends[0]} to {ends[1]}"
    if column.kind in MOMENT_KINDS:
        least, most = moment_ends(array)
        return f"{show_moment(least)} to {show_moment(most)}"
    if column.kind == "ordered":
        levels = array.dictionary.to_pylist()
        more = " < ..." if len(levels) > _SHOWN_LEVELS else ""
        return " < ".join(show_level(level) for level in levels[:_SHOWN_LEVELS]) + more
    levels = [level for level in pc.unique(array).to_pylist() if level is not None]
    shown = ", ".join(show_level(level) for level in levels[:_SHOWN_LEVELS])
    more = ", ..." if len(levels) > _SHOWN_LEVELS else ""
    return f"{len(levels)} level{'s' * (len(levels) != 1)}: {shown}{more}"


def _missing(column: ReadColumn) -> str:
    marks = ", ".join(show_level(mark) if mark else "empty" for mark in column.marks)
    return f"{column.n_missing:,}" + (f" ({marks})" if marks else "")


def _clipped(text: str, width: int) -> str:
    return text if len(text) <= width else f"{text[: width - 3]}..."
