"""Guard: what is known of each open node while a tree grows, and who chooses under it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from bsnsing.data.cases import Cases
from bsnsing.engine.base import Engine, EngineOptions
from bsnsing.grow.builder import OpenNode, TreeBuilder
from bsnsing.grow.options import GrowOptions
from bsnsing.rules.constraints import SubjectLimits
from bsnsing.rules.deadline import Deadline
from bsnsing.rules.knowledge import Knowledge, NodeLimits, order_of
from bsnsing.rules.split import Found
from bsnsing.solvers.base import Solver


class Guard:
    """Keeps what holds for whole trees: order along paths, columns in all, columns paid for.

    Bounds on the share of the ordered class are passed down as in scikit-learn: where a rule's
    sides are in order, the middle of their shares bounds all that comes below either side.
    """

    def __init__(
        self,
        knowledge: Knowledge,
        names: Sequence[str],
        weights: Sequence[float],
        limits: SubjectLimits | None = None,
    ) -> None:
        self.knowledge = knowledge
        # Columns that are apart on whole paths.
        self.limits = limits if limits is not None and limits.along_paths else None
        self.weights = np.array(weights)
        self.monotone = knowledge.monotone(names)
        self.prices = knowledge.prices(names)  # per case
        self.bounds: dict[int, tuple[float, float]] = {0: (0.0, 1.0)}  # by node of the tree
        self.paid: dict[int, frozenset[int]] = {0: frozenset()}  # columns asked about above
        self.used = set[int]()  # columns of the whole tree

    def choose(
        self,
        solver: Solver,
        engine: Engine,
        builder: TreeBuilder,
        nodes: Sequence[OpenNode],
        seconds: float,
    ) -> list[Found | None]:
        """Return the rule of each node.

        As long as the tree may have further columns, nodes are searched one by one, those with most
        cases first, each knowing what those before it ask about.
        """
        if not self._n_columns_left():
            limits = [self.limits_at(node.tree_node, builder) for node in nodes]
            return solver.choose(engine, [n.engine_node for n in nodes], seconds, limits)
        deadline = Deadline(seconds)
        n_cases = [-sum(builder.counts[node.tree_node]) for node in nodes]
        found: list[Found | None] = [None] * len(nodes)
        for n_done, place in enumerate(np.argsort(n_cases, kind="stable").tolist()):
            node = nodes[place]
            own = [self.limits_at(node.tree_node, builder)]
            share = deadline.share(len(nodes) - n_done)
            (found[place],) = solver.choose(engine, [node.engine_node], share, own)
            rule = found[place]
            if rule is not None and rule.is_worthwhile:
                self.used.update(question[0] for question in rule.questions)
        return found

    def split(
        self, node: OpenNode, found: Found, children: Sequence[OpenNode], builder: TreeBuilder
    ) -> None:
        """Tell a node's children what its rule says of them."""
        asked = frozenset(question[0] for question in found.questions)
        low, high = self.bounds.pop(node.tree_node)
        paid = self.paid.pop(node.tree_node) | asked
        self.used |= asked
        order = 0 if self.monotone is None else order_of(found.rule, self.monotone)
        ends = [(low, high), (low, high)]
        if order:
            middle = float(np.mean([self._share(builder.counts[c.tree_node]) for c in children]))
            ends = [(middle, high), (low, middle)][::order]
        for child, own in zip(children, ends, strict=True):
            self.bounds[child.tree_node], self.paid[child.tree_node] = own, paid

    def limits_at(self, node: int, builder: TreeBuilder) -> NodeLimits:
        """What the rules of an open node keep."""
        low, high = self.bounds[node]
        return NodeLimits(
            low,
            high,
            self._n_columns_left(),
            tuple(sorted(self.used)),
            self._prices(node, builder),
            () if self.limits is None else tuple(self.limits.closed_by(self.paid[node])),
        )

    def _n_columns_left(self) -> int | None:
        most = self.knowledge.max_columns
        return None if most is None else max(0, most - len(self.used))

    def _prices(self, node: int, builder: TreeBuilder) -> tuple[float, ...]:
        """What each column costs the cases of a node together: nothing where it is paid for."""
        if self.prices is None:
            return ()
        n_cases = float(np.dot(builder.counts[node], self.weights))
        prices: NDArray[np.float64] = self.prices * n_cases
        prices[list(self.paid[node])] = 0.0
        return tuple(prices.tolist())

    def _share(self, counts: Sequence[float]) -> float:
        weighted = np.array(counts) * self.weights
        total = float(weighted.sum())
        return float(weighted[self.knowledge.target] / total) if total > 0 else 0.0


def guard_of(
    options: GrowOptions, engine_options: EngineOptions, cases: Cases, weights: list[float]
) -> Guard | None:
    """What keeps what is known of whole paths and trees; None where nothing is."""
    limits = engine_options.limits
    is_along_paths = limits is not None and limits.along_paths
    if options.knowledge is None and not is_along_paths:
        return None
    if options.solver.name not in ("enum", "greedy"):
        raise ValueError(
            f"solver={options.solver.name!r} cannot keep constraints along_paths, which its "
            "programs do not say. Use solver='enum' or 'greedy'."
        )
    names = [column.name for column in cases.table.info]
    return Guard(options.knowledge or Knowledge(), names, weights, limits)
