"""search_aside(): nodes whose rows fit in one place are searched there."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from bsnsing.engine.base import EngineOptions
from bsnsing.engine.coded import CodedEngine
from bsnsing.engine.parts import Coding, EncodedPart, joined
from bsnsing.engine.scattered import ScatteredEngine
from bsnsing.rules.deadline import Deadline
from bsnsing.solvers.native import NativeSolver

if TYPE_CHECKING:
    from bsnsing.grow.search_tree import BestRule, TreeSearch


def search_aside(
    engine: ScatteredEngine,
    search: TreeSearch,
    aside: dict[int, int],
    shares: NDArray[np.float64],
    deadline: Deadline,
) -> dict[int, BestRule]:
    """Search nodes whose rows fit in one place there, with all below them."""
    roots = list(aside)
    best: dict[int, BestRule] = {}
    messages = {"search": search, "roots": roots, "unit": engine.unit, "seconds": deadline.left()}
    options = replace(
        engine.options, search=replace(engine.options.search, n_threads=engine.n_threads)
    )
    for _, found in engine.gathered(
        search_nodes, list(aside.values()), shares[roots].tolist(), options=options, **messages
    ):
        for own in found:
            best |= own
    return best


def search_nodes(
    pieces: Sequence[Sequence[EncodedPart]],
    *,
    positions: Sequence[int],
    coding: Coding,
    search: TreeSearch,
    roots: Sequence[int],
    unit: float,
    seconds: float,
    options: EngineOptions,
) -> list[dict[int, BestRule]]:
    """Search nodes, each from the pieces that parts have of it, and all below them."""
    deadline = Deadline(seconds)
    found: list[dict[int, BestRule]] = []
    for i, position in enumerate(positions):
        engine = CodedEngine(joined([piece[i] for piece in pieces]), coding, unit, options)
        own = Deadline(deadline.left() / (len(positions) - i))
        found.append(search.below(roots[position], engine, NativeSolver(), own))
    return found
