"""Reading X: every kind of input gives the same table, every bad one a message that helps."""

from __future__ import annotations

import datetime as dt
import warnings
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse as sp
from sklearn.base import BaseEstimator
from sklearn.utils.validation import _get_feature_names

from bsnsing import BsnsingClassifier
from bsnsing.data.table import (
    Column,
    ColumnInfo,
    SparseCells,
    Table,
    read_prediction_table,
    read_training_table,
)

NAN = float("nan")
INF = float("inf")
MIXED = {
    "age": [31.5, None, 52.0, 18.0],
    "calls": [3, 1, 4, 1],
    "paid": [True, False, None, True],
    "plan": ["pro", "basic", None, "basic"],
}
MIXED_INFO = (
    ColumnInfo("age", "numeric"),
    ColumnInfo("calls", "numeric"),
    ColumnInfo("paid", "boolean"),
    ColumnInfo("plan", "categorical", ("basic", "pro")),
)


class Model(BaseEstimator):
    """Stands for the classifier: something to hang attributes on."""


def train(X: Any, categorical_features: Any = "from_dtype") -> Table:
    return read_training_table(Model(), X, categorical_features)


def train_then_read(X: Any, new_X: Any, categorical_features: Any = "from_dtype") -> Table:
    model = Model()
    table = read_training_table(model, X, categorical_features)
    return read_prediction_table(model, new_X, table.info)


def cells(column: Column) -> list[Any]:
    """The column's numbers or codes; None for NaN, which equals nothing."""
    if column.info.kind == "categorical":
        return column.codes().tolist()
    return [None if value != value else value for value in column.numbers().tolist()]


def contents(table: Table) -> list[list[Any]]:
    return [cells(column) for column in table.columns]


def object_array(columns: dict[str, list[Any]]) -> np.ndarray:
    return np.array(list(zip(*columns.values(), strict=True)), dtype=object)


FRAMES: dict[str, Callable[[dict[str, list[Any]]], Any]] = {
    "pandas": pd.DataFrame,
    "pandas-object": lambda data: pd.DataFrame(data, dtype=object),
    "pandas-nullable": lambda data: pd.DataFrame(data).convert_dtypes(),
    "pandas-arrow": lambda data: pa.table(data).to_pandas(types_mapper=pd.ArrowDtype),
    "polars": pl.DataFrame,
    "arrow": pa.table,
}
each_frame = pytest.mark.parametrize("frame", FRAMES.values(), ids=FRAMES.keys())


# --- The same table, whatever holds it ---


@each_frame
def test_dataframes_give_the_same_table(frame: Callable[[Any], Any]) -> None:
    model = Model()
    table = read_training_table(model, frame(MIXED), "from_dtype")
    assert table.info == MIXED_INFO
    assert table.n_rows == 4
    assert contents(table) == [
        [31.5, None, 52.0, 18.0],
        [3.0, 1.0, 4.0, 1.0],
        [1.0, 0.0, None, 1.0],
        [1, 0, -1, 0],
    ]
    assert model.n_features_in_ == 4
    assert model.feature_names_in_.tolist() == list(MIXED)
    assert model.feature_names_in_.dtype == object


@pytest.mark.parametrize("as_X", [np.asarray, np.ndarray.tolist], ids=["array", "list"])
def test_object_array_and_list_differ_only_in_names(as_X: Callable[[Any], Any]) -> None:
    model = Model()
    table = read_training_table(model, as_X(object_array(MIXED)), "from_dtype")
    assert [info.name for info in table.info] == ["x0", "x1", "x2", "x3"]
    assert [info.kind for info in table.info] == [info.kind for info in MIXED_INFO]
    assert contents(table) == contents(train(pd.DataFrame(MIXED)))
    assert model.n_features_in_ == 4
    assert not hasattr(model, "feature_names_in_")


@each_frame
def test_row_order_is_irrelevant(frame: Callable[[Any], Any]) -> None:
    order = [2, 0, 3, 1]
    shuffled = {name: [column[i] for i in order] for name, column in MIXED.items()}
    table, again = train(frame(MIXED)), train(frame(shuffled))
    assert again.info == table.info
    assert contents(again) == contents(table.take(order))


@pytest.mark.parametrize(
    "dtype",
    [bool, np.int8, np.uint64, np.float16, np.float32, np.float64, np.longdouble, ">f8", ">i4"],
)
def test_number_arrays(dtype: Any) -> None:
    table = train(np.array([[0, 1], [1, 1], [1, 0]], dtype=dtype))
    assert {info.kind for info in table.info} == {"boolean" if dtype is bool else "numeric"}
    assert contents(table) == [[0.0, 1.0, 1.0], [1.0, 1.0, 0.0]]
    assert all(column.numbers().dtype == np.float64 for column in table.columns)
    assert all(column.numbers().dtype.isnative for column in table.columns)


@pytest.mark.parametrize("order", ["C", "F"])
def test_float64_arrays_are_not_copied(order: Any) -> None:
    X = np.asarray(np.random.default_rng(0).normal(size=(6, 3)), order=order)
    table = train(X)
    assert all(np.shares_memory(column.numbers(), X) for column in table.columns)
    assert np.array_equal(np.stack([column.numbers() for column in table.columns], axis=1), X)


def test_read_only_and_small_integer_arrays_stay_as_they_are() -> None:
    X = np.arange(6, dtype=np.int8).reshape(3, 2)
    X.flags.writeable = False
    column = train(X).columns[1]
    assert np.shares_memory(column.cells, X)
    assert cells(column) == [1.0, 3.0, 5.0]


class ArrayLike:
    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        return np.array([[1.0, NAN], [2.0, 3.0]], dtype=dtype)


@pytest.mark.parametrize(
    "X",
    [
        [[1, NAN], [2, 3]],
        ((1, None), (2, 3)),
        [[Decimal(1), Decimal("NaN")], [Fraction(2), 3]],
        [np.array([1, NAN]), np.array([2, 3])],
        np.array([[1, pd.NA], [np.int64(2), np.float32(3)]], dtype=object),
        np.array([[1, pd.NaT], [2, 3.0]], dtype=object),
        np.ma.MaskedArray([[1.0, 9.0], [2.0, 3.0]], mask=[[False, True], [False, False]]),
        np.ma.MaskedArray([[1, 9], [2, 3]], mask=[[False, True], [False, False]]),
        ArrayLike(),
        pd.DataFrame({"a": pd.arrays.SparseArray([1, 2]), "b": [NAN, 3]}),
        pl.DataFrame({"a": [Decimal(1), Decimal(2)], "b": [None, Decimal(3)]}),
        pl.DataFrame(
            {"a": pl.Series([1, 2], dtype=getattr(pl, "Int128", pl.Int64)), "b": [None, 3]}
        ),
        pa.table(
            {"a": [Decimal(1), Decimal(2)], "b": pa.chunked_array([[None], [3.0]], pa.float32())}
        ),
    ],
)
def test_numbers_in_other_clothes(X: Any) -> None:
    table = train(X)
    assert {info.kind for info in table.info} == {"numeric"}
    assert contents(table) == [[1.0, 2.0], [None, 3.0]]


@pytest.mark.parametrize(
    ("values", "kind", "levels"),
    [
        ([True, NAN, False], "boolean", ()),
        ([np.bool_(True), None, False], "boolean", ()),
        ([True, 2, None], "numeric", ()),
        ([None, None, None], "categorical", ()),
        ([None, NAN, pd.NA], "categorical", ()),
        ([2**70, 1, None], "numeric", ()),
        (["b", NAN, "a"], "categorical", ("a", "b")),
        (["b", pd.NA, "a"], "categorical", ("a", "b")),
        ([np.str_("b"), None, pd.NaT], "categorical", ("b",)),
        (["", "nan", None], "categorical", ("", "nan")),
    ],
)
@pytest.mark.parametrize(
    "as_X",
    [
        lambda values: np.array(values, dtype=object).reshape(-1, 1),
        lambda values: pd.DataFrame({"x0": pd.Series(values, dtype=object)}),
    ],
    ids=["array", "pandas"],
)
def test_object_columns(as_X: Any, values: list[Any], kind: str, levels: tuple[str, ...]) -> None:
    (column,) = train(as_X(values)).columns
    assert column.info == ColumnInfo("x0", kind, levels)
    assert all(type(level) is str for level in column.info.levels)
    assert [cell in (None, -1) for cell in cells(column)] == [pd.isna(value) for value in values]


@pytest.mark.parametrize("last_first", [False, True])
@pytest.mark.parametrize(
    ("last", "error", "message"),
    [
        (1, ValueError, "'plan' mixes text with other values, such as 'a' and 1"),
        ({"b": 2}, TypeError, "'plan' holds {'b': 2}"),
        (dt.date(2024, 1, 1), ValueError, "'plan' mixes dates with other values.* and 'a'"),
    ],
)
def test_one_odd_cell_in_a_long_column(
    last: Any, error: Any, message: str, last_first: bool
) -> None:
    column = pd.Series(["a"] * 1000 + [last], dtype=object)
    with pytest.raises(error, match=message):
        train(pd.DataFrame({"plan": column[::-1] if last_first else column}))


@pytest.mark.skipif(not hasattr(getattr(np, "dtypes", None), "StringDType"), reason="needs NumPy 2")
def test_numpy_strings() -> None:
    strings = np.dtypes.StringDType(na_object=NAN)
    (column,) = train(np.array([["b"], [NAN], ["a"]], dtype=strings)).columns
    assert column.info.levels == ("a", "b")
    assert cells(column) == [1, -1, 0]


@pytest.mark.parametrize("rows", [[[1, "a"], [NAN, "b"]], ((1.0, "a"), (NAN, "b"))])
def test_lists_keep_numbers_beside_text(rows: Any) -> None:
    table = train(rows)  # NumPy alone would make text of all cells
    assert [info.kind for info in table.info] == ["numeric", "categorical"]
    assert contents(table) == [[1.0, None], [0, 1]]


def test_text_array() -> None:
    table = train(np.array([["b", "x"], ["a", "x"], ["", "y"]]))
    assert [info.levels for info in table.info] == [("", "a", "b"), ("x", "y")]
    assert contents(table) == [[2, 1, 0], [0, 0, 1]]


TEXT = ["b", None, "a", "b"]


@pytest.mark.parametrize(
    "X",
    [
        pd.DataFrame({"t": pd.Categorical(TEXT, categories=["c", "b", "a"])}),
        pd.DataFrame({"t": pd.array(TEXT, dtype="string")}),
        pd.DataFrame(
            {"t": pd.array(TEXT, dtype=pd.ArrowDtype(pa.dictionary(pa.int8(), pa.string())))}
        ),
        pl.DataFrame({"t": pl.Series(TEXT, dtype=pl.Categorical)}),
        pa.table({"t": pa.array(TEXT, pa.large_string())}),
        pa.table({"t": pa.array(TEXT).dictionary_encode()}),
        pa.table(
            {
                "t": pa.chunked_array(
                    [pa.array(part).dictionary_encode() for part in (TEXT[:3], TEXT[3:])]
                )
            }
        ),
    ],
)
def test_text_and_categories(X: Any) -> None:
    (column,) = train(X).columns
    assert column.info == ColumnInfo("t", "categorical", ("a", "b"))
    assert column.codes().dtype == np.int32
    assert cells(column) == [1, -1, 0, 1]


@pytest.mark.parametrize(
    "X",
    [
        pd.DataFrame({"t": pd.Categorical([20, None, 3], categories=[20, 7, 3])}),
        pa.table({"t": pa.array([20, None, 3]).dictionary_encode()}),
    ],
)
def test_categories_of_numbers(X: Any) -> None:
    (column,) = train(X).columns
    assert column.info == ColumnInfo("t", "categorical", (3, 20))
    assert cells(column) == [1, -1, 0]


def test_categories_of_intervals_are_known_by_their_text() -> None:
    intervals = pd.Categorical(pd.cut([5, 1, NAN], [0, 3, 6]), ordered=False)
    (column,) = train(pd.DataFrame({"t": intervals})).columns
    assert column.info.levels == ("(0, 3]", "(3, 6]")
    assert cells(column) == [1, 0, -1]


@pytest.mark.parametrize(
    ("X", "kind"),
    [
        (pl.DataFrame({"n": [None, None]}), "categorical"),
        (pa.table({"n": pa.nulls(2)}), "categorical"),
        (pd.DataFrame({"n": [None, None]}), "categorical"),
        (pd.DataFrame({"n": pd.array([None, None], dtype="Int64")}), "numeric"),
        (pl.DataFrame({"n": pl.Series([None, None], dtype=pl.Boolean)}), "boolean"),
        (pl.DataFrame({"n": pl.Series([None, None], dtype=pl.String)}), "categorical"),
        (pd.DataFrame({"n": pd.array([None, None], dtype="string")}), "categorical"),
        (pd.DataFrame({"n": pd.Categorical([None, None])}), "categorical"),
    ],
)
def test_columns_without_any_cell(X: Any, kind: str) -> None:
    (column,) = train(X).columns
    assert column.info == ColumnInfo("n", kind)
    assert cells(column) == ([-1, -1] if kind == "categorical" else [None, None])


# --- Sparse ---

DENSE = np.array([[0.0, 2.0, 0.0], [1.0, 0.0, 0.0], [NAN, 3.0, 0.0], [0.0, 2.0, 0.0]])


@pytest.mark.parametrize("kind", ["matrix", "array"])
@pytest.mark.parametrize("format", ["csr", "csc", "coo", "lil", "dok", "dia", "bsr"])
def test_sparse_stays_sparse(format: str, kind: str) -> None:
    make = getattr(sp, f"{format}_{kind}")
    model = Model()
    table = read_training_table(model, make(DENSE), "from_dtype")
    assert [len(column.cells.values) for column in table.columns] == [2, 3, 0]
    assert contents(table) == contents(train(DENSE))
    assert contents(read_prediction_table(model, make(DENSE), table.info)) == contents(table)
    assert model.n_features_in_ == 3


def test_sparse_with_repeated_entries_and_explicit_zeros() -> None:
    X = sp.csc_array(
        (np.array([1.0, 4.0, 0.0]), np.array([1, 1, 0]), np.array([0, 3])), shape=(3, 1)
    )
    assert contents(train(X)) == [[0.0, 5.0, 0.0]]
    assert X.nnz == 3, "the user's matrix must stay as it was"


def test_sparse_kinds() -> None:
    (column,) = train(sp.csr_array(np.array([[True], [False]]))).columns
    assert column.info.kind == "boolean"
    assert cells(column) == [1.0, 0.0]
    (column,) = train(sp.csr_array(np.array([[3], [0]], dtype=np.int8))).columns
    assert column.info.kind == "numeric"
    assert cells(column) == [3.0, 0.0]


@pytest.mark.parametrize("rows", [[3, 2, 2, 0], [False, True, True, False], [1]])
def test_take(rows: list[Any]) -> None:
    for X in (DENSE, sp.csr_array(DENSE), pd.DataFrame(DENSE, columns=["a", "b", "c"])):
        table = train(X, [1])
        part = table.take(rows)
        assert part.info == table.info
        assert part.n_rows == len(DENSE[rows])
        assert contents(part)[::2] == contents(train(DENSE[rows]))[::2]
        assert cells(part.columns[1]) == np.asarray(cells(table.columns[1]))[rows].tolist()


def test_sparse_categorical_columns() -> None:
    table = train(sp.csr_array(DENSE), [0, 1])
    assert [info.levels for info in table.info] == [(0, 1), (0, 2, 3), ()]
    assert contents(table)[:2] == [[0, 1, -1, 0], [1, 0, 2, 1]]
    assert all(isinstance(column.cells, SparseCells) for column in table.columns)
    (column,) = train(sp.csr_array(np.array([[2.0], [5.0]])), [0]).columns
    assert column.info.levels == (2, 5), "a zero that does not occur is not a level"


def test_sparse_categorical_prediction() -> None:
    new = np.array([[7.0, 0.0, 1.0], [0.0, 3.0, NAN]])
    table = train_then_read(sp.csr_array(DENSE), sp.csc_matrix(new), [0, 1])
    assert contents(table) == [[2, 0], [0, 2], [1.0, None]]


# --- categorical_features ---


@pytest.mark.parametrize(
    "chosen", [["calls", "paid"], [1, 2], np.array([1, 2]), [False, True, True, False]]
)
@each_frame
def test_chosen_columns_are_categorical(frame: Callable[[Any], Any], chosen: Any) -> None:
    table = train(frame(MIXED), chosen)
    assert table.info == (
        MIXED_INFO[0],
        ColumnInfo("calls", "categorical", (1, 3, 4)),
        ColumnInfo("paid", "categorical", (False, True)),
        MIXED_INFO[3],
    )
    assert [type(level) for level in table.info[1].levels] == [int, int, int]
    assert [type(level) for level in table.info[2].levels] == [bool, bool]
    assert contents(table)[1:3] == [[1, 0, 2, 0], [1, 0, -1, 1]]


@pytest.mark.parametrize("dtype", [np.int8, np.float32, object])
def test_whole_numbers_are_int_levels(dtype: Any) -> None:
    model = Model()
    table = read_training_table(model, np.array([[3], [1]], dtype=dtype), [0])
    assert table.info == (ColumnInfo("x0", "categorical", (1, 3)),)
    assert all(type(level) is int for level in table.info[0].levels)
    new = read_prediction_table(model, np.array([[3.0], [NAN], [2.5]]), table.info)
    assert contents(new) == [[1, -1, 2]]


@pytest.mark.parametrize("order", [[0, 1, 2, 3, 4, 5], [5, 4, 3, 2, 1, 0], [1, 0, 5, 2, 3, 4]])
def test_levels_of_mixed_types(order: list[int]) -> None:
    values = [True, 1, "b", 2.5, None, "a"]
    X = np.array([[values[i]] for i in order], dtype=object)
    (column,) = train(X, [0]).columns
    assert column.info.levels == (1, 2.5, "a", "b")
    assert [type(level) for level in column.info.levels] == [int, float, str, str]
    assert cells(column) == [[0, 0, 3, 1, -1, 2][i] for i in order]


@pytest.mark.parametrize("chosen", [[], None, "from_dtype"])
def test_nothing_chosen(chosen: Any) -> None:
    assert train(np.ones((2, 2)), chosen).info[1].kind == "numeric"


@pytest.mark.parametrize(
    ("chosen", "message"),
    [
        (["plan", "size"], "names column 'size', which X does not have"),
        ([0, 4], "names column 4, which X does not have. Its 4 columns are 'age', 'calls'"),
        ([-1], "names column -1, which X does not have"),
        ([True, False], "mask of 2 columns, but X has 4"),
        ("plan", "must be 'from_dtype', None, or a list .* Got 'plan'"),
        ([0.5], r"must be 'from_dtype', None, or a list .* Got \[0.5\]"),
        ([[0]], "must be 'from_dtype', None, or a list"),
        (3, "must be 'from_dtype', None, or a list .* Got 3"),
        (None, "Column 'plan' holds text or categories, but categorical_features is None. Use"),
    ],
)
def test_wrong_choices(chosen: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        train(pd.DataFrame(MIXED), chosen)


def test_names_chosen_of_an_array() -> None:
    with pytest.raises(ValueError, match="names column 'x0', but X has no column names"):
        train(np.ones((2, 2)), ["x0"])


# --- Prediction ---


@each_frame
@pytest.mark.parametrize("fitted_on", FRAMES.values(), ids=FRAMES.keys())
def test_prediction_columns_in_any_order(
    fitted_on: Callable[[Any], Any], frame: Callable[[Any], Any]
) -> None:
    new = {
        "plan": ["gold", "pro", None, "basic"],
        "paid": [None, True, True, False],
        "calls": [1, 2, 3, 4],
        "age": [None, 1.5, 2.5, 3.5],
    }
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        table = train_then_read(fitted_on(MIXED), frame(new))
    assert table.info == MIXED_INFO
    assert contents(table) == [
        [None, 1.5, 2.5, 3.5],
        [1.0, 2.0, 3.0, 4.0],
        [None, 1.0, 1.0, 0.0],
        [2, 1, -1, 0],
    ]


@pytest.mark.parametrize(
    ("fitted", "new", "expected"),
    [
        ([0.5, 1.5], [True, False], [1.0, 0.0]),
        ([0.5, 1.5], [2, 3], [2.0, 3.0]),
        ([0.5, 1.5], [None, None], [None, None]),
        ([True, False], [1, 0], [1.0, 0.0]),
        ([True, False], [1.0, NAN], [1.0, None]),
        (["a", "b"], [None, None], [-1, -1]),
        (["a", "b"], [NAN, NAN], [-1, -1]),
        ([1, "b"], ["b", 2.0], [1, 2]),
        ([True, False], [0, 2], [0.0, 2.0]),
    ],
)
def test_changes_that_are_fine(fitted: list[Any], new: list[Any], expected: list[Any]) -> None:
    X = pd.DataFrame({"a": pd.Series(fitted, dtype=object)})
    chosen = ["a"] if {type(value) for value in fitted} == {int, str} else "from_dtype"
    assert contents(train_then_read(X, pd.DataFrame({"a": new}), chosen)) == [expected]


@pytest.mark.parametrize("new", [["a"], [1], [None]])
def test_every_level_is_new_to_a_column_that_had_none(new: list[Any]) -> None:
    X = pd.DataFrame({"a": pd.Categorical([None, None])})
    table = train_then_read(X, pd.DataFrame({"a": new}))
    assert contents(table) == [[-1 if new == [None] else 0]]


def test_a_text_column_without_cells_is_fine_for_numbers() -> None:
    new = pl.DataFrame({"a": pl.Series([None], dtype=pl.String)})
    assert contents(train_then_read(pl.DataFrame({"a": [1.5, 2.5]}), new)) == [[None]]


@pytest.mark.parametrize(
    ("fitted", "new", "chosen", "message"),
    [
        ([1, 2], ["a", "b"], "from_dtype", "'a' held numbers at fit and holds text .* 'a'"),
        ([True, False], ["a", "b"], "from_dtype", "'a' held numbers at fit and holds text"),
        (["a", "b"], [1, 2], "from_dtype", "'a' held text as categories .* numbers now, such as 1"),
        (["a", "b"], [True, False], "from_dtype", "'a' held text as categories"),
        ([1, 2], ["a", "b"], [0], "'a' held numbers as categories at fit and holds text now"),
    ],
)
@each_frame
def test_changed_types(frame: Any, fitted: Any, new: Any, chosen: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        train_then_read(frame({"a": fitted}), frame({"a": new}), chosen)


@pytest.mark.parametrize(
    ("new", "message"),
    [
        (pd.Categorical([1, 2]), "'a' held numbers at fit and holds text or categories"),
        ([1, "b"], "'a' mixes text with other values, such as 'b' and 1"),
        ([1, INF], "contains infinity in column 'a'"),
        (pd.to_datetime(["2024-01-01"]), "'a' held numbers at fit and holds dates now"),
    ],
)
def test_columns_that_numbers_cannot_become(new: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        train_then_read(pd.DataFrame({"a": [1, 2]}), pd.DataFrame({"a": new}))


@pytest.mark.parametrize(
    ("names", "message"),
    [
        (["a", "b"], "should match those that were passed during fit: X lacks 'c'"),
        (["a", "b", "c", "d"], "should match .*: X has the unknown 'd'"),
        (["a", "b", "d"], "should match .*: X lacks 'c' and X has the unknown 'd'. Pass"),
    ],
)
@each_frame
def test_other_columns_than_at_fit(frame: Any, names: list[str], message: str) -> None:
    X = frame({name: [1.0, 2.0] for name in "abc"})
    with pytest.raises(ValueError, match=message):
        train_then_read(X, frame({name: [1.0] for name in names}))


@pytest.mark.parametrize(
    ("X", "new"),
    [
        (np.ones((3, 2)), np.ones((3, 1))),
        (sp.csr_array(np.ones((3, 2))), sp.csr_array(np.ones((3, 1)))),
        ([["a", 1], ["b", 2]], [["a"], ["b"]]),
        (pd.DataFrame(np.ones((3, 2))), pd.DataFrame(np.ones((3, 1)))),
    ],
)
def test_wrong_width(X: Any, new: Any) -> None:
    message = "X has 1 features, but Model is expecting 2 features as input"
    with pytest.raises(ValueError, match=message):
        train_then_read(X, new)


@each_frame
def test_warnings_about_names(frame: Callable[[Any], Any]) -> None:
    named, bare = frame({"a": [1.0, 2.0], "b": [3.0, 4.0]}), np.array([[1.0, 3.0], [2.0, 4.0]])
    with pytest.warns(UserWarning, match="X does not have valid feature names, but Model was"):
        table = train_then_read(named, bare)
    assert [info.name for info in table.info] == ["a", "b"]
    if _get_feature_names(named) is None:
        pytest.skip("this scikit-learn does not see the names of this dataframe")
    with pytest.warns(UserWarning, match="X has feature names, but Model was fitted without"):
        table = train_then_read(bare, named)
    assert [info.name for info in table.info] == ["x0", "x1"]
    assert contents(table) == [[1.0, 2.0], [3.0, 4.0]]


def test_fitting_anew_forgets_the_names() -> None:
    model = Model()
    read_training_table(model, pd.DataFrame({"a": [1.0]}), "from_dtype")
    table = read_training_table(model, np.ones((2, 2)), "from_dtype")
    assert not hasattr(model, "feature_names_in_")
    assert [info.name for info in table.info] == ["x0", "x1"]


# --- Names ---


def test_number_names_are_ignored() -> None:
    model = Model()
    table = read_training_table(model, pd.DataFrame([[1, "a"]], columns=[7, 3]), "from_dtype")
    assert [info.name for info in table.info] == ["x0", "x1"]
    assert [info.kind for info in table.info] == ["numeric", "categorical"]
    assert not hasattr(model, "feature_names_in_")


def test_names_of_several_levels_are_ignored() -> None:
    names = pd.MultiIndex.from_tuples([("a", 1), ("b", 2)])
    X = pd.DataFrame(np.arange(8.0).reshape(4, 2), columns=names)
    estimator = BaseEstimator()
    table = read_training_table(estimator, X)
    assert [column.info.name for column in table.columns] == ["x0", "x1"]
    assert not hasattr(estimator, "feature_names_in_")
    again = read_prediction_table(estimator, X, table.info)
    np.testing.assert_array_equal(again.columns[1].numbers(), X.to_numpy()[:, 1])


def test_mixed_names() -> None:
    with pytest.raises(TypeError, match="only supported if all input features have string names"):
        train(pd.DataFrame([[1, 2]], columns=["a", 0]))


@pytest.mark.parametrize(
    "X",
    [
        pd.DataFrame([[1, 2, 3]], columns=["a", "b", "a"]),
        pa.table([[1], [2], [3]], names=["a", "b", "a"]),
    ],
)
def test_duplicate_names(X: Any) -> None:
    with pytest.raises(ValueError, match=r"Column name 'a' occurs 2 times in X. Give each"):
        train(X)


# --- What cannot be read ---


def test_numbers_whose_sum_is_infinite_are_read() -> None:
    X = np.full((3, 2), 1e308)
    np.testing.assert_array_equal(cells(train(X).columns[1]), X[:, 1])


def test_infinity_in_a_large_array() -> None:
    X = np.ones((60_000, 2))
    X[-1, -1] = INF
    with pytest.raises(ValueError, match="contains infinity"):
        train(X)


DATES = [dt.datetime(2024, 1, 1), None]


@pytest.mark.parametrize(
    ("X", "message"),
    [
        (np.array([[1.0, -INF]]), "contains infinity"),
        (np.array([[1.0, INF]], dtype=np.float32), "contains infinity"),
        (sp.csr_array([[1.0, INF]]), "contains infinity"),
        ([[1.0, INF]], "contains infinity"),
        (np.array([[1.0, INF]], dtype=object), "contains infinity in column 'x1'. Replace"),
        (np.array([[1.0, 10**400]], dtype=object), "Column 'x1' of X holds a number beyond"),
        (pd.DataFrame({"a": [1.0], "b": [INF]}), "contains infinity in column 'b'. Replace"),
        (pl.DataFrame({"b": [1.0, None, INF]}), "contains infinity in column 'b'"),
        (pa.table({"b": [1.0, None, -INF]}), "contains infinity in column 'b'"),
        (pd.DataFrame({"b": pd.Categorical([1.0, INF])}), "contains infinity in column 'b'"),
        (np.empty((0, 3)), r"0 sample\(s\) \(shape=\(0, 3\)\)"),
        (np.empty((3, 0)), r"0 feature\(s\) \(shape=\(3, 0\)\)"),
        (pd.DataFrame({"a": []}), r"0 sample\(s\) \(shape=\(0, 1\)\).*required by Model"),
        (pl.DataFrame({"a": []}), r"0 sample\(s\)"),
        (pa.table({"a": pa.array([], pa.string())}), r"0 sample\(s\)"),
        (pd.DataFrame(index=[1, 2]), r"0 feature\(s\) \(shape=\(2, 0\)\)"),
        (sp.csr_array((0, 2)), r"0 sample\(s\)"),
        ([1.0, 2.0], "(?s)Expected 2D array, got 1D array instead.*Reshape your data"),
        (["a", "b"], "(?s)Expected 2D array, got 1D array instead.*Reshape your data"),
        (pl.Series([1.0]), "(?s)Expected 2D array, got 1D array instead.*Reshape your data"),
        (pd.Series([1.0]), "(?s)Expected a 2-dimensional container"),
        (np.ones((2, 2, 2)), "dim 3"),
        (np.array([[1j]]), "Complex data not supported"),
        (np.array([[1j]], dtype=object), r"Complex data not supported: column 'x0' holds 1j"),
        (pd.DataFrame({"a": [1j]}), "Complex data not supported: column 'a'"),
        (sp.csr_array([[1j]]), "Complex data not supported"),
        (np.array([[b"a"]]), r"'x0' has dtype \|S1, which cannot be asked about"),
        (np.array([["a"], [3], [None]], dtype=object), "'x0' mixes text .* such as 'a' and 3"),
        (np.array([["a"], [NAN], [2.5]], dtype=object), "'x0' mixes text .* 'a' and 2.5"),
        (np.array([[True], ["a"]], dtype=object), "'x0' mixes text .* 'a' and True"),
        (pd.DataFrame({"plan": [1, "a"]}), "'plan' mixes .*name the column in categorical_feat"),
    ],
)
def test_bad_values(X: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        train(X)


@pytest.mark.parametrize(
    "X",
    [
        np.array([[0.5], [{"foo": "bar"}]], dtype=object),
        np.array([["a"], [b"bytes"]], dtype=object),
        np.array([[object()]], dtype=object),
        pd.DataFrame({"x0": [[1, 2], None]}),
        pd.DataFrame({"x0": [{1}, "a"]}),
        pd.DataFrame({"x0": pd.period_range("2024", periods=2, freq="M")}),
        pl.DataFrame({"x0": [[1], [2]]}),
        pl.DataFrame({"x0": [{"a": 1}]}),
        pl.DataFrame({"x0": pl.Series([[1, 2]], dtype=pl.Array(pl.Int64, 2))}),
        pl.DataFrame({"x0": [b"bytes"]}),
        pa.table({"x0": [[1], None]}),
        pa.table({"x0": [{"a": 1}]}),
    ],
)
@pytest.mark.parametrize("chosen", ["from_dtype", [0]])
def test_cells_that_are_neither_text_nor_numbers(X: Any, chosen: Any) -> None:
    # The words that scikit-learn's own estimator checks look for.
    with pytest.raises(TypeError, match=r"Column 'x0' .*argument must be .* string.* number"):
        train(X, chosen)


def test_a_lazy_frame() -> None:
    with pytest.raises(TypeError, match=r"X is a LazyFrame.* Call \.collect\(\) first"):
        train(pl.LazyFrame({"a": [1.0]}))


def test_the_wrong_accessor() -> None:
    numeric, categorical = train(pd.DataFrame({"a": [1.0], "b": ["x"]})).columns
    with pytest.raises(TypeError, match="'a' is numeric"):
        numeric.codes()
    with pytest.raises(TypeError, match="'b' is categorical"):
        categorical.numbers()


def test_integers_too_large_for_floats_are_told() -> None:
    X = np.array([[2**60, 1], [2**60 + 1, 2]])
    with pytest.warns(UserWarning, match=r"Column 'x0' has integers beyond 2\*\*53"):
        read_training_table(BaseEstimator(), X)


def test_a_fit_describes_its_table_a_few_times_whatever_its_width(monkeypatch) -> None:
    """Descriptions are a list over all columns: made once per column they would cost squares."""
    describe = Table.info.fget
    n_calls = 0

    def counted(table: Table):
        nonlocal n_calls
        n_calls += 1
        return describe(table)

    monkeypatch.setattr(Table, "info", property(counted))
    random = np.random.RandomState(0)
    calls = []
    for model in (BsnsingClassifier.plain(), BsnsingClassifier()):
        for n_columns in (10, 60):
            n_calls = 0
            model.fit(random.rand(80, n_columns), np.arange(80) % 2)
            calls.append(n_calls)
    assert max(calls) < 25  # the default tries a tree several times
