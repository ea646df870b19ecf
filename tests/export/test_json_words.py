"""The text of rules in model files: in the words of dates and levels, which decide nothing."""

from __future__ import annotations

import datetime
import json
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import pandas as pd
import pytest

import bsnsing
from bsnsing import BsnsingClassifier, ModelFileError, Rule
from bsnsing.data.columns import ColumnInfo
from bsnsing.data.scales import Scale
from bsnsing.export.json_rule import JoinedQuestions, scales_of
from bsnsing.questions.coded import QuestionEncoder
from bsnsing.questions.question import Question

GRADES = ["A+", "very good", "mäßig", "C", "since"]


def table_of(n_rows: int = 600) -> pd.DataFrame:
    """Columns of all scales, with missing cells in some."""
    random = np.random.RandomState(1)
    seconds = random.randint(0, 86_400, n_rows)
    visit = np.datetime64("2021-01-01", "s") + random.randint(0, 3 * 10**7, n_rows)
    table = pd.DataFrame(
        {
            "visit": pd.Series(visit).dt.tz_localize("UTC").dt.tz_convert("Europe/Berlin"),
            "since when": np.datetime64("2020-01-01", "D") + random.randint(0, 900, n_rows),
            "clock": [
                (datetime.datetime.min + datetime.timedelta(0, int(s))).time() for s in seconds
            ],
            "wait": (random.randint(0, 10**6, n_rows) * 250_000).astype("timedelta64[us]"),
            "grade": pd.Categorical(random.choice(GRADES, n_rows), categories=GRADES, ordered=True),
        }
    )
    table.loc[::9, "since when"] = pd.NaT
    table.loc[::7, "grade"] = None
    return table


@cache
def grown() -> BsnsingClassifier:
    table = table_of()
    late = table["visit"] > pd.Timestamp("2021-06-01", tz="Europe/Berlin")
    old = table["since when"] < pd.Timestamp("2021-02-03")
    noon = np.array([cell >= datetime.time(12, 30) for cell in table["clock"]])
    long = table["wait"] > pd.Timedelta(hours=30)
    labels = late * 1 + old * 1 + noon * 1 + long * 1 + (table["grade"] > "very good") * 1 > 2
    noisy = labels.to_numpy() ^ (np.random.RandomState(2).rand(len(table)) < 0.05)
    model = BsnsingClassifier.plain(min_samples_leaf=3, max_rules=3, operators=["or", "and", "xor"])
    return model.fit(table, noisy)


def nodes_of(own: Any) -> list[Any]:
    nodes = own["model"]["fitted"]["trees_"][0]["nodes"]
    return [node for node in nodes if "questions" in node]


def test_the_text_is_what_is_printed_and_can_be_parsed() -> None:
    model = grown()
    tree, own = model.tree_, json.loads(model.to_json())
    encoder, words = QuestionEncoder(tree.columns), ""
    for node in nodes_of(own):
        words += node["rule"] + "\n"
        rule = tree.rule(node["id"])
        assert rule is not None
        assert node["rule"] == rule.text()
        read = Rule.parse(node["rule"])
        assert read.operator == rule.operator
        for ours, theirs, question in zip(
            read.questions, rule.questions, node["questions"], strict=True
        ):
            assert ours.column == theirs.column == question["column"]
            assert type(question["value"]) is float
        for ours, is_no, question in zip(
            read.questions, read.negated, node["questions"], strict=True
        ):
            _, test, number, _ = encoder.encode(ours)
            cells = question["value"] + np.array([-1.0, -0.5, 0.0, 0.5, 1.0])
            cells = np.floor(cells)  # as columns have them
            asked = cells > number if test == 0 else cells < number
            is_greater = question["test"] == ">"
            own_answers = cells > question["value"] if is_greater else cells < question["value"]
            np.testing.assert_array_equal(
                asked != is_no, own_answers != question.get("negated", False)
            )
    for part in ("visit ", '"since when" ', "clock ", "wait ", "grade ", "+02:00", "00:00"):
        assert part in words


def test_predictions_are_the_same_to_the_last_bit() -> None:
    model, table = grown(), table_of()
    loaded = bsnsing.from_json(model.to_json())
    assert loaded.predict_proba(table).tobytes() == model.predict_proba(table).tobytes()
    assert loaded.tree_.question_value.tobytes() == model.tree_.question_value.tobytes()
    assert loaded.to_json() == model.to_json()


def test_bare_numbers_are_read_too() -> None:
    own = json.loads(grown().to_json())
    columns = own["columns"]
    bare = json.loads(_without_scales().to_json())
    for node, other in zip(nodes_of(own), nodes_of(bare), strict=True):
        assert node["questions"] == other["questions"]
        node["rule"] = other["rule"]
    assert own["columns"] is columns
    table = table_of()
    loaded = bsnsing.from_json(json.dumps(own))
    assert loaded.predict_proba(table).tobytes() == grown().predict_proba(table).tobytes()


def _without_scales() -> Any:
    model = bsnsing.from_json(grown().to_json())
    bare = tuple(replace(column, scale=None) for column in model.tree_.columns)
    model.trees_ = [replace(model.tree_, columns=bare)]
    return model


def test_an_edit_of_one_side_is_seen() -> None:
    for i, node in enumerate(nodes_of(json.loads(grown().to_json()))):
        for j, question in enumerate(node["questions"]):
            own = json.loads(grown().to_json())
            nodes_of(own)[i]["questions"][j]["value"] = question["value"] + 1.0
            with pytest.raises(ModelFileError, match="but the questions beside it say"):
                bsnsing.from_json(json.dumps(own))
            del nodes_of(own)[i]["rule"]
            bsnsing.from_json(json.dumps(own))


@pytest.mark.parametrize("zone", ["UTC", "Asia/Kolkata", "America/New_York", "No/Where", "+99:99"])
def test_a_machine_with_other_clocks_reads_the_file(zone: str) -> None:
    own = json.loads(grown().to_json())
    own["columns"][0]["scale"]["zone"] = zone
    loaded = bsnsing.from_json(json.dumps(own))
    assert loaded.tree_.question_value.tobytes() == grown().tree_.question_value.tobytes()
    again = bsnsing.from_json(loaded.to_json())
    assert again.tree_.question_value.tobytes() == grown().tree_.question_value.tobytes()


MOMENT, ORDER = Scale("moment"), Scale("order", levels=("low", "mid", "high"))
ZONED = Scale("moment", "Europe/Berlin")
CASES: list[tuple[Scale, str, float, bool, str]] = [
    (MOMENT, ">", 1614643199999999.0, False, "x since 2021-03-02"),
    (MOMENT, ">", 1614643199999999.5, False, "x since 2021-03-02"),
    (MOMENT, ">", 1614643199999999.0, True, "x before 2021-03-02"),
    (MOMENT, ">", 1614643200000000.0, False, "x after 2021-03-02"),
    (MOMENT, "<", 1614643200000000.0, False, "x before 2021-03-02"),
    (ZONED, ">", 1614639599999999.0, False, "x since 2021-03-02T00:00+01:00"),
    (Scale("time"), ">", 52199999999.0, False, "x >= 14:30"),
    (Scale("duration"), "<", -1.5, False, "x < -0.000001s"),
    (ORDER, ">", 1.5, False, "x >= mid"),
    (ORDER, ">", 1.0, False, "x >= mid"),
    (ORDER, ">", 1.5, True, "x < mid"),
    (ORDER, "<", 2.5, False, "x <= mid"),
    (ORDER, "==", 3.0, False, "x == high"),
    # What no moment and no level says is told in numbers.
    (MOMENT, ">", 1e300, False, "x > 1e+300"),
    (MOMENT, "<", -1e300, False, "x < -1e+300"),
    (MOMENT, "==", 0.5, False, "x == 0.5"),
    (ORDER, ">", 3.5, False, "x > 3.5"),
    (ORDER, "<", 0.5, False, "x < 0.5"),
    (ORDER, "==", 1.5, False, "x == 1.5"),
]


@pytest.mark.parametrize(("scale", "test", "number", "negated", "text"), CASES)
def test_words_have_the_answers_of_the_numbers(
    scale: Scale, test: Any, number: float, negated: bool, text: str
) -> None:
    columns = (ColumnInfo("x", "numeric", (), scale),)
    joined = JoinedQuestions([Question("x", test, number)], [negated], "or", [False])
    assert joined.text(scales_of(columns)) == text
    assert joined.are_said_by(text, scales_of(columns, in_utc=True))
    for other in (f"{text} ", f"{text}0", text[:-1], "", text.replace("x", "y")):
        assert not joined.are_said_by(other, scales_of(columns, in_utc=True))


@pytest.mark.parametrize(
    ("text", "is_same"),
    [
        ("x since 2021-03-02T00:00+01:00", True),
        ("x since 2021-03-01T23:00+00:00", True),
        ("x since 2021-03-01T23:00Z", True),
        ("x > 1614639599999999.0", True),
        ("x since 2021-03-02T00:00+00:00", False),
        ("x after 2021-03-02T00:00+01:00", False),
        ("x since 2021-03-02", False),
        ("x since 2021-03-02T00:00", False),
        ("x since 2021-02-30T00:00+01:00", False),
        ("x since 2021-03-02T00:00+99:00", False),
        ("x since 0001-01-01T00:00+23:59", False),
        ("x since 12:30", False),
        ("x since ", False),
    ],
)
def test_moments_of_a_zone_are_compared_as_moments(text: str, is_same: bool) -> None:
    columns = (ColumnInfo("x", "numeric", (), ZONED),)
    joined = JoinedQuestions([Question("x", ">", 1614639599999999.0)], [False], "or", [False])
    assert joined.are_said_by(text, scales_of(columns, in_utc=True)) is is_same
