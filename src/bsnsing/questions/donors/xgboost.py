"""XGBoost's models, by their own dump."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any, ClassVar

import numpy as np

from bsnsing.data.columns import Level
from bsnsing.questions.donors.base import Donor, is_of
from bsnsing.questions.donors.cuts import Cut, LevelCut, single_cut, written


class XGBoostDonor(Donor):
    """Numbers are compared in 32 bits, ``x < t``; levels are codes."""

    respells: ClassVar[bool] = True  # of levels it keeps as many bytes as they have letters

    def takes(self, model: Any) -> bool:
        """Whether this is such a model."""
        return is_of(model, "xgboost", "XGBModel", "Booster")

    def is_fitted(self, model: Any) -> bool:
        """Boosters are always fitted."""
        if is_of(model, "xgboost", "Booster"):
            return True
        return bool(model.__sklearn_is_fitted__())

    def takes_missing(self, learner: Any) -> bool:
        """It does."""
        return True

    def columns(self, model: Any) -> Sequence[str] | None:
        """Names that the model was given."""
        names = _booster(model).feature_names
        return None if names is None else [str(name) for name in names]

    def cuts(self, model: Any) -> Iterator[Cut]:
        """The cuts of all trees."""
        booster = _booster(model)
        names = booster.feature_names
        place = {name: i for i, name in enumerate(names)} if names else {}
        categories = _categories(booster)
        for dump in booster.get_dump(dump_format="json", with_stats=True):
            waiting = [json.loads(dump)]
            while waiting:
                node = waiting.pop()
                if "split" in node:
                    column = place[node["split"]] if place else int(node["split"][1:])
                    yield _cut(node, column, categories.get(column))
                elif "leaf" not in node:
                    raise ValueError(
                        "The XGBoost model is linear and has no trees to lend cuts of. Fit one "
                        "with booster='gbtree'."
                    )
                waiting += node.get("children", [])[::-1]


def _booster(model: Any) -> Any:
    return model if is_of(model, "xgboost", "Booster") else model.get_booster()


def _cut(node: dict[str, Any], column: int, categories: list[Level] | None) -> Cut:
    condition, gain = node["split_condition"], float(node.get("gain", 0.0))
    if not isinstance(condition, list):
        value = float(np.float32(condition))
        return single_cut(column, value, is_closed=False, gain=gain, plain=written(value))
    if categories is None:
        return LevelCut(column=column, levels=frozenset(map(float, condition)), gain=gain)
    levels = frozenset(categories[code] for code in condition if code < len(categories))
    return LevelCut(column=column, levels=levels, others=frozenset(categories) - levels, gain=gain)


def _categories(booster: Any) -> dict[int, list[Level]]:
    """The levels that codes stand for, where the model keeps them (from XGBoost 3.1 on)."""
    if "c" not in (booster.feature_types or []) or not hasattr(booster, "get_categories"):
        return {}
    known = booster.get_categories(export_to_arrow=True).to_arrow()
    return {column: _listed(own) for column, (_, own) in enumerate(known) if own is not None}


def _listed(levels: Any) -> list[Level]:
    if "string" not in str(levels.type):
        numbers: list[Level] = levels.to_pylist()
        return numbers
    # Names beyond ASCII may be cut off in the middle of a letter: see Donor.respells.
    return [own.decode("utf-8", "ignore") for own in levels.cast("binary").to_pylist()]
