"""One raw column -> Column: what it holds, by its own dtype and cells."""

from __future__ import annotations

import datetime
import itertools
import math
import numbers
import warnings
from collections.abc import Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Any, Literal, TypeAlias

import narwhals.stable.v1 as nw
import numpy as np
from numpy.typing import NDArray

from bsnsing.data.moments import Read, read_moment_array, read_moment_cells, read_moment_series
from bsnsing.data.scales import Scale

Kind: TypeAlias = Literal["numeric", "boolean", "categorical"]
Level: TypeAlias = str | int | float | bool


# Types of the numbers that the core reads as they are, in the order of bytes of this machine.
_NATIVE_TYPES = frozenset(
    np.dtype(code) for code in ("f8", "f4", "b1", "i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8")
)


@dataclass(frozen=True, slots=True)
class ColumnInfo:
    """What a fitted model remembers of a column."""

    name: str
    kind: Kind
    levels: tuple[Level, ...] = ()  # of a categorical column: numbers first, then text, sorted
    scale: Scale | None = None  # what the numbers of a numeric column stand for, if not themselves

    @property
    def is_number(self) -> bool:
        """Whether cells are numbers that stand for themselves, so that one can calculate."""
        return self.kind == "numeric" and self.scale is None

    @property
    def is_of_levels(self) -> bool:
        """Whether cells are levels, which may have an order."""
        return self.kind == "categorical" or (self.scale is not None and self.scale.kind == "order")


@dataclass(frozen=True, slots=True, eq=False)
class SparseCells:
    """Cells that are ``filling`` everywhere but in ``rows``, where they are ``values``."""

    rows: NDArray[np.integer[Any]]
    values: NDArray[Any]
    filling: int
    n_rows: int

    def dense(self, dtype: type[np.generic]) -> NDArray[Any]:
        """Return all cells."""
        cells = np.full(self.n_rows, self.filling, dtype=dtype)
        cells[self.rows] = self.values
        return cells

    def take(self, rows: NDArray[np.intp]) -> SparseCells:
        """Return the cells at these positions, which may repeat and come in any order."""
        entry = np.full(self.n_rows, -1, dtype=np.intp)
        entry[self.rows] = np.arange(len(self.rows))
        picked = entry[rows]
        kept = np.flatnonzero(picked >= 0)
        return SparseCells(kept, self.values[picked[kept]], self.filling, len(rows))


Cells: TypeAlias = NDArray[Any] | SparseCells


@dataclass(frozen=True, slots=True, eq=False)
class Column:
    """One column: its description and its cells, which may be a view of the user's data.

    The cells of a categorical column are codes; those of other columns are numbers of any dtype.
    """

    info: ColumnInfo
    cells: Cells

    def numbers(self) -> NDArray[np.float64]:
        """Return a numeric or boolean column as floats, NaN where missing; not to be written to.

        Plain float64 input is a view, perhaps strided and read-only. All other input is
        converted anew on each call, so a wide sparse or integer table is never floats at once.
        """
        if self.info.kind == "categorical":
            raise TypeError(f"Column {self.info.name!r} is categorical. Use codes() instead.")
        if isinstance(self.cells, SparseCells):
            return self.cells.dense(np.float64)
        numbers = self.cells.astype(np.float64, copy=False)
        # Fields of packed records lie at odd addresses, which native code does not read.
        return numbers if numbers.flags.aligned else numbers.copy()

    def native_numbers(self) -> NDArray[Any]:
        """Return the same numbers in the type the user has them in, where the core reads it."""
        cells = self.cells
        if isinstance(cells, SparseCells) or cells.dtype not in _NATIVE_TYPES:
            return self.numbers()
        return cells if cells.flags.aligned else self.numbers()

    def codes(self) -> NDArray[np.int32]:
        """Return positions in ``info.levels``: -1 where missing, ``len(levels)`` where unseen."""
        if self.info.kind != "categorical":
            raise TypeError(
                f"Column {self.info.name!r} is {self.info.kind}. Use numbers() instead."
            )
        return self.cells.dense(np.int32) if isinstance(self.cells, SparseCells) else self.cells


@dataclass(frozen=True, slots=True, eq=False)
class Factored:
    """Cells as positions among the distinct ones, as pandas finds them; -1 where missing."""

    distinct: Sequence[Any]
    positions: NDArray[np.integer[Any]]
    order: Sequence[Any] | None = None  # all levels from the least on, where they have an order


RawColumn: TypeAlias = "Cells | Factored | nw.Series[Any]"


def read_column(name: str, raw: RawColumn, *, as_category: bool) -> Column:
    """Read one column by its own dtype and cells, or as categorical whatever it holds."""
    if isinstance(raw, np.ndarray):
        column = _read_array(name, raw, as_category=as_category)
    elif isinstance(raw, Factored):
        column = _of_levels(name, raw.distinct, raw.positions)
        if raw.order is not None and not as_category:
            column = in_order(column, raw.order)
    elif isinstance(raw, SparseCells):
        column = _of_numbers(name, raw, is_boolean=raw.values.dtype.kind == "b")
    else:
        column = _read_series(name, raw, as_category=as_category)
    return _as_categorical(column) if as_category else column


def _read_series(name: str, series: nw.Series[Any], *, as_category: bool) -> Column:
    if str(getattr(series.to_native(), "dtype", "")) == "object":
        # Not by narwhals' dtype: it looks at the first hundred cells of such a column only.
        return _read_objects(name, series.to_numpy().tolist(), as_category=as_category)
    dtype = series.dtype
    if dtype in (nw.String, nw.Categorical, nw.Enum):
        column = _read_text(name, series)
        order = None if as_category else _order_of(series.to_native())
        return column if order is None else in_order(column, order)
    if dtype in (nw.Date, nw.Datetime, nw.Duration, nw.Time):
        _reject_category(name, series.dtype, as_category)
        return _of_moments(name, read_moment_series(series))
    if dtype in (nw.List, nw.Array, nw.Struct):
        raise _not_a_cell(name, next(iter(series.drop_nulls().head(1).to_list()), dtype))
    is_boolean = dtype == nw.Boolean
    if dtype == nw.Decimal:
        # Casts miss the nearest float by a last bit, each library in its own way.
        return _read_objects(name, series.to_list(), as_category=as_category)
    if dtype in (nw.Int128, nw.UInt128) or (is_boolean and series.null_count() > 0):
        series = series.cast(nw.Float64)  # NumPy would have them as objects
    if not (is_boolean or dtype.is_numeric()):  # the cells may be any objects
        return _read_objects(name, series.to_list(), as_category=as_category)
    column = _read_array(name, series.to_numpy(), as_category=False)
    if column.info.kind == "numeric":
        _reject_infinity(name, column.numbers())
    return _of_numbers(name, column.cells, is_boolean=True) if is_boolean else column


def _read_text(name: str, series: nw.Series[Any]) -> Column:
    """Read a column of text or categories by the distinct cells that its library finds."""
    native = series.to_native()
    if hasattr(native, "factorize"):  # kin of pandas; category columns bring their codes
        positions, distinct = native.factorize()
        return _of_levels(name, list(distinct), np.asarray(positions))
    if series.dtype != nw.String:
        held = series.cat.get_categories().dtype
        series = series.cast(held)  # also since narwhals 2.28 loses the nulls of arrow dictionaries
        if held != nw.String:
            return _as_categorical(_read_series(name, series, as_category=True))
    distinct = series.drop_nulls().unique().to_list()
    if not distinct:
        return _of_levels(name, [], np.full(len(series), -1))
    places = series.replace_strict(distinct, list(range(len(distinct))), return_dtype=nw.Int32)
    return _of_levels(name, distinct, places.fill_null(-1).to_numpy())


def _read_array(name: str, cells: NDArray[Any], *, as_category: bool) -> Column:
    kind = cells.dtype.kind
    if kind == "f":
        return _of_numbers(name, cells if cells.dtype.itemsize <= 8 else _to_doubles(name, cells))
    if kind in "iub":
        _warn_of_rounding(name, cells)
        return _of_numbers(name, cells, is_boolean=kind == "b")
    if kind in "OU":
        return _read_objects(name, cells.tolist(), as_category=as_category)
    if kind == "c":
        raise _complex(name, cells[0])
    if kind in "mM":
        _reject_category(name, cells.dtype, as_category)
        return _of_moments(name, read_moment_array(cells))
    raise _unaskable(name, cells)


def _to_doubles(name: str, cells: NDArray[Any]) -> NDArray[np.float64]:
    with np.errstate(over="ignore"):
        doubles = cells.astype(np.float64)
    if (np.isinf(doubles) & ~np.isinf(cells)).any():
        raise _too_large(name)
    return doubles


def _warn_of_rounding(name: str, cells: NDArray[Any]) -> None:
    """Floats cannot tell large neighbouring integers apart, so questions cannot either."""
    if cells.dtype.kind not in "iu" or cells.dtype.itemsize < 8 or len(cells) == 0:
        return
    # As calls of methods, these take twice as long.
    if np.maximum.reduce(cells) > 2**53 or np.minimum.reduce(cells) < -(2**53):
        warnings.warn(
            f"Column {name!r} has integers beyond 2**53, which are rounded to floats. If they are "
            "names of things, drop the column or name it in categorical_features; if times, "
            "subtract the first.",
            stacklevel=2,
        )


def _read_objects(name: str, values: list[Any], *, as_category: bool) -> Column:
    """Read cells that are any Python objects, deciding by the few types that occur."""
    if Decimal in set(map(type, values)):  # a signalling NaN refuses everything but this question
        values = [None if type(v) is Decimal and v.is_snan() else v for v in values]
    examples = _examples(values)
    if not examples.keys() - {"missing"} and all(_is_missing(value) for value in values):
        # Nothing tells numbers from text, so that other tables may have either.
        return _of_levels(name, [], np.full(len(values), -1, dtype=np.int32))
    if "complex" in examples:
        raise _complex(name, examples["complex"])
    if "date" in examples:
        return _read_moments(name, values, examples, as_category=as_category)
    if "other" in examples:
        raise _not_a_cell(name, examples["other"])
    is_boolean = "boolean" in examples and "number" not in examples
    if "text" not in examples and not as_category:
        return _of_numbers(name, _floats(name, values), is_boolean=is_boolean)
    for sort in ("number", "boolean"):
        if sort in examples and not as_category:
            raise ValueError(
                f"Column {name!r} mixes text with other values, such as {examples['text']!r} and "
                f"{examples[sort]!r}. Convert its cells to one type, or name the column in "
                "categorical_features to take every value as a level."
            )
    found = set(values)  # as fast as it gets: texts remember their hash
    distinct = [value for value in found if not _is_missing(value)]
    place = dict.fromkeys(found, -1) | {value: i for i, value in enumerate(distinct)}
    positions = np.fromiter(map(place.__getitem__, values), dtype=np.int32, count=len(values))
    if not is_boolean:  # True and 1 are one level; which of them a set keeps depends on row order
        distinct = [int(value) if isinstance(value, _BOOLEANS) else value for value in distinct]
    return _of_levels(name, distinct, positions)


def _read_moments(
    name: str, values: list[Any], examples: dict[Sort, Any], *, as_category: bool
) -> Column:
    _reject_category(name, type(examples["date"]).__name__, as_category)
    others = [example for sort, example in examples.items() if sort not in ("date", "missing")]
    if others:
        raise ValueError(
            f"Column {name!r} mixes dates with other values, such as {str(examples['date'])!r} and "
            f"{others[0]!r}. Convert its cells to one type."
        )
    try:
        return _of_moments(name, read_moment_cells([None if _is_missing(v) else v for v in values]))
    except ValueError as error:
        raise ValueError(
            f"Column {name!r} mixes dates, times or time zones, {error}. Convert its cells to one "
            "type."
        ) from None


def _of_moments(name: str, read: Read) -> Column:
    return Column(ColumnInfo(name, "numeric", scale=read.scale), read.numbers)


def _order_of(native: Any) -> list[Any] | None:
    """All levels of a column from the least on, if its library says that they have an order."""
    dtype: Any = getattr(native, "dtype", None)
    if getattr(dtype, "ordered", False) or type(dtype).__name__ == "Enum":  # of pandas and polars
        return list(dtype.categories)
    if getattr(getattr(native, "type", None), "ordered", False):  # of Arrow
        return list(native.unify_dictionaries().chunk(0).dictionary.to_pylist())
    return None


def in_order(column: Column, order: Sequence[Any]) -> Column:
    """Return a column of levels as one whose levels have an order; cells are 1, 2, ... then.

    Levels that are ascending numbers are taken as these numbers.
    """
    name, levels = column.info.name, column.info.levels
    found = [_level(value) for value in order]
    strange = [level for level in levels if level not in found]
    if strange:
        raise ValueError(
            f"Column {name!r} holds {strange[0]!r}, which is not in the order that was given, "
            f"{found[:10]}. Name all levels, from the least to the greatest."
        )
    numbers = [isinstance(level, int | float) and not isinstance(level, bool) for level in found]
    if all(numbers) and found == sorted(found, key=float):
        values = np.array([*map(float, levels), np.nan])
        return _of_numbers(name, values[column.codes()])
    place = {level: i + 1.0 for i, level in enumerate(found)}
    values = np.array([*(place[level] for level in levels), np.nan])
    scale = Scale("order", levels=tuple(map(str, found)))
    return Column(ColumnInfo(name, "numeric", scale=scale), values[column.codes()])


Sort: TypeAlias = Literal["missing", "text", "boolean", "number", "complex", "date", "other"]
_BOOLEANS = (bool, np.bool_)
_DATES = (datetime.date, datetime.time, datetime.timedelta, np.datetime64, np.timedelta64)


def _sort_of(cell_type: type) -> Sort:
    # By name, as pandas is not ours to import. NaT is a date and timedelta64 an integer by
    # inheritance, so the order of these questions matters.
    if cell_type is type(None) or cell_type.__name__ in ("NAType", "NaTType"):
        return "missing"
    sorts: tuple[tuple[Sort, tuple[type, ...]], ...] = (
        ("text", (str,)),
        ("boolean", _BOOLEANS),
        ("date", _DATES),
        ("number", (numbers.Real, Decimal)),
        ("complex", (numbers.Complex,)),
    )
    return next((sort for sort, types in sorts if issubclass(cell_type, types)), "other")


def _examples(values: list[Any]) -> dict[Sort, Any]:
    """Return the first cell of each sort that occurs; NaN does not count beside other cells."""
    examples: dict[Sort, Any] = {}
    for cell_type in sorted(set(map(type, values)), key=lambda cell_type: cell_type.__name__):
        sort = _sort_of(cell_type)
        if sort == "number":  # only NaN differs from itself
            cells = (value for value in values if type(value) is cell_type and value == value)
        else:
            cells = (value for value in values if type(value) is cell_type)
        for value in itertools.islice(cells, 1):
            examples.setdefault(sort, value)
    return examples


def _is_missing(value: Any) -> bool:
    return _sort_of(type(value)) == "missing" or (not isinstance(value, str) and value != value)


def _floats(name: str, values: list[Any]) -> NDArray[np.float64]:
    try:
        floats = np.array([np.nan if v is None else v for v in values], dtype=np.float64)
    except TypeError:  # pandas NA or NaT, which are rare here
        floats = np.array([np.nan if _is_missing(v) else v for v in values], dtype=np.float64)
    except OverflowError as error:
        raise _too_large(name) from error
    _reject_infinity(name, floats)
    return floats


def _of_numbers(name: str, cells: Cells, *, is_boolean: bool = False) -> Column:
    return Column(ColumnInfo(name, "boolean" if is_boolean else "numeric"), cells)


def _of_levels(name: str, distinct: Sequence[Any], positions: Cells) -> Column:
    """Make a categorical column of cells that are positions in ``distinct``, -1 where missing."""
    found = [_level(value) for value in distinct]
    levels = tuple(sorted(set(found), key=lambda level: (isinstance(level, str), level)))
    if math.inf in levels or -math.inf in levels:
        _reject_infinity(name, np.array([np.inf]))
    return Column(ColumnInfo(name, "categorical", levels), recode(positions, found, levels))


def _level(value: Any) -> Level:
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, str):
        return str.__str__(value)  # the text itself, also of an enumeration's member
    if isinstance(value, bool | int):
        return value
    if isinstance(value, numbers.Real | Decimal):
        number = float(value)
        return int(number) if number.is_integer() else number
    return str(value)  # what pandas keeps as categories, such as intervals


def recode(cells: Cells, found: Sequence[Level], levels: Sequence[Level]) -> Cells:
    """Turn positions in ``found`` into codes: positions in ``levels``, or one past its end."""
    place = {level: i for i, level in enumerate(levels)}
    codes = np.array([place.get(level, len(levels)) for level in found] + [-1], dtype=np.int32)
    if isinstance(cells, SparseCells):
        return replace(cells, values=codes[cells.values], filling=int(codes[cells.filling]))
    return codes[cells]  # missing is -1, which takes the last


def _as_categorical(column: Column) -> Column:
    """Take the numbers of a column as levels."""
    info, cells = column.info, column.cells
    if info.kind == "categorical":
        return column
    if isinstance(cells, SparseCells) and len(cells.rows) < cells.n_rows:
        found = _as_categorical(Column(info, np.append(cells.values, cells.filling)))
        codes = found.codes()
        return Column(found.info, replace(cells, values=codes[:-1], filling=int(codes[-1])))
    plain = column.numbers() if isinstance(cells, SparseCells) else cells
    distinct, positions = np.unique(plain, return_inverse=True)
    if distinct.dtype.kind == "f" and np.isnan(distinct[-1]):  # NumPy sorts all NaN into one, last
        distinct = distinct[:-1]
        positions[positions == len(distinct)] = -1
    if info.kind == "boolean":
        distinct = distinct.astype(bool)
    return _of_levels(info.name, distinct.tolist(), positions)


# --- What cannot be read ---


def _reject_infinity(name: str, cells: NDArray[Any]) -> None:
    if np.isinf(cells).any():
        raise infinity_in(name)


def _too_large(name: str) -> ValueError:
    return ValueError(
        f"Column {name!r} of X holds a number beyond {np.finfo(np.float64).max:.2g}, the largest "
        "that a float can hold. Use another unit, or a logarithm."
    )


def infinity_in(name: str) -> ValueError:
    """Say which column holds infinity, and what to do."""
    return ValueError(
        f"Input X contains infinity in column {name!r}. Replace it by a number, or by NaN."
    )


def _complex(name: str, example: Any) -> ValueError:
    return ValueError(
        f"Complex data not supported: column {name!r} holds {example}. "
        "Use real and imaginary parts as two columns."
    )


def _reject_category(name: str, dtype: Any, as_category: bool) -> None:
    if as_category:
        raise ValueError(
            f"Column {name!r} has dtype {dtype}, but should hold levels: it is named in "
            "categorical_features, or was text at fit. Convert it to text."
        )


def _unaskable(name: str, cells: Any) -> ValueError:
    return ValueError(
        f"Column {name!r} has dtype {cells.dtype}, which cannot be asked about. "
        "Drop it or convert it to a number."
    )


def _not_a_cell(name: str, example: Any) -> TypeError:
    return TypeError(
        f"Column {name!r} holds {example!r:.60}, but a cell given as argument must be a string or "
        "a number. Drop the column or make plain columns of it."
    )
