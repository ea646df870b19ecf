"""R's ctree, of the package party."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar

import numpy as np

from bsnsing.questions.donors.cuts import Cut, LevelCut, ThresholdCut
from bsnsing.questions.donors.r import (
    R,
    RDonor,
    RLearner,
    fitted_object,
    level,
    r_session,
    subject,
)

_MAX_DEPTH = 30


class CtreeDonor(RDonor):
    """Its nodes are lists within lists."""

    learner: ClassVar[str] = "ctree"
    r_class: ClassVar[str] = "BinaryTree"

    def most_levels(self, n_classes: int) -> int | None:
        """It refuses more."""
        return 30

    def arguments(self, r: R, settings: dict[str, Any]) -> dict[str, Any]:
        """Settings are those of its controls.

        Without a limit, cases that no split parts any further can send it down for ever, until
        the stack and with it the whole process ends.
        """
        limited = {"maxdepth": r.scalar(_MAX_DEPTH)} | settings
        return {"controls": r.call("party", "ctree_control", **limited)}

    def fit(self, learner: RLearner, X: Any, y: Any, weights: Any) -> Any:
        """Fit with weights in whole numbers, which it insists on: times the least of fractions."""
        if weights is not None and (weights % 1 != 0).any():
            weights = np.maximum(1.0, np.rint(weights / weights[weights > 0].min()))
        return super().fit(learner, X, y, weights)

    def cuts(self, model: Any) -> Iterator[Cut]:
        """The splits of the nodes: ``x <= t``, or levels on one side."""
        fit, is_ours = fitted_object(model)
        with r_session() as r:
            cuts = list(_cuts(r, fit.do_slot("tree"), is_ours))
        yield from cuts


def _cuts(r: Any, root: Any, is_ours: bool) -> Iterator[Cut]:
    waiting = [root]
    while waiting:
        node = waiting.pop()
        if r.part(node, "terminal")[0]:
            continue
        split = r.part(node, "psplit")
        column = subject(r.part(split, "variableName")[0], is_ours=is_ours)
        point = r.part(split, "splitpoint")
        gain = float(r.part(r.part(node, "criterion"), "maxcriterion")[0])
        if "nominalSplit" in tuple(split.rclass):
            names = list(point.do_slot("levels"))
            left = [name for name, goes in zip(names, point, strict=True) if goes == 1]
            levels = frozenset(level(name, is_ours=is_ours) for name in left)
            yield LevelCut(column=column, levels=levels, gain=gain)
        elif "levels" in tuple(point.list_attrs()):
            names = list(point.do_slot("levels"))  # in order
            levels = frozenset(level(name, is_ours=is_ours) for name in names[: int(point[0])])
            yield LevelCut(column=column, levels=levels, gain=gain)
        else:
            yield ThresholdCut(column=column, value=float(point[0]), gain=gain)
        waiting += [r.part(node, "right"), r.part(node, "left")]
