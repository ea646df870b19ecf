"""Solvers choose a rule from each open node's pool; one registry names them all.

Adding a mixed-integer solver is a module with a class like :class:`~bsnsing.solvers.highs.Highs`
and a line in ``registry.py``. No solver's package is imported before it is used.
"""

from typing import TYPE_CHECKING, Any

from bsnsing.rules.split import Found
from bsnsing.solvers.base import MipSolver, Solver, SolverUnavailableError
from bsnsing.solvers.mip_options import MipOptions
from bsnsing.solvers.registry import MIP_SOLVERS, SOLVERS, Availability, available

if TYPE_CHECKING:
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


def __getattr__(name: str) -> Any:
    """Import what writes programs to files on its first use."""
    if name != "write_model":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from bsnsing.solvers.write import write_model

    globals()[name] = write_model
    return write_model
