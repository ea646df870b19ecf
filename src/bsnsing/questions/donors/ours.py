"""Trees of this package, and models made of them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar, cast

from bsnsing.data.columns import Level
from bsnsing.questions.donors.base import Donor, Form, is_of
from bsnsing.questions.donors.cuts import Cut, LevelCut, MissingCut, ThresholdCut
from bsnsing.questions.question import Question


class OwnDonor(Donor):
    """A tree is known by what it asks, a model by its trees."""

    form: ClassVar[Form] = "named frame"

    def takes(self, model: Any) -> bool:
        """Whether this is one of ours."""
        return is_of(model, "bsnsing") and (
            hasattr(model, "asked_questions") or hasattr(model, "fit")
        )

    def is_fitted(self, model: Any) -> bool:
        """Whether it has trees."""
        return hasattr(model, "asked_questions") or hasattr(model, "trees_")

    def takes_missing(self, learner: Any) -> bool:
        """All of ours do."""
        return True

    def cuts(self, model: Any) -> Iterator[Cut]:
        """The cuts of all trees; they gain what their rules save, of which nobody knows a part."""
        for tree in getattr(model, "trees_", [model]):
            levels = {column.name: frozenset(column.levels) for column in tree.columns}
            for question in tree.asked_questions():
                yield _cut(question, levels)


def _cut(question: Question, levels: dict[str, frozenset[Level]]) -> Cut:
    column, value = question.column, question.value
    if question.test == "is missing":
        return MissingCut(column=column)
    if question.test in "<>":
        threshold = float(cast(float, value))
        return ThresholdCut(column=column, value=threshold, is_closed=question.test == ">")
    own = frozenset(value if isinstance(value, tuple) else [cast(Level, value)])
    known = levels.get(column) if isinstance(column, str) else None
    return LevelCut(column=column, levels=own, others=known - own if known else None)
