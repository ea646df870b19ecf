"""The program that all languages write: cells, tests on them, trees in parts of bounded size.

A tree is nested ifs that end in the probabilities of a leaf. Answers are numbers, NO < UNKNOWN <
YES, so that "or" is the greatest, "and" the least. Where a rule is unknown, ``way`` first says yes
and, when all that comes below is known, is asked again and says no: the same part is walked again
from its root, and each pair of ways is mixed when its second is known. Parts are of bounded depth,
so that the work is in proportion to the nodes reached. No tree calls itself: a part returns the one
that it goes on in. A path needs no more room than the rules on it that can be unknown.
"""

from __future__ import annotations

import math
import sys
from collections import deque
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, TypeAlias, cast

from bsnsing.data.columns import Kind, Level
from bsnsing.data.scales import Scale
from bsnsing.export.code.names import identifiers
from bsnsing.export.form import AskedQuestion, ModelForm, NodeForm, TreeForm
from bsnsing.export.levels import check_doubles_tell_apart
from bsnsing.export.pair_cut import yes_intervals
from bsnsing.questions.pair import ColumnPair
from bsnsing.questions.question import Question

# What a part of a tree may cost, in about the bytes that Java makes of it: a method of Java has
# 64 kB at most. Python takes 100 levels of indentation, R 50 of words and brackets that are open:
# an "if" and its brace at each level, three around the part, and 14 in the longest condition.
_LARGEST_PART = 30_000
_DEEPEST_PART = 16


@dataclass(frozen=True, slots=True)
class ColumnCell:
    """A column that rules read, as a number or as the position of its level."""

    name: str
    identifier: str
    kind: Kind
    levels: tuple[Level, ...] | None  # None where it is a number
    scale: Scale | None = None  # of moments, times and durations, whose number is in microseconds

    @property
    def moment_kind(self) -> Literal["moment", "zoned", "time", "duration"] | None:
        """What its cells are, if not numbers or levels; "zoned" moments have a time zone."""
        if self.scale is None or self.scale.kind == "order":
            return None
        return "zoned" if self.scale.zone is not None else self.scale.kind


@dataclass(frozen=True, slots=True)
class PairCell:
    """A number made of two columns; that of sums and differences is rounded to twelve digits."""

    pair: ColumnPair
    identifier: str
    first: str  # identifiers
    second: str

    @property
    def is_rounded(self) -> bool:
        """Whether code must round it: thresholds of products and ratios allow for rounding."""
        return self.pair.sign in "+-"


TestName: TypeAlias = Literal["above", "below", "within", "equal", "level", "among", "blank"]


@dataclass(frozen=True, slots=True)
class CellTest:
    """One question as code asks it.

    Operands are a threshold; the ends of each interval of "within"; the position of a level; the
    number of a group of levels; none for "blank".
    """

    name: TestName
    cell: str
    operands: tuple[float, ...] | tuple[int, ...]
    when_missing: bool | None
    negated: bool


@dataclass(frozen=True, slots=True)
class Step:
    """A line of a part: "if" with its rule, "else", "end", a "leaf", or a "call" of a part."""

    kind: Literal["if", "else", "end", "leaf", "call"]
    depth: int
    node: int = -1
    part: int = -1


@dataclass(frozen=True, eq=False)
class Program:
    """A model in the terms of code."""

    form: ModelForm

    @cached_property
    def columns(self) -> tuple[ColumnCell, ...]:
        """Columns that some rule reads, in the order of the table."""
        asked = self.form.asked_columns
        names = identifiers([column.name for column in asked])
        return tuple(
            ColumnCell(
                column.name,
                name,
                column.kind,
                column.levels if column.kind == "categorical" else None,
                column.scale,
            )
            for column, name in zip(asked, names, strict=True)
        )

    @cached_property
    def pairs(self) -> tuple[PairCell, ...]:
        """Pairs of columns that some rule reads."""
        own = {column.name: column.identifier for column in self.columns}
        words = {"+": "plus", "-": "minus", "*": "times", "/": "per"}
        asked = self.form.asked_pairs
        wanted = [f"{own[p.first][:16]}_{words[p.sign]}_{own[p.second][:16]}" for p in asked]
        names = identifiers([*own.values(), *wanted])[len(own) :]
        return tuple(
            PairCell(pair, name, own[pair.first], own[pair.second])
            for pair, name in zip(asked, names, strict=True)
        )

    @cached_property
    def groups(self) -> tuple[tuple[int, ...], ...]:
        """Positions of levels that some question asks for together."""
        found = {
            self._positions(asked): None
            for tree in self.form.trees
            for node in tree.nodes
            for asked in node.questions
            if asked.question.test == "in"
        }
        return tuple(found)

    @cached_property
    def n_open(self) -> int:
        """Most rules on a path that can be unknown."""
        most = 0
        for tree in self.form.trees:
            above = [0] * len(tree.nodes)
            for node in tree.nodes:
                if node.is_leaf:
                    most = max(most, above[node.id])
                else:
                    below = above[node.id] + self.can_be_unknown(node)
                    above[node.yes] = above[node.no] = below
        return most

    def tests(self, node: NodeForm) -> list[CellTest]:
        """The questions of a node's rule."""
        return [self._test(asked) for asked in node.questions]

    def can_be_unknown(self, node: NodeForm) -> bool:
        """Whether some cell leaves the node's rule unknown."""
        return any(
            q.when_missing is None
            or (q.when_unseen is None and q.question.column in self._position)
            for q in node.questions
        )

    def parts(self, tree: TreeForm) -> list[list[Step]]:
        """The lines of each part of a tree; the first is where rows begin."""
        roots, parts = [0], []
        number = {0: 0}  # of the part that a node is the root of
        for root in roots:  # which grows
            ends = self._ends_of_part(tree, root)
            for node in ends:
                number[node] = len(roots)
                roots.append(node)
            parts.append(_steps(tree, root, {node: number[node] for node in ends}))
        return parts

    def _ends_of_part(self, tree: TreeForm, root: int) -> list[int]:
        """The first nodes that a part does not hold itself."""
        waiting, ends, cost = deque([(root, 0)]), [], 0
        while waiting:
            i, depth = waiting.popleft()
            node = tree.nodes[i]
            own = 40 + 30 * len(node.questions) + (10 * len(node.value) if node.is_leaf else 0)
            is_too_deep = not node.is_leaf and depth >= _DEEPEST_PART
            if i != root and (is_too_deep or cost + own > _LARGEST_PART):
                ends.append(i)
            else:
                cost += own
                if not node.is_leaf:
                    waiting += [(node.yes, depth + 1), (node.no, depth + 1)]
        return ends

    @cached_property
    def _cell_of(self) -> dict[str | ColumnPair, ColumnCell | PairCell]:
        return {c.name: c for c in self.columns} | {p.pair: p for p in self.pairs}

    @cached_property
    def _position(self) -> dict[Any, dict[Any, int]]:
        return {
            column.name: {level: i for i, level in enumerate(column.levels)}
            for column in self.columns
            if column.levels is not None
        }

    @cached_property
    def _group_number(self) -> dict[tuple[int, ...], int]:
        return {group: i for i, group in enumerate(self.groups)}

    def _positions(self, asked: AskedQuestion) -> tuple[int, ...]:
        question = asked.question
        place = self._position[question.column]
        return tuple(place[level] for level in cast(tuple[Level, ...], question.value))

    def _test(self, asked: AskedQuestion) -> CellTest:
        question = asked.question
        cell = self._cell_of[question.column]
        name, operands = self._name_and_operands(asked, cell)
        return CellTest(name, cell.identifier, operands, asked.when_missing, asked.negated)

    def _name_and_operands(
        self, asked: AskedQuestion, cell: ColumnCell | PairCell
    ) -> tuple[TestName, tuple[float, ...] | tuple[int, ...]]:
        question = asked.question
        if question.test == "is missing":
            return "blank", ()
        if isinstance(cell, ColumnCell) and cell.levels is not None:
            if question.test == "in":
                return "among", (self._group_number[self._positions(asked)],)
            return "level", (self._position[cell.name][question.value],)
        value = float(cast(float, question.value))
        if isinstance(cell, PairCell) and not cell.is_rounded:
            return _cut(question)
        names: dict[str, TestName] = {">": "above", "<": "below", "==": "equal"}
        return names[question.test], (value,)


def _cut(question: Question) -> tuple[TestName, tuple[float, ...]]:
    """Ask about a number that is not rounded as if it were."""
    intervals = yes_intervals(question)
    if len(intervals) == 1:
        (low, high) = intervals[0]
        if high == sys.float_info.max:
            return "above", (math.nextafter(low, -math.inf),)
        if low == -sys.float_info.max:
            return "below", (math.nextafter(high, math.inf),)
    return "within", tuple(end for interval in intervals for end in interval) or (1.0, 0.0)


def power_literals() -> tuple[list[str], list[str]]:
    """Powers of ten as rounding takes them: the bounds of sizes, and those numbers are scaled by.

    The greatest part of a sum has place 300 after the point up to the first bound, and a place
    less with each bound that it is beyond.
    """
    return [f"1e{n}" for n in range(-288, 309)], [f"1e{n}" for n in range(301)]


def _steps(tree: TreeForm, root: int, ends: dict[int, int]) -> list[Step]:
    steps = []
    waiting = [Step("if", 0, root)]
    while waiting:
        step = waiting.pop()
        if step.kind != "if":
            steps.append(step)
            continue
        node, depth = tree.nodes[step.node], step.depth
        if node.id in ends:
            steps.append(Step("call", depth, node.id, ends[node.id]))
        elif node.is_leaf:
            steps.append(Step("leaf", depth, node.id))
        else:
            steps.append(step)
            waiting += [
                Step("end", depth),
                Step("if", depth + 1, node.no),
                Step("else", depth),
                Step("if", depth + 1, node.yes),
            ]
    return steps


def check_levels_are_doubles(program: Program, language: str) -> None:
    """Raise ValueError where levels that are numbers are not told apart by doubles."""
    for column in program.columns:
        check_doubles_tell_apart(column.name, column.levels or (), language)
