"""Labels from probabilities: the most probable class, or the one whose errors cost least."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray


def decide(
    shares: NDArray[np.float64], costs: NDArray[np.float64] | None = None
) -> NDArray[np.intp]:
    """Return the position of the class that each row of probabilities decides for.

    Parameters
    ----------
    shares : ndarray of shape (n_rows, n_classes)
        Probabilities.
    costs : ndarray of shape (n_classes, n_classes), default=None
        What it costs to say class j of a case of class i, in row i and column j. Without costs the
        most probable class is chosen, with costs the one that is expected to cost least: the sum of
        ``shares[:, i] * costs[i, j]``, added up in the order of i. Of equals it is the first.
    """
    best: NDArray[np.intp] = (
        shares.argmax(axis=1) if costs is None else expected_costs(shares, costs).argmin(axis=1)
    )
    return best


def expected_costs(shares: NDArray[np.float64], costs: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return what it is expected to cost to say each class, a row for each of ``shares``."""
    # In the order of classes: a product of matrices has an order of its own.
    expected: NDArray[np.float64] = shares[:, :1] * costs[0]
    for i in range(1, shares.shape[1]):
        expected = expected + shares[:, i : i + 1] * costs[i]
    return expected


def decide_together(
    members: Sequence[NDArray[np.float64]], voting: str, costs: NDArray[np.float64] | None = None
) -> NDArray[np.intp]:
    """Return the position of the class that several members decide for, row by row.

    Parameters
    ----------
    members : sequence of ndarray of shape (n_rows, n_classes)
        Probabilities of each member.
    voting : {"soft", "hard"}
        Whether their mean decides, or their votes, and the mean between equals.
    costs : ndarray of shape (n_classes, n_classes), default=None
        As for :func:`decide`, by which mean and votes are decided.
    """
    mean = np.mean(members, axis=0)
    if voting == "soft":
        return decide(mean, costs)
    votes = np.zeros_like(mean)
    for shares in members:
        votes[np.arange(len(shares)), decide(shares, costs)] += 1.0
    # Means are at most 1, and what is expected the greatest cost: they only decide between equals.
    if costs is None:
        best: NDArray[np.intp] = (votes + mean / 2).argmax(axis=1)
    else:
        best = (votes - expected_costs(mean, costs) / (2 * costs.max())).argmax(axis=1)
    return best


def is_outvoted(
    weighted: NDArray[np.float64], label: int, costs: NDArray[np.float64] | None = None
) -> bool:
    """Whether a node's own weighted cases would decide for another label than it has."""
    if costs is None:
        return bool(weighted.max() > weighted[label] * (1 + 1e-9))  # sums are rounded
    expected = expected_costs(weighted[None], costs)[0]
    return bool(expected.min() < expected[label] * (1 - 1e-9))


def split_weights(
    class_weight: NDArray[np.float64], costs: NDArray[np.float64] | None
) -> NDArray[np.float64]:
    """Return what a case of each class counts in splits and in pruning.

    With costs it is the class weight times all that its errors cost together, so that classes
    whose errors are dear are told apart first (Breiman's altered priors); the mean stays one.
    """
    if costs is None:
        return class_weight
    dear = costs.sum(axis=1)
    weights: NDArray[np.float64] = class_weight * (dear / dear.mean())
    return weights
