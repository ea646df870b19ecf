"""Peak memory of one fit beyond its input, in a process of its own.

Run: python -m benchmarks.speed.memory bsnsing 1000000 20 float32 1. It prints bytes as JSON. The
table is made in the process; then the system's high-water mark is set back to what is in use, and
read again after the fit.
"""

from __future__ import annotations

import argparse
import ctypes
import json
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.datasets import made
from benchmarks.lib import learners
from benchmarks.lib.paths import ROOT

STATUS = Path("/proc/self/status")
CLEAR = Path("/proc/self/clear_refs")
RESET_PEAK = "5"  # proc(5)


def peak_beyond_input(
    learner: str, n_rows: int, n_columns: int, dtype: str, n_threads: int, n_leaves: int = 31
) -> dict[str, int] | None:
    """Measure in a fresh process; None where the system does not tell."""
    if not (STATUS.exists() and CLEAR.exists()):
        return None
    words = [learner, n_rows, n_columns, dtype, n_threads, n_leaves]
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks.speed.memory", *map(str, words)],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    return json.loads(done.stdout)


def read_bytes(key: str) -> int:
    """VmRSS (memory in use) or VmHWM (its peak)."""
    found = re.search(rf"^{key}:\s+(\d+) kB", STATUS.read_text(), re.MULTILINE)
    if found is None:
        raise OSError(f"{STATUS} does not tell {key}.")
    return 1024 * int(found[1])


@dataclass
class Peak:
    """How far memory in use rose above what it was."""

    beyond: int = 0


@contextmanager
def peak_memory() -> Iterator[Peak]:
    """Watch this process's memory; the answer is there when the block is left."""
    CLEAR.write_text(RESET_PEAK)
    before = read_bytes("VmRSS")
    peak = Peak()
    yield peak
    peak.beyond = max(0, read_bytes("VmHWM") - before)


def fit(learner: str, X: np.ndarray, y: np.ndarray, n_threads: int, n_leaves: int) -> Any:
    leaf = learners.leaf_size(len(y))
    if learner == "bsnsing":
        return learners.exact_tree(leaf, n_threads=n_threads).fit(X, y)
    return learners.fit_boosted_tree(X, y, n_leaves=n_leaves, leaf=leaf, n_threads=n_threads)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("learner", choices=("bsnsing", "lightgbm"))
    parser.add_argument("n_rows", type=int)
    parser.add_argument("n_columns", type=int)
    parser.add_argument("dtype", choices=("float32", "float64"))
    parser.add_argument("n_threads", type=int)
    parser.add_argument("n_leaves", type=int, nargs="?", default=31, help="of the LightGBM tree")
    args = parser.parse_args()
    kind = np.dtype(args.dtype).type
    # What stays for good (imports, threads) is no matter of the table's size.
    small = made.pair_table(2000, args.n_columns, dtype=kind)
    fit(args.learner, *small, args.n_threads, n_leaves=4)
    X, y = made.pair_table(args.n_rows, args.n_columns, dtype=kind)
    ctypes.CDLL(None).malloc_trim(0)  # what making the table left behind
    with peak_memory() as peak:
        fit(args.learner, X, y, args.n_threads, args.n_leaves)
    print(json.dumps({"input": X.nbytes, "beyond": peak.beyond}))


if __name__ == "__main__":
    main()
