"""HiGHS, through highspy."""

from __future__ import annotations

from importlib.metadata import version
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

# Its presolve drops the best solution of some of our programs; 1.13 and 1.15 do not.
BROKEN = "1.14."


class Highs:
    """The open-source solver HiGHS; it takes no cuts while it runs."""

    name = "highs"
    takes_cuts = False
    advice = "Run `pip install 'bsnsing[highs]'`, or `pip install '.[highs]'` in a checkout."

    def why_not(self) -> str | None:
        """Return None if the solver can be used here, else what is missing."""
        missing = missing_module("highspy")
        if missing is None and version("highspy").startswith(BROKEN):
            return f"highspy {version('highspy')} loses optimal solutions in its presolve"
        return missing

    def solve(self, model: Model, request: Request) -> Outcome:
        """Solve a program; Ctrl-C ends it with KeyboardInterrupt."""
        highspy = import_or_explain(self, "highspy")
        if version("highspy").startswith(BROKEN):
            raise SolverUnavailableError(f"solver='highs': {self.why_not()}. {self.advice}")
        solver = highspy.Highs()
        options: dict[str, Any] = {
            "output_flag": request.verbose,
            "time_limit": float(request.time_limit),
            "threads": request.n_threads,
            "mip_rel_gap": request.gap,
            "mip_abs_gap": ABSOLUTE_GAP,
        }
        if request.cutoff is not None:
            options["objective_bound"] = request.cutoff + 0.5
        for name, value in options.items():
            solver.setOptionValue(name, value)
        solver.passModel(_as_lp(highspy, model))
        if request.start is not None:
            solution = highspy.HighsSolution()
            solution.col_value = request.start.tolist()
            solver.setSolution(solution)
        solver.HandleUserInterrupt = True  # lets cancelSolve through
        run_interruptibly(solver.run, solver.cancelSolve)
        return _outcome(highspy, solver, model)


def _as_lp(highspy: Any, model: Model) -> Any:
    n_columns, n_rows, _ = model.size
    lp = highspy.HighsLp()
    lp.num_col_, lp.num_row_ = n_columns, n_rows
    lp.offset_ = model.offset
    lp.col_cost_, lp.col_lower_, lp.col_upper_ = model.cost, model.lower, model.upper
    lp.row_lower_, lp.row_upper_ = model.row_lower, model.row_upper
    lp.a_matrix_.format_ = highspy.MatrixFormat.kRowwise
    lp.a_matrix_.start_ = model.matrix.indptr
    lp.a_matrix_.index_ = model.matrix.indices
    lp.a_matrix_.value_ = model.matrix.data
    kinds = (highspy.HighsVarType.kContinuous, highspy.HighsVarType.kInteger)
    lp.integrality_ = [kinds[int(whole)] for whole in model.is_integer]
    return lp


def _outcome(highspy: Any, solver: Any, model: Model) -> Outcome:
    status = solver.getModelStatus()
    info = solver.getInfo()
    kinds = highspy.HighsModelStatus
    x = None
    if info.primal_solution_status == highspy.SolutionStatus.kSolutionStatusFeasible:
        x = np.asarray(solver.getSolution().col_value)
    n_nodes = max(0, int(info.mip_node_count))
    if status == kinds.kInfeasible or (status == kinds.kObjectiveBound and x is None):
        return Outcome(status="infeasible", x=None, bound=np.inf, n_nodes=n_nodes)
    if status in (kinds.kOptimal, kinds.kObjectiveBound):
        return Outcome(status="optimal", x=x, bound=float(info.mip_dual_bound), n_nodes=n_nodes)
    return Outcome(status="stopped", x=x, bound=float(info.mip_dual_bound), n_nodes=n_nodes)
