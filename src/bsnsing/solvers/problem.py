"""RuleProblem: what is asked of a solver, in whole numbers, free of any formulation."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from bsnsing.rules.constraints import QuestionLimits


@dataclass(frozen=True, kw_only=True)
class RuleProblem:
    """Find the best OR of at most ``max_rules`` literals of a pool with two classes.

    A literal is a question (literals 0 to m-1) or, with ``has_negation``, its negation (m to
    2m-1). ANDs need no program of their own: "a and b" is false exactly where "not a or not b" is
    true, so they are ORs of the problem with the classes swapped; see :meth:`mirrored`.
    """

    answers: NDArray[np.uint8]  # rows x questions
    is_positive: NDArray[np.bool_]
    cases: NDArray[np.int64]  # of each row; whole weights
    criterion: str = "gini_squared"
    max_rules: int = 2
    min_leaf: int = 1
    distinct_children: bool = False
    class_weights: tuple[float, float] = (1.0, 1.0)  # negative, positive; for distinct_children
    has_negation: bool = False
    limits: QuestionLimits = field(default_factory=QuestionLimits)
    ceiling: float = math.inf  # objectives from here on are of no interest

    @cached_property
    def n_positives(self) -> int:
        """Positive cases."""
        return int(self.cases[self.is_positive].sum())

    @cached_property
    def n_negatives(self) -> int:
        """Negative cases."""
        return int(self.cases[~self.is_positive].sum())

    @property
    def n_questions(self) -> int:
        """Questions of the pool."""
        return int(self.answers.shape[1])

    @cached_property
    def literals(self) -> NDArray[np.bool_]:
        """Which rows each literal holds for: rows x literals."""
        yes = self.answers.astype(np.bool_)
        return np.hstack([yes, ~yes]) if self.has_negation else yes

    @property
    def is_oriented(self) -> bool:
        """Whether a rule and its mirror image may differ in value or feasibility."""
        return self.criterion == "error" or self.distinct_children

    def question_of(self, literal: int) -> tuple[int, bool]:
        """The question of a literal, and whether it is negated."""
        return literal % self.n_questions, literal >= self.n_questions

    def mirrored(self) -> RuleProblem:
        """The problem with the classes swapped: its ORs are this one's ANDs, signs reversed."""
        negative, positive = self.class_weights
        return replace(self, is_positive=~self.is_positive, class_weights=(positive, negative))

    def counts(self, literals: Sequence[int]) -> tuple[int, int]:
        """Positive and negative cases that an OR of literals covers."""
        yes = self.literals[:, list(literals)].any(axis=1)
        covered = self.cases * yes
        return int(covered[self.is_positive].sum()), int(covered[~self.is_positive].sum())

    def objective(self, tp: int, fp: int) -> int:
        """Value of the criterion, in Python's integers."""
        fn = self.n_positives - tp
        value = self.n_positives * fp + self.n_negatives * fn
        return value - 2 * fp * fn if self.criterion == "gini_squared" else value

    def is_feasible(self, literals: Sequence[int]) -> bool:
        """Whether an OR of literals keeps all limits."""
        questions = [self.question_of(literal)[0] for literal in literals]
        if not 1 <= len(questions) <= self.max_rules or len(set(questions)) < len(questions):
            return False
        tp, fp = self.counts(literals)
        n_all = self.n_positives + self.n_negatives
        if min(tp + fp, n_all - tp - fp) < self.min_leaf:
            return False
        weight_n, weight_p = self.class_weights
        if self.distinct_children and not (
            tp * weight_p >= fp * weight_n
            and (self.n_negatives - fp) * weight_n >= (self.n_positives - tp) * weight_p
        ):
            return False
        return self.limits.allow(questions)

    def rate(self, literals: Sequence[int]) -> int:
        """Objective of an OR of literals."""
        return self.objective(*self.counts(literals))

    def simplified(self, literals: Sequence[int]) -> list[int]:
        """The literals less those whose loss changes neither counts nor feasibility."""
        kept = sorted(literals)
        counts = self.counts(kept)
        for literal in reversed(kept):
            fewer = [other for other in kept if other != literal]
            if fewer and self.counts(fewer) == counts and self.is_feasible(fewer):
                kept = fewer
        return kept

    def best_single(self) -> list[int] | None:
        """The best feasible rule of one literal; a bound on the objective that costs nothing."""
        positives = (self.cases * self.is_positive) @ self.literals
        negatives = (self.cases * ~self.is_positive) @ self.literals
        rated = sorted(
            (self.objective(int(tp), int(fp)), literal)
            for literal, (tp, fp) in enumerate(zip(positives, negatives, strict=True))
        )
        return next(([literal] for _, literal in rated if self.is_feasible([literal])), None)
