"""What notebooks show: scikit-learn's parameters with the tree beside, and never an error."""

from __future__ import annotations

import re
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest
import sklearn
from made_trees import HOSTILE, made_tree
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from bsnsing import BsnsingClassifier, BsnsingClassifierCV, BsnsingEnsemble

MODELS = [
    BsnsingClassifier.plain(),
    BsnsingClassifier.plain(multiclass="ovr"),
    BsnsingClassifierCV(BsnsingClassifier.plain(), cv=2),
    BsnsingEnsemble(estimator=BsnsingClassifier.plain(), n_estimators=12),
]


def cases() -> tuple[np.ndarray, np.ndarray]:
    random = np.random.RandomState(0)
    X = random.rand(120, 3)
    return X, (X[:, 0] * 3).astype(int)


def picture_of(html: str) -> ElementTree.Element:
    (picture,) = re.findall(r"<svg xmlns.*?class=\"bsnsing-tree.*?</svg>", html, re.DOTALL)[:1]
    return ElementTree.fromstring(picture)


@pytest.mark.parametrize("model", MODELS, ids=lambda model: type(model).__name__)
def test_a_fitted_model_shows_its_trees_beside_its_parameters(model: Any) -> None:
    before = clone(model)._repr_html_()
    assert "bsnsing-tree" not in before
    fitted = clone(model).fit(*cases())
    html = fitted._repr_html_()
    assert "sk-container" in html
    trees = [e for e in picture_of(html).iter() if e.get("class") == "tree"]
    assert len(trees) == min(9, len(fitted.trees_))
    assert ("and 3 more trees" in html) == (len(fitted.trees_) == 12)
    assert ("max-height" in html.split('class="bsnsing-picture"')[1][:90]) == (len(trees) > 1)
    bundle = fitted._repr_mimebundle_()
    assert "bsnsing-tree" in bundle["text/html"]
    assert bundle["text/plain"] == repr(fitted)


@pytest.mark.parametrize("model", MODELS, ids=lambda model: type(model).__name__)
def test_models_inside_others_are_shown_without_an_error(model: Any) -> None:
    X, y = cases()
    pipeline = make_pipeline(StandardScaler(), clone(model))
    grid = GridSearchCV(clone(model), {}, cv=2)
    for whole in (pipeline, grid):
        assert type(model).__name__ in whole._repr_html_()
        assert type(model).__name__ in whole.fit(X, y)._repr_html_()


def test_wrong_parameters_and_broken_models_are_shown_all_the_same() -> None:
    class Unprintable:
        def __repr__(self) -> str:
            raise RuntimeError("no text")

    model = BsnsingClassifier.plain(max_rules=-1, teacher=Unprintable())
    assert "BsnsingClassifier" in model._repr_html_()
    assert "BsnsingClassifier" in model._repr_mimebundle_()["text/html"]
    fitted = BsnsingClassifier.plain().fit(*cases())
    fitted.trees_ = [None]
    assert "BsnsingClassifier" in fitted._repr_html_()


def test_the_display_setting_of_scikit_learn_is_kept() -> None:
    fitted = BsnsingClassifier.plain().fit(*cases())
    with sklearn.config_context(display="text"):
        assert not hasattr(fitted, "_repr_html_")
        assert list(fitted._repr_mimebundle_()) == ["text/plain"]


def test_a_tree_is_shown_too() -> None:
    tree = made_tree(200, names=HOSTILE, levels=HOSTILE, classes=HOSTILE)
    html = tree._repr_html_()
    assert html is not None
    nodes = [e for e in picture_of(html).iter() if "node" in e.get("class", "").split()]
    assert len(nodes) == 2 * 24 - 1
    assert "<script" not in html
