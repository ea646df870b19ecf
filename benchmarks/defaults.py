"""Which settings should BsnsingClassifier() have? Run: python -m benchmarks.defaults.

All combinations of criterion, operators and leaf size, and single changes of a few others, on the
DL8.5 sets and the paper's tables below 5000 rows; random 70/30 splits. Sets are sorted by name:
the odd ones choose, the even ones confirm.
"""

from __future__ import annotations

import argparse
import csv
import itertools
import time
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from pathlib import Path

import numpy as np
from scipy.stats import rankdata

from benchmarks import datasets, report
from bsnsing import BsnsingClassifier

MAX_ROWS = 5000
MANY_ROWS = 2000  # from here on the spread between splits is small, and two splits do
CRITERIA = ("gini", "entropy", "gini_squared")
OPERATORS = ("or+and", "or")
LEAVES = ("sqrt", "n^(1/4)", "5")
SHRINK = (0, 3, 10)  # cases that the parent's shares count for in a leaf; 0 is the plain share


@dataclass(frozen=True)
class Setting:
    """One combination; ``shrink`` only changes the probabilities of a grown tree."""

    criterion: str = "gini"
    operators: str = "or+and"
    leaf: str = "sqrt"
    n_segments: int = 20
    max_rules: int = 2
    shrink: int = 0

    def model(self, n_train: int) -> BsnsingClassifier:
        leaf = {"sqrt": "sqrt", "n^(1/4)": max(1, round(n_train**0.25)), "5": 5}[self.leaf]
        return BsnsingClassifier(
            criterion=self.criterion,
            operators=tuple(self.operators.split("+")),
            min_samples_leaf=leaf,
            n_segments=self.n_segments,
            max_rules=self.max_rules,
        )


GRID = [Setting(*choice) for choice in itertools.product(CRITERIA, OPERATORS, LEAVES)]
SINGLE_CHANGES = [
    replace(Setting(leaf=leaf), **change)
    for leaf in LEAVES
    for change in ({"n_segments": 8}, {"max_rules": 1})
]


@dataclass(frozen=True)
class Outcome:
    """What one tree did on one split of one set."""

    setting: Setting
    set: str
    seed: int
    accuracy: float
    auc: float
    n_leaves: int
    seconds: float


def shares_shrunk_to_parents(tree, weight: float) -> np.ndarray:
    """Class shares of each node, mixed with ``weight`` cases of its parent's (m-estimate)."""
    shares = tree.counts / tree.counts.sum(axis=1, keepdims=True)
    if weight == 0:
        return shares
    for node in range(tree.n_nodes):  # parents come before their children
        if tree.children_left[node] < 0:
            continue
        for child in (tree.children_left[node], tree.children_right[node]):
            mixed = tree.counts[child] + weight * shares[node]
            shares[child] = mixed / mixed.sum()
    return shares


def auc(scores: np.ndarray, y: np.ndarray, classes: np.ndarray) -> float:
    """Rank statistic, ties half; with more classes the mean of one against the rest."""
    values = []
    for position, label in enumerate(classes):
        is_class = y == label
        n_yes, n_no = is_class.sum(), (~is_class).sum()
        if n_yes and n_no:
            ranks = rankdata(scores[:, position])[is_class].sum()
            values.append((ranks - n_yes * (n_yes + 1) / 2) / (n_yes * n_no))
    return float(np.mean(values)) if values else np.nan


def try_setting(setting: Setting, data: datasets.Dataset, seed: int) -> Iterator[Outcome]:
    """Grow one tree; read its probabilities with every strength of shrinking."""
    train, test = data.split(seed)
    model = setting.model(len(train))
    start = time.process_time()
    model.fit(data.take(train), data.y[train])
    seconds = time.process_time() - start
    leaves = model.apply(data.take(test))
    for shrink in SHRINK:
        scores = shares_shrunk_to_parents(model.tree_, shrink)[leaves]
        right = model.classes_[scores.argmax(axis=1)] == data.y[test]
        yield Outcome(
            replace(setting, shrink=shrink),
            f"{data.suite}/{data.name}",
            seed,
            float(right.mean()),
            auc(scores, data.y[test], model.classes_),
            model.get_n_leaves(),
            seconds,
        )


def run_set(data: datasets.Dataset, n_splits: int) -> Iterator[Outcome]:
    for seed in range(n_splits if data.n_rows < MANY_ROWS else min(2, n_splits)):
        for setting in GRID + SINGLE_CHANGES:
            yield from try_setting(setting, data, seed)


Means = dict[tuple[Setting, str], np.ndarray]  # accuracy, AUC, leaves, seconds by setting and set


def mean_over_splits(outcomes: list[Outcome]) -> Means:
    groups: dict[tuple[Setting, str], list[tuple[float, ...]]] = defaultdict(list)
    for o in outcomes:
        groups[o.setting, o.set].append((o.accuracy, o.auc, o.n_leaves, o.seconds))
    return {key: np.nanmean(values, axis=0) for key, values in groups.items()}


def print_changes(means: Means, sets: list[str]) -> None:
    """Each choice against the first of its kind, averaged over the grid where both are in it."""
    kinds = {"criterion": CRITERIA, "operators": OPERATORS, "leaf": LEAVES}
    kinds |= {"n_segments": (20, 8), "max_rules": (2, 1), "shrink": SHRINK}
    rows = []
    for kind, (first, *others) in kinds.items():
        for choice in others:
            pairs = [
                (setting, replace(setting, **{kind: choice}))
                for setting in {setting for setting, _ in means}
                if getattr(setting, kind) == first
            ]
            pairs = [pair for pair in pairs if (pair[1], sets[0]) in means]
            row = [f"{kind}: {choice} instead of {first}"]
            for half in (sets[::2], sets[1::2]):
                gains = [
                    np.mean([means[b, name] - means[a, name] for a, b in pairs], axis=0)[:2]
                    for name in half
                ]
                errors = np.std(gains, axis=0, ddof=1) / len(gains) ** 0.5
                for gain, error in zip(np.mean(gains, axis=0), errors, strict=True):
                    row.append(f"{gain:+.4f} ± {error:.4f}")
            rows.append(row)
    head = "change|accuracy, choosing|AUC, choosing|accuracy, confirming|AUC, confirming"
    print(report.markdown(head.split("|"), rows))


def print_combinations(means: Means, sets: list[str]) -> None:
    """Means over the sets of each half, best sum of accuracy and AUC on the first half first."""
    table = []
    for setting in {setting for setting, _ in means}:
        halves = [
            np.mean([means[setting, name] for name in half], axis=0)
            for half in (sets[::2], sets[1::2])
        ]
        table.append((setting, *halves))
    table.sort(key=lambda row: -row[1][:2].sum())
    rows = [
        [*asdict(setting).values()]
        + [f"{value:.4f}" for half in (first, second) for value in half[:2]]
        + [f"{(first[2] + second[2]) / 2:.1f}", report.milliseconds((first[3] + second[3]) / 2)]
        for setting, first, second in table
    ]
    head = "criterion|operators|leaf|n_segments|max_rules|shrink|acc, choosing|AUC, choosing"
    head += "|acc, confirming|AUC, confirming|leaves|fit CPU ms"
    print(report.markdown(head.split("|"), rows))


def save(outcomes: list[Outcome], path: Path) -> None:
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        keys = [key for key in vars(outcomes[0]) if key != "setting"]
        writer.writerow([*asdict(outcomes[0].setting), *keys])
        for outcome in outcomes:
            values = [getattr(outcome, key) for key in keys]
            writer.writerow([*asdict(outcome.setting).values(), *values])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--splits", type=int, default=5, help="random splits (default 5)")
    parser.add_argument("--save", type=Path, help="write every outcome to this CSV file")
    args = parser.parse_args()

    suites = [("dl85", name) for name in datasets.dl85_names()]
    suites += datasets.paper_names(MAX_ROWS)
    suites.sort(key=lambda pair: (pair[1].lower(), pair[0]))
    outcomes: list[Outcome] = []
    for suite, name in report.tracked(suites, "sets"):
        outcomes.extend(run_set(datasets.load(suite, name), args.splits))
    if args.save:
        save(outcomes, args.save)
    means = mean_over_splits(outcomes)
    sets = [f"{suite}/{name}" for suite, name in suites]
    print("# Settings compared\n\n" + report.machine())
    print(f"\n{len(sets)} sets, {args.splits} random 70/30 splits each (2 from {MANY_ROWS} rows).")
    print("\n## Changes, all else equal (mean over sets ± standard error)\n")
    print_changes(means, sets)
    print("\n## Combinations, best on the choosing half first\n")
    print_combinations(means, sets)


if __name__ == "__main__":
    main()
