"""Mixed-integer solvers for the nodes of a tree."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from bsnsing import _core
from bsnsing._questions import Fields
from bsnsing._tree import OPERATORS
from bsnsing.constraints import QuestionLimits
from bsnsing.solvers import MIP_SOLVERS
from bsnsing.solvers.base import Found, MipSolver, Solver
from bsnsing.solvers.mip import MipOptions, read_mip_options
from bsnsing.solvers.native import NativeSolver
from bsnsing.solvers.pool import PoolSearch, check_mip

if TYPE_CHECKING:
    from bsnsing._engine import EngineOptions
    from bsnsing._weights import CaseWeights


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeSolver:
    """Asks each node's questions, solves its program, and has the engine judge the rule."""

    solver: MipSolver
    mip_options: MipOptions
    options: EngineOptions
    codes: NDArray[np.int32]
    counts: NDArray[np.int64] | None
    verbose: bool = False

    def choose(self, engine: _core.Engine, nodes: Sequence[int]) -> list[Found | None]:
        """Return the rule for each node; None where no rule is worthwhile."""
        return [self._choose(engine, node) for node in nodes]

    def _choose(self, engine: _core.Engine, node: int) -> Found | None:
        fields, answers, rows = engine.ask(node, None)
        if not fields:
            return None
        if self.counts is not None:
            # The engine lists a row once for each power of two in its weight.
            rows, first = np.unique(rows, return_index=True)
            answers = np.ascontiguousarray(answers[first])
        totals = engine.class_totals(node)
        given = self.options.class_weight
        weights = [1.0, 1.0] if given is None else given.tolist()
        # The class with most cases; of equals the last, as in the engine.
        positive = int(totals[1] * weights[1] >= totals[0] * weights[0])
        n_pairs = totals[0] * totals[1]
        search = PoolSearch(
            answers=answers,
            codes=(self.codes[rows] == positive).astype(np.int32),
            n_classes=2,
            counts=None if self.counts is None else self.counts[rows],
            max_rules=self.options.max_rules,
            min_samples_leaf=self.options.min_samples_leaf,
            criterion=self.options.criterion,
            operators=self.options.operators,
            distinct_children=self.options.distinct_children,
            class_weights=(weights[1 - positive], weights[positive]),
            limits=self._limits(fields),
            time_limit=self.options.time_limit,
            n_threads=self.options.n_threads,
            # A rule that does no better than this leaves the node a leaf.
            ceiling=n_pairs / 2 if self.options.criterion == "gini_squared" else n_pairs,
        )
        rule = search.mip(self.solver, self.mip_options, self.verbose)
        answer = rule.answer
        scale = weights[0] * weights[1]  # class weights multiply both criteria by a constant
        nothing = Found(
            False, [], [], 0, [], np.nan, answer.bound * scale, answer.optimal, 0, 0, answer.seconds
        )
        if not rule.questions:
            return nothing
        judged = engine.judge(
            node,
            [fields[q] for q in rule.questions],
            list(rule.negated),
            OPERATORS.index(rule.operator),
            answer.bound * scale,
            answer.optimal,
        )
        if judged is None:
            return nothing._replace(optimal=False)
        found = Found(*judged)._replace(seconds=answer.seconds, n_counted=1.0)
        return found._replace(bound=found.objective) if answer.optimal else found

    def _limits(self, fields: Sequence[Fields]) -> QuestionLimits:
        if self.options.limits is None:
            return QuestionLimits()
        return self.options.limits.for_questions(np.array([f[0] for f in fields], dtype=np.int64))


@dataclass(frozen=True, slots=True, kw_only=True)
class HybridSolver:
    """A mixed-integer solver for nodes with few pairs of unlike cases, the native search else."""

    small: Solver
    cap: float  # most pairs of a positive and a negative case for the mixed-integer solver

    def choose(self, engine: _core.Engine, nodes: Sequence[int]) -> list[Found | None]:
        """Return the rule for each node; None where no rule is feasible."""
        is_small = [np.prod(engine.class_totals(node)) <= self.cap for node in nodes]
        large = [node for node, small in zip(nodes, is_small, strict=True) if not small]
        native = iter(NativeSolver().choose(engine, large))
        return [
            self.small.choose(engine, [node])[0] if small else next(native)
            for node, small in zip(nodes, is_small, strict=True)
        ]


def make_node_solver(
    parameters: Any,
    options: EngineOptions,
    codes: NDArray[np.int32],
    n_classes: int,
    weights: CaseWeights,
) -> Solver:
    """The solver that an estimator's parameters name."""
    mip_options = read_mip_options(parameters.solver_options, tuple(MIP_SOLVERS))
    name = parameters.solver
    if name in ("enum", "greedy"):
        return NativeSolver()
    check_mip(name, options.criterion, options.operators, n_classes, weights.unit)
    chosen = MIP_SOLVERS[mip_options.hybrid_solver if name == "hybrid" else name]
    node_solver = NodeSolver(
        solver=chosen,
        mip_options=mip_options,
        options=options,
        codes=codes,
        counts=weights.counts,
        verbose=bool(parameters.verbose),
    )
    if name != "hybrid":
        return node_solver
    return HybridSolver(small=node_solver, cap=float(parameters.hybrid_cap))
