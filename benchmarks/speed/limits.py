"""How close counting comes to what the machine can do. Run: python -m benchmarks.speed.limits.

Pair counting: best_rule on pools of 0/1 answers, rules of two, taking turns with a C++ program that
measures the machine: 64-bit words and-ed, counted and summed per second with operands in registers
and the first-level cache, and bytes read from memory per second. Growing: seconds of a whole fit
for each cell (row and column) of each node that was split.
"""

from __future__ import annotations

import json
import statistics
import subprocess
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.datasets import made
from benchmarks.lib import learners, native_build, report, step
from benchmarks.lib.targets import Target
from benchmarks.lib.timing import median_seconds, take_turns
from benchmarks.speed.search import pair_words
from bsnsing import best_rule

TITLE = "How close counting is to the machine"

THREADS = (1, 2)
POOLS = ((2_000, 1_000), (20_000, 512), (200_000, 256), (1_000_000, 128))  # rows, questions
QUICK_POOLS = ((2_000, 500), (50_000, 128))
# Pairs are counted in tiles of 8 x 8 questions: 16 words read for 64 counted.
BYTES_READ_PER_WORD = 16 * 8 / 64


def measure_peaks(program: Path, n_threads: int) -> dict[str, Any]:
    done = subprocess.run([program, str(n_threads)], capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


def search_seconds(answers: np.ndarray, y: np.ndarray, n_threads: int) -> float:
    """Of the search inside best_rule: from packed answers to the proven rule."""
    split = best_rule(
        answers, y, max_rules=2, criterion="gini", operators=("or", "and"), n_jobs=n_threads
    )
    return split.seconds


def measure_pool(
    n_rows: int, n_questions: int, program: Path, n_rounds: int
) -> list[dict[str, Any]]:
    """Rates of the pair search and of the machine, in alternation."""
    answers, y = made.random_answers(n_rows, n_questions)
    words = pair_words(y, n_questions)
    rows = []
    for n_threads in THREADS:
        turns = take_turns(
            {
                "search": partial(search_seconds, answers, y, n_threads),
                "machine": partial(measure_peaks, program, n_threads),
            },
            n_rounds,
            0,
        )
        machine = [turn.result for turn in turns["machine"]]
        rows.append(
            {
                "rows": n_rows,
                "questions": n_questions,
                "threads": n_threads,
                "rounds": n_rounds,
                "words": words,
                "pool_bytes": words * 8 * 2 // (n_questions - 1),
                "seconds": statistics.median(turn.result for turn in turns["search"]),
                "counter": machine[0]["counter"],
                "memory_bytes": machine[0]["memory_bytes"],
                "peak_words_per_second": statistics.median(m["words_per_second"] for m in machine),
                "peak_bytes_per_second": statistics.median(m["bytes_per_second"] for m in machine),
            }
        )
    return rows


def cells_visited(model: Any, n_columns: int) -> float:
    """Rows times columns, over all nodes that were split: what growing must look at."""
    tree = model.tree_
    return float(tree.counts[~tree.is_leaf].sum() * n_columns)


def measure_growing(n_rows: int, n_rounds: int) -> list[dict[str, Any]]:
    n_columns = 20
    X, y = made.pair_table(n_rows, n_columns)
    models = {str(n): learners.exact_tree(learners.leaf_size(n_rows), n_threads=n) for n in THREADS}
    calls = {n: partial(model.fit, X, y) for n, model in models.items()}
    turns = take_turns(calls, n_rounds, 0)
    return [
        {
            "rows": n_rows,
            "columns": n_columns,
            "threads": int(n),
            "levels": models[n].get_depth(),
            "cells": cells_visited(models[n], n_columns),
            "seconds": median_seconds(turns[n]),
        }
        for n in models
    ]


def measure(run: step.Run) -> dict[str, Any]:
    run.say("limits: building the program that measures the machine")
    program = native_build.build("peaks")
    pools = []
    for n_rows, n_questions in run.pick(POOLS, QUICK_POOLS):
        run.say(f"limits: pairs of {n_questions} questions, {n_rows:,} rows")
        pools += measure_pool(n_rows, n_questions, program, run.pick(5, 2))
    n_rows = run.pick(1_000_000, 50_000)
    run.say(f"limits: growing, {n_rows:,} rows")
    growing = measure_growing(n_rows, run.pick(5, 3))
    return {"pools": pools, "growing": growing, "megahertz": report.cpu_megahertz()}


def targets(data: dict[str, Any]) -> list[Target]:
    return []  # a ceiling is no target


def tables(data: dict[str, Any]) -> str:
    return _pair_table(data) + "\n\n" + _growing_table(data)


PAIR_HEAD = "rows x questions|threads|pool MiB|search ms|Gwords/s|machine Gwords/s|share"
PAIR_HEAD += "|words per cycle|tiles read GB/s|memory GB/s"
PAIR_NOTE = """
Gwords/s: 64-bit words of all pairs over the time of the whole search, the judging of each pair's
rules included, so a share of 100 % would mean that all else was free. Machine ({counter}): words
and-ed, counted and added per second, operands in registers and first-level cache, which is the
ceiling of any counting by words. Tiles read: what tiles of 8 x 8 questions load in that time. The
memory's rate is that of summing {megabytes:.0f} MiB; tiles that read faster are served by caches,
and what limits them is the counting."""


def _pair_table(data: dict[str, Any]) -> str:
    rows = []
    for pool in data["pools"]:
        rate = pool["words"] / pool["seconds"]
        cycles = data["megahertz"] and data["megahertz"] * 1e6 * pool["threads"]
        rows.append(
            [
                f"{pool['rows']:,} x {pool['questions']:,}",
                pool["threads"],
                f"{pool['pool_bytes'] / 2**20:.1f}",
                report.milliseconds(pool["seconds"]),
                f"{rate / 1e9:.2f}",
                f"{pool['peak_words_per_second'] / 1e9:.2f}",
                f"{rate / pool['peak_words_per_second']:.0%}",
                f"{rate / cycles:.2f}" if cycles else "-",
                f"{rate * BYTES_READ_PER_WORD / 1e9:.1f}",
                f"{pool['peak_bytes_per_second'] / 1e9:.1f}",
            ]
        )
    note = PAIR_NOTE.format(
        counter=data["pools"][0]["counter"], megabytes=data["pools"][0]["memory_bytes"] / 2**20
    )
    return report.markdown(PAIR_HEAD.split("|"), rows) + "\n" + note


GROWING_HEAD = "rows x columns|threads|levels|cells visited|fit ms|ns per cell|cycles per cell"
GROWING_NOTE = """
Cells visited: rows times columns, summed over all nodes that were split. Per cell the fit reads a
code, adds it to a histogram, answers the questions about it and moves it to a child; the pair
search and binning are in it too. Cycles at {clock} MHz, as the system gives it."""


def _growing_table(data: dict[str, Any]) -> str:
    rows = []
    for fit in data["growing"]:
        per_cell = fit["seconds"] / fit["cells"]
        cycles = data["megahertz"] and per_cell * data["megahertz"] * 1e6 * fit["threads"]
        rows.append(
            [
                f"{fit['rows']:,} x {fit['columns']}",
                fit["threads"],
                fit["levels"],
                f"{fit['cells']:.3g}",
                report.milliseconds(fit["seconds"]),
                f"{per_cell * 1e9:.2f}",
                f"{cycles:.1f}" if cycles else "-",
            ]
        )
    clock = f"{data['megahertz']:.0f}" if data["megahertz"] else "?"
    note = GROWING_NOTE.format(clock=clock)
    return report.markdown(GROWING_HEAD.split("|"), rows) + "\n" + note


def draw(data: dict[str, Any], folder: Path) -> list[Path]:
    from benchmarks.lib import figures

    shares = {
        f"{pool['rows']:,} x {pool['questions']:,}, threads: {pool['threads']}": 100
        * pool["words"]
        / pool["seconds"]
        / pool["peak_words_per_second"]
        for pool in data["pools"]
    }
    path = folder / "limits.png"
    figures.bars_with_target(
        path,
        shares,
        target=100,
        title="Pair search: % of the machine's counting rate",
        target_name="all else free",
        sort=False,
    )
    return [path]


if __name__ == "__main__":
    step.main("limits")
