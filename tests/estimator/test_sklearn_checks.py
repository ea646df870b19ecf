"""Scikit-learn's own checks, on the default and on settings that take other paths."""

from __future__ import annotations

from collections.abc import Callable

from sklearn.utils.estimator_checks import parametrize_with_checks

from bsnsing import BsnsingClassifier


@parametrize_with_checks(
    [
        BsnsingClassifier(),
        BsnsingClassifier(min_samples_leaf=1),
        BsnsingClassifier(multiclass="ovr"),
        BsnsingClassifier(solver="greedy"),
        BsnsingClassifier.paper(),
        BsnsingClassifier(criterion="entropy"),
        BsnsingClassifier(max_rules=3),
        BsnsingClassifier(n_jobs=2),
    ]
)
def test_scikit_learn_agrees(
    estimator: BsnsingClassifier, check: Callable[[BsnsingClassifier], None]
) -> None:
    check(estimator)
