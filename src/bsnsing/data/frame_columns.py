"""columns_of(): the columns of a dataframe, in time that grows with their number alone.

Numbers come out as arrays by the calls of their own library, which take a microsecond per column,
and those of pandas as views of the blocks that hold them. So does text, but for long columns. What
else there is comes as series of narwhals, each by itself.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import narwhals.stable.v1 as nw
import numpy as np
from numpy.typing import NDArray

from bsnsing.data.columns import Factored, RawColumn, infinity_in
from bsnsing.data.frames import is_frame_of, is_of_pandas_or_polars

_FEW_CELLS, _MANY_CELLS = 100_000, 4_000_000
_SMALL_COPY = 40_000  # cells
_FEW_SQUARES = 10_000  # of more, BLAS makes the sum in threads
_FEW_ROWS, _SHORT = 4096, 1024
_NUMBERS = "fiub"  # kinds of NumPy that are read as they are


class _Kinds(NamedTuple):
    """Dtypes of a library, in its words."""

    numbers: frozenset[str]
    texts: frozenset[str]


def _integers(name: str) -> list[str]:
    return [
        f"{sign}{name}{bits}" for sign in ("", "U" if name[0] == "I" else "u") for bits in _BITS
    ]


_BITS = (8, 16, 32, 64)
_POLARS = _Kinds(
    frozenset(["Float32", "Float64", *_integers("Int")]), frozenset(["String", "Categorical"])
)
_ARROW = _Kinds(
    frozenset(["float", "double", *_integers("int")]), frozenset(["string", "large_string"])
)
# Columns of pandas that bring the distinct cells along, or find them best.
_PANDAS_TEXTS = frozenset(["StringDtype", "CategoricalDtype"])


def columns_of(X: Any, names: Sequence[Any]) -> list[RawColumn]:
    """Return the columns of an eager dataframe, in order; an error where there is infinity."""
    if not is_of_pandas_or_polars(X):
        X = nw.to_native(X, pass_through=True)
    if is_frame_of(X, "pandas"):
        return _of_pandas(X, names)
    if is_frame_of(X, "polars"):
        return _of_polars(X, names)
    if nw.dependencies.is_pyarrow_table(X):
        columns = _of_each(*_of_known_types(X.columns, X.schema.types), _ARROW)
    else:
        columns = list(nw.from_native(X, eager_only=True).iter_columns())
    _reject_infinity(columns, names)
    return columns


def _of_polars(X: Any, names: Sequence[Any]) -> list[RawColumn]:
    dtypes = X.dtypes
    # Types of numbers have no parameters, so that their classes tell; to compare them takes longer.
    is_of_one = str(dtypes[0]) in _POLARS.numbers and len(set(map(type, dtypes))) == 1
    n_cells = X.height * X.width
    if is_of_one and X.height <= _SHORT and n_cells <= _MANY_CELLS:
        # To copy few cells is quicker than a call for each column. By columns, polars copies in
        # threads, and to start them takes longer than the whole of a small copy by rows. A single
        # column it need not copy.
        by_rows = X.width > 1 and n_cells <= _SMALL_COPY
        cells = X.to_numpy(order="c" if by_rows else "fortran")
        if not _is_finite(cells):
            _reject_infinity(list(cells.T), names)
        return list(cells.T)
    columns = _of_each(X.get_columns(), dtypes, _POLARS)
    _reject_infinity(columns, names)
    return columns


def _of_each(columns: Sequence[Any], dtypes: Sequence[Any], kinds: _Kinds) -> list[RawColumn]:
    """Take numbers as arrays, with NaN where cells are null, and most of the rest as series."""
    kind_of = {dtype: str(dtype) for dtype in set(dtypes)}
    is_short = len(columns[0]) <= _FEW_ROWS
    read: list[RawColumn] = []
    for column, dtype in zip(columns, dtypes, strict=True):
        if kind_of[dtype] in kinds.numbers:
            read.append(column.to_numpy())
        elif is_short and kind_of[dtype] in kinds.texts:
            read.append(_factored(column.to_numpy().tolist()))
        else:
            read.append(nw.from_native(column, series_only=True))
    return read


def _factored(texts: list[str | None]) -> Factored:
    """Find the distinct texts of a short column, which takes less time than to make a series."""
    distinct = [text for text in dict.fromkeys(texts) if text is not None]
    place: dict[str | None, int] = {text: i for i, text in enumerate(distinct)}
    place[None] = -1
    positions = np.fromiter(map(place.__getitem__, texts), dtype=np.intp, count=len(texts))
    return Factored(distinct, positions)


def _of_known_types(columns: Sequence[Any], types: Sequence[Any]) -> tuple[list[Any], list[Any]]:
    """Make plain text of Arrow's views of text, which most of its functions do not take."""
    if not any(str(kind) == "string_view" for kind in set(types)):
        return list(columns), list(types)
    plain = [
        column.cast("string") if str(column.type) == "string_view" else column for column in columns
    ]
    return plain, [column.type for column in plain]


def _of_pandas(X: Any, names: Sequence[Any]) -> list[RawColumn]:
    columns: list[Any] = [None] * X.shape[1]
    is_finite = True
    for places, lines in _blocks_of(X):
        is_finite = is_finite and _is_finite(lines)
        if len(lines) == len(columns):
            columns = list(lines)
            break
        for place, line in zip(places, lines, strict=True):
            columns[place] = line
    for place, column in enumerate(columns):
        if column is None:
            series = X.iloc[:, place]
            columns[place] = _of_series(series, series.dtype)
    if not is_finite:
        _reject_infinity(columns, names)
    return columns


def _blocks_of(X: Any) -> Iterator[tuple[Sequence[int], NDArray[Any]]]:
    """Places of the columns of numbers that lie together, and their cells: a line for each column.

    The blocks of pandas are its own affair, but all that it offers instead makes a series or a
    frame first, which takes as long as half of a small prediction. Where there are none to see, it
    is asked as others ask it.
    """
    blocks = getattr(getattr(X, "_mgr", None), "blocks", None)
    if blocks is not None:
        for block in blocks:
            lines = block.values
            if isinstance(lines, np.ndarray) and lines.ndim == 2 and lines.dtype.kind in _NUMBERS:
                lines = lines.view()
                lines.flags.writeable = False  # other frames may share them
                yield block.mgr_locs.as_array.tolist(), lines
        return
    places: dict[Any, list[int]] = {}
    for place, dtype in enumerate(X.dtypes.tolist()):
        if isinstance(dtype, np.dtype) and dtype.kind in _NUMBERS:
            places.setdefault(dtype, []).append(place)
    for own in places.values():
        # Together: to make a series of each takes twenty times as long.
        yield own, X.iloc[:, own].to_numpy().T


def _of_series(series: Any, dtype: Any) -> RawColumn:
    if type(dtype).__name__ in _PANDAS_TEXTS:
        positions, distinct = series.factorize()
        order = list(dtype.categories) if getattr(dtype, "ordered", False) else None
        return Factored(list(distinct), np.asarray(positions), order)
    is_object = getattr(dtype, "kind", "") == "O" and isinstance(dtype, np.dtype)
    column: RawColumn = series.to_numpy() if is_object else nw.from_native(series, series_only=True)
    return column


def _reject_infinity(columns: Sequence[RawColumn], names: Sequence[Any]) -> None:
    """Look at arrays of floats; what comes as series is looked at when it is read."""
    floats = [
        (name, column)
        for name, column in zip(names, columns, strict=True)
        if isinstance(column, np.ndarray) and column.dtype.kind == "f"
    ]
    # A few columns at a time: of short ones, a sum for each would take longer than one of all.
    n_together = max(1, _FEW_CELLS // max(1, len(floats[0][1]))) if floats else 1
    for start in range(0, len(floats), n_together):
        some = floats[start : start + n_together]
        if len(some) > 1 and _is_finite(np.concatenate([column for _, column in some])):
            continue
        for name, column in some:
            if not _is_finite(column) and np.isinf(column).any():
                raise infinity_in(name)


def _is_finite(cells: NDArray[Any]) -> bool:
    """Whether a sum over the cells is: then all of them are, and none is missing."""
    if cells.dtype.kind != "f":
        return True
    with np.errstate(over="ignore", invalid="ignore"):
        if cells.dtype == np.float64 and cells.size <= _FEW_SQUARES:
            line = cells.ravel(order="K")
            if math.isfinite(line.dot(line)):  # in a third of the time that the sum takes
                return True
        return math.isfinite(cells.sum())
