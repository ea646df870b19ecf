"""Where things are: the checkout, what commands write, and data that are no part of either."""

from __future__ import annotations

import os
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
RESULTS = ROOT / "benchmarks" / "results"  # what is published, and so committed
FIGURES = "figures"  # pictures of a report, in the folder that it is in
BUILD = ROOT / "build"  # never committed
SHARED = Path(os.environ.get("BSNSING_SHARED") or ROOT.parent / "shared")
