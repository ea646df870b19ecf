"""The contestants, made alike: the same smallest leaf, and as many threads as they are told."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from sklearn.tree import DecisionTreeClassifier

from bsnsing import BsnsingClassifier


def leaf_size(n_rows: int) -> int:
    """The smallest leaf of all contestants: our default, the square root of the rows."""
    return max(1, math.isqrt(n_rows))


def exact_tree(leaf: int, *, n_threads: int = 1, **settings: Any) -> BsnsingClassifier:
    """Our tree with its default settings, so rules of two questions, but for ``settings``."""
    return BsnsingClassifier.plain(min_samples_leaf=leaf, n_jobs=n_threads, **settings)


def greedy_tree(leaf: int, **settings: Any) -> DecisionTreeClassifier:
    """scikit-learn's tree, which has one thread."""
    return DecisionTreeClassifier(min_samples_leaf=leaf, random_state=0, **settings)


def fit_boosted_tree(
    X: np.ndarray, y: np.ndarray, *, n_leaves: int, leaf: int, n_threads: int
) -> int:
    """Fit one LightGBM tree from the matrix and return its number of leaves.

    Bins and all else are LightGBM's defaults. Making its Dataset (the bins) belongs to the fit,
    as ours does.
    """
    import lightgbm

    settings = {
        "objective": "binary",
        "learning_rate": 1.0,
        "num_leaves": max(2, n_leaves),
        "min_data_in_leaf": leaf,
        "num_threads": n_threads,
        "verbosity": -1,
    }
    booster = lightgbm.train(settings, lightgbm.Dataset(X, y), num_boost_round=1)
    return int(booster.dump_model()["tree_info"][0]["num_leaves"])
