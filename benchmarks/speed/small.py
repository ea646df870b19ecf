"""Small work: fits of small tables, prediction, and the import.

Run: python -m benchmarks.speed.small.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from sklearn.datasets import load_iris
from threadpoolctl import threadpool_limits

from benchmarks.datasets import made
from benchmarks.lib import learners, report, step
from benchmarks.lib.targets import Target
from benchmarks.lib.timing import Turn, median_seconds, take_turns

TITLE = "Small tables, prediction, import"

FEW_ROWS, FEW_COLUMNS = 200, 10
PREDICT_COLUMNS = 20
# The package alone imports next to nothing: what counts is what fits.
IMPORTS = {"ours": "bsnsing.estimators.classifier", "sklearn": "sklearn.tree"}
IMPORT_PROGRAM = """\
import time
cpu, wall = time.process_time(), time.perf_counter()
import {module}
print([time.perf_counter() - wall, time.process_time() - cpu])
"""


def medians(turns: dict[str, list[Turn]]) -> dict[str, Any]:
    return {
        "rounds": len(turns["ours"]),
        "seconds": {key: median_seconds(of_one) for key, of_one in turns.items()},
        "cpu_seconds": {key: median_seconds(of_one, cpu=True) for key, of_one in turns.items()},
    }


def fit_all(make: Callable[[int], Any], tables: list[tuple[np.ndarray, np.ndarray]]) -> None:
    """A new learner for each table, as in cross-validation."""
    for X, y in tables:
        make(learners.leaf_size(len(y))).fit(X, y)


def measure_fits(tables: list[tuple[np.ndarray, np.ndarray]], n_rounds: int) -> dict[str, Any]:
    return medians(
        take_turns(
            {
                "ours": partial(fit_all, learners.exact_tree, tables),
                "sklearn": partial(fit_all, learners.greedy_tree, tables),
            },
            n_rounds,
        )
    )


def measure_predict(n_rows: int, n_rounds: int) -> dict[str, Any]:
    """Trees of the same number of leaves, grown on the first tenth, predict all rows."""
    X, y = made.pair_table(n_rows, PREDICT_COLUMNS)
    train = slice(n_rows // 10)
    leaf = learners.leaf_size(n_rows // 10)
    ours = learners.exact_tree(leaf).fit(X[train], y[train])
    greedy = learners.greedy_tree(leaf, max_leaf_nodes=ours.get_n_leaves()).fit(X[train], y[train])
    turns = take_turns(
        {"ours": lambda: len(ours.predict(X)), "sklearn": lambda: len(greedy.predict(X))}, n_rounds
    )
    leaves = {"ours": ours.get_n_leaves(), "sklearn": int(greedy.get_n_leaves())}
    return medians(turns) | {"rows": n_rows, "leaves": leaves}


def measure_import(n_rounds: int) -> dict[str, Any]:
    """Fresh interpreters; the time of the import alone, without that of starting Python."""
    turns: dict[str, list[Turn]] = {key: [] for key in IMPORTS}
    for round_number in range(n_rounds + 1):
        for key, module in IMPORTS.items():
            done = subprocess.run(
                [sys.executable, "-c", IMPORT_PROGRAM.format(module=module)],
                capture_output=True,
                text=True,
                check=True,
            )
            if round_number:  # the first round reads the files from disk
                turns[key].append(Turn(None, *json.loads(done.stdout)))
    return medians(turns)


def measure(run: step.Run) -> dict[str, Any]:
    n_rounds = run.pick(7, 3)
    n_fits = run.pick(1000, 100)
    many = [made.pair_table(FEW_ROWS, FEW_COLUMNS, seed=seed) for seed in range(n_fits)]
    with threadpool_limits(1):
        run.say("small: iris")
        work = {"fit iris, 150 x 4": measure_fits([load_iris(return_X_y=True)], n_rounds)}
        run.say(f"small: {n_fits} fits of {FEW_ROWS} x {FEW_COLUMNS}")
        work[f"{n_fits} fits of {FEW_ROWS} x {FEW_COLUMNS}"] = measure_fits(many, n_rounds)
        n_rows = run.pick(1_000_000, 100_000)
        run.say(f"small: predict {n_rows:,} rows")
        predict = measure_predict(n_rows, n_rounds)
        work[f"predict {n_rows:,} rows x {PREDICT_COLUMNS}"] = predict
    run.say("small: import")
    work["import"] = measure_import(run.pick(11, 3))
    return {"work": work, "predict_leaves": predict["leaves"]}


def ratio(found: dict[str, Any], kind: str = "seconds") -> float:
    """Our time over scikit-learn's."""
    return found[kind]["ours"] / found[kind]["sklearn"]


def targets(data: dict[str, Any]) -> list[Target]:
    return [
        Target(
            f"{name}, time over scikit-learn's",
            "at most",
            1.3 if name == "import" else 1.0,
            ratio(found),
        )
        for name, found in data["work"].items()
    ]


NOTE = """
Medians of {rounds} or more alternating rounds, one thread each. Fits include making the learner.
Prediction: trees of {ours} leaves (ours) and {sklearn} (scikit-learn's) on a float32 matrix.
Import: `bsnsing` against `sklearn.tree`, in fresh interpreters whose own start is not counted."""


def tables(data: dict[str, Any]) -> str:
    rows = [
        [
            name,
            report.milliseconds(found["seconds"]["ours"]),
            report.milliseconds(found["seconds"]["sklearn"]),
            f"{ratio(found):.2f}",
            f"{ratio(found, 'cpu_seconds'):.2f}",
        ]
        for name, found in data["work"].items()
    ]
    head = ["work", "ours ms", "scikit-learn ms", "ours / sk", "ours / sk, CPU"]
    rounds = min(found["rounds"] for found in data["work"].values())
    note = NOTE.format(rounds=rounds, **data["predict_leaves"])
    return report.markdown(head, rows) + "\n" + note


if __name__ == "__main__":
    step.main("small")
