"""A million rows and ten: against scikit-learn, one LightGBM tree, and ourselves on two threads.

Run: python -m benchmarks.speed.scale. The tables are made up (benchmarks.datasets.made): 20 numeric
columns with pair structure and noise, float32, row by row. All contestants start from the matrix,
so binning (LightGBM's Dataset) is part of every fit.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

from benchmarks.datasets import made
from benchmarks.lib import learners, report, step
from benchmarks.lib.targets import Target, hardest
from benchmarks.lib.timing import median_seconds, take_turns
from benchmarks.speed import memory

TITLE = "Large tables"

N_COLUMNS = 20
SKLEARN_ROWS = 1_000_000  # scikit-learn takes part up to here


def count_leaves(X: np.ndarray, y: np.ndarray, leaf: int, n_threads: int) -> int:
    return learners.exact_tree(leaf, n_threads=n_threads).fit(X, y).get_n_leaves()


def greedy_leaves(X: np.ndarray, y: np.ndarray, leaf: int) -> int:
    return int(learners.greedy_tree(leaf).fit(X, y).get_n_leaves())


def make_contestants(X: np.ndarray, y: np.ndarray, n_leaves: int) -> dict[str, Callable[[], int]]:
    """By name and threads; each returns its number of leaves."""
    leaf = learners.leaf_size(len(y))
    contestants: dict[str, Callable[[], int]] = {}
    for n_threads in (1, 2):
        contestants[f"ours {n_threads}"] = partial(count_leaves, X, y, leaf, n_threads)
        contestants[f"lightgbm {n_threads}"] = partial(
            learners.fit_boosted_tree, X, y, n_leaves=n_leaves, leaf=leaf, n_threads=n_threads
        )
    if len(y) <= SKLEARN_ROWS:
        contestants["sklearn 1"] = partial(greedy_leaves, X, y, leaf)
    return contestants


def measure_size(n_rows: int, n_rounds: int) -> dict[str, Any]:
    X, y = made.pair_table(n_rows, N_COLUMNS)
    n_leaves = count_leaves(X, y, learners.leaf_size(n_rows), 2)
    # Imports and thread pools are warm after a small table; a large one needs no more.
    take_turns(make_contestants(X[:5000], y[:5000], 10), 1, 0, warm_up=False)
    turns = take_turns(make_contestants(X, y, n_leaves), n_rounds, 0, warm_up=False)
    return {
        "rows": n_rows,
        "columns": N_COLUMNS,
        "leaf": learners.leaf_size(n_rows),
        "rounds": n_rounds,
        "leaves": {name: of_one[0].result for name, of_one in turns.items()},
        "seconds": {name: median_seconds(of_one) for name, of_one in turns.items()},
        "cpu_seconds": {
            name: median_seconds(of_one, cpu=True)
            for name, of_one in turns.items()
            if name.endswith(" 1")
        },
    }


def measure_memory(n_rows: int, n_leaves: int, quick: bool) -> list[dict[str, Any]]:
    kinds = [("bsnsing", "float32", 1), ("bsnsing", "float32", 2)]
    if not quick:
        kinds += [("bsnsing", "float64", 1), ("bsnsing", "float64", 2), ("lightgbm", "float32", 1)]
    rows = []
    for learner, dtype, n_threads in kinds:
        found = memory.peak_beyond_input(learner, n_rows, N_COLUMNS, dtype, n_threads, n_leaves)
        if found:
            about = {"rows": n_rows, "learner": learner, "dtype": dtype, "threads": n_threads}
            rows.append(about | found)
    return rows


def measure(run: step.Run) -> dict[str, Any]:
    sizes, memories = [], []
    for n_rows in run.pick((1_000_000, 10_000_000), (20_000, 80_000)):
        run.say(f"scale: {n_rows:,} rows, time")
        with threadpool_limits(1, user_api="blas"):
            sizes.append(measure_size(n_rows, run.pick(5, 3)))
        run.say(f"scale: {n_rows:,} rows, memory")
        memories += measure_memory(n_rows, sizes[-1]["leaves"]["ours 1"], run.quick)
    return {"sizes": sizes, "memory": memories}


def targets(data: dict[str, Any]) -> list[Target]:
    first = data["sizes"][0]
    sklearn = first["seconds"]["sklearn 1"] / first["seconds"]["ours 1"]
    beside_lightgbm = {
        f"{size['rows']:,} rows, {n} thread{'s' if n > 1 else ''}": size["seconds"][f"ours {n}"]
        / size["seconds"][f"lightgbm {n}"]
        for size in data["sizes"]
        for n in (1, 2)
    }
    beyond = {
        f"{row['rows']:,} rows, {row['dtype']}, threads: {row['threads']}": row["beyond"]
        / row["input"]
        for row in data["memory"]
        if row["learner"] == "bsnsing"
    }
    threads = first["seconds"]["ours 1"] / first["seconds"]["ours 2"]
    rows = f"{first['rows']:,} rows"
    return [
        Target(f"fit, {rows}, times as fast as scikit-learn", "at least", 10, sklearn),
        hardest("fit, time over that of one LightGBM tree", "at most", 2, beside_lightgbm),
        hardest("fit, peak memory beyond the input over the input", "at most", 1.5, beyond),
        Target(f"fit, {rows}, 2 threads times as fast as 1", "at least", 1.7, threads),
    ]


NAMES = {"ours": "bsnsing", "lightgbm": "LightGBM", "sklearn": "scikit-learn"}
NOTE = """
Medians of {rounds} alternating rounds; CPU seconds are of the single thread. LightGBM: one tree of
at most as many leaves as ours, its defaults otherwise (255 bins), its Dataset made in the fit."""
MEMORY_NOTE = """
Each in a fresh process: the peak of the memory in use during the fit less what was in use before
it, when the table had been made; the input is the matrix alone."""


def tables(data: dict[str, Any]) -> str:
    rows = []
    for size in data["sizes"]:
        for name, seconds in size["seconds"].items():
            learner, n_threads = name.split()
            cpu = size["cpu_seconds"].get(name)
            rows.append(
                [
                    NAMES[learner],
                    f"{size['rows']:,} x {size['columns']}",
                    n_threads,
                    f"{seconds:.3f}",
                    f"{cpu:.3f}" if cpu else "-",
                    f"{seconds / size['seconds'][f'ours {n_threads}']:.2f}",
                    size["leaf"],
                    size["leaves"][name],
                ]
            )
    head = [
        "learner",
        "size",
        "threads",
        "seconds",
        "CPU seconds",
        "over ours",
        "min leaf",
        "leaves",
    ]
    text = report.markdown(head, rows)
    text += "\n" + NOTE.format(rounds=data["sizes"][0]["rounds"])
    return text + "\n\n" + _memory_table(data["memory"])


def _memory_table(rows: list[dict[str, Any]]) -> str:
    if not rows:
        return "Memory was not measured: this system does not tell a process's peak."
    head = ["learner", "rows", "numbers", "threads", "input MiB", "beyond it MiB", "ratio"]
    lines = [
        [
            NAMES.get(row["learner"], row["learner"]),
            f"{row['rows']:,}",
            row["dtype"],
            row["threads"],
            f"{row['input'] / 2**20:.0f}",
            f"{row['beyond'] / 2**20:.0f}",
            f"{row['beyond'] / row['input']:.2f}",
        ]
        for row in rows
    ]
    return report.markdown(head, lines) + "\n" + MEMORY_NOTE


if __name__ == "__main__":
    step.main("scale")
