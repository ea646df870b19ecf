"""The tables of the estimators' parameters: what each takes, in code and in words."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from bsnsing.engine.cuda.maker import is_device
from bsnsing.rules.parameters import (
    ASK_PARAMETERS,
    BOOL,
    CRITERION,
    JOINED_BY,
    MAX_RULES,
    N_JOBS,
    RANDOM_STATE,
    SEGMENTS,
    TIME_LIMIT,
    Parameters,
    any_of,
    has_probabilities,
    is_cost_per_pair,
    is_dict,
    is_fraction,
    is_groups_of_names,
    is_int_between,
    is_list_of,
    is_mapping_or_sequence,
    is_none,
    is_one_of,
    is_real_in,
    is_weight_per_label,
)
from bsnsing.solvers.parameters import SOLVER_PARAMETERS
from bsnsing.tree.rule import Rule

TREE_PARAMETERS: Parameters = {
    "max_rules": (any_of(is_one_of("auto"), MAX_RULES[0]), f"'auto' or {MAX_RULES[1]}"),
    "column_pairs": (
        any_of(is_one_of("auto"), is_none, is_groups_of_names),
        "'auto', None or lists of the names of columns that share a unit",
    ),
    "min_samples_leaf": (
        any_of(is_one_of("auto", "sqrt"), is_int_between(1), is_fraction),
        "'auto', 'sqrt', a positive int or a fraction between 0 and 1",
    ),
    "criterion": CRITERION,
    "operators": JOINED_BY,
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
    "distinct_children": BOOL,
    "multiclass": (is_one_of("native", "ovr"), "'native' or 'ovr'"),
    **SOLVER_PARAMETERS,
    "monotonic_cst": (
        any_of(is_none, is_mapping_or_sequence),
        "None, a dict from names of columns to 1 or -1, or a sequence of one entry per column",
    ),
    "max_columns": (any_of(is_none, is_int_between(1)), "None or a positive int"),
    "column_costs": (
        any_of(is_none, is_weight_per_label),
        "None or a dict from names of columns to numbers",
    ),
    "first_rules": (
        any_of(is_none, is_list_of(lambda rule: isinstance(rule, str | Rule))),
        "None or a non-empty list of rules, in words or as Rule",
    ),
    "time_limit": TIME_LIMIT,
    "max_bins": (any_of(is_none, is_int_between(2)), "None or an int of at least 2"),
    **ASK_PARAMETERS,
    "n_segments": (any_of(is_one_of("auto"), SEGMENTS[0]), "'auto' or a positive int"),
    "decimals": (
        any_of(is_one_of("auto"), is_none, is_int_between(-300, 300)),
        "'auto', None or an int from -300 to 300",
    ),
    "own_questions": BOOL,
    "donors_per_node": BOOL,
    "class_weight": (
        any_of(is_none, is_one_of("balanced"), is_weight_per_label),
        "None, 'balanced' or a dict from label to weight, a number that a float can hold",
    ),
    "cost": (
        any_of(is_none, is_cost_per_pair),
        "None or a dict from pairs of labels, the actual one and the one said, to costs",
    ),
    "random_state": RANDOM_STATE,
    "n_jobs": N_JOBS,
    "device": (is_device, "'cpu', 'cuda', or 'cuda:1' and so on"),
}


def is_folds(value: Any) -> bool:
    """Accept a splitter, and an iterable of pairs, which are looked at when they are needed."""
    is_iterable = isinstance(value, Iterable) and not isinstance(value, str | bytes)
    return (hasattr(value, "split") and not isinstance(value, str | bytes | type)) or is_iterable


def is_scorer(value: Any) -> bool:
    """Accept the name of a scorer, or a callable."""
    # On request: metrics take as long to import as half of this package.
    from sklearn.metrics import get_scorer_names

    return value in get_scorer_names() if isinstance(value, str) else callable(value)


# Those of "estimator" are with the class that it must be of.
CV_PARAMETERS: Parameters = {
    "cv": (
        any_of(is_int_between(2), is_folds),
        "an int of at least 2, a splitter of scikit-learn or an iterable of (train, test) pairs",
    ),
    "scoring": (
        is_scorer,
        "'neg_log_loss', 'accuracy', 'roc_auc', another name in "
        "sklearn.metrics.get_scorer_names(), or a callable scorer(estimator, X, y)",
    ),
    "max_rules": (is_list_of(is_int_between(1, 10)), "a non-empty list of ints from 1 to 10"),
    "shrinkages": (
        is_list_of(is_real_in(0, np.inf, high_open=True)),
        "a non-empty list of numbers of at least 0",
    ),
    "random_state": RANDOM_STATE,
    "n_jobs": N_JOBS,
}

ENSEMBLE_PARAMETERS: Parameters = {
    "n_estimators": (is_int_between(1), "a positive int"),
    "settings": (
        any_of(is_none, is_list_of(is_dict)),
        "None or a non-empty list of dicts of parameters",
    ),
    "voting": (is_one_of("soft", "hard"), "'soft' or 'hard'"),
    "random_state": RANDOM_STATE,
    "n_jobs": N_JOBS,
}
