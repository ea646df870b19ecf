"""GrowOptions: the checked parameters that decide how a tree grows."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import NDArray

from bsnsing.data.table import Table
from bsnsing.engine.base import EngineMaker, EngineOptions
from bsnsing.engine.native import NativeEngine
from bsnsing.questions.elsewhere import encode_questions, pairs_in, with_own
from bsnsing.questions.equality import equality_questions, has_scales
from bsnsing.questions.pair import ColumnPair
from bsnsing.questions.question import Question
from bsnsing.rules.constraints import RuleConstraints, SubjectLimits, resolve_constraints
from bsnsing.rules.deadline import Deadline
from bsnsing.rules.knowledge import Knowledge
from bsnsing.rules.options import AskOptions, SearchOptions, n_thresholds
from bsnsing.solvers.nodes import SolverOptions
from bsnsing.tree.decide import split_weights
from bsnsing.tree.rule import Rule

if TYPE_CHECKING:
    from bsnsing.questions.donors.learners import Learner


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
    costs: NDArray[np.float64] | None = None  # of saying a class (column) of another (row)
    pairs: tuple[ColumnPair, ...] = ()  # asked about like columns
    asked_columns: NDArray[np.bool_] | None = None  # of a wide table; None is all
    own_questions: bool = True
    extra_questions: tuple[Question, ...] = ()
    learners: tuple[Learner, ...] = ()  # that lend questions, fitted anew at each node
    donor_seed: int = 0  # of learners without one
    first_rules: tuple[Rule, ...] = ()  # of the nodes of each of the first levels
    constraints: RuleConstraints | None = None
    knowledge: Knowledge | None = None  # what whole trees keep
    # Where each column is in the table that constraints are about; None is where it is here.
    places: NDArray[np.intp] | None = None
    deadline: Deadline = field(default_factory=lambda: Deadline(math.inf))  # of all trees
    reports_progress: bool = False

    @property
    def is_free(self) -> bool:
        """Whether nothing but the exact search decides what rules say."""
        is_bound = self.constraints is not None or self.knowledge is not None
        return self.solver.name == "enum" and self.own_questions and not is_bound

    def weights(self, n_classes: int) -> NDArray[np.float64]:
        """What a case of each class counts in probabilities."""
        return np.ones(n_classes) if self.class_weight is None else self.class_weight

    @property
    def split_weight(self) -> NDArray[np.float64] | None:
        """What a case of each class counts in splits; None where all count one."""
        if self.costs is None:
            return self.class_weight
        return split_weights(self.weights(len(self.costs)), self.costs)

    def all_pairs(self, table: Table) -> tuple[ColumnPair, ...]:
        """Pairs asked about like columns, then those that extra questions alone are about."""
        if not self.extra_questions:
            return self.pairs
        given = pairs_in(self.extra_questions, table.info)
        return self.pairs + tuple(pair for pair in given if pair not in self.pairs)

    def engine_options(self, table: Table) -> EngineOptions:
        """What an engine over this table is told."""
        pairs, n_columns = self.all_pairs(table), len(table.columns)
        extra = encode_questions(self.extra_questions, table.info, pairs)
        is_scaled = has_scales(table)
        if is_scaled and self.own_questions:
            extra = with_own(extra, equality_questions(table, self.max_values_as_levels))
        ask = AskOptions(
            n_segments=n_thresholds(self.n_segments, table, len(self.pairs)),
            max_levels=self.max_levels,
            max_values_as_levels=0 if is_scaled else self.max_values_as_levels,
            bin_size=self.bin_size,
        )
        return EngineOptions(
            ask=ask,
            search=self.search,
            class_weight=self.split_weight,
            limits=self._limits(table, pairs),
            own_questions=self.own_questions,
            extra_questions=extra.coded,
            extra_origins=extra.origins,
            pairs=pairs,
            given_only=range(n_columns + len(self.pairs), n_columns + len(pairs)),
            # What learners will lend must be met exactly.
            max_bins=None if self.learners else self.max_bins,
        )

    def _limits(self, table: Table, pairs: tuple[ColumnPair, ...]) -> SubjectLimits | None:
        """Limits on what rules may ask about: the user's, else those of a wide table."""
        is_bound = self.constraints is not None or self.knowledge is not None
        if is_bound and pairs:
            raise ValueError(
                f"extra_questions asks about '{pairs[0]}', but constraints are about single "
                "columns. Add the pair to the table as a column, or leave one of them out."
            )
        asked = self.asked_columns
        is_given = bool(self.extra_questions or self.learners)
        if not is_bound and not is_given and asked is not None:
            return SubjectLimits(np.append(asked, np.ones(len(pairs), dtype=bool)))
        limits = self._constraint_limits(table)
        monotone = None
        if self.knowledge is not None:
            monotone = self.knowledge.monotone([column.info.name for column in table.columns])
        if self.knowledge is None or monotone is None:
            return limits
        if limits is None:
            limits = SubjectLimits(np.ones(len(table.columns), dtype=bool))
        return replace(limits, monotone=monotone, ordered_class=self.knowledge.target)

    def _constraint_limits(self, table: Table) -> SubjectLimits | None:
        if self.constraints is None:
            return None
        places = np.arange(len(table.columns)) if self.places is None else self.places
        names = [table.columns[own].info.name for own in np.argsort(places)]
        limits = resolve_constraints(self.constraints, names, self.search.max_rules)
        return None if limits is None else limits.reordered(places)
