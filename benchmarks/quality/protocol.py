"""How well do our trees predict, beside others? Run: python -m benchmarks.quality.

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
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path

from threadpoolctl import threadpool_limits

from benchmarks.datasets import keel, more_tables, r_tables
from benchmarks.datasets import published as datasets
from benchmarks.quality import scores
from benchmarks.quality.contestants import CONTESTANTS, Task

OUTCOMES = datasets.REPO_ROOT / "build" / "quality.jsonl"
QUICK_ROWS, QUICK_SPLITS, ALL_SPLITS = 5000, 5, 20

Key = tuple[str, str, int]  # set, contestant, split
Sets = list[tuple[str, str]]  # suite and name of each


def all_sets(max_rows: int | None = None) -> Sets:
    """(suite, name) of every set, in the order that parts choosing from confirming ones."""
    sets = [("dl85", name) for name in datasets.dl85_names(max_rows)]
    sets += datasets.paper_names(max_rows)
    return sorted(sets, key=lambda pair: (pair[1].lower(), pair[0]))


def is_choosing(suite: str, name: str) -> bool:
    """Whether a set belongs to the half that defaults were chosen on."""
    return all_sets().index((suite, name)) % 2 == 0


@lru_cache(maxsize=128)
def load(suite: str, name: str) -> datasets.Dataset:
    elsewhere = {module.SUITE: module.load for module in (keel, more_tables, r_tables)}
    return elsewhere[suite](name) if suite in elsewhere else datasets.load(suite, name)


def make_task(data: datasets.Dataset, number: int) -> Task:
    """Split ``number`` of a set: on file for the paper's sets, seeded for the others."""
    if data.suite in datasets.PAPER_SUITES and datasets.is_here():
        return Task(data, *datasets.paper_split(data, number))
    return Task(data, *data.split(number))


def run_one(name: str, suite: str, set_name: str, number: int) -> dict[str, object]:
    """Let one contestant learn one split, and judge it."""
    data = load(suite, set_name)
    task = make_task(data, number)
    line: dict[str, object] = {"set": f"{suite}/{set_name}", "learner": name, "split": number}
    wall, cpu = time.perf_counter(), time.process_time()
    try:
        with threadpool_limits(1):  # one core each
            outcome = CONTESTANTS[name].learn(task)
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


def read_outcomes(path: Path) -> dict[Key, dict]:
    """Every outcome on file; of repeated ones the last."""
    if not path.exists():
        return {}
    lines = (json.loads(line) for line in path.read_text(encoding="utf-8").splitlines())
    return {(line["set"], line["learner"], line["split"]): line for line in lines}


def to_run(names: list[str], sets: Sets, n_splits: int) -> Iterator[tuple[str, str, str, int]]:
    """What a form consists of: the first split of all sets first, so that any part is balanced."""
    for number in range(n_splits):
        for suite, set_name in sets:
            for name in names:
                yield name, suite, set_name, number


def run(path: Path, names: list[str], sets: Sets, n_splits: int) -> None:
    """Add to the file the outcomes that it lacks."""
    done = read_outcomes(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a", encoding="utf-8") as file:
        for name, suite, set_name, number in to_run(names, sets, n_splits):
            if (f"{suite}/{set_name}", name, number) not in done:
                file.write(json.dumps(run_one(name, suite, set_name, number)) + "\n")
                file.flush()


def forget(path: Path, names: list[str]) -> None:
    """Drop the outcomes of some contestants, to run them again."""
    kept = [line for key, line in read_outcomes(path).items() if key[1] not in names]
    path.write_text("".join(json.dumps(line) + "\n" for line in kept), encoding="utf-8")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "--quick", action="store_true", help="sets under 5000 rows, 5 splits, fast contestants"
    )
    parser.add_argument("--only", nargs="+", choices=list(CONTESTANTS), help="these contestants")
    parser.add_argument("--splits", type=int, help="splits per set (default 20, quick 5)")
    parser.add_argument("--again", nargs="+", default=[], help="forget these contestants first")
    parser.add_argument("--file", type=Path, default=OUTCOMES, help="where outcomes are kept")
    parser.add_argument("--report", action="store_true", help="only write the report")
    args = parser.parse_args()
    names = args.only or [n for n, c in CONTESTANTS.items() if c.is_fast or not args.quick]
    if args.again:
        forget(args.file, args.again)
    if not args.report:
        sets = all_sets(QUICK_ROWS if args.quick else None)
        n_splits = args.splits or (QUICK_SPLITS if args.quick else ALL_SPLITS)
        run(args.file, names, sets, n_splits)
    from benchmarks.quality import report as quality_report

    quality_report.write(read_outcomes(args.file))


if __name__ == "__main__":
    main()
