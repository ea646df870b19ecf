"""columns_of(): the columns of a dataframe, in time that grows with their number alone.

Numbers of pandas come out as views of the blocks that hold them. Those of polars and Arrow are
copied together while they are few, and come else as an array of each column, by a call of its
library that takes a microsecond. So does text, but for long columns. What else there is comes as
series of narwhals, each by itself.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import narwhals.stable.v1 as nw
import numpy as np
from numpy.typing import NDArray

from bsnsing.data.columns import Factored, RawColumn, infinity_in
from bsnsing.data.frames import is_frame_of, is_of_usual_library

_FEW_CELLS, _MANY_CELLS = 100_000, 4_000_000
_SMALL_COPY = 15_000  # cells
_FEW_ROWS, _SHORT = 4096, 1024
_OF_ONE_THREAD = 10_000  # cells: of more, libraries of linear algebra begin threads
_NUMBERS = "fiub"  # kinds of NumPy that are read as they are
_MOST_EXACT = 2**53  # of greater integers, floats leave some out


class _Kinds(NamedTuple):
    """Dtypes of a library, in its words."""

    attribute: str  # of a column, that is its dtype
    numbers: frozenset[str]
    texts: frozenset[str]


def _integers(name: str) -> list[str]:
    return [
        f"{sign}{name}{bits}" for sign in ("", "U" if name[0] == "I" else "u") for bits in _BITS
    ]


_BITS = (8, 16, 32, 64)
_POLARS = _Kinds(
    "dtype",
    frozenset(["Float32", "Float64", *_integers("Int")]),
    frozenset(["String", "Categorical"]),
)
_ARROW = _Kinds(
    "type",
    frozenset(["float", "double", *_integers("int")]),
    frozenset(["string", "large_string"]),
)


def columns_of(X: Any, names: Sequence[Any]) -> list[RawColumn]:
    """Return the columns of an eager dataframe, in order; an error where there is infinity."""
    if not is_of_usual_library(X):
        X = nw.to_native(X, pass_through=True)
    if is_frame_of(X, "pandas"):
        return _of_pandas(X, names)
    if is_frame_of(X, "polars"):
        if columns := _copied(X, _matrix_of_polars):
            return columns
        return _each(_reader(_without_nulls(X).to_series, _POLARS), names)
    if is_frame_of(X, "pyarrow"):
        return _copied(X, _matrix_of_arrow) or _each(_reader(X.column, _ARROW), names)
    columns = list(nw.from_native(X, eager_only=True).iter_columns())
    _reject_infinity(columns, names)
    return columns


def _each(read: Callable[[int], RawColumn], names: Sequence[Any]) -> list[RawColumn]:
    """Read each column by itself."""
    columns = [read(place) for place in range(len(names))]
    _reject_infinity(columns, names)
    return columns


def _copied(X: Any, matrix_of: Callable[[Any], NDArray[Any] | None]) -> list[RawColumn]:
    """Return the columns of a short table of polars or Arrow, copied; none if it must be read else.

    To copy few cells is quicker than a call for each column. Where types differ, the copy has the
    type that holds all of them, as in NumPy.
    """
    if not _is_small(*X.shape):
        return []
    cells = matrix_of(X)
    if cells is None or cells.dtype.kind not in _NUMBERS:
        return []
    # Of integers that floats leave out a warning tells, so these must come as what they are, also
    # those that are rounded down to the last that is exact; and infinity is told by the name of its
    # column.
    if cells.dtype.kind == "f" and not _are_below_most(cells) and _greatest(cells) >= _MOST_EXACT:
        return []
    return list(cells.T)


def _is_small(n_rows: int, n_columns: int) -> bool:
    """Whether to copy all cells takes less time than a call for each column."""
    n_cells = n_rows * n_columns
    return n_cells <= _FEW_CELLS or (n_rows <= _SHORT and n_cells <= _MANY_CELLS)


def _matrix_of_polars(X: Any) -> NDArray[Any] | None:
    # Types of numbers have no parameters, so that their classes tell; to compare them takes longer.
    kinds = {kind.__name__ for kind in set(map(type, X.dtypes))}
    if not kinds <= _POLARS.numbers:
        return None
    # By columns, polars copies in threads, and to start them takes longer than the whole of a small
    # copy by rows. A single column it need not copy.
    by_rows = X.width > 1 and X.height * X.width <= _SMALL_COPY
    cells: NDArray[Any] = X.to_numpy(order="c" if by_rows else "fortran")
    return cells


def _without_nulls(X: Any) -> Any:
    """Return a long table of polars with NaN for nulls of floats.

    It does so for all columns in a quarter of the time that it takes to copy each to NumPy.
    """
    if X.height <= _FEW_ROWS or not any(column.null_count() for column in X.get_columns()):
        return X
    polars = sys.modules["polars"]
    return X.with_columns(polars.col(polars.Float32, polars.Float64).fill_null(math.nan))


def _matrix_of_arrow(X: Any) -> NDArray[Any] | None:
    batches = X.to_batches()
    if len(batches) > 1:
        batches = X.combine_chunks().to_batches()
    try:
        tensor = batches[0].to_tensor(null_to_nan=True, row_major=False)
    # Not all are numbers, or some are in half precision, or it is Arrow before 17.
    except (AttributeError, TypeError, NotImplementedError):
        return None
    cells: NDArray[Any] = tensor.to_numpy()
    return cells


def _reader(column_at: Callable[[int], Any], kinds: _Kinds) -> Callable[[int], RawColumn]:
    """Return what reads the column at a place of a table of polars or Arrow."""
    kind_of: dict[Any, str] = {}  # to write a dtype takes as long as to read a column

    def read(place: int) -> RawColumn:
        column = column_at(place)
        dtype = getattr(column, kinds.attribute)
        kind = kind_of.get(dtype) or kind_of.setdefault(dtype, str(dtype))
        is_short = len(column) <= _FEW_ROWS
        # Most functions of Arrow do not take views. Of short dictionaries a series takes longer.
        if kind == "string_view" or (is_short and _is_plain_dictionary(kind)):
            column, kind = column.cast("string"), "string"
        if kind in ("float", "double") and not is_short and column.null_count > 0:
            column = column.fill_null(math.nan)  # in half the time that to_numpy takes for it
        if kind in kinds.numbers:
            numbers: NDArray[Any] = column.to_numpy()  # with NaN where cells are null
            return numbers
        if kind in kinds.texts and is_short:
            return _factored(column.to_numpy().tolist())
        series: nw.Series[Any] = nw.from_native(column, series_only=True)
        return series

    return read


def _is_plain_dictionary(kind: str) -> bool:
    """Whether Arrow has a column of texts as positions, and the texts in no order."""
    is_of_text = kind.startswith(("dictionary<values=string,", "dictionary<values=large_string,"))
    return is_of_text and kind.endswith("ordered=0>")


def _factored(texts: list[str | None]) -> Factored:
    """Find the distinct texts of a short column, which takes less time than to make a series."""
    distinct = [text for text in dict.fromkeys(texts) if text is not None]
    place: dict[str | None, int] = {text: i for i, text in enumerate(distinct)}
    place[None] = -1
    positions = np.fromiter(map(place.__getitem__, texts), dtype=np.intp, count=len(texts))
    return Factored(distinct, positions)


def _of_pandas(X: Any, names: Sequence[Any]) -> list[RawColumn]:
    columns: list[Any] = [None] * len(names)
    has_infinity = False
    for places, cells in _blocks_of(X):
        has_infinity = has_infinity or _has_infinity(cells)
        lines = _as_floats(cells) if cells.dtype.kind in "iu" else cells
        for place, line in zip(places, lines, strict=True):
            columns[place] = line
    others = [place for place, column in enumerate(columns) if column is None]
    arrays = _own_arrays_of(X) if others else {}
    for place in others:
        columns[place] = _of_own_array(arrays.get(place)) or _of_series(X.iloc[:, place])
    if has_infinity:
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
        yield from _joined(blocks)
        return
    places: dict[Any, list[int]] = {}
    for place, dtype in enumerate(X.dtypes.tolist()):
        if isinstance(dtype, np.dtype) and dtype.kind in _NUMBERS:
            places.setdefault(dtype, []).append(place)
    for own in places.values():
        # Together: to make a series of each takes twenty times as long.
        yield own, X.iloc[:, own].to_numpy().T


def _joined(blocks: Sequence[Any]) -> Iterator[tuple[Sequence[int], NDArray[Any]]]:
    """Copy small blocks of one type together: a frame that grew by columns has one for each."""
    alike: dict[Any, tuple[list[int], list[NDArray[Any]]]] = {}
    for block in blocks:
        cells = block.values
        if not isinstance(cells, np.ndarray):
            continue
        own = alike.get(cells.dtype)
        if own is None:
            alike[cells.dtype] = (block.mgr_locs.as_array.tolist(), [cells])
        else:
            own[0].extend(block.mgr_locs.as_array.tolist())
            own[1].append(cells)
    for dtype, (places, parts) in alike.items():
        if dtype.kind not in _NUMBERS:
            continue
        if len(parts) == 1:
            yield places, parts[0]
        elif _is_small(parts[0].shape[1], len(places)):
            yield places, np.concatenate(parts)
        else:
            end = 0
            for cells in parts:
                start, end = end, end + len(cells)
                yield places[start:end], cells


def _own_arrays_of(X: Any) -> dict[int, Any]:
    """Columns that pandas has as arrays of its own types, by their places."""
    blocks = getattr(getattr(X, "_mgr", None), "blocks", ())
    return {
        block.mgr_locs.as_array.item(): cells
        for block in blocks
        if not isinstance(cells := block.values, np.ndarray) and cells.ndim == 1
    }


def _as_floats(integers: NDArray[Any]) -> NDArray[Any]:
    """Return few integers of 64 bits as floats, if these hold all of them.

    Each column of such integers is looked at for greater ones, which takes as long as the rest of
    reading it; here all are looked at in one go.
    """
    n_columns, n_rows = integers.shape
    if integers.dtype.itemsize < 8 or n_columns == 1 or not _is_small(n_rows, n_columns):
        return integers
    floats = integers.astype(np.float64)
    # Greater integers may be rounded down to the last that is exact.
    is_exact = _are_below_most(floats) or _greatest(floats) < _MOST_EXACT
    return floats if is_exact else integers


def _of_own_array(cells: Any) -> RawColumn | None:
    """Read text or categories without a series, which takes longer; none if it must be made."""
    kind = type(cells).__name__
    if kind == "Categorical":
        return _of_categories(cells)
    if kind.startswith("ArrowString") and len(cells) <= _FEW_ROWS:
        return _factored(cells.__arrow_array__().to_pylist())
    return None


def _of_series(series: Any) -> RawColumn:
    dtype = series.dtype
    if type(dtype).__name__ == "CategoricalDtype":
        return _of_categories(series.array)
    if type(dtype).__name__ == "StringDtype":
        positions, distinct = series.factorize()
        return Factored(list(distinct), np.asarray(positions))
    is_object = getattr(dtype, "kind", "") == "O" and isinstance(dtype, np.dtype)
    column: RawColumn = series.to_numpy() if is_object else nw.from_native(series, series_only=True)
    return column


def _of_categories(cells: Any) -> Factored:
    """Find the categories that occur; pandas itself makes an index of them, which takes longer."""
    categories, codes = cells.categories, cells.codes
    occurs = np.zeros(len(categories) + 1, dtype=bool)
    occurs[codes] = True  # missing is -1, which is the last
    used = np.flatnonzero(occurs[:-1])
    positions = np.full(len(categories) + 1, -1)
    positions[used] = np.arange(len(used))
    order = categories.tolist() if cells.ordered else None
    return Factored(categories.take(used).tolist(), positions[codes], order)


def _reject_infinity(columns: Sequence[RawColumn], names: Sequence[Any]) -> None:
    """Look at arrays of floats; what comes as series is looked at when it is read."""
    floats = [
        (name, column)
        for name, column in zip(names, columns, strict=True)
        if isinstance(column, np.ndarray) and column.dtype.kind == "f"
    ]
    # A few columns at a time: of short ones, a look at each would take longer than one at all.
    n_rows = len(floats[0][1]) if floats else 0
    n_together = _FEW_CELLS // max(1, n_rows) if n_rows <= _FEW_ROWS else 1
    for start in range(0, len(floats), n_together):
        some = floats[start : start + n_together]
        if len(some) > 1 and not _has_infinity(np.concatenate([column for _, column in some])):
            continue
        for name, column in some:
            if _has_infinity(column):
                raise infinity_in(name)


def _has_infinity(cells: NDArray[Any]) -> bool:
    if cells.dtype.kind != "f" or _are_below_most(cells):
        return False
    if cells.size > _FEW_CELLS:  # beyond the cache, one pass takes half the time of two
        with np.errstate(over="ignore", invalid="ignore"):
            if math.isfinite(cells.sum()):
                return False
    return _greatest(cells) == math.inf


def _are_below_most(floats: NDArray[Any]) -> bool:
    """Whether few floats are seen at once to be finite and below ``_MOST_EXACT``.

    One sum of squares takes half the time of a look at the least and the greatest. It is no less
    than any of its terms, and where cells are missing it is missing too.
    """
    if floats.size > _OF_ONE_THREAD or floats.dtype.itemsize < 4:
        return False
    line = floats.ravel(order="K")
    return bool(np.vdot(line, line) < float(_MOST_EXACT) ** 2)  # dot would warn of overflow


def _greatest(floats: NDArray[Any]) -> float:
    """The greatest absolute value, of those that are not missing."""
    return max(float(np.fmax.reduce(floats, axis=None)), -float(np.fmin.reduce(floats, axis=None)))
