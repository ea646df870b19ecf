"""What ``bsnsing evaluate`` does."""

from __future__ import annotations

import csv
import io
import json
import time
from collections.abc import Callable
from typing import Any

import click
import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import RepeatedStratifiedKFold

from bsnsing.cli.contestants import CONTESTANTS, Task
from bsnsing.cli.errors import Refusal
from bsnsing.cli.figures import SCORES, Interval, interval, scores, spread_over
from bsnsing.cli.files import check_output, write_file
from bsnsing.cli.parameters import make_estimator
from bsnsing.cli.progress import progress
from bsnsing.cli.table_options import ReadOptions, TypeOptions
from bsnsing.cli.tables import describe, read_columns, read_table
from bsnsing.cli.training import read_training


def run(
    *,
    table: tuple[str, ...],
    target: str,
    learners: tuple[str, ...],
    folds: int,
    repeats: int,
    level: float,
    seed: int,
    form: str,
    output: str,
    force: bool,
    skip_unlabelled: bool,
    read: ReadOptions,
    types: TypeOptions,
    quiet: bool,
    **parameters: str | None,
) -> None:
    """Compare learners on a table, by cross-validation."""
    check_output(output, force=force)
    given = {name: text for name, text in parameters.items() if text is not None}
    for name in learners:  # what is wrong with parameters is said at once
        own = CONTESTANTS[name].own
        if own is not None:
            make_estimator(*own, given)
    raw = read_table(table, read)
    columns = read_columns(raw, types)
    if not quiet:
        shown = describe(columns, {target: "to learn"})
        click.echo(f"{raw.n_rows:,} rows\n{shown}\n", err=True)
    task = Task.of(read_training(columns, target, skip_unlabelled=skip_unlabelled))
    _, counts = np.unique(task.labels.astype(str), return_counts=True)
    if counts.min() < folds:
        raise Refusal(
            f"One label has {counts.min()} rows only, too few for {folds} folds.",
            f"say --folds {counts.min()}." if counts.min() > 1 else "leave its rows out.",
        )
    splits = RepeatedStratifiedKFold(n_splits=folds, n_repeats=repeats, random_state=seed)
    with progress("evaluating", quiet=quiet) as tell:
        found = _compare(task, learners, splits, given, tell)
    figures = _figures(found, 1 / (folds - 1), level)
    header = {
        "rows": len(task.labels),
        "folds": folds,
        "repeats": repeats,
        "level": level,
        "first": learners[0],
    }
    forms = {"text": _as_text, "json": _as_json, "csv": _as_csv}
    write_file(output, forms[form](figures, header))


Found = dict[str, dict[str, NDArray[np.float64]]]  # learner, figure: one value per fold
Figures = dict[str, dict[str, dict[str, Any]]]


def _compare(
    task: Task,
    learners: tuple[str, ...],
    splits: RepeatedStratifiedKFold,
    parameters: dict[str, str],
    tell: Callable[[str], None],
) -> Found:
    classes = np.unique(task.labels)
    rows: dict[str, list[dict[str, float]]] = {name: [] for name in learners}
    n_folds = splits.get_n_splits()
    for fold, (train, test) in enumerate(splits.split(task.numbers, task.labels), start=1):
        for name in learners:
            tell(f"fold {fold} of {n_folds}, {name}")
            start = time.perf_counter()
            model = CONTESTANTS[name].fit(task, train, parameters)
            seconds = time.perf_counter() - start
            shares = spread_over(model.probabilities(task, test), model.classes_, classes)
            n_leaves = model.n_leaves()
            rows[name].append(
                scores(task.labels[test], shares, classes)
                | {"leaves": np.nan if n_leaves is None else n_leaves, "seconds": seconds}
            )
    return {
        name: {key: np.array([row[key] for row in own]) for key in own[0]}
        for name, own in rows.items()
    }


def _figures(found: Found, test_share: float, level: float) -> Figures:
    """Means with intervals, and differences to the first learner."""
    first = next(iter(found.values()))
    figures: Figures = {}
    for name, own in found.items():
        figures[name] = {}
        for key in SCORES:
            figure: dict[str, Any] = {"mean": _possible(interval(own[key], test_share, level), key)}
            if own is not first:
                figure["difference"] = interval(own[key] - first[key], test_share, level)
            figures[name][key] = figure
        figures[name]["leaves"] = {"mean": float(own["leaves"].mean())}
        figures[name]["seconds"] = {"mean": float(own["seconds"].mean())}
    return figures


def _possible(own: Interval, score: str) -> Interval:
    """Cut an interval off where the score ends."""
    most = 1.0 if SCORES[score] else np.inf
    return Interval(own.mean, float(np.clip(own.low, 0, most)), float(np.clip(own.high, 0, most)))


# --- As people read it, and as programs do ---


def _as_text(figures: Figures, header: dict[str, Any]) -> str:
    percent = f"{100 * header['level']:g}%"
    lines = [
        f"{header['folds']} folds of {header['rows']:,} rows"
        f"{'' if header['repeats'] == 1 else ', dealt {} times'.format(header['repeats'])}: "
        f"means and their {percent} intervals",
        "",
    ]
    rows = [["", *SCORES, "leaves", "seconds"]]
    for name, own in figures.items():
        cells = [_shown(own[key]["mean"]) for key in SCORES]
        leaves = own["leaves"]["mean"]
        seconds = f"{own['seconds']['mean']:.3g}"
        rows.append([name, *cells, "-" if np.isnan(leaves) else f"{leaves:.1f}", seconds])
    lines += _aligned(rows)
    if len(figures) > 1:
        lines += ["", f"Differences to {header['first']}, fold by fold"]
        rows = [
            [name, *(_compared(own[key]["difference"], more) for key, more in SCORES.items())]
            for name, own in list(figures.items())[1:]
        ]
        lines += _aligned([["", *SCORES], *rows])
    return "\n".join(lines) + "\n"


def _shown(own: Interval, sign: str = "") -> str:
    if np.isnan(own.mean):
        return "-"
    if np.isnan(own.low):
        return f"{own.mean:{sign}.3f}"
    return f"{own.mean:{sign}.3f} [{own.low:{sign}.3f}, {own.high:{sign}.3f}]"


def _compared(own: Interval, more_is_better: bool) -> str:
    is_sure = own.low > 0 or own.high < 0
    word = "better" if (own.mean > 0) == more_is_better else "worse"
    return f"{_shown(own, '+')} {word if is_sure else ''}"


def _aligned(rows: list[list[str]]) -> list[str]:
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    return [
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in rows
    ]


def _as_json(figures: Figures, header: dict[str, Any]) -> str:
    def plain(value: Any) -> Any:
        if isinstance(value, Interval):
            return {name: plain(own) for name, own in value._asdict().items()}
        if isinstance(value, dict):
            return {key: plain(own) for key, own in value.items()}
        return None if isinstance(value, float) and np.isnan(value) else value

    return json.dumps(header | {"learners": plain(figures)}, indent=2) + "\n"


def _as_csv(figures: Figures, header: dict[str, Any]) -> str:
    text = io.StringIO()
    rows = csv.writer(text, lineterminator="\n")
    rows.writerow(["learner", "figure", "mean", "low", "high"])
    for name, own in figures.items():
        for key, figure in own.items():
            for kind, value in figure.items():
                is_interval = isinstance(value, Interval)
                title = key if kind == "mean" else f"{key} - {header['first']}"
                rows.writerow([name, title, *(value if is_interval else (value, "", ""))])
    return text.getvalue()
