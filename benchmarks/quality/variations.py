"""What the defaults might be instead: one setting, or one number behind them, changed at a time."""

from __future__ import annotations

from dataclasses import replace
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

# Numbers that are no parameters, as tables call them; each is halved and doubled.
NAMES: dict[str, str] = {
    "most_taught": "rows that the teacher learns at most",
    "n_trees": "trees of each kind that teach",
    "rows_per_tree": "rows drawn for a tree of the teacher",
    "leaf_rows": "rows from which on a teacher's leaf speaks",
    "label_share": "share of the label in a soft label",
    "real_weight": "what a real row counts",
    "parts": "parts of a case",
    "times_rows": "rows with synthetic ones, times the real ones",
    "most_rows": "rows with synthetic ones at most",
    "swap_chance": "chance that a cell is swapped",
    "penalty_from": "cases from which on a leaf costs more",
    "own_cases": "cases from which on a node's labels outweigh the teacher",
    "leaves_saved": "leaves that richer rules save",
    "n_paired": "columns that are paired",
    "most_work": "work of a search",
}
SHARES = ("label_share", "swap_chance")  # at most 1


def times(value: Any, factor: float) -> Any:
    """A number, or each of several, times a factor; whole ones stay whole."""
    if isinstance(value, tuple):
        return tuple(times(part, factor) for part in value)
    return max(1, int(value * factor)) if isinstance(value, int) else value * factor


def shown(value: Any) -> str:
    """A number, or the first and the last of several, as tables have it."""
    if isinstance(value, tuple):
        return f"{shown(value[0])} to {shown(value[-1])}"
    return f"{value:,}" if isinstance(value, int) else f"{value:g}"


def halved_and_doubled(config: DistillConfig) -> dict[str, dict[str, Any]]:
    """Each number of the configuration, half and twice as large; in brackets what it is."""
    changes: dict[str, dict[str, Any]] = {}
    for field, name in NAMES.items():
        value = getattr(config, field)
        for factor in (0.5, 2):
            other = times(value, factor)
            other = min(other, 1.0) if field in SHARES else other
            changes[f"{name}: {shown(other)} ({shown(value)})"] = {field: other}
    return changes


NUMBERS = halved_and_doubled(BsnsingClassifier._distill_config)
CONFIGS: dict[str, DistillConfig] = {
    label: replace(BsnsingClassifier._distill_config, **fields) for label, fields in NUMBERS.items()
}


def varied(config: DistillConfig) -> type[BsnsingClassifier]:
    """Our learner with other numbers behind it."""
    return type("Varied", (BsnsingClassifier,), {"_distill_config": config})


LEARNERS: dict[str, type[BsnsingClassifier]] = {
    label: varied(config) for label, config in CONFIGS.items()
}
