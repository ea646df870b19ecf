"""Trees put together by hand, of shapes that growing takes long to reach."""

from __future__ import annotations

import numpy as np

from bsnsing import BsnsingClassifier, Tree
from bsnsing.data.columns import ColumnInfo
from bsnsing.tree.probabilities import Evidence, with_evidence


def tree_of(left: list[int], right: list[int], counts: np.ndarray, cut: np.ndarray) -> Tree:
    """Node v asks ``x > cut[v]``; counts are of leaves, and are added up."""
    n_nodes = len(left)
    counts = counts.astype(float)
    depth = np.zeros(n_nodes, dtype=np.int32)
    is_inner = np.array(left) >= 0
    for v in np.flatnonzero(is_inner):
        depth[[left[v], right[v]]] = depth[v] + 1
    for v in reversed(np.flatnonzero(is_inner)):
        counts[v] = counts[left[v]] + counts[right[v]]
    n_questions = int(is_inner.sum())
    tree = Tree(
        columns=(ColumnInfo("x0", "numeric"),),
        pairs=(),
        has_missing=(False,),
        classes=np.array([0, 1]),
        class_weight=np.ones(2),
        is_taught=False,
        n_synthetic=0,
        children_left=np.array(left, dtype=np.int32),
        children_right=np.array(right, dtype=np.int32),
        depth=depth,
        counts=counts,
        value=np.zeros((n_nodes, 2)),
        impurity=np.zeros(n_nodes),
        weighted_cases=np.zeros(n_nodes),
        operator=np.zeros(n_nodes, dtype=np.uint8),
        objective=np.where(is_inner, 1.0, np.nan),
        bound=np.where(is_inner, 1.0, np.nan),
        optimal=np.ones(n_nodes, dtype=bool),
        own_objective=np.where(is_inner, 1.0, np.nan),
        best_own_objective=np.where(is_inner, 1.0, np.nan),
        best_own_proven=is_inner,
        n_counted=np.ones(n_nodes),
        n_excluded=np.zeros(n_nodes),
        first_question=np.concatenate([[0], np.cumsum(is_inner)]).astype(np.int32),
        question_column=np.zeros(n_questions, dtype=np.int32),
        question_test=np.zeros(n_questions, dtype=np.uint8),  # >
        question_value=cut[is_inner],
        question_negated=np.zeros(n_questions, dtype=np.uint8),
        first_level=np.zeros(n_questions + 1, dtype=np.int32),
        levels=np.zeros(0, dtype=np.int32),
    )
    return with_evidence(tree, Evidence(tree.counts, tree.counts), 0.0)


def chain_tree(n_leaves: int) -> Tree:
    """Return a tree whose every split cuts off one leaf: x = 0, 1, ... alternate in class."""
    n_nodes = 2 * n_leaves - 1
    # Nodes 2 i are the chain, nodes 2 i + 1 the leaves of x = i.
    left = [v + 2 if v % 2 == 0 and v + 2 < n_nodes else -1 for v in range(n_nodes)]
    right = [v + 1 if v % 2 == 0 and v + 2 < n_nodes else -1 for v in range(n_nodes)]
    held = np.arange(n_nodes) // 2
    counts = np.eye(2)[held % 2]
    counts[0] *= n_leaves == 1
    return tree_of(left, right, counts, held + 0.5)


def balanced_tree(n_leaves: int) -> Tree:
    """Return a tree of equally deep leaves over x = 0, 1, ..., which alternate in class."""
    left, right, spans = [-1], [-1], [(0, n_leaves)]
    for v in range(2 * n_leaves - 1):
        low, high = spans[v]
        if high - low > 1:
            left[v], right[v] = len(left), len(left) + 1
            left += [-1, -1]
            right += [-1, -1]
            middle = (low + high) // 2
            spans += [(middle, high), (low, middle)]
    counts = np.eye(2)[[low % 2 for low, _ in spans]]
    cut = np.array([(low + high) // 2 - 0.5 for low, high in spans])
    return tree_of(left, right, counts, cut)


def model_of(tree: Tree) -> BsnsingClassifier:
    """Return a fitted classifier that has this tree."""
    model = BsnsingClassifier.plain().fit([[0.0], [1.0]], [0, 1])
    model._keep([tree])
    return model
