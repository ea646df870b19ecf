"""CatBoost's models, by the JSON that they write of themselves."""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Iterator, Sequence
from typing import Any

from bsnsing.questions.donors.base import Donor, is_of
from bsnsing.questions.donors.cuts import Cut, single_cut, written

_TALK = {"verbose", "silent", "logging_level", "verbose_eval"}


class CatBoostDonor(Donor):
    """Numbers are compared in 32 bits, ``x > t``.

    Splits of categorical columns are passed over: CatBoost keeps hashes of their levels, and means
    of the labels, which no question says.
    """

    def takes(self, model: Any) -> bool:
        """Whether this is such a model."""
        return is_of(model, "catboost", "CatBoost")

    def is_fitted(self, model: Any) -> bool:
        """Whether it has trees."""
        return bool(model.is_fitted())

    def takes_missing(self, learner: Any) -> bool:
        """It does."""
        return True

    def columns(self, model: Any) -> Sequence[str] | None:
        """Names, unless CatBoost has numbered the columns."""
        names = [str(name) for name in model.feature_names_]
        return None if names == [str(i) for i in range(len(names))] else names

    def cuts(self, model: Any) -> Iterator[Cut]:
        """The cuts of numbers of all trees."""
        dump = _dump(model)
        floats = dump["features_info"].get("float_features", [])
        column_of = {own["feature_index"]: own["flat_feature_index"] for own in floats}
        for split in _splits(dump):
            if split["split_type"] == "FloatFeature":
                column, border = column_of[split["float_feature_index"]], float(split["border"])
                yield single_cut(column, border, is_closed=True, gain=0.0, plain=written(border))

    def fit(self, learner: Any, X: Any, y: Any, weights: Any) -> Any:
        """Fit a learner, quietly and without files unless it was told so."""
        told = learner.get_params().keys()
        if not _TALK & told:
            learner.set_params(verbose=False)
        if "allow_writing_files" not in told:
            learner.set_params(allow_writing_files=False)
        return super().fit(learner, X, y, weights)


def _dump(model: Any) -> dict[str, Any]:
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "model.json")
        model.save_model(path, format="json")
        with open(path, encoding="utf-8") as file:
            dump: dict[str, Any] = json.load(file)
    return dump


def _splits(dump: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """The splits of trees whose levels share one each, or of trees of any shape."""
    for tree in dump.get("oblivious_trees", []):
        yield from tree.get("splits", [])
    waiting = dump.get("trees", [])[::-1]
    while waiting:
        node = waiting.pop()
        if "split" in node:
            yield node["split"]
            waiting += [node["right"], node["left"]]
