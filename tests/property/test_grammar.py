"""Rules are read back as they are printed, whatever names and levels they hold."""

from __future__ import annotations

import contextlib
import datetime as dt
import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bsnsing import ColumnPair, ParseError, Question, Rule, parse_question
from bsnsing.questions.grammar import parse_questions

WORDS = st.sampled_from(
    ["age", "a", "or", "and", "not", "in", "is missing", "30", "> 3", "x - y", "(b)", "(", ")", '"',
     "{a, b}", "==", "=", "a=b", "c++", "yes: a", "#1", "[x]", "smokes?", "\u202e", "\n", "0x1",
     "30-39", "1+1", "2021-03-01", "3d", "14:30", "2021-99-99", "2d 3h", "since", "A-", "1.2.3",
     "naïve", "价格", "🙂", "'", "\\", "%", "before 2020", "a\u00a0b", "Or", "1e5", "inf", " "]
)  # fmt: skip
NAMES = st.one_of(st.text(max_size=12), st.lists(WORDS, max_size=4).map(" ".join), WORDS)
NUMBERS = st.one_of(
    st.floats(allow_nan=False, allow_infinity=False),
    st.integers(-100, 100).map(float),
    st.integers(-100, 100).map(lambda whole: math.nextafter(whole, math.inf)),
    st.decimals(-10, 10, places=2).map(float).map(lambda cut: math.nextafter(cut, -math.inf)),
)
LEVELS = st.one_of(
    NAMES, st.integers(-(10**30), 10**30), st.booleans(), st.floats(allow_nan=False, width=32)
)
PAIRS = st.one_of(
    st.builds(ColumnPair, NAMES, st.sampled_from("*/"), NAMES),
    st.builds(
        ColumnPair,
        NAMES,
        st.sampled_from("+-"),
        NAMES,
        st.floats(allow_nan=False, allow_infinity=False).filter(bool),
    ),
)
SUBJECTS = st.one_of(NAMES, NAMES, PAIRS)
MOMENTS = st.one_of(
    st.datetimes(),
    st.datetimes(timezones=st.sampled_from([dt.timezone.utc, dt.timezone(dt.timedelta(hours=-5))])),
    st.dates().map(lambda day: dt.datetime(day.year, day.month, day.day)),
    st.times(),
    st.timedeltas(),
)
QUESTIONS = st.one_of(
    st.builds(Question, NAMES, st.sampled_from("<>"), MOMENTS),
    st.builds(Question, NAMES, st.sampled_from(["<", ">", "<=", ">="]), NAMES),
    st.builds(Question, SUBJECTS, st.sampled_from("<>"), NUMBERS),
    st.builds(Question, NAMES, st.just("=="), LEVELS),
    st.builds(Question, NAMES, st.just("in"), st.lists(LEVELS, max_size=12).map(tuple)),
    st.builds(Question, SUBJECTS, st.just("is missing")),
)


@given(QUESTIONS)
@settings(max_examples=400, deadline=None)
def test_a_question_is_read_back_as_it_is_printed(question: Question) -> None:
    text = str(question)
    assert text.isprintable()
    assert parse_question(text) == question


@given(
    st.lists(st.tuples(QUESTIONS, st.booleans()), min_size=1, max_size=4),
    st.sampled_from(["or", "and", "xor"]),
)
@settings(max_examples=200, deadline=None)
def test_a_rule_is_read_back_as_it_is_printed(literals, operator: str) -> None:
    rule = Rule(tuple(q for q, _ in literals), tuple(n for _, n in literals), operator)
    read = Rule.parse(str(rule))
    assert read == rule
    assert str(read) == str(rule)


@given(st.text(max_size=40) | st.lists(WORDS, max_size=8).map(" ".join))
@settings(max_examples=400, deadline=None)
def test_other_text_is_refused_and_never_worse(text: str) -> None:
    with contextlib.suppress(ParseError):
        Rule.parse(text)


DAYS = [dt.date(2021, 2, 28), dt.datetime(2021, 3, 1), None]


@pytest.mark.parametrize(
    ("text", "cells", "answers"),
    [
        ("bmi >= 30", [29.999, 30.0, None], [False, True, False]),
        ("bmi <= 30", [30.0, 30.001, None], [True, False, False]),
        ("0 <= x", [-5e-324, 0.0], [False, True]),
        ("stage in {III, IV}", ["II", "IV", None], [False, True, False]),
        ("code == 7", [7, 8], [True, False]),
        ('code == "7"', ["7", "8"], [True, False]),
        ("smokes = true", [True, False], [True, False]),
        ("marker is missing", [None, 3.0], [True, False]),
        ("visit before 2021-03-01", DAYS, [True, False, False]),
        ("visit since 2021-03-01", DAYS, [False, True, False]),
        ("visit until 2021-03-01", DAYS, [True, True, False]),
        ("visit > 2021-02-28T23:59", DAYS, [False, True, False]),
        ("wait <= 1h 30min", [dt.timedelta(minutes=90), dt.timedelta(hours=2)], [True, False]),
        ("at >= 14:30", [dt.time(14, 30), dt.time(14, 29)], [True, False]),
        ("band == 30-39", ["30-39", "40-49"], [True, False]),
    ],
)
def test_questions_in_words_answer_as_they_read(text: str, cells, answers) -> None:
    assert parse_question(text).answer(cells).tolist() == answers


def test_a_range_is_two_questions() -> None:
    assert [str(q) for q in parse_questions("30 < age <= 65")] == ["age > 30", "age <= 65"]
    assert str(Rule.parse("65 >= age > 30 and bmi > 2")) == "age <= 65 and age > 30 and bmi > 2"
    with pytest.raises(ParseError, match="joined by 'and'"):
        Rule.parse("bmi > 2 or 30 < age < 65")
    with pytest.raises(ParseError, match="two questions"):
        parse_question("30 < age < 65")


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("bmi >", 5),
        ("bmi > 1e", 6),
        ("visit before 2021-02-30", 13),
        ("at > 25:00", 5),
        ("a / b > x", 8),
        ("a > 3 or b < 2 and c > 1", 15),
        ("a in {x y}", 8),
        ("", 0),
        ("a > 3 )", 6),
        ('a == "x', 5),
        ("3 < a > 4", 6),
        ("__import__('os').system('x')", 28),
        ("a > 1e", 4),
        ("a > 1e999", 4),
        ("b > 1 or a < -inf", 13),
        ("a <= 1.7976931348623157e308", 5),
        ("1e999 > a", 0),
        ("1 < a <  1e999", 9),
    ],
)
def test_errors_point_at_the_place(text: str, place: int) -> None:
    with pytest.raises(ParseError) as caught:
        Rule.parse(text)
    assert caught.value.place == place
    assert str(caught.value).endswith("\n  " + " " * place + "^")


@pytest.mark.parametrize(
    "text", ["not(" * 100_000, "not (not (a > 1))", "a > 1 or not(" + "NOT (" * 9]
)
def test_negation_of_a_negation_is_refused_however_deep(text: str) -> None:
    with pytest.raises(ParseError, match="not negated itself"):
        Rule.parse(text)


@pytest.mark.parametrize("value", [math.inf, -math.inf, 10**400])
@pytest.mark.parametrize("test", ["<", ">"])
def test_no_question_compares_with_what_is_not_finite(test, value) -> None:
    with pytest.raises(ValueError, match="finite number"):
        Question("a", test, value)
