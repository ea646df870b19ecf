"""Class labels: from any y to the sorted classes and each row's position among them."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils import column_or_1d
from sklearn.utils.multiclass import check_classification_targets

from bsnsing.data.device_arrays import as_numpy


def read_labels(y: ArrayLike | None, n_rows: int) -> tuple[NDArray[Any], NDArray[np.int32]]:
    """Return the sorted labels and each row's position among them."""
    if y is None:
        raise ValueError("Learning requires y to be passed, but the target y is None.")
    y = as_numpy(y)
    labels: NDArray[Any]
    if isinstance(y, np.ndarray) and y.ndim == 1:  # as it is: the check is slow
        labels = np.asarray(y)
    else:
        if isinstance(y, list | tuple) and {isinstance(label, str) for label in y} == {True, False}:
            # NumPy would make text of the numbers.
            y = np.fromiter(y, dtype=object, count=len(y))
        labels = column_or_1d(y, dtype=_dtype_of(y), warn=True)
    if len(labels) != n_rows:
        raise ValueError(
            f"Found input variables with inconsistent numbers of samples: there are {n_rows} rows, "
            f"and y has {len(labels)} labels. Give each row one label."
        )
    if labels.dtype.kind in "biu" and n_rows > 0:
        return _number_integers(labels)
    if labels.dtype.kind in "OU" and n_rows > 0:
        return _number_objects(labels)
    _refuse_missing(labels)
    check_classification_targets(labels)
    classes, positions = np.unique(labels, return_inverse=True)
    return classes, positions.astype(np.int32)


def _number_integers(labels: NDArray[Any]) -> tuple[NDArray[Any], NDArray[np.int32]]:
    """Number integers and Booleans through a table of those that occur, unless it were large."""
    low, high = int(labels.min()), int(labels.max())
    if high - low > max(1024, len(labels)) or high > np.iinfo(np.int64).max:
        classes, positions = np.unique(labels, return_inverse=True)
        return classes, positions.astype(np.int32)
    places = labels.astype(np.int64) - low
    occurs = np.zeros(high - low + 1, dtype=bool)
    occurs[places] = True
    classes = (np.flatnonzero(occurs) + low).astype(labels.dtype)
    if len(classes) == len(occurs):  # without gaps between them, places are positions
        return classes, places.astype(np.int32)
    return classes, (np.cumsum(occurs, dtype=np.int32) - 1)[places]


def _number_objects(labels: NDArray[Any]) -> tuple[NDArray[Any], NDArray[np.int32]]:
    """Number text and other objects by the few that differ: sorting all of them is slow."""
    cells = labels.tolist()
    try:
        distinct = list(dict.fromkeys(cells))
    except TypeError as error:
        row = next(row for row, cell in enumerate(cells) if not _is_hashable(cell))
        raise TypeError(
            f"The labels in y hold a {type(cells[row]).__name__} that cannot be compared, first in "
            f"row {row}. Give each row one text or number."
        ) from error
    found = np.empty(len(distinct), dtype=object if labels.dtype.kind == "O" else labels.dtype)
    found[:] = distinct
    _refuse_missing(found, labels)
    found = _narrowed(found)
    try:
        order = np.argsort(found, kind="stable")
    except TypeError as error:
        kinds = sorted({type(label).__name__ for label in distinct})
        raise TypeError(
            f"The labels in y are of types that cannot be sorted together: {', '.join(kinds)}. "
            "Convert them all to text or all to numbers."
        ) from error
    if found.dtype.kind not in "biuU":  # those cannot be continuous, and the check is slow
        check_classification_targets(labels if 2 * len(found) > len(labels) else found.repeat(3))
    place = {distinct[position]: code for code, position in enumerate(order.tolist())}
    positions = np.fromiter(map(place.__getitem__, cells), dtype=np.int32, count=len(cells))
    return found[order], positions


def _is_hashable(cell: Any) -> bool:
    try:
        hash(cell)
    except TypeError:
        return False
    return True


def _dtype_of(y: Any) -> Any:
    # Nullable columns would become floats on the way; as objects their cells keep their type.
    dtype = getattr(y, "dtype", None)
    return None if dtype is None or isinstance(dtype, np.dtype) else object


def _narrowed(labels: NDArray[Any]) -> NDArray[Any]:
    """Turn objects that are all Booleans or all integers into an array of those."""
    if labels.dtype.kind != "O" or len(labels) == 0:
        return labels
    is_boolean = {isinstance(label, bool | np.bool_) for label in labels}
    if is_boolean == {True}:
        return labels.astype(np.bool_)
    if is_boolean == {False} and all(isinstance(label, int | np.integer) for label in labels):
        if any(not -(2**63) <= int(label) < 2**63 for label in labels):
            raise ValueError(
                "The labels in y hold an integer of more than 64 bits. Convert them to text."
            )
        return labels.astype(np.int64)
    return labels


def _refuse_missing(labels: NDArray[Any], all_labels: NDArray[Any] | None = None) -> None:
    """Raise for a label that is none, and say in which row of ``all_labels`` it stands first."""
    if labels.dtype.kind == "f":
        is_bad = ~np.isfinite(labels)
    elif labels.dtype.kind == "O":
        is_bad = np.array([label is None or _differs(label) for label in labels], dtype=bool)
    else:
        return
    if is_bad.any():
        if all_labels is not None:
            return _refuse_missing(all_labels)
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
