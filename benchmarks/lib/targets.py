"""What was wanted, what was measured, and whether the one meets the other."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Literal

from benchmarks.lib import report


@dataclass(frozen=True)
class Target:
    """A limit on a ratio; ``value`` is None where nothing was measured."""

    what: str
    bound: Literal["at least", "at most"]
    limit: float
    value: float | None
    where: str = ""  # of several measurements, the one that decides

    @property
    def is_met(self) -> bool | None:
        if self.value is None or math.isnan(self.value):
            return None
        return self.value >= self.limit if self.bound == "at least" else self.value <= self.limit


def hardest(
    what: str,
    bound: Literal["at least", "at most"],
    limit: float,
    values: Mapping[str, float | None],
) -> Target:
    """A target that each of several measurements must meet: the worst one decides.

    One that is missing leaves the target open unless another one misses it.
    """
    known = {name: value for name, value in values.items() if value is not None}
    if not known:
        return Target(what, bound, limit, None)
    worst = (min if bound == "at least" else max)(known, key=known.__getitem__)
    target = Target(what, bound, limit, known[worst], worst)
    if target.is_met and len(known) < len(values):
        missing = ", ".join(sorted(values.keys() - known.keys()))
        return Target(what, bound, limit, None, f"not measured: {missing}")
    return target


def geometric_mean(values: Iterable[float]) -> float:
    logs = [math.log(value) for value in values]
    return math.exp(math.fsum(logs) / len(logs))


def table(targets_of_steps: Mapping[str, Iterable[Target]]) -> str:
    """All targets of some steps; the name of the step tells where their numbers come from."""
    words = {True: "yes", False: "**no**", None: "not measured"}
    rows = []
    for step, target in [(s, t) for s, targets in targets_of_steps.items() for t in targets]:
        measured = "-" if target.value is None else f"{target.value:.3g}x"
        rows.append(
            [
                target.what,
                f"{target.bound} {target.limit:g}x",
                measured,
                words[target.is_met],
                target.where,
                step,
            ]
        )
    return report.markdown(["work", "target", "measured", "met", "decided by", "step"], rows)
