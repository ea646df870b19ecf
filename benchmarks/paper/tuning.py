"""Three sets on which the paper's defaults are weak: smaller leaves, and nine trees."""

from __future__ import annotations

from functools import partial

from benchmarks.datasets import recorded
from benchmarks.lib import report
from benchmarks.paper.judging import means_of
from bsnsing import BsnsingClassifier, BsnsingEnsemble


def run(n_splits: int) -> None:
    rows = []
    for line in recorded.paper_figures("tuning"):
        judge = partial(means_of, suite="binary", name=line["set"], n_splits=n_splits)
        leaf = int(line["node_size"])
        models = {
            "": BsnsingClassifier.paper,
            "improved_": partial(BsnsingClassifier.paper, min_samples_leaf=leaf),
            "ensemble_": BsnsingEnsemble.paper,
        }
        row = [line["set"]]
        for prefix, make in models.items():
            found = judge(make)
            row += [line[f"{prefix}accuracy"], f"{found.accuracy:.3f}"]
            row += [line[f"{prefix}auc"], f"{found.auc:.3f}"]
        row += [line["ensemble_seconds"], f"{found.cpu_seconds:.2f}"]
        for make in (BsnsingClassifier, BsnsingEnsemble):
            found = judge(make)
            row += [f"{found.accuracy:.3f}", f"{found.auc:.3f}"]
        rows.append(row)
    head = ["set"]
    for title in ("paper()", "smaller leaves", "paper's nine trees"):
        head += [f"{title}: accuracy, paper", "ours", "AUC, paper", "ours"]
    head += ["CPU s of nine, paper", "ours"]
    for title in ("our default", "our nine trees"):
        head += [f"{title}: accuracy", "AUC"]
    print(report.markdown(head, rows))
