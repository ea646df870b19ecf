"""Conflict cuts: literals that no rule worth finding holds together, for a solver that is running.

The paper's Proposition 1 bounds every rule that contains a given set of literals; our rectangle
bound does so more sharply, since it knows how many literals may follow and the most that one can
add. Literals whose bound exceeds the best objective so far are in *conflict*: a single one is
ruled out (``w <= 0``), and of a clique of pairwise conflicting ones at most one can be chosen
(``sum of w <= 1``). The bounds do not change, only the best objective does, so they are worked
out once.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from bsnsing.solvers.model import Floats, Model
from bsnsing.solvers.problem import RuleProblem

_VIOLATION = 1e-4  # a cut must exceed its end by this to be worth a row
_SEEDS = 8  # of the greatest choices, from which cliques are grown
_NO_BEST = 1e15  # solvers say "none yet" by a huge number


class ConflictCuts:
    """The cuts that a point of the relaxation violates, given the best objective so far."""

    def __init__(self, problem: RuleProblem, model: Model, kind: str) -> None:
        self.unit = model.unit
        bounds = RuleBounds(problem, model, kind)
        self.single = bounds.single()
        self.pair = bounds.pair()

    def violated(self, point: Floats, best: float) -> list[tuple[list[int], float]]:
        """Cuts as (choices, most of them), for the objective ``best`` in the program's unit."""
        if not best < _NO_BEST:
            return []
        limit = best * self.unit + 0.5
        is_out = self.single > limit
        cuts: list[tuple[list[int], float]] = [
            ([int(k)], 0.0) for k in np.flatnonzero(is_out & (point > _VIOLATION))
        ]
        conflicts = (self.pair > limit) | is_out[:, None] | is_out[None, :]
        seen: set[tuple[int, ...]] = set()
        for seed in np.argsort(-point, kind="stable")[:_SEEDS]:
            if point[seed] <= _VIOLATION:
                break
            clique = _grow_clique(conflicts, point, int(seed))
            if point[clique].sum() > 1 + _VIOLATION and tuple(clique) not in seen:
                seen.add(tuple(clique))
                cuts.append((clique, 1.0))
        return cuts


def _grow_clique(conflicts: NDArray[np.bool_], point: Floats, seed: int) -> list[int]:
    """Add the greatest choices that are in conflict with all so far."""
    clique = [seed]
    open_to = conflicts[seed].copy()
    open_to[seed] = False
    while open_to.any():
        candidates = np.flatnonzero(open_to)
        best = int(candidates[point[candidates].argmax()])
        clique.append(best)
        open_to &= conflicts[best]
        open_to[best] = False
    return sorted(clique)


class RuleBounds:
    """Lower bounds on the objective of all rules that contain one or two given literals."""

    def __init__(self, problem: RuleProblem, model: Model, kind: str) -> None:
        self.problem = problem
        self.kind = kind
        self.box = _box(problem, model)
        question = model.literals % problem.n_questions
        self.is_same = question[:, None] == question[None, :]
        holds = problem.literals[:, model.literals].astype(np.float64)
        sides = (problem.is_positive, ~problem.is_positive)
        weighted = [holds * (problem.cases * side)[:, None] for side in sides]
        # both[class][k, l]: cases that literals k and l cover together.
        self.both = [part.T @ holds for part in weighted]

    def single(self) -> Floats:
        """Of the rules with each literal."""
        return np.diag(self._bounds(1)).copy()

    def pair(self) -> Floats:
        """Of the rules with each two literals; infinite where a rule may not have both."""
        bounds = self._bounds(2)
        if self.problem.max_rules < 2:
            bounds[:] = np.inf
        bounds[self.is_same] = np.inf
        np.fill_diagonal(bounds, -np.inf)
        return bounds

    def _bounds(self, size: int) -> Floats:
        low, high = [], []
        n_more = self.problem.max_rules - size
        for both, total in zip(
            self.both, (self.problem.n_positives, self.problem.n_negatives), strict=True
        ):
            single = np.diag(both)
            covered = both if size == 1 else single[:, None] + single[None, :] - both
            most = np.full(covered.shape, float(total))
            if self.kind == "rectangle":
                # What one more literal can add; a rule has a question once.
                gains = np.where(self.is_same, 0.0, single[None, :] - both)
                gain = np.max(gains, axis=1, initial=0.0)
                more = gain[:, None] if size == 1 else np.minimum(gain[:, None], gain[None, :])
                most = np.minimum(total, covered + max(n_more, 0) * more)
            low.append(covered)
            high.append(most)
        return self._least(low, high)

    def _least(self, low: list[Floats], high: list[Floats]) -> Floats:
        """Least objective over the rectangle, as far as it lies in the box; it is at a corner."""
        (tp_low, fp_low), (tp_high, fp_high) = low, high
        fp_box, tp_box = self.box
        tp = np.maximum(tp_low, tp_box[0]), np.minimum(tp_high, tp_box[1])
        fp = np.maximum(fp_low, fp_box[0]), np.minimum(fp_high, fp_box[1])
        n_p, n_n = self.problem.n_positives, self.problem.n_negatives
        least = np.full(tp_low.shape, np.inf)
        for a in tp:
            for b in fp:
                value = n_p * b + n_n * (n_p - a)
                if self.problem.criterion == "gini_squared":
                    value = value - 2 * b * (n_p - a)
                least = np.minimum(least, value)
        return np.where((tp[0] > tp[1]) | (fp[0] > fp[1]), np.inf, least)


def _box(problem: RuleProblem, model: Model) -> tuple[tuple[float, float], tuple[float, float]]:
    """Ranges of FP and TP that the program leaves; the paper's leaves all."""
    n_p, n_n = float(problem.n_positives), float(problem.n_negatives)
    if "FP" not in model.names:
        return (0.0, n_n), (0.0, n_p)
    fp, fn = model.names.index("FP"), model.names.index("FN")
    return (
        (float(model.lower[fp]), float(model.upper[fp])),
        (n_p - float(model.upper[fn]), n_p - float(model.lower[fn])),
    )
