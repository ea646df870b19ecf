"""SCIP, through PySCIPOpt."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import numpy as np

from bsnsing.solvers.base import ABSOLUTE_GAP, Outcome, Request, import_or_explain, missing_module
from bsnsing.solvers.cuts import ConflictCuts
from bsnsing.solvers.files import write_file
from bsnsing.solvers.model import Model
from bsnsing.solvers.running import run_interruptibly


class Scip:
    """The open-source solver SCIP; it asks for cuts at every node."""

    name = "scip"
    takes_cuts = True
    advice = "Run `pip install 'bsnsing[scip]'`, or `pip install '.[scip]'` in a checkout."

    def why_not(self) -> str | None:
        """Return None if the solver can be used here, else what is missing."""
        return missing_module("pyscipopt")

    def solve(self, model: Model, request: Request) -> Outcome:
        """Solve a program; Ctrl-C ends it with KeyboardInterrupt."""
        pyscipopt = import_or_explain(self, "pyscipopt")
        solver = pyscipopt.Model()
        if not request.verbose:
            solver.hideOutput()
        with tempfile.TemporaryDirectory() as folder:
            # One row at a time through Python objects takes minutes for the paper's program.
            solver.readProblem(str(write_file(model, Path(folder) / "model.mps")))
        by_name = {variable.name: variable for variable in solver.getVars()}
        variables = [by_name[name] for name in model.names]
        solver.setParams(
            {
                "limits/time": min(request.time_limit, 1e20),
                "limits/gap": request.gap,
                "limits/absgap": ABSOLUTE_GAP,
                "lp/threads": request.n_threads,
                "misc/catchctrlc": False,  # Python's handler stays in place
            }
        )
        if request.cutoff is not None:
            solver.setObjlimit(request.cutoff + 0.5)
        if request.start is not None:
            _give_start(solver, by_name, model, request.start)
        if request.cuts is not None:
            _include_cuts(pyscipopt, solver, variables[: model.n_choices], request.cuts)
        run_interruptibly(solver.optimizeNogil, solver.interruptSolve)
        return _outcome(solver, variables)


def _give_start(solver: Any, by_name: dict[str, Any], model: Model, start: Any) -> None:
    solution = solver.createSol()
    for name, value in [*zip(model.names, start, strict=True), ("constant", 1.0)]:
        solver.setSolVal(solution, by_name[name], float(value))
    solver.addSol(solution)


def _include_cuts(pyscipopt: Any, solver: Any, choices: list[Any], cuts: ConflictCuts) -> None:
    # Reductions that keep just one of several best solutions do not know of our cuts.
    solver.setParam("misc/allowstrongdualreds", False)
    solver.setParam("misc/allowweakdualreds", False)

    class Separator(pyscipopt.Sepa):
        """Adds the conflict cuts that the current relaxation violates."""

        def sepaexeclp(self) -> dict[str, Any]:
            result = pyscipopt.SCIP_RESULT
            columns = [solver.getTransformedVar(w) for w in choices]
            point = np.array([solver.getSolVal(None, w) for w in columns])
            n_added = 0
            for members, most in cuts.violated(point, solver.getPrimalbound()):
                row = solver.createEmptyRowSepa(self, "conflict", lhs=None, rhs=most, local=False)
                solver.cacheRowExtensions(row)
                for i in members:
                    solver.addVarToRow(row, columns[i], 1.0)
                solver.flushRowExtensions(row)
                is_hopeless = solver.addCut(row, forcecut=True)
                solver.releaseRow(row)
                if is_hopeless:
                    return {"result": result.CUTOFF}
                n_added += 1
            return {"result": result.SEPARATED if n_added else result.DIDNOTFIND}

    solver.includeSepa(
        Separator(), "conflicts", "rules that cannot beat the best one", priority=100_000, freq=1
    )


def _outcome(solver: Any, variables: list[Any]) -> Outcome:
    status = solver.getStatus()
    n_nodes = int(solver.getNTotalNodes())
    x = None
    if solver.getNSols() > 0:
        best = solver.getBestSol()
        x = np.array([solver.getSolVal(best, variable) for variable in variables])
    if status == "infeasible" or (status == "optimal" and x is None):
        return Outcome(status="infeasible", x=None, bound=np.inf, n_nodes=n_nodes)
    bound = float(solver.getDualbound())
    kind = "optimal" if status in ("optimal", "gaplimit") else "stopped"
    return Outcome(
        status="optimal" if kind == "optimal" else "stopped", x=x, bound=bound, n_nodes=n_nodes
    )
