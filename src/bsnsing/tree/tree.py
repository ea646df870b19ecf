"""Tree: flat arrays of nodes and questions; all that prediction and exports may read."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cache, cached_property
from typing import Annotated, Any, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from bsnsing.data.columns import ColumnInfo
from bsnsing.data.version import with_version, without_version
from bsnsing.questions.coded import CodedQuestion, decode_question
from bsnsing.questions.pair import ColumnPair
from bsnsing.questions.question import OWN, Question
from bsnsing.tree.decide import decide, split_weights
from bsnsing.tree.drawing import tree_html
from bsnsing.tree.rule import OPERATORS, Rule
from bsnsing.tree.text import tree_lines
from bsnsing.tree.written import model_from_text


@dataclass(frozen=True, slots=True)
class Node:
    """One node of a tree, for reading."""

    id: int
    depth: int
    counts: NDArray[np.float64]  # cases per class
    rule: Rule | None  # None at a leaf
    left: int  # the child that answers yes; -1 at a leaf
    right: int
    objective: float  # of the rule, on what the tree was grown on; NaN at a leaf
    bound: float  # proven lower bound on the objective of every rule there
    optimal: bool  # whether no rule is better there
    own_objective: float  # of the rule, on the cases of `counts`; NaN at a leaf
    best_own_objective: float  # of the best rule of its size on these cases
    best_own_proven: bool  # False if a limit cut the search for it short

    @property
    def is_leaf(self) -> bool:
        """Whether the node has no children."""
        return self.left < 0


_Number = TypeVar("_Number", bound=np.generic)
# Arrays with an entry for each node, or for each question. By these names select_nodes() knows what
# to take along.
PerNode: TypeAlias = Annotated[NDArray[_Number], "an entry per node"]
PerQuestion: TypeAlias = Annotated[NDArray[_Number], "an entry per question"]


@dataclass(frozen=True, eq=False)
class Tree:
    """A fitted tree in flat arrays; node 0 is the root and the left child is "yes".

    Children come after their parents.

    Attributes
    ----------
    columns : tuple of ColumnInfo
        Names, kinds and levels of the table's columns.
    pairs : tuple of ColumnPair
        Numbers made of two columns that questions are about.
    has_missing : tuple of bool
        Which columns, and then which pairs, had missing cells at fit.
    classes : ndarray of shape (n_classes,)
        Class labels.
    class_weight : ndarray of shape (n_classes,)
        What a case of each class counts in probabilities.
    is_taught : bool
        Whether a teacher had a say, so that ``value`` is more than shares of ``counts``, and the
        tree was grown on a training set of its own: soft labels, and synthetic rows.
    n_synthetic : int
        Synthetic rows of that training set.
    children_left, children_right : ndarray of shape (n_nodes,)
        Children that answer yes and no; -1 at leaves.
    depth : ndarray of shape (n_nodes,)
        Distance from the root.
    counts : ndarray of shape (n_nodes, n_classes)
        Cases per class: those that fit was given.
    value : ndarray of shape (n_nodes, n_classes)
        Probability of each class.
    impurity, weighted_cases : ndarray of shape (n_nodes,)
        Impurity times cases, and the cases, of all that the tree was learnt from, times class
        weights: what pruning and importances count by. With a teacher it is entropy in nats, half
        the deviance, else Gini impurity.
    operator : ndarray of shape (n_nodes,)
        Position in ("or", "and", "xor").
    objective, bound : ndarray of shape (n_nodes,)
        Of each node's rule, and the least that was proven of all rules, on what the tree was grown
        on: with a teacher the training set, else the cases of ``counts``. NaN at leaves.
    optimal : ndarray of shape (n_nodes,)
        Whether the rule is proven best there. False where a limit cut the search short, at leaves
        too, and where a rule that is better leaves too few of the cases of ``counts`` on one side.
    own_objective : ndarray of shape (n_nodes,)
        Of each node's rule, on the node's own cases: those of ``counts``. NaN at leaves.
    best_own_objective : ndarray of shape (n_nodes,)
        Of the best rule of at most as many questions on these cases: over the questions that they
        give rise to, and the node's own rule. NaN at leaves.
    best_own_proven : ndarray of shape (n_nodes,)
        False where a limit cut that search short, and at leaves.
    n_counted, n_excluded : ndarray of shape (n_nodes,)
        Rules counted, and rules excluded by bounds.
    first_question : ndarray of shape (n_nodes + 1,)
        Where each node's questions begin in the next five.
    question_column, question_test, question_value, question_negated : ndarray
        The questions, one entry each; of a pair, the column is its place behind the columns.
    first_level, levels : ndarray
        Where each question's levels begin, and the levels.
    origins : tuple of str
        Where questions came from: "own" first, those that the tree asked of itself; "user", those
        given by hand; and the names of models that lent some.
    question_origin : ndarray
        Position of each question's origin in ``origins``.
    costs : ndarray of shape (n_classes, n_classes) or None
        What it costs to say the class of a column of a case of the class of a row, where labels
        are the cheapest decision; None where they are the most probable class.
    """

    columns: tuple[ColumnInfo, ...]
    pairs: tuple[ColumnPair, ...]
    has_missing: tuple[bool, ...]
    classes: NDArray[Any]
    class_weight: NDArray[np.float64]
    is_taught: bool
    n_synthetic: int
    children_left: PerNode[np.int32]
    children_right: PerNode[np.int32]
    depth: PerNode[np.int32]
    counts: PerNode[np.float64]
    value: PerNode[np.float64]
    impurity: PerNode[np.float64]
    weighted_cases: PerNode[np.float64]
    operator: PerNode[np.uint8]
    objective: PerNode[np.float64]
    bound: PerNode[np.float64]
    optimal: PerNode[np.bool_]
    own_objective: PerNode[np.float64]
    best_own_objective: PerNode[np.float64]
    best_own_proven: PerNode[np.bool_]
    n_counted: PerNode[np.float64]
    n_excluded: PerNode[np.float64]
    first_question: NDArray[np.int32]
    question_column: PerQuestion[np.int32]
    question_test: PerQuestion[np.uint8]
    question_value: PerQuestion[np.float64]
    question_negated: PerQuestion[np.uint8]
    first_level: NDArray[np.int32]
    levels: NDArray[np.int32]
    costs: NDArray[np.float64] | None = None
    origins: tuple[str, ...] = (OWN,)
    question_origin: PerQuestion[np.int32] = field(default_factory=lambda: np.empty(0, np.int32))

    def __post_init__(self) -> None:
        """Freeze the arrays."""
        n_questions = len(self.question_column)
        if len(self.question_origin) != n_questions and not self.question_origin.any():
            # All are own, however many there are.
            object.__setattr__(self, "question_origin", np.zeros(n_questions, dtype=np.int32))
        for value in self.__dict__.values():
            if isinstance(value, np.ndarray):
                value.setflags(write=False)

    def __getstate__(self) -> dict[str, Any]:
        return with_version(self.__dict__)

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(without_version(state, "Tree"))
        self.__post_init__()  # arrays come back from a pickle writable

    @classmethod
    def from_text(
        cls, text: str, X: Any, y: Any, sample_weight: Any = None, **parameters: Any
    ) -> Tree:
        """Return the tree that a text describes, with the counts and proofs of these cases.

        It is the ``tree_`` of :meth:`BsnsingClassifier.from_text`, which takes the same and gives
        a model that predicts.

        Parameters
        ----------
        text : str
            A tree as ``export_text`` writes it, or as an expert does.
        X, y, sample_weight
            The cases.
        **parameters
            Of :class:`BsnsingClassifier`, such as ``criterion``, by which rules are compared.

        Returns
        -------
        Tree
            The tree, of whose rules it is known how far each is from the best of its size.

        Raises
        ------
        ParseError, ValueError
            If the text is no tree; the message names the line and the place.

        Examples
        --------
        >>> from sklearn.datasets import load_iris
        >>> X, y = load_iris(return_X_y=True, as_frame=True)
        >>> text = '''
        ... petal length (cm) >= 3 ?
        ...   yes: 1
        ...   no: 0
        ... '''
        >>> tree = Tree.from_text(text, X, y)
        >>> tree.counts.tolist(), tree.own_optimal.tolist()
        ([[50.0, 50.0, 50.0], [0.0, 50.0, 50.0], [50.0, 0.0, 0.0]], [True, False, False])
        """
        tree: Tree = model_from_text(text, X, y, sample_weight, parameters).tree_
        return tree

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

    @cached_property
    def labels(self) -> NDArray[np.intp]:
        """Per node, the position of the class that its probabilities decide for."""
        return decide(self.value, self.costs)

    @property
    def split_weight(self) -> NDArray[np.float64]:
        """What a case of each class counts in splits and in pruning."""
        return split_weights(self.class_weight, self.costs)

    @property
    def own_optimal(self) -> NDArray[np.bool_]:
        """Which rules are proven best for their node's own cases, those of ``counts``."""
        # Sums are rounded.
        is_best = self.own_objective <= self.best_own_objective * (1 + 1e-9)
        proven: NDArray[np.bool_] = is_best & self.best_own_proven
        return proven

    @property
    def parent(self) -> NDArray[np.intp]:
        """Each node's parent; -1 at the root."""
        return parents_of(self.children_left, self.children_right)

    def coded_question(self, question: int) -> CodedQuestion:
        """One question as the engines know it."""
        levels = self.levels[self.first_level[question] : self.first_level[question + 1]]
        return (
            int(self.question_column[question]),
            int(self.question_test[question]),
            float(self.question_value[question]),
            levels.tolist(),
        )

    def origin_of(self, question: int) -> str:
        """Where a question came from."""
        return self.origins[int(self.question_origin[question])]

    def columns_of(self, question: int) -> list[int]:
        """Positions of the columns that a question is about: one, or the two of a pair."""
        position = int(self.question_column[question])
        if position < len(self.columns):
            return [position]
        pair = self.pairs[position - len(self.columns)]
        return [self._place_of[pair.first], self._place_of[pair.second]]

    @cached_property
    def _place_of(self) -> dict[str, int]:
        """The position of each column by its name, built once: tables may be wide."""
        return {column.name: place for place, column in enumerate(self.columns)}

    def rule(self, node: int) -> Rule | None:
        """The rule of a node; None at a leaf."""
        if self.children_left[node] < 0:
            return None
        span = range(self.first_question[node], self.first_question[node + 1])
        return Rule(
            tuple(
                decode_question(self.coded_question(i), self.columns, self.pairs, self.origin_of(i))
                for i in span
            ),
            tuple(bool(self.question_negated[i]) for i in span),
            OPERATORS[self.operator[node]],
            tuple(self.has_missing[self.question_column[i]] for i in span),
            tuple(self._is_boolean[self.question_column[i]] for i in span),
        )

    @cached_property
    def rules(self) -> tuple[Rule | None, ...]:
        """The rule of each node."""
        return tuple(self.rule(node) for node in range(self.n_nodes))

    @cached_property
    def _is_boolean(self) -> tuple[bool, ...]:
        """Of each column, and then of each pair, whether it is true or false."""
        kinds = (column.kind == "boolean" for column in self.columns)
        return (*kinds, *(False for _ in self.pairs))

    def asked_questions(self) -> Iterator[Question]:
        """The questions of all rules, node by node."""
        return (question for rule in self.rules if rule for question in rule.questions)

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
            own_objective=float(self.own_objective[i]),
            best_own_objective=float(self.best_own_objective[i]),
            best_own_proven=bool(self.best_own_proven[i]),
        )

    def __iter__(self) -> Iterator[Node]:
        return (self.node(i) for i in range(self.n_nodes))

    def __len__(self) -> int:
        return self.n_nodes

    def __str__(self) -> str:
        return "\n".join(tree_lines(self))

    def _repr_html_(self) -> str | None:
        return tree_html(self)


def select_nodes(
    tree: Tree,
    root: int,
    left: NDArray[np.signedinteger[Any]],
    right: NDArray[np.signedinteger[Any]],
) -> Tree:
    """Return the nodes that these children lead to from ``root``, renumbered in order."""
    depth = np.full(tree.n_nodes, -1, dtype=np.int32)
    depth[root] = 0
    for v in range(root, tree.n_nodes):  # children come after their parents
        if depth[v] >= 0 and left[v] >= 0:
            depth[[left[v], right[v]]] = depth[v] + 1
    kept = np.flatnonzero(depth >= 0)
    number = np.full(tree.n_nodes + 1, -1, dtype=np.int32)  # the last entry serves -1
    number[kept] = np.arange(len(kept))
    is_inner = left[kept] >= 0
    n_questions = np.where(is_inner, np.diff(tree.first_question)[kept], 0)
    owner = np.repeat(np.arange(tree.n_nodes), np.diff(tree.first_question))
    asks = (depth[owner] >= 0) & (left[owner] >= 0)
    level_owner = np.repeat(np.arange(tree.n_questions), np.diff(tree.first_level))
    arrays: dict[str, Any] = {name: getattr(tree, name)[kept] for name in array_names("PerNode")}
    arrays |= {name: getattr(tree, name)[asks] for name in array_names("PerQuestion")}
    arrays |= {
        "first_question": starts_of(n_questions),
        "first_level": starts_of(np.diff(tree.first_level)[asks]),
        "levels": tree.levels[asks[level_owner]],
        "children_left": number[left[kept]],
        "children_right": number[right[kept]],
        "depth": depth[kept],
        "operator": np.where(is_inner, arrays["operator"], 0).astype(np.uint8),
        "best_own_proven": is_inner & arrays["best_own_proven"],
    }
    for name in ("objective", "bound", "own_objective", "best_own_objective"):
        arrays[name] = np.where(is_inner, arrays[name], np.nan)
    if len(tree.origins) > 1:
        arrays |= origin_arrays([tree.origins[i] for i in arrays["question_origin"].tolist()])
    return drop_unasked_pairs(replace(tree, **arrays))


def drop_unasked_pairs(tree: Tree) -> Tree:
    """Return the tree with those pairs alone that some question is about."""
    if not tree.pairs:
        return tree
    n_columns = len(tree.columns)
    kept = np.unique(np.append(np.arange(n_columns), tree.question_column))
    return replace(
        tree,
        has_missing=tuple(tree.has_missing[position] for position in kept),
        question_column=np.searchsorted(kept, tree.question_column).astype(np.int32),
        pairs=tuple(tree.pairs[position - n_columns] for position in kept[n_columns:]),
    )


def origin_arrays(names: Sequence[str]) -> dict[str, Any]:
    """The origins of a tree's questions, as the tree has them; "own" is always the first."""
    place = {name: i for i, name in enumerate(dict.fromkeys([OWN, *names]))}
    positions = np.array([place[name] for name in names], dtype=np.int32)
    return {"origins": tuple(place), "question_origin": positions}


def parents_of(left: NDArray[np.int32], right: NDArray[np.int32]) -> NDArray[np.intp]:
    """Each node's parent, given its children; -1 at the root."""
    parents = np.full(len(left), -1, dtype=np.intp)
    inner = np.flatnonzero(left >= 0)
    parents[left[inner]] = inner
    parents[right[inner]] = inner
    return parents


def starts_of(lengths: Sequence[int] | NDArray[np.integer[Any]]) -> NDArray[np.int32]:
    """Where each of several runs begins, and where the last one ends."""
    starts = np.zeros(len(lengths) + 1, dtype=np.int32)
    np.add.accumulate(lengths, out=starts[1:])
    return starts


@cache
def array_names(kind: str) -> tuple[str, ...]:
    """Names of the arrays that are declared as of this kind: "PerNode" or "PerQuestion"."""
    return tuple(f.name for f in fields(Tree) if str(f.type).startswith(f"{kind}["))
