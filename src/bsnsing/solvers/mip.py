"""From a rule problem to programs, from their solutions to a rule with its proof."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from bsnsing.solvers import paper_model, strong_model
from bsnsing.solvers.base import MipSolver, Outcome, Request
from bsnsing.solvers.cuts import ConflictCuts
from bsnsing.solvers.literals import chosen_literals, useful_literals
from bsnsing.solvers.mip_options import MipOptions
from bsnsing.solvers.model import Model
from bsnsing.solvers.problem import RuleProblem


@dataclass(frozen=True, slots=True, kw_only=True)
class MipAnswer:
    """The best OR of literals over both readings of a problem, and how sure that is."""

    literals: list[int]  # empty if no rule was found
    is_mirrored: bool  # an OR of the problem with classes swapped: an AND, signs reversed
    objective: float
    bound: float
    optimal: bool
    n_nodes: int
    seconds: float


class Search:
    """The best rule so far, the time left, and the bounds of what was tried."""

    def __init__(
        self,
        solver: MipSolver,
        options: MipOptions,
        time_limit: float,
        n_threads: int,
        verbose: bool,
    ) -> None:
        self.solver = solver
        self.options = options
        self.n_threads = n_threads
        self.verbose = verbose
        self.began = time.monotonic()
        self.deadline = self.began + time_limit
        self.best: list[int] = []
        self.is_mirrored = False
        self.objective = math.inf
        self.bound = math.inf
        self.n_nodes = 0

    def offer(self, problem: RuleProblem, literals: Sequence[int], is_mirrored: bool) -> None:
        """Keep a rule if it is feasible and better; its counts are worked out anew."""
        if not literals or not problem.is_feasible(literals):
            return
        objective = problem.rate(literals)
        if objective < min(self.objective, problem.ceiling):
            self.best, self.is_mirrored = problem.simplified(literals), is_mirrored
            self.objective = objective

    def run(self, problem: RuleProblem, is_mirrored: bool, n_later: int) -> None:
        """Solve the program, or both of its halves, the more promising one first.

        Each program gets an equal share of the time left, also those of ``n_later`` further
        problems: without a bound on all of them there is none on the whole.
        """
        if self.options.formulation == "paper":
            model = paper_model.paper_model(problem)
            self._solve(problem, model, is_mirrored, 1 + n_later, paper_model.complete)
            return
        known = min(self.objective, known_objective(problem))
        whole = strong_model.strong_model(problem, known)
        if whole.switch is None:
            self._solve(problem, whole, is_mirrored, 1 + n_later, strong_model.complete)
            return
        own = self.best if is_mirrored == self.is_mirrored else []
        first = _promising_half(problem, own)
        n_left = 2 + 2 * n_later
        self._solve(problem, whole.half(first), is_mirrored, n_left, strong_model.complete)
        if self.objective < known:  # what was found makes the boxes of the other half smaller
            whole = strong_model.strong_model(problem, self.objective)
        self._solve(problem, whole.half(1 - first), is_mirrored, n_left - 1, strong_model.complete)

    def _solve(
        self,
        problem: RuleProblem,
        model: Model,
        is_mirrored: bool,
        n_left: int,
        complete: Callable[[RuleProblem, Model, Sequence[int]], Any],
    ) -> None:
        if model.is_contradictory():
            return
        left = self.deadline - time.monotonic()
        if left <= 0:
            self.bound = min(self.bound, 0.0)
            return
        start, cutoff = self._start(problem, model, is_mirrored, complete)
        cuts = None
        if self.options.cuts is not None:
            cuts = ConflictCuts(problem, model, self.options.cuts)
        outcome = self.solver.solve(
            model,
            Request(
                time_limit=left / n_left,
                n_threads=self.n_threads,
                gap=self.options.gap,
                verbose=self.verbose,
                start=start,
                cutoff=cutoff,
                cuts=cuts,
            ),
        )
        self.n_nodes += outcome.n_nodes
        if outcome.x is not None:
            self.offer(problem, chosen_literals(model.literals, outcome.x), is_mirrored)
        self.bound = min(self.bound, proven_bound(outcome, model))

    def _start(
        self,
        problem: RuleProblem,
        model: Model,
        is_mirrored: bool,
        complete: Callable[[RuleProblem, Model, Sequence[int]], Any],
    ) -> tuple[Any, float | None]:
        """The best rule so far, if it is one of this program, and what objective to ask for.

        Without a rule of its own the program is asked for better ones only.
        """
        if not self.best:
            if math.isinf(problem.ceiling):
                return None, None
            return None, math.ceil(problem.ceiling / model.unit) - 1.0
        start = None
        if is_mirrored == self.is_mirrored:
            start = complete(problem, model, self.best)
            if start is not None and not model.is_feasible(start):
                start = None  # it lies in the other half
        return start, self.objective / model.unit - (0.0 if start is not None else 1.0)

    def answer(self, ceiling: float) -> MipAnswer:
        """What was found, with the bound on every rule."""
        bound = min(self.bound, self.objective, ceiling)
        return MipAnswer(
            literals=self.best,
            is_mirrored=self.is_mirrored,
            objective=self.objective,
            bound=bound,
            optimal=bound >= min(self.objective, ceiling),
            n_nodes=self.n_nodes,
            seconds=time.monotonic() - self.began,
        )


def proven_bound(outcome: Outcome, model: Model) -> float:
    """The bound in the criterion, rounded up to a value that a rule can have.

    Solvers compute in floating point: what they call a bound is trusted up to a part in a million.
    """
    if outcome.status == "infeasible":
        return math.inf
    slack = 1e-6 * max(1.0, abs(outcome.bound))
    if outcome.status == "optimal" and outcome.x is not None:
        value = model.value(outcome.x)
        if value - outcome.bound < 1 - slack:
            return round(value) * model.unit
    if not math.isfinite(outcome.bound):
        return 0.0
    return max(0.0, math.ceil(outcome.bound - slack) * model.unit)


def _promising_half(problem: RuleProblem, best: Sequence[int]) -> int:
    rule = best or problem.best_single()
    return int(2 * problem.counts(rule)[1] > problem.n_negatives) if rule else 0


def solve_rule(
    problem: RuleProblem,
    solver: MipSolver,
    options: MipOptions,
    *,
    as_or: bool = True,
    as_and: bool = False,
    start: tuple[Sequence[int], bool] | None = None,
    time_limit: float = math.inf,
    n_threads: int = 1,
    verbose: bool = False,
) -> MipAnswer:
    """Find the best rule with a mixed-integer solver.

    Where a rule and its mirror image are alike, ORs of literals stand for ANDs too. Otherwise
    ANDs are a program of their own. ``start`` is a known rule: literals, and whether mirrored.
    """
    time_limit = min(time_limit, 1e9)
    search = Search(solver, options, time_limit, n_threads, verbose)
    readings = [(problem, False)]
    if problem.is_oriented and as_and:
        mirrored = (problem.mirrored(), True)
        readings = [(problem, False), mirrored] if as_or else [mirrored]
    if start is not None:
        for reading, is_mirrored in readings:
            if is_mirrored == start[1] or not problem.is_oriented:
                search.offer(reading, list(start[0]), is_mirrored)
        readings.sort(key=lambda r: r[1] != search.is_mirrored)
    for i, (reading, is_mirrored) in enumerate(readings):
        if len(useful_literals(reading)):
            search.run(reading, is_mirrored, len(readings) - i - 1)
    return search.answer(problem.ceiling)


def build_model(problem: RuleProblem, formulation: str = "strong") -> Model:
    """The whole program of a problem, not yet parted into halves."""
    if formulation == "paper":
        return paper_model.paper_model(problem)
    if formulation != "strong":
        raise ValueError(f"formulation must be 'strong' or 'paper'. Got {formulation!r}.")
    return strong_model.strong_model(problem, known_objective(problem))


def known_objective(problem: RuleProblem) -> float:
    """An objective that the best rule does not exceed; infinite if none is known."""
    single = problem.best_single()
    known = math.inf if single is None else float(problem.rate(single))
    return known if math.isinf(problem.ceiling) else min(known, math.ceil(problem.ceiling) - 1)
