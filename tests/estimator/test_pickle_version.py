"""Pickles carry the version of the package, and say so when it differs."""

from __future__ import annotations

import copy
import pickle
import warnings

import joblib
import numpy as np
import pytest
import sklearn.exceptions
from export.models import fitted, trial_rows

import bsnsing
from bsnsing import BsnsingClassifier, BsnsingClassifierCV, InconsistentVersionWarning

MODELS = ("default", "one tree per class", "ensemble")


@pytest.mark.parametrize("name", MODELS)
def test_pickles_of_this_version_come_back_without_a_word(name: str) -> None:
    model, rows = fitted(name), trial_rows(name)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for again in (pickle.loads(pickle.dumps(model)), copy.deepcopy(model), copy.copy(model)):
            np.testing.assert_array_equal(again.predict_proba(rows), model.predict_proba(rows))
            assert vars(again).keys() == vars(model).keys()
            assert not again.trees_[0].value.flags.writeable
            assert joblib.hash(again.get_params()) == joblib.hash(model.get_params())


def test_pickles_of_another_version_are_told(monkeypatch: pytest.MonkeyPatch) -> None:
    X, y = np.arange(40.0)[:, None], np.arange(40) > 19
    models = [
        BsnsingClassifier.plain().fit(X, y),
        BsnsingClassifierCV(BsnsingClassifier.plain(), cv=2).fit(X, y),
        BsnsingClassifier(),
    ]
    with monkeypatch.context() as other:
        other.setattr("bsnsing.data.version.__version__", "9.9")
        pickles = [pickle.dumps(model) for model in models]
        of_tree = pickle.dumps(models[0].tree_)
    for model, pickled in zip(models, pickles, strict=True):
        with pytest.warns(InconsistentVersionWarning) as caught:
            again = pickle.loads(pickled)
        told = [str(warning.message) for warning in caught]
        name = type(model).__name__
        assert any(
            f"This {name} was pickled by bsnsing 9.9, and this is bsnsing {bsnsing.__version__}"
            in message
            for message in told
        )
        assert repr(again) == repr(model)
    with pytest.warns(sklearn.exceptions.InconsistentVersionWarning, match="Tree was pickled by"):
        pickle.loads(of_tree)


def test_pickles_without_a_version_are_told() -> None:
    model = BsnsingClassifier()
    with pytest.warns(InconsistentVersionWarning, match="of an unknown version"):
        model.__setstate__({"max_rules": 2})
    assert model.max_rules == 2
