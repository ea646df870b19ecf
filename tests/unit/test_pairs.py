"""Numbers made of two columns, and questions about them."""

from __future__ import annotations

import json

import numpy as np
import pytest

from bsnsing import BsnsingClassifier, ColumnPair, Question
from bsnsing.data.table import read_training_table
from bsnsing.questions.pair import check_pair, pair_columns

NAN = np.nan


@pytest.mark.parametrize(
    ("pair", "text", "numbers"),
    [
        (ColumnPair("a", "+", "b"), "a + b", [3, 5, NAN, 0]),
        (ColumnPair("a", "-", "b", 10.0), "a - 10 * b", [-19, 5, NAN, 0]),
        (ColumnPair("a", "+", "b", 0.5), "a + 0.5 * b", [2, 5, NAN, 0]),
        (ColumnPair("a", "*", "b"), "a * b", [2, 0, NAN, 0]),
        (ColumnPair("a", "/", "b"), "a / b", [0.5, NAN, NAN, NAN]),
    ],
    ids=str,
)
def test_a_pair_is_worked_out_row_by_row(pair: ColumnPair, text: str, numbers: list[float]) -> None:
    assert str(pair) == text
    np.testing.assert_array_equal(pair.combine([1, 5, NAN, 0], [2, 0, 1, 0]), numbers)


def test_what_is_too_large_for_a_number_is_missing() -> None:
    huge = [1e300, -1e300]
    for pair in (ColumnPair("a", "*", "b"), ColumnPair("a", "+", "b", 1e10)):
        assert np.isnan(pair.combine(huge, huge)).all()


def test_numbers_that_are_equal_on_paper_are_equal() -> None:
    difference = ColumnPair("a", "-", "b")
    assert difference.combine([0.3, 0.2, 5.3, 1000.2], [0.1, 0.0, 5.1, 1000]).tolist() == [0.2] * 4
    assert len(set(ColumnPair("a", "/", "b").combine([0.1, 0.3, 7], [0.3, 0.9, 21]))) == 1
    tenths = np.arange(-40, 41) / 10
    for pair in (ColumnPair("a", "+", "b"), ColumnPair("a", "-", "b"), ColumnPair("a", "*", "b")):
        a, b = (part.ravel() for part in np.meshgrid(tenths, tenths))
        whole = {"+": 10 * a + 10 * b, "-": 10 * a - 10 * b, "*": 100 * a * b}[pair.sign]
        assert len(set(pair.combine(a, b))) == len(set(np.rint(whole)))


@pytest.mark.parametrize("size", [1e-200, 1e-30, 1e-12, 1e5, 1e18, 1e200])
def test_rounding_keeps_twelve_digits(size: float) -> None:
    numbers = np.random.default_rng(0).normal(size=50) * size
    found = ColumnPair("a", "+", "b").combine(numbers, np.zeros(50))
    np.testing.assert_allclose(found, numbers, rtol=1e-11)


@pytest.mark.parametrize(
    ("pair", "text"),
    [
        (ColumnPair("a\nb", "-", "c"), '"a\\nb" - c'),
        (ColumnPair("a / b", "-", "c"), '"a / b" - c'),
        (ColumnPair("od280/od315", "/", "hue"), '"od280/od315" / hue'),
        (ColumnPair("well-being", "+", "age"), "well-being + age"),
    ],
    ids=str,
)
def test_names_are_not_taken_for_pairs(pair: ColumnPair, text: str) -> None:
    assert str(pair) == text


def test_a_column_with_the_name_of_a_pair_is_told_apart() -> None:
    assert str(Question("a / b", ">", 1.0)) == '"a / b" > 1'
    assert str(Question("od280/od315", ">", 1.0)) == "od280/od315 > 1"


@pytest.mark.parametrize(
    "wrong",
    [
        {"sign": "%"},
        {"factor": 0.0},
        {"factor": NAN},
        {"factor": "2"},
        {"factor": None},
        {"sign": "*", "factor": 3.0},
        {"first": 0},
    ],
    ids=str,
)
def test_what_cannot_be_worked_out_is_refused(wrong: dict[str, object]) -> None:
    with pytest.raises(ValueError, match="pair"):
        ColumnPair(**({"first": "a", "sign": "+", "second": "b"} | wrong))  # type: ignore[arg-type]


def test_each_pair_is_a_column_of_numbers() -> None:
    table = read_training_table(BsnsingClassifier(), np.array([[1.0, 2.0], [3.0, NAN]]))
    pairs = [ColumnPair("x0", "-", "x1"), ColumnPair("x1", "/", "x0")]
    assert pair_columns(table, []) == ()
    columns = pair_columns(table, pairs)
    assert [column.info.name for column in columns] == ["x0 - x1", "x1 / x0"]
    assert {column.info.kind for column in columns} == {"numeric"}
    np.testing.assert_array_equal(columns[0].numbers(), [-1, NAN])
    np.testing.assert_array_equal(columns[1].numbers(), [2, NAN])
    assert [info.name for info in table.info] == ["x0", "x1"]


def test_pairs_need_two_numeric_columns() -> None:
    table = read_training_table(BsnsingClassifier(), [[1, "u"], [2, "v"]])
    with pytest.raises(ValueError, match=r"'age', which the table does not have.*'x0', 'x1'"):
        check_pair(ColumnPair("age", "+", "x0"), table.info)
    with pytest.raises(ValueError, match="'x1' has levels"):
        check_pair(ColumnPair("x0", "+", "x1"), table.info)


def test_questions_about_pairs_read_and_answer_like_others() -> None:
    question = Question(ColumnPair("debt", "/", "income"), ">", 0.5)
    assert str(question) == "debt / income > 0.5"
    assert question.text(negated=True) == "debt / income <= 0.5"
    assert question.text(negated=True, has_missing=True) == "not (debt / income > 0.5)"
    cells = [3, 3, None, 1], [4, 10, 1, 0]
    assert question.answer(cells).tolist() == [True, False, False, False]
    gone = Question(ColumnPair("debt", "/", "income"), "is missing")
    assert gone.answer(cells).tolist() == [False, False, True, True]


def test_questions_about_pairs_survive_json() -> None:
    question = Question(ColumnPair("a", "-", "b", 2.0), "<", 1.5)
    carried = json.loads(json.dumps(question.to_dict()))
    assert carried["column"] == {"first": "a", "sign": "-", "second": "b", "factor": 2.0}
    assert Question.from_dict(carried) == question
    assert hash(Question.from_dict(carried)) == hash(question)


def test_factors_of_any_number_type_survive_json() -> None:
    question = Question(ColumnPair("a", "-", "b", np.float32(2)), "<", 1.5)  # type: ignore[arg-type]
    assert json.dumps(question.to_dict())
    assert question.column == ColumnPair("a", "-", "b", 2.0)


def test_cells_of_both_columns_are_asked_for() -> None:
    question = Question(ColumnPair("a", "-", "b"), "<", 1.5)
    with pytest.raises(TypeError, match=r"'a - b < 1.5' is about two columns.*ndarray"):
        question.answer(np.zeros((2, 2)))
