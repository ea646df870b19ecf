"""What the writers share: conditions and nested ifs, in terms that each language spells."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, ClassVar

from bsnsing.data.show import show_column, show_name
from bsnsing.export.code.names import as_comment
from bsnsing.export.code.program import CellTest, ColumnCell, PairCell, Program, Step
from bsnsing.export.form import NodeForm, TreeForm
from bsnsing.tree.text import show_class, show_probability

_JOINED = {"or": "either", "and": "both", "xor": "odd"}
MOMENT_WORDS = {
    "moment": "a date or moment without time zone, in microseconds since 1970",
    "zoned": "a moment with a time zone, in microseconds since 1970 in UTC",
    "time": "a time of day, in microseconds",
    "duration": "a duration, in microseconds",
}
_ANSWER = {None: "UNKNOWN", False: "NO", True: "YES"}


class Language(ABC):
    """How one language spells a program. Helpers have the same names in all of them."""

    helper: ClassVar[str] = "{}"  # how helpers are called
    field: ClassVar[str] = "c.{}"  # how a cell is read
    group: ClassVar[str] = "GROUP_{}"
    note: ClassVar[str] = "// {}"
    else_line: ClassVar[str] = "} else {"
    end_line: ClassVar[str | None] = "}"
    indent: ClassVar[str] = "    "

    def __init__(self, program: Program) -> None:
        self.program = program

    # --- What each language spells ---

    @abstractmethod
    def text(self, text: str) -> str:
        """A literal of text."""

    @abstractmethod
    def leaf_line(self, values: Sequence[float]) -> str:
        """The line that returns the probabilities of a leaf."""

    @abstractmethod
    def call_line(self, tree: int, part: int) -> str:
        """The line that goes on in another part of the tree."""

    def if_line(self, condition: str) -> str:
        """The line that opens an if."""
        return f"if ({condition}) {{"

    def number(self, number: float) -> str:
        """A literal of a double; the shortest that all readers take for it."""
        return repr(number)

    def truth(self, answer: str) -> str:
        """Whether an answer that is never unknown is yes."""
        return f"{answer} == YES"

    # --- What they share ---

    def comment(self, text: str) -> str:
        """A line of comment."""
        return self.note.format(as_comment(text))

    def numbers(self, numbers: Iterable[float]) -> str:
        """Literals with commas between them."""
        return ", ".join(map(self.number, numbers))

    def wrapped(self, items: Iterable[str], indent: str = "    ", width: int = 96) -> str:
        """Items with commas after them, on lines that are not too long."""
        lines, line = [], indent
        for item in items:
            if len(line) + len(item) + 1 > width and line != indent:
                lines.append(line.rstrip())
                line = indent
            line += f"{item}, "
        return "\n".join([*lines, line.rstrip().removesuffix(",")])

    def condition(self, node: NodeForm) -> str:
        """The condition of a node's rule."""
        tests = [self._test(test) for test in self.program.tests(node)]
        answer = tests[0]
        for test in tests[1:]:
            answer = f"{self._call(_JOINED[node.operator])}({answer}, {test})"
        if self.program.can_be_unknown(node):
            return f"{self._call('way')}(w, {answer}, {self.number(node.yes_share)})"
        return self.truth(answer)

    def part_lines(
        self, tree: TreeForm, number: int, steps: Sequence[Step], depth: int = 1
    ) -> list[str]:
        """The lines of a part of the tree of that number."""
        lines = []
        for step in steps:
            indent = self.indent * (depth + step.depth)
            if step.kind == "if":
                rule = tree.tree.rules[step.node]
                assert rule is not None
                lines.append(f"{indent}{self.comment(f'{rule} ?')}")
                lines.append(indent + self.if_line(self.condition(tree.nodes[step.node])))
            elif step.kind == "leaf":
                value = tree.nodes[step.node].value
                best = int(tree.tree.labels[step.node])
                chance = show_probability(value[best])
                lines.append(f"{indent}{self.comment(f'{show_class(tree.tree, best)}: {chance}')}")
                lines.append(indent + self.leaf_line(value))
            elif step.kind == "call":
                lines.append(indent + self.call_line(number, step.part))
            elif step.kind == "else":
                lines.append(indent + self.else_line)
            elif self.end_line is not None:
                lines.append(indent + self.end_line)
        return lines

    def about(self) -> list[str]:
        """What the head of the file says of the model."""
        form = self.program.form
        n_leaves = sum(tree.tree.n_leaves for tree in form.trees)
        trees = "A decision tree" if form.is_single else f"{len(form.trees)} decision trees"
        leaves = "1 leaf" if n_leaves == 1 else f"{n_leaves} leaves"
        return [
            f"{trees} of Boolean rules, {leaves}, written by bsnsing.",
            "Gives what predict_proba of the model gives, to the last bit.",
        ]

    def describe(self, cell: ColumnCell | PairCell) -> str:
        """A column or pair, for people."""
        if isinstance(cell, PairCell):
            return str(cell.pair)
        kinds = {"numeric": "a number", "boolean": "true or false"}
        kind = kinds.get(cell.kind) or f"one of {len(cell.levels or ())} levels"
        if cell.moment_kind is not None:
            kind = MOMENT_WORDS[cell.moment_kind]
        return f"{show_column(cell.name)}: {kind}"

    def title(self, tree: TreeForm) -> str:
        """What stands above a tree."""
        return self.comment(show_name(tree.title) if tree.title else "The tree")

    def needed(self, helpers: Mapping[str, str], code: str) -> str:
        """The helpers that code calls, in the order given; they may call earlier ones."""
        kept: dict[str, str] = {}
        for name, text in reversed(list(helpers.items())):
            if re.search(rf"\b{name}\(", code):
                kept[name] = text
                code += text
        return "".join(text for name, text in helpers.items() if name in kept)

    def _test(self, test: CellTest) -> str:
        cell = self.field.format(test.cell)
        missing = _ANSWER[test.when_missing]
        if test.name == "among":
            arguments = [cell, self.group.format(test.operands[0]), missing]
        elif test.name == "level":
            arguments = [cell, str(test.operands[0]), missing]
        elif test.name == "blank":
            arguments = [cell]
        else:
            arguments = [cell, *map(self.number, test.operands), missing]
        if test.name == "within" and len(test.operands) > 2:
            return self._within_either(test)
        name = self._blank(test.cell) if test.name == "blank" else self._call(test.name)
        answer = f"{name}({', '.join(arguments)})"
        return f"{self._call('negate')}({answer})" if test.negated else answer

    def _within_either(self, test: CellTest) -> str:
        ends = test.operands
        parts = [
            self._test(replace(test, operands=ends[i : i + 2], negated=False))
            for i in range(0, len(ends), 2)
        ]
        answer = f"{self._call('either')}({parts[0]}, {parts[1]})"
        return f"{self._call('negate')}({answer})" if test.negated else answer

    def _blank(self, identifier: str) -> str:
        """Numbers and positions are missing in different ways."""
        coded = {c.identifier for c in self.program.columns if c.levels is not None}
        return self._call("blank_level" if identifier in coded else "blank")

    def _call(self, name: str) -> str:
        return self.helper.format(name)


def plain_label(label: Any) -> Any:
    """A class label as text, number or Boolean: what is something else is written as text."""
    return label if isinstance(label, str | bool | int | float) else str(label)
