"""Rows -> leaves, or where they met an unknown -> what both ways hold; the nodes passed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix

from bsnsing import _core
from bsnsing.data.columns import Column
from bsnsing.data.table import Table
from bsnsing.questions.pair import pair_columns
from bsnsing.tree.decide import decide
from bsnsing.tree.tree import Tree


@dataclass(frozen=True, slots=True, eq=False)
class Walk:
    """Rows of a table that have gone down a tree.

    Where a column had no missing cells at fit, what a missing cell answers is unknown; so is what
    a level never seen at fit answers, anywhere. Only ``is missing`` has an answer for every cell.
    """

    tree: Tree
    flat: _core.FlatTree
    columns: list[NDArray[Any] | None]  # that the tree asks about
    ends: NDArray[np.int64]  # leaf of each row, or the first node whose rule its cells leave open
    stopped: NDArray[np.int64]  # rows that met such a node
    n_threads: int

    def mean(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return what each row gets if the leaves hold these values, of shape (n_nodes, n_values).

        A row whose rule stays unknown goes both ways, and gets the mean of what it gets there,
        each way counting by :func:`yes_share`.
        """
        means: NDArray[np.float64] = values.take(self.ends, axis=0)  # much faster than values[ends]
        if len(self.stopped):
            means[self.stopped] = self.mixed(self.stopped, values)
        return means

    def labels(self, classes: NDArray[Any]) -> NDArray[Any]:
        """Return which of the classes each row's probabilities decide for."""
        tree = self.tree
        labels: NDArray[Any] = classes[tree.labels].take(self.ends)  # once per node, not per row
        if len(self.stopped):
            mixed = self.mixed(self.stopped, tree.value)
            labels[self.stopped] = classes[decide(mixed, tree.costs)]
        return labels

    def mixed(self, rows: NDArray[np.int64], values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the :meth:`mean` of these rows."""
        means: NDArray[np.float64] = self.flat.mix_leaves(
            self.columns,
            rows=rows,
            starts=self.ends[rows],
            values=np.ascontiguousarray(values),
            yes_share=yes_share(self.tree),
            n_rows=len(self.ends),
            n_threads=self.n_threads,
        )
        return means


def walk_down(tree: Tree, table: Table, n_threads: int) -> Walk:
    """Send the rows of a table down a tree."""
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
    columns = asked_columns(tree, table)
    ends, stopped = flat.find_leaves(columns, n_rows=table.n_rows, n_threads=n_threads)
    return Walk(tree, flat, columns, ends, stopped, n_threads)


def find_leaves(tree: Tree, table: Table, n_threads: int) -> NDArray[np.int64]:
    """Return the leaf that each row of the table ends in.

    A row that meets an unknown ends in the first node whose rule its known answers do not settle.
    """
    return walk_down(tree, table, n_threads).ends


def yes_share(tree: Tree) -> NDArray[np.float64]:
    """Return per node what the yes child counts where its rule is unknown; the other the rest.

    Children count by their cases, each times its sample and class weight, which is what
    probabilities are shares of: ``tree.counts @ tree.class_weight``.
    """
    # In the order of classes: a product of matrices has an order of its own, by their layout.
    n_cases = np.add.accumulate(tree.counts * tree.class_weight, axis=1)[:, -1]
    n_yes, n_no = n_cases[tree.children_left], n_cases[tree.children_right]
    halves = np.full(tree.n_nodes, 0.5)  # where only classes of weight zero come
    shares: NDArray[np.float64] = np.divide(n_yes, n_yes + n_no, out=halves, where=n_yes + n_no > 0)
    return shares


def stops_of(tree: Tree, leaves: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the node where each row met an unknown, given where rows end; -1 at leaves."""
    return np.where(tree.is_leaf[leaves], -1, leaves)


def asked_column(tree: Tree, table: Table, position: int) -> Column:
    """Return one column, or one of the pairs, which come after all columns."""
    if position < len(tree.columns):
        return table.columns[position]
    return pair_columns(table, [tree.pairs[position - len(tree.columns)]])[0]


def asked_columns(tree: Tree, table: Table) -> list[NDArray[Any] | None]:
    """Return the columns, and then the pairs, that the tree asks about; None for the others."""
    n_columns = len(tree.columns)
    columns: list[NDArray[Any] | None] = [None] * (n_columns + len(tree.pairs))
    for position in np.unique(tree.question_column):
        column = asked_column(tree, table, position)
        is_categorical = column.info.kind == "categorical"
        columns[position] = column.codes() if is_categorical else column.native_numbers()
    return columns


def passed_nodes(tree: Tree, leaves: NDArray[np.int64]) -> csr_matrix:
    """Return which nodes each row passes, as an indicator matrix of shape (n_rows, n_nodes).

    Takes time in proportion to the entries of the matrix.
    """
    ends, which = np.unique(leaves, return_inverse=True)
    length = tree.depth[ends].astype(np.int64) + 1
    start = np.concatenate([[0], np.cumsum(length)])
    paths = np.empty(start[-1], dtype=np.int32)
    # All paths at once, from their ends upwards. Parents have the lower numbers, so each is sorted.
    nodes, place, parent = ends, start[1:] - 1, tree.parent
    while len(nodes):
        paths[place] = nodes
        above = parent[nodes]
        goes_on = above >= 0
        nodes, place = above[goes_on], place[goes_on] - 1
    row_length = length[which]
    row_start = np.concatenate([[0], np.cumsum(row_length)])
    source = np.repeat(start[which] - row_start[:-1], row_length)
    source += np.arange(row_start[-1])
    ones = np.ones(len(source), dtype=np.int64)
    return csr_matrix((ones, paths[source], row_start), shape=(len(leaves), tree.n_nodes))
