"""make_folds(): which rows a candidate learns from, and which judge it."""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.model_selection import StratifiedGroupKFold, StratifiedKFold

Rows: TypeAlias = NDArray[np.intp]
Fold: TypeAlias = tuple[Rows, Rows]  # rows to learn from, rows to be judged by


def make_folds(
    cv: Any,
    X: Any,
    y: NDArray[Any],
    labels: NDArray[np.int32],
    *,
    has_weight: NDArray[np.bool_],
    groups: ArrayLike | None,
    random_state: Any,
) -> list[Fold]:
    """Return the folds that ``cv`` stands for, without rows of weight zero.

    A number of folds is drawn with equal shares of classes and, given groups, with no group in
    two folds. A splitter is asked with ``X`` and ``y``; pairs of rows are taken as they are.
    ``labels`` are the positions of ``y`` among the classes.
    """
    own_groups = None if groups is None else _read_groups(groups, len(labels))
    if isinstance(cv, int | np.integer):
        kept = np.flatnonzero(has_weight)
        of_kept = None if own_groups is None else own_groups[kept]
        drawn = _draw(int(cv), labels[kept], of_kept, random_state)
        return [(kept[train], kept[test]) for train, test in drawn]
    given = cv.split(X, y, own_groups) if hasattr(cv, "split") else cv
    folds = [_read_fold(fold, len(labels), has_weight) for fold in given]
    if not folds:
        raise ValueError("cv gives no folds. Give at least one pair of train and test rows.")
    return folds


def _draw(
    n_wanted: int, labels: NDArray[np.int32], groups: NDArray[Any] | None, random_state: Any
) -> Iterable[Fold]:
    n_most = int(np.bincount(labels).max())
    if n_most < 2:
        raise ValueError(
            f"Cross-validation needs two rows of the same class, but with n_samples={len(labels)} "
            "each class has one. Give more rows, or use BsnsingClassifier."
        )
    n_folds = min(n_wanted, n_most)
    if groups is None:
        folds = StratifiedKFold(n_folds, shuffle=True, random_state=random_state)
    else:
        n_groups = len(np.unique(groups))
        if n_groups < 2:
            raise ValueError("groups must name at least two groups. Got one for all rows.")
        n_folds = min(n_folds, n_groups)
        folds = StratifiedGroupKFold(n_folds, shuffle=True, random_state=random_state)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # classes with fewer cases than folds
        return list(folds.split(np.zeros(len(labels)), labels, groups))


def _read_groups(groups: ArrayLike, n_rows: int) -> NDArray[Any]:
    read = np.asarray(groups)
    if read.shape != (n_rows,):
        raise ValueError(
            f"groups must have one group for each of the {n_rows} rows. Got shape {read.shape}."
        )
    return read


def _read_fold(fold: Any, n_rows: int, has_weight: NDArray[np.bool_]) -> Fold:
    try:
        train, test = fold
    except (TypeError, ValueError) as error:
        raise ValueError(
            f"cv must give pairs of train and test rows. Got {fold!r:.60} instead."
        ) from error
    return _read_rows(train, n_rows, has_weight), _read_rows(test, n_rows, has_weight)


def _read_rows(rows: Any, n_rows: int, has_weight: NDArray[np.bool_]) -> Rows:
    """Positions of rows, given as such or as a mask; those without weight are left out."""
    given = np.asarray(rows)
    if given.dtype == bool and given.shape == (n_rows,):
        given = np.flatnonzero(given)
    is_positions = given.ndim == 1 and given.dtype.kind in "iu" and given.size > 0
    if not is_positions or given.min() < 0 or given.max() >= n_rows:
        raise ValueError(
            f"cv must give positions from 0 to {n_rows - 1} for the train and test rows of each "
            f"fold, at least one of each. Got {rows!r:.60} instead."
        )
    kept: Rows = given[has_weight[given]].astype(np.intp)
    if len(kept) == 0:
        raise ValueError(
            "All train rows or all test rows of a fold have sample_weight 0. Give other folds."
        )
    return kept
