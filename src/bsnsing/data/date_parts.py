"""date_parts(): month, weekday and hour of columns of dates, as columns of their own."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import narwhals.stable.v1 as nw

_PARTS: dict[str, Callable[[nw.Series[Any]], nw.Series[Any]]] = {
    "year": lambda series: series.dt.year(),
    "month": lambda series: series.dt.month(),
    "day": lambda series: series.dt.day(),
    "weekday": lambda series: series.dt.weekday(),
    "hour": lambda series: series.dt.hour(),
    "minute": lambda series: series.dt.minute(),
}
PART_NAMES = tuple(_PARTS)


def date_parts(
    X: Any, columns: str | Sequence[str], parts: Sequence[str] = ("month", "weekday", "hour")
) -> Any:
    """Return a dataframe with parts of its dates as further columns, such as ``visit month``.

    Trees cut dates into earlier and later ones. What comes back every year, week or day is asked
    about where a column has it: do so to the tables of fit and of predict, or put
    ``FunctionTransformer(date_parts, kw_args={"columns": "visit"})`` into a pipeline.

    Parameters
    ----------
    X : dataframe
        Of pandas, polars, Arrow or another library that narwhals reads.
    columns : str or sequence of str
        Names of columns of dates or moments; these stay in the table.
    parts : sequence of {"year", "month", "day", "weekday", "hour", "minute"}
        Which parts, as whole numbers; of those with a time zone, as clocks show them there. The
        weekday is 1 (Monday) to 7 (Sunday).

    Returns
    -------
    dataframe
        Of the same library, with the further columns at its end.

    Examples
    --------
    >>> import pandas as pd
    >>> visits = pd.DataFrame({"visit": pd.to_datetime(["2021-03-01 09:30", "2021-07-04 14:00"])})
    >>> date_parts(visits, "visit")["visit hour"].tolist()
    [9, 14]
    """
    frame = nw.from_native(X, eager_only=True)
    named = [columns] if isinstance(columns, str) else list(columns)
    unknown = [part for part in parts if part not in _PARTS]
    if unknown:
        raise ValueError(f"There is no part {unknown[0]!r} of dates. Choose among {list(_PARTS)}.")
    made = []
    for name in named:
        if name not in frame.columns:
            raise ValueError(
                f"columns names {name!r}, which the table does not have. Its first columns are "
                f"{', '.join(map(repr, frame.columns[:10]))}."
            )
        series = frame[name]
        if series.dtype not in (nw.Date, nw.Datetime):
            raise ValueError(
                f"Column {name!r} has dtype {series.dtype}, and only dates have parts. Convert it."
            )
        own = [part for part in parts if series.dtype == nw.Datetime or part not in _OF_CLOCKS]
        made += [_PARTS[part](series).alias(f"{name} {part}") for part in own]
    return nw.to_native(frame.with_columns(*made))


_OF_CLOCKS = ("hour", "minute")  # which days without a time do not have
