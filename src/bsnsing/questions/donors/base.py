"""Donor: what an adapter knows of one kind of model."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, ClassVar, Literal, TypeAlias

from sklearn.exceptions import NotFittedError
from sklearn.utils import get_tags
from sklearn.utils.validation import check_is_fitted, has_fit_parameter

from bsnsing.questions.donors.cuts import Cut

# A matrix of numbers, with a 0/1 column for each level; a data frame with columns of categories,
# called x0, x1, ... or as in the table; and the columns that R gets.
Form: TypeAlias = Literal["numbers", "frame", "named frame", "columns"]


class Donor:
    """How the cuts of one kind of model are read, and how such a model is fitted.

    Adapters read what a model says of itself: its arrays, or its own dump as JSON. They import no
    package of the models', and evaluate nothing.
    """

    # Whether the model may write names of columns, and levels, in a spelling of its own.
    respells: ClassVar[bool] = False
    # What a learner is fitted to: see designs.py.
    form: ClassVar[Form] = "numbers"

    def takes(self, model: Any) -> bool:
        """Whether this is one of its models, fitted or not."""
        raise NotImplementedError

    def cuts(self, model: Any) -> Iterator[Cut]:
        """The cuts of a fitted model, once for each time they are used."""
        raise NotImplementedError

    def is_fitted(self, model: Any) -> bool:
        """Whether the model has cuts to lend."""
        try:
            check_is_fitted(model)
        except (NotFittedError, TypeError):
            return False
        return True

    def name(self, model: Any) -> str:
        """What questions of the model give as their origin."""
        return type(model).__name__

    def columns(self, model: Any) -> Sequence[str] | None:
        """Names of the columns that the model was fitted to, if it knows any."""
        names = getattr(model, "feature_names_in_", None)
        return None if names is None else [str(name) for name in names]

    def respells_for(self, model: Any) -> bool:
        """Whether this model may write names its own way."""
        return self.respells

    def form_for(self, learner: Any) -> Form:
        """Return what this learner is fitted to."""
        return self.form

    def most_levels(self, n_classes: int) -> int | None:
        """Most levels of a column of categories; one with more is 0/1 columns. None is no limit."""
        return None

    def takes_missing(self, learner: Any) -> bool:
        """Whether a learner takes missing numbers."""
        try:
            return bool(get_tags(learner).input_tags.allow_nan)
        except (AttributeError, TypeError):
            return False

    def fit(self, learner: Any, X: Any, y: Any, weights: Any) -> Any:
        """Fit a learner, which is ours to change, and return the model."""
        if weights is not None and has_fit_parameter(learner, "sample_weight"):
            return learner.fit(X, y, sample_weight=weights)
        return learner.fit(X, y)


def is_of(model: Any, package: str, *classes: str) -> bool:
    """Whether a model is of one of a package's classes, or made from one, without importing it."""
    return any(
        own.__module__.split(".", 1)[0] == package and (not classes or own.__name__ in classes)
        for own in type(model).__mro__
    )
