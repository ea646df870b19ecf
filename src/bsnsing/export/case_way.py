"""The way of one case through one tree: rules, answers, and what decided."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from itertools import pairwise
from typing import Any, cast

from bsnsing.data.columns import ColumnInfo
from bsnsing.export.cells import CellSet, Subject, cells_that
from bsnsing.export.change import Cell, Row, as_level, pair_number
from bsnsing.export.form import NodeForm
from bsnsing.export.phrases import cell_phrase
from bsnsing.export.tree_walk import TreeWalk
from bsnsing.questions.pair import ColumnPair
from bsnsing.questions.question import Test
from bsnsing.tree.text import show_small_probability


@dataclass(frozen=True, slots=True)
class Answer:
    """One question on the way of a case."""

    question: str
    cell: Any  # as the table has it; None where missing, or a level never seen
    answer: bool | None  # as the rule takes it, after negation; None is unknown
    decides: bool  # whether the rule's answer rests on it


@dataclass(frozen=True, slots=True)
class Step:
    """One rule on the way of a case."""

    node: int
    rule: str
    answer: bool | None  # None where the cells leave the rule unknown: both ways count
    yes_share: float  # what the yes child counts there
    answers: tuple[Answer, ...]
    probability: float  # of the class shown, at the node


@dataclass(frozen=True, slots=True)
class CaseWay:
    """The way of a case through one tree."""

    tree: int  # position in ``model.trees_``
    title: str  # of the tree, "" where it is the only one
    shown: Any  # the class whose probabilities are told on the way
    steps: tuple[Step, ...]
    leaf: int  # -1 where a rule stays unknown, and the case goes both ways
    probability: float  # of the class shown, at the end
    because: tuple[str, ...]  # what decided, column by column

    @property
    def probabilities(self) -> tuple[float, ...]:
        """Of the class shown, from the root to the end."""
        return (*(step.probability for step in self.steps), self.probability)

    def to_dict(self) -> dict[str, Any]:
        """Return all of it as what JSON can carry."""
        return asdict(self) | {"probabilities": list(self.probabilities)}


def case_way(walk: TreeWalk, row: Row, number: int, shown: int) -> CaseWay:
    """Follow a case down a tree.

    Parameters
    ----------
    walk : TreeWalk
        Of the tree.
    row : Row
        The case.
    number : int
        Position of the tree in the model.
    shown : int
        Position of the class whose probabilities are told.
    """
    form = walk.form
    tree, nodes = form.tree, form.nodes
    columns = {column.name: column for column in tree.columns}
    steps: list[Step] = []
    decisive: dict[Subject, _Decisive] = {}
    for i, answers, holds in walk.walk(row):
        node = nodes[i]
        if node.is_leaf:
            break
        decides = _deciding(node, answers, holds)
        _collect(decisive, node, answers, decides, columns)
        rule = tree.rules[i]
        steps.append(
            Step(
                node=i,
                rule="" if rule is None else rule.text(),
                answer=holds,
                yes_share=node.yes_share,
                answers=_told(node, answers, decides, row, columns),
                probability=node.value[shown],
            )
        )
    is_mixed = not nodes[i].is_leaf
    because = [own.phrase(subject, columns, row) for subject, own in decisive.items()]
    if is_mixed:
        because[-1] += _both_ways(nodes[i])
    return CaseWay(
        tree=number,
        title=form.title,
        shown=tree.classes.tolist()[shown],
        steps=tuple(steps),
        leaf=-1 if is_mixed else i,
        probability=_value(walk, row, i, shown),
        because=tuple(because),
    )


def _value(walk: TreeWalk, row: Row, start: int, shown: int) -> float:
    """Return what a case gets of a class from a node on: a leaf's, or a mean of both ways."""
    nodes = walk.form.nodes
    after: dict[int, tuple[int, ...]] = {}  # where the case goes on from each node it comes to
    waiting = [start]
    while waiting:
        *_, (end, _, _) = passed = list(walk.walk(row, waiting.pop()))
        for (i, _, _), (child, _, _) in pairwise(passed):
            after[i] = (child,)
        after[end] = () if nodes[end].is_leaf else (nodes[end].yes, nodes[end].no)
        waiting += after[end]
    values: dict[int, float] = {}
    for i in sorted(after, reverse=True):  # children come after their parents
        ways = [values[child] for child in after[i]]
        if len(ways) == 2:
            values[i] = ways[1] + nodes[i].yes_share * (ways[0] - ways[1])
        else:
            values[i] = ways[0] if ways else nodes[i].value[shown]
    return values[start]


@dataclass(slots=True)
class _Decisive:
    """What the deciding questions on a column say together."""

    cells: CellSet | None
    is_known: bool

    def phrase(self, subject: Subject, columns: dict[str, ColumnInfo], row: Row) -> str:
        column = columns[subject] if isinstance(subject, str) else None
        empty = CellSet((), None, False)
        return cell_phrase(
            subject, column, _cell_of(subject, row), self.cells or empty, known=self.is_known
        )


def _deciding(node: NodeForm, answers: Sequence[bool | None], holds: bool | None) -> list[bool]:
    """Which questions a rule's answer rests on: those that settle it, or else all of them."""
    if holds is None:
        return [answer is None for answer in answers]
    if node.operator == "xor" or holds == (node.operator == "and"):
        return [True] * len(answers)
    return [answer == holds for answer in answers]


def _collect(
    decisive: dict[Subject, _Decisive],
    node: NodeForm,
    answers: Sequence[bool | None],
    decides: Sequence[bool],
    columns: dict[str, ColumnInfo],
) -> None:
    for asked, answer, is_decisive in zip(node.questions, answers, decides, strict=True):
        if not is_decisive:
            continue
        subject = asked.question.column
        if answer is None:
            decisive.pop(subject, None)  # to come last, where both ways are told of
            decisive[subject] = _Decisive(None, is_known=False)
            continue
        column = columns[subject] if isinstance(subject, str) else None
        cells = cells_that(asked, answer, column)
        known = decisive.get(subject)
        if known is not None and known.cells is not None:
            known.cells = known.cells.meet(cells)
        else:
            decisive[subject] = _Decisive(cells, is_known=True)


def _told(
    node: NodeForm,
    answers: Sequence[bool | None],
    decides: Sequence[bool],
    row: Row,
    columns: dict[str, ColumnInfo],
) -> tuple[Answer, ...]:
    told = []
    for asked, answer, is_decisive in zip(node.questions, answers, decides, strict=True):
        subject = asked.question.column
        cell = _cell_of(subject, row)
        shown = as_level(columns[subject], cell) if isinstance(subject, str) else cell
        column = columns[subject] if isinstance(subject, str) else None
        question = asked.question
        if column is not None and column.scale is not None and question.test in "<>":
            test, value = column.scale.value(float(cast(float, question.value)), question.test)
            question = replace(question, test=cast(Test, test), value=value)
        text = question.text(
            negated=asked.negated,
            has_missing=asked.when_missing is False,
            is_boolean=column is not None and column.kind == "boolean",
        )
        told.append(Answer(text, shown, answer, is_decisive))
    return tuple(told)


def _both_ways(node: NodeForm) -> str:
    yes, no = (show_small_probability(share) for share in (node.yes_share, 1 - node.yes_share))
    return f", so that both ways count: as in training, {yes} yes and {no} no"


def _cell_of(subject: Subject, row: Row) -> Cell:
    return pair_number(subject, row) if isinstance(subject, ColumnPair) else row[subject]
