"""Trees cut back to 2^depth leaves beside optimal trees of that depth."""

from __future__ import annotations

from functools import partial

import numpy as np

from benchmarks.datasets import recorded
from benchmarks.lib import report
from benchmarks.paper.judging import accuracy_of, attempt, fit_paper
from benchmarks.paper.rivals import fit_dl85, installed

DEPTHS = (1, 2, 3)


def run(n_splits: int) -> None:
    has_dl85 = installed(fit_dl85, "pydl8.5") is not None
    rows, numbers = [], []
    for line in report.tracked(recorded.paper_figures("depth"), "DL8.5 sets"):
        values = []
        for d in DEPTHS:
            fits = {
                f"bs{rules}": fit_paper(max_rules=rules, max_leaf_nodes=2**d) for rules in (2, 1)
            }
            fits["dl85"] = fit_dl85(d) if has_dl85 else None
            for key, fit in fits.items():
                found = np.nan
                if fit is not None:
                    found, _ = attempt(partial(accuracy_of, fit), line["set"], n_splits)
                values += [float(line[f"{key}_depth{d}"]), found]
        rows.append([line["set"], *(f"{value:.3f}" for value in values)])
        numbers.append(values)
    rows.append(["mean", *(f"{value:.3f}" for value in np.nanmean(numbers, axis=0))])
    head = ["set"]
    for d in DEPTHS:
        for key in ("bs(2)", "bs(1)", "DL8.5"):
            head += [f"paper's {key} depth {d}", "here"]
    print(report.markdown(head, rows))
