"""Seconds of the paper's R package, recorded on a machine of this kind; not run here."""

from __future__ import annotations

import csv
from functools import cache
from pathlib import Path

from benchmarks.datasets import published as datasets

ROOT_SEARCH = "root search, R package (compiled)"
WHOLE_TREE = "whole tree, R package, default"


@cache
def cpu_seconds(work: str, path: Path | None = None) -> dict[tuple[str, int], float]:
    """CPU seconds by set and max_rules; wall-clock where there are no CPU seconds.

    The name of a set tells capitals apart: "mushroom" has 0/1 columns, "Mushroom" text. Empty
    where the file is not here.
    """
    path = path or datasets.SHARED / "reference" / "timings.csv"
    if not path.is_file():
        return {}
    with path.open(encoding="utf-8", newline="") as file:
        return {
            (row["set"], int(row["max_rules"])): float(row["cpu_seconds"] or row["seconds"])
            for row in csv.DictReader(file)
            if row["work"] == work
        }
