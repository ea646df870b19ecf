"""The native search, exact (ENUM) or greedy as the engine was told."""

from __future__ import annotations

from collections.abc import Sequence

from bsnsing import _core
from bsnsing.solvers.base import Found


class NativeSolver:
    """Asks and searches all nodes of a level in one call."""

    def choose(self, engine: _core.Engine, nodes: Sequence[int]) -> list[Found | None]:
        """Return the rule for each node; None where no rule is feasible."""
        return [None if found is None else Found(*found) for found in engine.search(list(nodes))]
