"""Rows -> leaves, or where they met an unknown -> the nodes passed on the way."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix

from bsnsing import _core
from bsnsing.data.table import Table
from bsnsing.questions.pair import pair_columns
from bsnsing.tree.tree import Tree


def find_leaves(tree: Tree, table: Table, n_threads: int) -> NDArray[np.int64]:
    """Return the leaf that each row of the table ends in.

    Where a column had no missing cells at fit, what a missing cell answers is unknown; so is what
    a level never seen at fit answers, anywhere. Only ``is missing`` has an answer for every cell.
    A row ends in the node whose rule the known answers do not settle.
    """
    flat = _core.FlatTree(
        yes=tree.children_left,
        no=tree.children_right,
        operators=tree.operator,
        first_literal=tree.first_question,
        literal_columns=tree.question_column,
        tests=tree.question_test,
        values=tree.question_value,
        negated=tree.question_negated,
        first_level=tree.first_level,
        levels=tree.levels,
        n_levels=[len(c.levels) if c.kind == "categorical" else -1 for c in tree.columns]
        + [-1] * len(tree.pairs),
        has_missing=tree.has_missing,
    )
    leaves: NDArray[np.int64] = flat.find_leaves(
        asked_columns(tree, table), n_rows=table.n_rows, n_threads=n_threads
    )
    return leaves


def stops_of(tree: Tree, leaves: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the node where each row met an unknown, given where rows end; -1 at leaves."""
    return np.where(tree.is_leaf[leaves], -1, leaves)


def asked_columns(tree: Tree, table: Table) -> list[NDArray[Any] | None]:
    """Return the columns, and then the pairs, that the tree asks about; None for the others."""
    n_columns = len(tree.columns)
    columns: list[NDArray[Any] | None] = [None] * (n_columns + len(tree.pairs))
    for position in np.unique(tree.question_column):
        if position < n_columns:
            column = table.columns[position]
        else:
            (column,) = pair_columns(table, [tree.pairs[position - n_columns]])
        is_categorical = column.info.kind == "categorical"
        columns[position] = column.codes() if is_categorical else column.native_numbers()
    return columns


def passed_nodes(tree: Tree, leaves: NDArray[np.int64]) -> csr_matrix:
    """Return which nodes each row passes, as an indicator matrix of shape (n_rows, n_nodes)."""
    parent = np.full(tree.n_nodes, -1)
    inner = np.flatnonzero(~tree.is_leaf)
    parent[tree.children_left[inner]] = inner
    parent[tree.children_right[inner]] = inner
    paths: dict[int, list[int]] = {}
    for leaf in np.unique(leaves):
        path = [int(leaf)]
        while parent[path[-1]] >= 0:
            path.append(int(parent[path[-1]]))
        paths[int(leaf)] = sorted(path)
    indices = [node for leaf in leaves for node in paths[int(leaf)]]
    starts = np.concatenate([[0], np.cumsum([len(paths[int(leaf)]) for leaf in leaves])])
    ones = np.ones(len(indices), dtype=np.int64)
    return csr_matrix((ones, indices, starts), shape=(len(leaves), tree.n_nodes))
