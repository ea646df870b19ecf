"""Knowledge: what experts know of columns, in the terms of one table; what a node's rules keep."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bsnsing import _core
from bsnsing.questions.coded import CodedRule
from bsnsing.questions.question import TESTS


@dataclass(frozen=True, slots=True, kw_only=True)
class Knowledge:
    """What a whole tree keeps, by the names of columns; see :class:`bsnsing.BsnsingClassifier`."""

    signs: Mapping[str, int] = field(default_factory=dict)  # of monotonic_cst
    target: int = 1  # the class whose probability these are about
    max_columns: int | None = None
    costs: Mapping[str, float] = field(default_factory=dict)  # per case, of columns not paid for

    def monotone(self, names: Sequence[str]) -> NDArray[np.int8] | None:
        """Signs of the columns of a table; None where none has any."""
        if not self.signs:
            return None
        return np.array([self.signs.get(name, 0) for name in names], dtype=np.int8)

    def prices(self, names: Sequence[str]) -> NDArray[np.float64] | None:
        """Costs of the columns of a table; None where all are free."""
        if not self.costs:
            return None
        return np.array([self.costs.get(name, 0.0) for name in names])


class NodeLimits(NamedTuple):
    """What the rules of one node keep beside what all rules do."""

    low: float = 0.0  # of the ordered class's share in both children
    high: float = 1.0
    max_new: int | None = None  # columns in a rule that are not `used`
    used: tuple[int, ...] = ()
    prices: tuple[float, ...] = ()  # per column, in the unit of the criterion
    closed: tuple[int, ...] = ()  # columns that are not to be asked about

    def native(self) -> _core.NodeLimits:
        """The same for native code."""
        return _core.NodeLimits(
            low=self.low,
            high=self.high,
            max_new=self.max_new,
            used=list(self.used),
            prices=list(self.prices),
            closed=list(self.closed),
        )


def order_of(rule: CodedRule, monotone: NDArray[np.int8]) -> int:
    """Return 1 if "yes" may only raise the share of the ordered class, -1 if lower it, else 0.

    The rule keeps the limits, so that all of its questions say the same.
    """
    for (column, test, value, _), negated in zip(rule.questions, rule.negated, strict=True):
        sign = int(monotone[column])
        if sign == 0 or TESTS[test] == "is missing":
            continue
        looks_up = value != 0 if TESTS[test] == "==" else TESTS[test] == ">"
        return sign if looks_up != negated else -sign
    return 0
