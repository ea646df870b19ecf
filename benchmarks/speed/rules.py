"""What larger rules cost: whole trees of max_rules 3 and 4 against 2.

Run: python -m benchmarks.speed.rules. The 0/1 columns of the DL8.5 sets, one thread, default
settings.
"""

from __future__ import annotations

import statistics
from functools import partial
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

from benchmarks.datasets import published
from benchmarks.lib import learners, report, step
from benchmarks.lib.targets import Target
from benchmarks.lib.timing import median_seconds, take_turns

TITLE = "Larger rules"

SIZES = (2, 3, 4)
LIMITS = {3: 10, 4: 100}  # most times as long as rules of two, in the median over the sets
SECONDS_PER_SPLIT = 30.0  # a search that takes longer is cut short, and said to be
QUICK_ROWS = 1000


def fit(answers: np.ndarray, y: np.ndarray, max_rules: int) -> tuple[int, int]:
    """Fit, and return the number of leaves and of searches that were cut short."""
    model = learners.exact_tree(
        learners.leaf_size(len(y)), max_rules=max_rules, time_limit=SECONDS_PER_SPLIT
    ).fit(answers, y)
    return model.get_n_leaves(), int(np.sum(~model.tree_.optimal))


def measure_set(answers: np.ndarray, y: np.ndarray, n_rounds: int) -> dict[str, Any]:
    calls = {str(size): partial(fit, answers, y, size) for size in SIZES}
    turns = take_turns(calls, n_rounds)
    return {
        "rows": len(y),
        "columns": answers.shape[1],
        "rounds": len(turns["2"]),
        "leaves": {size: of_one[0].result[0] for size, of_one in turns.items()},
        "cut_short": {size: of_one[0].result[1] for size, of_one in turns.items()},
        "seconds": {size: median_seconds(of_one) for size, of_one in turns.items()},
        "cpu_seconds": {size: median_seconds(of_one, cpu=True) for size, of_one in turns.items()},
    }


def measure(run: step.Run) -> dict[str, Any]:
    sets = {}
    with threadpool_limits(1):
        for name in published.dl85_names():
            answers, y = published.load_answers(name)
            if run.quick and len(y) > QUICK_ROWS:
                continue
            run.say(f"rules: {name}")
            sets[name] = measure_set(answers, y, run.pick(5, 3))
    return {"sets": sets}


def ratio(found: dict[str, Any], size: int, kind: str = "seconds") -> float:
    return found[kind][str(size)] / found[kind]["2"]


def targets(data: dict[str, Any]) -> list[Target]:
    sets = data["sets"].values()
    return [
        Target(
            f"max_rules {size}, whole trees, time over max_rules 2, median of {len(sets)} sets",
            "at most",
            limit,
            statistics.median(ratio(found, size) for found in sets),
        )
        for size, limit in LIMITS.items()
    ]


HEAD = "set|size|2: ms|3: ms|4: ms|3 / 2|4 / 2|3 / 2, CPU|4 / 2, CPU|leaves 2 / 3 / 4|cut short"
NOTE = """
Default settings otherwise, one thread, medians of {rounds} or more alternating rounds. A search is
cut short after {limit:g} s, and then its set's ratio is too small; the last column counts them."""


def tables(data: dict[str, Any]) -> str:
    rows = []
    for name, found in data["sets"].items():
        rows.append(
            [
                name,
                f"{found['rows']} x {found['columns']}",
                *(report.milliseconds(found["seconds"][str(size)]) for size in SIZES),
                *(f"{ratio(found, size):.2f}" for size in LIMITS),
                *(f"{ratio(found, size, 'cpu_seconds'):.2f}" for size in LIMITS),
                " / ".join(str(found["leaves"][str(size)]) for size in SIZES),
                sum(found["cut_short"].values()),
            ]
        )
    rounds = min(found["rounds"] for found in data["sets"].values())
    note = NOTE.format(rounds=rounds, limit=SECONDS_PER_SPLIT)
    return report.markdown(HEAD.split("|"), rows) + "\n" + note


if __name__ == "__main__":
    step.main("rules")
