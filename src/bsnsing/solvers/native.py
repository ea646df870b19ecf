"""The engine's own search, exact (ENUM) or greedy as it was told."""

from __future__ import annotations

import math
from collections.abc import Sequence

from bsnsing.engine.base import Engine
from bsnsing.rules.knowledge import NodeLimits
from bsnsing.rules.split import Found


class NativeSolver:
    """Asks and searches all nodes of a level in one call."""

    def choose(
        self,
        engine: Engine,
        nodes: Sequence[int],
        time_limit: float = math.inf,
        limits: Sequence[NodeLimits] = (),
    ) -> list[Found | None]:
        """Return the rule for each node; not worthwhile where none is feasible."""
        return list(engine.best_rules(nodes, time_limit, limits))
