"""Speed against threads: python -m benchmarks.speed.threads (``--quick`` for small tables).

Fits of one and ten million rows, encoding and prediction, a wide table, many classes and the
default, each on 1, 2, 4, ... threads up to the cores that there are, beside LightGBM (one tree of
as many leaves) and, for the default, scikit-learn's forest. All threads of a job take turns. Stops
if a tree is not the same for every number of threads.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from matplotlib import pyplot as plt
from sklearn.ensemble import RandomForestClassifier

from benchmarks.datasets import made
from benchmarks.lib import figures, learners, report
from benchmarks.lib.paths import BUILD, FIGURES, RESULTS
from benchmarks.lib.timing import median_seconds, take_turns
from bsnsing import BsnsingClassifier

MOST_THREADS = 16

Table = tuple[np.ndarray, np.ndarray]


@dataclass(frozen=True, slots=True)
class Job:
    """Something that threads share: called with their number, it returns what must not differ."""

    name: str
    learner: str
    run: Callable[[int], Any]
    n_rounds: int = 3


def thread_counts() -> list[int]:
    """1, 2, 4, ... up to the cores that this process may use."""
    n_cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    return [n for n in (1, 2, 4, 8, MOST_THREADS) if n <= (n_cores or 1)]


def tree_of(model: BsnsingClassifier) -> list[bytes]:
    """What makes a tree: its shape, rules, cases and values, bit for bit."""
    tree = model.tree_
    parts = (tree.children_left, tree.question_column, tree.question_value, tree.counts)
    return [part.tobytes() for part in (*parts, tree.objective)]


def fit_plain(table: Table, n_threads: int) -> list[bytes]:
    model = learners.exact_tree(learners.leaf_size(len(table[1])), n_threads=n_threads)
    return tree_of(model.fit(*table))


def fit_stump(table: Table, n_threads: int) -> list[bytes]:
    """One split: nearly all of it is encoding."""
    model = BsnsingClassifier.plain(max_depth=1, max_rules=1, n_jobs=n_threads)
    return tree_of(model.fit(*table))


def fit_default(table: Table, n_threads: int) -> list[bytes]:
    return tree_of(BsnsingClassifier(random_state=0, n_jobs=n_threads).fit(*table))


def fit_forest(table: Table, n_threads: int) -> int:
    return len(RandomForestClassifier(random_state=0, n_jobs=n_threads).fit(*table).estimators_)


def predict(model: BsnsingClassifier, X: np.ndarray, n_threads: int) -> bytes:
    return model.set_params(n_jobs=n_threads).predict_proba(X).tobytes()


def boosted(table: Table, n_leaves: int, n_threads: int) -> int:
    leaf = learners.leaf_size(len(table[1]))
    return learners.fit_boosted_tree(*table, n_leaves=n_leaves, leaf=leaf, n_threads=n_threads)


def large_jobs(name: str, n_rows: int, n_rounds: int, *, also: bool) -> list[Job]:
    """A fit beside LightGBM's; ``also`` encoding and prediction."""
    table = made.pair_table(n_rows, 20)
    model = learners.exact_tree(learners.leaf_size(n_rows), n_threads=MOST_THREADS).fit(*table)
    jobs = [
        Job(f"fit {name}", "bsnsing", partial(fit_plain, table), n_rounds),
        Job(f"fit {name}", "LightGBM", partial(boosted, table, model.get_n_leaves()), n_rounds),
    ]
    if also:
        jobs.append(Job(f"encode {name}", "bsnsing", partial(fit_stump, table), n_rounds))
        jobs.append(Job(f"predict {name}", "bsnsing", partial(predict, model, table[0]), n_rounds))
    return jobs


def groups(*, is_quick: bool) -> list[Callable[[], list[Job]]]:
    """Jobs whose tables are in memory at the same time."""

    def others() -> list[Job]:
        wide = made.pair_table(2000 if is_quick else 20_000, 200 if is_quick else 2000)
        classes = made.pair_table(20_000 if is_quick else 200_000, 20, n_classes=20)
        small = made.pair_table(1000 if is_quick else 10_000, 20)
        return [
            Job("wide", "bsnsing", partial(fit_plain, wide), 1),
            Job("20 classes", "bsnsing", partial(fit_plain, classes), 1),
            Job("default", "bsnsing", partial(fit_default, small), 1),
            Job("default", "scikit-learn's forest", partial(fit_forest, small), 1),
        ]

    if is_quick:
        return [lambda: large_jobs("100k", 100_000, 3, also=True), others]
    return [
        lambda: large_jobs("1M", 1_000_000, 3, also=True),
        lambda: large_jobs("10M", 10_000_000, 1, also=False),
        others,
    ]


def measure(job: Job, counts: list[int]) -> list[float]:
    """Median seconds by number of threads."""
    turns = take_turns({str(n): partial(job.run, n) for n in counts}, job.n_rounds, 0)
    results = [turn.result for of_one in turns.values() for turn in of_one]
    if any(result != results[0] for result in results):
        raise SystemExit(f"{job.name} by {job.learner} differs with the number of threads")
    return [median_seconds(turns[str(n)]) for n in counts]


def draw(measured: list[tuple[Job, list[float]]], counts: list[int]) -> plt.Figure:
    """A panel per job: times as fast as one thread of the same learner."""
    names = list(dict.fromkeys(job.name for job, _ in measured))
    n_down = (len(names) + 2) // 3
    figure, axes = plt.subplots(n_down, 3, figsize=(9, 2.8 * n_down), squeeze=False)
    for axis in axes.flat[len(names) :]:
        axis.set_visible(False)
    for axis, name in zip(axes.flat, names, strict=False):
        axis.plot(counts, counts, color="0.8", label="as many times")
        for job, seconds in measured:
            if job.name == name:
                axis.plot(counts, [seconds[0] / s for s in seconds], marker="o", label=job.learner)
        axis.set(title=name, xlabel="threads", ylabel="times as fast", xticks=counts)
        axis.legend(fontsize=7)
    return figure


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="small tables; writes to build/ only")
    is_quick = parser.parse_args().quick
    counts = thread_counts()
    measured: list[tuple[Job, list[float]]] = []
    for make_jobs in groups(is_quick=is_quick):
        measured += [(job, measure(job, counts)) for job in make_jobs()]
    head = ["seconds", "learner", *(f"{n} thr." for n in counts), f"1 / {counts[-1]}"]
    rows = [
        [job.name, job.learner, *(f"{s:.3f}" for s in seconds), f"{seconds[0] / seconds[-1]:.1f}"]
        for job, seconds in measured
    ]
    text = f"# Speed against threads\n\n{report.machine()}\n\n{report.markdown(head, rows)}\n"
    folder = BUILD / "threads" if is_quick else RESULTS
    figures.save(draw(measured, counts), folder / FIGURES / "threads.png")
    report.save(folder / "THREADS.md", text)
    print(text)


if __name__ == "__main__":
    main()
