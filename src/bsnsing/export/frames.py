"""Tables of results, as a data frame of the library that is at hand."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping, Sequence
from typing import Any

# In the order in which they are tried where none is asked for.
_MAKERS: dict[str, Callable[[Any, dict[str, list[Any]]], Any]] = {
    "pandas": lambda module, columns: module.DataFrame(columns),
    "polars": lambda module, columns: module.DataFrame(columns, strict=False),
    "pyarrow": lambda module, columns: module.table(columns),
}
LIBRARIES = (*_MAKERS, "records")


def make_frame(rows: Sequence[Mapping[str, Any]], library: str | None, caller: str) -> Any:
    """Return rows as a data frame; the first says what columns there are.

    Parameters
    ----------
    rows : sequence of mappings
        With the same keys.
    library : {"pandas", "polars", "pyarrow", "records"} or None
        Whose frame to make. "records" is a list of dicts, and needs none. None is the first that
        is installed.
    caller : str
        What messages call the function.
    """
    if library is not None and library not in LIBRARIES:
        raise ValueError(
            f"library={library!r} of {caller} is not known. Use one of "
            f"{', '.join(map(repr, LIBRARIES))}."
        )
    if library == "records":
        return [dict(row) for row in rows]
    columns = {name: [row[name] for row in rows] for name in (rows[0] if rows else ())}
    for name in _MAKERS if library is None else [library]:
        try:
            module = importlib.import_module(name)
        except ImportError:
            continue
        return _MAKERS[name](module, columns)
    wanted = "pandas, polars or pyarrow" if library is None else library
    raise ImportError(
        f"{caller} makes a data frame, for which {wanted} is not installed. "
        f"Run `pip install {library or 'pandas'}`, or ask for library='records', a list of dicts."
    )
