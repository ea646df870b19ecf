"""lp_solve, as a program that reads a file."""

from __future__ import annotations

import re
import tempfile
from dataclasses import replace
from pathlib import Path

import numpy as np
from scipy.sparse import csr_matrix, vstack

from bsnsing.solvers.base import Outcome, Request, SolverUnavailableError
from bsnsing.solvers.files import write_file
from bsnsing.solvers.model import Floats, Model
from bsnsing.solvers.programs import find_program, read_number, read_values, run_program

VARIABLE = "BSNSING_LPSOLVE"


class LpSolve:
    """The open-source solver lp_solve: one thread, no cuts, and no bound but the relaxation's."""

    name = "lpsolve"
    takes_cuts = False
    advice = f"On Debian run `apt install lp-solve`, or name the program in {VARIABLE}."

    def why_not(self) -> str | None:
        """Return None if the solver can be used here, else what is missing."""
        if find_program("lp_solve", VARIABLE):
            return None
        return f"there is no program lp_solve, neither on the path nor in {VARIABLE}"

    def solve(self, model: Model, request: Request) -> Outcome:
        """Solve a program; Ctrl-C ends it with KeyboardInterrupt."""
        program = find_program("lp_solve", VARIABLE)
        if program is None:
            raise SolverUnavailableError(
                f"solver='lpsolve' cannot be used: {self.why_not()}. {self.advice} Or use "
                "solver='enum', which needs nothing."
            )
        if request.cutoff is not None:
            # It takes no solution to begin with; that the others must be as good is a row.
            model = _with_cutoff(model, request.cutoff)
        with tempfile.TemporaryDirectory() as folder:
            path = write_file(model, Path(folder) / "model.mps")
            command = [program, "-fmps", str(path), "-S3", "-v5", "-e", "1e-7"]
            # Its default gaps are next to none; a greater absolute one makes it lose optima.
            command += ["-gr", str(request.gap)] if request.gap else []
            command += ["-timeout", str(max(1, round(min(request.time_limit, 1e9))))]
            log = run_program(self, command, request.time_limit, request.verbose)
        return _outcome(model, log)


def _with_cutoff(model: Model, cutoff: float) -> Model:
    return replace(
        model,
        matrix=csr_matrix(vstack([model.matrix, csr_matrix(model.cost)])),
        row_lower=np.append(model.row_lower, -np.inf),
        row_upper=np.append(model.row_upper, cutoff - model.offset + 1e-6),
    )


def _outcome(model: Model, log: str) -> Outcome:
    relaxed = re.findall(r"Relaxed solution\s+(-?[\d.e+-]+)", log)
    bound = read_number(relaxed[0]) if relaxed else -np.inf
    nodes = re.findall(r"iter,\s+(\d+) nodes", log)
    n_nodes = int(nodes[-1]) if nodes else 0
    if "problem is infeasible" in log:
        return Outcome(status="infeasible", x=None, bound=np.inf, n_nodes=n_nodes)
    if "Actual values of the variables" not in log:
        return Outcome(status="stopped", x=None, bound=bound, n_nodes=n_nodes)
    x = _values(model, log)
    if x is None or "sub-optimal" in log:
        return Outcome(status="stopped", x=x, bound=bound, n_nodes=n_nodes)
    return Outcome(status="optimal", x=x, bound=model.value(x), n_nodes=n_nodes)


def _values(model: Model, log: str) -> Floats | None:
    section = log.split("Actual values of the variables", 1)[1]
    lines = section.split("Actual values of the constraints", 1)[0].splitlines()
    return read_values(model, (words for line in lines if len(words := line.split()) == 2))
