"""Cells -> a table in one of the libraries and layouts that users have."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
from scipy import sparse

from fuzz.cells import INTEGERS, NUMBERS, ODD, PLAIN

Cells = list[list[Any]]
_REAL = ("float", "float32", "whole", "integer", "huge", "tiny", "constant", "nothing")

_MAYBE = ("nothing", "infinity", "long integer")  # numbers where the table holds nothing else


@dataclass(frozen=True)
class Built:
    """A table, and what its columns are called once it is read."""

    X: Any
    names: list[str]


@dataclass(frozen=True)
class Container:
    """How to make a table, and the kinds of cells that it can hold."""

    make: Callable[[dict[str, Any], Cells], Any]
    kinds: tuple[str, ...]
    has_names: bool


def build(plan: dict[str, Any], cells: Cells) -> Built:
    """Make the table of a plan."""
    container = CONTAINERS[plan["container"]]
    X = container.make(plan, cells)
    own = [column["name"] for column in plan["columns"]]
    return Built(X, own if container.has_names else [f"x{i}" for i in range(len(own))])


def reference_frame(plan: dict[str, Any], cells: Cells, names: list[str]) -> pd.DataFrame:
    """The same cells in the plainest form: floats, Booleans and objects of pandas."""
    read = _as_read(plan, cells)
    # NumPy makes numbers of Booleans beside numbers, in a list of rows that holds nothing else.
    rows = list(zip(*cells, strict=True)) if plan["container"] == "lists" else []
    all_numbers = _are_numbers(rows)
    columns = {}
    for name, own, column in zip(names, read, plan["columns"], strict=True):
        if column["kind"] in NUMBERS or (column["kind"] in _MAYBE and _is_numeric(plan)):
            columns[name] = np.array([np.nan if c is None else float(c) for c in own])
        elif column["kind"] == "boolean" and None not in own:
            columns[name] = np.array(own, dtype=float if all_numbers else bool)
        elif column["kind"] == "boolean" and _says_its_type(plan, column):
            columns[name] = pd.array([pd.NA if c is None else c for c in own], dtype="boolean")
        elif plan["container"] == "polars" and _is_enum(column):  # whose levels have an order
            columns[name] = pd.Categorical(own, _levels(own), ordered=True)
        else:
            columns[name] = np.array([*own, None], dtype=object)[:-1]
    return pd.DataFrame(columns)


def _are_numbers(rows: list[tuple[Any, ...]]) -> bool:
    cells = [cell for row in rows for cell in row]
    return all(isinstance(cell, int | float) for cell in cells) and not all(
        isinstance(cell, bool) for cell in cells
    )


def _is_numeric(plan: dict[str, Any]) -> bool:
    return plan["container"] in ("numpy", "memmap", "masked", "sparse", "unaligned")


def _as_read(plan: dict[str, Any], cells: Cells) -> Cells:
    """Cells as the table has them, where its one type rounds them."""
    if not _is_numeric(plan):
        return cells
    if plan["container"] == "sparse":
        return [[0.0 if c is None else c for c in own] for own in cells]
    dtype = _common_dtype(plan, cells)
    rounded = _matrix(cells, dtype).astype(float)
    return [[None if c != c else c for c in own] for own in rounded.T.tolist()]


def _common_dtype(plan: dict[str, Any], cells: Cells) -> np.dtype[Any]:
    """The type of an array of numbers: integers of any size where all cells are."""
    kinds = {column["kind"] for column in plan["columns"]}
    has_gaps = any(c is None for own in cells for c in own)
    if kinds == {"integer"} and not has_gaps:
        ends = [INTEGERS[column["type"]] for column in plan["columns"]]
        low, high = min(e[0] for e in ends), max(e[1] for e in ends)
        small = np.result_type(np.min_scalar_type(low), np.min_scalar_type(high))
        dtype = [small, np.dtype(np.int64), np.dtype(">i8"), np.dtype(float)][plan["variant"] % 4]
    elif kinds <= {"whole", "constant"}:
        dtype = np.dtype(["<f2", "<f4", "<f8", ">f4", ">f8", np.longdouble][plan["variant"] % 6])
    elif kinds <= {"float32", "whole", "constant"}:
        dtype = np.dtype(["<f4", "<f8", ">f4"][plan["variant"] % 3])
    else:
        dtype = np.dtype(["<f8", ">f8", np.longdouble][plan["variant"] % 3])
    return dtype


def _matrix(cells: Cells, dtype: np.dtype[Any]) -> np.ndarray:
    if dtype.kind == "f":
        plain = [[np.nan if c is None else c for c in own] for own in cells]
        return np.array(plain, dtype=float).T.astype(dtype)
    return np.array(cells, dtype=np.int64).T.astype(dtype)


def _numpy(plan: dict[str, Any], cells: Cells) -> np.ndarray:
    """Rows or columns side by side, with steps, backwards, read-only."""
    array = _matrix(cells, _common_dtype(plan, cells))
    layout = plan["variant"] % 5
    if layout == 0:
        return np.ascontiguousarray(array)
    if layout == 1:
        return np.asfortranarray(array)
    if layout == 2:
        wide = np.zeros((2 * array.shape[0], 3 * array.shape[1]), dtype=array.dtype)
        wide[::2, ::3] = array
        return wide[::2, ::3]
    if layout == 3:
        return np.ascontiguousarray(array[::-1, ::-1])[::-1, ::-1]
    array.setflags(write=False)
    return array


def _unaligned(plan: dict[str, Any], cells: Cells) -> np.ndarray:
    """A field of packed records, whose numbers lie at odd addresses."""
    array = _matrix(cells, _common_dtype(plan, cells))
    records = np.zeros(
        len(array), dtype=[("flag", "u1"), ("cells", array.dtype, (array.shape[1],))]
    )
    records["cells"] = array
    return records["cells"]


def _memmap(plan: dict[str, Any], cells: Cells) -> np.ndarray:
    array = _matrix(cells, _common_dtype(plan, cells))
    with tempfile.TemporaryFile() as file:  # the map outlives the name
        mapped = np.memmap(file, dtype=array.dtype, mode="w+", shape=array.shape)
        mapped[:] = array
    return mapped


def _masked(plan: dict[str, Any], cells: Cells) -> Any:
    array = _matrix(cells, np.dtype(float))
    return np.ma.MaskedArray(np.nan_to_num(array), mask=np.isnan(array))


def _sparse(plan: dict[str, Any], cells: Cells) -> Any:
    array = _matrix([[0 if c is None else c for c in own] for own in cells], np.dtype(float))
    kind = ["csr", "csc", "coo", "lil", "dok", "bsr", "dia"][plan["variant"] % 7]
    make = f"{kind}_{'matrix' if plan['seed'] % 2 else 'array'}"
    made = getattr(sparse, make)(array)
    if kind == "coo" and made.nnz and plan["seed"] % 3 == 0:  # entries in halves, which add up
        where = (np.tile(made.coords[0], 2), np.tile(made.coords[1], 2))
        made = getattr(sparse, make)((np.tile(made.data / 2, 2), where), shape=array.shape)
    return made


def _objects(plan: dict[str, Any], cells: Cells) -> np.ndarray:
    array = np.empty((len(cells[0]), len(cells)), dtype=object)
    for place, own in enumerate(cells):
        for row, cell in enumerate(own):
            array[row, place] = np.nan if cell is None and plan["variant"] % 2 else cell
    return array


def _lists(plan: dict[str, Any], cells: Cells) -> Any:
    rows = [list(row) for row in zip(*cells, strict=True)]
    return tuple(map(tuple, rows)) if plan["variant"] % 2 else rows


_NULLABLE = {"boolean": "boolean", "text": "string", "words": "string", "codes": "string"}
_ARROW = {
    "boolean": pa.bool_(),
    "text": pa.string(),
    "words": pa.large_string(),
    "codes": pa.string(),
    "money": pa.decimal128(20, 2),
    "nothing": pa.null(),
    "float32": pa.float32(),
    "date": pa.date32(),
    "time": pa.timestamp("us"),
    "bytes": pa.binary(),
    "long integer": pa.int64(),
}


def _arrow_type(column: dict[str, Any]) -> pa.DataType:
    if column["kind"] == "integer":
        return pa.type_for_alias(column["type"])
    return _ARROW.get(column["kind"], pa.float64())


def _pandas(plan: dict[str, Any], cells: Cells) -> pd.DataFrame:
    """Each column of a type of its own: NumPy's, nullable, Arrow's, categories, objects."""
    series = {
        column["name"]: _pandas_series(column, own)
        for column, own in zip(plan["columns"], cells, strict=True)
    }
    index = ["a"] * len(cells[0]) if plan["variant"] % 3 == 0 else None  # not even unique
    frame = pd.DataFrame(series)
    return frame if index is None else frame.set_axis(index, axis=0)


def _capital(integer: str) -> str:
    """The name that pandas and polars have for a type of integers."""
    return integer.replace("uint", "UInt").replace("int", "Int")


def _pandas_series(column: dict[str, Any], own: list[Any]) -> pd.Series:
    kind, variant = column["kind"], column["variant"] % 4
    is_typed = kind in (*_REAL, "boolean", "text", "words", "codes")
    if variant == 1 and is_typed and kind != "nothing":
        is_integer = kind == "integer"
        dtype = _capital(column["type"]) if is_integer else _NULLABLE.get(kind, "Float64")
        return pd.Series(pd.array([pd.NA if c is None else c for c in own], dtype=dtype))
    if variant == 2 and kind not in ODD:
        return pd.Series(own, dtype=pd.ArrowDtype(_arrow_type(column)))
    if variant == 3 and kind in ("text", "words", "codes"):
        return pd.Series(pd.Categorical(own))
    if variant == 3 and kind in _REAL:
        floats = [np.nan if c is None else float(c) for c in own]
        return pd.Series(pd.arrays.SparseArray(floats))
    if kind in _REAL and kind != "nothing":
        return pd.Series([np.nan if c is None else float(c) for c in own], dtype=float)
    return pd.Series(own, dtype=object)


def _polars(plan: dict[str, Any], cells: Cells) -> pl.DataFrame:
    return pl.DataFrame(  # not a list of series, which renames a column without a name
        {
            column["name"]: _polars_series(column, own)
            for column, own in zip(plan["columns"], cells, strict=True)
        }
    )


def _says_its_type(plan: dict[str, Any], column: dict[str, Any]) -> bool:
    """Whether Booleans are known as such where all are missing."""
    is_typed = column["variant"] % 4 in (1, 2)
    return plan["container"] in ("polars", "arrow") or (plan["container"] == "pandas" and is_typed)


def _is_enum(column: dict[str, Any]) -> bool:
    return column["kind"] in ("text", "words", "codes") and column["variant"] % 3 == 2


def _levels(own: list[Any]) -> list[str]:
    return sorted({c for c in own if c is not None})


def _polars_series(column: dict[str, Any], own: list[Any]) -> pl.Series:
    kind, name = column["kind"], column["name"]
    if kind in ("text", "words", "codes"):
        types: list[Any] = [pl.String, pl.Categorical, pl.Enum(_levels(own))]
        return pl.Series(name, own, dtype=types[2 if _is_enum(column) else column["variant"] % 3])
    if kind == "integer":
        return pl.Series(name, own, dtype=getattr(pl, _capital(column["type"])))
    if kind == "money":
        return pl.Series(name, own, dtype=pl.Decimal(20, 2))
    plain = {"boolean": pl.Boolean, "float32": pl.Float32, "nothing": pl.Null}
    if kind in (*_REAL, "boolean"):
        return pl.Series(name, own, dtype=plain.get(kind, pl.Float64))
    return pl.Series(name, own, strict=False)


def _arrow(plan: dict[str, Any], cells: Cells) -> Any:
    """A table of one piece or several, or a batch; text also as dictionaries and views."""
    arrays = []
    for column, own in zip(plan["columns"], cells, strict=True):
        array = pa.array(own, type=_arrow_type(column))
        if column["kind"] in ("text", "words", "codes"):
            if column["variant"] % 3 == 1:
                array = array.dictionary_encode()
            elif column["variant"] % 3 == 2:
                array = array.cast(pa.string_view())
        arrays.append(array)
    names = [column["name"] for column in plan["columns"]]
    batch = pa.record_batch(arrays, names=names)
    if plan["variant"] % 3 == 0:
        return batch
    if plan["variant"] % 3 == 1:
        return pa.Table.from_batches([batch])
    cut = len(cells[0]) // 2
    return pa.Table.from_batches([batch.slice(0, cut), batch.slice(cut)])


_OF_FRAMES = (*PLAIN, "date", "time", "bytes", "infinity", "long integer")
_NUMERIC = tuple(kind for kind in _REAL if kind != "nothing")
CONTAINERS: dict[str, Container] = {
    "numpy": Container(_numpy, (*_NUMERIC, "infinity", "long integer"), False),
    "unaligned": Container(_unaligned, _NUMERIC, False),
    "memmap": Container(_memmap, _NUMERIC, False),
    "masked": Container(_masked, ("float", "float32", "whole", "integer", "tiny"), False),
    "sparse": Container(_sparse, ("float", "float32", "whole", "integer", "constant"), False),
    "objects": Container(_objects, (*PLAIN, *ODD), False),
    "lists": Container(_lists, (*PLAIN, *ODD), False),
    "pandas": Container(_pandas, (*PLAIN, *ODD), True),
    "polars": Container(_polars, _OF_FRAMES, True),
    "arrow": Container(_arrow, _OF_FRAMES, True),
}
