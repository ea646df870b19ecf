"""What a summary found: figures, and the page that they are printed as."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any, overload

import numpy as np
from numpy.typing import NDArray

from bsnsing.data.show import show_column, show_level, show_name
from bsnsing.export.by_group import GroupMeasures
from bsnsing.export.frames import make_frame
from bsnsing.export.measures import CalibrationBin, ClassMeasures
from bsnsing.tree.text import show_count, show_probability, show_small_probability


@dataclass(frozen=True, slots=True, eq=False)
class Summary:
    """What :func:`summary` found. Print it, or read its fields."""

    text: str  # of the tree
    is_training: bool  # whether the cases are those of fit
    cases: float
    n_unknown: int  # rows that met an unknown: see ``unknown_at``
    labels: tuple[Any, ...]
    confusion: NDArray[np.float64]  # cases of each class (rows) by label given (columns)
    accuracy: float
    most_frequent: float  # share of the most frequent class: the accuracy of always saying it
    auc: float  # of the second of two classes; with more, the mean of each against the rest
    brier: float
    log_loss: float
    classes: tuple[ClassMeasures, ...]
    calibration: tuple[CalibrationBin, ...]  # of all classes
    event: Any  # whose calibration is printed; None with more than two classes
    by: str | None = None  # name of the column that groups are of
    groups: tuple[GroupMeasures, ...] = ()

    def __str__(self) -> str:
        return "\n\n".join(
            part
            for part in (
                self.text,
                self._about_cases(),
                self._confusion_text(),
                self._classes_text(),
                self._calibration_text(),
                self._groups_text(),
            )
            if part
        )

    def to_dict(self) -> dict[str, Any]:
        """Return all of it as what JSON can carry; what is not defined is None."""
        fields = {
            "text": self.text,
            "is_training": self.is_training,
            "cases": self.cases,
            "n_unknown": self.n_unknown,
            "labels": list(self.labels),
            "confusion": self.confusion.tolist(),
            "accuracy": self.accuracy,
            "most_frequent": self.most_frequent,
            "auc": self.auc,
            "brier": self.brier,
            "log_loss": self.log_loss,
            "classes": [asdict(own) for own in self.classes],
            "calibration": [asdict(own) for own in self.calibration],
            "event": self.event,
            "by": self.by,
            "groups": [asdict(own) for own in self.groups],
        }
        plain: dict[str, Any] = _without_nan(fields)
        return plain

    def to_json(self) -> str:
        """Return the same as text."""
        return json.dumps(self.to_dict(), allow_nan=False)

    def confusion_frame(self, library: str | None = None) -> Any:
        """Return the confusion matrix, a row per class and label given, as a data frame."""
        rows = [
            {"actual": actual, "predicted": predicted, "cases": float(self.confusion[i, j])}
            for i, actual in enumerate(self.labels)
            for j, predicted in enumerate(self.labels)
        ]
        return make_frame(rows, library, "confusion_frame")

    def classes_frame(self, library: str | None = None) -> Any:
        """Return what is known of each class as a data frame."""
        return make_frame([asdict(own) for own in self.classes], library, "classes_frame")

    def calibration_frame(self, library: str | None = None) -> Any:
        """Return the calibration of each class, a row per bin, as a data frame."""
        return make_frame([asdict(own) for own in self.calibration], library, "calibration_frame")

    def groups_frame(self, library: str | None = None) -> Any:
        """Return rates and errors by group, a row for each group and class, as a data frame."""
        return make_frame([asdict(own) for own in self.groups], library, "groups_frame")

    def _about_cases(self) -> str:
        sort = "training" if self.is_training else "given"
        unit = "case" if self.cases == 1 else "cases"
        of_all = "" if len(self.labels) <= 2 else " (mean over classes, each against the rest)"
        lines = [
            f"On {show_count(self.cases)} {sort} {unit}:",
            f"  accuracy     {_percent(self.accuracy)}   "
            f"(always the most frequent class: {_percent(self.most_frequent)})",
            f"  AUC          {_number(self.auc)}{of_all}",
            f"  Brier score  {_number(self.brier)}",
            f"  log loss     {_number(self.log_loss)}",
        ]
        if self.n_unknown:
            lines.append(f"  rows that met an unknown: {self.n_unknown}")
        return "\n".join(lines)

    def _confusion_text(self) -> str:
        names = [show_label(label) for label in self.labels]
        rows = [
            [name, *map(show_count, row), _percent(own.recall)]
            for name, row, own in zip(names, self.confusion.tolist(), self.classes, strict=True)
        ]
        last = ["precision", *(_percent(own.precision) for own in self.classes), ""]
        table = _aligned([["actual", *names, "recall"], *rows, last])
        return "Confusion matrix (columns: the label given)\n" + table

    def _classes_text(self) -> str:
        head = ["class", "cases", "precision", "recall", "F1", "AUC"]
        head += ["mean probability", "observed", "calibration error"]
        rows = [
            [
                show_label(own.label),
                show_count(own.cases),
                _percent(own.precision),
                _percent(own.recall),
                _number(own.f1),
                _number(own.auc),
                _percent(own.mean_probability),
                _percent(own.observed),
                _percent(own.calibration_error),
            ]
            for own in self.classes
        ]
        return "Class by class\n" + _aligned([head, *rows])

    def _calibration_text(self) -> str:
        bins = [own for own in self.calibration if own.label == self.event]
        if self.event is None or not bins:
            return ""
        rows = [
            [
                f"{show_small_probability(own.low)} to {show_small_probability(own.high)}"
                if own.low < own.high
                else show_small_probability(own.low),
                show_count(own.cases),
                _percent(own.probability),
                _percent(own.observed),
            ]
            for own in bins
        ]
        head = ["probability", "cases", "mean", "observed"]
        return f"Calibration of {show_label(self.event)}\n" + _aligned([head, *rows])

    def _groups_text(self) -> str:
        if self.by is None:
            return ""
        shown = [own for own in self.groups if self.event is None or own.label == self.event]
        head = ["group", "class", "cases", "accuracy", "observed", "predicted", "mean probability"]
        head += ["missed", "false alarms", "precision", "AUC"]
        rows = [
            [
                own.group,
                show_label(own.label),
                show_count(own.cases),
                _percent(own.accuracy),
                _percent(own.observed),
                _percent(own.predicted),
                _percent(own.mean_probability),
                _percent(own.missed),
                _percent(own.false_alarms),
                _percent(own.precision),
                _number(own.auc),
            ]
            for own in shown
        ]
        return f"By {show_column(self.by)}\n" + _aligned([head, *rows])


class TreeSummaries(Sequence[Summary]):
    """One summary for each tree of a model: what each tree does by itself on training cases."""

    def __init__(self, titles: Sequence[str], summaries: Sequence[Summary]) -> None:
        self.titles = tuple(titles)
        self._all = tuple(summaries)

    def __len__(self) -> int:
        return len(self._all)

    @overload
    def __getitem__(self, i: int) -> Summary: ...
    @overload
    def __getitem__(self, i: slice) -> TreeSummaries: ...
    def __getitem__(self, i: int | slice) -> Summary | TreeSummaries:
        if isinstance(i, slice):
            return TreeSummaries(self.titles[i], self._all[i])
        return self._all[i]

    def __str__(self) -> str:
        parts = [f"[{title}]\n{own}" for title, own in zip(self.titles, self._all, strict=True)]
        parts.append(
            "Each tree is judged by itself: its leaves have counted the training cases. How they "
            "do together is told by cases: summary(model, X, y)."
        )
        return "\n\n".join(parts)

    def __repr__(self) -> str:
        return f"<TreeSummaries of {len(self)} trees>"

    def to_dict(self) -> list[dict[str, Any]]:
        """Return what JSON can carry, a dict for each tree."""
        pairs = zip(self.titles, self._all, strict=True)
        return [{"title": title} | own.to_dict() for title, own in pairs]

    def to_json(self) -> str:
        """Return the same as text."""
        return json.dumps(self.to_dict(), allow_nan=False)


def show_label(label: Any) -> str:
    """Write a class label so that it stays on its line."""
    return show_name(label) if isinstance(label, str) else show_level(label)


def _without_nan(value: Any) -> Any:
    """None in place of what JSON has no number for."""
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, dict):
        return {key: _without_nan(own) for key, own in value.items()}
    return [_without_nan(own) for own in value] if isinstance(value, list) else value


def _percent(share: float) -> str:
    return (
        "-" if math.isnan(share) else f"{share:.1%}" if 0 < share < 1 else show_probability(share)
    )


def _number(number: float) -> str:
    return "-" if math.isnan(number) else f"{number:.3f}"


def _aligned(rows: list[list[str]]) -> str:
    """Columns of equal width: the first to the left, numbers to the right."""
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    lines = []
    for row in rows:
        cells = [row[0].ljust(widths[0])]
        cells += [cell.rjust(width) for cell, width in zip(row[1:], widths[1:], strict=True)]
        lines.append("  " + "   ".join(cells).rstrip())
    return "\n".join(lines)
