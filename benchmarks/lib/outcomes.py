"""Outcomes on file, one line of JSON each, so that a run which was stopped goes on where it was."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from benchmarks.lib import report

Job = dict[str, Any]  # what is run, of which part of a command, and by which learner


def gather(
    path: Path, jobs: Sequence[Job], run: Callable[[Job], dict[str, Any]], what: str
) -> pd.DataFrame:
    """Run the jobs that have no line on file, and return a row for every job.

    The jobs of one call have the same keys; a line is a job and what came of it.
    """
    keys = list(jobs[0])
    path.parent.mkdir(parents=True, exist_ok=True)
    done = {tuple(line.get(key) for key in keys): line for line in _lines(path)}
    with path.open("a", encoding="utf-8") as file:
        for job in report.tracked(jobs, what):
            key = tuple(job.values())
            if key not in done:
                done[key] = job | run(job)
                file.write(json.dumps(done[key]) + "\n")
                file.flush()
    return pd.DataFrame([done[tuple(job.values())] for job in jobs])


def forget(path: Path, learners: Collection[str]) -> None:
    """Drop the lines of some learners, or of all, to run them again."""
    kept = [line for line in _lines(path) if not {"all", line["learner"]} & set(learners)]
    if learners and path.exists():
        path.write_text("".join(json.dumps(line) + "\n" for line in kept), encoding="utf-8")


def _lines(path: Path) -> list[Job]:
    text = path.read_text(encoding="utf-8") if path.exists() else ""
    return [json.loads(line) for line in text.splitlines()]
