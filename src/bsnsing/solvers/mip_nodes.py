"""NodeSolver and HybridSolver: nodes whose rules a mixed-integer solver chooses."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from bsnsing.data.cases import Cases
from bsnsing.data.weights import CaseWeights
from bsnsing.engine.base import Engine, EngineOptions
from bsnsing.questions.coded import CodedQuestion, CodedRule
from bsnsing.rules.constraints import QuestionLimits
from bsnsing.rules.deadline import Deadline
from bsnsing.rules.knowledge import NodeLimits
from bsnsing.rules.split import Found
from bsnsing.solvers.base import MipSolver, Solver
from bsnsing.solvers.mip_options import MipOptions
from bsnsing.solvers.native import NativeSolver
from bsnsing.solvers.pool import MipRule, PoolSearch
from bsnsing.tree.rule import OPERATORS

# What is said of a node that there was no time for.
_UNSEARCHED = Found(False, [], [], 0, [], np.nan, -np.inf, False, 0, 0, 0.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeSolver:
    """Asks each node's questions, solves its program, and has the engine evaluate the rule."""

    solver: MipSolver
    mip_options: MipOptions
    options: EngineOptions
    cases: Cases
    verbose: bool = False

    def choose(
        self,
        engine: Engine,
        nodes: Sequence[int],
        time_limit: float = math.inf,
        limits: Sequence[NodeLimits] = (),
    ) -> list[Found | None]:
        """Return the rule for each node; None where no rule is worthwhile."""
        _refuse_limits(limits)
        deadline = Deadline(time_limit)
        if deadline.is_over:
            return [_UNSEARCHED] * len(nodes)
        chosen: list[Found | None] = []
        for node, questions in zip(nodes, engine.ask(nodes), strict=True):
            if not questions:
                chosen.append(None)
            elif deadline.is_over:
                chosen.append(_UNSEARCHED)
            else:
                seconds = deadline.share(len(nodes) - len(chosen))
                chosen.append(self._choose(engine, node, questions, seconds))
        return chosen

    def _choose(
        self, engine: Engine, node: int, questions: list[CodedQuestion], seconds: float
    ) -> Found:
        totals = engine.class_totals(node)
        given = self.options.class_weight
        weights = [1.0, 1.0] if given is None else given.tolist()
        # The class with most cases; of equals the last, as in the engine.
        positive = int(totals[1] * weights[1] >= totals[0] * weights[0])
        n_pairs = totals[0] * totals[1]
        answers, rows = engine.answers(node, questions)
        counts = self.cases.weights.counts
        search = PoolSearch(
            answers=answers,
            labels=(self.cases.labels[rows] == positive).astype(np.int32),
            n_classes=2,
            weights=CaseWeights(None if counts is None else counts[rows], 1.0),
            options=replace(
                self.options.search, time_limit=min(seconds, self.options.search.time_limit)
            ),
            class_weights=(weights[1 - positive], weights[positive]),
            limits=self._limits(questions),
            # A rule that does no better than this leaves the node a leaf.
            ceiling=n_pairs / 2 if self.options.search.criterion == "gini_squared" else n_pairs,
        )
        rule = search.mip(self.solver, self.mip_options, self.verbose)
        scale = weights[0] * weights[1]  # class weights multiply both criteria by a constant
        return _evaluated(engine, node, questions, rule, rule.answer.bound * scale)

    def _limits(self, questions: Sequence[CodedQuestion]) -> QuestionLimits:
        if self.options.limits is None:
            return QuestionLimits()
        columns: NDArray[np.int64] = np.array([q[0] for q in questions], dtype=np.int64)
        return self.options.limits.for_questions(columns)


def _refuse_limits(limits: Sequence[NodeLimits]) -> None:
    if limits:
        raise ValueError("Mixed-integer solvers keep no limits of single nodes. Use solver='enum'.")


def _evaluated(
    engine: Engine, node: int, questions: list[CodedQuestion], rule: MipRule, bound: float
) -> Found:
    """The engine's account of a solver's rule, with the solver's proof."""
    answer = rule.answer
    nothing = Found(False, [], [], 0, [], np.nan, bound, answer.optimal, 0, 0, answer.seconds)
    if not rule.questions:
        return nothing
    coded = CodedRule(
        [questions[q] for q in rule.questions], list(rule.negated), OPERATORS.index(rule.operator)
    )
    found = engine.evaluate(node, coded)
    if found is None:
        return nothing._replace(optimal=False)
    # A question that the node asks of itself, too, is its own.
    places = zip(coded.questions, found.given, strict=True)
    given = [-1 if questions.count(asked) > 1 else place for asked, place in places]
    return found._replace(
        given=given,
        bound=found.objective if answer.optimal else bound,
        optimal=answer.optimal,
        n_counted=1.0,
        n_excluded=0.0,
        seconds=answer.seconds,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class HybridSolver:
    """A mixed-integer solver for nodes with few pairs of unlike cases, the engine's search else."""

    small: Solver
    cap: float  # most pairs of a positive and a negative case for the mixed-integer solver

    def choose(
        self,
        engine: Engine,
        nodes: Sequence[int],
        time_limit: float = math.inf,
        limits: Sequence[NodeLimits] = (),
    ) -> list[Found | None]:
        """Return the rule for each node; None where no rule is feasible."""
        _refuse_limits(limits)
        deadline = Deadline(time_limit)
        is_small = [np.prod(engine.class_totals(node)) <= self.cap for node in nodes]
        large = [node for node, is_own in zip(nodes, is_small, strict=True) if not is_own]
        small = [node for node, is_own in zip(nodes, is_small, strict=True) if is_own]
        of_large = time_limit * len(large) / max(1, len(nodes)) if large else 0.0
        native = iter(NativeSolver().choose(engine, large, of_large))
        mixed = iter(self.small.choose(engine, small, deadline.left()))
        return [next(mixed if is_own else native) for is_own in is_small]
