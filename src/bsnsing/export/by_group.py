"""Rates and errors by group of a column: whom a model serves well, and whom it does not."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, NamedTuple

import narwhals.stable.v1 as nw
import numpy as np
from numpy.typing import NDArray

from bsnsing.data.columns import Column, read_column
from bsnsing.data.frames import is_frame, names_of, with_rows_at_hand, without_column
from bsnsing.data.show import show_level
from bsnsing.export.measures import Scored, measures_of

_MOST_VALUES = 10  # of a numeric column, to be groups of their own
_PARTS = 4  # of one with more


class Groups(NamedTuple):
    """The group of each row; groups without rows are not listed."""

    name: str
    texts: list[str]
    codes: NDArray[np.intp]


@dataclass(frozen=True, slots=True)
class GroupMeasures:
    """How a model does on one class in one group. NaN where there is nothing to divide by."""

    group: str
    label: Any
    cases: float  # of the group
    accuracy: float  # in the group, over all classes
    observed: float  # share of the class
    predicted: float  # share of the cases that get the label
    mean_probability: float
    missed: float  # share of the class's cases that do not get the label
    false_alarms: float  # share of the other cases that get the label
    precision: float
    auc: float


def take_groups(X: Any, by: Any, known: list[str]) -> tuple[Any, Groups]:
    """Read the groups that rows are in, and take their column out of X if no model knows it.

    ``by`` is the name of a column of the dataframe X, or a group for each row. Numbers of more than
    ten values are cut into quarters of about equally many rows.
    """
    if isinstance(by, str):
        X = with_rows_at_hand(X)
        if not is_frame(X) or by not in names_of(X):
            has = f"has {', '.join(map(repr, names_of(X)[:10]))}" if is_frame(X) else "is no frame"
            raise ValueError(
                f"by={by!r} names a column that X does not have: X {has}. Give another name, or "
                "the group of each row."
            )
        column = read_column(by, nw.from_native(X, eager_only=True)[by], as_category=False)
        X = X if by in known else without_column(X, by)
        return X, _groups(by, column)
    cells = nw.from_native(by, series_only=True, pass_through=True)
    raw = cells if isinstance(cells, nw.Series) else np.asarray(by)
    if isinstance(raw, np.ndarray) and raw.ndim != 1:
        raise ValueError(f"by must be one group for each row. Got shape {raw.shape}.")
    return X, _groups("group", read_column("group", raw, as_category=False))


def _groups(name: str, column: Column) -> Groups:
    scale = column.info.scale
    if column.info.kind == "categorical":
        codes, texts = column.codes().astype(np.intp), [show_level(v) for v in column.info.levels]
    elif scale is not None and scale.kind == "order":
        codes = np.nan_to_num(column.numbers()).astype(np.intp) - 1
        texts = [show_level(level) for level in scale.levels]
    else:
        show = _show_flag if column.info.kind == "boolean" else show_level
        codes, texts = _of_numbers(column.numbers(), show if scale is None else scale.show)
    present = np.unique(codes)
    place = {int(code): i for i, code in enumerate(present)}
    shown = [texts[code] if code >= 0 else "missing" for code in present.tolist()]
    return Groups(name, shown, np.array([place[code] for code in codes.tolist()], dtype=np.intp))


def _show_flag(number: float) -> str:
    return show_level(bool(number))


def _of_numbers(
    numbers: NDArray[np.float64], show: Callable[[float], str]
) -> tuple[NDArray[np.intp], list[str]]:
    known = numbers[~np.isnan(numbers)]
    values = np.unique(known)
    if len(values) <= _MOST_VALUES:
        codes = np.searchsorted(values, numbers)
        texts = [show(float(v)) for v in values]
    else:
        shares = np.arange(1, _PARTS) / _PARTS
        ends = np.unique(np.quantile(known, shares, method="lower"))
        codes = np.searchsorted(ends, numbers, side="left")
        bounds = [show(float(end)) for end in ends]
        texts = [f"<= {bounds[0]}"]
        texts += [f"> {a} to {b}" for a, b in pairwise(bounds)]
        texts += [f"> {bounds[-1]}"]
    return np.where(np.isnan(numbers), -1, codes).astype(np.intp), texts


def measure_groups(scored: Scored, labels: list[Any], groups: Groups) -> tuple[GroupMeasures, ...]:
    """Return what the model does in each group, a row for each class."""
    found = []
    for code, text in enumerate(groups.texts):
        here = np.flatnonzero(groups.codes == code)
        own = Scored(scored.probabilities[here], scored.predicted[here], scored.cases[here])
        cases = float(own.cases.sum())
        right = float(own.cases[np.arange(len(here)), own.predicted].sum())
        for measures in measures_of(own, labels):
            others = cases - measures.cases
            wrong = measures.predicted - measures.recall * measures.cases
            found.append(
                GroupMeasures(
                    group=text,
                    label=measures.label,
                    cases=cases,
                    accuracy=right / cases if cases else np.nan,
                    observed=measures.observed,
                    predicted=measures.predicted / cases if cases else np.nan,
                    mean_probability=measures.mean_probability,
                    missed=1 - measures.recall,
                    false_alarms=(wrong if measures.cases else measures.predicted) / others
                    if others > 0
                    else np.nan,
                    precision=measures.precision,
                    auc=measures.auc,
                )
            )
    return tuple(found)
