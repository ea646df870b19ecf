"""What do more rows do to a fit, and what do they cost? Run: python -m benchmarks.quality.sizes.

Two made-up tables of 1,000 to 1,000,000 rows: does the default tree get better with every step, is
it at least as good as without its teacher, and how long does it take beside scikit-learn's forest
of 100 trees? Then times beside that forest on all sets of `benchmarks.quality`. One thread each.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from typing import Any

import numpy as np
import pandas as pd
from scipy.stats import rankdata
from sklearn.ensemble import RandomForestClassifier
from threadpoolctl import threadpool_limits

from benchmarks import datasets
from benchmarks.datasets import made, published
from benchmarks.datasets.dataset import Dataset
from benchmarks.lib import outcomes as on_file
from benchmarks.lib import report
from benchmarks.lib.outcomes import Job
from benchmarks.lib.paths import RESULTS
from benchmarks.lib.targets import geometric_mean
from benchmarks.lib.timing import median_seconds, take_turns
from benchmarks.quality import protocol, scores
from bsnsing import BsnsingClassifier

SIZES = (*(k * 10**e for e in (3, 4, 5) for k in (1, 2, 5)), 1_000_000)
TEST_ROWS = 50_000
TEST_SEED = 1000
TABLES: dict[str, Callable[..., tuple[pd.DataFrame, np.ndarray]]] = {
    "noisy": made.noisy_table,
    "ruled": made.ruled_table,
}
OURS, FOREST = "bsnsing", "forest of 100"
LEARNERS: dict[str, Callable[[], Any]] = {
    OURS: BsnsingClassifier,
    "teacher=None": lambda: BsnsingClassifier(teacher=None),
    "plain()": BsnsingClassifier.plain,
    FOREST: lambda: RandomForestClassifier(100, random_state=0),
}
FOREST_ROWS = 100_000  # it is not fitted to more
SEEDS, SEED_ROWS = 3, 20_000  # tables of a size, if they have no more rows together than that
ROUNDS = 5  # of timed fits
METRICS = {"accuracy": 1, "auc": 1, "log_loss": -1}  # what is better
NAMES = {"accuracy": "accuracy", "auc": "AUC", "log_loss": "log loss"}


@lru_cache(maxsize=1)
def training_table(name: str, rows: int, seed: int) -> Dataset:
    return Dataset(name, "made", *TABLES[name](rows, seed=seed))


@lru_cache(maxsize=2)
def test_table(name: str) -> Dataset:
    return Dataset(name, "made", *TABLES[name](TEST_ROWS, seed=TEST_SEED))


def scores_of(shares: np.ndarray, y: np.ndarray) -> dict[str, float]:
    """Every score with its standard error, which is that of the test."""
    n = len(y)
    right = scores.accuracy(shares, y)
    losses = -np.log(np.maximum(shares[np.arange(n), y], scores.SMALLEST))
    return {
        "accuracy": right,
        "accuracy_error": (right * (1 - right) / n) ** 0.5,
        "auc": scores.auc(shares, y),
        "auc_error": auc_error(shares[:, 1], y == 1),
        "log_loss": scores.log_loss(shares, y),
        "log_loss_error": float(losses.std() / n**0.5),
    }


def auc_error(chance: np.ndarray, is_event: np.ndarray) -> float:
    """Standard error by DeLong's formula: how far each case's share of pairs won spreads."""
    everyone = rankdata(chance)
    squares = 0.0
    for is_own in (is_event, ~is_event):
        won = (everyone[is_own] - rankdata(chance[is_own])) / (~is_own).sum()
        squares += won.var(ddof=1) / is_own.sum()
    return float(squares**0.5)


def run_size(job: Job) -> dict[str, Any]:
    """Fit one table of one size."""
    train = training_table(job["table"], job["rows"], job["seed"])
    test = test_table(job["table"])
    tables = [d.numbers if job["learner"] == FOREST else d.X for d in (train, test)]
    with threadpool_limits(1):
        start = time.process_time()
        model = LEARNERS[job["learner"]]().fit(tables[0], train.y)
        seconds = time.process_time() - start
        shares = model.predict_proba(tables[1])
    n_leaves = np.nan if job["learner"] == FOREST else float(model.get_n_leaves())
    return {"seconds": seconds, "leaves": n_leaves} | scores_of(shares, test.y)


def size_jobs(most: int) -> list[Job]:
    """Smaller tables first, with more seeds; learners take turns."""
    return [
        {"part": "sizes", "table": table, "rows": rows, "seed": seed, "learner": learner}
        for rows in SIZES
        if rows <= most
        for table in TABLES
        for seed in range(max(1, min(SEEDS, SEED_ROWS // rows)))
        for learner in LEARNERS
        if learner != FOREST or rows <= FOREST_ROWS
    ]


def run_time(job: Job) -> dict[str, Any]:
    """Time both on one set, in turns, warmed up: else the first set pays for what is imported."""
    data = datasets.load(*job["set"].split("/", 1))
    task = protocol.make_task(data, 0)
    table, numbers, y = task.tables[0], task.numbers[0], task.y
    with threadpool_limits(1):
        turns = take_turns(
            {
                OURS: lambda: LEARNERS[OURS]().fit(table, y),
                FOREST: lambda: LEARNERS[FOREST]().fit(numbers, y),
            },
            n_rounds=ROUNDS,
        )
    return {name: median_seconds(own, cpu=True) for name, own in turns.items()}


def mean_of(table: pd.DataFrame) -> pd.DataFrame:
    """Means over seeds: rows are (table, rows, learner)."""
    return table.drop(columns=["part", "seed"]).groupby(["table", "rows", "learner"]).mean()


def gap(better: pd.Series, worse: pd.Series, metric: str) -> str | None:
    """Say by how much one is better than the other, if it is by more than two standard errors."""
    difference = METRICS[metric] * (better[metric] - worse[metric])
    error = worse[f"{metric}_error"]
    if difference <= 2 * error:
        return None
    return f"{100 * difference:.2f} points ({difference / error:.0f} standard errors)"


def falls(means: pd.DataFrame) -> Iterator[str]:
    """Where a score of the default is worse than at the size before, or than without teacher."""
    for name, own in means.groupby("table"):
        ours = own.xs(OURS, level="learner").droplevel("table")
        for metric, title in NAMES.items():
            for before, after in zip(ours.index[:-1], ours.index[1:], strict=True):
                found = gap(ours.loc[before], ours.loc[after], metric)
                if found:
                    yield f"- {name}, {title}: {found} worse at {after:,} rows than at {before:,}."
            for rival in ("teacher=None", "plain()"):
                for rows in ours.index:
                    found = gap(own.loc[name, rows, rival], ours.loc[rows], metric)
                    if found:
                        yield f"- {name}, {title}: {found} worse than {rival} at {rows:,} rows."


def rows_of(means: pd.DataFrame, table: str) -> Iterator[list[str]]:
    """One line per size and learner."""
    for rows, own in means.loc[table].groupby("rows"):
        for learner in LEARNERS:
            if (rows, learner) not in own.index:
                continue
            line = own.loc[(rows, learner)]
            forest = own["seconds"].get((rows, FOREST))
            yield [
                f"{rows:,}",
                learner,
                *(f"{line[metric]:.4f}" for metric in METRICS),
                "-" if learner == FOREST else f"{line['leaves']:.0f}",
                f"{line['seconds']:.2f}",
                "-" if forest is None else f"{line['seconds'] / forest:.2g}",
            ]


def time_rows(times: pd.DataFrame) -> Iterator[list[str]]:
    """Ours over the forest's, of groups of sets."""
    sizes = np.array([published.n_rows(*key.split("/", 1)) for key in times["set"]])
    ratios = (times[OURS] / times[FOREST]).to_numpy()
    is_large = sizes >= protocol.QUICK_ROWS
    for name, is_here in (
        (f"below {protocol.QUICK_ROWS:,} rows", ~is_large),
        ("larger", is_large),
        ("all", is_large | True),
    ):
        own = ratios[is_here]
        if len(own):
            most = times["set"].to_numpy()[is_here][own.argmax()]
            yield [
                name,
                str(len(own)),
                f"{geometric_mean(own):.2f}",
                f"{own.max():.2f} ({most})",
                f"{(own > 1).mean():.0%}",
                f"{times[OURS][is_here].max():.1f}",
            ]


def slower(times: pd.DataFrame) -> str:
    """The sets on which ours takes longer than the forest."""
    slow = times.assign(ratio=times[OURS] / times[FOREST]).query("ratio > 1")
    found = slow.sort_values("ratio", ascending=False)[["set", "ratio"]].itertuples(index=False)
    return ", ".join(f"{key} {ratio:.2f}" for key, ratio in found) or "none"


def text_of(table: pd.DataFrame, times: pd.DataFrame) -> str:
    """The report."""
    means = mean_of(table)
    head = ["rows", "learner", *NAMES.values(), "leaves", "CPU s", "over forest"]
    parts = {name: report.markdown(head, rows_of(means, name)) for name in TABLES}
    time_head = ["sets", "number", "geometric mean", "greatest", "above 1", "slowest fit, CPU s"]
    return f"""# More rows

Made by `python -m benchmarks.quality.sizes`; {report.machine()}.

Two made-up tables, {TEST_ROWS:,} new rows each. Up to {SEED_ROWS // 2:,} rows means over two or
three tables. One thread, CPU seconds of the fit; the last column is their ratio to those of
scikit-learn's `RandomForestClassifier(100)`, which is fitted to at most {FOREST_ROWS:,} rows, with
categories as 0/1 columns.

## What gets worse

Where a score of the default is worse by more than two standard errors of the test (about .2 points
of accuracy) than at the size before, or than that of `teacher=None` or `plain()` at the same size:

{chr(10).join(falls(means)) or "Nowhere."}

## Noisy: 20 numeric columns, eight of which matter; the best possible accuracy is .82

{parts["noisy"]}

## Ruled: six numeric and four categorical columns, rules with 5 % noise

{parts["ruled"]}

## Time over scikit-learn's 100-tree forest, one thread

The first split of each set; CPU seconds of alternating fits after one of each to warm up, medians
of {ROUNDS} or more. Ours gets the typed table, the forest a matrix of numbers.

{report.markdown(time_head, time_rows(times))}

Above 1: {slower(times)}.
"""


def main(arguments: Sequence[str] | None = None) -> None:
    parser = protocol.options("sizes", __doc__)
    parser.add_argument("--most", type=int, default=SIZES[-1], help="rows of the largest table")
    args = parser.parse_args(arguments)
    on_file.forget(args.file, args.again)
    table = on_file.gather(args.file, size_jobs(args.most), run_size, "Tables")
    keys = [f"{suite}/{name}" for suite, name in protocol.all_sets()]
    jobs = [{"part": "times", "set": key, "learner": OURS} for key in keys]
    times = on_file.gather(args.file, jobs, run_time, "Sets")
    report.save(RESULTS / "SIZES.md", text_of(table, times))


if __name__ == "__main__":
    main()
