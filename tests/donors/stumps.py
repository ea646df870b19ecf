"""Models of one split each, with the side that they themselves send every row to."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from sklearn.ensemble import (
    AdaBoostClassifier,
    BaggingClassifier,
    ExtraTreesClassifier,
    GradientBoostingClassifier,
    HistGradientBoostingClassifier,
    RandomForestClassifier,
)
from sklearn.tree import DecisionTreeClassifier


@dataclass(frozen=True)
class Stump:
    """How a model of one split is fitted, and which of two sides it has for each row."""

    fit: Callable[[Any, Any], Any]
    sides: Callable[[Any, Any], Any]
    takes_missing: bool = True
    takes_categories: bool = False

    def parted(self, model: Any, X: Any) -> NDArray[np.bool_]:
        """Which rows are on the side of the first one."""
        told = np.asarray(self.sides(model, X)).reshape(len(X), -1)[:, 0]
        return told == told[0]


def _first(shares: Any) -> Any:
    return shares[:, 0]


def _lightgbm(X: Any, y: Any) -> Any:
    from lightgbm import LGBMClassifier

    return LGBMClassifier(
        n_estimators=1,
        num_leaves=2,
        min_child_samples=1,
        min_data_in_bin=1,
        min_sum_hessian_in_leaf=0,
        min_data_per_group=1,
        cat_smooth=0,
        cat_l2=0,
        verbosity=-1,
        max_bin=1000,
        n_jobs=1,
    ).fit(X, y)


def _xgboost(X: Any, y: Any) -> Any:
    from xgboost import XGBClassifier

    return XGBClassifier(
        n_estimators=1,
        max_depth=1,
        min_child_weight=0,
        max_bin=1000,
        enable_categorical=True,
        max_cat_to_onehot=1,
        n_jobs=1,
    ).fit(X, y)


def _catboost(X: Any, y: Any) -> Any:
    from catboost import CatBoostClassifier

    return CatBoostClassifier(
        iterations=1, depth=1, verbose=False, allow_writing_files=False, thread_count=1
    ).fit(X, y)


def _figs(X: Any, y: Any) -> Any:
    from imodels import FIGSClassifier

    return FIGSClassifier(max_rules=1).fit(X, y)


def _shrunken(X: Any, y: Any) -> Any:
    from imodels import HSTreeClassifier

    return HSTreeClassifier(DecisionTreeClassifier(max_leaf_nodes=2)).fit(X, y)


def _c45(X: Any, y: Any) -> Any:
    from imodels import C45TreeClassifier

    return C45TreeClassifier(max_rules=1).fit(X, y)


def _rule_list(X: Any, y: Any) -> Any:
    from imodels import GreedyRuleListClassifier

    return GreedyRuleListClassifier(max_depth=1).fit(X, y)


def _pystreed(X: Any, y: Any) -> Any:
    from pystreed import STreeDClassifier

    return STreeDClassifier(max_depth=1, n_thresholds=50).fit(X, y)


STUMPS: dict[str, Stump] = {
    "DecisionTreeClassifier": Stump(
        lambda X, y: DecisionTreeClassifier(max_leaf_nodes=2).fit(X, y),
        lambda model, X: model.apply(X),
    ),
    "RandomForestClassifier": Stump(
        lambda X, y: RandomForestClassifier(1, max_leaf_nodes=2, random_state=0).fit(X, y),
        lambda model, X: model.apply(X),
    ),
    "ExtraTreesClassifier": Stump(
        lambda X, y: ExtraTreesClassifier(1, max_leaf_nodes=2, random_state=0).fit(X, y),
        lambda model, X: model.apply(X),
    ),
    "BaggingClassifier": Stump(
        lambda X, y: BaggingClassifier(
            DecisionTreeClassifier(max_leaf_nodes=2), 1, random_state=0
        ).fit(X, y),
        lambda model, X: _first(model.predict_proba(X)),
    ),
    "AdaBoostClassifier": Stump(
        lambda X, y: AdaBoostClassifier(n_estimators=1, random_state=0).fit(X, y),
        lambda model, X: _first(model.predict_proba(X)),
        takes_missing=False,
    ),
    "GradientBoostingClassifier": Stump(
        lambda X, y: GradientBoostingClassifier(n_estimators=1, max_leaf_nodes=2).fit(X, y),
        lambda model, X: _first(model.predict_proba(X)),
        takes_missing=False,
    ),
    "HistGradientBoostingClassifier": Stump(
        lambda X, y: HistGradientBoostingClassifier(
            max_iter=1, max_leaf_nodes=2, min_samples_leaf=1, early_stopping=False
        ).fit(X, y),
        lambda model, X: _first(model.predict_proba(X)),
        takes_categories=True,
    ),
    "LGBMClassifier": Stump(
        _lightgbm, lambda model, X: model.predict(X, pred_leaf=True), takes_categories=True
    ),
    "XGBClassifier": Stump(_xgboost, lambda model, X: model.apply(X), takes_categories=True),
    "CatBoostClassifier": Stump(_catboost, lambda model, X: model.calc_leaf_indexes(X)),
    "FIGSClassifier": Stump(
        _figs, lambda model, X: _first(model.predict_proba(X)), takes_missing=False
    ),
    "HSTreeClassifier": Stump(
        _shrunken, lambda model, X: _first(model.predict_proba(X.to_numpy())), takes_missing=False
    ),
    "C45TreeClassifier": Stump(
        _c45, lambda model, X: _first(model.predict_proba(X)), takes_missing=False
    ),
    "GreedyRuleListClassifier": Stump(
        _rule_list, lambda model, X: _first(model.predict_proba(X)), takes_missing=False
    ),
    "STreeDClassifier": Stump(_pystreed, lambda model, X: model.predict(X), takes_missing=False),
}

PACKAGES = {
    "LGBMClassifier": "lightgbm",
    "XGBClassifier": "xgboost",
    "CatBoostClassifier": "catboost",
    "FIGSClassifier": "imodels",
    "HSTreeClassifier": "imodels",
    "C45TreeClassifier": "imodels",
    "GreedyRuleListClassifier": "imodels",
    "STreeDClassifier": "pystreed",
}


def stump(name: str) -> Stump:
    """Return one, or skip where its package is not installed."""
    package = PACKAGES.get(name)
    if package is not None and importlib.util.find_spec(package) is None:
        pytest.skip(f"{package} is not installed: pip install '.[donors]'")
    return STUMPS[name]
