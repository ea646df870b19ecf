"""Dataframes are read like arrays: the same cells, and no call that looks at the whole for each."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import narwhals.stable.v1 as nw
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from bsnsing import BsnsingClassifier
from bsnsing.data.frame_columns import _blocks_of
from bsnsing.data.table import read_prediction_table, read_training_table

PLAIN = BsnsingClassifier.plain
MAKERS: dict[str, Callable[[dict[str, Any]], Any]] = {
    "pandas": pd.DataFrame,
    "pandas of arrow": lambda columns: pd.DataFrame(columns).convert_dtypes(
        dtype_backend="pyarrow"
    ),
    "polars": pl.DataFrame,
    "arrow": pa.table,
    "narwhals": lambda columns: nw.from_native(pl.DataFrame(columns), eager_only=True),
}
RNG = np.random.default_rng(0)
N_ROWS = 50
KINDS: dict[str, Callable[[], Any]] = {
    "f8": lambda: RNG.random(N_ROWS),
    "f4": lambda: RNG.random(N_ROWS).astype(np.float32),
    "i8": lambda: RNG.integers(-9, 9, N_ROWS),
    "u1": lambda: RNG.integers(0, 9, N_ROWS).astype(np.uint8),
    "bool": lambda: RNG.random(N_ROWS) > 0.5,
    "text": lambda: RNG.choice(["a", "b", "c"], N_ROWS).astype(object),
}


def wide(kinds: list[str], n_each: int) -> dict[str, Any]:
    columns = {f"{kind} {i}": KINDS[kind]() for i in range(n_each) for kind in kinds}
    return columns


@pytest.mark.parametrize("kinds", [["f8"], ["f4"], ["i8"], ["u1"], ["bool"], list(KINDS)], ids=str)
@pytest.mark.parametrize("library", MAKERS)
def test_frames_hold_what_their_columns_hold(library: str, kinds: list[str]) -> None:
    columns = wide(kinds, 12)
    model = PLAIN()
    table = read_training_table(model, MAKERS[library](columns))
    again = read_prediction_table(
        model, MAKERS[library](dict(reversed(columns.items()))), table.info
    )
    for read in (table, again):
        assert [column.info.name for column in read.columns] == list(columns)
        for column, cells in zip(read.columns, columns.values(), strict=True):
            if column.info.kind == "categorical":
                found = np.array(column.info.levels, dtype=object)[column.codes()]
                assert found.tolist() == cells.tolist()
            else:
                assert column.info.kind == ("boolean" if cells.dtype == bool else "numeric")
                np.testing.assert_array_equal(column.numbers(), cells.astype(np.float64))


@pytest.mark.parametrize("library", ["pandas", "polars", "arrow"])
def test_columns_are_not_read_one_series_at_a_time(
    library: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each series of narwhals takes about a tenth of a millisecond, some by looking at all."""
    frame = MAKERS[library](wide(["f8", "i8", "f4", "text"], 40))
    n_asked = 0
    from_native = nw.from_native

    def counted(*arguments: Any, **options: Any) -> Any:
        nonlocal n_asked
        n_asked += 1
        return from_native(*arguments, **options)

    monkeypatch.setattr(nw, "from_native", counted)
    model = PLAIN()
    table = read_training_table(model, frame)
    read_prediction_table(model, frame, table.info)
    assert n_asked == 0


def test_numbers_of_pandas_are_read_without_a_series(monkeypatch: pytest.MonkeyPatch) -> None:
    """To make one takes a sixth of a small prediction."""
    frame = pd.DataFrame(wide(["f8", "i8", "f4"], 12))
    model = PLAIN()
    table = read_training_table(model, frame)

    def refuse(*arguments: Any, **options: Any) -> None:
        raise AssertionError("A series is made.")

    monkeypatch.setattr(pd.Series, "__init__", refuse)
    again = read_prediction_table(model, frame, table.info)
    for column, cells in zip(again.columns, frame._mgr.column_arrays, strict=True):
        np.testing.assert_array_equal(column.cells, cells)
        assert np.shares_memory(column.cells, cells) == (cells.dtype.kind == "f")


@pytest.mark.parametrize("others", [[], ["f8"], ["f4"], ["i8", "f8"]], ids=str)
@pytest.mark.parametrize("library", ["pandas", "polars", "arrow"])
def test_integers_beyond_those_of_floats_are_told_of(library: str, others: list[str]) -> None:
    """Also where all numbers of a table are read in one go, as floats."""
    columns = wide(others, 2) | {"large": np.arange(N_ROWS) + 2**53, "last": np.arange(N_ROWS)}
    model = PLAIN()
    with pytest.warns(UserWarning, match="'large' has integers beyond 2"):
        table = read_training_table(model, MAKERS[library](columns))
    for column, cells in zip(table.columns, columns.values(), strict=True):
        np.testing.assert_array_equal(column.numbers(), cells.astype(np.float64))


@pytest.mark.parametrize("first", [2**53 + 1, -(2**53) - 1])
@pytest.mark.parametrize("library", ["pandas", "polars", "arrow"])
def test_integers_that_are_rounded_down_are_told_of(library: str, first: int) -> None:
    """As a float, the first integer that floats leave out is the last that they hold."""
    columns = {"large": [first, 1, 2, 3], "short": [0.5, 1.0, 2.0, 3.0]}
    with pytest.warns(UserWarning, match="'large' has integers beyond 2"):
        read_training_table(PLAIN(), MAKERS[library](columns))


@pytest.mark.parametrize("other", [np.int64, np.float32, np.float64])
@pytest.mark.parametrize("library", ["pandas", "polars", "arrow"])
def test_half_precision_is_read_beside_other_numbers(library: str, other: type) -> None:
    columns = {"half": np.arange(4).astype(np.float16), "other": np.arange(4).astype(other)}
    table = read_training_table(PLAIN(), MAKERS[library](columns))
    for column, cells in zip(table.columns, columns.values(), strict=True):
        np.testing.assert_array_equal(column.numbers(), cells.astype(np.float64))


def test_tables_of_arrow_in_parts_are_read_whole() -> None:
    columns = wide(["f8", "i8", "f4"], 3)
    whole = pa.table(columns)
    parts = pa.concat_tables([whole.slice(0, 7), whole.slice(7, 20), whole.slice(27)])
    assert parts.column(0).num_chunks == 3
    table = read_training_table(PLAIN(), parts)
    for column, cells in zip(table.columns, columns.values(), strict=True):
        np.testing.assert_array_equal(column.numbers(), cells.astype(np.float64))


def test_blocks_of_pandas_are_found_by_what_it_offers_to_all() -> None:
    """Where a frame has no blocks to see, the cells are the same."""
    frame = pd.DataFrame(wide(["f8", "i8", "text", "f4"], 12))
    without_blocks = SimpleNamespace(dtypes=frame.dtypes, iloc=frame.iloc)
    found = [
        {
            place: line
            for places, lines in _blocks_of(X)
            for place, line in zip(places, lines, strict=True)
        }
        for X in (frame, without_blocks)
    ]
    assert found[0].keys() == found[1].keys()
    for place, line in found[0].items():
        assert line.dtype == found[1][place].dtype
        np.testing.assert_array_equal(line, found[1][place])


@pytest.mark.filterwarnings("ignore::pandas.errors.PerformanceWarning")
@pytest.mark.parametrize("n_rows", [50, 30_000])
def test_frames_that_grew_by_columns_hold_them(n_rows: int) -> None:
    """Each column is a block of its own then, and the blocks are in another order."""
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"first": rng.random(n_rows), "second": rng.random(n_rows)})
    cells = {name: frame[name].to_numpy() for name in frame}
    for i in range(12):
        for kind in ("f8", "i8", "?", "f4", "object"):
            name = f"{kind} {i}"
            drawn = rng.integers(0, 2 if kind == "?" else 9, n_rows)
            cells[name] = drawn.astype(str) if kind == "object" else drawn.astype(kind)
            frame.insert(i if i % 2 else 0, name, cells[name])
    assert len(frame._mgr.blocks) == 61
    table = read_training_table(PLAIN(), frame)
    assert [column.info.name for column in table.columns] == list(frame.columns)
    for column in table.columns:
        if column.info.kind == "categorical":
            found = np.array(column.info.levels)[column.codes()]
        else:
            found = column.cells
        np.testing.assert_array_equal(found, cells[column.info.name])


@pytest.mark.parametrize("n_rows", [5, 60_000])
@pytest.mark.parametrize("others", [["f8"], ["f8", "i8"]], ids=str)
@pytest.mark.parametrize("library", ["pandas", "polars", "arrow"])
def test_infinity_is_found_in_any_column(library: str, others: list[str], n_rows: int) -> None:
    columns = {f"{kind} {i}": np.ones(n_rows, kind) for i in range(3) for kind in others}
    missing = np.append(np.nan, np.ones(n_rows - 1))
    bad = np.append(np.ones(n_rows - 1), -np.inf)
    frame = MAKERS[library](columns | {"missing": missing, "bad": bad, "last": np.ones(n_rows)})
    with pytest.raises(ValueError, match="infinity in column 'bad'"):
        read_training_table(PLAIN(), frame)


@pytest.mark.parametrize("library", ["polars", "arrow"])
def test_null_numbers_are_missing(library: str) -> None:
    columns = {"f": [1.5, None, 2.5], "i": [None, 1, 2], "b": [True, None, False]}
    for names in (["f"], ["i"], ["b"], ["f", "i", "b"]):
        chosen = {name: columns[name] for name in names}
        frame = pl.DataFrame(chosen) if library == "polars" else pa.table(chosen)
        table = read_training_table(PLAIN(), frame)
        for column in table.columns:
            expected = [np.nan if cell is None else cell for cell in columns[column.info.name]]
            np.testing.assert_array_equal(column.numbers(), np.array(expected, dtype=float))


@pytest.mark.parametrize("dtype", ["string[pyarrow]", "category"])
def test_text_of_pandas_is_read_without_a_series(
    dtype: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """To make one and find its levels takes longer than all else that reads a short column."""
    frame = pd.DataFrame(wide(["text"], 5)).astype(dtype)
    model = PLAIN()
    table = read_training_table(model, frame)

    def refuse(*arguments: Any, **options: Any) -> None:
        raise AssertionError("A series is made.")

    monkeypatch.setattr(pd.DataFrame, "iloc", property(refuse))
    again = read_prediction_table(model, frame, table.info)
    for column, first in zip(again.columns, table.columns, strict=True):
        np.testing.assert_array_equal(column.codes(), first.codes())


@pytest.mark.parametrize("dtype", ["f4", "f8"])
@pytest.mark.parametrize("library", ["polars", "arrow"])
def test_nulls_of_long_tables_are_missing(library: str, dtype: str) -> None:
    """Also beside text, Booleans, and integers that must not become floats unless they are null."""
    floats = np.arange(7000, dtype=dtype)
    has_null = np.arange(7000) % 5 == 0
    columns = {
        "f": pa.array(floats, mask=has_null),
        "i": pa.array(np.arange(7000), mask=has_null),
        "t": pa.array(["a", None] * 3500),
        **{f"whole {i}": pa.array(np.arange(7000) + (2**53 if i == 0 else 0)) for i in range(15)},
    }
    parts = [pa.table(columns).slice(start, 3500) for start in (0, 3500)]
    arrow = pa.concat_tables(parts)
    with pytest.warns(UserWarning, match="'whole 0' has integers beyond 2"):
        table = read_training_table(PLAIN(), arrow if library == "arrow" else pl.from_arrow(arrow))
    first, second, text, whole, *_ = table.columns
    assert first.cells.dtype == dtype
    np.testing.assert_array_equal(first.cells, np.where(has_null, np.nan, floats))
    np.testing.assert_array_equal(second.cells, np.where(has_null, np.nan, floats))
    np.testing.assert_array_equal(text.codes(), np.arange(7000) % 2 * -1)
    assert whole.cells.dtype == "i8"


@pytest.mark.parametrize("n_rows", [3, 6000])
def test_text_is_read_the_same_from_short_and_long_columns(n_rows: int) -> None:
    cells = (["b", None, "a"] * n_rows)[:n_rows]
    arrow = pa.array(cells)
    codes = pa.array(([2, None, 3] * n_rows)[:n_rows])
    frames = {
        "objects": pd.DataFrame({"t": pd.Series(cells, dtype=object)}),
        "text": pd.DataFrame({"t": pd.Series(cells, dtype="string")}),
        "category": pd.DataFrame({"t": pd.Series(cells, dtype="category")}),
        "polars": pl.DataFrame({"t": cells}),
        "polars category": pl.DataFrame({"t": pl.Series(cells, dtype=pl.Categorical)}),
        "arrow": pa.table({"t": arrow}),
        "arrow large": pa.table({"t": arrow.cast(pa.large_string())}),
        "arrow view": pa.table({"t": pa.array(cells, pa.string_view())}),
        "arrow dictionary": pa.table({"t": arrow.dictionary_encode()}),
        "arrow large dictionary": pa.table(
            {"t": arrow.cast(pa.large_string()).dictionary_encode()}
        ),
        "arrow dictionary with more": pa.table(
            {"t": pa.DictionaryArray.from_arrays(codes, pa.array(["a", "none", "b", "a"]))}
        ),
    }
    for library, frame in frames.items():
        column = read_training_table(PLAIN(), frame).columns[0]
        assert column.info.levels == ("a", "b"), library
        assert column.codes()[:3].tolist() == [1, -1, 0], library
        with pytest.raises(ValueError, match="categorical_features is None"):
            read_training_table(PLAIN(), frame, None)


def test_largest_numbers_are_not_taken_for_infinity() -> None:
    """Their sum overflows, and yet each is finite."""
    cells = np.full((300, 3), 1.7e308)
    cells[::2] = 1e308
    for frame in (pd.DataFrame(cells, columns=list("abc")), pl.DataFrame(cells), cells):
        table = read_training_table(PLAIN(), frame)
        np.testing.assert_array_equal(table.columns[0].numbers(), cells[:, 0])
