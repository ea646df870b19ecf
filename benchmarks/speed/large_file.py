"""Peak memory and time of fit_files on a file four times as large as its memory limit.

Run: python -m benchmarks.speed.large_file FOLDER BYTES. The file is written into the folder some
rows at a time; it prints what it measured as JSON.
"""

from __future__ import annotations

import ctypes
import json
import sys
import time
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from benchmarks.datasets import made
from benchmarks.lib import learners
from benchmarks.speed.cluster import FILE_TIMES, N_COLUMNS
from benchmarks.speed.memory import peak_memory

GROUP = 100_000  # rows
HOW = {"compression": "none", "use_dictionary": False}


def write(path: Path, n_bytes: int) -> int:
    """Write at least ``n_bytes`` bytes, and return the rows."""
    names = [f"x{i}" for i in range(N_COLUMNS)]
    kinds = [*((name, pa.float32()) for name in names), ("y", pa.int8())]
    n_rows = 0
    with pq.ParquetWriter(path, pa.schema(kinds), **HOW) as file:
        while n_rows * 4 * N_COLUMNS < n_bytes:
            X, y = made.pair_table(GROUP, N_COLUMNS, seed=n_rows)
            columns = [*np.ascontiguousarray(X.T), y.astype(np.int8)]
            file.write_table(pa.table(columns, schema=pa.schema(kinds)))
            n_rows += GROUP
    return n_rows


def main() -> None:
    folder, limit = Path(sys.argv[1]), int(sys.argv[2])
    paths = [folder / "small.parquet", folder / "large.parquet"]
    write(paths[0], 1)
    n_rows = write(paths[1], FILE_TIMES * limit)
    leaf = learners.leaf_size(n_rows)
    model = learners.exact_tree(leaf)
    model.fit_files(paths[0], "y", memory_limit=limit)  # what stays for good is no matter of size
    ctypes.CDLL(None).malloc_trim(0)  # what writing the file left behind
    pa.default_memory_pool().release_unused()
    with peak_memory() as peak:
        begin = time.perf_counter()
        model.fit_files(paths[1], "y", memory_limit=limit)
        seconds = time.perf_counter() - begin
    found = {
        "limit": limit,
        "size": paths[1].stat().st_size,
        "rows": n_rows,
        "columns": N_COLUMNS,
        "seconds": seconds,
        "peak": peak.beyond,
    }
    print(json.dumps(found))


if __name__ == "__main__":
    main()
