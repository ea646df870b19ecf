"""Seconds of one tree on a graphics card, beside the CPU and others. Run: make bench-gpu.

Every line is checked first: the tree of the card is that of the CPU.
"""

from __future__ import annotations

import argparse
import os
import time
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bsnsing import BsnsingClassifier
from bsnsing.engine.cuda import maker
from bsnsing.engine.cuda.cupy_device import import_cupy

SMALL = (1_000, 10_000, 100_000)


def table(n_rows: int, n_columns: int) -> tuple[NDArray[np.float32], NDArray[np.int8]]:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n_rows, n_columns)).astype(np.float32)
    signal = (X[:, 0] > 0) ^ ((X[:, 1] > 0.5) & (X[:, 2] < 1))
    return X, (signal ^ (rng.random(n_rows) < 0.1)).astype(np.int8)


def seconds(work: Callable[[], Any], n_times: int = 2) -> float:
    found = []
    for _ in range(n_times):
        start = time.perf_counter()
        work()
        found.append(time.perf_counter() - start)
    return min(found)


def show(name: str, n_rows: int, n_columns: int, taken: float) -> None:
    print(f"| {name} | {n_rows:,} x {n_columns} | {taken:.3f} |", flush=True)


def measure(n_rows: int, n_columns: int, n_threads: int, **settings: Any) -> None:
    X, y = table(n_rows, n_columns)
    cupy = import_cupy("cuda")
    on_card = BsnsingClassifier.plain(device="cuda", n_jobs=n_threads, **settings)
    on_cpu = BsnsingClassifier.plain(n_jobs=n_threads, **settings)
    assert str(on_card.fit(X, y)) == str(on_cpu.fit(X, y)), "the trees differ"
    show("card, from the host", n_rows, n_columns, seconds(lambda: on_card.fit(X, y)))
    X_there, y_there = cupy.asarray(X), cupy.asarray(y)
    there = seconds(lambda: on_card.fit(X_there, y_there))
    show("card, from the card", n_rows, n_columns, there)
    show(f"CPU, {n_threads} threads", n_rows, n_columns, seconds(lambda: on_cpu.fit(X, y)))
    for name, work in others(X, y, n_threads):
        show(name, n_rows, n_columns, seconds(work))


def others(X: Any, y: Any, n_threads: int) -> list[tuple[str, Callable[[], Any]]]:
    """One tree of other packages, where these are installed."""
    found: list[tuple[str, Callable[[], Any]]] = []
    try:
        from xgboost import XGBClassifier

        own = XGBClassifier(n_estimators=1, max_depth=8, device="cuda", tree_method="hist")
        found.append(("XGBoost, one tree, card", lambda: own.fit(X, y)))
    except ImportError:
        pass
    try:
        from lightgbm import LGBMClassifier

        light = LGBMClassifier(n_estimators=1, n_jobs=n_threads, verbose=-1)
        found.append((f"LightGBM, one tree, {n_threads} threads", lambda: light.fit(X, y)))
    except ImportError:
        pass
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, nargs="*", default=[1_000_000, 10_000_000])
    parser.add_argument("--most", action="store_true", help="100 million rows too")
    options = parser.parse_args()
    n_threads = os.cpu_count() or 1
    print("| who | table | seconds, best of two |\n| --- | --- | --- |")
    maker.FEW_ROWS = 0  # so that small tables are seen on the card, too
    for n_rows in (*SMALL, *options.rows, *([100_000_000] if options.most else [])):
        measure(n_rows, 20, n_threads)
    # The best pair of about 4,096 questions at the root.
    measure(2_000_000, 256, n_threads, max_depth=1, max_rules=2, n_segments=16)


if __name__ == "__main__":
    main()
