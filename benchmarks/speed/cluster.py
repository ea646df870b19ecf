"""Rows on a Dask cluster: against local threads, and against LightGBM's Dask module.

Run: python -m benchmarks.speed.cluster (make bench-dask). A cluster of one and of two processes,
one thread each; made-up tables of 20 numbers (benchmarks.datasets.made), float32, in parts of 1.25
million rows that lie on the workers before any clock starts. Bytes are counted in a fit of their
own. Then a file four times as large as the memory limit is fitted in a fresh process.
"""

from __future__ import annotations

import argparse
import gc
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import fields
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.datasets import made
from benchmarks.lib import learners, report, step, targets
from benchmarks.lib.paths import RESULTS, ROOT
from benchmarks.lib.timing import median_seconds, take_turns
from benchmarks.speed import traffic
from bsnsing import Tree

TITLE = "Rows on a Dask cluster"

N_COLUMNS = 20
SIZES = (1_000_000, 10_000_000, 50_000_000)
PART_ROWS = 1_250_000
N_WORKERS = (1, 2)
AT_MOST, JUDGED_FROM = 1.5, 10_000_000  # times the local seconds, and rows from which on
FILE_TIMES = 4  # how much larger than the memory limit


@contextmanager
def cluster_of(n_workers: int) -> Iterator[Any]:
    """A client of ``n_workers`` processes with one thread each."""
    from distributed import Client, LocalCluster

    options = {"n_workers": n_workers, "threads_per_worker": 1, "dashboard_address": ":0"}
    # The processes share one machine; what they take is no matter of this comparison.
    with (
        LocalCluster(processes=True, memory_limit=0, silence_logs=50, **options) as cluster,
        Client(cluster) as client,
    ):
        yield client


def scatter(client: Any, X: np.ndarray, y: np.ndarray) -> tuple[Any, Any]:
    """Dask arrays whose parts lie on the workers, in turn."""
    import dask
    import dask.array as da
    from distributed import wait

    workers = list(client.scheduler_info()["workers"])
    n_parts = max(len(workers) * 2, -(-len(y) // PART_ROWS))
    n_rows = -(-len(y) // n_parts)
    tables, labels = [], []
    for i, first in enumerate(range(0, len(y), n_rows)):
        own = [X[first : first + n_rows], y[first : first + n_rows]]
        held = client.scatter(own, workers=[workers[i % len(workers)]], hash=False)
        # Copied there, so that they do not lie at the odd addresses at which messages do.
        for array, future, arrays in zip(own, held, (tables, labels), strict=True):
            value = client.submit(np.array, future, pure=False)
            wait(value)
            arrays.append(da.from_delayed(dask.delayed(value), array.shape, dtype=array.dtype))
    return da.concatenate(tables), da.concatenate(labels)


def fit_ours(client: Any, X: Any, y: Any, leaf: int) -> Any:
    from bsnsing.dask import DaskBsnsingClassifier

    return DaskBsnsingClassifier.plain(client=client, min_samples_leaf=leaf).fit(X, y).to_local()


def fit_lightgbm(client: Any, X: Any, y: Any, leaf: int, n_leaves: int) -> int:
    """One tree of at most as many leaves as ours, grown on all workers."""
    import lightgbm

    model = lightgbm.DaskLGBMClassifier(
        client=client,
        n_estimators=1,
        learning_rate=1.0,
        num_leaves=max(2, n_leaves),
        min_child_samples=leaf,
        tree_learner="data",
        verbosity=-1,
    ).fit(X, y)
    return int(model.booster_.dump_model()["tree_info"][0]["num_leaves"])


def is_same(one: Tree, other: Tree) -> bool:
    """Whether trees are equal to the last bit, but for what their searches counted on the way."""
    arrays = [field.name for field in fields(Tree) if not field.name.startswith("n_")]
    pairs = [(getattr(one, name), getattr(other, name)) for name in arrays]
    return str(one) == str(other) and all(
        np.array_equal(mine, theirs, equal_nan=mine.dtype.kind == "f")
        for mine, theirs in pairs
        if isinstance(mine, np.ndarray)
    )


def measure_size(n_rows: int, n_workers: int, n_rounds: int) -> dict[str, Any]:
    X, y = made.pair_table(n_rows, N_COLUMNS)
    leaf = learners.leaf_size(n_rows)
    with cluster_of(n_workers) as client:
        parts = scatter(client, X, y)
        local = learners.exact_tree(leaf, n_threads=n_workers).fit(X, y)
        # What is noted here warms up workers too.
        with traffic.noted(client) as notes:
            found = fit_ours(client, *parts, leaf)
        n_leaves = local.get_n_leaves()
        contestants: dict[str, Callable[[], Any]] = {
            "local": lambda: learners.exact_tree(leaf, n_threads=n_workers).fit(X, y),
            "dask": lambda: fit_ours(client, *parts, leaf),
            "lightgbm": lambda: fit_lightgbm(client, *parts, leaf, n_leaves),
        }
        small = scatter(client, X[:5000], y[:5000])
        fit_lightgbm(client, *small, 50, 10)
        turns = take_turns(contestants, n_rounds, 0, warm_up=False)
        return {
            "rows": n_rows,
            "workers": n_workers,
            "parts": parts[0].npartitions,
            "leaf": leaf,
            "leaves": {"bsnsing": n_leaves, "lightgbm": turns["lightgbm"][0].result},
            "same": is_same(found.tree_, local.tree_),
            "rounds": n_rounds,
            "seconds": {name: median_seconds(own) for name, own in turns.items()},
            "load": os.getloadavg()[0],
            "phases": traffic.phases(notes),
        }


def measure_file(limit: int) -> dict[str, Any] | None:
    """Fit a file of several times the limit; None where the system tells no peaks."""
    if not Path("/proc/self/clear_refs").exists():
        return None
    with tempfile.TemporaryDirectory() as folder:
        words = [folder, str(limit)]
        done = subprocess.run(
            [sys.executable, "-m", "benchmarks.speed.large_file", *words],
            cwd=ROOT,
            stdout=subprocess.PIPE,
            text=True,
            check=True,
        )
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def measure(
    run: step.Run, sizes: Sequence[int], rounds: int, limit: int
) -> Iterator[dict[str, Any]]:
    """Yield what is known so far after each table, and at the end with the file."""
    found: list[dict[str, Any]] = []
    for n_rows in sizes:
        for n_workers in N_WORKERS:
            run.say(f"cluster: {n_rows:,} rows, {n_workers} workers")
            n_rounds = 1 if n_rows > JUDGED_FROM else rounds
            found.append(measure_size(n_rows, n_workers, n_rounds))
            gc.collect()
            yield {"sizes": found, "file": None}
    run.say("cluster: a file larger than the memory limit")
    yield {"sizes": found, "file": measure_file(limit)}


def targets_of(data: dict[str, Any]) -> list[targets.Target]:
    judged = [size for size in data["sizes"] if size["rows"] >= JUDGED_FROM] or data["sizes"]
    names = [f"{size['rows']:,} rows, workers: {size['workers']}" for size in judged]

    def over(other: str) -> dict[str, float | None]:
        seconds = [size["seconds"]["dask"] / size["seconds"][other] for size in judged]
        return dict(zip(names, seconds, strict=True))

    n_same = sum(size["same"] for size in data["sizes"])
    file = data["file"]
    return [
        targets.Target(
            "trees that are those of one machine", "at least", 1.0, n_same / len(data["sizes"])
        ),
        targets.hardest("fit, time over local threads", "at most", AT_MOST, over("local")),
        targets.hardest("fit, time over LightGBM's on Dask", "at most", 1.0, over("lightgbm")),
        targets.Target(
            "file four times the limit: peak memory over the limit",
            "at most",
            1.0,
            file and file["peak"] / file["limit"],
        ),
    ]


def tables(data: dict[str, Any]) -> str:
    note = NOTE.format(rounds=data["sizes"][0]["rounds"])
    parts = [_times(data["sizes"]), note, _traffic(data["sizes"]), TRAFFIC_NOTE]
    if data["file"]:
        parts.append(FILE_NOTE.format(**_in_words(data["file"])))
    return "\n\n".join(part.strip() for part in parts)


NOTE = """
Medians of {rounds} alternating rounds (one above ten million rows). Local: as many threads as there
are workers. LightGBM: one tree of at most as many leaves as ours, the defaults of its Dask module
otherwise. The load is the machine's at the end: above the number of workers, others were at work
too."""

TRAFFIC_NOTE = """
Tasks and bytes of one fit; each request of the client counts as a task too. To workers: messages of
tasks; a small one is counted once and travels with each task. Between workers: what they fetched
from each other. To the client: what it fetched. *Bins* is all before the first level; *rest* are
nodes that are gathered and grown in one place."""

FILE_NOTE = """
`fit_files(memory_limit={limit})` on Parquet of {rows} rows and {columns} columns, {size}:
{seconds} s on one thread, peak {peak} above what Python and its libraries take."""


def _times(sizes: list[dict[str, Any]]) -> str:
    head = [
        "rows",
        "workers",
        "parts",
        "local s",
        "Dask s",
        "over local",
        "LightGBM s",
        "over LightGBM",
        "leaves",
        "same tree",
        "load",
    ]
    rows = []
    for size in sizes:
        local, ours, other = (size["seconds"][name] for name in ("local", "dask", "lightgbm"))
        rows.append(
            [
                f"{size['rows']:,}",
                size["workers"],
                size["parts"],
                f"{local:.2f}",
                f"{ours:.2f}",
                f"{ours / local:.2f}",
                f"{other:.2f}",
                f"{ours / other:.2f}",
                size["leaves"]["bsnsing"],
                "yes" if size["same"] else "**no**",
                f"{size['load']:.1f}",
            ]
        )
    return report.markdown(head, rows)


def _traffic(sizes: list[dict[str, Any]]) -> str:
    head = ["rows", "workers", "phase", "tasks", "to workers", "between workers", "to the client"]
    rows = []
    for size in sizes:
        for phase in size["phases"]:
            rows.append(
                [
                    f"{size['rows']:,}",
                    size["workers"],
                    phase["name"],
                    phase["tasks"],
                    *(megabytes(phase[name]) for name in ("sent", "between", "fetched")),
                ]
            )
    return report.markdown(head, rows)


def megabytes(n_bytes: float) -> str:
    return f"{n_bytes / 1e6:.2f} MB"


def _in_words(file: dict[str, Any]) -> dict[str, str]:
    words = {name: f"{file[name] / 1e6:.0f} MB" for name in ("limit", "size", "peak")}
    words["limit"] = f"'{file['limit'] // 10**6}MB'"
    return words | {
        "rows": f"{file['rows']:,}",
        "columns": str(file["columns"]),
        "seconds": f"{file['seconds']:.0f}",
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="small tables; only shows the report")
    parser.add_argument("--most", type=int, default=SIZES[-1], help="rows of the largest table")
    parser.add_argument("--rounds", type=int, default=3)
    args = parser.parse_args()
    run, load = step.Run(args.quick), os.getloadavg()[0]
    sizes = run.pick([n for n in SIZES if n <= args.most], [50_000, 200_000])
    limit = run.pick(200_000_000, 100_000_000)
    text = ""
    for data in measure(run, sizes, args.rounds, limit):
        text = text_of(data, load)
        if not args.quick:  # a long run that is stopped leaves something
            report.save(RESULTS / "DASK.md", text)
    if args.quick:
        print(text)


def text_of(data: dict[str, Any], load: float) -> str:
    chosen = " ".join(["", *sys.argv[1:]])
    parts = [
        f"# {TITLE}",
        f"`python -m benchmarks.speed.cluster{chosen}`; load before it {load:.1f}.",
        report.machine(),
        targets.table({"cluster": targets_of(data)}),
        tables(data),
    ]
    return "\n\n".join(parts) + "\n"


if __name__ == "__main__":
    main()
