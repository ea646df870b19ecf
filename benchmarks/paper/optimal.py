"""Accuracy and time on the 24 DL8.5 sets beside optimal trees; the paper's node size is n^(1/4)."""

from __future__ import annotations

from functools import partial

import numpy as np

from benchmarks.datasets import recorded
from benchmarks.lib import report
from benchmarks.paper.judging import Fit, accuracy_of, attempt, fit_paper
from benchmarks.paper.rivals import fit_dl85, fit_gosdt, gosdt_apart, installed
from bsnsing import BsnsingClassifier

GOSDT_SPLITS = 2
NOTE = "GOSDT: two splits at most, 60 s, 12 GiB and depth 5 here; 300 s and no limit in the paper."


def contestants() -> dict[str, Fit]:
    rivals = {
        "dl85": installed(fit_dl85, "pydl8.5"),
        "gosdt": installed(fit_gosdt, "gosdt"),
    }
    ours = {"bsnsing": fit_paper(), "default": lambda X, y: BsnsingClassifier().fit(X, y)}
    return ours | {key: fit for key, fit in rivals.items() if fit}


def run(n_splits: int) -> None:
    learners = contestants()
    rows, ours = [], {key: [] for key in learners}
    for line in report.tracked(recorded.paper_figures("dl85"), "DL8.5 sets"):
        row = [line["set"]]
        for key, fit in learners.items():
            if key == "gosdt":
                found = attempt(gosdt_apart, line["set"], min(GOSDT_SPLITS, n_splits))
            else:
                found = attempt(partial(accuracy_of, fit), line["set"], n_splits)
            ours[key].append(found)
            if key != "default":
                row.append(line[f"{key}_accuracy"])
            row += [f"{found[0]:.3f}", f"{found[1]:.2f}"]
        rows.append([*row, line["osdt_accuracy"]])
    head = ["set"]
    for key in learners:
        head += [f"paper's {key}"] if key != "default" else []
        head += [f"{key} here", "CPU s"]
    print(report.markdown([*head, "paper's osdt"], rows))
    accuracies = {key: np.array([accuracy for accuracy, _ in found]) for key, found in ours.items()}
    is_common = ~np.isnan(list(accuracies.values())).any(axis=0)
    means = ", ".join(f"{key} {found[is_common].mean():.4f}" for key, found in accuracies.items())
    print(f"\nMeans over the {is_common.sum()} sets that all managed: {means}. {NOTE}")
