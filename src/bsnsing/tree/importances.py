"""What each column brings to a tree."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from bsnsing.tree.tree import Tree


def impurity_reductions(tree: Tree) -> NDArray[np.float64]:
    """Reduction of impurity that each column brings.

    A rule's reduction counts for its questions in equal parts, and for both columns of a pair.
    """
    sums = np.zeros(len(tree.columns))
    for node in np.flatnonzero(~tree.is_leaf):
        left, right = tree.children_left[node], tree.children_right[node]
        reduction = tree.impurity[node] - tree.impurity[left] - tree.impurity[right]
        span = range(tree.first_question[node], tree.first_question[node + 1])
        for question in span:
            columns = tree.columns_of(question)
            np.add.at(sums, columns, max(0.0, reduction) / len(span) / len(columns))
    return sums
