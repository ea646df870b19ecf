"""What every solver provides, and what it returns."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, Protocol

from bsnsing import _core
from bsnsing._questions import Fields


class Found(NamedTuple):
    """The rule a solver chose for a node, in the terms of the native engine."""

    is_worthwhile: bool  # better than leaving the node alone
    questions: list[Fields]
    negated: list[bool]
    operator: int
    left: list[float]  # cases per class that answer yes
    objective: float
    bound: float
    optimal: bool
    n_counted: float
    n_excluded: float
    seconds: float


class Solver(Protocol):
    """Chooses a rule for each of several nodes of an engine."""

    def choose(self, engine: _core.Engine, nodes: Sequence[int]) -> list[Found | None]:
        """Return the rule for each node; None where no rule is feasible."""
        ...
