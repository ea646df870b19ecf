"""The table of parameters that say who searches."""

from __future__ import annotations

import numpy as np

from bsnsing.rules.parameters import (
    SEARCH_PARAMETERS,
    Parameters,
    any_of,
    is_bool,
    is_int_between,
    is_none,
    is_one_of,
    is_real_in,
)
from bsnsing.solvers.registry import SOLVERS

SOLVER_PARAMETERS: Parameters = {
    "solver": (is_one_of(*SOLVERS), f"one of {', '.join(map(repr, SOLVERS))}"),
    "greedy_level": (is_real_in(0, 1, low_open=True), "a number above 0 and at most 1"),
    "hybrid_cap": (is_real_in(0, np.inf), "a number of at least 0"),
    "verbose": (any_of(is_bool, is_int_between(0)), "True, False or a level of at least 0"),
}

BEST_RULE_PARAMETERS: Parameters = (
    SEARCH_PARAMETERS
    | SOLVER_PARAMETERS
    | {"n_best": (any_of(is_none, is_int_between(1)), "None or an int of at least 1")}
)
