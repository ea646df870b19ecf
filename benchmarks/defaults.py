"""What does each setting of BsnsingClassifier() do? Run: python -m benchmarks.defaults.

One change of the defaults at a time, on the sets and splits of `benchmarks.quality` below 5000
rows. Sets are sorted by name: those at odd places chose the defaults, those at even places
confirm them. Outcomes are kept in a file, so that a run which was stopped goes on.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

import pandas as pd

from benchmarks import datasets, quality, quality_report, report
from benchmarks.contestants import CONTESTANTS, Contestant, ours
from bsnsing import BsnsingClassifier, BsnsingClassifierCV

OUTCOMES = datasets.REPO_ROOT / "build" / "defaults.jsonl"
REPORT = datasets.REPO_ROOT / "benchmarks" / "DEFAULTS.md"
DEFAULT = "default"
CHANGES: dict[str, dict[str, Any]] = {
    DEFAULT: {},
    "teacher=None": {"teacher": None},
    "teacher=None, shrinkage=0": {"teacher": None, "shrinkage": 0.0},
    "teacher=None, shrinkage=3": {"teacher": None, "shrinkage": 3.0},
    "shrinkage=0": {"shrinkage": 0.0},
    "shrinkage=10": {"shrinkage": 10.0},
    "ccp_alpha=0": {"ccp_alpha": 0.0},
    "ccp_alpha=0.002": {"ccp_alpha": 0.002},
    "max_leaf_nodes=8": {"max_leaf_nodes": 8},
    "min_samples_leaf=1": {"min_samples_leaf": 1},
    "min_samples_leaf=5": {"min_samples_leaf": 5},
    "min_samples_leaf='sqrt'": {"min_samples_leaf": "sqrt"},
    "criterion='gini'": {"criterion": "gini"},
    "criterion='gini_squared'": {"criterion": "gini_squared"},
    "operators=('or',)": {"operators": ("or",)},
    "max_rules=1": {"max_rules": 1},
    "max_rules=2": {"max_rules": 2},
    "column_pairs=None": {"column_pairs": None},
    "max_rules=2, column_pairs=None": {"max_rules": 2, "column_pairs": None},
    "n_segments=20": {"n_segments": 20},
}
CHOSEN_BY_CV = "BsnsingClassifierCV"


def contestants() -> dict[str, Contestant]:
    made = {
        name: Contestant(name, ours(lambda change=change: BsnsingClassifier(**change)), "ours")
        for name, change in CHANGES.items()
    }
    return made | {CHOSEN_BY_CV: Contestant(CHOSEN_BY_CV, ours(BsnsingClassifierCV), "ours")}


def changes(by_set: pd.DataFrame, half: list[str], name: str) -> list[str]:
    """Mean change over the sets of a half, in points, with its standard error."""
    cells = []
    for metric in ("accuracy", "auc", "log_loss"):
        wide = by_set[metric].unstack().loc[half]
        gap = 100 * (wide[name] - wide[DEFAULT])
        cells.append(f"{gap.mean():+.2f} ± {gap.std(ddof=1) / len(gap) ** 0.5:.2f}")
    return cells


def table(outcomes: dict) -> str:
    by_set = quality_report.means(quality_report.same_splits(quality_report.as_frame(outcomes)))
    names = [name for name in contestants() if name in by_set.index.get_level_values("learner")]
    sets = quality_report.common_sets(by_set, names)
    halves = [
        [s for s in sets if quality.is_choosing(*s.split("/", 1)) is is_first]
        for is_first in (True, False)
    ]
    rows = []
    for name in names:
        own = by_set.xs(name, level="learner").loc[sets]
        row = [name]
        for half in halves:
            if name == DEFAULT:
                row += [f"{own.loc[half, m].mean():.4f}" for m in ("accuracy", "auc", "log_loss")]
            else:
                row += changes(by_set, half, name)
        row += [f"{own['n_leaves'].median():.1f}", f"{own['n_questions'].median():.1f}"]
        rows.append([*row, f"{own['cpu_seconds'].mean():.2f}"])
    head = ["setting"]
    for half in ("choosing", "confirming"):
        head += [f"{metric}, {half}" for metric in ("accuracy", "AUC", "log loss")]
    return report.markdown([*head, "median leaves", "median questions", "mean CPU s"], rows)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--splits", type=int, default=2, help="splits per set (default 2)")
    parser.add_argument("--file", type=Path, default=OUTCOMES, help="where outcomes are kept")
    args = parser.parse_args()
    CONTESTANTS.update(contestants())
    sets = quality.all_sets(quality.QUICK_ROWS)
    quality.run(args.file, list(contestants()), sets, args.splits)
    outcomes = quality.read_outcomes(args.file)
    n_sets = len({key[0] for key in outcomes})
    text = f"""# What each setting of `BsnsingClassifier()` does

Made by `python -m benchmarks.defaults`; {report.machine()}.

{n_sets} sets below {quality.QUICK_ROWS} rows, {args.splits} random 70/30 splits each. Changes
against the default (first line: its means), in points (hundredths), with the standard error over
sets. Sets at odd places by name chose the defaults, the others confirm them.

"""
    REPORT.write_text(text + table(outcomes) + "\n", encoding="utf-8")
    print(f"Wrote {REPORT.relative_to(datasets.REPO_ROOT)}.")


if __name__ == "__main__":
    main()
