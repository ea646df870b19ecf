"""Answers of one row to the questions of one tree, and the way that they lead."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from bsnsing.data.columns import ColumnInfo
from bsnsing.export.cells import CellSet, Subject, cells_that
from bsnsing.export.change import Row, pair_number
from bsnsing.export.form import AskedQuestion, TreeForm
from bsnsing.questions.pair import ColumnPair
from bsnsing.tree.rule import Rule


class PreparedQuestion(NamedTuple):
    """A question of a rule as cells answer it, after negation."""

    subject: Subject
    yes: CellSet
    no: CellSet
    when_missing: bool | None
    when_unseen: bool | None


@dataclass(slots=True)
class TreeWalk:
    """Walks rows down one tree; questions are prepared when a row first meets them."""

    form: TreeForm
    _columns: dict[str, ColumnInfo] = field(default_factory=dict)
    _asked: dict[int, list[PreparedQuestion]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Note the columns."""
        self._columns = {column.name: column for column in self.form.tree.columns}

    def leaf_of(self, row: Row) -> int:
        """Return the leaf of a row, or the first node whose rule is unknown."""
        *_, (end, _, _) = self.walk(row)
        return end

    def walk(
        self, row: Row, start: int = 0
    ) -> Iterator[tuple[int, list[bool | None], bool | None]]:
        """Return each node that a row passes, its answers there, and whether the rule holds."""
        nodes, i = self.form.nodes, start
        while True:
            answers = self.answers_at(i, row)
            holds = joined(nodes[i].operator, answers) if answers else None
            yield i, answers, holds
            if holds is None:  # unknown, or a leaf
                return
            i = nodes[i].yes if holds else nodes[i].no

    def answers_at(self, node: int, row: Row) -> list[bool | None]:
        """Return a row's answers to the questions of a node, after negation."""
        return [self.answer(asked, row) for asked in self.questions(node)]

    def questions(self, node: int) -> list[PreparedQuestion]:
        """Return the questions of a node's rule."""
        if node not in self._asked:
            self._asked[node] = [self._prepared(asked) for asked in self.form.nodes[node].questions]
        return self._asked[node]

    def answer(self, asked: PreparedQuestion, row: Row) -> bool | None:
        """Return a row's answer to a question."""
        subject = asked.subject
        if isinstance(subject, ColumnPair):
            cell = pair_number(subject, row)
        else:
            cell = row[subject]
            column = self._columns[subject]
            if cell is not None and column.kind == "categorical" and cell >= len(column.levels):
                return asked.when_unseen
        return asked.when_missing if cell is None else asked.yes.holds(cell)

    def _prepared(self, asked: AskedQuestion) -> PreparedQuestion:
        subject = asked.question.column
        column = self._columns[subject] if isinstance(subject, str) else None
        yes, no = (cells_that(asked, answer, column) for answer in (True, False))
        return PreparedQuestion(
            subject,
            yes,
            no,
            None if asked.when_missing is None else asked.when_missing != asked.negated,
            None if asked.when_unseen is None else asked.when_unseen != asked.negated,
        )


def joined(operator: str, answers: Collection[bool | None]) -> bool | None:
    """Return whether a rule holds, by answers that have been negated where it says so."""
    return Rule((), (False,) * len(answers), operator).holds(list(answers))
