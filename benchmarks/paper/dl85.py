"""The paper's comparison on the 24 DL8.5 sets. Run: python -m benchmarks.paper_dl85.

The paper's settings: rules of two questions, smallest child n^(1/4) of the n training rows, 20
random splits of 70/30. The published means are over 20 other random splits; their spread is not
published and taken to be ours.
"""

from __future__ import annotations

import argparse
import csv
import statistics
import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from benchmarks.datasets import published as datasets
from benchmarks.lib import report
from bsnsing import BsnsingClassifier

PUBLISHED = Path(__file__).parents[1] / "datasets" / "paper_figures" / "dl85.csv"
PUBLISHED_SPLITS = 20
CLEARLY = 2.0  # standard errors of the difference


@dataclass
class Runs:
    """What the runs on one set gave."""

    accuracy: list[float]
    depth: list[int]
    n_leaves: list[int]
    seconds: list[float]

    @property
    def mean(self) -> float:
        return statistics.mean(self.accuracy)

    @property
    def standard_error(self) -> float:
        return statistics.stdev(self.accuracy) / len(self.accuracy) ** 0.5

    @property
    def error_of_difference(self) -> float:
        """Standard error of our mean less the published one, which has three digits."""
        variance = statistics.variance(self.accuracy)
        return (variance / len(self.accuracy) + variance / PUBLISHED_SPLITS + 0.001**2 / 12) ** 0.5


def read_published() -> dict[str, dict[str, float]]:
    with PUBLISHED.open(encoding="utf-8") as file:
        return {
            row.pop("set"): {key: float(value) for key, value in row.items()}
            for row in csv.DictReader(file)
        }


def run(name: str, n_splits: int) -> Runs:
    data = datasets.load("dl85", name)
    runs = Runs([], [], [], [])
    for seed in range(n_splits):
        train, test = data.split(seed)
        leaf = max(1, round(len(train) ** 0.25))
        model = BsnsingClassifier.paper(min_samples_leaf=leaf)
        start = time.perf_counter()
        model.fit(data.answers[train], data.y[train])
        runs.seconds.append(time.perf_counter() - start)
        runs.accuracy.append(float(np.mean(model.predict(data.answers[test]) == data.y[test])))
        runs.depth.append(model.get_depth())
        runs.n_leaves.append(model.get_n_leaves())
    return runs


def judge(runs: Runs, published: float) -> tuple[float, str]:
    """Difference to the published mean in standard errors of it, and in words."""
    z = (runs.mean - published) / runs.error_of_difference
    return z, "below" if z < -CLEARLY else "above" if z > CLEARLY else "equal"


def table_row(name: str, runs: Runs, published: dict[str, float]) -> list[str]:
    z, verdict = judge(runs, published["bsnsing_accuracy"])
    return [
        name,
        f"{runs.mean:.3f}",
        f"{runs.standard_error:.3f}",
        f"{published['bsnsing_accuracy']:.3f}",
        f"{z:+.1f}",
        verdict,
        f"{published['dl85_accuracy']:.3f}",
        str(statistics.mode(runs.depth)),
        f"{published['bsnsing_depth']:.0f}",
        f"{statistics.mean(runs.n_leaves):.1f}",
        f"{statistics.median(runs.seconds):.4f}",
        f"{published['bsnsing_seconds']:.1f}",
        f"{published['dl85_seconds']:.1f}",
    ]


HEAD = "set|accuracy|s.e.|paper bsnsing|z|verdict|paper DL8.5|depth|paper depth|leaves|fit s"
HEAD += "|paper fit s|DL8.5 fit s"
NOTE = f"""
z: our mean less the paper's, in standard errors of that difference (the paper's spread taken to be
ours); below and above are beyond {CLEARLY:.0f}. Published seconds are from the paper's machine."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--splits", type=int, default=20, help="random splits (default 20)")
    args = parser.parse_args()
    if not datasets.is_here():
        parser.exit(
            1, "The DL8.5 sets are not here. Set BSNSING_SHARED to the folder with data/.\n"
        )

    published = read_published()
    all_runs = {
        name: run(name, args.splits) for name in report.tracked(list(published), "DL8.5 sets")
    }
    print("# The paper's comparison on the DL8.5 sets\n\n" + report.machine())
    print(
        f"\nMean test accuracy over {args.splits} random 70/30 splits, BsnsingClassifier.paper().\n"
    )
    rows = [table_row(name, runs, published[name]) for name, runs in all_runs.items()]
    print(report.markdown(HEAD.split("|"), rows))
    ours = statistics.mean(runs.mean for runs in all_runs.values())
    error = sum(runs.error_of_difference**2 for runs in all_runs.values()) ** 0.5 / len(all_runs)
    theirs = {
        key: statistics.mean(row[f"{key}_accuracy"] for row in published.values())
        for key in ("bsnsing", "dl85", "osdt", "gosdt")
    }
    print(
        f"\nMean over the sets: {ours:.4f}; the paper's bsnsing {theirs['bsnsing']:.4f} "
        f"(difference {ours - theirs['bsnsing']:+.4f}, standard error {error:.4f}), "
        f"DL8.5 {theirs['dl85']:.4f}, OSDT {theirs['osdt']:.4f}, GOSDT {theirs['gosdt']:.4f}."
    )
    print(NOTE)


if __name__ == "__main__":
    main()
