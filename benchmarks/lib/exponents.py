"""How fast cost grows: straight lines through logarithms."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class PowerLaw:
    """cost = factor * size ** exponent, fitted from ``first_size`` on."""

    exponent: float
    factor: float
    first_size: float

    def at(self, sizes: Sequence[float]) -> np.ndarray:
        return self.factor * np.asarray(sizes, dtype=float) ** self.exponent


def upper_half(sizes: Sequence[float], costs: Sequence[float]) -> tuple[np.ndarray, np.ndarray]:
    """The larger half of the points, three at least: small ones show fixed costs, not growth."""
    order = np.argsort(sizes)
    n_kept = min(len(order), max(3, (len(order) + 1) // 2))
    kept = order[-n_kept:]
    return np.asarray(sizes, dtype=float)[kept], np.asarray(costs, dtype=float)[kept]


def fit_power(sizes: Sequence[float], costs: Sequence[float]) -> PowerLaw:
    """Least squares of log cost against log size, over the upper half of the sizes."""
    sizes, costs = upper_half(sizes, costs)
    if len(sizes) < 2 or min(sizes) <= 0 or min(costs) <= 0:
        raise ValueError(
            f"A power law needs two or more points above zero. Got sizes {sizes}, costs {costs}."
        )
    exponent, intercept = np.polyfit(np.log(sizes), np.log(costs), 1)
    return PowerLaw(float(exponent), float(np.exp(intercept)), float(sizes[0]))


def factor_per_step(sizes: Sequence[float], costs: Sequence[float]) -> float:
    """By what one more of something multiplies the cost, from the first point to the last."""
    order = np.argsort(sizes)
    first, last = order[0], order[-1]
    return float((costs[last] / costs[first]) ** (1 / (sizes[last] - sizes[first])))
