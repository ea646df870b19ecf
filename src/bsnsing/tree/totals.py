"""Probabilities that sum to the cases there are of each class."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from bsnsing.tree.tree import Tree

# Numbers in a matrix whose products one thread works out.
_SMALL_PRODUCT = 2**18


def with_true_totals(tree: Tree) -> Tree:
    """Return the tree with the odds of each class scaled, so that leaves sum to its cases.

    The mean probability of a class over the training cases is then its rate among them, times
    class weights, which shrinkage towards the nodes above had changed a little.
    """
    leaves = tree.is_leaf
    weighted = tree.counts * tree.class_weight
    factors = class_factors(tree.value[leaves], weighted[0], weighted[leaves].sum(axis=1))
    return replace(tree, value=scaled_by(tree.value, factors))


def class_factors(
    shares: NDArray[np.float64], wanted: NDArray[np.float64], n_cases: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Factors per class by which shares of ``n_cases`` each sum to what is wanted, or nearly."""
    factors = np.ones(len(wanted))
    step, error = np.ones(len(wanted)), np.inf
    for _ in range(30):
        found = weighted_sum(n_cases, scaled_by(shares, factors))
        if (off := float(np.abs(found - wanted).sum())) >= error:
            return factors / step  # shares of 0 and 1 do not move: it gets no better
        error = off
        step = np.where((found > 0) & (wanted > 0), wanted / np.maximum(found, 1e-300), 1.0)
        factors = factors * step
        if np.abs(step - 1).max() < 1e-4:
            break
    return factors


def weighted_sum(weights: NDArray[np.float64], rows: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the sum of rows times their weights, rounded the same by any number of threads."""
    # Larger products are divided among threads, and their rounding by it.
    if rows.size <= _SMALL_PRODUCT:
        product: NDArray[np.float64] = weights @ rows
        return product
    sums: NDArray[np.float64] = (weights[:, None] * rows).sum(axis=0)
    return sums


def scaled_by(shares: NDArray[np.float64], factors: NDArray[np.float64]) -> NDArray[np.float64]:
    """Shares of classes, each times its factor, that sum to one again."""
    scaled = shares * factors
    total = scaled.sum(axis=1, keepdims=True)
    return np.where(total > 0, scaled / np.where(total > 0, total, 1.0), shares)
