"""What does each setting of BsnsingClassifier() do? Run: python -m benchmarks.defaults.

One change of the defaults, or of a number behind them, at a time, on the sets and splits of
`benchmarks.quality` below 5000 rows. Sets are sorted by name: those at odd places chose the
defaults, those at even places confirm them. Outcomes are kept in a file, so that a run which was
stopped goes on.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pandas as pd

from benchmarks.datasets import published as datasets
from benchmarks.lib import report
from benchmarks.quality import protocol as quality
from benchmarks.quality import report as quality_report
from benchmarks.quality.contestants import CONTESTANTS, Contestant, Learner, Outcome, Task, ours
from bsnsing import BsnsingClassifier, BsnsingClassifierCV
from bsnsing._auto import price_per_leaf

OUTCOMES = datasets.REPO_ROOT / "build" / "defaults.jsonl"
REPORT = datasets.REPO_ROOT / "benchmarks" / "results" / "DEFAULTS.md"
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


def price_without_classes(
    n_cases: float, _n_classes: int, noise: float, unexplained: float
) -> float:
    return price_per_leaf(n_cases, 2, noise, unexplained)


# Numbers that are no parameters: what else they might be, and in brackets what they are.
NUMBERS: dict[str, dict[str, Any]] = {
    "a leaf costs 0.6 cases (0.8)": {"bsnsing._auto._PRICE": 0.6},
    "a leaf costs 1.1 cases": {"bsnsing._auto._PRICE": 1.1},
    "the same with many classes (less)": {
        "bsnsing._estimator.price_per_leaf": price_without_classes,
        "bsnsing._tree_grower.price_per_leaf": price_without_classes,
    },
    "the same in large tables (more)": {"bsnsing._auto._PER_DOUBLING": 0.0},
    "more from 1000 cases on (2000)": {"bsnsing._auto._LARGE": 1000},
    "the same with little noise (less)": {"bsnsing._auto._QUIET": 1e-9},
    "the same where little is explained (less)": {"bsnsing._auto._FALL": 0.0},
    "leaves of 1 case (2)": {"bsnsing._auto._TAUGHT_LEAF": 1},
    "leaves of 4 cases": {"bsnsing._auto._TAUGHT_LEAF": 4},
    "64 thresholds in all (128)": {"bsnsing._auto._ALL_SEGMENTS": 64},
    "256 thresholds in all": {"bsnsing._auto._ALL_SEGMENTS": 256},
    "lesson counts nothing in probabilities (2)": {"bsnsing._shrink._LESSON": 0.0},
    "lesson counts 4 in probabilities": {"bsnsing._shrink._LESSON": 4.0},
    "real rows count 1 (3)": {"bsnsing._teacher._REAL": 1},
    "real rows count 6": {"bsnsing._teacher._REAL": 6},
    "2 times as many rows with made-up ones (4)": {"bsnsing._teacher._TIMES": 2},
    "8 times as many rows with made-up ones": {"bsnsing._teacher._TIMES": 8},
    "at most 6000 rows with made-up ones (12,000)": {"bsnsing._teacher._MOST_ROWS": 6000},
    "at most 24,000 rows with made-up ones": {"bsnsing._teacher._MOST_ROWS": 24000},
    "cells swapped by 0.15 (0.3)": {"bsnsing._teacher._SWAP": 0.15},
    "cells swapped by 0.5": {"bsnsing._teacher._SWAP": 0.5},
    "columns left out above half the work": {
        "bsnsing._teacher._MOST_WORK": 1.5e9,
        "bsnsing._teacher._MOST_WORK_BY_CHOICE": 4e8,
    },
    "columns left out above twice the work": {
        "bsnsing._teacher._MOST_WORK": 6e9,
        "bsnsing._teacher._MOST_WORK_BY_CHOICE": 16e8,
    },
    "25 + 25 trees teach (50 + 50)": {"bsnsing._forest._N_TREES": 25},
    "100 + 100 trees teach": {
        "bsnsing._forest._N_TREES": 100,
        "bsnsing._forest._TREE_ROWS": 160_000,
    },
    "teacher's leaves speak from 1 row on (1 to 16)": {"bsnsing._forest._LEAF_ROWS": (1,)},
    "2 columns paired (4)": {"bsnsing._language._PAIRED": 2},
    "6 columns paired": {"bsnsing._language._PAIRED": 6},
    "pairs up to twice the work": {"bsnsing._language._PAIR_WORK": 2e9},
    "third questions up to half the work": {"bsnsing._language._TRIPLE_WORK": 1e9},
    "third questions up to twice the work": {"bsnsing._language._TRIPLE_WORK": 4e9},
    "richer rules save 1 leaf (2)": {"bsnsing._language._LEAST_SAVED": 1.0},
    "richer rules save 4 leaves": {"bsnsing._language._LEAST_SAVED": 4.0},
}


@contextmanager
def changed(values: dict[str, Any]) -> Iterator[None]:
    """Give numbers of the package, by module and name, other values for a while."""
    with ExitStack() as stack:
        for place, value in values.items():
            stack.enter_context(patch(place, value))
        yield


def contestants() -> dict[str, Contestant]:
    learners = {
        name: ours(lambda change=change: BsnsingClassifier(**change))
        for name, change in CHANGES.items()
    }
    learners[CHOSEN_BY_CV] = ours(BsnsingClassifierCV)
    learners |= {name: with_numbers(values) for name, values in NUMBERS.items()}
    return {name: Contestant(name, learn, "ours") for name, learn in learners.items()}


def with_numbers(values: dict[str, Any]) -> Learner:
    def learn(task: Task) -> Outcome:
        with changed(values):
            return ours(BsnsingClassifier)(task)

    return learn


def halves(by_set: pd.DataFrame, names: list[str]) -> list[list[str]]:
    """The sets that every setting was run on: those that choose, then those that confirm."""
    sets = quality_report.common_sets(by_set, names)
    return [
        [s for s in sets if quality.is_choosing(*s.split("/", 1)) is is_first]
        for is_first in (True, False)
    ]


def change(by_set: pd.DataFrame, half: list[str], name: str, metric: str) -> tuple[float, float]:
    """Mean change over the sets of a half, in points, and its standard error."""
    wide = by_set[metric].unstack().loc[half]
    gap = 100 * (wide[name] - wide[DEFAULT])
    return float(gap.mean()), float(gap.std(ddof=1) / len(gap) ** 0.5)


def greatest_gain(by_set: pd.DataFrame, names: list[str]) -> str:
    """Say by how much a change of the defaults is more accurate on the choosing half, if any."""
    choosing, _ = halves(by_set, names)
    gains = {name: change(by_set, choosing, name, "accuracy") for name in names if name != DEFAULT}
    name, (gain, error) = max(gains.items(), key=lambda item: item[1])
    return f"Greatest gain in accuracy on the choosing half: {gain:+.2f} ± {error:.2f} ({name})."


def table(by_set: pd.DataFrame, names: list[str]) -> str:
    """Each of the settings beside the default."""
    parts = halves(by_set, names)
    sets = parts[0] + parts[1]
    rows = []
    for name in names:
        own = by_set.xs(name, level="learner").loc[sets]
        row = [name]
        for half in parts:
            for metric in ("accuracy", "auc", "log_loss"):
                if name == DEFAULT:
                    row.append(f"{own.loc[half, metric].mean():.4f}")
                else:
                    row.append("{:+.2f} ± {:.2f}".format(*change(by_set, half, name, metric)))
        row += [f"{own['n_leaves'].median():.1f}", f"{own['n_questions'].median():.1f}"]
        rows.append([*row, f"{own['cpu_seconds'].mean():.2f}"])
    head = ["setting"]
    for half in ("choosing", "confirming"):
        head += [f"{metric}, {half}" for metric in ("accuracy", "AUC", "log loss")]
    return report.markdown([*head, "median leaves", "median questions", "mean CPU s"], rows)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--splits", type=int, default=4, help="splits per set (default 4)")
    parser.add_argument("--file", type=Path, default=OUTCOMES, help="where outcomes are kept")
    parser.add_argument("--again", action="store_true", help="forget what is on file first")
    args = parser.parse_args()
    if args.again:
        quality.forget(args.file, list(contestants()))
    CONTESTANTS.update(contestants())
    sets = quality.all_sets(quality.QUICK_ROWS)
    quality.run(args.file, list(contestants()), sets, args.splits)
    outcomes = quality_report.as_frame(quality.read_outcomes(args.file))
    by_set = quality_report.means(quality_report.same_splits(outcomes))
    n_sets = outcomes["set"].nunique()
    text = f"""# What each setting of `BsnsingClassifier()` does

Made by `python -m benchmarks.defaults`; {report.machine()}.

{n_sets} sets below {quality.QUICK_ROWS} rows, {args.splits} random 70/30 splits each. Changes
against the default (first line: its means), in points (hundredths), with the standard error over
sets. Sets at odd places by name chose the defaults, the others confirm them.

{greatest_gain(by_set, [*CHANGES, CHOSEN_BY_CV])}

{table(by_set, [*CHANGES, CHOSEN_BY_CV])}

## Numbers behind the defaults

Numbers that are no parameters, one changed at a time; in brackets what they are. Few of these sets
have more than 2000 cases, where a leaf costs more, or 3000, where fewer than three times as many
rows are made up.
{greatest_gain(by_set, [DEFAULT, *NUMBERS])}

{table(by_set, [DEFAULT, *NUMBERS])}
"""
    REPORT.write_text(text, encoding="utf-8")
    print(f"Wrote {REPORT.relative_to(datasets.REPO_ROOT)}.")


if __name__ == "__main__":
    main()
