"""Rule and Tree: frozen data; all that prediction and exports may read."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, fields
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bsnsing._pairs import ColumnPair
from bsnsing._questions import Fields, Question, question_from_fields
from bsnsing._table import ColumnInfo

# The native engine knows the operators by their place in this list.
OPERATORS = ("or", "and", "xor")


@dataclass(frozen=True, slots=True)
class Rule:
    """Questions, some perhaps negated, joined by one operator."""

    questions: tuple[Question, ...]
    negated: tuple[bool, ...]
    operator: str
    has_missing: tuple[bool, ...] = ()  # whether each question's column has missing cells

    def __str__(self) -> str:
        missing = self.has_missing or (False,) * len(self.questions)
        parts = [
            question.text(negated=negated, has_missing=has_missing)
            for question, negated, has_missing in zip(
                self.questions, self.negated, missing, strict=True
            )
        ]
        return f" {self.operator} ".join(parts)


@dataclass(frozen=True, slots=True)
class Node:
    """One node of a tree, for reading."""

    id: int
    depth: int
    counts: NDArray[np.float64]  # cases per class
    rule: Rule | None  # None at a leaf
    left: int  # the child that answers yes; -1 at a leaf
    right: int
    objective: float  # of the rule; NaN at a leaf
    bound: float  # proven lower bound on the objective of every rule
    optimal: bool  # False if a limit cut the search short

    @property
    def is_leaf(self) -> bool:
        """Whether the node has no children."""
        return self.left < 0


@dataclass(frozen=True, eq=False)
class Tree:
    """A fitted tree in flat arrays; node 0 is the root and the left child is "yes".

    Attributes
    ----------
    columns : tuple of ColumnInfo
        Names, kinds and levels of the table's columns.
    has_missing : tuple of bool
        Which columns, and then which pairs, had missing cells at fit.
    classes : ndarray of shape (n_classes,)
        Class labels.
    class_weight : ndarray of shape (n_classes,)
        What a case of each class counts in probabilities.
    children_left, children_right : ndarray of shape (n_nodes,)
        Children that answer yes and no; -1 at leaves.
    depth : ndarray of shape (n_nodes,)
        Distance from the root.
    counts : ndarray of shape (n_nodes, n_classes)
        Cases per class.
    operator : ndarray of shape (n_nodes,)
        Position in ("or", "and", "xor").
    objective, bound : ndarray of shape (n_nodes,)
        Of each node's rule; NaN at leaves.
    optimal : ndarray of shape (n_nodes,)
        False where a limit cut the search short.
    n_counted, n_excluded : ndarray of shape (n_nodes,)
        Rules counted, and rules excluded by bounds.
    first_question : ndarray of shape (n_nodes + 1,)
        Where each node's questions begin in the next five.
    question_column, question_test, question_value, question_negated : ndarray
        The questions, one entry each; of a pair, the column is its place behind the columns.
    first_level, levels : ndarray
        Where each question's levels begin, and the levels.
    taught : ndarray of shape (n_nodes, n_classes), or None
        Cases per class of the teacher's lesson, made-up ones too, scaled to the sum of ``counts``:
        what splits were chosen and pruned by, and what counts a little in probabilities.
    softened : ndarray of shape (n_nodes, n_classes), or None
        Real cases per class, each divided between its label and what the teacher says of it: what
        probabilities mostly come from.
    shrinkage : float
        Cases that the parent's shares count for in a node's probabilities. Below the root those
        of ``taught`` count for twice as many.
    pairs : tuple of ColumnPair
        Numbers made of two columns that questions are about.
    """

    columns: tuple[ColumnInfo, ...]
    has_missing: tuple[bool, ...]
    classes: NDArray[Any]
    class_weight: NDArray[np.float64]
    children_left: NDArray[np.int32]
    children_right: NDArray[np.int32]
    depth: NDArray[np.int32]
    counts: NDArray[np.float64]
    operator: NDArray[np.uint8]
    objective: NDArray[np.float64]
    bound: NDArray[np.float64]
    optimal: NDArray[np.bool_]
    n_counted: NDArray[np.float64]
    n_excluded: NDArray[np.float64]
    first_question: NDArray[np.int32]
    question_column: NDArray[np.int32]
    question_test: NDArray[np.uint8]
    question_value: NDArray[np.float64]
    question_negated: NDArray[np.uint8]
    first_level: NDArray[np.int32]
    levels: NDArray[np.int32]
    taught: NDArray[np.float64] | None = None
    softened: NDArray[np.float64] | None = None
    shrinkage: float = 0.0
    pairs: tuple[ColumnPair, ...] = ()

    def __post_init__(self) -> None:
        """Freeze the arrays."""
        for field in fields(self):
            value = getattr(self, field.name)
            if isinstance(value, np.ndarray):
                value.setflags(write=False)

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self.__post_init__()  # arrays come back from a pickle writable

    @property
    def n_nodes(self) -> int:
        """Number of nodes."""
        return len(self.children_left)

    @property
    def is_leaf(self) -> NDArray[np.bool_]:
        """Which nodes are leaves."""
        return self.children_left < 0

    @property
    def n_leaves(self) -> int:
        """Number of leaves."""
        return int(self.is_leaf.sum())

    @property
    def max_depth(self) -> int:
        """Depth of the deepest node."""
        return int(self.depth.max())

    @property
    def n_questions(self) -> int:
        """Number of questions in all rules together."""
        return len(self.question_column)

    @property
    def learnt(self) -> NDArray[np.float64]:
        """Cases per class that the tree was learnt from: the teacher's lesson, else the counts."""
        return self.counts if self.taught is None else self.taught

    @property
    def weighted(self) -> NDArray[np.float64]:
        """Learnt cases times class weights."""
        return self._times_class_weight(self.learnt)

    @property
    def weighted_real(self) -> NDArray[np.float64]:
        """Real cases, as the teacher softened them, times class weights."""
        return self._times_class_weight(self.counts if self.softened is None else self.softened)

    def _times_class_weight(self, cases: NDArray[np.float64]) -> NDArray[np.float64]:
        weighted: NDArray[np.float64] = cases * self.class_weight
        # Where only classes of weight zero occur, their cases count as they are.
        is_weightless = weighted.sum(axis=1, keepdims=True) == 0
        return np.where(is_weightless, cases, weighted)

    @property
    def parent(self) -> NDArray[np.intp]:
        """Each node's parent; -1 at the root."""
        parents = np.full(self.n_nodes, -1, dtype=np.intp)
        inner = np.flatnonzero(~self.is_leaf)
        parents[self.children_left[inner]] = inner
        parents[self.children_right[inner]] = inner
        return parents

    @cached_property
    def probabilities(self) -> NDArray[np.float64]:
        """Probability of each class at each node: shares, drawn as `_shrink` says."""
        from bsnsing._shrink import shrunk_shares

        return shrunk_shares(self, self.shrinkage)

    def fields(self, question: int) -> Fields:
        """One question in the terms of the native engine."""
        levels = self.levels[self.first_level[question] : self.first_level[question + 1]]
        return (
            int(self.question_column[question]),
            int(self.question_test[question]),
            float(self.question_value[question]),
            levels.tolist(),
        )

    def columns_of(self, question: int) -> list[int]:
        """Positions of the columns that a question is about: one, or the two of a pair."""
        position = int(self.question_column[question])
        if position < len(self.columns):
            return [position]
        pair = self.pairs[position - len(self.columns)]
        names = [column.name for column in self.columns]
        return [names.index(pair.first), names.index(pair.second)]

    def rule(self, node: int) -> Rule | None:
        """The rule of a node; None at a leaf."""
        if self.children_left[node] < 0:
            return None
        span = range(self.first_question[node], self.first_question[node + 1])
        return Rule(
            tuple(question_from_fields(self.fields(i), self.columns, self.pairs) for i in span),
            tuple(bool(self.question_negated[i]) for i in span),
            OPERATORS[self.operator[node]],
            tuple(self.has_missing[self.question_column[i]] for i in span),
        )

    @cached_property
    def rules(self) -> tuple[Rule | None, ...]:
        """The rule of each node."""
        return tuple(self.rule(node) for node in range(self.n_nodes))

    def node(self, i: int) -> Node:
        """One node, for reading."""
        return Node(
            id=i,
            depth=int(self.depth[i]),
            counts=self.counts[i],
            rule=self.rule(i),
            left=int(self.children_left[i]),
            right=int(self.children_right[i]),
            objective=float(self.objective[i]),
            bound=float(self.bound[i]),
            optimal=bool(self.optimal[i]),
        )

    def __iter__(self) -> Iterator[Node]:
        return (self.node(i) for i in range(self.n_nodes))

    def __len__(self) -> int:
        return self.n_nodes

    def __str__(self) -> str:
        from bsnsing.export.text import export_text

        return export_text(self)
