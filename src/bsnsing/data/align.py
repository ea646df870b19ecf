"""Columns of another table, or of some rows, as those that fit knew."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from bsnsing.data.columns import Column, ColumnInfo, recode


def align_column(column: Column, known: ColumnInfo) -> Column:
    """Fit a column to what was known of it at fit, or say how it has changed."""
    levels = column.info.levels
    if known.scale is not None or column.info.scale is not None:
        return _align_scale(column, known)
    if known.kind != "categorical":
        if levels:
            raise ValueError(
                f"Column {known.name!r} held numbers at fit and holds text or categories now, such "
                f"as {levels[0]!r}. Convert it to numbers."
            )
        if column.info.kind == "categorical":  # no cell at all, so nothing says it is text
            return Column(known, np.full(len(column.codes()), np.nan))
        return Column(known, column.cells)
    known_sorts = {isinstance(level, str) for level in known.levels}
    strange = [level for level in levels if isinstance(level, str) not in known_sorts]
    if strange and known_sorts:
        was, now = ("numbers", "text") if isinstance(strange[0], str) else ("text", "numbers")
        raise ValueError(
            f"Column {known.name!r} held {was} as categories at fit and holds {now} now, such as "
            f"{strange[0]!r}. Convert it to {was}."
        )
    return Column(known, recode(column.cells, levels, known.levels))


def _align_scale(column: Column, known: ColumnInfo) -> Column:
    """Fit a column of moments or ordered levels to what was known of it at fit."""
    own, scale = column.info.scale, known.scale
    is_empty = column.info.kind == "categorical" and not column.info.levels
    if scale is not None and is_empty:
        return Column(known, np.full(len(column.codes()), np.nan))
    if scale is not None and scale.kind == "order" and column.info.kind == "categorical":
        place = {level: i + 1.0 for i, level in enumerate(scale.levels)}
        strange = [level for level in map(str, column.info.levels) if level not in place]
        if strange:
            raise ValueError(
                f"Column {known.name!r} holds {strange[0]!r}, which has no place in the order of "
                f"fit: {' < '.join(scale.levels[:10])}. Replace it, or make it a missing cell."
            )
        values = [place[str(level)] for level in column.info.levels]
        return Column(known, np.array([*values, np.nan])[column.codes()])
    if own is not None and scale is not None and own.kind == scale.kind != "order":
        if (own.zone is None) == (scale.zone is None):
            return Column(known, column.cells)
        now, then = ("without", "with") if own.zone is None else ("with", "without")
        raise ValueError(
            f"Column {known.name!r} held moments {then} a time zone at fit and holds them {now} "
            "one now. Convert it."
        )
    was, now = (
        info.scale.words if info.scale else "numbers" if info.kind != "categorical" else "text"
        for info in (known, column.info)
    )
    raise ValueError(
        f"Column {known.name!r} held {was} at fit and holds {now} now. Convert it to {was}."
    )


def without_unused_levels(column: Column) -> Column:
    """Leave out the levels of a categorical column that no cell has."""
    if column.info.kind != "categorical":
        return column
    levels = column.info.levels
    occurs = np.zeros(len(levels) + 1, dtype=bool)
    occurs[column.codes()] = True  # missing is -1, which is the last
    if occurs[:-1].all():
        return column
    used = tuple(level for level, has_cells in zip(levels, occurs, strict=False) if has_cells)
    return Column(replace(column.info, levels=used), recode(column.cells, levels, used))
