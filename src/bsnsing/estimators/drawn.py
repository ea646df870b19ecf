"""DrawnModel: estimators that show their trees in a notebook, beside scikit-learn's parameters."""

from __future__ import annotations

from typing import Any

from sklearn import get_config
from sklearn.utils import estimator_html_repr

from bsnsing.tree.model import TreeModel


class DrawnModel(TreeModel):
    """Base of the estimators: fitted or not, they can be shown anywhere and never raise there."""

    # scikit-learn's own ``_repr_html_`` hands this out if its ``display`` setting asks for it.
    def _repr_html_inner(self) -> str:
        return _html_of(self)

    def _repr_mimebundle_(self, **kwargs: Any) -> dict[str, str]:
        bundle = {"text/plain": _plain(self)}
        if get_config()["display"] == "diagram":
            bundle["text/html"] = _html_of(self)
        return bundle


def _html_of(model: Any) -> str:
    # On request: what draws takes longer to import than the rest.
    from bsnsing.export.notebook import beside, notebook_picture, plain_text

    # Whatever is wrong with a model, looking at it is how one finds out.
    try:
        table = str(estimator_html_repr(model))
    except Exception:
        table = plain_text(_plain(model))
    try:
        return beside(table, notebook_picture(model))
    except Exception:  # not fitted, in most cases
        return table


def _plain(model: Any) -> str:
    try:
        return repr(model)
    except Exception:
        return object.__repr__(model)
