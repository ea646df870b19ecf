"""Engine: what every engine provides, and the options it is made with.

An engine holds the rows of the open nodes of a tree. Three of its calls are sums over rows, and so
add up over parts of the rows, wherever these lie: ``histograms``, ``pair_counts`` and
``rule_counts``. Questions and rules follow from them without any row: see
:class:`bsnsing.engine.counting.CountingEngine`, which needs nothing else of an engine.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from bsnsing.data.cases import Cases
from bsnsing.questions.coded import CodedQuestion, CodedRule
from bsnsing.questions.pair import ColumnPair
from bsnsing.rules.constraints import SubjectLimits
from bsnsing.rules.knowledge import NodeLimits
from bsnsing.rules.options import AskOptions, SearchOptions
from bsnsing.rules.split import Found

if TYPE_CHECKING:
    from bsnsing.engine.scattered import ScatteredEngine

# Cases, in whole numbers of the weights' unit.
CaseCounts: TypeAlias = NDArray[np.int64]


@dataclass(frozen=True, slots=True, kw_only=True)
class EngineOptions:
    """What an engine asks about and searches for."""

    ask: AskOptions
    search: SearchOptions
    class_weight: NDArray[np.float64] | None = None
    limits: SubjectLimits | None = None  # over columns, and behind them pairs
    own_questions: bool = True  # besides those from elsewhere
    extra_questions: Sequence[CodedQuestion] = ()
    extra_origins: Sequence[str] = ()  # where each of these came from
    pairs: Sequence[ColumnPair] = ()  # numbers made of two columns, behind the columns
    given_only: Collection[int] = ()  # positions that extra questions alone are about
    max_bins: int | None = None

    def allowed_extra(self) -> list[CodedQuestion]:
        """Questions from elsewhere that the limits let rules ask."""
        return [q for q in self.extra_questions if self.may_ask(q)]

    def allowed_origins(self) -> list[str]:
        """Where each of the questions that :meth:`allowed_extra` returns came from."""
        named = zip(self.extra_questions, self.extra_origins, strict=True)
        return [origin for question, origin in named if self.may_ask(question)]

    def may_ask(self, question: CodedQuestion) -> bool:
        """Whether the limits let rules ask a question from elsewhere."""
        return self.limits is None or bool(self.limits.allowed[question[0]])


class Engine(Protocol):
    """Counts, searches and parts the rows of nodes; node 0 has all rows.

    The numbers do not depend on the order of the rows, nor on how many threads, machines or
    devices count them.
    """

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        ...

    @property
    def has_missing(self) -> tuple[bool, ...]:
        """Which columns, and behind them which pairs, have missing cells."""
        ...

    @property
    def scattered(self) -> ScatteredEngine | None:
        """Itself, if nodes whose rows fit in one place are to be gathered there; else None."""
        ...

    def class_totals(self, node: int) -> list[float]:
        """Cases per class of a node, in the unit of the weights."""
        ...

    def ask(self, nodes: Sequence[int], target: int | None = None) -> list[list[CodedQuestion]]:
        """Return the questions worth asking of each node, those from elsewhere last.

        They single out the class ``target``. None is the class with most cases or, with more than
        two classes, each class in turn.
        """
        ...

    def histograms(self, nodes: Sequence[int]) -> list[list[CaseCounts]]:
        """Count, per node and column, the cases of each class and code.

        Arrays have the shape (n_classes, n_codes + 1); the last code stands for missing cells.
        Sums over rows: those of parts of the rows add up.
        """
        ...

    def pair_counts(
        self, nodes: Sequence[int], questions: Sequence[Sequence[CodedQuestion]]
    ) -> list[CaseCounts]:
        """Count, per node and class, the cases that answer yes to both of any two questions.

        Arrays have the shape (n_classes, n_questions, n_questions). Sums over rows.
        """
        ...

    def rule_counts(
        self, nodes: Sequence[int], rules: Sequence[Sequence[CodedRule]]
    ) -> list[CaseCounts]:
        """Count, per node and rule, the cases of each class that answer yes. Sums over rows."""
        ...

    def best_rules(
        self,
        nodes: Sequence[int],
        time_limit: float = math.inf,
        limits: Sequence[NodeLimits] = (),
    ) -> list[Found]:
        """Ask, count and choose at once: the best rule of each node, with its proof.

        The seconds are for all nodes together. A node that none are left for is not searched:
        its rule is not worthwhile, and not proven. ``limits`` are what each node's rules keep
        beside what all do, or none.
        """
        ...

    def give(self, node: int, questions: Sequence[CodedQuestion]) -> None:
        """Give a node further questions, behind those from elsewhere that all nodes have."""
        ...

    def evaluate(self, node: int, rule: CodedRule) -> Found | None:
        """Return what a rule chosen elsewhere is worth at a node; None if it breaks a limit."""
        ...

    def answers(
        self, node: int, questions: Sequence[CodedQuestion]
    ) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
        """Return the answers of a node's rows, 0 or 1, and the numbers of the rows, ascending."""
        ...

    def split(self, nodes: Sequence[int], rules: Sequence[CodedRule]) -> list[tuple[int, int]]:
        """Part the rows of each node by its rule; return the new nodes, yes and no."""
        ...

    def rows_of(self, nodes: Sequence[int]) -> list[NDArray[np.int64]]:
        """Return the numbers of each node's rows, ascending."""
        ...

    def close(self, nodes: Sequence[int]) -> None:
        """Forget the rows of nodes that stay leaves."""
        ...


# Makes an engine over cases of a number of classes.
EngineMaker: TypeAlias = Callable[[Cases, int, EngineOptions], Engine]
