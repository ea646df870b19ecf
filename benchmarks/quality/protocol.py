"""The protocol: who learns what from which rows, and where outcomes are kept.

Every contestant learns from the same random 70/30 splits of the same sets. One line of JSON per
outcome is added to a file, so that a run which was stopped goes on where it was; the report is
made from that file. Sets are sorted by name: those at odd places chose our defaults, those at
even places confirm them.
"""

from __future__ import annotations

import argparse
import json
import time
import traceback
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path
from typing import Any

from threadpoolctl import threadpool_limits

from benchmarks import datasets
from benchmarks.datasets import published
from benchmarks.datasets.dataset import Dataset
from benchmarks.lib.paths import BUILD
from benchmarks.quality import scores
from benchmarks.quality.contestants import Contestant, Task

QUICK_ROWS = 5000  # sets of fewer are quick

Key = tuple[str, str, int]  # set, contestant, split
Sets = list[tuple[str, str]]  # suite and name of each
Outcomes = dict[Key, dict[str, Any]]


def all_sets(max_rows: int | None = None) -> Sets:
    """(suite, name) of every set, in the order that parts choosing from confirming ones."""
    sets = [("dl85", name) for name in published.dl85_names(max_rows)]
    sets += published.paper_names(max_rows)
    return sorted(sets, key=lambda pair: (pair[1].lower(), pair[0]))


def is_choosing(suite: str, name: str) -> bool:
    """Whether a set belongs to the half that defaults were chosen on."""
    return all_sets().index((suite, name)) % 2 == 0


def halves(sets: list[str]) -> tuple[list[str], list[str]]:
    """Of sets as outcomes name them ("suite/name"): those that chose, and those that confirm."""
    choosing = [name for name in sets if is_choosing(*name.split("/", 1))]
    return choosing, [name for name in sets if name not in choosing]


def make_task(data: Dataset, number: int) -> Task:
    """Split ``number`` of a set: on file for the paper's sets, seeded for the others."""
    if data.suite in published.PAPER_SUITES and published.is_here():
        return Task(data, *published.paper_split(data, number))
    return Task(data, *data.split(number))


def run_one(contestant: Contestant, suite: str, set_name: str, number: int) -> dict[str, Any]:
    """Let one contestant learn one split, and judge it."""
    data = datasets.load(suite, set_name)
    task = make_task(data, number)
    line = {"set": f"{suite}/{set_name}", "learner": contestant.name, "split": number}
    wall, cpu = time.perf_counter(), time.process_time()
    try:
        with threadpool_limits(1):  # one core each
            outcome = contestant.learn(task)
    except Exception as error:  # one learner's failure must not end a run of hours
        traceback.print_exc()
        return line | {"error": f"{type(error).__name__}: {error}"[:300]}
    seconds = time.perf_counter() - wall, time.process_time() - cpu
    y = data.codes[task.test]
    return line | {
        "accuracy": scores.accuracy(outcome.shares, y),
        "auc": scores.auc(outcome.shares, y),
        "log_loss": scores.log_loss(outcome.shares, y),
        "n_leaves": float(outcome.n_leaves),
        "n_questions": float(outcome.n_questions),
        "seconds": seconds[0],
        "cpu_seconds": seconds[1],
    }


def read_outcomes(path: Path) -> Outcomes:
    """Every outcome on file; of repeated ones the last."""
    if not path.exists():
        return {}
    lines = (json.loads(line) for line in path.read_text(encoding="utf-8").splitlines())
    return {(line["set"], line["learner"], line["split"]): line for line in lines}


def to_run(
    names: Collection[str], sets: Sets, n_splits: int
) -> Iterator[tuple[str, str, str, int]]:
    """What a form consists of: the first split of all sets first, so that any part is balanced."""
    for number in range(n_splits):
        for suite, set_name in sets:
            for name in names:
                yield name, suite, set_name, number


def run(
    args: argparse.Namespace, contestants: Mapping[str, Contestant], sets: Sets, n_splits: int
) -> Outcomes:
    """Add to the file the outcomes that it lacks, and return all it has."""
    path = args.file
    path.parent.mkdir(parents=True, exist_ok=True)
    if args.again:
        forget(path, contestants if "all" in args.again else args.again)
    done = read_outcomes(path)
    with path.open("a", encoding="utf-8") as file:
        for name, suite, set_name, number in to_run(contestants, sets, n_splits):
            if (f"{suite}/{set_name}", name, number) not in done:
                line = run_one(contestants[name], suite, set_name, number)
                file.write(json.dumps(line) + "\n")
                file.flush()
    return read_outcomes(path)


def forget(path: Path, names: Collection[str]) -> None:
    """Drop the outcomes of some contestants, to run them again."""
    kept = [line for key, line in read_outcomes(path).items() if key[1] not in names]
    path.write_text("".join(json.dumps(line) + "\n" for line in kept), encoding="utf-8")


def options(name: str, about: str) -> argparse.ArgumentParser:
    """What every command of this kind takes; outcomes are kept in build/<name>.jsonl."""
    command = "python -m benchmarks.quality" + ("" if name == "quality" else f".{name}")
    parser = argparse.ArgumentParser(prog=command, description=about.splitlines()[0])
    path = BUILD / f"{name}.jsonl"
    parser.add_argument("--file", type=Path, default=path, help="where outcomes are kept")
    parser.add_argument(
        "--again", nargs="+", default=[], metavar="NAME", help="forget these first, or all"
    )
    return parser
