"""working_copy(): what fit changes in place of the estimator, until all has gone well."""

from __future__ import annotations

from copy import deepcopy
from typing import TypeVar

import numpy as np
from sklearn.base import BaseEstimator

Estimator = TypeVar("Estimator", bound=BaseEstimator)


def working_copy(estimator: Estimator) -> Estimator:
    """Return an estimator of the same attributes, for fit to work on.

    Fit sets attributes of the copy alone, and ends with ``return take_over(self, fresh)``.
    Whatever fails before, or stops it, leaves the estimator exactly as it was, down to the state
    of a ``random_state`` that is drawn from.
    """
    fresh = object.__new__(type(estimator))
    fresh.__dict__.update(estimator.__dict__)
    drawn_from = fresh.__dict__.get("random_state")
    if isinstance(drawn_from, np.random.RandomState):
        fresh.__dict__["random_state"] = deepcopy(drawn_from)
    return fresh


def take_over(estimator: Estimator, fresh: Estimator) -> Estimator:
    """Give the estimator all attributes of its working copy, in one step, and return it."""
    attributes = fresh.__dict__
    given = estimator.__dict__.get("random_state")
    if not isinstance(given, np.random.RandomState):
        estimator.__dict__ = attributes
        return estimator
    before = given.get_state(legacy=False)
    after = attributes["random_state"].get_state(legacy=False)
    attributes["random_state"] = given
    try:
        given.set_state(after)
        estimator.__dict__ = attributes
    except BaseException:  # Ctrl-C between the two
        given.set_state(before)
        raise
    return estimator
