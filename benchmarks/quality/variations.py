"""What the defaults might be instead: one setting, or one number behind them, changed at a time."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from bsnsing import BsnsingClassifier
from bsnsing.distill.config import DistillConfig

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
    "max_depth=3": {"max_depth": 3},
    "stop_prob=0.95": {"stop_prob": 0.95},
    "distinct_children=True": {"distinct_children": True},
    "multiclass='ovr'": {"multiclass": "ovr"},
    "solver='greedy'": {"solver": "greedy"},
    "max_bins=None": {"max_bins": None},
    "max_levels=10": {"max_levels": 10},
    "max_values_as_levels=0": {"max_values_as_levels": 0},
    "bin_size=20": {"bin_size": 20},
    "class_weight='balanced'": {"class_weight": "balanced"},
}

# Numbers that are no parameters: what else they might be, and in brackets what they are.
NUMBERS: dict[str, dict[str, Any]] = {
    "a leaf costs 0.6 cases (0.8)": {"penalty": 0.6},
    "a leaf costs 1.1 cases": {"penalty": 1.1},
    "the same in large tables (more)": {"penalty_per_doubling": 0.0},
    "more from 1000 cases on (2000)": {"large_table": 1000},
    "the same with little noise (less)": {"quiet_brier": 1e-9},
    "the same where little is explained (less)": {"penalty_fall": 0.0},
    "leaves of 1 case (2)": {"min_samples_leaf": 1},
    "leaves of 4 cases": {"min_samples_leaf": 4},
    "soft labels count nothing in small leaves (2)": {"learnt_weight": 0.0},
    "soft labels count 4 in small leaves": {"learnt_weight": 4.0},
    "real rows count 1 (3)": {"real_weight": 1},
    "real rows count 6": {"real_weight": 6},
    "2 times as many rows with synthetic ones (4)": {"times_rows": 2},
    "8 times as many rows with synthetic ones": {"times_rows": 8},
    "at most 6000 rows with synthetic ones (12,000)": {"most_rows": 6000},
    "at most 24,000 rows with synthetic ones": {"most_rows": 24000},
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


@dataclass(frozen=True, slots=True, kw_only=True)
class PenaltyOfTwoClasses(DistillConfig):
    """A leaf must save as much with many classes as with two."""

    def complexity_penalty(
        self, n_cases: float, n_classes: int, brier: float, unexplained: float
    ) -> float:
        # Named, since zero-argument super() does not work in a slotted dataclass.
        return DistillConfig.complexity_penalty(self, n_cases, 2, brier, unexplained)


CONFIGS: dict[str, DistillConfig] = {
    label: replace(BsnsingClassifier._distill_config, **fields) for label, fields in NUMBERS.items()
} | {"the same with many classes (less)": PenaltyOfTwoClasses()}


def varied(config: DistillConfig) -> type[BsnsingClassifier]:
    """Our learner with other numbers behind it."""
    return type("Varied", (BsnsingClassifier,), {"_distill_config": config})


LEARNERS: dict[str, type[BsnsingClassifier]] = {
    label: varied(config) for label, config in CONFIGS.items()
}
