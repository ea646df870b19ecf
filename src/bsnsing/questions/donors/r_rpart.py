"""R's rpart."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar

import numpy as np

from bsnsing.questions.donors.cuts import Cut, LevelCut, ThresholdCut
from bsnsing.questions.donors.r import RDonor, fitted_object, level, r_session, subject

_LEAF = "<leaf>"


class RpartDonor(RDonor):
    """Its splits are rows of a matrix: those of a node, its competitors and surrogates in turn."""

    learner: ClassVar[str] = "rpart"
    r_class: ClassVar[str] = "rpart"

    def most_levels(self, n_classes: int) -> int | None:
        """With more than two classes it tries all subsets of the levels."""
        return None if n_classes == 2 else 10

    def cuts(self, model: Any) -> Iterator[Cut]:
        """The splits of the nodes: ``x < t``, or levels that go left."""
        fit, is_ours = fitted_object(model)
        with r_session() as r:
            frame = r.part(fit, "frame")
            asked = list(r.call("base", "as.character", r.part(frame, "var")))
            if all(name == _LEAF for name in asked):
                return
            n_beside = [
                compete + surrogate
                for compete, surrogate in zip(
                    r.part(frame, "ncompete"), r.part(frame, "nsurrogate"), strict=True
                )
            ]
            splits = _matrix(r.part(fit, "splits"))
            sides = _matrix(r.part(fit, "csplit")) if "csplit" in list(fit.names) else None
            levels = r.levels(fit)
        row = 0
        for name, n_others in zip(asked, n_beside, strict=True):
            if name == _LEAF:
                continue
            _, n_levels, gain, index, _ = splits[row].tolist()
            row += 1 + int(n_others)
            column = subject(name, is_ours=is_ours)
            if n_levels in (-1, 1):  # which side is left
                yield ThresholdCut(column=column, value=index, is_closed=False, gain=gain)
            else:
                assert sides is not None
                is_left = sides[int(index) - 1] == 1
                left = [own for own, goes in zip(levels[name], is_left, strict=False) if goes]
                codes = frozenset(level(own, is_ours=is_ours) for own in left)
                yield LevelCut(column=column, levels=codes, gain=gain)


def _matrix(vector: Any) -> Any:
    n_rows, n_columns = vector.do_slot("dim")
    return np.array(list(vector), dtype=np.float64).reshape(n_columns, n_rows).T
