"""NativeEngine: all rows in this process, counted by the native code."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from bsnsing import _core
from bsnsing.data.cases import Cases
from bsnsing.engine.base import CaseCounts, EngineOptions
from bsnsing.engine.encode import encode_table
from bsnsing.questions.coded import CodedQuestion, CodedRule
from bsnsing.rules.knowledge import NodeLimits
from bsnsing.rules.split import Found


class NativeEngine:
    """An :class:`~bsnsing.engine.base.Engine` that asks, counts and chooses in one call."""

    scattered = None  # all rows are here

    def __init__(self, cases: Cases, n_classes: int, options: EngineOptions) -> None:
        n_threads, weights = options.search.n_threads, cases.weights
        columns = encode_table(
            cases.table,
            options.pairs,
            max_bins=options.max_bins,
            # Thresholds given by hand must be met exactly, so their columns keep all values.
            unbinned={question[0] for question in options.extra_questions},
            counts=weights.counts,
            n_threads=n_threads,
        )
        class_weight = options.class_weight
        native = _core.Cases(
            cases.labels,
            n_classes=n_classes,
            weights=weights.counts,
            unit=weights.unit,
            class_weights=None if class_weight is None else class_weight.tolist(),
        )
        self._start(columns, native, options)

    def _start(self, columns: _core.ColumnList, cases: _core.Cases, options: EngineOptions) -> None:
        """Take over the columns of a table."""
        self.has_missing = tuple(columns.has_missing())
        self._engine = _core.Engine(
            columns,
            cases,
            ask=options.ask.native(),
            search=options.search.native(),
            limits=column_limits(options),
            own_questions=options.own_questions,
            extra_questions=options.allowed_extra(),
        )

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return self._engine.n_rows

    def class_totals(self, node: int) -> list[float]:
        """Cases per class of a node."""
        return self._engine.class_totals(node)

    def ask(self, nodes: Sequence[int], target: int | None = None) -> list[list[CodedQuestion]]:
        """Return the questions worth asking of each node."""
        return self._engine.ask(nodes, target)

    def histograms(self, nodes: Sequence[int]) -> list[list[CaseCounts]]:
        """Count the cases of each class and code, per node and column."""
        return self._engine.histograms(nodes)

    def pair_counts(
        self, nodes: Sequence[int], questions: Sequence[Sequence[CodedQuestion]]
    ) -> list[CaseCounts]:
        """Count the cases of each class that answer yes to both of any two questions."""
        return self._engine.pair_counts(nodes, questions)

    def rule_counts(
        self, nodes: Sequence[int], rules: Sequence[Sequence[CodedRule]]
    ) -> list[CaseCounts]:
        """Count the cases of each class that answer yes to each rule."""
        return self._engine.rule_counts(nodes, rules)

    def best_rules(
        self,
        nodes: Sequence[int],
        time_limit: float = math.inf,
        limits: Sequence[NodeLimits] = (),
    ) -> list[Found]:
        """Return the best rule of each node, with its proof."""
        own = [limit.native() for limit in limits]
        return [Found(*found) for found in self._engine.best_rules(nodes, time_limit, own)]

    def give(self, node: int, questions: Sequence[CodedQuestion]) -> None:
        """Give a node further questions, behind those that all nodes have."""
        self._engine.give(node, questions)

    def evaluate(self, node: int, rule: CodedRule) -> Found | None:
        """Return what a rule chosen elsewhere is worth; None if it breaks a limit."""
        found = self._engine.evaluate(node, rule)
        return None if found is None else Found(*found)

    def answers(
        self, node: int, questions: Sequence[CodedQuestion]
    ) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
        """Return the answers of a node's rows, and the numbers of the rows."""
        return self._engine.answers(node, questions)

    def split(self, nodes: Sequence[int], rules: Sequence[CodedRule]) -> list[tuple[int, int]]:
        """Part the rows of each node by its rule; return the new nodes, yes and no."""
        return self._engine.split(nodes, rules)

    def rows_of(self, nodes: Sequence[int]) -> list[NDArray[np.int64]]:
        """Return the numbers of each node's rows, ascending."""
        return self._engine.rows_of(nodes)

    def close(self, nodes: Sequence[int]) -> None:
        """Forget the rows of nodes that stay leaves."""
        self._engine.close(nodes)


def column_limits(options: EngineOptions) -> _core.ColumnLimits | None:
    """What rules may ask about, for native code."""
    limits, given_only = options.limits, list(options.given_only)
    if limits is None:
        return _core.ColumnLimits(forbidden=given_only) if given_only else None
    return _core.ColumnLimits(
        forbidden=[*np.flatnonzero(~limits.allowed).tolist(), *given_only],
        linear=[limit.as_tuple() for limit in limits.linear],
        one_per_column=limits.column_of is not None,
        apart=list(limits.apart),
        group_of=[] if limits.group_of is None else limits.group_of.tolist(),
        monotone=[] if limits.monotone is None else limits.monotone.tolist(),
        ordered_class=limits.ordered_class,
    )
