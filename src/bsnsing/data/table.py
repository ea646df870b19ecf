"""Array or dataframe -> Table: scikit-learn's checks, names in order, every column read."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import issparse
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_array, validate_data

from bsnsing import _core
from bsnsing.data.align import align_column
from bsnsing.data.columns import (
    Column,
    ColumnInfo,
    Kind,
    Level,
    RawColumn,
    SparseCells,
    in_order,
    read_column,
)
from bsnsing.data.device_arrays import as_numpy
from bsnsing.data.frame_columns import columns_of
from bsnsing.data.frames import is_frame, names_of, with_rows_at_hand, without_column

__all__ = [
    "CategoricalFeatures",
    "Column",
    "ColumnInfo",
    "Kind",
    "Level",
    "SparseCells",
    "Table",
    "read_prediction_table",
    "read_training_table",
]

CategoricalFeatures: TypeAlias = (
    Literal["from_dtype"]
    | Mapping[str, Sequence[Any] | None]
    | Sequence[str]
    | Sequence[int]
    | Sequence[bool]
    | NDArray[Any]
    | None
)

# Rows that are looked at before all others for missing cells.
_FEW_ROWS = 100


@dataclass(frozen=True, slots=True, eq=False)
class Table:
    """Typed columns of equal length."""

    columns: tuple[Column, ...]
    n_rows: int

    @property
    def info(self) -> tuple[ColumnInfo, ...]:
        """Descriptions of the columns, which is all that a fitted model keeps of a table."""
        return tuple([column.info for column in self.columns])  # a generator takes twice as long

    def __sizeof__(self) -> int:
        # What holds tables in memory, as Dask does, counts by this when to spill them.
        cells = (column.cells for column in self.columns)
        return sum(
            own.rows.nbytes + own.values.nbytes if isinstance(own, SparseCells) else own.nbytes
            for own in cells
        )

    def take(self, rows: ArrayLike) -> Table:
        """Return the table of these rows, given as positions or as a boolean mask."""
        wanted = np.asarray(rows)
        places = np.flatnonzero(wanted) if wanted.dtype == bool else wanted.astype(np.intp)
        columns = (
            Column(
                column.info,
                column.cells.take(places)
                if isinstance(column.cells, SparseCells)
                else column.cells[places],
            )
            for column in self.columns
        )
        return Table(tuple(columns), len(places))


def read_training_table(
    estimator: BaseEstimator, X: Any, categorical_features: CategoricalFeatures = "from_dtype"
) -> Table:
    """Read ``X`` for fitting and set the estimator's ``n_features_in_`` and ``feature_names_in_``.

    Numbers make numeric columns, Booleans boolean ones, text and categories categorical ones. The
    result depends neither on the order of the rows nor on the library that holds them.

    Parameters
    ----------
    estimator : estimator instance
        Whose attributes are set, and whose name messages carry.
    X : array-like, sparse matrix or dataframe of shape (n_rows, n_columns)
        Cells may be missing: NaN, None, or the null of the dataframe's library.
    categorical_features : "from_dtype", None, dict, or names, positions or a mask of columns
        Columns to read as categorical whatever they hold; None allows no categorical column. A dict
        has the levels of each in their order, or None where they have none.
    """
    raw_columns, n_rows = _open(estimator, X, reset=True)
    names = [f"x{i}" for i in range(len(raw_columns))]
    names = list(getattr(estimator, "feature_names_in_", names))
    has_names = hasattr(estimator, "feature_names_in_")
    chosen = _chosen_columns(categorical_features, names, has_names=has_names)
    columns = tuple(
        [
            read_column(name, raw, as_category=i in chosen)
            for i, (name, raw) in enumerate(zip(names, raw_columns, strict=True))
        ]
    )
    if isinstance(categorical_features, Mapping):
        columns = tuple(_in_named_order(column, categorical_features) for column in columns)
    if categorical_features is None:
        _reject_categories(columns)
    return Table(columns, n_rows)


def read_prediction_table(estimator: BaseEstimator, X: Any, info: tuple[ColumnInfo, ...]) -> Table:
    """Read ``X`` as the columns that ``info`` describes, which the estimator was fitted on.

    Columns with names may come in any order. Raises ValueError where a column is missing, was not
    there at fit, or has changed between numbers and text. The column that the labels of fit came
    from may be there, and is ignored.
    """
    X = without_column(X, getattr(estimator, "label_name_", None))
    raw_columns, n_rows = _open(estimator, X, reset=False)
    columns = (
        align_column(read_column(known.name, raw, as_category=known.is_of_levels), known)
        for known, raw in zip(info, raw_columns, strict=True)
    )
    return Table(tuple(columns), n_rows)


# --- From X to raw columns: scikit-learn's checks, names, width ---


def _open(estimator: BaseEstimator, X: Any, *, reset: bool) -> tuple[list[RawColumn], int]:
    """Check ``X`` by scikit-learn's conventions and return its columns as they are.

    Dataframes are read through narwhals, which uses pandas, polars and pyarrow where they are
    there and needs none of them.
    """
    X = as_numpy(X)
    _core.end_with_python()  # nothing is begun that could not be ended
    X = with_rows_at_hand(X)
    if is_frame(X):
        return _open_frame(estimator, X, reset=reset)
    if isinstance(X, np.ma.MaskedArray):  # scikit-learn would read what lies under the mask
        filling: Any = np.nan if X.dtype.kind == "f" else None
        X = np.where(np.ma.getmaskarray(X), filling, X.data)
    elif isinstance(X, np.ndarray) and X.dtype.kind == "T":  # which scikit-learn does not know
        X = X.astype(object)
    array = _checked(estimator, X, reset=reset)
    if issparse(array):
        return list(_sparse_columns(array)), array.shape[0]
    if array.dtype.kind == "U" and isinstance(X, list | tuple):
        # A list such as [[1, "a"]]: NumPy has made text of the numbers, and of None and NaN.
        array = np.array(X, dtype=object)
    return list(array.T), len(array)


def _checked(estimator: BaseEstimator, X: Any, *, reset: bool) -> Any:
    """Check an array or sparse matrix as scikit-learn does."""
    if _is_finite_array(X) and _has_width(estimator, X.shape[1], reset=reset):
        return X
    try:
        with np.errstate(invalid="ignore"):  # it sums up all cells, and so overflows on large ones
            return validate_data(
                estimator,
                X,
                reset=reset,
                accept_sparse="csc",
                dtype=None,
                ensure_all_finite="allow-nan",
            )
    except ValueError as error:
        if str(error).startswith("Complex data not supported"):  # and then comes the whole array
            raise ValueError(
                "Complex data not supported: X holds complex numbers. Use real and imaginary parts "
                "as two columns."
            ) from None
        raise


def _is_finite_array(X: Any) -> bool:
    """Whether ``X`` is an array of finite numbers, which validate_data returns as it is.

    It looks for dataframes of all libraries, which takes a tenth of a small fit and half of a small
    prediction.
    """
    if type(X) is not np.ndarray or X.dtype.kind not in "fiub" or X.ndim != 2 or X.size == 0:
        return False
    if X.dtype.kind != "f":
        return True
    with np.errstate(over="ignore", invalid="ignore"):
        # Where cells are missing, the first rows mostly tell, and all are not summed up twice.
        return math.isfinite(X[:_FEW_ROWS].sum()) and math.isfinite(X.sum())


def _has_width(estimator: BaseEstimator, n_columns: int, *, reset: bool) -> bool:
    """Whether an array without names suits the fit or, with ``reset``, begins a new one.

    Where it does not, scikit-learn has the words for it.
    """
    if reset:
        estimator.n_features_in_ = n_columns
        estimator.__dict__.pop("feature_names_in_", None)  # of an earlier fit
        return True
    is_named = hasattr(estimator, "feature_names_in_")
    return not is_named and getattr(estimator, "n_features_in_", n_columns) == n_columns


def _sparse_columns(matrix: Any) -> Iterable[SparseCells]:
    if not matrix.has_canonical_format:  # entries of the same cell must be added up
        matrix = matrix.copy()
        matrix.sum_duplicates()
    for start, end in zip(matrix.indptr[:-1], matrix.indptr[1:], strict=True):
        yield SparseCells(
            matrix.indices[start:end], matrix.data[start:end], filling=0, n_rows=matrix.shape[0]
        )


def _open_frame(estimator: BaseEstimator, X: Any, *, reset: bool) -> tuple[list[RawColumn], int]:
    fitted_names = getattr(estimator, "feature_names_in_", None)
    known = None if reset or fitted_names is None else fitted_names.tolist()
    names = names_of(X, known)
    is_as_fitted = names is known
    has_names = is_as_fitted or (bool(names) and all(isinstance(name, str) for name in names))
    if not has_names or (not reset and fitted_names is None):
        validate_data(estimator, X, reset=reset, skip_check_array=True)
    elif reset:  # not every scikit-learn sees the names of every dataframe
        estimator.n_features_in_ = len(names)
        estimator.feature_names_in_ = np.asarray(names, dtype=object)
    n_rows = len(X)
    if not names or n_rows == 0:
        check_array(np.empty((n_rows, len(names))), estimator=estimator)  # raises, in its own words
    columns = columns_of(X, names)
    if has_names and known is not None and not is_as_fitted:
        _check_same_names(names, known)
        place_of = {name: i for i, name in enumerate(names)}
        columns = [columns[place_of[name]] for name in known]
    return columns, n_rows


def _check_same_names(names: list[str], fitted_names: list[str]) -> None:
    unseen = sorted(set(names) - set(fitted_names))
    missing = sorted(set(fitted_names) - set(names))
    if not unseen and not missing:
        return
    found = [f"X lacks {_listed(missing)}"] if missing else []
    found += [f"X has the unknown {_listed(unseen)}"] if unseen else []
    raise ValueError(
        "The feature names should match those that were passed during fit: "
        f"{' and '.join(found)}. Pass the columns of fit, in any order."
    )


def _chosen_columns(
    categorical_features: CategoricalFeatures, names: list[str], *, has_names: bool
) -> set[int]:
    """Positions of the columns that the user calls categorical."""
    if categorical_features is None or (
        isinstance(categorical_features, str) and categorical_features == "from_dtype"
    ):
        return set()
    if isinstance(categorical_features, Mapping):
        categorical_features = list(categorical_features)
    given = np.asarray(categorical_features)
    items = given.tolist()
    if given.ndim != 1 or not (
        given.size == 0 or given.dtype.kind in "biu" or all(isinstance(i, str) for i in items)
    ):
        raise ValueError(
            "categorical_features must be 'from_dtype', None, or a list of names, of positions or "
            f"of True and False. Got {categorical_features!r} instead."
        )
    if given.dtype.kind == "b":
        if len(items) != len(names):
            raise ValueError(
                f"categorical_features is a mask of {len(items)} columns, but X has {len(names)}. "
                "Give one True or False for each column."
            )
        return set(np.flatnonzero(given).tolist())
    if items and isinstance(items[0], str) and not has_names:
        raise ValueError(
            f"categorical_features names column {items[0]!r}, but X has no column names. "
            "Use positions or a boolean mask, or pass a dataframe."
        )
    place_of = {name: place for place, name in enumerate(names)}
    for item in items:
        if item not in (place_of if isinstance(item, str) else range(len(names))):
            raise ValueError(
                f"categorical_features names column {item!r}, which X does not have. "
                f"Its {len(names)} columns are {_listed(names)}; positions count from 0."
            )
    return {place_of[item] if isinstance(item, str) else item for item in items}


def _in_named_order(column: Column, given: Mapping[str, Sequence[Any] | None]) -> Column:
    """Return a column in the order in which its levels are named, if they are."""
    order = given.get(column.info.name)
    if order is None:
        return column
    if isinstance(order, str) or len(set(order)) < len(order):
        raise ValueError(
            f"categorical_features gives {column.info.name!r} the levels {order!r}. Give a list of "
            "all levels, each once, from the least to the greatest, or None for no order."
        )
    return in_order(column, order)


def _listed(names: list[str]) -> str:
    return ", ".join(map(repr, names[:8])) + (", ..." if len(names) > 8 else "")


def _reject_categories(columns: Iterable[Column]) -> None:
    for column in columns:
        if column.info.levels:
            raise ValueError(
                f"Column {column.info.name!r} holds text or categories, but categorical_features "
                "is None. Use categorical_features='from_dtype' or convert the column to numbers."
            )
