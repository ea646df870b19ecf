"""Dataframes of libraries that are there, and of some that are not."""

from __future__ import annotations

import sys
from types import ModuleType
from typing import Any

import numpy as np
import polars as pl
import pyarrow as pa
import pytest
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression

from bsnsing import BsnsingClassifier, BsnsingClassifierCV, BsnsingEnsemble, questions_of
from bsnsing.data.frames import take_rows, with_rows_at_hand

BATCH = pa.record_batch({"age": [1.0, 2.0, 3.0, 4.0], "plan": ["a", "a", "b", "b"]})
LABELS = [0, 0, 1, 1]
PLAIN = BsnsingClassifier.plain(min_samples_leaf=1)
MODELS = [
    PLAIN,
    BsnsingClassifierCV(PLAIN, cv=2, shrinkages=(1,)),
    BsnsingEnsemble(2, estimator=PLAIN),
]


@pytest.mark.parametrize("model", MODELS, ids=["one", "cv", "ensemble"])
def test_record_batches_keep_their_names(model: Any) -> None:
    model.fit(BATCH, LABELS)
    assert model.feature_names_in_.tolist() == ["age", "plan"]
    table = pa.Table.from_batches([BATCH])
    np.testing.assert_array_equal(model.predict_proba(BATCH), model.predict_proba(table))


def test_labels_come_out_of_a_record_batch() -> None:
    model = BsnsingClassifier.plain(min_samples_leaf=1).fit(BATCH, "plan")
    assert model.feature_names_in_.tolist() == ["age"]
    assert model.predict(BATCH).tolist() == ["a", "a", "b", "b"]


class Frame:
    """Stands for a dataframe of a library that is not installed."""

    columns = ("age",)


@pytest.mark.parametrize(
    ("module", "kind", "call"),
    [
        ("dask.dataframe", "a Dask dataframe", r"\.compute\(\)"),
        ("pyspark.sql", "a Spark dataframe", r"\.toPandas\(\)"),
    ],
)
@pytest.mark.parametrize("y", [LABELS, "age"])
def test_frames_without_rows_are_refused(
    monkeypatch: pytest.MonkeyPatch, module: str, kind: str, call: str, y: Any
) -> None:
    library = ModuleType(module)
    library.DataFrame = Frame  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, module, library)
    for model in MODELS:
        with pytest.raises(TypeError, match=f"X is {kind}, which has no rows yet. Call {call}"):
            model.fit(Frame(), y)


@pytest.mark.parametrize(
    ("X", "message"),
    [
        (pl.DataFrame({"age": [1]}).lazy(), r"a LazyFrame.* \.collect\(\) first"),
        (pa.RecordBatchReader.from_batches(BATCH.schema, [BATCH]), r"Reader.* \.read_all\(\)"),
    ],
)
@pytest.mark.parametrize("y", [LABELS, "age"])
def test_readers_and_queries_are_refused(X: Any, message: str, y: Any) -> None:
    for model in MODELS:
        with pytest.raises(TypeError, match=message):
            model.fit(X, y)
        with pytest.raises(TypeError, match=message):
            model.fit(BATCH, "plan").predict(X)


def test_other_tables_stay_as_they_are() -> None:
    for X in (np.zeros((2, 1)), [[1], [2]], pl.DataFrame({"a": [1, 2]})):
        assert with_rows_at_hand(X) is X
    assert take_rows(pl.DataFrame({"a": [1, 2, 3]}), np.array([2, 0])).to_dict(as_series=False) == {
        "a": [3, 1]
    }


def test_questions_of_models_that_are_not_fitted_or_ask_none() -> None:
    for model in (BsnsingClassifier(), BsnsingClassifierCV(), BsnsingEnsemble()):
        with pytest.raises(NotFittedError, match="is not fitted"):
            questions_of(model)
    for other in (LogisticRegression().fit([[0], [1]], [0, 1]), BsnsingClassifier, 3):
        with pytest.raises(TypeError, match="takes questions, in words or as objects"):
            questions_of(other)
    with pytest.raises(NotFittedError):
        len(BsnsingEnsemble())
    with pytest.raises(NotFittedError):
        BsnsingEnsemble()[0]
