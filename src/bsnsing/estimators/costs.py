"""What errors cost: from pairs of labels to a matrix over the classes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray


def read_costs(
    cost: Mapping[tuple[Any, Any], float] | None, classes: NDArray[Any]
) -> NDArray[np.float64] | None:
    """Return what it costs to say class j of a case of class i, in row i and column j.

    Errors that are not named cost 1. A single class has no errors, and so no costs.
    """
    if cost is None or len(classes) < 2:
        return None
    labels = classes.tolist()
    costs = 1.0 - np.eye(len(labels))
    for pair, value in cost.items():
        actual, said = (_place(label, labels, pair) for label in pair)
        if not (np.isfinite(value) and value >= 0):
            raise ValueError(
                f"cost gives {pair!r} the cost {value!r}. Give a finite number of at least 0."
            )
        if actual == said and value != 0:
            raise ValueError(
                f"cost gives the right answer {pair!r} the cost {value!r}. Right answers cost "
                "nothing: take it out, and add it to what errors cost."
            )
        costs[actual, said] = value
    free = np.flatnonzero(costs.sum(axis=1) == 0)
    if len(free):
        raise ValueError(
            f"cost makes all errors about {labels[free[0]]!r} free, so that nothing is to be "
            "learnt of it. Give one of them a cost above 0."
        )
    return costs


def _place(label: Any, labels: list[Any], pair: Any) -> int:
    if label not in labels:
        raise ValueError(
            f"cost names the label {label!r} in {pair!r}, which is not in y. "
            f"The labels are {labels[:10]}."
        )
    return labels.index(label)


def one_class_costs(
    costs: NDArray[np.float64], position: int, totals: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return the costs of telling one class from the rest: means over the others' cases."""
    others = np.arange(len(costs)) != position
    missed = costs[position, others].mean()
    false_alarm = np.average(costs[others, position], weights=np.maximum(totals[others], 1e-300))
    if missed == 0 or false_alarm == 0:  # free for this class, and dear for another
        return np.array([[0.0, 1.0], [1.0, 0.0]])
    return np.array([[0.0, false_alarm], [missed, 0.0]])
