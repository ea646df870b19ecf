"""CP-SAT of OR-Tools: exact in integers, so its bounds need no tolerance."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np

from bsnsing.solvers.base import Outcome, Request, import_or_explain, missing_module
from bsnsing.solvers.model import Floats, Model
from bsnsing.solvers.running import run_interruptibly

_MODULE = "ortools.sat.python.cp_model"
_LARGEST = 2**53  # sums of products of numbers up to this stay within 64 bits


class CpSat:
    """The constraint solver of OR-Tools; it takes no cuts while it runs."""

    name = "cpsat"
    takes_cuts = False
    advice = "Run `pip install 'bsnsing[cpsat]'`, or `pip install '.[cpsat]'` in a checkout."

    def why_not(self) -> str | None:
        """Return None if the solver can be used here, else what is missing."""
        return missing_module(_MODULE)

    def solve(self, model: Model, request: Request) -> Outcome:
        """Solve a program; Ctrl-C ends it with KeyboardInterrupt."""
        cp_model = import_or_explain(self, _MODULE)
        program, columns = _as_program(cp_model, model, request.cutoff)
        if request.start is not None:
            for column, value in zip(columns, request.start, strict=True):
                program.add_hint(column, round(value))
        solver = cp_model.CpSolver()
        parameters = solver.parameters
        parameters.max_time_in_seconds = request.time_limit
        parameters.num_workers = request.n_threads
        parameters.relative_gap_limit = request.gap
        parameters.log_search_progress = request.verbose
        parameters.catch_sigint_signal = False  # Python's handler stays in place
        status = run_interruptibly(lambda: solver.solve(program), solver.stop_search)
        n_nodes = int(solver.num_branches)
        if status == cp_model.INFEASIBLE:
            return Outcome(status="infeasible", x=None, bound=np.inf, n_nodes=n_nodes)
        if status == cp_model.MODEL_INVALID:
            raise ValueError(f"CP-SAT refuses the program: {program.validate()}")
        x = None
        if status in (cp_model.OPTIMAL, cp_model.FEASIBLE):
            x = np.array([solver.value(column) for column in columns], dtype=np.float64)
        is_proven = status == cp_model.OPTIMAL
        return Outcome(
            status="optimal" if is_proven else "stopped",
            x=x,
            bound=float(solver.best_objective_bound),
            n_nodes=n_nodes,
        )


def _as_program(cp_model: Any, model: Model, cutoff: float | None) -> tuple[Any, list[Any]]:
    """All columns as integers: in every program of ours the best values are whole."""
    program = cp_model.CpModel()
    # Theta is the only free column; its best value is zero or one.
    lower = np.where(np.isfinite(model.lower), np.ceil(model.lower), -1).astype(np.int64)
    upper = np.where(np.isfinite(model.upper), np.floor(model.upper), 1).astype(np.int64)
    columns = [
        program.new_int_var(int(low), int(high), name)
        for low, high, name in zip(lower, upper, model.names, strict=True)
    ]
    matrix = model.matrix
    for row in range(matrix.shape[0]):
        span = slice(matrix.indptr[row], matrix.indptr[row + 1])
        coefficients, low, high = _whole_row(
            matrix.data[span], model.row_lower[row], model.row_upper[row]
        )
        expression = cp_model.LinearExpr.weighted_sum(
            [columns[i] for i in matrix.indices[span]], coefficients
        )
        program.add_linear_constraint(expression, low, high)
    used = np.flatnonzero(model.cost)
    costs = [int(c) for c in model.cost[used]]
    objective = cp_model.LinearExpr.weighted_sum([columns[i] for i in used], costs) + int(
        model.offset
    )
    program.minimize(objective)
    if cutoff is not None:
        program.add(objective <= math.floor(cutoff + 1e-6))
    return program, columns


def _whole_row(values: Floats, lower: float, upper: float) -> tuple[list[int], int, int]:
    """A row in integers; fractions with small denominators are multiplied out."""
    if (values == np.rint(values)).all():
        numbers, factor = [int(v) for v in values], 1
    else:
        fractions = [Fraction(float(v)).limit_denominator(10**6) for v in values]
        factor = math.lcm(*(f.denominator for f in fractions))
        numbers = [int(f * factor) for f in fractions]
        if factor * max(abs(float(f)) for f in fractions) > _LARGEST:
            raise ValueError(
                "CP-SAT works in integers, and the coefficients of a constraint or the class "
                f"weights, such as {float(values[0])!r}, have no small common denominator. Round "
                "them, or use another solver."
            )
    low = -_LARGEST if not np.isfinite(lower) else math.ceil(lower * factor - 1e-6)
    high = _LARGEST if not np.isfinite(upper) else math.floor(upper * factor + 1e-6)
    return numbers, low, high
