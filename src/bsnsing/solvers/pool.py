"""PoolSearch: the rule search over one 0/1 matrix, by the native code or a mixed-integer solver."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from bsnsing import _core
from bsnsing.data.weights import CaseWeights
from bsnsing.rules.constraints import QuestionLimits
from bsnsing.rules.options import SearchOptions
from bsnsing.rules.split import PoolRule
from bsnsing.solvers.base import MipSolver
from bsnsing.solvers.mip import MipAnswer, solve_rule
from bsnsing.solvers.mip_options import MipOptions
from bsnsing.solvers.problem import RuleProblem
from bsnsing.tree.rule import OPERATORS

MIP_CRITERIA = ("gini_squared", "error")


def check_mip(
    solver: str, criterion: str, operators: Sequence[str], n_classes: int, unit: float
) -> None:
    """Raise ValueError where the programs do not cover what is asked for."""
    if criterion not in MIP_CRITERIA:
        raise ValueError(
            f"solver={solver!r} minimises 'gini_squared' or 'error', the criteria that are linear "
            f"programs. Got criterion={criterion!r}: use one of these, or solver='enum', which "
            "covers every criterion."
        )
    if "xor" in operators:
        raise ValueError(
            f"solver={solver!r} joins questions by 'or' and 'and'. Got operators="
            f"{tuple(operators)!r}: leave 'xor' out, or use solver='enum'."
        )
    if n_classes > 2:
        raise ValueError(
            f"solver={solver!r} separates two classes, and y has {n_classes}. Use "
            "multiclass='ovr' in BsnsingClassifier, or solver='enum'."
        )
    if unit != 1.0:
        raise ValueError(
            f"solver={solver!r} counts whole cases, and sample_weight has fractions. Give whole "
            "weights, or use solver='enum'."
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class PoolSearch:
    """A pool with two or more classes, and what is asked of its rules."""

    answers: NDArray[np.uint8]
    labels: NDArray[np.int32]
    n_classes: int
    weights: CaseWeights
    options: SearchOptions
    class_weights: tuple[float, float] = (1.0, 1.0)  # of the programs, by a constant
    split_weights: tuple[float, ...] | None = None  # what a case of each class counts in criteria
    limits: QuestionLimits = field(default_factory=QuestionLimits)
    ceiling: float = math.inf  # only rules below this are of interest

    def native(
        self, greedy_level: float | None = None, time_limit: float | None = None
    ) -> PoolRule:
        """The native search's best rule, or a greedy one."""
        limit = self.options.time_limit if time_limit is None else time_limit
        options = replace(self.options, greedy_level=greedy_level, time_limit=limit)
        answers, limits, kept = self._allowed()
        found = PoolRule(
            *_core.best_rule(
                answers, self._cases(), search=options.native(), limits=limits.native()
            )
        )
        return self._named(found, kept)

    def ranked(self, n_best: int) -> tuple[list[PoolRule], bool]:
        """The best rules, best first, not judged; and whether the search was not cut short."""
        answers, limits, kept = self._allowed()
        found, is_complete = _core.ranked_rules(
            answers,
            self._cases(),
            search=self.options.native(),
            limits=limits.native(),
            n_best=n_best,
        )
        rules = [PoolRule(*rule, np.nan, np.nan, False, 0.0, 0.0, 0.0) for rule in found]
        return [self._named(rule, kept) for rule in rules], is_complete

    def _allowed(self) -> tuple[NDArray[np.uint8], QuestionLimits, NDArray[np.intp] | None]:
        """The answers to questions that may be asked, and which these are; None is all."""
        if self.limits.allowed is None:
            return self.answers, self.limits, None
        kept = np.flatnonzero(self.limits.allowed)
        return np.ascontiguousarray(self.answers[:, kept]), self.limits.take(kept), kept

    def _cases(self) -> _core.Cases:
        return _core.Cases(
            self.labels,
            n_classes=self.n_classes,
            weights=self.weights.counts,
            unit=self.weights.unit,
            class_weights=self.split_weights,
        )

    @staticmethod
    def _named(rule: PoolRule, kept: NDArray[np.intp] | None) -> PoolRule:
        if kept is None:
            return rule
        return rule._replace(questions=[int(kept[q]) for q in rule.questions])

    def problem(self) -> RuleProblem:
        """The same in the terms of the programs; class 1 is the positive one."""
        counts, options = self.weights.counts, self.options
        return RuleProblem(
            answers=self.answers,
            is_positive=self.labels == 1,
            cases=np.ones(len(self.labels), dtype=np.int64) if counts is None else counts,
            criterion=options.criterion,
            max_rules=options.max_rules,
            min_leaf=math.ceil(options.min_samples_leaf),
            distinct_children=options.distinct_children,
            class_weights=self.class_weights,
            has_negation="and" in options.operators,
            limits=self.limits,
            ceiling=self.ceiling,
        )

    def mip(self, solver: MipSolver, options: MipOptions, verbose: bool = False) -> MipRule:
        """The rule that a mixed-integer solver chooses."""
        if options.cuts is not None and not solver.takes_cuts:
            raise ValueError(
                f"solver={solver.name!r} takes no cuts while it runs. Leave cuts out of "
                "solver_options, or use 'scip', 'gurobi' or 'cplex'."
            )
        problem, operators = self.problem(), self.options.operators
        answer = solve_rule(
            problem,
            solver,
            options,
            as_or="or" in operators,
            as_and="and" in operators,
            start=self._warm_start(problem, options.warm_start),
            time_limit=self.options.time_limit,
            n_threads=self.options.n_threads,
            verbose=verbose,
        )
        return name_rule(problem, answer, operators)

    def _warm_start(
        self, problem: RuleProblem, kind: str | None
    ) -> tuple[Sequence[int], bool] | None:
        """A rule to begin with, as literals to be or-ed, and whether they are mirrored."""
        if kind is None:
            return None
        # A level of one adds questions as long as they help at all.
        found = self.native(1.0 if kind == "greedy" else None, self.options.time_limit / 10)
        if not found.questions:
            return None
        is_and = found.operator == "and"
        shift = problem.n_questions
        literals = [
            q + shift * (negated != is_and)
            for q, negated in zip(found.questions, found.negated, strict=True)
        ]
        return literals, is_and and problem.is_oriented


@dataclass(frozen=True, slots=True)
class MipRule:
    """The rule that an answer of the programs stands for; without questions if there is none."""

    questions: tuple[int, ...]
    negated: tuple[bool, ...]
    operator: str
    answer: MipAnswer


def name_rule(problem: RuleProblem, answer: MipAnswer, operators: Sequence[str]) -> MipRule:
    """Of the ways to write the rule, the one with fewest negations, then OR before AND."""
    if not answer.literals:
        return MipRule((), (), "or", answer)
    literals = sorted(problem.question_of(literal) for literal in answer.literals)
    questions = tuple(q for q, _ in literals)
    plain = tuple(n for _, n in literals)
    turned = tuple(not n for n in plain)
    is_single = len(questions) == 1
    forms: list[tuple[int, int, tuple[bool, ...]]] = []
    if not answer.is_mirrored and ("or" in operators or is_single):
        forms.append((sum(plain), 0, plain))
    is_alike = not problem.is_oriented and problem.has_negation
    if answer.is_mirrored or is_alike:
        forms.append((sum(turned), 0 if is_single else 1, turned))
    _, operator, negated = min(forms)
    return MipRule(questions, negated, OPERATORS[operator], answer)
