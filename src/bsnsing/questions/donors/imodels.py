"""Trees and lists of rules of imodels."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from bsnsing.questions.donors.base import Donor, is_of
from bsnsing.questions.donors.cuts import Cut, ThresholdCut

_WRAPPERS = ("HSTree", "DecisionTreeCCPClassifier", "DecisionTreeCCPRegressor")


class ImodelsDonor(Donor):
    """FIGS, shrunken and pruned trees, C4.5 and greedy lists of rules.

    Its other trees are scikit-learn's, or ensembles, and are read as such.
    """

    def __init__(self, cuts_of: Callable[[Any], Iterator[Cut]]) -> None:
        self._cuts_of = cuts_of

    def takes(self, model: Any) -> bool:
        """Whether this is one of these."""
        own = ("FIGS", "C45TreeClassifier", "GreedyRuleListClassifier")
        return is_of(model, "imodels", *_WRAPPERS, *own)

    def is_fitted(self, model: Any) -> bool:
        """Whether it has cuts."""
        if is_of(model, "imodels", *_WRAPPERS):
            return hasattr(model, "n_features_in_")  # the tree inside is there before the fit
        return any(hasattr(model, name) for name in ("trees_", "dom_", "rules_"))

    def takes_missing(self, learner: Any) -> bool:
        """It does not."""
        return False

    def columns(self, model: Any) -> Sequence[str] | None:
        """Names, unless imodels has made them up."""
        known = getattr(model, "feature_names_", None)
        names = [] if known is None else [str(name) for name in known]
        is_made_up = all(name in (f"X_{i}", f"X{i}") for i, name in enumerate(names))
        return None if is_made_up else names

    def cuts(self, model: Any) -> Iterator[Cut]:
        """The cuts of the model."""
        if getattr(model, "categorical_features_", None):
            raise ValueError(
                f"The {type(model).__name__} has columns of categories "
                f"({list(model.categorical_features_)[:5]}), which it codes by itself. Fit it to "
                "0/1 columns, or in a Pipeline with scikit-learn's OneHotEncoder."
            )
        if is_of(model, "imodels", *_WRAPPERS):
            yield from self._cuts_of(model.estimator_)
        elif is_of(model, "imodels", "FIGS"):
            yield from _figs(model)
        elif is_of(model, "imodels", "C45TreeClassifier"):
            yield from _c45(model)
        else:
            for rule in model.rules_:
                if "cutoff" in rule:  # the last has none
                    yield ThresholdCut(
                        column=int(rule["index_col"]), value=float(rule["cutoff"]), is_closed=False
                    )


def _figs(model: Any) -> Iterator[Cut]:
    """The splits ``x <= t``, in 64 bits, of a sum of trees."""
    waiting = list(model.trees_)[::-1]
    while waiting:
        node = waiting.pop()
        if node is not None and node.left is not None:
            yield ThresholdCut(
                column=int(node.feature),
                value=float(node.threshold),
                gain=float(node.impurity_reduction or 0.0),
            )
            waiting += [node.right, node.left]


def _c45(model: Any) -> Iterator[Cut]:
    """The splits ``x < t`` of a tree in XML; each is in both of its branches."""
    place = {name: i for i, name in enumerate(model.feature_names)}
    waiting = list(model.dom_.childNodes)
    while waiting:
        node = waiting.pop(0)
        waiting += node.childNodes
        if node.nodeType == node.ELEMENT_NODE and node.getAttribute("flag") == "l":
            value = float(node.getAttribute("feature"))
            yield ThresholdCut(column=place[node.tagName], value=value, is_closed=False)
