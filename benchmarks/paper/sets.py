"""All sets of the paper that are here, with its settings and with our defaults."""

from __future__ import annotations

import json

import numpy as np

from benchmarks.datasets import published
from benchmarks.lib import report
from benchmarks.lib.paths import SHARED
from benchmarks.paper.judging import accuracy_and_auc
from bsnsing import BsnsingClassifier

R_PACKAGES = ("C5.0", "ctree", "rpart", "tree", "bsnsing")


def run(n_splits: int) -> None:
    path = SHARED / "reference" / "paper_tables.json"
    figures = json.loads(path.read_text(encoding="utf-8"))
    rows, numbers = [], []
    for suite, name in report.tracked(published.paper_names(), "sets"):
        if name not in figures:
            continue
        ours = [
            accuracy_and_auc(make, suite, name, n_splits)
            for make in (BsnsingClassifier.paper, BsnsingClassifier)
        ]
        values = []
        for k, metric in enumerate(("acc", "auc")):
            values += [figures[name][metric].get(key, np.nan) for key in R_PACKAGES]
            values += [found[k] for found in ours]
        numbers.append(values)
        rows.append([name, *(f"{value:.3f}" for value in values)])
    rows.append(["mean", *(f"{value:.3f}" for value in np.nanmean(numbers, axis=0))])
    head = ["set"]
    for metric in ("accuracy", "AUC"):
        head += [f"{key} {metric}" for key in (*R_PACKAGES, "paper()", "default")]
    print(report.markdown(head, rows))
    print(f"\nThe R packages' figures are the paper's; of its 75 sets {len(rows) - 1} are here.")
