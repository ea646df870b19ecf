"""Gurobi, through gurobipy; without a license of one's own it takes small programs only."""

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

_TOO_LARGE = 10010


class Gurobi:
    """The commercial solver Gurobi; it asks for cuts at every node."""

    name = "gurobi"
    takes_cuts = True
    advice = "Run `pip install 'bsnsing[gurobi]'`, or `pip install '.[gurobi]'` in a checkout."

    def why_not(self) -> str | None:
        """Return None if the solver can be used here, else what is missing."""
        missing = missing_module("gurobipy")
        if missing:
            return missing
        import gurobipy

        try:
            _quiet_environment(gurobipy).dispose()
        except gurobipy.GurobiError as error:
            return f"Gurobi has no valid license: {error}"
        return None

    def solve(self, model: Model, request: Request) -> Outcome:
        """Solve a program; Ctrl-C ends it with KeyboardInterrupt."""
        gurobipy = import_or_explain(self, "gurobipy")
        try:
            with _quiet_environment(gurobipy) as environment:
                return self._solve(gurobipy, environment, model, request)
        except gurobipy.GurobiError as error:
            raise self._explained(error, model) from error

    def _solve(self, gurobipy: Any, environment: Any, model: Model, request: Request) -> Outcome:
        with gurobipy.Model(env=environment) as solver:
            x = _fill(gurobipy, solver, model)
            parameters: dict[str, Any] = {
                "OutputFlag": int(request.verbose),
                "TimeLimit": request.time_limit,
                "Threads": request.n_threads,
                "MIPGap": request.gap,
                "MIPGapAbs": ABSOLUTE_GAP,
            }
            if request.cutoff is not None:
                parameters["Cutoff"] = request.cutoff + 0.5
            callback = None
            if request.cuts is not None:
                parameters["PreCrush"] = 1  # cuts in the columns of the model
                callback = _separator(gurobipy, x[: model.n_choices].tolist(), request)
            for name, value in parameters.items():
                solver.setParam(name, value)
            if request.start is not None:
                x.Start = request.start
            run_interruptibly(lambda: solver.optimize(callback), solver.terminate)
            if solver.Status == gurobipy.GRB.INTERRUPTED:  # it handles Ctrl-C itself
                raise KeyboardInterrupt
            return _outcome(gurobipy, solver, x)

    def _explained(self, error: Any, model: Model) -> SolverUnavailableError:
        columns, rows, _ = model.size
        if error.errno == _TOO_LARGE:
            return SolverUnavailableError(
                f"The program has {columns} columns and {rows} rows, more than Gurobi's free "
                "license takes (2000 of each). Install a license of your own, use "
                "solver='highs', or solver='hybrid' with a smaller hybrid_cap."
            )
        return SolverUnavailableError(
            f"Gurobi failed: {error}. Check its license with `gurobi_cl --license`, or use "
            "solver='highs'."
        )


def _quiet_environment(gurobipy: Any) -> Any:
    environment = gurobipy.Env(empty=True)
    environment.setParam("OutputFlag", 0)
    environment.start()
    return environment


def _fill(gurobipy: Any, solver: Any, model: Model) -> Any:
    kinds = np.where(model.is_integer, "I", "C")
    x = solver.addMVar(len(model.cost), lb=model.lower, ub=model.upper, obj=model.cost, vtype=kinds)
    solver.ObjCon = model.offset
    low, high = model.row_lower, model.row_upper
    equal = low == high
    for rows, sense, end in (
        (equal, "=", low),
        (np.isfinite(low) & ~equal, ">", low),
        (np.isfinite(high) & ~equal, "<", high),
    ):
        if rows.any():
            senses = np.full(int(rows.sum()), sense)
            solver.addMConstr(model.matrix[rows], x, senses, end[rows])
    return x


def _separator(gurobipy: Any, choices: list[Any], request: Request) -> Any:
    cuts, codes = request.cuts, gurobipy.GRB.Callback

    def separate(solver: Any, where: int) -> None:
        if where != codes.MIPNODE or cuts is None:
            return
        if solver.cbGet(codes.MIPNODE_STATUS) != gurobipy.GRB.OPTIMAL:
            return
        point = np.array(solver.cbGetNodeRel(choices))
        for members, most in cuts.violated(point, solver.cbGet(codes.MIPNODE_OBJBST)):
            solver.cbCut(gurobipy.quicksum(choices[i] for i in members) <= most)

    return separate


def _outcome(gurobipy: Any, solver: Any, x: Any) -> Outcome:
    codes = gurobipy.GRB
    n_nodes = int(solver.NodeCount)
    if solver.Status in (codes.INFEASIBLE, codes.INF_OR_UNBD, codes.CUTOFF):
        return Outcome(status="infeasible", x=None, bound=np.inf, n_nodes=n_nodes)
    values = np.asarray(x.X) if solver.SolCount > 0 else None
    is_proven = solver.Status == codes.OPTIMAL
    return Outcome(
        status="optimal" if is_proven else "stopped",
        x=values,
        bound=float(solver.ObjBound),
        n_nodes=n_nodes,
    )
