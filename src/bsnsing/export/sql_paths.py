"""What cases get whose rules stay unknown, in large models: by recursive queries, in linear time.

A tree is taken apart into *paths*: each inner node goes on in the child with more nodes below it,
and the other child begins a path of its own. The path from the root has rank 0, those that leave
one of rank r have rank r + 1; so the rank is at most the logarithm of the number of nodes, however
deep the tree is. Cases first walk down, to one child or to both. Then they climb: first up all
paths of the highest rank at once, node by node, then those of the rank below, which meet what has
come of the paths that leave them.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from bsnsing.export.form import TreeForm
from bsnsing.export.sql_mixing import Mixing

# A rule is looked up by its node's number in steps, each among this many parts at most.
_AT_A_TIME = 16


@dataclass(frozen=True)
class PathMixing(Mixing):
    """A row for each case and node that it comes to."""

    @property
    def _case(self) -> str:
        return self.trees.own("case")

    def steps(self) -> list[str]:
        """Write the way down, and what cases get on the way up; last at the roots of all trees."""
        # A table that may be made more than once must number its cases alike each time.
        keys = ", ".join(map(self.dialect.quote, self.keys))
        order = "" if self.dialect.materialized else f"ORDER BY {keys}"
        return [
            self._branch_table(),
            self.stopped(f"*, ROW_NUMBER() OVER ({order}) AS {self._case}"),
            self._walk(),
            *(self._climb(rank) for rank in range(self._n_ranks - 1, -1, -1)),
        ]

    @property
    def source(self) -> str:
        """The name of the table of cases."""
        return "stopped"

    def group_steps(self, place: int, group: range) -> list[str]:
        """Write what some trees give, as one row for each case."""
        values = ",\n    ".join(
            f"MAX(CASE WHEN node = {self.trees.offsets[number - 1]} THEN {name} END)"
            f" AS t{number}{name}"
            for number in group
            for name in self.trees.value_names
        )
        case = self._case
        return [
            f"means{place} AS (\n  SELECT {case},\n    {values}\n  FROM climb0 GROUP BY {case}\n)"
        ]

    def joins(self, place: int) -> list[str]:
        """Write how these rows are joined to the cases."""
        return [f"JOIN means{place} AS m ON m.{self._case} = f.{self._case}"]

    def value(self, number: int, k: int) -> str:
        """Write the column of such a row."""
        return f"m.t{number}p{k}"

    # --- Paths ---

    @cached_property
    def _paths(self) -> list[tuple[list[int], list[bool]]]:
        return [_paths_of(form) for form in self.trees.form.trees]

    @property
    def _n_ranks(self) -> int:
        return 1 + max(max(ranks) for ranks, _ in self._paths)

    def _branch_table(self) -> str:
        """Write the table of children: by which answer, beside what, and on which path."""
        rows: list[list[str]] = []
        double, cast = self.dialect.double, self.dialect.cast
        for offset, form, (ranks, goes_on) in zip(
            self.trees.offsets, self.trees.form.trees, self._paths, strict=True
        ):
            for node in form.nodes:
                if node.is_leaf:
                    continue
                share = self.dialect.number(node.yes_share)
                for child, other in ((node.yes, node.no), (node.no, node.yes)):
                    rows.append(
                        [
                            str(offset + child),
                            str(offset + node.id),
                            str(offset + other),
                            "TRUE" if child == node.yes else "FALSE",
                            share if rows else cast(share, double),
                            str(ranks[child]),
                            "TRUE" if goes_on[child] else "FALSE",
                        ]
                    )
        names = ["node", "parent", "other", "is_yes", "yes_share", "path_rank", "goes_on"]
        return self.dialect.table("branches", names, rows)

    # --- Down ---

    def _walk(self) -> str:
        """Write which nodes the stopped cases come to, and beside them those they do not."""
        case = self._case
        roots = " UNION ALL ".join(f"SELECT {offset} AS node" for offset in self.trees.offsets)
        return (
            f"walk AS {self.dialect.materialized}(\n"
            f"  SELECT s.{case}, r.node, 0 AS path_rank, 1 AS is_reached\n"
            f"  FROM stopped AS s CROSS JOIN ({roots}) AS r\n"
            "  UNION ALL\n"
            f"  SELECT w.{case}, b.node, b.path_rank,\n"
            f"    CASE WHEN COALESCE({self._holds_at_node()}, b.is_yes) = b.is_yes THEN 1\n"
            "      WHEN b.goes_on THEN 0 END\n"
            "  FROM walk AS w\n"
            f"  JOIN stopped AS s ON s.{case} = w.{case}\n"
            "  JOIN branches AS b ON b.parent = w.node\n"
            "  WHERE w.is_reached = 1\n)"
        )

    def _holds_at_node(self) -> str:
        """Write whether the rule of a node holds, as CASE within CASE, to look few nodes up."""
        nodes = [
            (offset + node.id, self.trees.holds(offset, node))
            for offset, node in self.trees.nodes()
            if not node.is_leaf
        ]
        found = [(number, f"WHEN {number} THEN {holds}") for number, holds in nodes]
        is_first = True
        while is_first or len(found) > 1:
            groups = [found[i : i + _AT_A_TIME] for i in range(0, len(found), _AT_A_TIME)]
            subject = " w.node" if is_first else ""
            found = [
                (group[-1][0], f"CASE{subject} {' '.join(line for _, line in group)} END")
                for group in groups
            ]
            if len(found) > 1:
                found = [(last, f"WHEN w.node <= {last} THEN {text}") for last, text in found]
            is_first = False
        return found[0][1]

    # --- Up ---

    def _climb(self, rank: int) -> str:
        """Write what cases get at the nodes of all paths of a rank, from below.

        They begin at leaves; and where they leave a path, with nothing, below the node where they
        do.
        """
        case, names = self._case, self.trees.value_names
        values = ", ".join(f"l.{name}" for name in names)
        text = (
            f"climb{rank} AS {self.dialect.materialized}(\n"
            f"  SELECT w.{case}, w.node, {values} FROM walk AS w\n"
            "  LEFT JOIN leaves AS l ON l.node = w.node AND w.is_reached = 1\n"
            f"  WHERE w.path_rank = {rank} AND (w.is_reached = 0 OR l.node IS NOT NULL)\n"
        )
        if rank == self._n_ranks - 1:  # paths that no other leaves: single leaves
            return f"{text})"
        mixed = ",\n    ".join(
            f"CASE WHEN t.node IS NULL THEN c.{p} WHEN c.{p} IS NULL THEN t.{p}\n"
            f"      WHEN b.is_yes THEN t.{p} + b.yes_share * (c.{p} - t.{p})\n"
            f"      ELSE c.{p} + b.yes_share * (t.{p} - c.{p}) END"
            for p in names
        )
        return text + (
            f"  UNION ALL\n  SELECT c.{case}, b.parent,\n    {mixed}\n"
            f"  FROM climb{rank} AS c\n"
            "  JOIN branches AS b ON b.node = c.node AND b.goes_on\n"
            f"  LEFT JOIN climb{rank + 1} AS t ON t.{case} = c.{case} AND t.node = b.other\n)"
        )


def _paths_of(form: TreeForm) -> tuple[list[int], list[bool]]:
    """Return the rank of each node's path, and whether the node goes on the path of its parent."""
    nodes = form.nodes
    below = [1] * len(nodes)
    for node in reversed(nodes):  # children come after their parents
        if not node.is_leaf:
            below[node.id] += below[node.yes] + below[node.no]
    ranks, goes_on = [0] * len(nodes), [False] * len(nodes)
    for node in nodes:
        if node.is_leaf:
            continue
        heavy = node.yes if below[node.yes] >= below[node.no] else node.no
        for child in (node.yes, node.no):
            goes_on[child] = child == heavy
            ranks[child] = ranks[node.id] + (child != heavy)
    return ranks, goes_on
