"""What cannot be read is refused by its name, in words that say what to do."""

from __future__ import annotations

import threading
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from bsnsing import BsnsingClassifier, BsnsingClassifierCV, BsnsingEnsemble, Question
from tests.training_sets import varied

PLAIN = BsnsingClassifier.plain
Quick = varied(n_trees=3, times_rows=1)
X = np.random.default_rng(0).random((60, 3))
Y = (X[:, 0] > 0.5).astype(int)
HUGE = 10**400
MAKERS = pytest.mark.parametrize("make", [PLAIN, Quick])


@MAKERS
@pytest.mark.parametrize("scale", [1e39, 1.7e308])
def test_large_finite_numbers_are_numbers(make: Any, scale: float) -> None:
    small, large = make().fit(X, Y), make().fit(X * scale, Y)
    np.testing.assert_array_equal(small.predict(X), large.predict(X * scale))
    frame = pd.DataFrame(X * scale)
    np.testing.assert_array_equal(small.predict(X), make().fit(frame, Y).predict(frame))


@MAKERS
def test_long_doubles_are_read_and_what_a_double_cannot_hold_is_named(make: Any) -> None:
    cells = X.astype(np.longdouble)
    assert str(make().fit(cells, Y)) == str(make().fit(X, Y))
    if np.finfo(np.longdouble).max > np.finfo(np.float64).max:
        with pytest.raises(ValueError, match=r"Column 'x0' of X holds a number beyond 1"):
            make().fit(cells * np.longdouble("1e400"), Y)


@pytest.mark.parametrize("cell", [HUGE, -HUGE, Fraction(HUGE, 3), Decimal("1e400")])
def test_numbers_that_no_float_holds_are_named(cell: Any) -> None:
    frame = pd.DataFrame({"size": pd.Series([cell, 1] * 30, dtype=object)})
    with pytest.raises(ValueError, match=r"(olumn 'size' of X holds a number beyond|infinity)"):
        PLAIN().fit(frame, Y)


@MAKERS
def test_a_signalling_nan_is_a_missing_cell(make: Any) -> None:
    cells = pd.Series([Decimal("1.5"), Decimal("sNaN"), Decimal("2.5")] * 20, dtype=object)
    plain = cells.map(lambda cell: None if cell.is_snan() else cell)
    for options in ({}, {"categorical_features": ["a"]}):
        model = make(**options).fit(pd.DataFrame({"a": cells}), Y)
        expected = make(**options).fit(pd.DataFrame({"a": plain}), Y)
        assert str(model) == str(expected)


def test_views_of_text_in_arrow_are_text() -> None:
    cells = ["x", "y", None] * 20
    view = pa.table({"t": pa.array(cells, pa.string_view())})
    text = pa.table({"t": pa.array(cells)})
    np.testing.assert_array_equal(
        PLAIN().fit(view, Y).predict_proba(view), PLAIN().fit(text, Y).predict_proba(text)
    )


NUMBERS = ["ccp_alpha", "shrinkage", "time_limit", "hybrid_cap", "stop_prob", "greedy_level"]
WHOLE = ["min_samples_leaf", "max_depth", "max_bins", "n_segments", "bin_size", "n_jobs"]


@pytest.mark.parametrize("value", [HUGE, 10**5000], ids=["400 digits", "5000 digits"])
@pytest.mark.parametrize("name", [*NUMBERS, *WHOLE, "random_state"])
def test_parameters_beyond_all_bounds_are_refused_in_a_few_lines(name: str, value: int) -> None:
    with pytest.raises(ValueError, match=f"The '{name}' parameter") as caught:
        PLAIN(**{name: value}).fit(X, Y)
    assert "which no float can hold" in str(caught.value)
    assert len(str(caught.value)) < 300


@pytest.mark.parametrize("name", WHOLE)
def test_the_largest_int_is_said_where_one_is_larger(name: str) -> None:
    with pytest.raises(ValueError, match=r"Got 2147483648, which is beyond 2147483647"):
        PLAIN(**{name: 2**31}).fit(X, Y)


def test_weights_and_labels_beyond_all_bounds_are_refused() -> None:
    with pytest.raises(ValueError, match=r"a number that a float can hold. Got {0: 100000\.\.\. "):
        PLAIN(class_weight={0: HUGE}).fit(X, Y)
    with pytest.raises(ValueError, match="sample_weight holds an integer that is too large"):
        PLAIN().fit(X, Y, sample_weight=[HUGE] * 60)
    with pytest.raises(ValueError, match="integer of more than 64 bits"):
        PLAIN().fit(X, [HUGE, 1] * 30)


@pytest.mark.parametrize("labels", [[1, "a"] * 30, np.array([1, "a"] * 30, dtype=object)], ids=type)
@pytest.mark.parametrize(
    "model", [PLAIN(), BsnsingEnsemble(2, estimator=PLAIN()), BsnsingClassifierCV(PLAIN())]
)
def test_labels_that_mix_numbers_and_text_are_refused(model: Any, labels: Any) -> None:
    with pytest.raises(TypeError, match="cannot be sorted together: int, str"):
        model.fit(X, labels)


def test_labels_that_cannot_be_compared_are_named() -> None:
    with pytest.raises(TypeError, match="hold a Decimal that cannot be compared, first in row 1"):
        PLAIN().fit(X, np.array([Decimal(1), Decimal("sNaN")] * 30, dtype=object))
    listed = np.empty(60, dtype=object)
    listed[:] = [[1]] * 60
    with pytest.raises(TypeError, match="hold a list that cannot be compared, first in row 0"):
        PLAIN().fit(X, listed)


@MAKERS
def test_more_threads_than_there_can_be_are_no_trouble(make: Any) -> None:
    assert str(make(n_jobs=100_000).fit(X, Y)) == str(make().fit(X, Y))


@pytest.mark.parametrize(
    "make",
    [
        lambda **jobs: BsnsingEnsemble(3, estimator=PLAIN(), random_state=0, **jobs),
        lambda **jobs: BsnsingClassifierCV(PLAIN(), cv=2, random_state=0, **jobs),
    ],
    ids=["ensemble", "cv"],
)
def test_more_models_side_by_side_than_threads_are_no_trouble(
    make: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    started = []
    start = threading.Thread.start

    def counted(thread: threading.Thread) -> None:
        started.append(thread)
        start(thread)

    monkeypatch.setattr(threading.Thread, "start", counted)
    assert str(make(n_jobs=100_000).fit(X, Y)) == str(make().fit(X, Y))
    assert len(started) < 1000


@pytest.mark.parametrize(
    ("fields", "error", "message"),
    [
        ({}, ValueError, "'column' is not there"),
        ({"column": "a"}, ValueError, "'test' is not there"),
        ({"column": "a", "test": ">"}, ValueError, "'value' is not there"),
        ({"column": 1, "test": ">", "value": 3}, ValueError, "must be a name"),
        ({"column": "a", "test": "~", "value": 3}, ValueError, "must be one of"),
        (None, TypeError, "Got a NoneType"),
        ([], TypeError, "Got a list"),
    ],
    ids=str,
)
def test_questions_that_lack_something_say_what(
    fields: Any, error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        Question.from_dict(fields)
