"""Pipelines: cuts of the last step, followed back to the columns that went in."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, ClassVar

from sklearn.utils.validation import has_fit_parameter

from bsnsing.questions.donors.base import Donor, Form, is_of
from bsnsing.questions.donors.cuts import Cut
from bsnsing.questions.donors.way_back import follow_back


class PipelineDonor(Donor):
    """A pipeline of scikit-learn whose last step lends cuts."""

    form: ClassVar[Form] = "named frame"

    def __init__(
        self, cuts_of: Callable[[Any], Iterator[Cut]], donor_of: Callable[[Any], Donor]
    ) -> None:
        self._cuts_of = cuts_of
        self._donor_of = donor_of

    def takes(self, model: Any) -> bool:
        """Whether this is a pipeline."""
        return is_of(model, "sklearn", "Pipeline")

    def is_fitted(self, model: Any) -> bool:
        """Whether its last step is."""
        last = model.steps[-1][1]
        return self._donor_of(last).is_fitted(last)

    def name(self, model: Any) -> str:
        """That of its last step."""
        last = model.steps[-1][1]
        return self._donor_of(last).name(last)

    def respells_for(self, model: Any) -> bool:
        """Names are those of the first step."""
        return False

    def columns(self, model: Any) -> Sequence[str] | None:
        """Names of the columns that went into the first step."""
        return super().columns(model.steps[0][1])

    def takes_missing(self, learner: Any) -> bool:
        """Imputers may be among its steps, so that it is up to it."""
        return True

    def cuts(self, model: Any) -> Iterator[Cut]:
        """The cuts of the last step, followed back through the others."""
        for cut in self._cuts_of(model.steps[-1][1]):
            yield from follow_back(model.steps[:-1], cut)

    def fit(self, learner: Any, X: Any, y: Any, weights: Any) -> Any:
        """Fit all steps; weights are for the last one."""
        name, last = learner.steps[-1]
        if weights is not None and has_fit_parameter(last, "sample_weight"):
            return learner.fit(X, y, **{f"{name}__sample_weight": weights})
        return learner.fit(X, y)
