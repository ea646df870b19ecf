"""What a fit on a cluster costs, by formulas: levels, tasks, bytes and seconds (docs/scale.md).

Run: python -m benchmarks.speed.cost_model. Nothing is measured here: rates are those of one core of
the machine of benchmarks/results/DASK.md, and can be given anew.
"""

from __future__ import annotations

import argparse
import math
from dataclasses import asdict, dataclass

from benchmarks.lib import report

FAN_IN = 8  # results of other workers that one task merges
FIRST_CUTS = 8192  # per column, between which the first pass counts
SHARE = 1 / 8  # of a worker's memory, for rows that are gathered
COPIES = 4  # of each byte of a gathered row


@dataclass(frozen=True)
class Rates:
    """Seconds: of one core for a cell, of the scheduler for a task, of the client for a node."""

    bins: float = 18e-9  # outline, buckets, values at the ends of bins, codes
    level: float = 2.5e-9  # histograms, pair counts and split of a level
    grow: float = 13e-9  # a gathered node, to the end
    task: float = 0.5e-3
    choose: float = 1e-3
    network: float = 1e9  # bytes a second, of one machine


@dataclass(frozen=True)
class Fit:
    """A table of numbers, the questions of a node, and the cluster."""

    n_rows: float
    n_workers: int  # of one thread
    n_columns: int = 20
    n_questions: int = 160
    n_bins: int = 255
    n_classes: int = 2
    part_rows: float = 1.25e6
    memory: float = 8e9  # of a worker
    larger: float = 0.75  # share of a node's rows in the larger child, on the way to the last level

    @property
    def n_cells(self) -> float:
        return self.n_rows * self.n_columns

    @property
    def n_parts(self) -> int:
        return max(2 * self.n_workers, math.ceil(self.n_rows / self.part_rows))

    @property
    def gathered_rows(self) -> float:
        """Rows of a node that is grown in one place."""
        fitting = SHARE * self.memory / self._row_bytes
        return min(self.n_rows / (2 * self.n_workers), fitting)

    @property
    def n_levels(self) -> int:
        """Levels that all workers count."""
        if self.n_workers == 1 and self.n_rows * self._row_bytes <= SHARE * self.memory:
            return 0
        return math.ceil(math.log(self.gathered_rows / self.n_rows) / math.log(self.larger))

    @property
    def _row_bytes(self) -> int:
        return COPIES * (self.n_columns + 8 * (1 + self.n_classes))

    def n_nodes(self, level: int) -> float:
        """Nodes of a level that are too large to be gathered, at most."""
        return min(2.0**level, self.n_rows / self.gathered_rows)

    @property
    def node_bytes(self) -> float:
        """Counts of a node: histograms of one of two siblings, and pairs."""
        histograms = self.n_classes * self.n_columns * (self.n_bins + 1) / 2
        return 4 * (histograms + self.n_classes * self.n_questions * (self.n_questions + 1) / 2)

    @property
    def level_tasks(self) -> float:
        """Histograms, pair counts, their merges, and the split."""
        merges = self.n_workers + self.n_workers / (FAN_IN - 1)
        return 3 * self.n_parts + 2 * merges


def seconds(fit: Fit, rates: Rates) -> dict[str, float]:
    """Seconds of each kind of work; those of a level are of the last, the most expensive one."""
    cells = fit.n_cells / fit.n_workers
    nodes = fit.n_nodes(max(0, fit.n_levels - 1))
    hops = math.ceil(math.log(max(fit.n_workers, 2), FAN_IN))
    moved = fit.n_rows * (fit.n_columns + 4) * (1 - 1 / fit.n_workers) / fit.n_workers
    n_bundles = max(4 * fit.n_workers, fit.n_rows / fit.gathered_rows)
    return {
        "bins": rates.bins * cells + rates.task * 12 * fit.n_parts,
        "level, rows": rates.level * cells,
        "level, tasks": rates.task * fit.level_tasks,
        "level, counts": nodes * fit.node_bytes * FAN_IN * hops / rates.network,
        "level, client": nodes * (fit.node_bytes / rates.network + rates.choose),
        "gather": moved / rates.network + rates.task * min(20_000, n_bundles * fit.n_parts),
        "grow": rates.grow * cells,
    }


def total(fit: Fit, rates: Rates) -> float:
    """Seconds of a fit. Nodes double from level to level, so all levels cost two last ones."""
    own = seconds(fit, rates)
    every = fit.n_levels * (own["level, rows"] + own["level, tasks"])
    last = 2 * (own["level, counts"] + own["level, client"]) if fit.n_levels else 0.0
    return own["bins"] + every + last + own["gather"] + own["grow"]


def in_words(n_seconds: float) -> str:
    if n_seconds < 100:
        return f"{n_seconds:.3f} s" if n_seconds < 1 else f"{n_seconds:.1f} s"
    return f"{n_seconds / 60:.0f} min" if n_seconds < 6000 else f"{n_seconds / 3600:.1f} h"


def in_bytes(n: float) -> str:
    units = ((1e12, "TB"), (1e9, "GB"), (1e6, "MB"), (1e3, "kB"))
    size, unit = next(((s, u) for s, u in units if n >= s), (1.0, "B"))
    return f"{n / size:.1f} {unit}"


def column(fit: Fit, rates: Rates) -> list[str]:
    """A column of the table of fits."""
    nodes = fit.n_nodes(max(0, fit.n_levels - 1)) if fit.n_levels else 0
    return [
        f"{fit.n_rows:.0e}".replace("e+0", "e").replace("e+", "e"),
        str(fit.n_workers),
        str(fit.n_questions),
        f"{fit.n_parts:,}",
        str(fit.n_levels),
        f"{nodes:,.0f}",
        f"{fit.level_tasks if fit.n_levels else 0:,.0f}",
        in_bytes(nodes * fit.node_bytes),
        *(in_words(own) for own in seconds(fit, rates).values()),
        in_words(total(fit, rates)),
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    for name, value in asdict(Rates()).items():
        parser.add_argument(f"--{name}", type=float, default=value)
    rates = Rates(**vars(parser.parse_args()))
    huge = {"part_rows": 1e8, "memory": 256e9}
    fits = [
        Fit(1e7, 1, memory=math.inf),
        Fit(1e7, 2, memory=math.inf),
        Fit(1e9, 100),
        Fit(1e9, 1000),
        Fit(1e9, 1000, n_questions=800),
        Fit(1e12, 1000, **huge),
        Fit(1e12, 1000, n_questions=800, **huge),
    ]
    head = ["rows", "workers", "questions", "parts", "levels", "nodes of the last", "tasks a level"]
    head += ["counts of the last", *seconds(fits[0], rates), "all"]
    columns = [column(fit, rates) for fit in fits]
    rows = [[name, *(own[i] for own in columns)] for i, name in enumerate(head)]
    print(report.markdown(rows[0], rows[1:]))


if __name__ == "__main__":
    main()
