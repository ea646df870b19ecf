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
        raise ValueError("A classifier requires y to be passed, but the target y is None.")
    labels = column_or_1d(y, warn=True)
    if len(labels) != n_rows:
        raise ValueError(
            f"Found input variables with inconsistent numbers of samples: X has {n_rows} rows and "
            f"y has {len(labels)} labels. Give each row one label."
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
