"""Published data sets that some tests compare with; they are not part of the repository.

They are in the folder named by ``BSNSING_SHARED``, else in ``shared`` beside the checkout.
"""

from __future__ import annotations

import gzip
import os
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

REPO_ROOT = Path(__file__).resolve().parents[1]
SHARED = Path(os.environ.get("BSNSING_SHARED") or REPO_ROOT.parent / "shared")
DL85 = SHARED / "data" / "dl85"

needs_shared = pytest.mark.skipif(
    not DL85.is_dir(),
    reason="the benchmark data are not here; set BSNSING_SHARED to the folder that has data/dl85",
)


def load_dl85(name: str) -> tuple[NDArray[np.uint8], NDArray[np.uint8]]:
    """The 0/1 features and classes of one DL8.5 set; the paper calls feature k (from 0) V(k+2)."""
    with gzip.open(DL85 / f"{name}.csv.gz", "rt", encoding="utf-8") as file:
        columns = file.readline().rstrip("\n").split(",")
        cells = np.loadtxt(file, dtype=np.uint8, delimiter=",", ndmin=2)
    if columns[0] != "target" or cells.shape[1] != len(columns):
        raise ValueError(f"{name}.csv.gz is not a DL8.5 set: its columns are {columns[:3]}, ...")
    return np.ascontiguousarray(cells[:, 1:]), np.ascontiguousarray(cells[:, 0])
