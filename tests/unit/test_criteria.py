"""The table of criteria against the native code, which works them out."""

from __future__ import annotations

from dataclasses import astuple

import pytest

from bsnsing import _core
from bsnsing.rules.criteria import CRITERIA, check_n_classes, exact_objective


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
def test_criteria_say_how_many_classes_they_take(name: str) -> None:
    check_n_classes(name, 2, "")
    if CRITERIA[name].two_classes_only:
        with pytest.raises(ValueError, match=r"two classes, and y has 3. Use another."):
            check_n_classes(name, 3, "Use another.")
    else:
        check_n_classes(name, 3, "")
