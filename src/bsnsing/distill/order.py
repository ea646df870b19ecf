"""canonical_order(): the rows in an order that their cells alone decide."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from bsnsing.data.cases import Cases
from bsnsing.data.row_keys import row_keys


def canonical_order(cases: Cases) -> NDArray[np.intp]:
    """Return an order of the rows that depends on what they hold only, not on how they came."""
    mixed = row_keys(cases)
    if cases.weights.counts is not None:
        return np.lexsort((cases.weights.counts, mixed))
    return np.argsort(mixed, kind="stable")
