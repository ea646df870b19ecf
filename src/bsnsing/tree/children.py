"""check_children(): whether the ways down a tree end."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray


def check_children(
    left: NDArray[np.signedinteger[Any]], right: NDArray[np.signedinteger[Any]]
) -> None:
    """Raise ValueError unless children come after their parents, so that no way down is endless."""
    nodes = np.arange(len(left))
    is_leaf = (left < 0) & (right < 0)
    is_after = (left > nodes) & (right > nodes) & (left < len(left)) & (right < len(left))
    is_bad = ~(is_leaf | (is_after & (left != right)))
    if is_bad.any():
        node = int(np.flatnonzero(is_bad)[0])
        raise ValueError(
            f"Damaged tree: the children of node {node} are {left[node]} and {right[node]}, but "
            "must be two nodes that come after it. Fit or load the tree anew."
        )
