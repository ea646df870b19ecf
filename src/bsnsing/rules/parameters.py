"""Checks of parameters, and the table of those that every search takes."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Mapping, Sequence
from numbers import Integral, Real
from typing import Any, TypeAlias

import numpy as np

from bsnsing.rules.criteria import CRITERIA
from bsnsing.tree.rule import OPERATORS

Check: TypeAlias = Callable[[Any], bool]
Parameters: TypeAlias = dict[str, tuple[Check, str]]  # what is accepted, and in words


_LARGEST_INT = 2**31 - 1  # what the native code surely takes
_LONGEST_TEXT = 300
_MANY_DIGITS = re.compile(r"\d{40,}")


def is_int_between(low: int, high: int = _LARGEST_INT) -> Check:
    """Accept integers from ``low`` to ``high``, and no booleans."""

    def check(value: Any) -> bool:
        if type(value) is int:  # which is quicker to see than what follows
            return low <= value <= high
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
        if type(value) is not float and (
            not isinstance(value, Real) or isinstance(value, bool | np.bool_)
        ):
            return False
        try:
            number = float(value)
        except OverflowError:  # an int that no float can hold
            return False
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
    return value is True or value is False or isinstance(value, np.bool_)


def is_none(value: Any) -> bool:
    """Accept None."""
    return value is None


def any_of(first: Check, *others: Check) -> Check:
    """Accept what one of the checks accepts."""
    if not others:
        return first
    rest = any_of(*others)
    return lambda value: first(value) or rest(value)


def is_operators(value: Any) -> bool:
    """Accept a non-empty collection of operator names, each once."""
    if isinstance(value, str) or not isinstance(value, Sequence | set | frozenset):
        return False
    names = list(value)
    return bool(names) and all(n in OPERATORS for n in names) and len(set(names)) == len(names)


def is_weight_per_label(value: Any) -> bool:
    """Accept a dict whose values are real numbers that floats can hold."""
    is_number = is_real_in(-np.inf, np.inf)
    return isinstance(value, dict) and all(
        isinstance(w, bool | np.bool_) or is_number(w) or w != w for w in value.values()
    )


def is_cost_per_pair(value: Any) -> bool:
    """Accept a dict from pairs to real numbers."""
    return isinstance(value, Mapping) and all(
        isinstance(pair, tuple) and len(pair) == 2 and isinstance(cost, Real)
        for pair, cost in value.items()
    )


def is_mapping_or_sequence(value: Any) -> bool:
    """Accept dicts, lists, tuples and arrays."""
    return isinstance(value, Mapping | list | tuple | np.ndarray)


def has_probabilities(value: Any) -> bool:
    """Whether a value is a classifier, not a class, that gives probabilities."""
    return hasattr(value, "fit") and hasattr(value, "predict_proba") and not isinstance(value, type)


def is_instance_of(kind: type) -> Check:
    """Accept objects of a class."""
    return lambda value: isinstance(value, kind)


def is_list_of(check: Check) -> Check:
    """Accept a non-empty sequence of what the check accepts."""
    return lambda value: (
        isinstance(value, Sequence | np.ndarray)
        and not isinstance(value, str)
        and len(value) > 0
        and all(check(item) for item in value)
    )


def is_groups_of_names(value: Any) -> bool:
    """Whether the value is a list or tuple of lists or tuples of text."""
    return isinstance(value, list | tuple) and all(
        isinstance(group, list | tuple) and all(isinstance(name, str) for name in group)
        for group in value
    )


def is_dict(value: Any) -> bool:
    """Accept dicts."""
    return isinstance(value, dict)


MAX_RULES = (is_int_between(1, 10), "an int from 1 to 10")
CRITERION = (is_one_of(*CRITERIA), f"one of {', '.join(map(repr, CRITERIA))}")
JOINED_BY = (is_operators, "a non-empty selection of 'or', 'and', 'xor'")
TIME_LIMIT = (
    any_of(is_none, is_real_in(0, np.inf, low_open=True)),
    "None or a positive number of seconds",
)
N_JOBS = (
    any_of(is_none, is_int_between(1), lambda v: is_int_between(-1024, -1)(v)),
    "None, a positive int, or -1 for all cores",
)
BOOL = (is_bool, "True or False")
RANDOM_STATE = (
    any_of(is_none, is_int_between(0), lambda value: isinstance(value, np.random.RandomState)),
    "None, an int of at least 0 or a RandomState",
)

SEARCH_PARAMETERS: Parameters = {
    "max_rules": MAX_RULES,
    "min_samples_leaf": (is_real_in(1, np.inf, high_open=True), "a number of at least 1"),
    "criterion": CRITERION,
    "operators": JOINED_BY,
    "distinct_children": BOOL,
    "time_limit": TIME_LIMIT,
    "n_jobs": N_JOBS,
}

SEGMENTS = (is_int_between(1), "a positive int")
LEVELS = (is_int_between(2), "an int of at least 2")
VALUES = (is_int_between(0), "an int of at least 0")
BIN_SIZE = (is_int_between(1), "a positive int")

ASK_PARAMETERS: Parameters = {
    "n_segments": SEGMENTS,
    "max_levels": LEVELS,
    "max_values_as_levels": VALUES,
    "bin_size": BIN_SIZE,
}


def check_parameters(owner: str, table: Parameters, values: dict[str, Any]) -> None:
    """Raise ValueError for the first value that its check does not accept."""
    for name, (check, wanted) in table.items():
        if not check(values[name]):
            raise ValueError(
                f"The {name!r} parameter of {owner} must be {wanted}. "
                f"Got {_shown(values[name])} instead."
            )


def _shown(value: Any) -> str:
    """Write a value as Python does, but no page of it, and say where one is too large."""
    try:
        text = repr(value)
    except ValueError:  # Python writes no int of more than some thousand digits
        return f"an {type(value).__name__} of very many digits, which no float can hold,"
    text = _MANY_DIGITS.sub(lambda found: f"{found[0][:6]}... ({len(found[0])} digits)", text)
    text = text if len(text) <= _LONGEST_TEXT else f"{text[:_LONGEST_TEXT]}..."
    if isinstance(value, Integral) and int(value) > _LARGEST_INT:
        too_large = int(value) > sys.float_info.max
        why = "no float can hold" if too_large else f"is beyond {_LARGEST_INT}, the largest taken"
        return f"{text}, which {why},"
    return text
