"""How the time of a fit grows, with rows, columns, questions, classes, rule size and threads.

Run: python -m benchmarks.speed.growth. Tables are made up (benchmarks.datasets.made), settings the
default ones but for the one that is swept, the smallest leaf the square root of the rows. Exponents
are fitted to the upper half of each sweep.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.datasets import made
from benchmarks.lib import learners, report, step
from benchmarks.lib.exponents import factor_per_step, fit_power
from benchmarks.lib.targets import Target

TITLE = "Growth of cost"

THREADS = (1, 2)
MOST_ROUNDS = 5
SECONDS_PER_POINT = 8.0  # rounds go on until then, for the median
LONG_SPLIT = 20.0  # seconds after which a search is cut short


@dataclass(frozen=True)
class Sweep:
    """One quantity grows, the others stay."""

    axis: str
    why: str  # what the exponent should be, and for which reason
    sizes: tuple[int, ...]
    quick_sizes: tuple[int, ...]
    problem: Callable[[int], tuple[np.ndarray, np.ndarray, dict[str, Any]]]


def _grow_classes(n_classes: int) -> tuple[np.ndarray, np.ndarray, dict[str, Any]]:
    return *made.pair_table(20_000, 10, n_classes=n_classes), {}


def _grow_columns(n_columns: int) -> tuple[np.ndarray, np.ndarray, dict[str, Any]]:
    return *made.pair_table(20_000, n_columns), {}


def _grow_questions(n_segments: int) -> tuple[np.ndarray, np.ndarray, dict[str, Any]]:
    return *made.pair_table(20_000, 10), {"n_segments": n_segments}


def _grow_rows(n_rows: int) -> tuple[np.ndarray, np.ndarray, dict[str, Any]]:
    return *made.pair_table(n_rows, 20), {}


def _grow_rules(max_rules: int) -> tuple[np.ndarray, np.ndarray, dict[str, Any]]:
    settings = {"max_rules": max_rules, "n_segments": 8, "time_limit": LONG_SPLIT}
    return *made.pair_table(2_000, 8), settings


SWEEPS = {
    "rows": Sweep(
        "rows (20 columns)",
        "1, and a little more for the levels",
        (1000, 3000, 10_000, 30_000, 100_000, 300_000, 1_000_000, 3_000_000, 10_000_000),
        (1000, 3000, 10_000, 30_000, 100_000),
        _grow_rows,
    ),
    "columns": Sweep(
        "columns (20,000 rows)",
        "1 for reading cells, 2 for pairs",
        (5, 10, 20, 40, 80, 160),
        (5, 10, 20, 40),
        _grow_columns,
    ),
    "questions": Sweep(
        "n_segments (20,000 rows x 10)",
        "1 for reading cells, 2 for pairs",
        (2, 4, 8, 16, 32, 64, 128),
        (2, 4, 8, 16, 32),
        _grow_questions,
    ),
    "classes": Sweep(
        "classes (20,000 rows x 10)",
        "0 for counting, 1 for judging a pair, which walks the classes",
        (2, 4, 8, 16, 32),
        (2, 4, 8),
        _grow_classes,
    ),
    "max_rules": Sweep(
        "max_rules (2,000 rows x 8, n_segments 8)",
        "a factor per question, not a power",
        (1, 2, 3, 4, 5),
        (1, 2, 3),
        _grow_rules,
    ),
}


def measure_point(sweep: Sweep, size: int) -> dict[str, Any]:
    """Median seconds of fits that take turns, one round at least."""
    X, y, settings = sweep.problem(size)
    leaf = learners.leaf_size(len(y))
    seconds: dict[int, list[float]] = {n: [] for n in THREADS}
    cut_short = 0
    begin = time.perf_counter()
    for _ in _rounds(begin):
        for n_threads in THREADS:
            model = learners.exact_tree(leaf, n_threads=n_threads, **settings)
            start = time.perf_counter()
            model.fit(X, y)
            seconds[n_threads].append(time.perf_counter() - start)
            cut_short = max(cut_short, int(np.sum(~model.tree_.optimal)))
    return {
        "size": size,
        "rounds": len(seconds[1]),
        "leaves": model.get_n_leaves(),
        "cut_short": cut_short,
        "seconds": {str(n): statistics.median(times) for n, times in seconds.items()},
    }


def _rounds(begin: float) -> Iterator[int]:
    for done in range(MOST_ROUNDS):
        if done and time.perf_counter() - begin > SECONDS_PER_POINT:
            return
        yield done


def measure(run: step.Run) -> dict[str, Any]:
    X, y = made.pair_table(1000, 5)
    learners.exact_tree(30, n_threads=2).fit(X, y)  # a first fit pays for imports
    found = {}
    for name, sweep in SWEEPS.items():
        found[name] = []
        for size in run.pick(sweep.sizes, sweep.quick_sizes):
            run.say(f"growth: {name} {size:,}")
            found[name].append(measure_point(sweep, size))
    return found


def targets(data: dict[str, Any]) -> list[Target]:
    return []  # the issue is the shape, not a limit


def seconds_of(points: list[dict[str, Any]], n_threads: int) -> tuple[list[int], list[float]]:
    """Sizes and seconds of the points whose searches all ended by themselves."""
    whole = [point for point in points if not point["cut_short"]]
    return [p["size"] for p in whole], [p["seconds"][str(n_threads)] for p in whole]


def describe(name: str, points: list[dict[str, Any]], n_threads: int) -> str:
    sizes, seconds = seconds_of(points, n_threads)
    if name == "max_rules":
        return f"factor {factor_per_step(sizes, seconds):.1f}"
    law = fit_power(sizes, seconds)
    return f"{law.exponent:.2f} (from {law.first_size:,.0f} on)"


NOTE = """\
Exponents: least squares of log seconds against log size, over the upper half of the sizes, where
fixed costs no longer show. For max_rules: by what one more question multiplies the time, over the
whole sweep. Points whose search was cut short take no part. Medians of as many rounds as the table
says, the thread counts taking turns."""


def tables(data: dict[str, Any]) -> str:
    rows = [
        [SWEEPS[name].axis, *(describe(name, points, n) for n in THREADS), SWEEPS[name].why]
        for name, points in data.items()
    ]
    summary = report.markdown(
        ["time of a fit against", "exponent, 1 thread", "exponent, 2 threads", "expected"], rows
    )
    head = ["sweep", "size", "1 thread ms", "2 threads ms", "1 / 2", "leaves", "rounds"]
    lines = [
        [
            name,
            f"{point['size']:,}" + (" (cut short)" if point["cut_short"] else ""),
            report.milliseconds(point["seconds"]["1"]),
            report.milliseconds(point["seconds"]["2"]),
            f"{point['seconds']['1'] / point['seconds']['2']:.2f}",
            point["leaves"],
            point["rounds"],
        ]
        for name, points in data.items()
        for point in points
    ]
    return "\n\n".join([summary, NOTE, report.markdown(head, lines)])


def draw(data: dict[str, Any], folder: Path) -> list[Path]:
    from benchmarks.lib import figures

    panels = []
    for name, points in data.items():
        curves = []
        for n in THREADS:
            sizes, seconds = seconds_of(points, n)
            law = None if name == "max_rules" else fit_power(sizes, seconds)
            label = f"{n} thread" + ("s" if n > 1 else "")
            if name == "max_rules":
                label += f": x {factor_per_step(sizes, seconds):.1f} per question"
            curves.append(figures.Curve(label, sizes, seconds, law))
        axis = SWEEPS[name].axis
        panels.append(figures.Panel(name, axis, curves, log_sizes=name != "max_rules"))
    points = data["rows"]
    speed_up = [point["seconds"]["1"] / point["seconds"]["2"] for point in points]
    panels.append(
        figures.Panel(
            "2 threads against 1",
            SWEEPS["rows"].axis,
            [figures.Curve("", [point["size"] for point in points], speed_up)],
            quantity="times as fast",
            log_quantity=False,
        )
    )
    path = folder / "growth.png"
    figures.draw_panels(path, panels)
    return [path]


if __name__ == "__main__":
    step.main("growth")
