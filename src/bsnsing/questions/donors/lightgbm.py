"""LightGBM's models, by their own dump."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any, ClassVar

from bsnsing.data.columns import Level
from bsnsing.questions.donors.base import Donor, Form, is_of
from bsnsing.questions.donors.cuts import Cut, LevelCut, ThresholdCut

# Numbers that LightGBM takes for zero.
_ZERO = 1.1e-35


class LightGBMDonor(Donor):
    """Numbers are compared in 64 bits, ``x <= t``; levels are codes of pandas, or numbers."""

    respells: ClassVar[bool] = True  # spaces in names are underscores
    form: ClassVar[Form] = "frame"

    def takes(self, model: Any) -> bool:
        """Whether this is such a model."""
        return is_of(model, "lightgbm", "LGBMModel", "Booster")

    def is_fitted(self, model: Any) -> bool:
        """Boosters are always fitted."""
        return is_of(model, "lightgbm", "Booster") or bool(getattr(model, "fitted_", False))

    def takes_missing(self, learner: Any) -> bool:
        """It does."""
        return True

    def columns(self, model: Any) -> Sequence[str] | None:
        """Names, unless LightGBM has made them up."""
        names = [str(name) for name in _booster(model).feature_name()]
        is_made_up = all(re.fullmatch(r"Column_\d+", name) for name in names)
        return None if is_made_up else names

    def cuts(self, model: Any) -> Iterator[Cut]:
        """The cuts of all trees."""
        booster = _booster(model)
        dump = booster.dump_model()
        categories = _categories(dump)
        waiting = [tree["tree_structure"] for tree in reversed(dump["tree_info"])]
        while waiting:
            node = waiting.pop()
            if "split_feature" in node:
                yield _cut(node, categories)
                waiting += [node["right_child"], node["left_child"]]

    def fit(self, learner: Any, X: Any, y: Any, weights: Any) -> Any:
        """Fit a learner, quietly unless it was told how much to say."""
        if not {"verbose", "verbosity"} & learner.get_params().keys():
            learner.set_params(verbosity=-1)
        return super().fit(learner, X, y, weights)


def _booster(model: Any) -> Any:
    return model if is_of(model, "lightgbm", "Booster") else model.booster_


def _cut(node: dict[str, Any], categories: dict[int, list[Level]]) -> Cut:
    column, gain, threshold = node["split_feature"], node["split_gain"], node["threshold"]
    if node["decision_type"] == "==":
        codes = [int(code) for code in str(threshold).split("||")]
        known = categories.get(column)
        if known is None:
            return LevelCut(column=column, levels=frozenset(map(float, codes)), gain=gain)
        levels = frozenset(known[code] for code in codes if 0 <= code < len(known))
        return LevelCut(column=column, levels=levels, others=frozenset(known) - levels, gain=gain)
    if abs(threshold) <= _ZERO:
        return ThresholdCut(column=column, value=0.0, is_closed=threshold > 0, gain=gain)
    return ThresholdCut(column=column, value=float(threshold), gain=gain)


def _categories(dump: dict[str, Any]) -> dict[int, list[Level]]:
    """The levels that the codes of each column of categories stand for, where pandas knew them."""
    listed = dump.get("pandas_categorical") or []
    if not listed:
        return {}
    names, infos = dump["feature_names"], dump["feature_infos"]
    coded = [i for i, name in enumerate(names) if infos.get(name, {}).get("values")]
    if len(coded) != len(listed):
        raise ValueError(
            f"The LightGBM model has {len(listed)} columns of categories, of which {len(coded)} "
            "have more than one level, and it does not tell which. Leave columns that are the same "
            "in every row out of its fit."
        )
    return dict(zip(coded, listed, strict=True))
