"""R's tree, of the package tree."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar

from bsnsing.questions.donors.cuts import Cut, LevelCut, ThresholdCut
from bsnsing.questions.donors.r import RDonor, fitted_object, level, r_session, subject

_LEAF = "<leaf>"
_LETTERS = "abcdefghijklmnopqrstuvwxyz0123456789"


class RTreeDonor(RDonor):
    """Its splits are labels in a matrix of text: ``<2.45``, or letters that stand for levels."""

    learner: ClassVar[str] = "tree"
    r_class: ClassVar[str] = "tree"

    def most_levels(self, n_classes: int) -> int | None:
        """It refuses more than 32, and with more than two classes tries all subsets."""
        return 30 if n_classes == 2 else 10

    def cuts(self, model: Any) -> Iterator[Cut]:
        """The splits of the nodes: ``x < t``, or levels that go left."""
        fit, is_ours = fitted_object(model)
        with r_session() as r:
            frame = r.part(fit, "frame")
            asked = list(r.call("base", "as.character", r.part(frame, "var")))
            numbers = [int(own) for own in r.call("base", "row.names", frame)]
            gains = _gains(numbers, [float(own) for own in r.part(frame, "dev")])
            # The left labels are the first column.
            labels = list(r.part(frame, "splits"))[: len(asked)]
            levels = r.levels(fit)
        for name, label, gain in zip(asked, labels, gains, strict=True):
            if name == _LEAF:
                continue
            column = subject(name, is_ours=is_ours)
            if label.startswith(":"):
                known = levels[name]
                left = frozenset(
                    level(known[_LETTERS.index(letter)], is_ours=is_ours) for letter in label[1:]
                )
                yield LevelCut(column=column, levels=left, gain=gain)
            else:
                value = float(label.lstrip("<>= "))
                yield ThresholdCut(column=column, value=value, is_closed=False, gain=gain)


def _gains(numbers: list[int], deviance: list[float]) -> list[float]:
    """Deviance that each node's split saves; the children of node k are 2k and 2k + 1."""
    of_node = dict(zip(numbers, deviance, strict=True))
    return [
        own - of_node.get(2 * number, own) - of_node.get(2 * number + 1, 0.0)
        for number, own in of_node.items()
    ]
