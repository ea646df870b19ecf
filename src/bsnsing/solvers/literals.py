"""What both formulations start from: the literals worth a column, and the user's limits as rows."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from bsnsing.solvers.model import Ints, ModelBuilder, Rows
from bsnsing.solvers.problem import RuleProblem


def choice_names(problem: RuleProblem, literals: Ints) -> list[str]:
    """``w3`` for question 3, ``w3n`` for its negation: safe in any file."""
    named = (problem.question_of(int(literal)) for literal in literals)
    return [f"w{question}{'n' if negated else ''}" for question, negated in named]


def useful_literals(problem: RuleProblem) -> Ints:
    """Literals that a best rule may need, each said once.

    One that leaves fewer than ``min_leaf`` cases cannot be or-ed with anything. One that covers
    nobody, or says the same as an earlier one, can only tie - unless the user's limits tell the
    two apart.
    """
    covered = problem.cases @ problem.literals
    n_all = int(problem.cases.sum())
    packed = np.packbits(problem.literals, axis=0)
    kept: dict[bytes, int] = {}
    allowed = problem.limits.allowed
    for literal in np.flatnonzero(n_all - covered >= problem.min_leaf):
        if allowed is not None and not allowed[problem.question_of(int(literal))[0]]:
            continue
        limits = _limit_key(problem, int(literal))
        if covered[literal] == 0 and not limits:
            continue
        kept.setdefault(packed[:, literal].tobytes() + limits, int(literal))
    return np.array(sorted(kept.values()), dtype=np.int64)


def _limit_key(problem: RuleProblem, literal: int) -> bytes:
    question, _ = problem.question_of(literal)
    limits = problem.limits
    key = b"".join(limit.coefficients[question].tobytes() for limit in limits.linear)
    return key if limits.column_of is None else key + limits.column_of[question].tobytes()


def add_limit_rows(
    builder: ModelBuilder, problem: RuleProblem, choices: Ints, literals: Ints
) -> None:
    """At most one literal per question, and the limits of the user."""
    question = literals % problem.n_questions
    if problem.has_negation:
        _add_one_of_each(builder, choices, question)
    limits = problem.limits
    if limits.column_of is not None:
        _add_one_of_each(builder, choices, limits.column_of[question])
    for limit in limits.linear:
        row = Rows(1).put(0, choices, limit.coefficients[question])
        builder.add_rows(row, limit.lower, limit.upper)


def _add_one_of_each(builder: ModelBuilder, choices: Ints, group: NDArray[np.int64]) -> None:
    """At most one choice of each group; groups of one say nothing."""
    _, member, size = np.unique(group, return_inverse=True, return_counts=True)
    number = np.cumsum(size > 1) - 1
    is_shared = size[member] > 1
    n_rows = int((size > 1).sum())
    if n_rows:
        rows = Rows(n_rows).put(number[member[is_shared]], choices[is_shared], 1.0)
        builder.add_rows(rows, -np.inf, 1.0)


def chosen_literals(literals: Ints, x: NDArray[np.float64]) -> list[int]:
    """The rule that a solution means."""
    return [int(literal) for literal in literals[x[: len(literals)] > 0.5]]


def choice_vector(literals: Ints, rule: Sequence[int]) -> NDArray[np.float64] | None:
    """The choices of a rule; None where one of its literals has no column."""
    if not set(rule) <= set(literals.tolist()):
        return None
    return np.isin(literals, list(rule)).astype(np.float64)
