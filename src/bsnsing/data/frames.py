"""Dataframes of any library: their names, the column of labels, and some of their rows."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable
from difflib import get_close_matches
from functools import lru_cache
from typing import Any

import narwhals.stable.v1 as nw
import numpy as np
from numpy.typing import NDArray
from scipy.sparse import issparse
from sklearn.utils import _safe_indexing


def _is_of_arrow(X: Any, kind: str) -> bool:
    arrow = sys.modules.get("pyarrow")  # which is not ours to import
    return arrow is not None and isinstance(X, getattr(arrow, kind))


# What the usual libraries call a dataframe.
_TABLE_OF = {"pandas": "DataFrame", "polars": "DataFrame", "pyarrow": "Table"}
# What has columns but no rows of its own, by what it is called and how to get its rows.
_WITHOUT_ROWS: tuple[tuple[Callable[[Any], bool], str, str], ...] = (
    (lambda X: isinstance(X, nw.LazyFrame), "a LazyFrame", ".collect()"),
    (nw.dependencies.is_polars_lazyframe, "a LazyFrame", ".collect()"),
    (nw.dependencies.is_dask_dataframe, "a Dask dataframe", ".compute()"),
    (nw.dependencies.is_pyspark_dataframe, "a Spark dataframe", ".toPandas()"),
    (nw.dependencies.is_duckdb_relation, "a DuckDB relation", ".df()"),
    (nw.dependencies.is_ibis_table, "an Ibis table", ".to_pyarrow()"),
    (lambda X: _is_of_arrow(X, "RecordBatchReader"), "a RecordBatchReader", ".read_all()"),
)


def with_rows_at_hand(X: Any) -> Any:
    """Return ``X``, and a record batch as a table; an error for a dataframe without rows."""
    if isinstance(X, np.ndarray) or is_of_usual_library(X):
        return X
    for is_kind, kind, call in _WITHOUT_ROWS:
        if is_kind(X):
            raise TypeError(f"X is {kind}, which has no rows yet. Call {call} first.")
    if _is_of_arrow(X, "RecordBatch"):
        return sys.modules["pyarrow"].Table.from_batches([X])  # of the same cells
    return X


def is_frame(X: Any) -> bool:
    """Whether ``X`` is a dataframe with rows, of a library that narwhals knows."""
    if isinstance(X, np.ndarray):
        return False
    return is_of_usual_library(X) or nw.dependencies.is_into_dataframe(X)


def is_of_usual_library(X: Any) -> bool:
    """The most usual ones, seen at once: to look for all others takes a third of a prediction."""
    return _library_of(X) is not None


def is_frame_of(X: Any, library: str) -> bool:
    """Whether ``X`` is a dataframe of pandas, polars or pyarrow, as the library says."""
    return _library_of(X) == library


def _library_of(X: Any) -> str | None:
    kind: Any = type(X)
    return _library_of_type(kind)


@lru_cache(maxsize=64)  # to look takes a microsecond, and a small prediction has thirty
def _library_of_type(kind: type) -> str | None:
    """Which of the usual libraries a type of dataframe is of; they are not ours to import."""
    for library, name in _TABLE_OF.items():
        table = getattr(sys.modules.get(library), name, None)
        if table is not None and issubclass(kind, table):
            return library
    return None


def names_of(X: Any, known: list[str] | None = None) -> list[Any]:
    """Return the names of a dataframe's columns; an error if one occurs twice.

    ``known`` itself is returned where they are these, each of which occurs once.
    """
    # Before narwhals sees it: its message on duplicates names neither X nor what to do.
    names = _names_in(X)
    if names == known:
        return known
    if len(set(names)) == len(names):
        return names
    for name, count in Counter(names).items():
        if count > 1:
            raise ValueError(
                f"Column name {name!r} occurs {count} times in X. Give each column its own name."
            )
    return names


def _names_in(X: Any) -> list[Any]:
    if is_frame_of(X, "pyarrow"):
        return list(X.schema.names)  # in an eighth of the time that its column_names take
    names = X.column_names if hasattr(type(X), "column_names") else X.columns
    # An index of several levels has no array.
    texts: Any = None if hasattr(names, "levels") else getattr(names, "array", None)
    if type(texts).__name__.startswith("ArrowString"):  # of pandas, whose own tolist takes longer
        cells = texts.__arrow_array__()
        if cells.null_count == 0:
            return list(cells.to_pylist())
    # To go through an index of pandas takes twenty times as long.
    return names.tolist() if hasattr(names, "tolist") else list(names)


def take_labels(X: Any, y: Any) -> tuple[Any, Any, str | None]:
    """Take the labels out of ``X`` where ``y`` is the name of their column.

    Returns
    -------
    X, y : table and labels
        As they came, where ``y`` is not a name.
    name : str or None
        Name of the column that was taken out.
    """
    if not isinstance(y, str):
        return X, y, None
    X = with_rows_at_hand(X)
    if not is_frame(X):
        raise TypeError(
            f"y is the column name {y!r}, but X is of type {type(X).__name__}, which is no "
            "dataframe. Pass a dataframe with that column, or the labels themselves."
        )
    names = names_of(X)
    if y not in names:
        near = get_close_matches(y, [name for name in names if isinstance(name, str)])
        listed = ", ".join(map(repr, near or names[:8]))
        raise ValueError(
            f"y is the column name {y!r}, which X does not have. "
            f"{'Did you mean' if near else 'Its first columns are'} {listed}{'?' if near else '.'}"
        )
    labels = nw.from_native(X, eager_only=True)[y].to_native()
    return without_column(X, y), labels, str(y)


def without_column(X: Any, name: str | None) -> Any:
    """Return ``X`` without the column of that name, if it is a dataframe that has it."""
    if name is None:
        return X
    X = with_rows_at_hand(X)
    if not is_frame(X) or name not in names_of(X):
        return X
    return nw.from_native(X, eager_only=True).drop(name).to_native()


def without_views(X: Any) -> Any:
    """Return a table of Arrow with views of text as plain text: it cannot take rows of views."""
    if not nw.dependencies.is_pyarrow_table(X):
        return X
    for place, field in enumerate(X.schema):
        if str(field.type) == "string_view":
            X = X.set_column(place, field.name, X.column(place).cast("string"))
    return X


def indexable(X: Any) -> Any:
    """Return ``X`` in a form whose rows :func:`take_rows` can pick."""
    X = without_views(with_rows_at_hand(X))
    if issparse(X):
        return X.tocsr()
    if isinstance(X, tuple):  # of rows, whose cells an array would make all of one type
        return list(X)
    return X if hasattr(X, "shape") or isinstance(X, list) else np.asarray(X)


def take_rows(X: Any, rows: NDArray[np.intp]) -> Any:
    """Return the rows at these positions, in the form that ``X`` has."""
    if is_frame(X):
        return nw.from_native(X, eager_only=True)[rows].to_native()
    return _safe_indexing(X, rows)
