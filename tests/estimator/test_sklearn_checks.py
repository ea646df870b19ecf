"""Scikit-learn's own checks, on the default and on settings that take other paths."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import pytest
from sklearn.utils.estimator_checks import estimator_checks_generator

from bsnsing import BsnsingClassifier

MODELS = [
    BsnsingClassifier(),
    BsnsingClassifier(min_samples_leaf=1),
    BsnsingClassifier(multiclass="ovr"),
    BsnsingClassifier(solver="greedy"),
    BsnsingClassifier.paper(),
    BsnsingClassifier(teacher=None),
    BsnsingClassifier(criterion="entropy"),
    BsnsingClassifier(max_rules=3),
    BsnsingClassifier(n_jobs=2),
]


def show(value: Any) -> str:
    return value.func.__name__ if isinstance(value, partial) else repr(value)


# The whole of what parametrize_with_checks runs; as a list, since it gives pytest a generator,
# which pytest no longer likes and only newer versions of scikit-learn avoid.
@pytest.mark.parametrize(
    ("model", "check"),
    [case for model in MODELS for case in estimator_checks_generator(model)],
    ids=show,
)
def test_scikit_learn_agrees(
    model: BsnsingClassifier, check: Callable[[BsnsingClassifier], None]
) -> None:
    check(model)
