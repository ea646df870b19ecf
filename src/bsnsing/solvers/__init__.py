"""Solvers choose a rule from each open node's pool; one registry names them all.

Adding one is a module with a class that has ``choose`` and a line here.
"""

from __future__ import annotations

from bsnsing.solvers.base import Found, Solver
from bsnsing.solvers.native import NativeSolver

# In order of preference. Both run in the native engine, which is told which by its options.
SOLVERS: dict[str, type[Solver]] = {"enum": NativeSolver, "greedy": NativeSolver}

__all__ = ["SOLVERS", "Found", "Solver"]
