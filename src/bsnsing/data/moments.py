"""Columns of moments, times and durations -> their scale, and microseconds as floats."""

from __future__ import annotations

import datetime
from collections.abc import Sequence
from typing import Any, NamedTuple

import narwhals.stable.v1 as nw
import numpy as np
from numpy.typing import NDArray

from bsnsing.data.scales import Scale, in_steps, scale_of

_NO_TIME = np.iinfo(np.int64).min  # what NumPy has for NaT


class Read(NamedTuple):
    """Numbers, NaN where missing, and what they stand for."""

    scale: Scale
    numbers: NDArray[np.float64]


def read_moment_array(cells: NDArray[Any]) -> Read:
    """Read an array of NumPy's dates or durations, whatever their unit."""
    kind = cells.dtype.kind
    steps = cells.astype(f"{kind}8[us]").astype(np.int64)
    numbers = np.where(steps == _NO_TIME, np.nan, steps.astype(np.float64))
    return Read(Scale("moment" if kind == "M" else "duration"), numbers)


def read_moment_series(series: nw.Series[Any]) -> Read:
    """Read a dataframe's column of dates, moments, times or durations; zones are kept."""
    dtype = series.dtype
    if dtype == nw.Time:
        if series.null_count() == len(series):
            return Read(Scale("time"), np.full(len(series), np.nan))
        return read_moment_cells(series.to_list())
    if dtype == nw.Duration:
        steps, scale = series.dt.total_microseconds(), Scale("duration")
    else:
        zone = getattr(dtype, "time_zone", None)
        steps, scale = series.dt.timestamp("us"), Scale("moment", zone)
    numbers = steps.cast(nw.Float64).to_numpy().astype(np.float64)
    return Read(scale, np.where(series.is_null().to_numpy(), np.nan, numbers))


def read_moment_cells(cells: Sequence[Any]) -> Read:
    """Read Python's own dates, moments, times or durations, all of one sort.

    Raises
    ------
    ValueError
        If they are of several sorts, or only some have a time zone.
    """
    known = [None if cell is None or cell != cell else _plain(cell) for cell in cells]
    kinds = {scale_of(cell) for cell in known if cell is not None}
    zones = {_zone(cell) for cell in known if scale_of(cell) == "moment"}
    if len(kinds) > 1 or (None in zones and len(zones) > 1):
        first, *others = (cell for cell in known if cell is not None)
        other = next(own for own in others if _sort(own) != _sort(first))
        raise ValueError(f"such as {str(first)!r} and {str(other)!r}")
    (kind,) = kinds
    assert kind is not None
    zone = None if zones in (set(), {None}) else zones.pop() if len(zones) == 1 else "UTC"
    numbers = [np.nan if cell is None else float(in_steps(cell)) for cell in known]
    return Read(Scale(kind, zone), np.array(numbers, dtype=np.float64))


def _plain(cell: Any) -> Any:
    if isinstance(cell, np.datetime64):
        return cell.astype("M8[us]").item()
    return cell.astype("m8[us]").item() if isinstance(cell, np.timedelta64) else cell


def _sort(cell: Any) -> tuple[Any, bool]:
    return scale_of(cell), _zone(cell) is None


def _zone(cell: Any) -> str | None:
    zone = getattr(cell, "tzinfo", None)
    if zone is None or not isinstance(cell, datetime.datetime):
        return None
    name = getattr(zone, "key", None) or getattr(zone, "zone", None)
    return str(name or zone.tzname(cell) or "UTC")
