"""How fast is the teacher's forest? Run: python -m benchmarks.speed.forest.

Ours: growing, out-of-bag probabilities for each size of leaves, and the probabilities of three
times as many synthetic rows. Beside it, in turns, on as many threads: the same from scikit-learn's
forests of as many trees, without cutting them back; and the growth alone of its random forest of
100 trees. With --cpu, times are CPU times, for a busy machine and one thread.
"""

from __future__ import annotations

import argparse
import math
import warnings
from functools import partial
from typing import Any

import numpy as np
from sklearn.datasets import load_breast_cancer, load_digits, load_iris
from sklearn.ensemble import ExtraTreesClassifier, RandomForestClassifier

from benchmarks.datasets import made
from benchmarks.lib import report
from benchmarks.lib.timing import median_seconds, take_turns
from bsnsing.distill.config import DistillConfig
from bsnsing.distill.forest import Forest

CONFIG = DistillConfig()
TIMES_SYNTHETIC = 3
MADE_COLUMNS = 20

Table = tuple[np.ndarray, np.ndarray]


def tables(*, is_quick: bool) -> dict[str, Table]:
    found = {
        "iris": load_iris(return_X_y=True),
        "made, 500": made.pair_table(500, MADE_COLUMNS),
        "breast cancer": load_breast_cancer(return_X_y=True),
        "digits": load_digits(return_X_y=True),
        "made, 5,000": made.pair_table(5000, MADE_COLUMNS),
    }
    if not is_quick:
        found["made, 5 classes, 5,000"] = made.pair_table(5000, MADE_COLUMNS, n_classes=5)
        found["made, 20,000"] = made.pair_table(20_000, MADE_COLUMNS)
        found["made, 50,000"] = made.pair_table(50_000, MADE_COLUMNS)
    return {name: (X.astype(np.float32), y.astype(np.int32)) for name, (X, y) in found.items()}


def synthetic_rows(X: np.ndarray) -> np.ndarray:
    """Cells of each column in another order."""
    rng = np.random.default_rng(0)
    return np.column_stack([rng.choice(column, TIMES_SYNTHETIC * len(X)) for column in X.T])


def teach_ours(X: np.ndarray, y: np.ndarray, new: np.ndarray, n_threads: int) -> int:
    forest = Forest(CONFIG, np.random.RandomState(0), n_threads).fit(X, y, None)
    forest.predict_proba(new)
    return forest.trees.n_trees // 2


def teach_halves(X: np.ndarray, y: np.ndarray, new: np.ndarray, n_trees: int, n_jobs: int) -> None:
    n_tried = min(X.shape[1], int(CONFIG.extra_columns * math.sqrt(X.shape[1])))
    settings: dict[str, Any] = {
        "n_estimators": n_trees,
        "bootstrap": True,
        "oob_score": True,
        "random_state": 0,
        "n_jobs": n_jobs,
    }
    for half in (
        RandomForestClassifier(**settings),
        ExtraTreesClassifier(max_features=n_tried, **settings),
    ):
        half.fit(X, y).predict_proba(new)


def grow_hundred(X: np.ndarray, y: np.ndarray, n_jobs: int) -> None:
    RandomForestClassifier(100, random_state=0, n_jobs=n_jobs).fit(X, y)


def measure(table: Table, n_threads: int, n_rounds: int, *, cpu: bool) -> dict[str, float]:
    X, y = table
    new = synthetic_rows(X)
    n_trees = teach_ours(X, y, new, n_threads)
    turns = take_turns(
        {
            "ours": partial(teach_ours, X, y, new, n_threads),
            "halves": partial(teach_halves, X, y, new, n_trees, n_threads),
            "hundred": partial(grow_hundred, X, y, n_threads),
        },
        n_rounds,
        warm_up=len(y) < 10_000,
    )
    return {name: median_seconds(of_one, cpu=cpu) for name, of_one in turns.items()}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="tables of at most 5,000 rows")
    parser.add_argument("--threads", type=int, default=1, help="of all contestants (default 1)")
    parser.add_argument("--rounds", type=int, default=3, help="measured rounds (default 3)")
    parser.add_argument("--cpu", action="store_true", help="CPU times of one thread")
    args = parser.parse_args()
    if args.cpu and args.threads > 1:
        parser.error("--cpu counts one thread only")
    warnings.simplefilter("ignore", UserWarning)  # rows that no tree left out
    found = {
        name: (table, measure(table, args.threads, args.rounds, cpu=args.cpu))
        for name, table in report.tracked(list(tables(is_quick=args.quick).items()), "forests")
    }
    rows = [
        [
            f"{name} ({X.shape[0]} x {X.shape[1]}, {int(y.max()) + 1} classes)",
            *(report.milliseconds(seconds[key]) for key in ("ours", "halves", "hundred")),
            f"{seconds['halves'] / seconds['ours']:.1f}",
            f"{seconds['hundred'] / seconds['ours']:.1f}",
        ]
        for name, ((X, y), seconds) in found.items()
    ]
    head = ["table", "ours ms", "both halves ms", "100 trees ms", "halves / ours", "100 / ours"]
    print(f"# The teacher's forest\n\n{report.machine()}\n")
    kind = "CPU times" if args.cpu else f"times on {args.threads} threads each"
    print(f"Medians of {args.rounds} or more alternating rounds, {kind}.\n")
    print(report.markdown(head, rows))


if __name__ == "__main__":
    main()
