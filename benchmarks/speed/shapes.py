"""Is time bounded at every shape of a table? Run: python -m benchmarks.speed.shapes.

One quantity grows fourfold at a time: rows, columns, classes, levels, depth. Fits of ``plain()``
and of the default on one thread, CPU seconds and the peak of memory beyond the table; then what is
done with deep trees, dataframes beside arrays, and whether ``time_limit`` holds where fits take
long.
"""

from __future__ import annotations

import argparse
import ctypes
import statistics
import time
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
from threadpoolctl import threadpool_limits

import bsnsing
from benchmarks.datasets import made
from benchmarks.lib import report
from benchmarks.lib.exponents import fit_power
from benchmarks.lib.paths import RESULTS
from benchmarks.speed.memory import peak_memory
from bsnsing import BsnsingClassifier
from bsnsing.tree.prune import best_subtree

Table = tuple[Any, np.ndarray]
MAKERS: dict[str, Callable[..., BsnsingClassifier]] = {
    "plain()": BsnsingClassifier.plain,
    "default": BsnsingClassifier,
}
CHAIN = {"max_bins": None, "min_samples_leaf": 1, "stop_prob": 1.0}
LIMIT = 2.0  # seconds
LEAST_SECONDS = 0.5  # of CPU, that a point is measured for


@dataclass(frozen=True)
class Shape:
    """One quantity grows by factors of four; the others stay."""

    axis: str
    why: str  # what else than 1 an exponent should be, and for which reason
    sizes: tuple[int, ...]
    table: Callable[[int], Table]
    settings: Callable[[int], dict[str, Any]] = lambda size: {}


def noise(n_rows: int, n_columns: int, n_classes: int) -> Table:
    """Uniform numbers, and as many cases of each class, which have nothing to do with them."""
    rng = np.random.default_rng(0)
    X = rng.random((n_rows, n_columns), dtype=np.float32)
    return X, rng.permutation(n_rows) % n_classes


def levels(n_levels: int) -> Table:
    """Two columns of numbers and one of text with ``n_levels`` levels; all of them matter."""
    rng, n_rows = np.random.default_rng(0), 32_768
    level = rng.permutation(n_rows) % n_levels
    numbers = rng.random((n_rows, 2))
    table = pd.DataFrame(numbers, columns=["a", "b"])
    table["text"] = [f"level {i}" for i in level.tolist()]
    return table, ((numbers[:, 0] > 0.5) ^ (rng.random(n_levels) > 0.5)[level]).astype(int)


def ends(n_rows: int) -> Table:
    """A column whose classes alternate: splits cut off its ends, so that the tree is deep."""
    x = np.arange(n_rows, dtype=np.float32)
    return x[:, None], (np.arange(n_rows) % 2)


def fourfold(first: int, n: int) -> tuple[int, ...]:
    return tuple(first * 4**i for i in range(n))


SHAPES = {
    "rows": Shape(
        "rows, 10 columns", "", fourfold(4096, 5), partial(made.pair_table, n_columns=10)
    ),
    "columns": Shape(
        "columns, 200 rows",
        "plain() tries all pairs of questions: 2",
        fourfold(64, 5),
        partial(made.pair_table, 200),
    ),
    "classes": Shape(
        "classes, 16,384 rows x 4 of noise",
        "",
        fourfold(8, 6),
        partial(noise, 16_384, 4),
    ),
    "levels": Shape("levels, 32,768 rows x 3", "", fourfold(16, 6), levels),
    "depth": Shape(
        "max_depth, 16,384 rows x 1 of alternating classes",
        "the default sees no more than noise, and stays a leaf",
        fourfold(4, 5),
        lambda size: ends(16_384),
        lambda depth: CHAIN | {"max_depth": depth},
    ),
}


def cpu_seconds(call: Callable[[], Any]) -> float:
    """The least of a few calls: what a busy machine adds is never negative."""
    times: list[float] = []
    while sum(times) < LEAST_SECONDS and len(times) < 5:
        start = time.process_time()
        call()
        times.append(time.process_time() - start)
    return min(times)


def measure_fits(shape: Shape, most: int | None) -> Iterator[list[object]]:
    """Lines of one shape: size, then seconds, megabytes and leaves of each learner."""
    for size in shape.sizes[:most]:
        X, y = shape.table(size)
        line: list[object] = [size]
        for make in MAKERS.values():
            model = make(n_jobs=1, **shape.settings(size))
            ctypes.CDLL(None).malloc_trim(0)
            with peak_memory() as peak:
                model.fit(X, y)
            line += [cpu_seconds(partial(model.fit, X, y)), peak.beyond / 2**20]
            line.append(f"{model.get_n_leaves()}{'' if model.is_taught_ else ' (untaught)'}")
        yield line


def fits(most: int | None) -> str:
    """The table of exponents, and one table for each shape."""
    summary, parts = [], []
    for name, shape in SHAPES.items():
        lines = list(measure_fits(shape, most))
        sizes = [line[0] for line in lines]
        laws = [fit_power(sizes, [line[i] for line in lines]).exponent for i in (1, 2, 4)]
        last = lines[-1]
        figures = [f"{number:.2f}" for number in (laws[0], laws[2], last[1], last[4])]
        megabytes = [f"{last[i]:,.0f}" for i in (2, 5)]
        summary.append([shape.axis, *figures, *megabytes, shape.why])
        head = [name, *(f"{maker} {what}" for maker in MAKERS for what in ("s", "MiB", "leaves"))]
        shown = [
            [f"{s:,}", f"{a:.3f}", f"{b:.0f}", c, f"{d:.3f}", f"{e:.0f}", f]
            for s, a, b, c, d, e, f in lines
        ]
        parts.append(report.markdown(head, shown))
    head = ["grows", "exponent of plain()", "of the default", "last plain() s", "default s"]
    head += ["plain() MiB", "default MiB", "expected"]
    return "\n\n".join([report.markdown(head, summary), *parts])


# --- What is done with deep trees ---

DEEP = fourfold(64, 4)
DONE: dict[str, Callable[[Any, np.ndarray], Any]] = {
    "predict": lambda model, X: model.predict(X[:64]),
    "decision_path": lambda model, X: model.decision_path(X[:64]),
    "print": lambda model, X: str(model),
    "export_text": lambda model, X: bsnsing.export_text(model),
    "prune": lambda model, X: best_subtree(model.tree_, model.get_n_leaves() // 2),
    "export_json": lambda model, X: bsnsing.export_json(model),
    "from_json": lambda model, X: bsnsing.from_json(bsnsing.export_json(model)),
    "explain": lambda model, X: model.explain(X[-1:]),
    "export_html": lambda model, X: bsnsing.export_html(model),
    "export_sql": lambda model, X: bsnsing.export_sql(model),
}


def deep_trees(most: int | None) -> str:
    """What is done with trees whose every split cuts off one leaf."""
    sizes = DEEP[:most]
    chains = []
    for size in sizes:
        X, y = ends(size)
        chains.append((BsnsingClassifier.plain(max_rules=1, n_jobs=1, **CHAIN).fit(X, y), X))
    rows = []
    for name, call in DONE.items():
        seconds = [cpu_seconds(partial(call, model, X)) for model, X in chains]
        exponent = f"{fit_power(sizes, seconds).exponent:.2f}"
        rows.append([name, *(report.milliseconds(s) for s in seconds), exponent])
    return report.markdown(["ms, leaves in a chain", *(f"{s:,}" for s in sizes), "exponent"], rows)


# --- Dataframes beside arrays ---

WIDTHS = ((690, 14), (20_000, 16), (20_000, 224), (200, 2_000), (200, 20_000), (1_000_000, 4))
FRAMES: dict[str, Callable[[np.ndarray, list[str]], Any]] = {
    "pandas": lambda X, names: pd.DataFrame(X, columns=names),
    "polars": lambda X, names: pl.DataFrame(X, schema=names),
}


def frames(most: int | None) -> str:
    """Times of frames over those of their arrays, in turns; one question a rule, to fit quickly."""
    rows = []
    for n_rows, n_columns in WIDTHS[:most]:
        X, y = made.pair_table(n_rows, n_columns, dtype=np.float64)
        names = [f"c{i}" for i in range(n_columns)]
        tables = {"array": X} | {name: make(X, names) for name, make in FRAMES.items()}
        models = {name: BsnsingClassifier.plain(max_rules=1, n_jobs=1) for name in tables}
        fits = {name: partial(models[name].fit, tables[name], y) for name in tables}
        for call in fits.values():
            call()
        tells = {name: partial(models[name].predict, tables[name]) for name in tables}
        line: list[object] = [f"{n_rows:,} x {n_columns:,}"]
        for calls in (fits, tells):
            seconds = in_turns(calls)
            line.append(report.milliseconds(seconds["array"]))
            line += [f"{seconds[name] / seconds['array']:.2f}" for name in FRAMES]
        rows.append(line)
    head = [f"{what} {name}" for what in ("fit", "predict") for name in ("array ms", *FRAMES)]
    return report.markdown(["rows x columns", *head], rows)


def in_turns(calls: dict[str, Callable[[], Any]]) -> dict[str, float]:
    """Median CPU seconds of calls that take turns."""
    times: dict[str, list[float]] = {name: [] for name in calls}
    begin = time.perf_counter()
    while len(times["array"]) < 7 or time.perf_counter() - begin < 2 * LEAST_SECONDS:
        for name, call in calls.items():
            start = time.process_time()
            call()
            times[name].append(time.process_time() - start)
    return {name: statistics.median(own) for name, own in times.items()}


# --- time_limit ---

LONG: dict[str, tuple[Callable[[], Table], dict[str, Any]]] = {
    "2,000 x 30 of noise, max_rules=5": (partial(noise, 2000, 30, 2), {"max_rules": 5}),
    "200 x 20,000": (partial(made.pair_table, 200, 20_000), {}),
    "50,000 x 500": (partial(made.pair_table, 50_000, 500), {}),
    "1,000,000 x 10": (partial(made.pair_table, 1_000_000, 10), {"max_rules": 4}),
    "10,000 x 3, 3,000 classes": (partial(noise, 10_000, 3, 3000), {"max_rules": 3}),
    "200,000 x 3, 100,000 classes": (partial(noise, 200_000, 3, 100_000), {}),
    "32,768 x 3, 16,384 levels": (partial(levels, 16_384), {"max_rules": 4, "max_levels": 1000}),
}


def limits(most: int | None) -> str:
    """Seconds of fits that have a limit; the teacher's, which do not count, apart."""
    rows = []
    for name, (table, settings) in list(LONG.items())[:most]:
        X, y = table()
        line: list[object] = [name]
        for make, extra in ((BsnsingClassifier.plain, {}), (BsnsingClassifier, {"teacher": None})):
            model = make(time_limit=LIMIT, n_jobs=1, **settings, **extra)
            start = time.perf_counter()
            model.fit(X, y)
            seconds = time.perf_counter() - start
            start = time.perf_counter()
            make(time_limit=LIMIT, n_jobs=1, max_depth=0, **settings, **extra).fit(X, y)
            line += [f"{seconds:.2f}", f"{time.perf_counter() - start:.2f}"]
            line.append(f"{model.get_n_leaves()}")
        rows.append(line)
    head = [
        f"{n} {what}" for n in ("plain()", "teacher=None") for what in ("s", "read s", "leaves")
    ]
    return report.markdown([f"time_limit={LIMIT:.0f}", *head], rows)


TEXT = """# Is time bounded at every shape?

`python -m benchmarks.speed.shapes` wrote this. {machine}

## Fits

Exponents: least squares of log CPU seconds against log size over the upper half of the sizes, one
thread. Memory is the peak of a fit beyond its table. "Untaught": soft labels of all classes
would not fit into memory, of which a fit warns. The rules of `plain()` are the best of all pairs of
questions, which nothing proves without a look at each pair: over columns its time is that of the
pairs, and `time_limit` bounds it. The default asks about the columns that the teacher finds most
important, where all of them would take long.

{fits}

## Deep trees

Trees that cut off one leaf at a time, and CPU milliseconds of what is done with them.

{deep}

## Dataframes over arrays

Medians of CPU times, in turns; frames as multiples of their array.

{frames}

## Limits

Wall-clock seconds of fits that would take longer than their limit, or about as long. "Read": of the
same without any split, which is the part that grows with the cells alone; the limit is for growing.

{limits}
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="smaller tables; prints only")
    given = parser.parse_args()
    most = 3 if given.quick else None
    with threadpool_limits(1), warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        text = TEXT.format(
            machine=report.machine(),
            fits=fits(most),
            deep=deep_trees(most),
            frames=frames(most),
            limits=limits(1 if given.quick else None),
        )
    if given.quick:
        print(text)
    else:
        report.save(RESULTS / "SHAPES.md", text)


if __name__ == "__main__":
    main()
