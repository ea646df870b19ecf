"""node_solver(): who chooses the rules of a tree's nodes, with donors where nodes have them."""

from __future__ import annotations

from bsnsing.data.cases import Cases
from bsnsing.engine.base import EngineOptions
from bsnsing.grow.options import GrowOptions
from bsnsing.grow.origins import Origins
from bsnsing.rules.deadline import Deadline
from bsnsing.solvers.base import Solver
from bsnsing.solvers.nodes import make_node_solver


def node_solver(
    options: GrowOptions,
    engine_options: EngineOptions,
    cases: Cases,
    n_classes: int,
    origins: Origins,
    deadline: Deadline,
) -> Solver:
    """Return the solver that the options name, with donors where the options have some."""
    solver = make_node_solver(options.solver, engine_options, cases, n_classes)
    if not options.learners:
        return solver
    # On request: few trees have donors.
    from bsnsing.grow.donors import DonorSolver, NodeDonors

    donors = NodeDonors(options, engine_options, cases, n_classes, origins)
    return DonorSolver(solver, donors, deadline)
