"""What every solver provides, and what it returns."""

from __future__ import annotations

import importlib
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, Protocol

from bsnsing.engine.base import Engine
from bsnsing.rules.knowledge import NodeLimits
from bsnsing.rules.split import Found

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from bsnsing.solvers.cuts import ConflictCuts
    from bsnsing.solvers.model import Model


# Objectives of rules are whole, so a gap below one is none; the rest is for rounding.
ABSOLUTE_GAP = 0.9


class SolverUnavailableError(RuntimeError):
    """A solver is not installed, has no license, or refuses a program of this size."""


class Solver(Protocol):
    """Chooses a rule for each of several nodes of an engine."""

    def choose(
        self,
        engine: Engine,
        nodes: Sequence[int],
        time_limit: float = math.inf,
        limits: Sequence[NodeLimits] = (),
    ) -> list[Found | None]:
        """Return the rule for each node; None where no rule is feasible.

        The seconds are for all nodes together; what they do not suffice for is not proven. Each
        node may have limits of its own, which mixed-integer solvers do not take.
        """
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """How a program is to be solved."""

    time_limit: float
    n_threads: int = 1
    gap: float = 0.0  # relative gap at which the solver may stop
    verbose: bool = False
    start: NDArray[np.float64] | None = None  # a feasible solution to begin with
    cutoff: float | None = None  # only solutions of at most this objective are of interest
    cuts: ConflictCuts | None = None  # for solvers that take cuts while they run


# "optimal": proven, given the cutoff; "infeasible": proven that there is none; "stopped": neither.
Status = Literal["optimal", "infeasible", "stopped"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What a solver says of a program."""

    status: Status
    x: NDArray[np.float64] | None  # best solution met
    bound: float  # no solution within the cutoff is below this
    n_nodes: int = 0


class MipSolver(Protocol):
    """An adapter to one mixed-integer solver."""

    name: str
    advice: str  # how to get it
    takes_cuts: bool  # while it runs

    def why_not(self) -> str | None:
        """Return None if the solver can be used here, else what is missing."""
        ...

    def solve(self, model: Model, request: Request) -> Outcome:
        """Solve a program; Ctrl-C ends it with KeyboardInterrupt."""
        ...


def import_or_explain(solver: MipSolver, module: str) -> Any:
    """Import a solver's package, or say what is missing and how to get it."""
    try:
        return importlib.import_module(module)
    except ImportError as error:
        reason = (
            f"needs {module.split('.')[0]}, which is not installed"
            if isinstance(error, ModuleNotFoundError)
            else f"cannot load {module}: {error}"
        )
        raise SolverUnavailableError(
            f"solver={solver.name!r} {reason}. {solver.advice} Or use solver='enum', which needs "
            "nothing."
        ) from error


def missing_module(module: str) -> str | None:
    """Say why a package cannot be imported; None if it can."""
    try:
        importlib.import_module(module)
    except ModuleNotFoundError:
        return f"the package {module.split('.')[0]} is not installed"
    except ImportError as error:
        return f"the package {module.split('.')[0]} cannot be loaded: {error}"
    return None
