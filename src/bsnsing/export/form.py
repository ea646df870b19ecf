"""The neutral form of a model: all that a format needs to say what ``predict_proba`` says.

What a row gets from a tree
---------------------------
1. A question is answered yes, no or *unknown*. The answer to a missing cell is that of
   ``AskedQuestion.when_missing``, to a level that fit never saw ``when_unseen``; all other cells
   answer yes or no. A pair's number is missing where ``ColumnPair.combine`` gives NaN.
2. A negated question swaps yes and no. The operator joins the answers by three-valued logic:
   "or" is yes where one is yes, "and" is no where one is no, else unknown where one is unknown;
   "xor" is unknown where one is, else yes where an odd number is yes.
3. Yes leads to the left child, no to the right. Where the rule is unknown, the row gets
   ``p_no + yes_share * (p_yes - p_no)``, in doubles and in this order, for each class; p are the
   probabilities that it gets below either child, where further rules may be unknown.

What a row gets from a model: see :class:`ModelForm`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from bsnsing.data.columns import ColumnInfo, Level
from bsnsing.questions.pair import ColumnPair
from bsnsing.questions.question import Question
from bsnsing.tree.model import check_tree_model
from bsnsing.tree.predict import yes_share
from bsnsing.tree.rule import Rule
from bsnsing.tree.text import show_class
from bsnsing.tree.tree import Tree
from bsnsing.tree.ungroup import in_levels


@dataclass(frozen=True, slots=True)
class AskedQuestion:
    """One question of a rule, with its answer to cells that hold nothing fit has seen."""

    question: Question
    negated: bool
    when_missing: bool | None  # of the plain question, before negation; None is unknown
    when_unseen: bool | None  # of a categorical column


@dataclass(frozen=True, slots=True)
class NodeForm:
    """One node. Children come after their parents; the root is node 0."""

    id: int
    questions: tuple[AskedQuestion, ...]  # none at a leaf
    operator: str  # "or", "and" or "xor"
    yes: int  # -1 at a leaf
    no: int
    yes_share: float  # what the yes child counts where the rule is unknown
    value: tuple[float, ...]  # probability of each class of the tree

    @property
    def is_leaf(self) -> bool:
        """Whether the node has no children."""
        return self.yes < 0


@dataclass(frozen=True, eq=False)
class TreeForm:
    """One tree of a model."""

    title: str  # "" where it is the only one
    tree: Tree

    @cached_property
    def nodes(self) -> tuple[NodeForm, ...]:
        """All nodes, in the order of their numbers."""
        tree = self.tree
        shares = yes_share(tree).tolist()
        values = tree.value.tolist()
        return tuple(
            NodeForm(
                id=i,
                questions=_asked(tree, i),
                operator="or" if rule is None else rule.operator,
                yes=int(tree.children_left[i]),
                no=int(tree.children_right[i]),
                yes_share=shares[i],
                value=tuple(values[i]),
            )
            for i, rule in enumerate(tree.rules)
        )

    @cached_property
    def asked_columns(self) -> tuple[ColumnInfo, ...]:
        """Columns that some rule asks about, alone or in a pair, in the table's order."""
        positions = {c for q in range(self.tree.n_questions) for c in self.tree.columns_of(q)}
        return tuple(self.tree.columns[c] for c in sorted(positions))

    @cached_property
    def may_be_unknown(self) -> bool:
        """Whether some cell can leave some rule unknown."""
        return any(
            asked.when_missing is None or asked.when_unseen is None
            for node in self.nodes
            for asked in node.questions
        )


@dataclass(frozen=True, eq=False)
class ModelForm:
    """A model: members, each of one tree or of one tree per class.

    A member of one tree gives that tree's probabilities. One of several gives each class the
    second probability of its own tree, divided by their sum (added up in the order of classes);
    where the sum is 0, all classes get 1 / n_classes. The model gives the mean over members: the
    sum in their order, divided by their number. The label is the class of the greatest
    probability, of equals the first; with ``voting == "hard"`` members vote for their own labels,
    and the mean decides between equals.

    With ``costs`` the label is the class that is expected to cost least: the sum over classes i,
    in their order, of ``probability[i] * costs[i][j]``, of equals the first. Members vote likewise,
    and what is expected of the mean decides between equals.
    """

    classes: tuple[Any, ...]  # labels as plain Python values
    columns: tuple[ColumnInfo, ...]  # of the table
    members: tuple[tuple[TreeForm, ...], ...]
    voting: str  # "soft" or "hard"
    # What it costs to say a class (column) of a case of another (row); None: labels are the most
    # probable classes.
    costs: tuple[tuple[float, ...], ...] | None = None

    @cached_property
    def trees(self) -> tuple[TreeForm, ...]:
        """The trees of all members."""
        return tuple(tree for member in self.members for tree in member)

    @cached_property
    def asked_columns(self) -> tuple[ColumnInfo, ...]:
        """Columns that some rule of some tree asks about, in the table's order."""
        names = {column.name for tree in self.trees for column in tree.asked_columns}
        return tuple(column for column in self.columns if column.name in names)

    @cached_property
    def asked_levels(self) -> dict[str, tuple[Level, ...]]:
        """Levels that fit saw of each categorical column asked about; all others are unseen."""
        return {c.name: c.levels for c in self.asked_columns if c.kind == "categorical"}

    @cached_property
    def asked_pairs(self) -> tuple[ColumnPair, ...]:
        """Pairs of columns that some rule asks about."""
        return tuple(dict.fromkeys(pair for form in self.trees for pair in form.tree.pairs))

    def renamed(self, feature_names: Sequence[str] | None) -> ModelForm:
        """Return the form with other names for the columns; None leaves it as it is."""
        if feature_names is None:
            return self
        members = tuple(
            tuple(TreeForm(own.title, renamed(own.tree, feature_names)) for own in member)
            for member in self.members
        )
        return replace(self, columns=members[0][0].tree.columns, members=members)

    @property
    def is_single(self) -> bool:
        """Whether the model is one tree."""
        return len(self.trees) == 1


def model_form(model: Any, caller: str = "model_form") -> ModelForm:
    """Return the neutral form of a fitted model, or of a Tree.

    Levels that have an order are plain levels there, and rules about them list those that are
    meant. Moments, times and durations are numbers, in microseconds.

    Raises
    ------
    TypeError
        If the model is of another kind.
    NotFittedError
        If the model is not fitted.
    """
    check_tree_model(model, caller)
    costs = model.costs if isinstance(model, Tree) else model.costs_
    trees = [model] if isinstance(model, Tree) else model.trees_
    members = [[model]] if isinstance(model, Tree) else [m.trees_ for m in _members_of(model)]
    classes = trees[0].classes if isinstance(model, Tree) else model.classes_
    titled = (TreeForm(title, in_levels(tree)) for title, tree in titled_trees(model))
    forms = tuple(tuple(next(titled) for _ in own) for own in members)
    return ModelForm(
        classes=tuple(classes.tolist()),
        columns=forms[0][0].tree.columns,
        members=forms,
        voting=getattr(model, "voting", "soft"),
        costs=None if costs is None else tuple(map(tuple, costs.tolist())),
    )


def titled_trees(model: Any) -> Iterator[tuple[str, Tree]]:
    """Each tree of a model with its title, which is "" where there is one alone."""
    if isinstance(model, Tree):
        yield "", model
        return
    members = _members_of(model)
    for number, member in enumerate(members, start=1):
        of_ensemble = f"tree {number} of {len(members)}" if len(members) > 1 else ""
        for tree in member.trees_:
            # One-versus-rest: each tree tells its own class, which comes last.
            of_class = f"{show_class(tree, 1)} or not" if len(member.trees_) > 1 else ""
            yield ": ".join(filter(None, [of_ensemble, of_class])), tree


def _members_of(model: Any) -> list[Any]:
    return list(getattr(model, "estimators_", [model]))  # an ensemble's, which each have trees


def _asked(tree: Tree, node: int) -> tuple[AskedQuestion, ...]:
    rule = in_numbers(tree.rules[node], tree.columns)
    if rule is None:
        return ()
    asked = []
    missing = rule.has_missing or (False,) * len(rule.questions)
    for question, negated, has_missing in zip(rule.questions, rule.negated, missing, strict=True):
        asks_missing = question.test == "is missing"
        asked.append(
            AskedQuestion(
                question,
                negated,
                when_missing=True if asks_missing else False if has_missing else None,
                when_unseen=False if asks_missing else None,
            )
        )
    return tuple(asked)


def in_numbers(rule: Rule | None, columns: Sequence[ColumnInfo]) -> Rule | None:
    """Return a rule with the numbers that moments, times and durations stand for."""
    scales = {column.name: column.scale for column in columns if column.scale is not None}
    if rule is None or not scales:
        return rule
    return replace(
        rule,
        questions=tuple(
            replace(own, value=scale.number(own.value, own.test))
            if (scale := scales.get(own.column)) and own.test != "is missing"  # type: ignore
            else own
            for own in rule.questions
        ),
    )


def renamed(tree: Tree, feature_names: Sequence[str] | None) -> Tree:
    """Return the tree with other names for its columns; None leaves it as it is."""
    if feature_names is None:
        return tree
    if len(feature_names) != len(tree.columns):
        raise ValueError(
            f"feature_names must name the {len(tree.columns)} columns of the tree. "
            f"Got {len(feature_names)} names."
        )
    repeated = [new for new, n in Counter(map(str, feature_names)).items() if n > 1]
    if repeated:
        raise ValueError(
            f"feature_names has {repeated[0]!r} more than once. Give each column a name of its own."
        )
    name = {c.name: str(new) for c, new in zip(tree.columns, feature_names, strict=True)}
    return replace(
        tree,
        columns=tuple(replace(c, name=name[c.name]) for c in tree.columns),
        pairs=tuple(replace(p, first=name[p.first], second=name[p.second]) for p in tree.pairs),
    )
