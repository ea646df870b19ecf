"""Trees of this package, and models made of them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar, cast

from bsnsing.data.columns import ColumnInfo, Level
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
            columns = {column.name: column for column in tree.columns}
            for question in tree.asked_questions():
                column = columns.get(question.column)
                yield _cut(question, column)


def _cut(question: Question, info: ColumnInfo | None) -> Cut:
    """The cut of a question about a column; a pair has no column of its own."""
    column, value, test = question.column, question.value, question.test
    if test == "is missing":
        return MissingCut(column=column)
    if info is not None and info.scale is not None:
        number, test = info.scale.number(value, test), test[0]  # type: ignore[assignment]
        return ThresholdCut(column=column, value=number, is_closed=test == ">")
    if test in "<>":
        threshold = float(cast(float, value))
        return ThresholdCut(column=column, value=threshold, is_closed=test == ">")
    own = frozenset(value if isinstance(value, tuple) else [cast(Level, value)])
    known = frozenset(info.levels) if info is not None else None
    return LevelCut(column=column, levels=own, others=known - own if known else None)
