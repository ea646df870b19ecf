"""Estimators of scikit-learn around one other: frozen ones, and searches for the best settings."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from bsnsing.questions.donors.base import Donor, Form, is_of
from bsnsing.questions.donors.cuts import Cut


class WrapperDonor(Donor):
    """Lends what the estimator inside lends."""

    def __init__(self, donor_of: Callable[[Any], Donor]) -> None:
        self._donor_of = donor_of

    def takes(self, model: Any) -> bool:
        """Whether this is such a wrapper."""
        return is_of(model, "sklearn", "FrozenEstimator", "BaseSearchCV")

    def is_fitted(self, model: Any) -> bool:
        """Whether what is inside is."""
        inside = _inside(model)
        is_found = hasattr(model, "best_estimator_") or is_of(model, "sklearn", "FrozenEstimator")
        return is_found and self._donor_of(inside).is_fitted(inside)

    def name(self, model: Any) -> str:
        """That of what is inside."""
        return self._donor_of(_inside(model)).name(_inside(model))

    def columns(self, model: Any) -> Sequence[str] | None:
        """Those of what is inside."""
        return self._donor_of(_inside(model)).columns(_inside(model))

    def respells_for(self, model: Any) -> bool:
        """As what is inside does."""
        return self._donor_of(_inside(model)).respells_for(_inside(model))

    def form_for(self, learner: Any) -> Form:
        """As what is inside takes it."""
        return self._donor_of(_inside(learner)).form_for(_inside(learner))

    def takes_missing(self, learner: Any) -> bool:
        """As what is inside does."""
        return self._donor_of(_inside(learner)).takes_missing(_inside(learner))

    def cuts(self, model: Any) -> Iterator[Cut]:
        """Those of what is inside."""
        return self._donor_of(_inside(model)).cuts(_inside(model))


def _inside(model: Any) -> Any:
    return getattr(model, "best_estimator_", model.estimator)
