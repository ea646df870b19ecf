"""What the defaults might be instead: one setting, or one number behind them, changed at a time."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import Any
from unittest.mock import patch

from bsnsing import BsnsingClassifier

DEFAULT = "default"
# Label in tables, and parameters of BsnsingClassifier.
SETTINGS: dict[str, dict[str, Any]] = {
    DEFAULT: {},
    "teacher=None": {"teacher": None},
    "teacher=None, shrinkage=0": {"teacher": None, "shrinkage": 0.0},
    "teacher=None, shrinkage=3": {"teacher": None, "shrinkage": 3.0},
    "shrinkage=0": {"shrinkage": 0.0},
    "shrinkage=10": {"shrinkage": 10.0},
    "ccp_alpha=0": {"ccp_alpha": 0.0},
    "ccp_alpha=0.002": {"ccp_alpha": 0.002},
    "max_leaf_nodes=8": {"max_leaf_nodes": 8},
    "min_samples_leaf=1": {"min_samples_leaf": 1},
    "min_samples_leaf=5": {"min_samples_leaf": 5},
    "min_samples_leaf='sqrt'": {"min_samples_leaf": "sqrt"},
    "criterion='gini'": {"criterion": "gini"},
    "criterion='gini_squared'": {"criterion": "gini_squared"},
    "operators=('or',)": {"operators": ("or",)},
    "max_rules=1": {"max_rules": 1},
    "max_rules=2": {"max_rules": 2},
    "column_pairs=None": {"column_pairs": None},
    "max_rules=2, column_pairs=None": {"max_rules": 2, "column_pairs": None},
    "n_segments=20": {"n_segments": 20},
}

# Numbers that are no parameters: what else they might be, and in brackets what they are.
NUMBERS: dict[str, dict[str, Any]] = {
    "a leaf costs 0.6 cases (0.8)": {"penalty": 0.6},
    "a leaf costs 1.1 cases": {"penalty": 1.1},
    "the same with many classes (less)": {"penalty_power_of_classes": 0.0},
    "the same in large tables (more)": {"penalty_per_doubling": 0.0},
    "more from 1000 cases on (2000)": {"large_table": 1000},
    "the same with little noise (less)": {"quiet_brier": 1e-9},
    "the same where little is explained (less)": {"penalty_fall": 0.0},
    "leaves of 1 case (2)": {"min_samples_leaf": 1},
    "leaves of 4 cases": {"min_samples_leaf": 4},
    "64 thresholds in all (128)": {"all_segments": 64},
    "256 thresholds in all": {"all_segments": 256},
    "lesson counts nothing in probabilities (2)": {"learnt_weight": 0.0},
    "lesson counts 4 in probabilities": {"learnt_weight": 4.0},
    "real rows count 1 (3)": {"real_weight": 1},
    "real rows count 6": {"real_weight": 6},
    "2 times as many rows with made-up ones (4)": {"times_rows": 2},
    "8 times as many rows with made-up ones": {"times_rows": 8},
    "at most 6000 rows with made-up ones (12,000)": {"most_rows": 6000},
    "at most 24,000 rows with made-up ones": {"most_rows": 24000},
    "cells swapped by 0.15 (0.3)": {"swap_chance": 0.15},
    "cells swapped by 0.5": {"swap_chance": 0.5},
    "columns left out above half the work": {"most_work": 1.5e9, "most_work_by_choice": 4e8},
    "columns left out above twice the work": {"most_work": 6e9, "most_work_by_choice": 16e8},
    "25 + 25 trees teach (50 + 50)": {"n_trees": 25},
    "100 + 100 trees teach": {"n_trees": 100, "tree_rows": 160_000},
    "teacher's leaves speak from 1 row on (1 to 16)": {"leaf_rows": (1,)},
    "2 columns paired (4)": {"n_paired": 2},
    "6 columns paired": {"n_paired": 6},
    "pairs up to twice the work": {"most_pair_work": 2e9},
    "third questions up to half the work": {"most_triple_work": 1e9},
    "third questions up to twice the work": {"most_triple_work": 4e9},
    "richer rules save 1 leaf (2)": {"penalties_saved": 1.0},
    "richer rules save 4 leaves": {"penalties_saved": 4.0},
}

# Where the package keeps these numbers.
PLACES = {
    "penalty": ("bsnsing._auto._PRICE",),
    "penalty_power_of_classes": (
        "bsnsing._estimator.price_per_leaf",
        "bsnsing._tree_grower.price_per_leaf",
    ),
    "penalty_per_doubling": ("bsnsing._auto._PER_DOUBLING",),
    "large_table": ("bsnsing._auto._LARGE",),
    "quiet_brier": ("bsnsing._auto._QUIET",),
    "penalty_fall": ("bsnsing._auto._FALL",),
    "min_samples_leaf": ("bsnsing._auto._TAUGHT_LEAF",),
    "all_segments": ("bsnsing._auto._ALL_SEGMENTS",),
    "learnt_weight": ("bsnsing._shrink._LESSON",),
    "real_weight": ("bsnsing._teacher._REAL",),
    "times_rows": ("bsnsing._teacher._TIMES",),
    "most_rows": ("bsnsing._teacher._MOST_ROWS",),
    "swap_chance": ("bsnsing._teacher._SWAP",),
    "most_work": ("bsnsing._teacher._MOST_WORK",),
    "most_work_by_choice": ("bsnsing._teacher._MOST_WORK_BY_CHOICE",),
    "n_trees": ("bsnsing._forest._N_TREES",),
    "tree_rows": ("bsnsing._forest._TREE_ROWS",),
    "leaf_rows": ("bsnsing._forest._LEAF_ROWS",),
    "n_paired": ("bsnsing._language._PAIRED",),
    "most_pair_work": ("bsnsing._language._PAIR_WORK",),
    "most_triple_work": ("bsnsing._language._TRIPLE_WORK",),
    "penalties_saved": ("bsnsing._language._LEAST_SAVED",),
}


def varied(numbers: dict[str, Any]) -> type[BsnsingClassifier]:
    """Our learner with some numbers changed, for its own fits and predictions only."""

    class Varied(BsnsingClassifier):
        def fit(self, *data: Any, **named: Any) -> BsnsingClassifier:
            with _changed(numbers):
                return super().fit(*data, **named)

        def predict_proba(self, X: Any) -> Any:
            with _changed(numbers):
                return super().predict_proba(X)

    return Varied


@contextmanager
def _changed(numbers: dict[str, Any]) -> Iterator[None]:
    with ExitStack() as stack:
        for field, value in numbers.items():
            # What the number of classes does is a line of a function, not a number.
            new = price_without_classes if field == "penalty_power_of_classes" else value
            for place in PLACES[field]:
                stack.enter_context(patch(place, new))
        yield


def price_without_classes(
    n_cases: float, _n_classes: int, noise: float, unexplained: float
) -> float:
    from bsnsing._auto import price_per_leaf

    return price_per_leaf(n_cases, 2, noise, unexplained)
