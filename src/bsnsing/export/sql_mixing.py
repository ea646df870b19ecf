"""What cases get whose rules stay unknown, as SQL: the mean of both ways.

In all but large models what a case gets at a node is a column, and steps add the columns of nodes
from the leaves up to the root. For large ones see :mod:`bsnsing.export.sql_paths`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass

from bsnsing.export.form import TreeForm
from bsnsing.export.sql_dialects import Dialect
from bsnsing.export.sql_trees import Trees

# PostgreSQL takes 1,664 columns in a query, some of which are rules and cells.
_MOST_COLUMNS = 1000


@dataclass(frozen=True)
class Mixing(ABC):
    """Writes the steps from cases that met an unknown rule to what they get of each tree."""

    trees: Trees
    keys: Sequence[str]  # columns that are kept

    @property
    def dialect(self) -> Dialect:
        """How the database writes things."""
        return self.trees.dialect

    @abstractmethod
    def steps(self) -> list[str]:
        """Write the steps; the last but for those of groups is the table ``source``."""

    @property
    @abstractmethod
    def source(self) -> str:
        """The name of a table of all such cases."""

    @abstractmethod
    def group_steps(self, place: int, group: range) -> list[str]:
        """Write the steps that some trees need beside it."""

    @abstractmethod
    def joins(self, place: int) -> list[str]:
        """Write how these steps are joined to it, as ``f``."""

    @abstractmethod
    def value(self, number: int, k: int) -> str:
        """Write what a case gets of the k-th class from the tree of that number."""

    def stopped(self, columns: str = "*") -> str:
        """Write the table of cases that met an unknown rule."""
        stops = " OR ".join(
            f"{self.trees.own(f'n{number}')} < 0"
            for number, tree in enumerate(self.trees.form.trees, start=1)
            if len(tree.nodes) > 1
        )
        return (
            "-- Cases that met an unknown rule go both ways there, and get the mean of the two\n"
            f"stopped AS {self.dialect.materialized}(\n  SELECT {columns} FROM found\n"
            f"  WHERE {stops}\n)"
        )


def fits_columns(trees: Trees) -> bool:
    """Whether a model is small enough for a column per node and class."""
    n_inner = sum(not node.is_leaf for _, node in trees.nodes())
    return trees.has_rule_columns and n_inner * trees.width <= _MOST_COLUMNS


@dataclass(frozen=True)
class ColumnMixing(Mixing):
    """A column for each inner node and class."""

    def steps(self) -> list[str]:
        """Write the columns of nodes that are equally high above their deepest leaf, by steps."""
        steps: list[list[str]] = []
        for number, (offset, tree) in enumerate(
            zip(self.trees.offsets, self.trees.form.trees, strict=True), start=1
        ):
            for node, height in zip(tree.nodes, _heights(tree), strict=True):
                if node.is_leaf:
                    continue
                while len(steps) < height:
                    steps.append([])
                for k in range(1, len(self.trees.values(number, node)) + 1):
                    yes, no = (self._node(number, child, k) for child in (node.yes, node.no))
                    steps[height - 1].append(
                        f"CASE {self.trees.holds(offset, node)} WHEN TRUE THEN {yes} "
                        f"WHEN FALSE THEN {no}\n      ELSE {no} + "
                        f"{self.dialect.number(node.yes_share)} * ({yes} - {no}) END "
                        f"AS {self.trees.own(f'v{offset + node.id}_{k}')}"
                    )
        parts, before = [self.stopped()], "stopped"
        for height, lines in enumerate(steps, start=1):
            inner = ",\n    ".join(lines)
            parts.append(
                f"height{height} AS {self.dialect.materialized}(\n  SELECT *,\n    {inner}\n"
                f"  FROM {before}\n)"
            )
            before = f"height{height}"
        return parts

    @property
    def source(self) -> str:
        """The name of the last step."""
        return f"height{max(max(_heights(tree)) for tree in self.trees.form.trees)}"

    def group_steps(self, place: int, group: range) -> list[str]:
        """Nothing more is needed."""
        return []

    def joins(self, place: int) -> list[str]:
        """Nothing is joined."""
        return []

    def value(self, number: int, k: int) -> str:
        """Write the column of the root, or what a single leaf gives."""
        return self._node(number, 0, k)

    def _node(self, number: int, node: int, k: int) -> str:
        form = self.trees.form.trees[number - 1].nodes[node]
        if form.is_leaf:
            value = self.trees.values(number, form)[k - 1]
            return self.dialect.cast(self.dialect.number(value), self.dialect.double)
        return self.trees.own(f"v{self.trees.offsets[number - 1] + node}_{k}")


def _heights(tree: TreeForm) -> list[int]:
    heights = [0] * len(tree.nodes)
    for node in reversed(tree.nodes):  # children come after their parents
        if not node.is_leaf:
            heights[node.id] = 1 + max(heights[node.yes], heights[node.no])
    return heights
