"""Who chooses the rules of a tree's nodes: the engine, or a mixed-integer solver."""

from __future__ import annotations

from dataclasses import dataclass, field

from bsnsing.data.cases import Cases
from bsnsing.engine.base import EngineOptions
from bsnsing.solvers.base import Solver
from bsnsing.solvers.mip_options import MipOptions
from bsnsing.solvers.native import NativeSolver
from bsnsing.solvers.registry import MIP_SOLVERS


@dataclass(frozen=True, slots=True, kw_only=True)
class SolverOptions:
    """Who searches, and how; see :class:`bsnsing.BsnsingClassifier` for each."""

    name: str = "enum"
    hybrid_cap: float = 40000.0
    mip: MipOptions = field(default_factory=MipOptions)
    verbose: bool = False


def make_node_solver(
    solver: SolverOptions, options: EngineOptions, cases: Cases, n_classes: int
) -> Solver:
    """Return the solver that the options name."""
    if solver.name in ("enum", "greedy"):
        return NativeSolver()
    # On request: few trees are grown by programs.
    from bsnsing.solvers.mip_nodes import HybridSolver, NodeSolver
    from bsnsing.solvers.pool import check_mip

    search = options.search
    check_mip(solver.name, search.criterion, search.operators, n_classes, cases.weights.unit)
    name = solver.mip.hybrid_solver if solver.name == "hybrid" else solver.name
    node_solver = NodeSolver(
        solver=MIP_SOLVERS[name],
        mip_options=solver.mip,
        options=options,
        cases=cases,
        verbose=solver.verbose,
    )
    if solver.name != "hybrid":
        return node_solver
    return HybridSolver(small=node_solver, cap=solver.hybrid_cap)
