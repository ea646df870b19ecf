"""Scikit-learn's own checks, on the default and on settings that take other paths."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import pytest
from sklearn.utils.estimator_checks import estimator_checks_generator

from bsnsing import BsnsingClassifier, BsnsingClassifierCV, BsnsingEnsemble

PLAIN = BsnsingClassifier.plain
MODELS = [
    BsnsingClassifier(),
    BsnsingClassifierCV(),
    BsnsingEnsemble(),
    PLAIN(),
    PLAIN(min_samples_leaf=1, shrinkage=3),
    PLAIN(multiclass="ovr"),
    PLAIN(solver="greedy"),
    BsnsingClassifier.paper(),
    PLAIN(criterion="entropy"),
    PLAIN(max_rules=3),
    PLAIN(n_jobs=2),
    BsnsingEnsemble(2, estimator=PLAIN()),
    BsnsingEnsemble.paper(voting="soft"),
    BsnsingClassifierCV(PLAIN(), cv=2, shrinkages=(1, 10)),
    BsnsingClassifierCV(cv=2, shrinkages=(1, 10)),
]


def show(value: Any) -> str:
    return value.func.__name__ if isinstance(value, partial) else repr(value)


def cases() -> Iterator[Any]:
    """The whole of what parametrize_with_checks runs."""
    for model in MODELS:
        for model_of_check, check in estimator_checks_generator(model):
            yield pytest.param(model_of_check, check)


@pytest.mark.parametrize(("model", "check"), list(cases()), ids=show)
def test_scikit_learn_agrees(
    model: BsnsingClassifier, check: Callable[[BsnsingClassifier], None]
) -> None:
    check(model)
