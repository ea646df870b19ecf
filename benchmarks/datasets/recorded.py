"""What others have measured, and what is proven: nothing of it is run here.

The folder ``paper_figures`` has figures that the paper published, one file per table of it:
``enum`` (what the search costs on seismic), ``root_splits`` (best root rules), ``dl85`` (four
packages of optimal trees), ``depth`` (trees of limited depth) and ``tuning`` (three weak sets).
"""

from __future__ import annotations

import csv
import json
from functools import cache
from pathlib import Path

from benchmarks.lib.paths import SHARED

ROOT_SEARCH = "root search, R package (compiled)"
WHOLE_TREE = "whole tree, R package, default"
PAPER_FIGURES = Path(__file__).parent / "paper_figures"


@cache
def cpu_seconds(work: str, path: Path | None = None) -> dict[tuple[str, int], float]:
    """CPU seconds of the paper's R package, on a machine of this kind, by set and max_rules.

    Wall-clock where there are no CPU seconds.
    The name of a set tells capitals apart: "mushroom" has 0/1 columns, "Mushroom" text. Empty
    where the file is not here.
    """
    path = path or SHARED / "reference" / "timings.csv"
    if not path.is_file():
        return {}
    with path.open(encoding="utf-8", newline="") as file:
        return {
            (row["set"], int(row["max_rules"])): float(row["cpu_seconds"] or row["seconds"])
            for row in csv.DictReader(file)
            if row["work"] == work
        }


@cache
def optima() -> dict[tuple[str, int], int]:
    """Proven objectives, by set and max_rules."""
    path = SHARED / "reference" / "optima.json"
    if not path.is_file():
        return {}
    sets = json.loads(path.read_text(encoding="utf-8"))["sets"]
    return {
        (name, int(key.removeprefix("max_rules_"))): entry["objective"]
        for name, entries in sets.items()
        for key, entry in entries.items()
    }


def paper_figures(name: str) -> list[dict[str, str]]:
    """A table of the paper, line by line."""
    with (PAPER_FIGURES / f"{name}.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def r_packages() -> dict[tuple[str, str], dict[str, str]]:
    """Scores of R's packages on the paper's sets and splits, by set and package."""
    path = SHARED / "reference" / "peers_r.csv"
    if not path.is_file():
        return {}
    with path.open(encoding="utf-8", newline="") as file:
        return {(row["set"], row["learner"]): row for row in csv.DictReader(file)}
