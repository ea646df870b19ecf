"""GrowOptions: the checked parameters that decide how a tree grows."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from bsnsing.data.table import Table
from bsnsing.engine.base import EngineMaker, EngineOptions
from bsnsing.engine.native import NativeEngine
from bsnsing.questions.elsewhere import encode_questions, pairs_in
from bsnsing.questions.pair import ColumnPair
from bsnsing.questions.question import Question
from bsnsing.rules.constraints import RuleConstraints, SubjectLimits, resolve_constraints
from bsnsing.rules.deadline import Deadline
from bsnsing.rules.options import AskOptions, SearchOptions, n_thresholds
from bsnsing.solvers.nodes import SolverOptions


@dataclass(frozen=True, slots=True, kw_only=True)
class GrowOptions:
    """How a tree grows; see :class:`bsnsing.BsnsingClassifier` for each parameter."""

    make_engine: EngineMaker = NativeEngine
    search: SearchOptions
    n_segments: int | Literal["auto"] = 20
    max_levels: int = 30
    max_values_as_levels: int = 10
    bin_size: float = 5.0
    solver: SolverOptions = field(default_factory=SolverOptions)
    max_bins: int | None = None
    max_depth: float = np.inf
    stop_prob: float = 1.0
    ccp_alpha: float = 0.0  # complexity penalty: impurity per case that each leaf must save
    max_leaf_nodes: int | None = None
    shrinkage: float = 0.0  # cases that a parent's shares count for
    class_weight: NDArray[np.float64] | None = None
    pairs: tuple[ColumnPair, ...] = ()  # asked about like columns
    asked_columns: NDArray[np.bool_] | None = None  # of a wide table; None is all
    own_questions: bool = True
    extra_questions: tuple[Question, ...] = ()
    constraints: RuleConstraints | None = None
    deadline: Deadline = field(default_factory=lambda: Deadline(math.inf))  # of all trees
    reports_progress: bool = False

    @property
    def is_free(self) -> bool:
        """Whether nothing but the exact search decides what rules say."""
        return self.solver.name == "enum" and self.own_questions and self.constraints is None

    def all_pairs(self, table: Table) -> tuple[ColumnPair, ...]:
        """Pairs asked about like columns, then those that extra questions alone are about."""
        if not self.extra_questions:
            return self.pairs
        given = pairs_in(self.extra_questions, table.info)
        return self.pairs + tuple(pair for pair in given if pair not in self.pairs)

    def engine_options(self, table: Table) -> EngineOptions:
        """What an engine over this table is told."""
        pairs, n_columns = self.all_pairs(table), len(table.columns)
        ask = AskOptions(
            n_segments=n_thresholds(self.n_segments, table, len(self.pairs)),
            max_levels=self.max_levels,
            max_values_as_levels=self.max_values_as_levels,
            bin_size=self.bin_size,
        )
        return EngineOptions(
            ask=ask,
            search=self.search,
            class_weight=self.class_weight,
            limits=self._limits(table, pairs),
            own_questions=self.own_questions,
            extra_questions=encode_questions(self.extra_questions, table.info, pairs),
            pairs=pairs,
            given_only=range(n_columns + len(self.pairs), n_columns + len(pairs)),
            max_bins=self.max_bins,
        )

    def _limits(self, table: Table, pairs: tuple[ColumnPair, ...]) -> SubjectLimits | None:
        """Limits on what rules may ask about: the user's, else those of a wide table."""
        if self.constraints is not None and pairs:
            raise ValueError(
                f"extra_questions asks about '{pairs[0]}', but constraints are about single "
                "columns. Add the pair to the table as a column, or leave one of them out."
            )
        asked = self.asked_columns
        if self.constraints is None and not self.extra_questions and asked is not None:
            return SubjectLimits(np.append(asked, np.ones(len(pairs), dtype=bool)))
        names = [info.name for info in table.info]
        return resolve_constraints(self.constraints, names, self.search.max_rules)
