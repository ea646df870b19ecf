"""Columns of moments, times, durations and ordered levels, as every library has them."""

from __future__ import annotations

import datetime as dt
from typing import Any

import narwhals.stable.v1 as nw
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from sklearn.base import BaseEstimator

from bsnsing import date_parts
from bsnsing.data.columns import Column
from bsnsing.data.scales import Scale, read_moment, show_moment
from bsnsing.data.table import read_prediction_table, read_training_table

DAY = 86_400_000_000
NOON = dt.datetime(2021, 3, 1, 12)
STEPS = 18_687 * DAY + DAY / 2  # of noon


def train(X: Any, chosen: Any = "from_dtype") -> Column:
    (column,) = read_training_table(BaseEstimator(), X, chosen).columns
    return column


def plain(column: Column) -> list[float | None]:
    return [None if np.isnan(cell) else cell for cell in column.numbers()]


@pytest.mark.parametrize(
    "X",
    [
        pd.DataFrame({"d": pd.Series([NOON, None], dtype="datetime64[ns]")}),
        pd.DataFrame({"d": pd.Series([NOON, None], dtype="datetime64[s]")}),
        pd.DataFrame({"d": pd.Series([NOON, None], dtype=object)}),
        pd.DataFrame({"d": pd.array([NOON, None], dtype=pd.ArrowDtype(pa.timestamp("us")))}),
        pl.DataFrame({"d": [NOON, None]}),
        pa.table({"d": [NOON, None]}),
        np.array([[NOON], [None]], dtype="datetime64[m]"),
        np.array([[NOON], [None]], dtype=object),
    ],
)
def test_moments(X: Any) -> None:
    column = train(X)
    assert column.info.scale == Scale("moment")
    assert plain(column) == [STEPS, None]


@pytest.mark.parametrize(
    "X",
    [
        pl.DataFrame({"d": [NOON.date(), None]}),
        pa.table({"d": [NOON.date(), None]}),
        pd.DataFrame({"d": pd.Series([NOON.date(), None], dtype=object)}),
    ],
)
def test_days(X: Any) -> None:
    column = train(X)
    assert (column.info.scale, plain(column)) == (Scale("moment"), [STEPS - DAY / 2, None])


@pytest.mark.parametrize(
    "X",
    [
        pd.DataFrame({"d": pd.to_datetime([NOON, None]).tz_localize("Europe/Berlin")}),
        pl.DataFrame({"d": pl.Series([NOON, None]).dt.replace_time_zone("Europe/Berlin")}),
        pd.DataFrame(
            {"d": pd.Series(list(pd.to_datetime([NOON, None]).tz_localize("Europe/Berlin")))}
        ).astype(object),
    ],
)
def test_time_zones_are_kept(X: Any) -> None:
    column = train(X)
    assert column.info.scale == Scale("moment", "Europe/Berlin")
    assert plain(column) == [STEPS - DAY / 24, None]
    assert column.info.scale.show(column.numbers()[0]) == "2021-03-01T12:00+01:00"


@pytest.mark.parametrize(
    ("cells", "kind", "number"),
    [
        ([dt.timedelta(hours=-2), None], "duration", -DAY / 12),
        ([dt.time(6, 0, 0, 1), None], "time", DAY / 4 + 1),
    ],
)
@pytest.mark.parametrize(
    "frame", [pl.DataFrame, pa.table, lambda data: pd.DataFrame(data, dtype=object)]
)
def test_durations_and_times(frame: Any, cells: Any, kind: Any, number: float) -> None:
    column = train(frame({"d": cells}))
    assert (column.info.scale, plain(column)) == (Scale(kind), [number, None])


GRADES = ["b", None, "a"]


@pytest.mark.parametrize(
    ("X", "chosen"),
    [
        (pd.DataFrame({"g": pd.Categorical(GRADES, ["b", "c", "a"], ordered=True)}), "from_dtype"),
        (pl.DataFrame({"g": pl.Series(GRADES, dtype=pl.Enum(["b", "c", "a"]))}), "from_dtype"),
        (
            pa.table(
                {"g": pa.DictionaryArray.from_arrays([0, None, 2], ["b", "c", "a"], ordered=True)}
            ),
            "from_dtype",
        ),
        (pd.DataFrame({"g": GRADES}), {"g": ["b", "c", "a"]}),
        (pl.DataFrame({"g": GRADES}), {"g": ["b", "c", "a"]}),
    ],
)
def test_ordered_levels(X: Any, chosen: Any) -> None:
    column = train(X, chosen)
    assert column.info.scale == Scale("order", levels=("b", "c", "a"))
    assert plain(column) == [1, None, 3]
    as_named = train(X, ["g"])  # without their order, if asked
    assert as_named.info.levels == ("a", "b")


def test_ordered_numbers_are_numbers() -> None:
    column = train(pd.DataFrame({"g": pd.Categorical([3, 1, None], [1, 3, 7], ordered=True)}))
    assert column.info.is_number
    assert plain(column) == [3, 1, None]


@pytest.mark.parametrize(
    ("fitted", "new", "message"),
    [
        ([NOON], [1.0], "'c' held dates at fit and holds numbers now. Convert it to dates"),
        ([1.0], [NOON], "'c' held numbers at fit and holds dates now"),
        ([NOON], ["a"], "'c' held dates at fit and holds text now"),
        (["a"], [NOON], "'c' has dtype Datetime.*, but should hold levels: .*or was text at fit"),
        ([dt.timedelta(1)], [NOON], "'c' held durations at fit and holds dates now"),
        (
            [NOON],
            pd.to_datetime([NOON]).tz_localize("UTC"),
            "moments without a time zone at fit and holds them with one now",
        ),
        (
            pd.Categorical(["a"], ["b", "a"], ordered=True),
            ["z"],
            "'c' holds 'z', which has no place in the order of fit: b < a",
        ),
    ],
)
def test_what_changed_since_fit_is_said(fitted: Any, new: Any, message: str) -> None:
    model = BaseEstimator()
    info = read_training_table(model, pd.DataFrame({"c": fitted})).info
    with pytest.raises(ValueError, match=message):
        read_prediction_table(model, pd.DataFrame({"c": new}), info)


@pytest.mark.parametrize(
    ("cells", "message"),
    [
        ([NOON, dt.time(3)], "'c' mixes dates, times or time zones, such as"),
        ([NOON, NOON.replace(tzinfo=dt.timezone.utc)], "'c' mixes dates, times or time zones"),
        ([NOON, 3], "'c' mixes dates with other values, such as .* and 3"),
    ],
)
def test_mixtures_are_refused(cells: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        train(pd.DataFrame({"c": pd.Series(cells, dtype=object)}))


@pytest.mark.parametrize(
    ("order", "message"),
    [(["a"], "holds 'b', which is not in the order"), (["a", "a"], "each once"), ("ab", "list")],
)
def test_orders_that_are_none_are_refused(order: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        train(pd.DataFrame({"g": GRADES}), {"g": order})


@pytest.mark.parametrize(
    "text",
    [
        *("2021-03-01", "2021-03-01T14:30", "2021-03-01T14:30:05.25+01:00", "0001-01-01"),
        *("9999-12-31T23:59:59.999999", "14:30", "14:30:00.000001"),
        *("2d 3h 15min 2.5s", "-1h", "0s"),
    ],
)
def test_moments_are_read_as_they_are_written(text: str) -> None:
    found = read_moment(text)
    assert found is not None
    assert (show_moment(found[0]), found[1]) == (text, len(text))


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame, pa.table])
def test_parts_of_dates(frame: Any) -> None:
    made = date_parts(frame({"visit": [NOON, dt.datetime(2021, 7, 4, 23)], "k": [1, 2]}), "visit")
    table = nw.from_native(made, eager_only=True).to_dict(as_series=False)
    assert {name: list(cells) for name, cells in table.items() if name.startswith("visit ")} == {
        "visit month": [3, 7],
        "visit weekday": [1, 7],
        "visit hour": [12, 23],
    }
    days = date_parts(pl.DataFrame({"day": [NOON.date()]}), ["day"])
    assert days.columns == ["day", "day month", "day weekday"]
    with pytest.raises(ValueError, match=r"There is no part 'moon' of dates\. Choose among"):
        date_parts(frame({"visit": [NOON]}), "visit", ["moon"])
    with pytest.raises(ValueError, match=r"'k' has dtype .* and only dates have parts"):
        date_parts(frame({"k": [1]}), "k")
    with pytest.raises(ValueError, match="names 'x', which the table does not have"):
        date_parts(frame({"k": [1]}), "x")


def test_parts_are_those_of_the_time_zone() -> None:
    late = pd.to_datetime(["2021-02-28 23:30"]).tz_localize("UTC").tz_convert("Europe/Berlin")
    made = date_parts(pd.DataFrame({"visit": late}), "visit", ["month", "hour"])
    assert made.iloc[0].tolist()[1:] == [3, 0]


def test_questions_answer_like_their_numbers() -> None:
    for scale in (Scale("moment"), Scale("moment", "Asia/Kolkata"), Scale("duration")):
        for number in (STEPS, STEPS + 0.5, -3.0, 0.25):
            for test in "<>":
                own_test, value = scale.value(number, test)
                again = scale.number(value, own_test)
                around = np.floor(number) + np.arange(-2, 4)
                compare = np.greater if test == ">" else np.less
                assert (compare(around, again) == compare(around, number)).all()
    order = Scale("order", levels=("a", "b", "c"))
    for number in (1.5, 2.5):
        for test in "<>":
            own_test, value = order.value(number, test)
            assert order.number(value, own_test) == number


def test_numbers_beyond_the_calendar_are_shown_as_its_ends() -> None:
    """Files may hold any number."""
    assert Scale("moment").show(1e300).startswith("9999-")
    assert Scale("moment", "Asia/Tokyo").show(-1e300).startswith("0001-")
    assert Scale("time").show(-5.0) == "00:00"
    assert Scale("duration").show(1e300).startswith("999999999d")
    assert Scale("order", levels=("a", "b")).show(1e300) == "b"


def test_a_day_is_shown_as_its_midnight_is() -> None:
    day = dt.date(2021, 3, 2)
    assert show_moment(day) == show_moment(dt.datetime(2021, 3, 2)) == "2021-03-02"
