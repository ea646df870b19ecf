"""scikit-learn's histogram gradient boosting."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any, ClassVar

import numpy as np

from bsnsing.questions.donors.base import Donor, Form, is_of
from bsnsing.questions.donors.cuts import Cut, LevelCut, MissingCut, ThresholdCut
from bsnsing.questions.donors.way_back import part_of, way_back


class HistDonor(Donor):
    """Numbers are compared in 64 bits, ``x <= t``; levels are sets of codes, 32 to a word."""

    form: ClassVar[Form] = "frame"

    def takes(self, model: Any) -> bool:
        """Whether this is such a model."""
        return is_of(model, "sklearn", "BaseHistGradientBoosting")

    def is_fitted(self, model: Any) -> bool:
        """Whether it has trees."""
        return hasattr(model, "_predictors")

    def most_levels(self, n_classes: int) -> int | None:
        """As many as it has bins for, one of which is for missing cells."""
        return 254

    def cuts(self, model: Any) -> Iterator[Cut]:
        """The cuts of all trees, about the columns as they were before categories got codes."""
        encoder = getattr(model, "_preprocessor", None)
        for cut in _coded_cuts(model):
            if encoder is None:
                yield cut
                continue
            _, part, own, given = part_of(encoder, cut)
            # Numbers pass a function of scikit-learn's own, which leaves them as they are.
            is_coded = is_of(part, "sklearn", "OrdinalEncoder")
            for before in way_back(part, own, "of categories") if is_coded else (own,):
                assert isinstance(before.column, int)
                yield replace(before, column=given[before.column])


def _coded_cuts(model: Any) -> Iterator[Cut]:
    for predictor in (tree for stage in model._predictors for tree in stage):
        for node in predictor.nodes:
            if node["is_leaf"]:
                continue
            column, gain = int(node["feature_idx"]), float(node["gain"])
            if node["is_categorical"]:
                words = predictor.raw_left_cat_bitsets[node["bitset_idx"]]
                yield LevelCut(column=column, levels=frozenset(_codes_in(words)), gain=gain)
            elif np.isinf(node["num_threshold"]):  # missing cells alone go another way
                yield MissingCut(column=column, gain=gain)
            else:
                yield ThresholdCut(column=column, value=float(node["num_threshold"]), gain=gain)


def _codes_in(words: Any) -> list[float]:
    return [
        float(32 * place + bit)
        for place, word in enumerate(words.tolist())
        for bit in range(32)
        if word >> bit & 1
    ]
