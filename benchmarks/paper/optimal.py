"""Accuracy and time on the 24 DL8.5 sets beside optimal trees; the paper's node size is n^(1/4)."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from benchmarks.datasets import recorded
from benchmarks.lib import report
from benchmarks.paper import rivals
from benchmarks.paper.judging import each_split, fit_paper
from bsnsing import BsnsingClassifier

OURS = {"bsnsing": fit_paper(), "default": lambda X, y: BsnsingClassifier().fit(X, y)}
# Splits at most, and depth. The paper gives DL8.5 depth 3 and GOSDT none.
RIVALS = {"dl85": (5, 3), "gosdt": (2, rivals.GOSDT_DEPTH)}


def run(n_splits: int, limit: float) -> None:
    lines = recorded.paper_figures("dl85")
    sets = [line["set"] for line in lines]
    fits = pd.concat([_ours(sets, n_splits), *_theirs(sets, n_splits, limit)])
    learners = list(dict.fromkeys(fits["learner"]))
    means = fits.groupby(["set", "learner"])[["accuracy", "cpu_seconds"]].mean()
    rows = []
    for line in lines:
        row = [line["set"]]
        for key in learners:
            found = means.loc[line["set"], key]
            accuracy, seconds = f"{found['accuracy']:.3f}", f"{found['cpu_seconds']:.2f}"
            if key == "default":
                row += [accuracy, seconds]
            else:
                row += [line[f"{key}_accuracy"], accuracy, line[f"{key}_seconds"], seconds]
        rows.append([*row, line["osdt_accuracy"], line["osdt_seconds"]])
    head = ["set"]
    for key in learners:
        if key == "default":
            head += ["our default", "CPU s"]
        else:
            head += [f"{key}, paper", "here", "CPU s, paper", "here"]
    print(report.markdown([*head, "osdt, paper", "CPU s, paper"], rows))
    print(f"\n{compared(fits)}\n\n{note(fits, limit)}")


def _ours(sets: Sequence[str], n_splits: int) -> pd.DataFrame:
    return pd.DataFrame(
        {"set": name, "learner": key, "split": split}
        | {"accuracy": one.accuracy, "cpu_seconds": one.cpu_seconds}
        for name in report.tracked(sets, "DL8.5 sets")
        for key, fit in OURS.items()
        for split, one in enumerate(each_split(fit, name, n_splits))
    )


def _theirs(sets: Sequence[str], n_splits: int, limit: float) -> list[pd.DataFrame]:
    return [
        rivals.judge([key], sets, [depth], min(most, n_splits), limit)
        for key, (most, depth) in RIVALS.items()
        if key in rivals.installed()
    ]


def compared(fits: pd.DataFrame) -> str:
    """Means over the splits that all managed, and over the sets that have some."""
    table = fits.pivot_table("accuracy", ["set", "split"], "learner", sort=False).dropna()
    means = table.groupby("set").mean().mean()
    found = ", ".join(f"{key} {value:.4f}" for key, value in means.items())
    n_sets = table.index.get_level_values("set").nunique()
    return f"Means over the {len(table)} splits of {n_sets} sets that all managed: {found}."


def note(fits: pd.DataFrame, limit: float) -> str:
    """How often each was run, and what became of those that did not end well."""
    n_fits = fits.groupby("learner", sort=False)["split"].agg(lambda splits: splits.max() + 1)
    words = ["Splits: " + ", ".join(f"{key} {count}" for key, count in n_fits.items()) + "."]
    failed = fits[fits["accuracy"].isna()]
    for key, some in failed.groupby("learner", sort=False):
        names = ", ".join(dict.fromkeys(some["set"]))
        words.append(f"{key} gave no tree in {len(some)} fits ({names}).")
    words.append(
        f"Rivals have {limit:g} seconds, {rivals.MOST_BYTES >> 30} GiB and GOSDT depth "
        f"{rivals.GOSDT_DEPTH} here; 300 seconds and no limit of depth in the paper. OSDT is in no "
        "package index, so its column is the paper's."
    )
    return "\n".join(words)
