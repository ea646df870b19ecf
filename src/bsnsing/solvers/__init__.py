"""Solvers choose a rule from each open node's pool; one registry names them all.

Adding a mixed-integer solver is a module with a class like :class:`~bsnsing.solvers.highs.Highs`
and a line in ``registry.py``. No solver's package is imported before it is used.
"""

from bsnsing.rules.split import Found
from bsnsing.solvers.base import MipSolver, Solver, SolverUnavailableError
from bsnsing.solvers.mip import MipOptions
from bsnsing.solvers.registry import MIP_SOLVERS, SOLVERS, Availability, available
from bsnsing.solvers.write import write_model

__all__ = [
    "MIP_SOLVERS",
    "SOLVERS",
    "Availability",
    "Found",
    "MipOptions",
    "MipSolver",
    "Solver",
    "SolverUnavailableError",
    "available",
    "write_model",
]
