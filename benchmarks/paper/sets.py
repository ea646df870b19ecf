"""The paper's two-class and multi-class sets that are here, beside its five R packages."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import numpy as np

from benchmarks.datasets import published
from benchmarks.lib import report
from benchmarks.lib.paths import SHARED
from benchmarks.paper.judging import Means, means_of
from bsnsing import BsnsingClassifier

R_PACKAGES = ("C5.0", "ctree", "rpart", "tree", "bsnsing")
OURS = {"paper()": BsnsingClassifier.paper, "default": BsnsingClassifier}
NOTE = """
Columns named after R packages are the paper's, "paper()" and "default" ours. CPU seconds are of one
fit; bsnsing's are from the paper's machine. The paper has {all} sets, of which {here} are here."""


def run(n_splits: int) -> None:
    path = SHARED / "reference" / "paper_tables.json"
    figures = json.loads(path.read_text(encoding="utf-8"))
    names = [pair for pair in published.paper_names() if pair[1] in figures]
    found = {
        name: [means_of(make, suite, name, n_splits) for make in OURS.values()]
        for suite, name in report.tracked(names, "sets")
    }
    # The paper gives no AUC for more than two classes.
    two = [name for name in found if figures[name]["auc"]]
    more = [name for name in found if not figures[name]["auc"]]
    print("## Two classes\n")
    print(table(two, figures, found, ("acc", "auc")))
    print("\n## More classes\n")
    print(table(more, figures, found, ("acc",)))
    print(NOTE.format(all=len(figures), here=len(found)))


def table(
    names: Sequence[str],
    figures: dict[str, Any],
    found: dict[str, list[Means]],
    metrics: Sequence[str],
) -> str:
    """One row per set, and their means."""
    numbers = []
    for name in names:
        values = []
        for metric in metrics:
            values += [figures[name][metric].get(key, np.nan) for key in R_PACKAGES]
            values += [one.accuracy if metric == "acc" else one.auc for one in found[name]]
        numbers.append([*values, figures[name]["cpu"], *(one.cpu_seconds for one in found[name])])
    rows = [
        [
            name,
            *(f"{value:.3f}" for value in values[:-3]),
            *(f"{value:.2f}" for value in values[-3:]),
        ]
        for name, values in zip(
            [*names, "mean"], [*numbers, np.nanmean(numbers, axis=0)], strict=True
        )
    ]
    head = ["set"]
    for word in [{"acc": "accuracy", "auc": "AUC"}[metric] for metric in metrics]:
        head += [f"{key} {word}" for key in (*R_PACKAGES, *OURS)]
    return report.markdown([*head, "bsnsing CPU s", *(f"{key} CPU s" for key in OURS)], rows)
