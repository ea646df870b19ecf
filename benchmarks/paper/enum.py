"""What the search costs on seismic, by rows, questions and max_rules, beside MIP solvers."""

from __future__ import annotations

import time
from collections.abc import Iterator
from math import comb
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks import datasets
from benchmarks.datasets import recorded
from benchmarks.lib import report
from bsnsing import Split, ask_questions, best_rule
from bsnsing.solvers import available

N_QUESTIONS = 100  # the paper's
MORE_QUESTIONS = (25, 50, 100, 200, 400)
LIMIT = 30.0  # seconds for a mixed-integer solver
NOTE = f"""
The paper's sample of rows and its questions are not on record: ours are another sample, of as many
rows and questions. So objectives are of its size, not its own. "counted" are rules whose cases were
counted, "excluded" those that a bound excluded without counting. HiGHS solves our formulation and
the paper's on one thread, with {LIMIT:.0f} seconds by the clock for each; "bound" is where it then
stood."""


def run(n_splits: int) -> None:
    """One sample of rows for each size: nothing is split."""
    answers, y = seismic_answers(max(MORE_QUESTIONS))
    order = np.random.default_rng(0).permutation(len(y))
    rows = []
    for line in report.tracked(recorded.paper_figures("enum"), "rows and max_rules"):
        chosen = order[: int(line["rows"])]
        n_rules = int(line["max_rules"])
        table, labels = answers[chosen, :N_QUESTIONS], y[chosen]
        split, seconds = search(table, labels, n_rules)
        row = [line["rows"], n_rules, line["objective"], f"{split.objective:g}"]
        row += [line["n_evaluated"], split.n_counted, split.n_excluded]
        row += [line["gurobi_cpu_seconds"], line["enum_seconds"], f"{seconds:.5f}"]
        rows.append(row + [mip_cell(table, labels, n_rules, split, f) for f in formulations()])
    head = "rows|max_rules|objective, paper|ours|evaluated, paper|counted, ours|excluded, ours|"
    head += "Gurobi CPU s, paper|ENUM s, paper|ours, CPU s"
    print(f"## Rows and max_rules, {N_QUESTIONS} questions\n")
    print(report.markdown([*head.split("|"), *(f"HiGHS, {f}" for f in formulations())], rows))
    print(NOTE)
    print("\n## Questions and max_rules, all rows\n")
    head = "questions|max_rules|rules in all|counted|excluded|CPU s"
    print(report.markdown(head.split("|"), by_questions(answers, y)))


def seismic_answers(n_questions: int) -> tuple[NDArray[np.uint8], NDArray[Any]]:
    """Answers to that many questions at most, in random order."""
    data = datasets.load("binary", "seismic")
    pool = ask_questions(data.X, data.y, n_segments=40)
    order = np.random.default_rng(1).permutation(len(pool.questions))
    return pool.answers[:, order[:n_questions]], data.y


def search(answers: NDArray[np.uint8], y: NDArray[Any], max_rules: int) -> tuple[Split, float]:
    """The best rule, and the median CPU seconds of three searches."""
    seconds = []
    for _ in range(3):
        begin = time.process_time()
        split = best_rule(answers, y, max_rules=max_rules)
        seconds.append(time.process_time() - begin)
    assert isinstance(split, Split)
    return split, float(np.median(seconds))


def formulations() -> list[str]:
    """Ours and the paper's, where HiGHS is installed."""
    return ["strong", "paper"] if available()["highs"].is_usable else []


def mip_cell(
    answers: NDArray[np.uint8], y: NDArray[Any], max_rules: int, best: Split, formulation: str
) -> str:
    """CPU seconds to the proof, or the bound when time was up."""
    begin = time.process_time()
    try:
        found = best_rule(
            answers,
            y,
            max_rules=max_rules,
            solver="highs",
            time_limit=LIMIT,
            solver_options={"formulation": formulation},
        )
    except ValueError as error:
        return str(error).split(".")[0][:40]
    seconds = time.process_time() - begin
    if not isinstance(found, Split):
        return "no rule"
    if not found.optimal:
        return f"bound {found.bound:g}"
    if found.objective != best.objective:
        raise AssertionError(f"HiGHS proves {found.objective}, the search {best.objective}")
    return f"{seconds:.2f}"


def by_questions(answers: NDArray[np.uint8], y: NDArray[Any]) -> Iterator[list[object]]:
    for n_questions in MORE_QUESTIONS:
        if n_questions > answers.shape[1]:
            continue
        for max_rules in (1, 2, 3, 4):
            n_all = sum(comb(n_questions, k) for k in range(1, max_rules + 1))
            split, seconds = search(answers[:, :n_questions], y, max_rules)
            row = [n_questions, max_rules, f"{n_all:,}", f"{split.n_counted:,}"]
            yield [*row, f"{split.n_excluded:,}", f"{seconds:.5f}"]
