"""CPLEX, through its Python package; the community edition takes small programs only."""

from __future__ import annotations

from typing import Any

import numpy as np

from bsnsing.solvers.base import (
    ABSOLUTE_GAP,
    Outcome,
    Request,
    SolverUnavailableError,
    import_or_explain,
    missing_module,
)
from bsnsing.solvers.model import Model
from bsnsing.solvers.running import run_interruptibly

_TOO_LARGE = "1016"


class Cplex:
    """The commercial solver CPLEX; it asks for cuts at every node."""

    name = "cplex"
    takes_cuts = True
    advice = "Run `pip install 'bsnsing[cplex]'`, or `pip install '.[cplex]'` in a checkout."

    def why_not(self) -> str | None:
        """Return None if the solver can be used here, else what is missing."""
        missing = missing_module("cplex")
        if missing:
            return missing
        import cplex

        try:
            cplex.Cplex().end()
        except cplex.exceptions.CplexError as error:
            return f"CPLEX has no valid license: {error}"
        return None

    def solve(self, model: Model, request: Request) -> Outcome:
        """Solve a program; Ctrl-C ends it with KeyboardInterrupt."""
        cplex = import_or_explain(self, "cplex")
        try:
            with cplex.Cplex() as solver:
                return self._solve(cplex, solver, model, request)
        except cplex.exceptions.CplexError as error:
            raise self._explained(error, model) from error

    def _solve(self, cplex: Any, solver: Any, model: Model, request: Request) -> Outcome:
        if not request.verbose:
            for stream in ("log", "results", "warning", "error"):
                getattr(solver, f"set_{stream}_stream")(None)
        _fill(cplex, solver, model)
        parameters = solver.parameters
        parameters.timelimit.set(min(request.time_limit, 1e9))
        parameters.threads.set(request.n_threads)
        parameters.mip.tolerances.mipgap.set(request.gap)
        parameters.mip.tolerances.absmipgap.set(ABSOLUTE_GAP)
        if request.cutoff is not None:
            parameters.mip.tolerances.uppercutoff.set(request.cutoff + 0.5)
        if request.start is not None:
            every = list(range(len(model.names)))
            start = cplex.SparsePair(every, request.start.tolist())
            solver.MIP_starts.add(start, solver.MIP_starts.effort_level.check_feasibility)
        if request.cuts is not None:
            mask = cplex.callbacks.Context.id.relaxation
            solver.set_callback(_Separator(model, request), mask)
        aborter = cplex.Aborter()
        solver.use_aborter(aborter)
        run_interruptibly(solver.solve, aborter.abort)
        codes = solver.solution.status
        if solver.solution.get_status() in (codes.MIP_abort_feasible, codes.MIP_abort_infeasible):
            raise KeyboardInterrupt  # it handles Ctrl-C itself
        return _outcome(solver)

    def _explained(self, error: Any, model: Model) -> SolverUnavailableError:
        columns, rows, _ = model.size
        if _TOO_LARGE in str(error):
            return SolverUnavailableError(
                f"The program has {columns} columns and {rows} rows, more than CPLEX's community "
                "edition takes (1000 of each). Install a license of your own, use "
                "solver='highs', or solver='hybrid' with a smaller hybrid_cap."
            )
        return SolverUnavailableError(
            f"CPLEX failed: {error}. Check its installation, or use solver='highs'."
        )


class _Separator:
    """Adds the conflict cuts that the current relaxation violates."""

    def __init__(self, model: Model, request: Request) -> None:
        self.choices = list(range(model.n_choices))
        self.cuts = request.cuts

    def invoke(self, context: Any) -> None:
        if self.cuts is None:
            return
        import cplex

        point = np.array(context.get_relaxation_point(self.choices))
        best = context.get_incumbent_objective()
        for members, most in self.cuts.violated(point, best):
            context.add_user_cut(
                cut=cplex.SparsePair(members, [1.0] * len(members)),
                sense="L",
                rhs=most,
                cutmanagement=cplex.callbacks.UserCutCallback.use_cut.purge,
                local=False,
            )


def _fill(cplex: Any, solver: Any, model: Model) -> None:
    infinity = cplex.infinity
    kinds = "".join(np.where(model.is_integer, "I", "C"))
    solver.variables.add(
        obj=model.cost.tolist(),
        lb=np.maximum(model.lower, -infinity).tolist(),
        ub=np.minimum(model.upper, infinity).tolist(),
        types=kinds,
    )
    solver.objective.set_offset(model.offset)
    low, high = model.row_lower, model.row_upper
    two = np.isfinite(low) & np.isfinite(high)
    senses = np.where(low == high, "E", np.where(two, "R", np.where(np.isfinite(low), "G", "L")))
    # A range is given by its lower end and its length.
    ends = np.where(np.isfinite(low), low, high)
    lengths = np.where(senses == "R", high - low, 0.0)
    solver.linear_constraints.add(
        senses="".join(senses), rhs=ends.tolist(), range_values=lengths.tolist()
    )
    entries = model.matrix.tocoo()
    solver.linear_constraints.set_coefficients(
        list(zip(entries.row.tolist(), entries.col.tolist(), entries.data.tolist(), strict=True))
    )


def _outcome(solver: Any) -> Outcome:
    solution = solver.solution
    codes = solution.status
    status = solution.get_status()
    n_nodes = int(solution.progress.get_num_nodes_processed())
    if status in (codes.MIP_infeasible, codes.MIP_infeasible_or_unbounded):
        return Outcome(status="infeasible", x=None, bound=np.inf, n_nodes=n_nodes)
    has_solution = solution.is_primal_feasible()
    values = np.asarray(solution.get_values()) if has_solution else None
    is_proven = status in (codes.MIP_optimal, codes.optimal_tolerance)
    bound = float(solution.MIP.get_best_objective()) if status != codes.unknown else -np.inf
    return Outcome(
        status="optimal" if is_proven else "stopped", x=values, bound=bound, n_nodes=n_nodes
    )
