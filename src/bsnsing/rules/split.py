"""Found and Split: a rule with the cases it sends each way, its objective and its proof."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bsnsing.data.weights import CaseWeights
from bsnsing.questions.coded import CodedQuestion, CodedRule
from bsnsing.rules.criteria import CRITERIA, exact_objective


class Found(NamedTuple):
    """The rule chosen for a node of an engine, and what it is worth, in the engine's unit."""

    is_worthwhile: bool  # better than leaving the node alone
    questions: list[CodedQuestion]
    negated: list[bool]
    operator: int
    left: list[float]  # cases per class that answer yes
    objective: float
    bound: float
    optimal: bool
    n_counted: float
    n_excluded: float
    seconds: float
    # Place of each question among those from elsewhere: of all nodes, then of this one; -1 is own.
    given: Sequence[int] = ()

    @property
    def rule(self) -> CodedRule:
        """The rule alone, as engines take it."""
        return CodedRule(self.questions, self.negated, self.operator)


class PoolRule(NamedTuple):
    """The rule found over a 0/1 matrix; its questions are columns of the matrix."""

    questions: Sequence[int]  # none if no rule is feasible
    negated: Sequence[bool]
    operator: str
    left: list[float]
    objective: float
    bound: float
    optimal: bool
    n_counted: float
    n_excluded: float
    seconds: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Split:
    """A rule with the cases it sends each way, its objective and the proof of it.

    Attributes
    ----------
    questions : tuple of int
        Positions of the questions in the pool, ascending.
    negated : tuple of bool
        Which of them enter the rule negated.
    operator : {"or", "and", "xor"}
        What joins them; "or" for a single question.
    objective : int or float
        Value of the criterion; the smaller, the better.
    bound : int or float
        Proven lower bound on the objective of every rule of the space.
    optimal : bool
        True if the search was not cut short: no rule of the space is better.
    left_counts, right_counts : ndarray of shape (n_classes,)
        Cases per class for which the rule holds, and for which it does not.
    n_counted : int
        Rules whose cases were counted.
    n_excluded : int
        Rules that bounds excluded without counting.
    seconds : float
        Time of the search.
    solver : str
        Who found the rule.
    n_nodes : int
        Nodes of a mixed-integer solver's branch and bound.
    """

    questions: tuple[int, ...]
    negated: tuple[bool, ...]
    operator: str
    objective: float
    bound: float
    optimal: bool
    left_counts: NDArray[Any]
    right_counts: NDArray[Any]
    n_counted: int
    n_excluded: int
    seconds: float
    solver: str = "enum"
    n_nodes: int = 0


def split_from_rule(
    rule: PoolRule,
    totals: NDArray[np.float64],
    weights: CaseWeights,
    criterion: str,
    n_classes: int,
) -> Split:
    """Turn a found rule into a Split, in the units of the user's weights."""
    scale = weights.unit ** CRITERIA[criterion].unit_power
    left_counts = weights.to_cases(np.asarray(rule.left))
    right_counts = weights.to_cases(totals - np.asarray(rule.left))
    objective = float(rule.objective / scale)
    lower = float(min(rule.bound, rule.objective) / scale)
    if weights.unit == 1.0 and CRITERIA[criterion].is_exact:
        objective = exact_objective(criterion, left_counts, right_counts)
        lower = objective if rule.optimal else min(int(np.ceil(lower)), objective)
    return Split(
        questions=tuple(rule.questions),
        negated=tuple(rule.negated),
        operator=rule.operator,
        objective=objective,
        bound=objective if rule.optimal else lower,
        optimal=rule.optimal,
        left_counts=left_counts[:n_classes],
        right_counts=right_counts[:n_classes],
        n_counted=int(rule.n_counted),
        n_excluded=int(rule.n_excluded),
        seconds=rule.seconds,
    )
