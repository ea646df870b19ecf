"""A table taken apart for learning: columns to ask about, labels, weights."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from bsnsing.cli.errors import Refusal
from bsnsing.cli.moments import MOMENT_KINDS, read_as
from bsnsing.cli.tables import ReadColumn, check_names
from bsnsing.data.show import show_level


@dataclass(frozen=True, slots=True)
class Training:
    """What a learner learns from."""

    table: Any  # of arrow, without the columns that are not asked about
    labels: NDArray[Any]
    weights: NDArray[np.float64] | None
    categories: list[str]  # columns whose numbers are levels
    target: str


def read_training(
    columns: Sequence[ReadColumn],
    target: str,
    *,
    weight: str | None = None,
    skip_unlabelled: bool = False,
) -> Training:
    """Take a table apart, and refuse what cannot be learnt from."""
    by_name = {column.name: column for column in columns}
    check_names([target], by_name, "--target")
    check_names([weight] if weight else [], by_name, "--weight")
    labels = labels_of(by_name.pop(target))
    weights = None if weight is None else read_weights(by_name.pop(weight))
    asked = [column for column in by_name.values() if column.kind != "empty"]
    _refuse_local_dates(asked)
    if not asked:
        raise Refusal("There is no column to learn from.", "give a table with more columns.")
    training = Training(
        table=pa.table({column.name: column.array for column in asked}),
        labels=np.asarray(labels, dtype=object) if labels.null_count else plain_labels(labels),
        weights=weights,
        categories=[c.name for c in asked if c.kind == "category" and not _is_text(c.array)],
        target=target,
    )
    return _labelled(training, labels, skip_unlabelled=skip_unlabelled)


def _is_text(array: Any) -> bool:
    return bool(pa.types.is_string(array.type))


def plain_labels(labels: Any) -> NDArray[Any]:
    """Labels as an array: text as objects."""
    if pa.types.is_string(labels.type):
        return np.array(labels.to_pylist(), dtype=object)
    plain: NDArray[Any] = labels.to_numpy(zero_copy_only=False)
    return plain


def labels_of(column: ReadColumn) -> Any:
    """Labels as they are meant: whole numbers, true and false, or text."""
    array = column.array
    if column.kind in ("local date", *MOMENT_KINDS):
        raise Refusal(
            f"The column {column.name!r} to learn holds {column.kind}s.",
            f"choose one with few labels, or say --type {show_level(column.name)}=text.",
        )
    if column.kind == "ordered":
        return column.array.cast(pa.string())
    if column.kind in ("number", "category") and pa.types.is_floating(array.type):
        numbers = array.drop_null().to_numpy(zero_copy_only=False)
        numbers = numbers[~np.isnan(numbers)]
        if (numbers != np.floor(numbers)).any():
            raise Refusal(
                f"The column {column.name!r} to learn holds numbers such as "
                f"{show_level(float(numbers[numbers != np.floor(numbers)][0]))}, not labels.",
                f"make few labels of them, or say --type {show_level(column.name)}=text.",
            )
        return pc.cast(_null_for_nan(array), pa.int64())
    return array


def _null_for_nan(array: Any) -> Any:
    return pc.if_else(pc.is_nan(array), None, array)


def _labelled(training: Training, labels: Any, *, skip_unlabelled: bool) -> Training:
    """Leave rows without a label out, if that is wanted; refuse a table of one label."""
    if labels.null_count:
        if not skip_unlabelled:
            raise Refusal(
                f"{labels.null_count:,} rows have no label in the column {training.target!r}.",
                "say --skip-unlabelled to leave them out.",
            )
        keep = labels.is_valid()
        mask = keep.to_numpy(zero_copy_only=False)
        training = replace(
            training,
            table=training.table.filter(keep),
            labels=plain_labels(labels.filter(keep)),
            weights=None if training.weights is None else training.weights[mask],
        )
    check_labels(training.labels, training.target, len(training.labels))
    return training


def check_labels(labels: NDArray[Any], target: str, n_rows: int) -> None:
    """Refuse labels of which nothing, or not much, can be learnt."""
    found = set(labels.tolist())
    if len(found) < 2:
        held = f"{show_level(found.pop())} in every row" if found else "no label in any row"
        raise Refusal(
            f"The column {target!r} has {held}: there is nothing to learn.",
            "choose another --target, or give rows of other labels.",
        )
    if len(found) > max(20, n_rows // 2):
        raise Refusal(
            f"The column {target!r} to learn has {len(found):,} labels in {n_rows:,} rows.",
            "choose one with few labels.",
        )


def read_weights(column: ReadColumn) -> NDArray[np.float64]:
    """Weights of rows, each of which has one."""
    if column.kind != "number" or column.n_missing:
        raise Refusal(
            f"The column {column.name!r} of weights is to hold a number in each row.",
            "choose another --weight, or fill its cells.",
        )
    weights: NDArray[np.float64] = column.array.to_numpy(zero_copy_only=False).astype(np.float64)
    return weights


def _refuse_local_dates(columns: Sequence[ReadColumn]) -> None:
    dates = [column for column in columns if column.kind == "local date"]
    if not dates:
        return
    cells = dates[0].array.drop_null().to_pylist()
    other = next((cell for cell in cells if read_as(cell, "date") is None), None)
    wrong = (
        "dates with an offset from UTC and others without."
        if other is None
        else f"dates such as {other!r}, which are read in the form 2021-03-01 only."
    )
    name = show_level(dates[0].name)
    raise Refusal(
        f"Column {dates[0].name!r} holds {wrong}",
        f"write them alike, or say --type {name}=text, or --drop {name}.",
    )
