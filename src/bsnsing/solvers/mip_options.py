"""MipOptions: how the mixed-integer solvers work, as users say it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from numbers import Real
from typing import Any


@dataclass(frozen=True, slots=True, kw_only=True)
class MipOptions:
    """How the mixed-integer solvers work.

    Parameters
    ----------
    formulation : {"strong", "paper"}, default="strong"
        Ours, or the paper's.
    warm_start : {"greedy", "enum", None}, default="greedy"
        Where the rule comes from that the solver begins with. With "enum", which may take a
        tenth of the time limit, what is left to the solver is the proof.
    cuts : {"rectangle", "proposition", None}, default=None
        Bounds by which "scip", "gurobi" and "cplex" get cuts while they run.
    gap : float, default=0
        Relative gap at which a solver may stop short of a proof.
    hybrid_solver : str, default="highs"
        The solver of small nodes with ``solver="hybrid"``.
    """

    formulation: str = "strong"
    warm_start: str | None = "greedy"
    cuts: str | None = None
    gap: float = 0.0
    hybrid_solver: str = "highs"


_CHOICES: dict[str, tuple[object, ...]] = {
    "formulation": ("strong", "paper"),
    "warm_start": ("greedy", "enum", None),
    "cuts": ("rectangle", "proposition", None),
}


def read_mip_options(given: Any, solvers: Sequence[str]) -> MipOptions:
    """Check ``solver_options``: None, a dict or a MipOptions."""
    if given is None:
        return MipOptions()
    if isinstance(given, MipOptions):
        options = given
    elif isinstance(given, Mapping):
        known = [f.name for f in fields(MipOptions)]
        unknown = [name for name in given if name not in known]
        if unknown:
            raise ValueError(
                f"solver_options has no entry {unknown[0]!r}. Its entries are {known}."
            )
        options = MipOptions(**given)
    else:
        raise ValueError(f"solver_options must be None or a dict. Got {given!r}.")
    for name, choices in (_CHOICES | {"hybrid_solver": tuple(solvers)}).items():
        if getattr(options, name) not in choices:
            raise ValueError(
                f"solver_options: {name} must be one of {choices}. Got {getattr(options, name)!r}."
            )
    if not isinstance(options.gap, Real) or not 0 <= options.gap < 1:
        raise ValueError(
            f"solver_options: gap must be a number from 0 to below 1. Got {options.gap!r}."
        )
    return options
