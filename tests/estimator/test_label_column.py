"""fit(df, "outcome"): the labels are a column of the table."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from bsnsing import BsnsingClassifier, BsnsingClassifierCV, BsnsingEnsemble

RNG = np.random.default_rng(0)
COLUMNS: dict[str, Any] = {
    "age": RNG.integers(18, 80, 60).tolist(),
    "plan": RNG.choice(["basic", "pro"], 60).tolist(),
}
LABELS = np.where(np.array(COLUMNS["age"]) > 50, "stay", "leave").tolist()
WITH_LABELS = {"age": COLUMNS["age"], "outcome": LABELS, "plan": COLUMNS["plan"]}
PLAIN = BsnsingClassifier.plain(min_samples_leaf=2)
MODELS: dict[str, Callable[[], Any]] = {
    "one": lambda: BsnsingClassifier.plain(min_samples_leaf=2),
    "cv": lambda: BsnsingClassifierCV(PLAIN, cv=2, shrinkages=(1,)),
    "ensemble": lambda: BsnsingEnsemble(2, estimator=PLAIN),
}
FRAMES: dict[str, Callable[[dict[str, Any]], Any]] = {
    "pandas": pd.DataFrame,
    "category": lambda data: pd.DataFrame(data).astype({"outcome": "category"}),
    "polars": pl.DataFrame,
    "arrow": pa.table,
}


@pytest.mark.parametrize("frame", FRAMES.values(), ids=FRAMES)
@pytest.mark.parametrize("make", MODELS.values(), ids=MODELS)
def test_the_column_is_the_label_and_no_part_of_the_table(
    make: Callable[[], Any], frame: Callable[[Any], Any]
) -> None:
    whole = frame(WITH_LABELS)
    table = pd.DataFrame(COLUMNS)
    model, expected = make().fit(whole, "outcome"), make().fit(table, LABELS)
    assert model.feature_names_in_.tolist() == ["age", "plan"]
    assert model.label_name_ == "outcome"
    assert model.classes_.tolist() == ["leave", "stay"]
    for X in (whole, table, pd.DataFrame(WITH_LABELS)):
        np.testing.assert_array_equal(model.predict_proba(X), expected.predict_proba(table))
    assert list(getattr(whole, "column_names", getattr(whole, "columns", None))) == [
        "age", "outcome", "plan"
    ]  # fmt: skip


@pytest.mark.parametrize("make", MODELS.values(), ids=MODELS)
def test_each_tree_ignores_the_column_too(make: Callable[[], Any]) -> None:
    frame = pd.DataFrame(WITH_LABELS)
    model = make().fit(frame, "outcome")
    for member in getattr(model, "estimators_", [getattr(model, "best_estimator_", model)]):
        assert member.predict(frame).tolist() == LABELS


@pytest.mark.parametrize("make", MODELS.values(), ids=MODELS)
def test_refit_with_labels_forgets_the_column(make: Callable[[], Any]) -> None:
    model = make().fit(pd.DataFrame(WITH_LABELS), "outcome").fit(pd.DataFrame(COLUMNS), LABELS)
    assert model.label_name_ is None
    with pytest.raises(ValueError, match="unknown 'outcome'"):
        model.predict(pd.DataFrame(WITH_LABELS))


def test_columns_whose_names_are_numbers() -> None:
    frame = pd.DataFrame({0: COLUMNS["age"], "outcome": LABELS})
    model = BsnsingClassifier.plain(min_samples_leaf=2).fit(frame, "outcome")
    assert model.predict(frame).tolist() == LABELS


@pytest.mark.parametrize("make", MODELS.values(), ids=MODELS)
@pytest.mark.parametrize(
    ("X", "y", "error", "message"),
    [
        (pd.DataFrame(WITH_LABELS), "outcom", ValueError, "'outcom', which .* mean 'outcome'?"),
        (pl.DataFrame(WITH_LABELS), "zzz", ValueError, "first columns are 'age', 'outcome'"),
        (np.zeros((60, 2)), "outcome", TypeError, "'outcome', but X is of type ndarray"),
        ([[0], [1]], "outcome", TypeError, "of type list, which is no dataframe"),
        (None, "outcome", TypeError, "of type NoneType"),
        (
            pd.DataFrame([[1, "a", "b"]], columns=["x", "outcome", "outcome"]),
            "outcome",
            ValueError,
            "'outcome' occurs 2 times",
        ),
    ],
)
def test_names_that_do_not_fit_are_refused(
    make: Callable[[], Any], X: Any, y: str, error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        make().fit(X, y)
