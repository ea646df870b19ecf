"""The table of parameters and the functions that check it."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from numbers import Integral, Real
from typing import Any

import numpy as np

from bsnsing._tree import OPERATORS
from bsnsing.solvers import SOLVERS

CRITERIA = ("gini_squared", "gini", "entropy", "misclassification", "error")

Check = Callable[[Any], bool]


_LARGEST_INT = 2**31 - 1  # what the native code surely takes


def is_int_between(low: int, high: int = _LARGEST_INT) -> Check:
    """Accept integers from ``low`` to ``high``, and no booleans."""

    def check(value: Any) -> bool:
        return (
            isinstance(value, Integral)
            and not isinstance(value, bool | np.bool_)
            and low <= int(value) <= high
        )

    return check


def is_real_in(
    low: float, high: float, *, low_open: bool = False, high_open: bool = False
) -> Check:
    """Accept real numbers in an interval, and no booleans."""

    def check(value: Any) -> bool:
        if not isinstance(value, Real) or isinstance(value, bool | np.bool_):
            return False
        number = float(value)
        return (number > low if low_open else number >= low) and (
            number < high if high_open else number <= high
        )

    return check


def is_fraction(value: Any) -> bool:
    """Accept floats strictly between 0 and 1."""
    return isinstance(value, float | np.floating) and 0 < float(value) < 1


def is_one_of(*names: str) -> Check:
    """Accept one of a few names."""
    return lambda value: isinstance(value, str) and value in names


def is_bool(value: Any) -> bool:
    """Accept True and False."""
    return isinstance(value, bool | np.bool_)


def is_none(value: Any) -> bool:
    """Accept None."""
    return value is None


def any_of(*checks: Check) -> Check:
    """Accept what one of the checks accepts."""
    return lambda value: any(check(value) for check in checks)


def is_operators(value: Any) -> bool:
    """Accept a non-empty collection of operator names, each once."""
    if isinstance(value, str) or not isinstance(value, Sequence | set | frozenset):
        return False
    names = list(value)
    return bool(names) and all(n in OPERATORS for n in names) and len(set(names)) == len(names)


def is_weight_per_label(value: Any) -> bool:
    """Accept a dict whose values are real numbers."""
    return isinstance(value, dict) and all(isinstance(w, Real) for w in value.values())


def has_probabilities(value: Any) -> bool:
    """Whether a value is a classifier, not a class, that gives probabilities."""
    return hasattr(value, "fit") and hasattr(value, "predict_proba") and not isinstance(value, type)


def is_list_of(check: Check) -> Check:
    """Accept a non-empty sequence of what the check accepts."""
    return lambda value: (
        isinstance(value, Sequence | np.ndarray)
        and not isinstance(value, str)
        and len(value) > 0
        and all(check(item) for item in value)
    )


def is_dict(value: Any) -> bool:
    """Accept dicts."""
    return isinstance(value, dict)


_MAX_RULES = (is_int_between(1, 10), "an int from 1 to 10")
_CRITERION = (is_one_of(*CRITERIA), f"one of {', '.join(map(repr, CRITERIA))}")
_OPERATORS = (is_operators, "a non-empty selection of 'or', 'and', 'xor'")
_TIME_LIMIT = (
    any_of(is_none, is_real_in(0, np.inf, low_open=True)),
    "None or a positive number of seconds",
)
_N_JOBS = (
    any_of(is_none, is_int_between(1), lambda v: is_int_between(-1024, -1)(v)),
    "None, a positive int, or -1 for all cores",
)
_BOOL = (is_bool, "True or False")
_RANDOM_STATE = (
    any_of(is_none, is_int_between(0), lambda value: isinstance(value, np.random.RandomState)),
    "None, an int of at least 0 or a RandomState",
)

_SOLVER = (is_one_of(*SOLVERS), f"one of {', '.join(map(repr, SOLVERS))}")
_GREEDY_LEVEL = (is_real_in(0, 1, low_open=True), "a number above 0 and at most 1")
_HYBRID_CAP = (is_real_in(0, np.inf), "a number of at least 0")
_SOLVER_PARAMETERS: dict[str, tuple[Check, str]] = {
    "solver": _SOLVER,
    "greedy_level": _GREEDY_LEVEL,
    "hybrid_cap": _HYBRID_CAP,
    "verbose": (any_of(is_bool, is_int_between(0)), "True, False or a level of at least 0"),
}

SEARCH_PARAMETERS: dict[str, tuple[Check, str]] = {
    "max_rules": _MAX_RULES,
    "min_samples_leaf": (is_real_in(1, np.inf, high_open=True), "a number of at least 1"),
    "criterion": _CRITERION,
    "operators": _OPERATORS,
    "distinct_children": _BOOL,
    **_SOLVER_PARAMETERS,
    "time_limit": _TIME_LIMIT,
    "n_jobs": _N_JOBS,
}

_SEGMENTS = (is_int_between(1), "a positive int")
_LEVELS = (is_int_between(2), "an int of at least 2")
_VALUES = (is_int_between(0), "an int of at least 0")
_BIN_SIZE = (is_int_between(1), "a positive int")

ASK_PARAMETERS: dict[str, tuple[Check, str]] = {
    "n_segments": _SEGMENTS,
    "max_levels": _LEVELS,
    "max_values_as_levels": _VALUES,
    "bin_size": _BIN_SIZE,
}

TREE_PARAMETERS: dict[str, tuple[Check, str]] = {
    "max_rules": (any_of(is_one_of("auto"), _MAX_RULES[0]), f"'auto' or {_MAX_RULES[1]}"),
    "column_pairs": (any_of(is_one_of("auto"), is_none), "'auto' or None"),
    "min_samples_leaf": (
        any_of(is_one_of("auto", "sqrt"), is_int_between(1), is_fraction),
        "'auto', 'sqrt', a positive int or a fraction between 0 and 1",
    ),
    "criterion": _CRITERION,
    "operators": _OPERATORS,
    "max_depth": (any_of(is_none, is_int_between(0)), "None or an int of at least 0"),
    "max_leaf_nodes": (any_of(is_none, is_int_between(1)), "None or a positive int"),
    "ccp_alpha": (
        any_of(is_one_of("auto"), is_real_in(0, np.inf, high_open=True)),
        "'auto' or a number of at least 0",
    ),
    "shrinkage": (
        any_of(is_one_of("auto"), is_real_in(0, np.inf, high_open=True)),
        "'auto' or a number of at least 0",
    ),
    "teacher": (
        any_of(is_none, is_one_of("forest"), has_probabilities),
        "None, 'forest' or a classifier with predict_proba",
    ),
    "stop_prob": (is_real_in(0, 1, low_open=True), "a number above 0 and at most 1"),
    "distinct_children": _BOOL,
    "multiclass": (is_one_of("native", "ovr"), "'native' or 'ovr'"),
    **_SOLVER_PARAMETERS,
    "time_limit": _TIME_LIMIT,
    "max_bins": (any_of(is_none, is_int_between(2)), "None or an int of at least 2"),
    **ASK_PARAMETERS,
    "n_segments": (any_of(is_one_of("auto"), _SEGMENTS[0]), "'auto' or a positive int"),
    "own_questions": _BOOL,
    "class_weight": (
        any_of(is_none, is_one_of("balanced"), is_weight_per_label),
        "None, 'balanced' or a dict from label to weight",
    ),
    "random_state": _RANDOM_STATE,
    "n_jobs": _N_JOBS,
}

CV_PARAMETERS: dict[str, tuple[Check, str]] = {
    "estimator": (any_of(is_none, has_probabilities), "None or a BsnsingClassifier"),
    "cv": (is_int_between(2), "an int of at least 2"),
    "scoring": (
        is_one_of("neg_log_loss", "accuracy", "roc_auc"),
        "'neg_log_loss', 'accuracy' or 'roc_auc'",
    ),
    "max_rules": (is_list_of(is_int_between(1, 10)), "a non-empty list of ints from 1 to 10"),
    "shrinkages": (
        is_list_of(is_real_in(0, np.inf, high_open=True)),
        "a non-empty list of numbers of at least 0",
    ),
    "random_state": _RANDOM_STATE,
    "n_jobs": _N_JOBS,
}

ENSEMBLE_PARAMETERS: dict[str, tuple[Check, str]] = {
    "n_estimators": (is_int_between(1), "a positive int"),
    "estimator": (any_of(is_none, has_probabilities), "None or a BsnsingClassifier"),
    "settings": (
        any_of(is_none, is_list_of(is_dict)),
        "None or a non-empty list of dicts of parameters",
    ),
    "voting": (is_one_of("soft", "hard"), "'soft' or 'hard'"),
    "random_state": _RANDOM_STATE,
    "n_jobs": _N_JOBS,
}


def check_parameters(
    owner: str, table: dict[str, tuple[Check, str]], values: dict[str, Any]
) -> None:
    """Raise ValueError for the first value that its check does not accept."""
    for name, (check, wanted) in table.items():
        if not check(values[name]):
            raise ValueError(
                f"The {name!r} parameter of {owner} must be {wanted}. Got {values[name]!r} instead."
            )


def checked_search_options(**values: Any) -> dict[str, Any]:
    """Check the options of best_rule and return them."""
    check_parameters("best_rule", SEARCH_PARAMETERS, values)
    return values


def effective_n_threads(n_jobs: int | None) -> int:
    """Number of threads for ``n_jobs``: None is one, -1 all, -2 all but one, and so on."""
    if n_jobs is None:
        return 1
    if n_jobs > 0:
        return int(n_jobs)
    return max(1, (os.cpu_count() or 1) + 1 + int(n_jobs))
