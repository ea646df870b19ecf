"""The registry that names all solvers; adding one is a module and a line here."""

from __future__ import annotations

import importlib
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from bsnsing.solvers.base import MipSolver
from bsnsing.solvers.mip_options import MipOptions

# Module and class of each, in order of preference.
_CLASSES = {
    "highs": "Highs",
    "cpsat": "CpSat",
    "scip": "Scip",
    "cbc": "Cbc",
    "gurobi": "Gurobi",
    "cplex": "Cplex",
    "lpsolve": "LpSolve",
}


class _MipSolvers(Mapping[str, MipSolver]):
    """Mixed-integer solvers by name; what drives one is imported when it is asked for."""

    def __getitem__(self, name: str) -> MipSolver:
        kind = _CLASSES[name]
        solver: MipSolver = getattr(importlib.import_module(f"bsnsing.solvers.{name}"), kind)()
        return solver

    def __iter__(self) -> Iterator[str]:
        return iter(_CLASSES)

    def __len__(self) -> int:
        return len(_CLASSES)


MIP_SOLVERS: Mapping[str, MipSolver] = _MipSolvers()
# Native: exact and greedy search; hybrid: a mixed-integer solver for small nodes, enum for large.
SOLVERS: tuple[str, ...] = ("enum", "greedy", "hybrid", *MIP_SOLVERS)


class Availability(NamedTuple):
    """Whether a solver can be used here; if not, why, and what to do."""

    is_usable: bool
    reason: str = ""
    advice: str = ""


def available() -> dict[str, Availability]:
    """Say for each solver whether it can be used here, why not, and what to do.

    Looks for packages and programs, and starts commercial solvers to see whether they have a
    license, be it the free one for small programs. ``python -m bsnsing.solvers`` prints the list.

    Returns
    -------
    dict of str to Availability
        By name of the solver, with the fields ``is_usable``, ``reason`` and ``advice``.
    """
    found = {}
    for name, solver in MIP_SOLVERS.items():
        reason = solver.why_not()
        found[name] = (
            Availability(True) if reason is None else Availability(False, reason, solver.advice)
        )
    native = {name: Availability(True) for name in ("enum", "greedy")}
    return native | {"hybrid": _hybrid(found)} | found


def _hybrid(found: dict[str, Availability]) -> Availability:
    """Say whether some mixed-integer solver can take the small nodes."""
    usual = MipOptions().hybrid_solver
    if found[usual].is_usable:
        return Availability(True)
    others = [name for name, status in found.items() if status.is_usable]
    advice = found[usual].advice
    if others:
        options = f"{{'hybrid_solver': {others[0]!r}}}"
        advice = f"Say solver_options={options}. Or: {advice}"
    return Availability(
        False, f"its solver of small nodes, {usual}, is not: {found[usual].reason}", advice
    )
