"""Where questions about moments, times and durations part their cells."""

from __future__ import annotations

import datetime as dt

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bsnsing import Question
from bsnsing.data.scales import Scale
from bsnsing.export.moments import cut_of, first_step, in_whole_minutes

# All microseconds of Python's moments and durations, and some between.
STEPS = st.floats(-9e18, 9e18, allow_nan=False)


@given(STEPS, st.booleans())
def test_the_first_step_is_where_the_answer_changes(threshold: float, asks_above: bool) -> None:
    first = first_step(threshold, asks_above=asks_above)

    def is_above(step: int) -> bool:  # of cells, which are doubles to a model
        return float(step) > threshold if asks_above else not float(step) < threshold

    assert is_above(first)
    assert not is_above(first - 1)


@given(st.integers(-(2**53) + 2, 2**53 - 2))
def test_near_1970_it_is_the_threshold_or_the_next_microsecond(step: int) -> None:
    assert first_step(float(step), asks_above=True) == step + 1
    assert first_step(float(step), asks_above=False) == step


def test_cuts_are_moments_where_there_is_one() -> None:
    noon = dt.datetime(2021, 3, 1, 12)
    steps = (noon - dt.datetime(1970, 1, 1)) // dt.timedelta(microseconds=1)
    assert cut_of(Question("visit", "<", float(steps)), Scale("moment")).value == noon
    above = cut_of(Question("visit", ">", float(steps - 1)), Scale("moment"))
    assert (above.asks_above, above.first, above.value) == (True, steps, noon)
    zoned = cut_of(Question("visit", "<", float(steps)), Scale("moment", "Europe/Berlin")).value
    assert zoned == noon.replace(tzinfo=dt.timezone.utc)


@pytest.mark.parametrize(
    ("scale", "threshold", "is_above_all"),
    [
        (Scale("time"), 86_400e6 - 1, True),
        (Scale("time"), -1e6 - 1, False),
        (Scale("moment"), 1e18, True),
        (Scale("moment"), -1e18, False),
    ],
)
def test_cuts_beyond_all_cells_have_no_value(
    scale: Scale, threshold: float, is_above_all: bool
) -> None:
    cut = cut_of(Question("when", ">", threshold), scale)
    assert cut.value is None
    assert cut.is_above_all == is_above_all


def test_offsets_of_seconds_are_written_in_utc() -> None:
    odd = dt.datetime(1890, 1, 1, tzinfo=dt.timezone(dt.timedelta(minutes=53, seconds=28)))
    assert in_whole_minutes(odd).utcoffset() == dt.timedelta()
    assert in_whole_minutes(odd) == odd
    plain = dt.datetime(1990, 1, 1, tzinfo=dt.timezone(dt.timedelta(hours=5, minutes=30)))
    assert in_whole_minutes(plain) is plain
