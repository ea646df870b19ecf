"""Leaf rules and frames of nodes: the text of a rule holds for the cases of its leaf alone."""

from __future__ import annotations

import itertools
import re
import sys
from functools import cache
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from large_trees import balanced_tree, chain_tree

from bsnsing import (
    BsnsingClassifier,
    BsnsingEnsemble,
    Question,
    export_rules,
    export_text,
    nodes_frame,
    rules_frame,
)
from bsnsing.export.cells import ALL_NUMBERS, Span, meet_spans, show_spans
from bsnsing.export.rules import leaf_rules
from bsnsing.questions.pair import ColumnPair

from .test_form import MODELS, mixed_table


class Cell:
    """A cell of which every comparison fails where it is missing."""

    def __init__(self, value: Any) -> None:
        self.value = value

    @property
    def missing(self) -> bool:
        return self.value is None or self.value != self.value

    def __gt__(self, other: float) -> bool:
        return not self.missing and self.value > other

    def __ge__(self, other: float) -> bool:
        return not self.missing and self.value >= other

    def __lt__(self, other: float) -> bool:
        return not self.missing and self.value < other

    def __le__(self, other: float) -> bool:
        return not self.missing and self.value <= other

    def __eq__(self, other: object) -> bool:
        return not self.missing and self.value == other

    def __ne__(self, other: object) -> bool:
        return not self.missing and self.value != other

    __hash__ = None  # type: ignore[assignment]

    def one_of(self, *levels: Any) -> bool:
        return not self.missing and self.value in levels

    def none_of(self, *levels: Any) -> bool:
        return not self.missing and self.value not in levels


@cache
def read(rule: str) -> Any:
    """Read the text of a rule as it stands; names of columns and levels are plain words."""
    text = re.sub(r"(\w+) is not missing", r"(not \1.missing)", rule)
    text = re.sub(r"(\w+) is missing", r"\1.missing", text)
    text = re.sub(r"(\w+) not in \{(.*?)\}", r"\1.none_of(\2)", text)
    text = re.sub(r"(\w+) in \{(.*?)\}", r"\1.one_of(\2)", text)
    text = text.replace(" xor ", ") ^ (")  # which binds more tightly than the words
    return compile(text or "True", "rule", "eval")


def holds(rule: str, row: dict[str, Any]) -> bool:
    """Whether the text of a rule is true of a row."""
    names = {name: Cell(cell) for name, cell in row.items()}
    return bool(eval(read(rule), {level: level for level in "pqrs"} | names))


def table_with_gaps(seed: int) -> tuple[pd.DataFrame, np.ndarray]:
    random = np.random.RandomState(seed)
    table = pd.DataFrame(
        {
            "a": random.randint(0, 9, 400).astype(float),
            "b": random.normal(size=400).round(1) + 5,
            "c": random.choice(list("pqrs"), 400),
        }
    )
    table = table.mask(random.rand(400, 3) < [0.2, 0.0, 0.1], None)
    y = (table["a"].fillna(7) > 4).astype(int) + (table["c"] == "q") * (table["b"] > 5)
    return table, np.where(random.rand(400) < 0.1, 0, y)


@pytest.mark.parametrize("operators", [("or",), ("or", "and"), ("xor",)], ids=str)
@pytest.mark.parametrize("seed", range(3))
def test_each_case_meets_the_rule_of_its_leaf_and_no_other(
    seed: int, operators: tuple[str, ...]
) -> None:
    table, y = table_with_gaps(seed)
    model = BsnsingClassifier.plain(
        operators=operators, max_rules=2 if operators == ("xor",) else 3, min_samples_leaf=4
    ).fit(table, y)
    rules = rules_frame(model, full_levels=True)
    assert len(rules) > 8
    rows = table.head(120).to_dict("records")
    for row, leaf in zip(rows, model.apply(table.head(120)), strict=True):
        met = [
            own for own, rule in zip(rules["leaf"], rules["rule"], strict=True) if holds(rule, row)
        ]
        assert met == [leaf]


def every_row(model: BsnsingClassifier) -> list[dict[str, Any]]:
    """Rows of all combinations of cells that some question tells apart, missing ones too."""
    values: dict[str, set[Any]] = {"a": {None}, "b": {None}, "c": {*"pqrs", None}}
    for question in model.tree_.asked_questions():
        if question.column != "c" and question.value is not None:
            # Not closer: thresholds are written with some digits.
            values[question.column] |= {question.value - 0.01, question.value + 0.01}
            values[question.column] |= {question.value} if question.test == "==" else set()
    return [dict(zip("abc", cells, strict=True)) for cells in itertools.product(*values.values())]


@pytest.mark.parametrize("operators", [("or",), ("or", "and"), ("xor",)], ids=str)
def test_conditions_are_exact_and_none_is_implied_by_the_others(operators: tuple[str, ...]) -> None:
    table, y = table_with_gaps(1)
    model = BsnsingClassifier.plain(
        operators=operators, max_rules=2, min_samples_leaf=8, max_leaf_nodes=12
    ).fit(table, y)
    rows = every_row(model)
    frame = pd.DataFrame(rows).astype({"a": float, "b": float})
    leaves, is_known = model.apply(frame), model.unknown_at(frame) < 0
    assert is_known.any()
    assert not is_known.all()
    for rule in leaf_rules(model, full_levels=True):
        met = np.array([[holds(text, row) for row in rows] for text in rule.conditions])
        # Rows that meet an unknown reach no leaf, but may meet the conditions of one.
        assert (met.all(axis=0)[is_known] == (leaves[is_known] == rule.leaf)).all()
        if operators == ("xor",):
            continue  # parities are written as they are
        for place in range(len(met)):
            others = np.delete(met, place, axis=0).all(axis=0)
            assert (others & ~met[place]).any(), f"{rule.conditions[place]} is implied in {rule}"


def test_conditions_on_one_column_are_one() -> None:
    model = given(
        Question("city", "==", "p"), Question("city", "==", "q"), y=[1, 1, 0, 0, 1, 1], max_rules=2
    )
    assert export_rules(model).splitlines()[0].startswith("if city in {p, q} then 1")
    wide = given(
        Question("age", "<", 25), Question("age", ">", 55), y=[1, 0, 0, 0, 1, 1], max_rules=2
    )
    assert "if (age < 25 or age > 55) then 1" in export_rules(wide)


def test_bounds_on_a_column_are_merged() -> None:
    lines = export_rules(balanced_tree(8), sort_by="order").splitlines()
    assert lines[0] == "if x0 > 6.5 then 1 100%, 1 case, 12% of all"
    assert lines[1] == "if 5.5 < x0 <= 6.5 then 0 100%, 1 case, 12% of all"
    assert lines[-1] == "if x0 <= 0.5 then 0 100%, 1 case, 12% of all"
    deep = export_rules(chain_tree(3000), sort_by="order").splitlines()
    assert deep[1] == "if 2997.5 < x0 <= 2998.5 then 0 100%, 1 case, <0.1% of all"


def test_columns_may_be_given_other_names() -> None:
    tree = balanced_tree(2)
    assert export_rules(tree, feature_names=["age"]).splitlines()[0].startswith("if age > 0.5 then")
    assert nodes_frame(tree, feature_names=["age"])["rule"][0] == "age > 0.5"
    assert rules_frame(tree, feature_names=["age"])["rule"][0] == "age > 0.5"
    with pytest.raises(ValueError, match="feature_names must name the 1 columns"):
        export_rules(tree, feature_names=["age", "bmi"])


def given(*questions: Question, y: Any, **settings: Any) -> BsnsingClassifier:
    model = BsnsingClassifier.plain(
        min_samples_leaf=1, own_questions=False, extra_questions=list(questions), **settings
    )
    return model.fit(PEOPLE, y)


PEOPLE = pd.DataFrame({"age": [20.0, 30, 40, 50, 60, 70], "city": ["p", "q", "r", "s", "p", "q"]})


def test_what_other_conditions_settle_is_left_out() -> None:
    first = given(Question("age", ">", 35), y=PEOPLE["age"] > 35, max_rules=1)
    assert export_rules(first).splitlines()[0] == "if age > 35 then True 100%, 4 cases, 67% of all"
    # (age > 35 or city == q) holds, then age > 35 fails: the city alone is left.
    model = given(
        Question("age", ">", 35), Question("city", "==", "q"), y=[0, 1, 2, 2, 2, 2], max_rules=2
    )
    text = export_rules(model, sort_by="class")
    assert "if age <= 35 and city == q then 1" in text
    assert " or " not in text


def test_levels_are_named_the_shorter_way() -> None:
    model = given(Question("city", "in", ("p", "q", "r")), y=[0, 0, 0, 1, 0, 0])
    assert export_rules(model).splitlines() == [
        "if city != s then 0 100%, 5 cases, 83% of all",
        "if city == s then 1 100%, 1 case, 17% of all",
    ]


def test_a_single_leaf_always_answers() -> None:
    model = given(Question("age", ">", 35), y=["x"] * 6)
    assert export_rules(model) == "always x 100%, 6 cases, 100% of all"


def test_rules_are_sorted_as_asked() -> None:
    table, labels = mixed_table()
    model = MODELS["plain"].fit(table, labels)
    by_cases = rules_frame(model)
    assert by_cases["cases"].is_monotonic_decreasing
    assert by_cases["cases"].sum() == 300
    assert by_cases["share"].sum() == pytest.approx(1)
    assert rules_frame(model, sort_by="probability")["probability"].is_monotonic_decreasing
    assert rules_frame(model, sort_by="class")["label"].is_monotonic_increasing
    as_printed = [
        int(found) for found in re.findall(r"#(\d+) \d   \(", export_text(model, show_numbers=True))
    ]  # fmt: skip
    assert rules_frame(model, sort_by="order")["leaf"].tolist() == as_printed
    for_event = rules_frame(model, sort_by="probability", event=2)
    value = model.tree_.value[for_event["leaf"], 2]
    assert (np.diff(value) <= 0).all()
    assert for_event["probability"].tolist() == value.tolist()
    assert "[2 " in for_event["text"][0]
    with pytest.raises(ValueError, match=r"sort_by='size' is not known. Use one of 'cases'"):
        export_rules(model, sort_by="size")
    with pytest.raises(ValueError, match="event=7 is no class"):
        export_rules(model, event=7)


@pytest.mark.parametrize("name", MODELS)
def test_models_of_many_trees_are_written_tree_by_tree(name: str) -> None:
    table, labels = mixed_table()
    model = MODELS[name].fit(table, labels)
    nodes, rules = nodes_frame(model), rules_frame(model)
    assert len(rules) == model.get_n_leaves() == nodes["is_leaf"].sum()
    assert nodes["tree"].nunique() == len(model.trees_)
    for number, tree in enumerate(model.trees_):
        own = nodes[nodes["tree"] == number].reset_index()
        assert own["node"].tolist() == list(range(tree.n_nodes))
        assert own["parent"].tolist() == tree.parent.tolist()
        assert own["yes"].tolist() == tree.children_left.tolist()
        assert own["no"].tolist() == tree.children_right.tolist()
        assert own["rule"].isna().tolist() == tree.is_leaf.tolist()
        assert own["cases"].tolist() == tree.counts.sum(axis=1).tolist()
        for position, label in enumerate(tree.classes.tolist()):
            assert own[f"probability_{label}"].tolist() == tree.value[:, position].tolist()
        np.testing.assert_array_equal(own["objective"], tree.objective)
        assert own["path"][0] == ""
    parts = export_rules(model).split("\n\n")
    assert len(parts) == len(model.trees_)
    assert parts[0].startswith("[") == (len(model.trees_) > 1)


def test_frames_are_of_the_library_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    tree = balanced_tree(4)
    assert isinstance(nodes_frame(tree), pd.DataFrame)
    assert isinstance(rules_frame(tree, library="polars"), pl.DataFrame)
    assert nodes_frame(tree, library="pyarrow").num_rows == 7
    records = nodes_frame(tree, library="records")
    assert records[0]["rule"] == "x0 > 1.5"
    assert pl.DataFrame(records).shape == nodes_frame(tree, library="polars").shape
    assert "path" not in nodes_frame(tree, path=False)
    with pytest.raises(ValueError, match="library='spark' of nodes_frame is not known"):
        nodes_frame(tree, library="spark")
    monkeypatch.setitem(sys.modules, "pandas", None)
    assert isinstance(rules_frame(tree), pl.DataFrame)
    with pytest.raises(ImportError, match=r"pip install pandas`, or ask for library='records'"):
        rules_frame(tree, library="pandas")


def test_hostile_names_stay_on_their_line() -> None:
    table = pd.DataFrame({"a\nb": [1.0, 2, 3, 4], "x": ["u\nv", "w", "u\nv", "w"]})
    y = ["one\ntwo", "three", "three", "three"]
    model = BsnsingClassifier.plain(min_samples_leaf=1, max_rules=1).fit(table, y)
    text = export_rules(model)
    assert len(text.splitlines()) == model.get_n_leaves()
    assert '"one\\ntwo"' in text
    assert "cases_three" in nodes_frame(model)
    assert not any("\n" in name for name in nodes_frame(model))


def test_pairs_are_conditions_of_their_own() -> None:
    table = pd.DataFrame({"a": np.arange(1.0, 41), "b": np.tile([1.0, 5, 10, 20], 10)})
    ratio = Question(ColumnPair("a", "/", "b"), ">", 2.0)
    model = BsnsingClassifier.plain(
        own_questions=False, extra_questions=[ratio], operators=("or",)
    ).fit(table, table["a"] / table["b"] > 2)
    assert export_rules(model).splitlines()[0].startswith("if a / b > 2 then True 100%")


def test_spans_meet() -> None:
    above, below = (Span(1, np.inf),), (Span(-np.inf, 3, False, True),)
    assert meet_spans(above, below) == (Span(1, 3, False, True),)
    assert meet_spans(above, (Span(-np.inf, 1, False, True),)) == ()
    point = (Span(1, 1, True, True),)
    assert meet_spans(point, (Span(1, np.inf, True),)) == point
    holes = meet_spans((Span(-np.inf, 2), Span(2, np.inf)), meet_spans(above, below))
    assert show_spans("x", holes) == "1 < x <= 3 and x != 2"
    assert show_spans("x", ALL_NUMBERS) == ""
    assert show_spans("x", (Span(-np.inf, 0), Span(5, np.inf))) == "x < 0 or x > 5"


def test_other_things_are_refused() -> None:
    for call, name in ((export_rules, "export_rules"), (nodes_frame, "nodes_frame")):
        with pytest.raises(TypeError, match=f"{name} takes a fitted"):
            call(3)
    with pytest.raises(Exception, match="not fitted"):
        nodes_frame(BsnsingEnsemble())
