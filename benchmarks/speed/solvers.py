"""What do mixed-integer solvers need for a rule? Run: python -m benchmarks.speed.solvers.

The root node of the 13 DL8.5 sets of the paper's comparison: whole table, raw 0/1 columns, rules of
at most two questions, OPT-G. ENUM, the paper's formulation and ours, on each solver asked for.
Seconds are CPU seconds of this process and of the programs it starts; the limit is on wall time.
"""

from __future__ import annotations

import argparse
import resource
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version

import numpy as np

from benchmarks.datasets import published, recorded
from benchmarks.lib import report
from bsnsing import best_rule
from bsnsing.solvers import MIP_SOLVERS, SolverUnavailableError, available
from bsnsing.solvers.mip import build_model
from bsnsing.solvers.problem import RuleProblem

SETS = [
    *("anneal", "audiology", "australian-credit", "breast-wisconsin", "diabetes"),
    *("heart-cleveland", "hepatitis", "lymph", "primary-tumor", "soybean"),
    *("tic-tac-toe", "vote", "zoo-1"),
]
PACKAGES = {
    "highs": "highspy",
    "cpsat": "ortools",
    "scip": "pyscipopt",
    "cbc": "pulp",
    "gurobi": "gurobipy",
    "cplex": "cplex",
}
CALLBACKS = [name for name, solver in MIP_SOLVERS.items() if solver.takes_cuts]


@dataclass(frozen=True)
class Run:
    """One search: CPU seconds, and the rule's objective, bound and nodes; or why there is none."""

    seconds: float
    objective: float | None = None
    bound: float | None = None
    optimal: bool = False
    n_nodes: int = 0
    failure: str = ""

    def cells(self) -> list[object]:
        if self.failure:
            return [self.failure, "-", "-", "-"]
        end = "proven" if self.optimal else f"bound {self.bound or 0:g}"
        value = "none" if self.objective is None else f"{self.objective:g}"
        return [f"{self.seconds:.2f}", value, end, self.n_nodes]


def cpu_seconds() -> float:
    """Of this process and of the programs that it has run."""
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(u.ru_utime + u.ru_stime for u in used)


def run(
    name: str, solver: str, limit: float, max_rules: int, n_jobs: int, **options: object
) -> Run:
    """One search, checked against the optimum on file where it is proven."""
    answers, y = published.load_answers(name)
    began = cpu_seconds()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # "ended before it met a rule" shows in the table
            split = best_rule(
                answers,
                y,
                max_rules=max_rules,
                solver=solver,
                time_limit=limit,
                solver_options=options or None,
                n_jobs=n_jobs,
            )
    except (SolverUnavailableError, ValueError) as error:
        too_large = "columns and" in str(error) or "pairs" in str(error)
        return Run(cpu_seconds() - began, failure="too large" if too_large else str(error)[:40])
    seconds = cpu_seconds() - began
    if split is None:
        return Run(seconds)
    optimum = recorded.optima().get((name, max_rules))
    if split.optimal and optimum is not None and split.objective != optimum:
        raise AssertionError(f"{solver} on {name}: {split.objective}, and {optimum} is proven")
    return Run(seconds, split.objective, split.bound, split.optimal, split.n_nodes)


def print_sizes(names: Sequence[str], max_rules: int) -> None:
    rows = []
    for name in report.tracked(names, "sizes"):
        answers, y = published.load_answers(name)
        problem = RuleProblem(
            answers=answers,
            is_positive=y == 1,
            cases=np.ones(len(y), dtype=np.int64),
            max_rules=max_rules,
        )
        strong = build_model(problem, "strong")
        halves = [strong] if strong.switch is None else [strong.half(0), strong.half(1)]
        ours = max((half.size for half in halves), key=lambda size: size[2])
        paper = build_model(problem, "paper").size
        row = [name, f"{len(y)} x {answers.shape[1]}"]
        rows.append(row + [f"{n:,}" for n in (*paper, *ours)] + [f"{paper[2] / ours[2]:.0f}"])
    head = "set|rows x questions|paper: columns|rows|entries|ours: columns|rows|entries|ratio"
    print("\n## Sizes of the programs\n\n" + report.markdown(head.split("|"), rows))
    print("\nOurs is solved in two halves; the larger one is shown.")


def print_times(
    names: Sequence[str],
    solvers: Sequence[str],
    formulations: Sequence[str],
    limit: float,
    max_rules: int,
    n_jobs: int,
) -> None:
    jobs = [("enum", "-")] + [(s, f) for f in formulations for s in solvers]
    rows = []
    for name in names:
        for solver, formulation in jobs:
            options = {} if solver == "enum" else {"formulation": formulation, "warm_start": None}
            result = run(name, solver, limit, max_rules, n_jobs, **options)
            rows.append([name, solver, formulation, *result.cells()])
            print("  done:", *rows[-1], flush=True)
    head = "set|solver|formulation|CPU seconds|objective|proof|nodes"
    print(f"\n## One rule of at most {max_rules} questions, at most {limit:g} s each\n")
    print(report.markdown(head.split("|"), rows))
    print("\nNo solver was given a rule to begin with.")


def print_helps(
    names: Sequence[str], solvers: Sequence[str], limit: float, max_rules: int, n_jobs: int
) -> None:
    """What a rule to begin with and cuts buy, with our formulation."""
    rows = []
    for name in names:
        for solver in solvers:
            cuts = [None, "proposition", "rectangle"] if solver in CALLBACKS else [None]
            for start in (None, "greedy", "enum"):
                for cut in cuts:
                    options = {"warm_start": start, "cuts": cut}
                    result = run(name, solver, limit, max_rules, n_jobs, **options)
                    rows.append([name, solver, start or "-", cut or "-", *result.cells()])
                    print("  done:", *rows[-1], flush=True)
    head = "set|solver|start|cuts|CPU seconds|objective|proof|nodes"
    print(f"\n## What a start and cuts buy, at most {limit:g} s each\n")
    print(report.markdown(head.split("|"), rows))


def versions(solvers: Sequence[str]) -> str:
    found = []
    for name in solvers:
        try:
            found.append(f"{name} ({PACKAGES[name]} {version(PACKAGES[name])})")
        except (KeyError, PackageNotFoundError):
            found.append(name)
    return ", ".join(found)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--limit", type=float, default=60, help="seconds per search (default 60)")
    parser.add_argument("--sets", default=",".join(SETS), help="names, joined by commas")
    parser.add_argument("--solvers", default="highs,cpsat", help="names, or all (usable here)")
    parser.add_argument("--formulations", default="paper,strong", help="paper, strong or both")
    parser.add_argument("--max-rules", type=int, default=2, help="questions of a rule (default 2)")
    parser.add_argument("--jobs", type=int, default=1, help="threads (default 1)")
    parser.add_argument("--tables", default="sizes,times,helps", help="which of the tables")
    args = parser.parse_args()

    usable = [name for name in MIP_SOLVERS if available()[name].is_usable]
    solvers = usable if args.solvers == "all" else args.solvers.split(",")
    names = [name for name in args.sets.split(",") if name in published.dl85_names()]
    names = names or published.dl85_names()[:2]
    print("# Mixed-integer solvers\n\n" + report.machine() + f"\n\n{versions(solvers)}")
    for table in args.tables.split(","):
        if table == "sizes":
            print_sizes(names, args.max_rules)
        elif table == "times":
            formulations = args.formulations.split(",")
            print_times(names, solvers, formulations, args.limit, args.max_rules, args.jobs)
        elif table == "helps":
            print_helps(names, solvers, args.limit, args.max_rules, args.jobs)


if __name__ == "__main__":
    main()
