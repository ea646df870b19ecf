"""Class labels: from any y to the sorted classes and each row's position among them."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils import column_or_1d
from sklearn.utils.multiclass import check_classification_targets


def read_labels(y: ArrayLike | None, n_rows: int) -> tuple[NDArray[Any], NDArray[np.int32]]:
    """Return the sorted labels and each row's position among them."""
    if y is None:
        raise ValueError("Learning requires y to be passed, but the target y is None.")
    labels = _plain(column_or_1d(y, dtype=_dtype_of(y), warn=True))
    if len(labels) != n_rows:
        raise ValueError(
            f"Found input variables with inconsistent numbers of samples: there are {n_rows} rows, "
            f"and y has {len(labels)} labels. Give each row one label."
        )
    _refuse_missing(labels)
    if labels.dtype.kind not in "biuSU":  # those cannot be continuous, and the check is slow
        check_classification_targets(labels)
    try:
        classes, codes = np.unique(labels, return_inverse=True)
    except TypeError as error:
        raise TypeError(
            "The labels in y are of types that cannot be sorted together. Convert them all to "
            "text or all to numbers."
        ) from error
    return classes, codes.astype(np.int32)


def _dtype_of(y: Any) -> Any:
    # Nullable columns would become floats on the way; as objects their cells keep their type.
    dtype = getattr(y, "dtype", None)
    return None if dtype is None or isinstance(dtype, np.dtype) else object


def _plain(labels: NDArray[Any]) -> NDArray[Any]:
    """Turn objects that are all Booleans or all integers into an array of those."""
    if labels.dtype.kind != "O" or len(labels) == 0:
        return labels
    is_boolean = {isinstance(label, bool | np.bool_) for label in labels}
    if is_boolean == {True}:
        return labels.astype(np.bool_)
    if is_boolean == {False} and all(isinstance(label, int | np.integer) for label in labels):
        return labels.astype(np.int64)
    return labels


def _refuse_missing(labels: NDArray[Any]) -> None:
    if labels.dtype.kind == "f":
        is_bad = ~np.isfinite(labels)
    elif labels.dtype.kind == "O":
        is_bad = np.array([label is None or _differs(label) for label in labels])
    else:
        return
    if is_bad.any():
        row = int(np.flatnonzero(is_bad)[0])
        raise ValueError(
            f"Input y contains NaN, infinity or a missing label, first in row {row}. "
            "Drop the rows without a label."
        )


def _differs(label: Any) -> bool:
    # NaN differs from itself; pandas.NA refuses to say, which tells as much.
    try:
        return bool(label != label)
    except (TypeError, ValueError):
        return True
