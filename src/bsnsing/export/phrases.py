"""Cells, answers and changes in words, for sentences about one case."""

from __future__ import annotations

import re
from collections.abc import Sequence

from bsnsing.data.columns import ColumnInfo, Level
from bsnsing.data.scales import Scale
from bsnsing.data.show import show_level
from bsnsing.export.cells import (
    CellSet,
    Span,
    Subject,
    plainest_moments,
    plainest_span,
    show_cells,
    show_spans,
    show_subject,
)
from bsnsing.export.change import Change

_MOST_LEVELS = 8


def show_number(level: Level) -> str:
    """Write a number with separators of thousands, and levels as they are."""
    text = show_level(level)
    if isinstance(level, str | bool) or "e" in text:
        return text
    return re.sub(r"^-?\d+", lambda found: f"{int(found[0]):,}" if found[0] != "-0" else "-0", text)


def show_cell(column: ColumnInfo | None, cell: float | None, *, is_known: bool) -> str:
    """Write what a column holds; of a pair (no column), its number."""
    if cell is None:
        return "missing" if is_known else "not known"
    if column is not None and column.kind == "categorical":
        if cell >= len(column.levels):
            return "a level never seen"
        return show_level(column.levels[int(cell)])
    if column is not None and column.kind == "boolean" and cell in (0, 1):
        return str(bool(cell)).lower()
    if column is not None and column.scale is not None:
        return column.scale.show(cell)
    return show_number(cell)


def cell_phrase(
    subject: Subject, column: ColumnInfo | None, cell: float | None, cells: CellSet, *, known: bool
) -> str:
    """Write that a cell is what it is, and by what it belongs to a set.

    Such as ``worst area is 1,203 (> 945.55)``.
    """
    start = f"{show_subject(subject)} is {show_cell(column, cell, is_known=known)}"
    is_unseen = column is not None and column.kind == "categorical" and cell is not None
    is_unseen = is_unseen and column is not None and (cell or 0) >= len(column.levels)
    if cell is None or is_unseen or not known:
        return start
    if column is not None and column.kind == "boolean":
        return start
    relation = _relation(column, cells)
    return f"{start} ({relation})" if relation else start


def _relation(column: ColumnInfo | None, cells: CellSet) -> str:
    """What is to be said of the set beside the cell; "" where the cell says it all."""
    if cells.levels is None:
        spans = cells.spans or ()
        if len(spans) == 1 and spans[0].low == spans[0].high:
            return ""
        return " and ".join(_bounds(spans, None if column is None else column.scale))
    levels = () if column is None else column.levels
    outside = [levels[i] for i in range(len(levels)) if i not in cells.levels]
    if len(cells.levels) == 1 or not outside:
        return ""
    if len(outside) == 1:
        return f"not {show_level(outside[0])}"
    inside = [levels[i] for i in sorted(cells.levels)]
    if len(outside) < len(inside):
        return f"not in {_group(outside)}"
    return f"in {_group(inside)}"


def _bounds(spans: Sequence[Span], scale: Scale | None) -> list[str]:
    if scale is None:
        first, last = plainest_span(spans[0]), plainest_span(spans[-1])
    else:
        first, last = plainest_moments(spans[0], scale), plainest_moments(spans[-1], scale)
    show = show_number if scale is None else scale.show
    found = []
    if first.low > float("-inf"):
        found.append(f"{'>=' if first.has_low else '>'} {show(first.low)}")
    if last.high < float("inf"):
        found.append(f"{'<=' if last.has_high else '<'} {show(last.high)}")
    return found + [f"not {show(own.high)}" for own in spans[:-1]]


def _group(levels: Sequence[Level]) -> str:
    shown = [show_level(level) for level in levels]
    if len(shown) > _MOST_LEVELS:
        shown[_MOST_LEVELS - 1 :] = [f"... {len(levels)} levels"]
    return "{" + ", ".join(shown) + "}"


def change_phrase(change: Change, column: ColumnInfo) -> str:
    """Write what a column has to become, what it is, and one value that does."""
    needed = show_cells(change.column, change.cells, column, show=show_number)
    pairs = [show_spans(show_subject(pair), spans, show_number) for pair, spans in change.pairs]
    if column.kind == "boolean":
        needed = f"{show_subject(change.column)} is {str(change.example).lower()}"
    if needed.endswith(" is not missing") or not needed:
        needed = f"{show_subject(change.column)} is known" if not pairs else ""
    conditions = " with ".join(filter(None, [needed, *pairs]))
    show = str if column.scale is not None else _show_plain
    now = "not known" if change.present is None else show(change.present)
    example = show(change.example)
    says_all = column.kind == "boolean" or needed.endswith(f" == {example}")
    instance = "" if says_all else f"; for instance {example}"
    if not needed:
        instance = f"; for instance {show_subject(change.column)} {example}"
    return f"{conditions} (now {now}{instance})"


def _show_plain(level: Level) -> str:
    return str(level).lower() if isinstance(level, bool) else show_number(level)
