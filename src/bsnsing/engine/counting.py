"""CountingEngine: questions and rules chosen from mergeable counts alone."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import TYPE_CHECKING

from bsnsing import _core
from bsnsing.engine.base import CaseCounts, EngineOptions
from bsnsing.engine.native import column_limits
from bsnsing.questions.coded import CodedQuestion, CodedRule
from bsnsing.rules.deadline import Deadline
from bsnsing.rules.knowledge import NodeLimits
from bsnsing.rules.split import Found

if TYPE_CHECKING:
    from bsnsing.engine.scattered import ScatteredEngine


class CountingEngine(ABC):
    """What an engine over parts of the rows inherits: it counts, and native code chooses.

    A subclass gives the three counts, each summed over its parts, the totals of its nodes, and
    parts its rows. The rules are those of the native engine, ties and proofs included.
    """

    def __init__(
        self, schema: _core.ColumnSchema, n_classes: int, unit: float, options: EngineOptions
    ) -> None:
        class_weight = options.class_weight
        self._given: dict[int, list[CodedQuestion]] = {}  # by node
        self._chooser = _core.Chooser(
            schema,
            n_classes=n_classes,
            unit=unit,
            class_weights=None if class_weight is None else class_weight.tolist(),
            ask=options.ask.native(),
            search=options.search.native(),
            limits=column_limits(options),
            own_questions=options.own_questions,
            extra_questions=options.allowed_extra(),
        )

    @property
    def scattered(self) -> ScatteredEngine | None:
        """None: nodes are worked on by counts alone."""
        return None

    @abstractmethod
    def totals(self, nodes: Sequence[int]) -> list[CaseCounts]:
        """Cases per class of each node."""

    @abstractmethod
    def histograms(self, nodes: Sequence[int]) -> list[list[CaseCounts]]:
        """Count the cases of each class and code, per node and column."""

    @abstractmethod
    def pair_counts(
        self, nodes: Sequence[int], questions: Sequence[Sequence[CodedQuestion]]
    ) -> list[CaseCounts]:
        """Count the cases of each class that answer yes to both of any two questions."""

    @abstractmethod
    def rule_counts(
        self, nodes: Sequence[int], rules: Sequence[Sequence[CodedRule]]
    ) -> list[CaseCounts]:
        """Count the cases of each class that answer yes to each rule."""

    def class_totals(self, node: int) -> list[float]:
        """Cases per class of a node."""
        return [float(n) for n in self.totals([node])[0]]

    def ask(self, nodes: Sequence[int], target: int | None = None) -> list[list[CodedQuestion]]:
        """Return the questions worth asking of each node."""
        return [
            self._chooser.ask(counts, target) + self._given.get(node, [])
            for node, counts in zip(nodes, self.histograms(nodes), strict=True)
        ]

    def give(self, node: int, questions: Sequence[CodedQuestion]) -> None:
        """Give a node further questions, behind those that all nodes have."""
        self._given[node] = list(questions)

    def best_rules(
        self,
        nodes: Sequence[int],
        time_limit: float = math.inf,
        limits: Sequence[NodeLimits] = (),
    ) -> list[Found]:
        """Return the best rule of each node, with its proof."""
        deadline = Deadline(time_limit)
        histograms = self.histograms(nodes)
        given = [self._given.get(node, []) for node in nodes]
        questions = [
            self._chooser.ask(counts) + of_node
            for counts, of_node in zip(histograms, given, strict=True)
        ]
        counted_nodes = zip(
            self.totals(nodes),
            histograms,
            questions,
            self.pair_counts(nodes, questions),
            strict=True,
        )
        searches = [
            self._chooser.search(
                *node,
                time_limit=deadline.share(len(nodes) - i),
                limits=limits[i].native() if limits else None,
                n_given=len(given[i]),
            )
            for i, node in enumerate(counted_nodes)
        ]
        # Larger rules: bounds leave few of them open, and these are counted, batch by batch.
        while any(wanted := [[CodedRule(*r) for r in s.wanted()] for s in searches]):
            counted = self.rule_counts(nodes, wanted)
            for search, rules, counts in zip(searches, wanted, counted, strict=True):
                if rules:
                    search.take(counts)
        return [Found(*search.found()) for search in searches]

    def evaluate(self, node: int, rule: CodedRule) -> Found | None:
        """Return what a rule chosen elsewhere is worth; None if it breaks a limit."""
        (totals,), (histograms,) = self.totals([node]), self.histograms([node])
        ((left,),) = self.rule_counts([node], [[rule]])
        found = self._chooser.evaluate(totals, histograms, rule, left)
        return None if found is None else Found(*found)
