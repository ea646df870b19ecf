"""The table of criteria against the native code, which works them out."""

from __future__ import annotations

from dataclasses import astuple

import judge
import numpy as np
import pytest

from bsnsing import _core
from bsnsing.rules.criteria import CRITERIA, check_n_classes, exact_objective, objectives_of


def test_the_table_is_that_of_the_native_code() -> None:
    known = [(name, *astuple(criterion)) for name, criterion in CRITERIA.items()]
    assert known == _core.criteria()


@pytest.mark.parametrize("name", CRITERIA)
def test_only_whole_criteria_have_exact_values(name: str) -> None:
    """Two cases of class 0 and three of class 1 answer yes, four and one no."""
    expected = {"gini_squared": 2 * 3 + 4 * 1, "misclassification": 3, "error": 4 * 2 + 6 * 1}
    if CRITERIA[name].is_exact:
        assert exact_objective(name, [2, 3], [4, 1]) == expected[name]
    else:
        with pytest.raises(ValueError, match=f"'{name}' has no whole-number values"):
            exact_objective(name, [2, 3], [4, 1])


@pytest.mark.parametrize("name", CRITERIA)
def test_values_of_given_splits(name: str) -> None:
    n_classes = 2 if CRITERIA[name].two_classes_only else 3
    yes, no = np.random.default_rng(0).integers(0, 4, (2, 50, n_classes)) * 1.5
    yes[:, 0] += 1  # no child is empty
    no[:, 0] += 1
    expected = []
    for left, right in zip(yes.tolist(), no.tolist(), strict=True):
        if name == "error" and left[0] + right[0] > left[1] + right[1]:
            left, right = left[::-1], right[::-1]  # "yes" stands for the class with more cases
        expected.append(judge.CRITERIA[name](tuple(left), tuple(right)))
    found = objectives_of(name, yes, no)
    np.testing.assert_allclose(found, expected, atol=1e-12)
    assert not np.signbit(found).any(), "nothing is shown as -0"


@pytest.mark.parametrize("name", CRITERIA)
def test_criteria_say_how_many_classes_they_take(name: str) -> None:
    check_n_classes(name, 2, "")
    if CRITERIA[name].two_classes_only:
        with pytest.raises(ValueError, match=r"two classes, and y has 3. Use another."):
            check_n_classes(name, 3, "Use another.")
    else:
        check_n_classes(name, 3, "")
