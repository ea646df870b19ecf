"""The questions of a table against a plain reading of the rules for asking, and Question itself."""

from __future__ import annotations

import json
import math
from collections import Counter
from itertools import pairwise
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from sklearn.tree import DecisionTreeClassifier

from bsnsing import BsnsingClassifier, Question, ask_questions
from bsnsing.data.show import show_column, show_name
from bsnsing.estimators.donors import questions_of

NAN = float("nan")


# --- A plain reading of the rules for asking ---


def majority(y: list[Any]) -> Any:
    """The most frequent label; of equals the last."""
    counts = Counter(y)
    return max(label for label in counts if counts[label] == max(counts.values()))


def cuts(cells: list[Any], y: list[Any], target: Any, test: str) -> list[tuple[float, float]]:
    """Neighbouring values between which a question may cut, in ascending order."""
    values = sorted({cell for cell in cells if cell == cell})
    classes: dict[float, set[bool]] = {value: set() for value in values}
    for cell, label in zip(cells, y, strict=True):
        if cell == cell:
            classes[cell].add(label == target)
    wanted_below = test == "<"  # `<` singles out target cases below, `>` those above
    return [
        (low, high)
        for low, high in pairwise(values)
        if wanted_below in classes[low] and (not wanted_below) in classes[high]
    ]


def number_questions(
    name: str,
    cells: list[Any],
    y: list[Any],
    targets: list[Any],
    max_values_as_levels: int,
    negation: bool,
) -> list[Question]:
    values = sorted({cell for cell in cells if cell == cell})
    is_zero_one = bool(values) and set(values) <= {0, 1}
    questions = []
    if not is_zero_one:
        has_missing = any(cell != cell for cell in cells)
        # A negated `>` does the work of `<`, but for missing cells.
        for test in (">",) if negation and not has_missing else (">", "<"):
            directions = (">", "<") if negation else (test,)
            places = {c for t in targets for d in directions for c in cuts(cells, y, t, d)}
            questions += [Question(name, test, (low + high) / 2) for low, high in sorted(places)]
    if is_zero_one or len(values) <= max_values_as_levels:
        ordered = values[::-1] if is_zero_one else values
        questions += [Question(name, "==", float(value)) for value in ordered]
    return [*questions, Question(name, "is missing")]


def level_questions(name: str, cells: list[Any], bin_size: int) -> list[Question]:
    """Those of a column with few levels."""
    counts = Counter(cell for cell in cells if cell is not None)
    rare = tuple(level for level in sorted(counts) if counts[level] < bin_size)
    questions = [Question(name, "==", level) for level in sorted(counts)]
    if len(rare) > 1:
        questions.append(Question(name, "in", rare))
    return [*questions, Question(name, "is missing")]


def tells_apart(question: Question, cells: list[Any]) -> bool:
    return len(set(question.answer(cells).tolist())) == 2


# --- Against it ---

NUMBERS = st.sampled_from([-1.5, 0.0, 1.0, 2.0, 2.5, 4.0, 7.0, NAN])
LEVELS = st.sampled_from(["a", "b", "c", "d d", None])


@st.composite
def tables(draw: st.DrawFn) -> tuple[pd.DataFrame, list[str]]:
    n_rows = draw(st.integers(1, 25))

    def column(cells: st.SearchStrategy[Any]) -> list[Any]:
        return draw(st.lists(cells, min_size=n_rows, max_size=n_rows))

    X = pd.DataFrame(
        {
            "n": np.array(column(NUMBERS), dtype=float),
            "wide": np.array(column(st.integers(-3, 12)), dtype=float),
            "bit": np.array(column(st.sampled_from([0.0, 1.0, NAN])), dtype=float),
            "flag": pd.array(column(st.sampled_from([True, False, None])), dtype="boolean"),
            "level": pd.Series(column(LEVELS), dtype=object),
            "text": pd.Series(column(LEVELS), dtype="string"),
        }
    )
    return X, column(st.sampled_from(["p", "q", "r"]))


def cells_of(X: pd.DataFrame, name: str) -> list[Any]:
    missing = NAN if name in ("n", "wide", "bit", "flag") else None
    return [missing if pd.isna(cell) else cell for cell in X[name]]


@given(
    table=tables(),
    max_values_as_levels=st.sampled_from([0, 3, 10]),
    bin_size=st.integers(1, 9),
    target=st.sampled_from([None, "p", "q", "r"]),
    negation=st.booleans(),
)
def test_questions_follow_the_rules(
    table: tuple[pd.DataFrame, list[str]],
    max_values_as_levels: int,
    bin_size: int,
    target: str | None,
    negation: bool,
) -> None:
    X, y = table
    target = target if target in y else None
    pool = ask_questions(
        X,
        y,
        target=target,
        max_values_as_levels=max_values_as_levels,
        bin_size=bin_size,
        negation=negation,
    )
    # Without a target: the most frequent class or, of more than two, each in turn.
    classes = sorted(set(y))
    targets = [target] if target else classes if len(classes) > 2 else [majority(y)]
    expected: list[Question] = []
    for name in X:
        cells = cells_of(X, name)
        if name in ("level", "text"):
            asked = level_questions(name, cells, bin_size)
        else:
            asked = number_questions(name, cells, y, targets, max_values_as_levels, negation)
        expected += [question for question in asked if tells_apart(question, cells)]
    assert pool.questions == expected
    assert pool.answers.shape == (len(y), len(expected))
    for question, answers in zip(pool.questions, pool.answers.T, strict=True):
        assert answers.tolist() == question.answer(cells_of(X, question.column)).tolist()


@given(table=tables(), seed=st.integers(0, 99))
def test_row_order_does_not_matter(table: tuple[pd.DataFrame, list[str]], seed: int) -> None:
    X, y = table
    order = np.random.default_rng(seed).permutation(len(y))
    pool = ask_questions(X, y, n_segments=2, max_levels=2)
    shuffled = ask_questions(X.iloc[order], np.array(y)[order], n_segments=2, max_levels=2)
    assert shuffled.questions == pool.questions
    assert np.array_equal(shuffled.answers, pool.answers[order])


@given(table=tables(), seed=st.integers(0, 99))
def test_whole_weights_are_repeated_rows(table: tuple[pd.DataFrame, list[str]], seed: int) -> None:
    X, y = table
    weight = np.random.default_rng(seed).integers(1, 4, len(y))
    rows = np.repeat(np.arange(len(y)), weight)
    options = {"n_segments": 2, "max_levels": 2}
    pool = ask_questions(X, y, sample_weight=weight, **options)
    repeated = ask_questions(X.iloc[rows], np.array(y)[rows], **options)
    assert pool.questions == repeated.questions
    assert np.array_equal(pool.answers[rows], repeated.answers)


@given(
    cells=st.lists(st.integers(0, 60), min_size=2, max_size=120),
    n_segments=st.integers(1, 8),
    seed=st.integers(0, 99),
)
def test_thinning_keeps_the_outermost(cells: list[int], n_segments: int, seed: int) -> None:
    y = np.random.default_rng(seed).choice(["p", "q"], len(cells)).tolist()
    X = np.array(cells, dtype=float).reshape(-1, 1)
    pool = ask_questions(X, y, n_segments=n_segments, max_values_as_levels=0)
    if set(cells) <= {0, 1}:
        return
    for test in (">", "<"):
        found = [q.value for q in pool.questions if q.test == test]
        middles = [(low + high) / 2 for low, high in cuts(cells, y, majority(y), test)]
        assert found == sorted(set(found))
        assert set(found) <= set(middles)
        assert len(found) == min(n_segments, len(middles))
        if len(middles) > 1 and n_segments > 1:
            assert (found[0], found[-1]) == (middles[0], middles[-1])


@pytest.mark.parametrize("n_segments", [2, 5, 20])
@pytest.mark.parametrize("power", [1, 3], ids=["even", "skewed"])
def test_thinning_leaves_about_equal_counts(n_segments: int, power: int) -> None:
    values = np.arange(1000.0) ** power
    pool = ask_questions(values.reshape(-1, 1), np.arange(1000) % 2, n_segments=n_segments)
    for test in (">", "<"):
        found = [q.value for q in pool.questions if q.test == test]
        ranks = np.searchsorted(values, found)
        gaps = np.diff(ranks)
        assert len(found) == n_segments
        assert np.abs(gaps - gaps.mean()).max() <= 4


def test_one_segment_cuts_in_the_middle() -> None:
    pool = ask_questions(np.arange(100.0).reshape(-1, 1), np.arange(100) % 2, n_segments=1)
    assert [q.test for q in pool.questions] == [">", "<"]
    assert all(45 < q.value < 55 for q in pool.questions)


@pytest.mark.parametrize("max_levels", [2, 5, 12, 30])
@pytest.mark.parametrize("n_rare", [0, 7])
def test_many_levels_are_grouped_by_share_of_the_target(max_levels: int, n_rare: int) -> None:
    rng = np.random.default_rng(max_levels)
    cells = rng.integers(0, 40, 2000)
    cells[:40] = np.arange(40)
    y = (rng.random(2000) < (cells % 10) / 10).astype(int)
    names = [f"L{cell:02}" for cell in cells] + [f"rare{i}" for i in range(n_rare) for _ in "ab"]
    labels = [*y.tolist(), *[0, 1] * n_rare]
    pool = ask_questions(pd.DataFrame({"c": names}), labels, max_levels=max_levels)
    groups = [q.value if q.test == "in" else (q.value,) for q in pool.questions]
    assert len(groups) <= max_levels
    assert sorted(level for group in groups for level in group) == sorted(set(names))
    if n_rare:
        assert groups.pop() == tuple(f"rare{i}" for i in range(n_rare))
    is_target = pd.Series(labels) == majority(labels)
    share = is_target.groupby(names).mean()
    for lower, higher in pairwise(groups):
        assert share[list(lower)].max() <= share[list(higher)].min() + 1e-12


def test_no_more_levels_than_allowed_are_asked_one_by_one() -> None:
    X = pd.DataFrame({"c": [f"L{i:02}" for i in range(30) for _ in range(6)]})
    y = np.arange(180) % 2
    assert [q.test for q in ask_questions(X, y).questions] == ["=="] * 30
    assert "in" in [q.test for q in ask_questions(X, y, max_levels=29).questions]


# --- Cuts survive at their edges ---


@pytest.mark.parametrize("target", [0, 1])
def test_perfect_separation_keeps_its_cut(target: int) -> None:
    X = np.array([1.0, 2, 3, 3, 10, 10, 11, 15]).reshape(-1, 1)
    pool = ask_questions(X, [0] * 4 + [1] * 4, target=target, max_values_as_levels=0)
    assert pool.questions == [Question("x0", ">" if target else "<", 6.5)]


TIGHT = [
    (1.0, np.nextafter(1.0, 2)),
    (-1.0, np.nextafter(-1.0, 0)),
    (0.1 + 0.2, 0.3),
    (0.0, 5e-324),
    (-5e-324, 0.0),
    (2.0**53, 2.0**53 + 2),
    (1e300, np.nextafter(1e300, np.inf)),
    (-1.7e308, 1.7e308),
    (1.7e308, np.finfo(float).max),
    (1e-310, 2e-310),
    (2, np.nextafter(3.0, 0)),
]


@pytest.mark.parametrize("is_turned", [False, True])
@pytest.mark.parametrize("max_values_as_levels", [0, 10])
@pytest.mark.parametrize("pair", TIGHT, ids=str)
def test_neighbouring_numbers_are_told_apart(
    pair: tuple[float, float], max_values_as_levels: int, is_turned: bool
) -> None:
    low, high = sorted(pair)
    X = np.array([[low], [high], [low], [high], [high]])
    y = (X[:, 0] > low) ^ is_turned
    pool = ask_questions(X, y, max_values_as_levels=max_values_as_levels)
    for question, answers in zip(pool.questions, pool.answers.T, strict=True):
        assert answers.tolist() == question.answer(X[:, 0]).tolist()
        assert math.isfinite(question.value)
    model = BsnsingClassifier.plain(min_samples_leaf=1, max_values_as_levels=max_values_as_levels)
    assert np.array_equal(model.fit(X, y).predict(X), y)


@given(
    values=st.lists(
        st.floats(allow_nan=False, allow_infinity=False), min_size=2, max_size=12, unique=True
    )
)
@example(values=[-0.0, 1e-320, -1e-320])
@example(values=[-np.finfo(float).max, 0.0, np.finfo(float).max])
def test_any_numbers_are_told_apart(values: list[float]) -> None:
    X = np.array(sorted(values)).reshape(-1, 1)
    y = np.arange(len(X)) % 2
    assert len({tuple(row) for row in ask_questions(X, y).answers.tolist()}) == len(X)
    model = BsnsingClassifier.plain(min_samples_leaf=1, max_rules=1, criterion="entropy").fit(X, y)
    counts = np.zeros_like(model.tree_.counts)
    np.add.at(counts, (model.apply(X), y), 1)
    assert np.array_equal(counts[model.tree_.is_leaf], model.tree_.counts[model.tree_.is_leaf])


@pytest.mark.parametrize("n_missing", [0, 1])
@pytest.mark.parametrize("n_segments", [20, 300])
@pytest.mark.parametrize("n_values", [254, 255, 256, 257, 1000, 65535, 65536])
def test_answers_where_codes_grow_by_a_byte(n_values: int, n_segments: int, n_missing: int) -> None:
    values = np.random.default_rng(0).permutation(n_values) * 1.5
    cells = np.concatenate([values, [NAN] * n_missing])
    y = np.arange(len(cells)) % 2
    pool = ask_questions(cells.reshape(-1, 1), y, n_segments=n_segments)
    assert len(pool.questions) > 20
    for question, answers in zip(pool.questions, pool.answers.T, strict=True):
        expected = {
            ">": cells > (question.value or 0),
            "<": cells < (question.value or 0),
            "is missing": np.isnan(cells),
        }
        assert np.array_equal(answers, expected[question.test])


def test_negative_zero_is_zero() -> None:
    pool = ask_questions(np.array([[-0.0], [0.0], [2.0], [2.0]]), [0, 0, 1, 1])
    assert {q.value for q in pool.questions if q.test == "=="} == {0.0, 2.0}
    assert pool.answers[0].tolist() == pool.answers[1].tolist()


@pytest.mark.parametrize("cells", [[NAN] * 4, [3.0] * 4, [0.0] * 4], ids=str)
def test_columns_that_tell_nothing_are_not_asked(cells: list[float]) -> None:
    assert ask_questions(np.array(cells).reshape(-1, 1), [0, 1, 0, 1]).questions == []


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"target": "z"}, "target='z'"),
        ({"n_segments": 0}, "n_segments.* 0"),
        ({"max_levels": 1}, "max_levels.* 1"),
        ({"max_values_as_levels": -1}, "max_values_as_levels.* -1"),
        ({"bin_size": 0}, "bin_size.* 0"),
        ({"categorical_features": "x"}, "categorical_features"),
        ({"sample_weight": [1]}, "sample_weight"),
    ],
)
def test_wrong_options_are_named(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        ask_questions([[1.0], [2.0]], ["a", "b"], **options)


# --- Question ---


@pytest.mark.parametrize(
    ("question", "text", "negated", "negated_with_missing"),
    [
        (Question("age", ">", 35.0), "age > 35", "age <= 35", "not (age > 35)"),
        (Question("age", "<", 0.125), "age < 0.125", "age >= 0.125", "not (age < 0.125)"),
        (Question("age", "==", 7), "age == 7", "age != 7", "not (age == 7)"),
        (Question("c", "==", "x"), "c == x", "c != x", "not (c == x)"),
        (Question("c", "in", ("x", "y z")), 'c in {x, "y z"}', 'c not in {x, "y z"}',
         'not (c in {x, "y z"})'),
        (Question("c", "is missing"), "c is missing", "c is not missing", "c is not missing"),
        (Question("c", "==", ""), 'c == ""', 'c != ""', 'not (c == "")'),
        (Question("c", "==", 'say "hi"'), 'c == "say \\"hi\\""', 'c != "say \\"hi\\""',
         'not (c == "say \\"hi\\"")'),
        (Question("größe", "==", "sehr groß"), 'größe == "sehr groß"', 'größe != "sehr groß"',
         'not (größe == "sehr groß")'),
    ],
)  # fmt: skip
def test_text(question: Question, text: str, negated: str, negated_with_missing: str) -> None:
    assert str(question) == question.text() == question.text(has_missing=True) == text
    assert question.text(negated=True) == negated
    assert question.text(negated=True, has_missing=True) == negated_with_missing


def test_negations_are_what_they_say() -> None:
    cells = [1.0, 2.0, None]
    question = Question("n", ">", 1.5)
    assert (~question.answer(cells)).tolist() == [True, False, True]
    assert question.answer(cells).tolist() == [False, True, False]


@pytest.mark.parametrize("missing", [None, NAN, pd.NA, pd.NaT, np.float64("nan")])
@pytest.mark.parametrize(
    ("question", "cells", "answers"),
    [
        (Question("c", ">", 1), [1, 2.5], [False, True]),
        (Question("c", "<", 2), [np.int8(1), np.float32(2.5)], [True, False]),
        (Question("c", "==", 1), [True, 0], [True, False]),
        (Question("c", "==", "x"), ["x", "y"], [True, False]),
        (Question("c", "in", ("x", "z")), ["z", "y"], [True, False]),
    ],
)
def test_answers(question: Question, cells: list[Any], answers: list[bool], missing: Any) -> None:
    assert question.answer([*cells, missing]).tolist() == [*answers, False]
    missed = Question("c", "is missing").answer([*cells, missing])
    assert missed.tolist() == [False, False, True]
    assert question.answer([]).tolist() == []


@pytest.mark.parametrize(
    ("test", "value", "message"),
    [
        ("=>", 1, "'=>'"),
        ("", 1, "''"),
        (">=", 1, "levels that have an order"),
        ("<", None, "None"),
        (">", NAN, "nan"),
        ("in", "ab", "'ab'"),
        ("in", ["a"], r"\['a'\]"),
    ],
)
def test_questions_that_make_no_sense_are_refused(test: Any, value: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Question("age", test, value)


def test_questions_are_frozen_and_can_be_kept_in_sets() -> None:
    question = Question("c", "in", ("a", "b"))
    assert len({question, Question("c", "in", ("a", "b")), Question("c", "in", ("a",))}) == 2
    with pytest.raises(AttributeError):
        question.column = "d"


# --- JSON ---

ANY_LEVEL = st.text() | st.integers() | st.floats(allow_nan=False, allow_infinity=False)
QUESTIONS = st.one_of(
    st.builds(Question, st.text(), st.sampled_from(["<", ">"]), st.floats(-1e300, 1e300)),
    st.builds(Question, st.text(), st.just("=="), ANY_LEVEL | st.booleans()),
    st.builds(Question, st.text(), st.just("in"), st.lists(ANY_LEVEL).map(tuple)),
    st.builds(Question, st.text(), st.just("is missing")),
)


@given(question=QUESTIONS)
def test_json_round_trip(question: Question) -> None:
    text = json.dumps(question.to_dict())
    assert Question.from_dict(json.loads(text)) == question


@given(question=QUESTIONS, negated=st.booleans(), has_missing=st.booleans())
def test_every_question_is_one_line(question: Question, negated: bool, has_missing: bool) -> None:
    text = question.text(negated=negated, has_missing=has_missing)
    assert len(text.splitlines()) == 1


@pytest.mark.parametrize("value", [np.int64(3), np.float32(0.5), (np.int64(1), np.str_("a"))])
def test_json_of_numpy_values(value: Any) -> None:
    question = Question("c", "in" if isinstance(value, tuple) else "==", value)
    assert Question.from_dict(json.loads(json.dumps(question.to_dict()))) == question


def test_asked_questions_go_through_json() -> None:
    X = pd.DataFrame({"n": [1, None, 3, 4], "c": ["a", "b", "b", None], "b": [True, False] * 2})
    questions = ask_questions(X, [0, 0, 1, 0]).questions
    assert {q.test for q in questions} == {">", "<", "==", "in", "is missing"}
    through = [Question.from_dict(json.loads(json.dumps(q.to_dict()))) for q in questions]
    assert through == questions


# --- Strange names and levels ---

STRANGE = [
    "two words",
    "quote ' and \"",
    "line\nbreak",
    "tab\t",
    "x > 1 or y",
    "größe",
    "年齢",
    "🙂",
    "line\u2028separator",
    "",
    " ",
    "{x}",
    "%s",
    "\\",
    "nan",
    "__import__('os').system('touch evaluated')",
]


@pytest.mark.parametrize("name", STRANGE)
def test_strange_names_are_only_names(name: str, tmp_path: Any, monkeypatch: Any) -> None:
    monkeypatch.chdir(tmp_path)
    X = pd.DataFrame({name: [1.5, 2, 3, 4], "other": [0, 0, 0, 0]})
    model = BsnsingClassifier.plain(min_samples_leaf=1).fit(X, [0, 0, 1, 1])
    assert model.tree_.rules[0].questions == (Question(name, ">", 2.5),)
    assert model.predict(X[["other", name]]).tolist() == [0, 0, 1, 1]
    assert len(str(model).splitlines()) == 3
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("level", STRANGE)
def test_strange_levels_are_only_levels(level: str, tmp_path: Any, monkeypatch: Any) -> None:
    monkeypatch.chdir(tmp_path)
    X = pd.DataFrame({"c": [level, level, "b", "d"]})
    model = BsnsingClassifier.plain(min_samples_leaf=1, operators=("or",)).fit(X, [1, 1, 0, 0])
    assert model.tree_.rules[0].questions == (Question("c", "==", level),)
    assert model.predict(X).tolist() == [1, 1, 0, 0]
    assert len(str(model).splitlines()) == 3
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("label", STRANGE)
def test_strange_labels_are_only_labels(label: str) -> None:
    y = np.array([label, label, "b", "b"])
    model = BsnsingClassifier.plain(min_samples_leaf=1).fit([[1], [2], [3], [4]], y)
    assert model.predict([[1]]).tolist() == [label]
    assert len(str(model).splitlines()) == 3


def test_missing_cells_that_alone_go_another_way_in_scikit_learn_are_asked_about() -> None:
    X = np.array([[1.0], [np.nan], [2.0], [np.nan]] * 10)
    theirs = DecisionTreeClassifier().fit(X, np.isnan(X[:, 0]))
    assert np.isinf(theirs.tree_.threshold[0])
    assert questions_of(theirs) == [Question("x0", "is missing")]


@pytest.mark.parametrize(
    ("name", "shown"),
    [("", '""'), (" ", '" "'), ("   ", '"   "'), ("\t", r'"\t"'), ("\u00a0", r'"\u00a0"')],
)
def test_blank_names_are_seen(name: str, shown: str) -> None:
    assert show_column(name) == show_name(name) == shown
    assert str(Question(name, "is missing")) == f"{shown} is missing"
