"""Trees cut back to 2^depth leaves beside optimal trees of that depth."""

from __future__ import annotations

import numpy as np

from benchmarks.datasets import recorded
from benchmarks.lib import report
from benchmarks.paper import rivals
from benchmarks.paper.judging import accuracy_of, fit_paper

DEPTHS = (1, 2, 3)
RIVAL_SPLITS = 5


def run(n_splits: int, limit: float) -> None:
    lines = recorded.paper_figures("depth")
    theirs = _dl85([line["set"] for line in lines], min(n_splits, RIVAL_SPLITS), limit)
    rows, numbers = [], []
    for line in report.tracked(lines, "DL8.5 sets"):
        values = []
        for d in DEPTHS:
            for rules in (2, 1):
                fit = fit_paper(max_rules=rules, max_leaf_nodes=2**d)
                found, _ = accuracy_of(fit, line["set"], n_splits)
                values += [float(line[f"bs{rules}_depth{d}"]), found]
            values += [float(line[f"dl85_depth{d}"]), theirs.get((line["set"], d), np.nan)]
            values += [float(line[f"osdt_depth{d}"] or "nan")]
        rows.append([line["set"], *(f"{value:.3f}" for value in values)])
        numbers.append(values)
    rows.append(["mean", *(f"{value:.3f}" for value in np.nanmean(numbers, axis=0))])
    head = ["set"]
    for d in DEPTHS:
        for key in ("bs(2)", "bs(1)", "DL8.5"):
            head += [f"paper's {key} depth {d}", "here"]
        head += [f"paper's OSDT depth {d}"]
    print(report.markdown(head, rows))
    print(f"\nDL8.5 here: {RIVAL_SPLITS} splits at most, and {limit:g} seconds for each fit.")


def _dl85(sets: list[str], n_splits: int, limit: float) -> dict[tuple[str, int], float]:
    """Mean accuracy by set and depth."""
    if "dl85" not in rivals.installed():
        return {}
    fits = rivals.judge(["dl85"], sets, DEPTHS, n_splits, limit)
    return fits.groupby(["set", "depth"])["accuracy"].mean().to_dict()
