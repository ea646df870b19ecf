"""Peak memory of one fit beyond its input, in a process of its own.

Run: python -m benchmarks.memory bsnsing 1000000 20 float32 1. It prints bytes as JSON. The table is
made in the process; then the system's high-water mark is set back to what is in use, and read
again after the fit.
"""

from __future__ import annotations

import ctypes
import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks import learners, made

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
        [sys.executable, "-m", "benchmarks.memory", *map(str, words)],
        cwd=Path(__file__).parents[1],
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


def fit(learner: str, X: np.ndarray, y: np.ndarray, n_threads: int, n_leaves: int) -> Any:
    leaf = learners.leaf_size(len(y))
    if learner == "bsnsing":
        return learners.exact_tree(leaf, n_threads=n_threads).fit(X, y)
    return learners.fit_boosted_tree(X, y, n_leaves=n_leaves, leaf=leaf, n_threads=n_threads)


def main() -> None:
    learner, *numbers = sys.argv[1:]
    n_rows, n_columns, n_threads, n_leaves = (int(numbers[i]) for i in (0, 1, 3, 4))
    kind = np.dtype(numbers[2]).type
    # What stays for good (imports, threads) is no matter of the table's size.
    fit(learner, *made.pair_table(2000, n_columns, dtype=kind), n_threads, 4)
    X, y = made.pair_table(n_rows, n_columns, dtype=kind)
    ctypes.CDLL(None).malloc_trim(0)
    CLEAR.write_text(RESET_PEAK)
    before = read_bytes("VmRSS")
    fit(learner, X, y, n_threads, n_leaves)
    peak = read_bytes("VmHWM")
    print(json.dumps({"input": X.nbytes, "beyond": max(0, peak - before)}))


if __name__ == "__main__":
    main()
