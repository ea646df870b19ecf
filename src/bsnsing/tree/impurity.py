"""Impurity of nodes: what pruning weighs against the number of leaves."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.special import xlogy


def impurity_of(weighted: NDArray[np.float64], *, is_taught: bool) -> NDArray[np.float64]:
    """Cases times impurity of each row of cases per class: deviance of a taught tree, else Gini."""
    return half_deviance(weighted) if is_taught else gini_impurity(weighted)


def gini_impurity(weighted: NDArray[np.float64]) -> NDArray[np.float64]:
    """Cases times Gini impurity of each row of cases per class."""
    size = weighted.sum(axis=1)
    impurity: NDArray[np.float64] = size - (weighted**2).sum(axis=1) / np.maximum(size, 1e-300)
    return impurity


def half_deviance(weighted: NDArray[np.float64]) -> NDArray[np.float64]:
    """Cases times entropy, in nats, of each row of cases per class.

    It is minus the log likelihood of the cases, given the shares of their classes: unlike Gini
    impurity, it sees a rare class.
    """
    size = weighted.sum(axis=1)
    impurity: NDArray[np.float64] = xlogy(size, size) - xlogy(weighted, weighted).sum(axis=1)
    return np.maximum(impurity, 0.0)  # sums are rounded
