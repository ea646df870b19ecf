"""Cuts as questions about a table: both directions, merged, the most used first."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import BaseEstimator
from sklearn.datasets import load_iris
from sklearn.ensemble import RandomForestClassifier

from bsnsing import BsnsingClassifier, ColumnPair, Question
from bsnsing.data.table import Table, read_training_table
from bsnsing.questions.donors.cuts import (
    Cut,
    LevelCut,
    MissingCut,
    ThresholdCut,
    single_cut,
    written,
)
from bsnsing.questions.donors.place import MOST_CUTS, Lender, place_cuts
from bsnsing.questions.donors.registry import lender_of


def read(X: Any, categorical: Any = "from_dtype") -> Table:
    return read_training_table(BaseEstimator(), X, categorical)


def placed(cuts: list[Cut], X: Any, **given: Any) -> list[str]:
    return [str(question) for question in place_cuts(Lender("them", cuts), read(X), **given)]


FRAME = pd.DataFrame(
    {
        "x": [1.0, 2.0, 3.0, 4.0, np.nan],
        "z": [0.0, 0.0, 1.0, 2.0, 3.0],
        "town": ["ulm", "bonn", "kiel", "ulm", None],
    }
)
COMPLETE = FRAME.iloc[:4]


# --- 32 bits ---


@given(st.floats(width=32, allow_nan=False, allow_infinity=False), st.booleans(), st.data())
def test_numbers_are_compared_in_32_bits(
    value: float, is_closed: bool, data: st.DataObject
) -> None:
    cut = single_cut("x", value, is_closed=is_closed, gain=0.0)
    near = [value, math.nextafter(value, math.inf), math.nextafter(value, -math.inf)]
    low32, high32 = (
        float(np.nextafter(np.float32(value), np.float32(s))) for s in (-np.inf, np.inf)
    )
    near += [low32, high32, (low32 + value) / 2, (high32 + value) / 2]
    near.append(data.draw(st.floats(allow_nan=False, allow_infinity=False)))
    cells = np.array([x for x in near if math.isfinite(x)])
    with np.errstate(over="ignore"):
        rounded = cells.astype(np.float32)
    expected = rounded <= np.float32(value) if is_closed else rounded < np.float32(value)
    is_ordinary = np.abs(cells) < 3e38
    np.testing.assert_array_equal(cut.low(cells)[is_ordinary], expected[is_ordinary])


def test_thresholds_of_64_bits_between_numbers_of_32() -> None:
    """As scikit-learn has them: the middle of two floats that differ in the last bit."""
    low = np.float32(1.7)
    high = np.nextafter(low, np.float32(2))
    threshold = (float(low) + float(high)) / 2
    cut = single_cut("x", threshold, is_closed=True, gain=0.0)
    cells = np.array([1.7, float(low), float(high), np.nextafter(float(low), 2.0)])
    np.testing.assert_array_equal(cut.low(cells), cells.astype(np.float32) <= threshold)
    assert written(float(low)) == 1.7


def test_a_threshold_is_written_as_short_as_it_holds() -> None:
    X = pd.DataFrame({"x": [1.5, 1.7, 1.9]})
    value = float(np.float32(1.7))  # above 1.7 in 64 bits, so that "x < value" would be wrong
    cut = single_cut("x", value, is_closed=False, gain=0.0, plain=written(value))
    assert placed([cut], X) == ["x >= 1.7", "x < 1.7"]
    # Where it does not hold, the middle of the gap does.
    close = pd.DataFrame({"x": [1.7, 1.7000001, 1.9]})
    cut = single_cut("x", value, is_closed=True, gain=0.0)
    middle = (1.7000001 + 1.9) / 2
    assert placed([cut], close) == [f"x > {middle}", f"x <= {middle}"]


# --- Directions and merging ---


def test_both_directions_of_every_cut() -> None:
    cuts: list[Cut] = [
        ThresholdCut(column="x", value=2.5),
        ThresholdCut(column="x", value=3.0, is_closed=False),
        LevelCut(column="town", levels=frozenset(["ulm"])),
    ]
    assert placed(cuts, COMPLETE) == [
        *("x > 2.5", "x <= 2.5"),
        *("town == ulm", "town in {bonn, kiel}"),
    ]
    questions = place_cuts(Lender("them", cuts), read(COMPLETE))
    for one, other in zip(questions[::2], questions[1::2], strict=True):
        cells = COMPLETE[one.column].to_numpy(dtype=object)
        assert np.array_equal(one.answer(cells), ~other.answer(cells))
        assert one.origin == other.origin == "them"


def test_cuts_with_the_same_answers_are_one() -> None:
    cuts: list[Cut] = [
        ThresholdCut(column="x", value=2.1),
        ThresholdCut(column="x", value=2.9),
        ThresholdCut(column="x", value=2.9),
        ThresholdCut(column="x", value=3.0, is_closed=False),
        ThresholdCut(column="x", value=0.5),  # all rows answer alike
        ThresholdCut(column="x", value=4.0),
        LevelCut(column="town", levels=frozenset(["ulm", "hof"])),
        LevelCut(column="town", levels=frozenset(["kiel", "bonn"])),
        LevelCut(column="town", levels=frozenset(["hof"])),
    ]
    # In the words that are used most.
    assert placed(cuts, COMPLETE) == [
        *("x > 2.9", "x <= 2.9"),
        *("town == ulm", "town in {bonn, kiel}"),
    ]


def test_missing_cells_are_asked_about_where_there_are_some() -> None:
    cuts: list[Cut] = [
        ThresholdCut(column="x", value=2.5),
        LevelCut(column="town", levels=frozenset(["ulm"])),
        MissingCut(column="z"),
    ]
    asked = placed(cuts, FRAME)
    assert asked[-2:] == ["x is missing", "town is missing"]
    assert not any(question.startswith("z") for question in asked)
    assert placed([MissingCut(column="x")], FRAME) == ["x is missing"]


def test_the_most_used_cuts_are_taken() -> None:
    X = pd.DataFrame({"x": np.arange(20.0)})
    often = [ThresholdCut(column="x", value=5.5, gain=0.1)] * 3
    gained = [ThresholdCut(column="x", value=t + 0.5, gain=float(t)) for t in (8, 3, 12)]
    again = [ThresholdCut(column="x", value=3.6, gain=0.0)]  # the same as 3.5 in this table
    asked = placed([*gained, *often, *again], X, most=3)
    assert asked == ["x > 5.5", "x <= 5.5", "x > 3.5", "x <= 3.5", "x > 12.5", "x <= 12.5"]
    equal = [ThresholdCut(column="x", value=t + 0.5) for t in (8, 3, 12)]
    assert placed(list(equal), X, most=1) == ["x > 8.5", "x <= 8.5"]


def test_a_forest_lends_no_more_than_the_limit() -> None:
    rng = np.random.default_rng(0)
    X, y = rng.random((200, 4)), rng.integers(0, 2, 200)
    forest = RandomForestClassifier(20, random_state=0).fit(X, y)
    questions = place_cuts(lender_of(forest), read(X))
    assert len(questions) == 2 * MOST_CUTS == len(set(questions))
    model = BsnsingClassifier.plain(extra_questions=forest, own_questions=False).fit(X, y)
    asked = {question for rule in model.tree_.rules if rule for question in rule.questions}
    assert asked <= set(questions)


def test_uses_are_counted_over_all_trees() -> None:
    """The rank by the obvious count: answers of each cut, told apart as text."""
    X, y = load_iris(return_X_y=True)
    forest = RandomForestClassifier(30, max_depth=3, random_state=1).fit(X, y)
    cuts = lender_of(forest).cuts
    uses: dict[tuple[Any, ...], list[float]] = {}
    for cut in cuts:
        low = cut.low(X[:, int(str(cut.column)[1:])])
        key = (cut.column, tuple(low.tolist()))
        uses.setdefault(key, []).append(cut.gain)
    ranked = sorted(uses, key=lambda key: (-len(uses[key]), -sum(uses[key])))
    questions = place_cuts(lender_of(forest), read(X), most=25)
    for (column, low), above in zip(ranked, questions[::2], strict=False):
        assert above.column == column
        assert np.array_equal(~above.answer(X[:, int(str(column)[1:])]), low)


# --- Columns of other kinds ---


def test_codes_of_a_column_of_numbers() -> None:
    X = pd.DataFrame({"x": [1.0, 2.0, 3.0, 4.0]})
    assert placed([LevelCut(column="x", levels=frozenset([1.0, 2.0]))], X) == [
        "x > 2.5",
        "x <= 2.5",
    ]
    assert placed([LevelCut(column="x", levels=frozenset([3, 4]))], X) == ["x > 2.5", "x <= 2.5"]
    assert placed([LevelCut(column="x", levels=frozenset([2]))], X) == ["x == 2"]
    assert placed([LevelCut(column="x", levels=frozenset([1, 3, 4]))], X) == ["x == 2"]
    assert placed([LevelCut(column="x", levels=frozenset([7]))], X) == []
    wide = pd.DataFrame({"x": [1.0, 2.0, 3.0, 4.0, 5.0]})
    with pytest.raises(
        ValueError, match=r"cut into sets of numbers, such as \[1.0, 3.0\].*categor"
    ):
        placed([LevelCut(column="x", levels=frozenset([1, 3]))], wide)


def test_codes_that_stand_for_nobody_knows_what() -> None:
    with pytest.raises(ValueError, match=r"'town' is cut into sets of codes, such as \[0.0, 2.0\]"):
        placed([LevelCut(column="town", levels=frozenset([2.0, 0.0]))], FRAME)


def test_thresholds_of_levels_that_are_numbers() -> None:
    table = read(pd.DataFrame({"x": [1, 2, 3, 3]}), ["x"])
    questions = place_cuts(Lender("them", [ThresholdCut(column="x", value=1.5)]), table)
    assert [str(question) for question in questions] == ["x == 1", "x in {2, 3}"]
    with pytest.raises(ValueError, match=r"'town > 1\.5' orders the levels"):
        placed([ThresholdCut(column="town", value=1.5)], FRAME)


def test_pairs_of_columns() -> None:
    pair = ColumnPair("x", "+", "z")
    assert placed([ThresholdCut(column=pair, value=2.5)], FRAME) == [
        *("x + z > 2.5", "x + z <= 2.5", "x + z is missing"),
    ]
    with pytest.raises(ValueError, match="which the table does not have"):
        placed([ThresholdCut(column=ColumnPair("x", "+", "y"), value=2.5)], FRAME)


def test_questions_without_a_table() -> None:
    lender = Lender(
        "them",
        [
            ThresholdCut(column="x", value=2.5),
            LevelCut(column="town", levels=frozenset(["ulm"]), others=frozenset(["hof", "bonn"])),
            LevelCut(column="town", levels=frozenset(["ulm", "bonn"])),
            ThresholdCut(column="x", value=2.5),
        ],
    )
    assert [str(question) for question in lender.questions()] == [
        *("x > 2.5", "x <= 2.5", "town == ulm", "town in {bonn, hof}", "town in {bonn, ulm}"),
    ]
    assert [str(question) for question in lender.questions(1)] == ["x > 2.5", "x <= 2.5"]


def test_questions_are_equal_wherever_they_came_from() -> None:
    one, other = Question("x", ">", 1.0, "rpart"), Question("x", ">", 1.0)
    assert one == other
    assert hash(one) == hash(other)
    assert repr(one) == repr(other)
    assert Question.from_dict(one.to_dict()).origin == "rpart"
    assert "origin" not in other.to_dict()
