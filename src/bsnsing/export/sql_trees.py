"""Trees as SQL: the leaf that a case reaches, or the first node whose rule is unknown."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from bsnsing.export.form import ModelForm, NodeForm, TreeForm
from bsnsing.export.sql_cells import Cells
from bsnsing.export.sql_dialects import Dialect

# Most columns of a query, and CASE within CASE, that every database takes.
_MOST_RULES = 400
_MOST_NESTED = 12


@dataclass(frozen=True)
class Trees:
    """Writes the trees of one model. Nodes of the second tree count on from the first."""

    form: ModelForm
    cells: Cells
    marks_stops: bool  # whether nodes whose rule is unknown are told as -1 - node

    @property
    def dialect(self) -> Dialect:
        """How the database writes things."""
        return self.cells.dialect

    @cached_property
    def offsets(self) -> list[int]:
        """Number of each tree's root."""
        starts, total = [], 0
        for tree in self.form.trees:
            starts.append(total)
            total += len(tree.nodes)
        return starts

    @cached_property
    def width(self) -> int:
        """Probabilities of each leaf that count: one in a tree that tells one class from others."""
        n_single = [len(self.form.classes) for member in self.form.members if len(member) == 1]
        return max(n_single, default=1)

    @cached_property
    def has_rule_columns(self) -> bool:
        """Whether each rule is a column of its own, which is to be read but once."""
        return sum(not node.is_leaf for _, node in self.nodes()) <= _MOST_RULES

    def nodes(self) -> Iterator[tuple[int, NodeForm]]:
        """Return the nodes of all trees, each with the number of its tree's root."""
        for offset, tree in zip(self.offsets, self.form.trees, strict=True):
            for node in tree.nodes:
                yield offset, node

    def own(self, word: str) -> str:
        """Quote a name of the statement's own."""
        return self.dialect.quote(f"{self.cells.prefix}{word}")

    def rule_columns(self) -> list[str]:
        """Write each rule as a column."""
        return [
            f"{self.cells.rule(node)} AS {self.own(f'r{offset + node.id}')}"
            for offset, node in self.nodes()
            if not node.is_leaf
        ]

    def holds(self, offset: int, node: NodeForm) -> str:
        """Write whether a rule holds."""
        if self.has_rule_columns:
            return self.own(f"r{offset + node.id}")
        return self.cells.rule(node)

    # --- Leaves ---

    def leaf_steps(self) -> list[list[str]]:
        """Write the node that a case ends in, for each tree, as columns to be added step by step.

        The end is a leaf, or the first node whose rule is unknown.
        """
        steps: list[list[str]] = []
        for number, (offset, tree) in enumerate(
            zip(self.offsets, self.form.trees, strict=True), start=1
        ):
            stages = _stages(tree)
            for stage, roots in enumerate(stages):
                name = f"n{number}" if stage == len(stages) - 1 else f"n{number}_{stage + 1}"
                before = self.own(f"n{number}_{stage}")
                lines = list(self._case_lines(offset, tree, roots, before if stage else None))
                while len(steps) <= stage:
                    steps.append([])
                steps[stage].append("\n    ".join(lines) + f" AS {self.own(name)}")
        return steps

    def _case_lines(
        self, offset: int, tree: TreeForm, roots: Sequence[int], before: str | None
    ) -> Iterator[str]:
        if before is None:
            yield from self._nested(offset, tree, 0, 0)
            return
        yield f"CASE {before}"
        for root in roots:
            yield f"  WHEN {offset + root} THEN"
            yield from self._nested(offset, tree, root, 2)
        yield f"  ELSE {before} END"

    def _nested(self, offset: int, tree: TreeForm, root: int, indent: int) -> Iterator[str]:
        """Write one CASE within the other, down to leaves or to where the next step goes on."""
        depth = tree.tree.depth
        limit = int(depth[root]) + _MOST_NESTED
        todo: list[tuple[str, int, str, int]] = [("", root, "", indent)]
        while todo:
            before, v, after, level = todo.pop()
            node = tree.nodes[v]
            spaces = "  " * level
            if v < 0 or node.is_leaf or depth[v] >= limit:
                yield f"{spaces}{before}{offset + v}{after}"
                continue
            if before:
                yield f"{spaces}{before.rstrip()}"
                level += 1
                spaces = "  " * level
            yield f"{spaces}CASE {self.holds(offset, node)}"
            # The end of this CASE comes after its second child.
            end = f"\n    {spaces}  ELSE {self._stop(offset + v)} END{after}"
            todo.append(("WHEN FALSE THEN ", node.no, end, level + 1))
            todo.append(("WHEN TRUE THEN ", node.yes, "", level + 1))

    def _stop(self, node: int) -> int:
        return -1 - node if self.marks_stops else node

    def end_column(self, number: int) -> str:
        """Write the node that a case ends in, of the tree of that number, as ``apply`` tells it."""
        column, offset = self.own(f"n{number}"), self.offsets[number - 1]
        node = f"{column} - {offset}" if offset else column
        if not self.marks_stops:
            return node
        return f"CASE WHEN {column} < 0 THEN {-1 - offset} - {column} ELSE {node} END"

    def leaf_table(self) -> str:
        """Write the table of leaves with their probabilities."""
        rows: list[list[str]] = []
        for number, (offset, tree) in enumerate(
            zip(self.offsets, self.form.trees, strict=True), start=1
        ):
            rows += [
                [str(offset + node.id), *map(self.dialect.number, self.values(number, node))]
                for node in tree.nodes
                if node.is_leaf
            ]
        for row in rows:
            row += ["NULL"] * (1 + self.width - len(row))
        double = self.dialect.double  # the first row gives the columns their type
        rows[0][1:] = [self.dialect.cast(cell, double) for cell in rows[0][1:]]
        return self.dialect.table("leaves", ["node", *self.value_names], rows)

    @property
    def value_names(self) -> list[str]:
        """Columns of the table of leaves that hold probabilities."""
        return [f"p{k}" for k in range(1, self.width + 1)]

    def values(self, number: int, node: NodeForm) -> tuple[float, ...]:
        """Probabilities of a node that count, in the tree of that number."""
        return node.value[1:2] if self._tells_one_class[number - 1] else node.value

    @cached_property
    def _tells_one_class(self) -> list[bool]:
        return [len(member) > 1 for member in self.form.members for _ in member]


def _stages(tree: TreeForm) -> list[list[int]]:
    """Nodes at which each step goes on: the root, and those at whole multiples of the depth."""
    stages: list[list[int]] = [[0]]
    for node in tree.nodes:
        depth = int(tree.tree.depth[node.id])
        if not node.is_leaf and depth and depth % _MOST_NESTED == 0:
            stage = depth // _MOST_NESTED
            while len(stages) <= stage:
                stages.append([])
            stages[stage].append(node.id)
    return stages
