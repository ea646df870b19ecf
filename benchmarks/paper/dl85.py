"""The paper's comparison on the 24 DL8.5 sets: how far are our means from the published ones?

The paper's settings: rules of two questions, smallest child n^(1/4) of the n training rows, 20
random splits of 70/30. The published means are over 20 other random splits; their spread is not
published and taken to be ours.
"""

from __future__ import annotations

import statistics
from dataclasses import dataclass

from benchmarks.datasets import recorded
from benchmarks.lib import report
from benchmarks.paper.judging import Fitted, each_split, fit_paper

PUBLISHED_SPLITS = 20
CLEARLY = 2.0  # standard errors of the difference


@dataclass(frozen=True)
class Runs:
    """What the runs on one set gave."""

    fitted: list[Fitted]

    @property
    def accuracy(self) -> list[float]:
        return [one.accuracy for one in self.fitted]

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
    return {
        row.pop("set"): {key: float(value) for key, value in row.items()}
        for row in recorded.paper_figures("dl85")
    }


def judge(runs: Runs, published: float) -> tuple[float, str]:
    """Difference to the published mean in standard errors of it, and in words."""
    z = (runs.mean - published) / runs.error_of_difference
    return z, "below" if z < -CLEARLY else "above" if z > CLEARLY else "equal"


def table_row(name: str, runs: Runs, published: dict[str, float]) -> list[str]:
    models = [one.model for one in runs.fitted]
    z, verdict = judge(runs, published["bsnsing_accuracy"])
    return [
        name,
        f"{runs.mean:.3f}",
        f"{runs.standard_error:.3f}",
        f"{published['bsnsing_accuracy']:.3f}",
        f"{z:+.1f}",
        verdict,
        f"{published['dl85_accuracy']:.3f}",
        str(statistics.mode(model.get_depth() for model in models)),
        f"{published['bsnsing_depth']:.0f}",
        f"{statistics.mean(model.get_n_leaves() for model in models):.1f}",
        f"{statistics.median(one.cpu_seconds for one in runs.fitted):.4f}",
        f"{published['bsnsing_seconds']:.1f}",
        f"{published['dl85_seconds']:.1f}",
    ]


HEAD = "set|accuracy|s.e.|paper bsnsing|z|verdict|paper DL8.5|depth|paper depth|leaves|fit CPU s"
HEAD += "|paper fit s|DL8.5 fit s"
NOTE = f"""
z: our mean less the paper's, in standard errors of that difference (the paper's spread taken to be
ours); below and above are beyond {CLEARLY:.0f}. Published seconds are from the paper's machine."""


def run(n_splits: int) -> None:
    published = read_published()
    names = report.tracked(list(published), "DL8.5 sets")
    all_runs = {name: Runs(list(each_split(fit_paper(), name, n_splits))) for name in names}
    print("Mean test accuracy over random 70/30 splits, BsnsingClassifier.paper().\n")
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
