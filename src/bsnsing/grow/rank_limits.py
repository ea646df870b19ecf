"""NodeRules: what the rules of a node of a fitted tree keep, for rules that are ranked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bsnsing.data.columns import ColumnInfo
from bsnsing.questions.coded import CodedQuestion
from bsnsing.questions.question import TESTS
from bsnsing.rules.constraints import QuestionLimits, SubjectLimits
from bsnsing.rules.knowledge import NodeLimits
from bsnsing.rules.split import PoolRule
from bsnsing.solvers.ranking import FurtherLimits

# Shares of cases that differ by less are equal: they are rounded.
_ROUNDING = 1e-12


def question_limits(
    questions: Sequence[CodedQuestion],
    is_asked: NDArray[np.bool_],
    limits: SubjectLimits | None,
    own: NodeLimits,
) -> QuestionLimits:
    """Return the limits on columns as those on the questions of a pool, of which some are asked."""
    columns: NDArray[np.int64] = np.array([question[0] for question in questions], dtype=np.int64)
    allowed = is_asked & ~np.isin(columns, own.closed)
    if limits is None:
        return QuestionLimits(allowed=allowed)
    known = limits.for_questions(columns)
    return QuestionLimits(known.linear, known.column_of, allowed & limits.allowed[columns])


@dataclass(frozen=True, slots=True, eq=False)
class NodeRules:
    """What rules keep that is known of a node's path, and of the other nodes."""

    questions: Sequence[CodedQuestion]
    columns: Sequence[ColumnInfo]
    totals: NDArray[np.float64]  # cases per class
    weights: NDArray[np.float64]  # of these classes in splits
    limits: NodeLimits
    monotone: NDArray[np.int8] | None
    ordered_class: int

    def further(self) -> FurtherLimits:
        """The same for what ranks rules."""
        return FurtherLimits(self.keeps, self.price if self.limits.prices else None)

    def keeps(self, rule: PoolRule) -> bool:
        """Whether a rule is allowed."""
        most = self.limits.max_new
        if most is not None and len(self._asked(rule) - set(self.limits.used)) > most:
            return False
        return self.monotone is None or self._is_in_order(rule, self.monotone)

    def price(self, rule: PoolRule) -> float:
        """What the columns cost that are not paid for, in the unit of the criterion."""
        return sum(self.limits.prices[column] for column in self._asked(rule))

    def _asked(self, rule: PoolRule) -> set[int]:
        return {self.questions[q][0] for q in rule.questions}

    def _is_in_order(self, rule: PoolRule, monotone: NDArray[np.int8]) -> bool:
        ways = set[int]()
        for q, negated in zip(rule.questions, rule.negated, strict=True):
            way = self._way(self.questions[q], monotone)
            if way is None:
                return False
            if way:
                ways.add(-way if negated else way)
        if len(ways) > 1 or (ways and rule.operator == "xor" and len(rule.questions) > 1):
            return False
        left = np.asarray(rule.left)
        yes, no = self._share(left), self._share(self.totals - left)
        order = ways.pop() if ways else 0
        is_inside = min(yes, no) >= self.limits.low - _ROUNDING
        is_inside &= max(yes, no) <= self.limits.high + _ROUNDING
        return is_inside and order * (yes - no) >= -_ROUNDING

    def _way(self, question: CodedQuestion, monotone: NDArray[np.int8]) -> int | None:
        """Where "yes" leads by the column's order: 0 where it has none, None where it cannot be."""
        column, test, value, _ = question
        sign = int(monotone[column])
        if sign == 0 or TESTS[test] == "is missing":
            return 0
        if TESTS[test] == "==" and self.columns[column].kind == "boolean":
            return sign if value else -sign
        if TESTS[test] not in (">", "<"):
            return None
        return sign if TESTS[test] == ">" else -sign

    def _share(self, counts: NDArray[np.float64]) -> float:
        weighted = counts * self.weights
        total = float(weighted.sum())
        return float(weighted[self.ordered_class]) / total if total > 0 else 0.0
