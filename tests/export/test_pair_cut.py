"""Products and ratios compared unrounded answer as rounded ones do, for every double."""

from __future__ import annotations

import math
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from bsnsing import ColumnPair, Question
from bsnsing.export.pair_cut import yes_intervals

finite = st.floats(allow_nan=False, allow_infinity=False)
RATIO = ColumnPair("a", "/", "b")


def neighbours(numbers: list[float]) -> list[float]:
    near = [math.nextafter(n, end) for n in numbers for end in (-math.inf, math.inf)]
    return [number for number in numbers + near if math.isfinite(number)]


@given(
    value=st.one_of(finite, st.integers(-300, 300).map(lambda n: float(f"1e{n}"))),
    test=st.sampled_from([">", "<", "=="]),
    others=st.lists(finite, max_size=5),
)
@example(value=1e-283, test=">", others=[])
@example(value=1e-283, test="==", others=[])
@example(value=0.0, test="==", others=[5e-301, 5e-324])
@example(value=1.7976931348623157e308, test="==", others=[])
def test_unrounded_numbers_answer_as_rounded_ones(value: float, test: Any, others: list[float]):
    question = Question(RATIO, test, value)
    intervals = yes_intervals(question)
    numbers = neighbours([value, *others, *(end for ends in intervals for end in ends)])
    ours = [any(low <= number <= high for low, high in intervals) for number in numbers]
    ones = [1.0] * len(numbers)
    assert ours == question.answer((numbers, ones)).tolist()


def test_rounding_is_by_the_nearest_doubles_of_powers_of_ten():
    # Of 10.0**n some are off by a bit, on some machines.
    for n in range(-280, 290):
        number = float(f"3e{n}")
        assert RATIO.combine([number], [1.0])[0] == pytest.approx(number, rel=3e-16)
        above = math.nextafter(number, math.inf)
        assert RATIO.combine([above], [1.0]) == RATIO.combine([number], [1.0])


def test_sums_have_no_interval_of_their_own():
    with pytest.raises(ValueError, match="not about a product or a ratio"):
        yes_intervals(Question(ColumnPair("a", "+", "b"), ">", 1.0))


@given(a=finite, b=finite, sign=st.sampled_from("+-"), factor=st.sampled_from([1.0, 2.5, -1e-9]))
@example(a=0.001, b=-0.0010000000000000002, sign="+", factor=1.0)
@example(a=1e23, b=1.0, sign="-", factor=1.0)
def test_sums_round_by_the_steps_that_are_written_down(
    a: float, b: float, sign: Any, factor: float
):
    pair = ColumnPair("a", sign, "b", factor)
    b_scaled = factor * b
    size = max(abs(a), abs(b_scaled))
    number = a + b_scaled if sign == "+" else a - b_scaled
    n = next((n for n in range(-323, 309) if size <= float(f"1e{n}")), 309) if size else 0
    place = min(max(12 - n, -300), 300)
    up, down = float(f"1e{max(place, 0)}"), float(f"1e{max(-place, 0)}")
    magic = 6755399441055744.0
    rounded = ((number * up / down + magic) - magic) / up * down
    expected = float(pair.combine([a], [b])[0])
    if not math.isfinite(number):
        assert math.isnan(expected)
    else:
        assert expected == (rounded if math.isfinite(rounded) else number)
