"""What a column of text is taken for."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bsnsing.cli.errors import Refusal
from bsnsing.cli.kinds import TextColumn
from bsnsing.cli.table_options import MISSING_MARKS


def column(cells: Sequence[str | None], decimal: str = ".") -> TextColumn:
    return TextColumn.read("x", pa.array(cells, pa.string()), MISSING_MARKS, decimal)


@pytest.mark.parametrize(
    ("cells", "kind"),
    [
        (["1", "2.5", "-3", "+4", "1e5", ".5", "5."], "number"),
        (["0", "0.5", "-0.25", "00"], "text"),
        (["00123", "10123"], "text"),
        (["1", "2", "01"], "text"),
        (["12345678901234567890", "1"], "text"),
        (["9007199254740993"], "text"),  # a float would change its last digit
        (["9007199254740992"], "number"),
        (["1,5", "2"], "text"),
        (["1 000"], "text"),
        (["1_000"], "text"),  # which Python would read as a number
        (["inf", "1"], "text"),
        (["1e999"], "text"),
        (["\u0661\u0662"], "text"),
        (["0x1F"], "text"),
        (["true", "FALSE", ""], "boolean"),
        (["yes", "no"], "text"),
        (["0", "1"], "number"),
        (["2024-01-31", "1999-12-01"], "date"),
        (["31.12.2024"], "local date"),
        (["1/2/2024"], "local date"),
        (["2024-01-31", "soon"], "text"),
        (["", "NA", "?", "null", "NaN", "N/A"], "empty"),
        ([None, None], "empty"),
        ([" 5 ", "6"], "number"),
    ],
)
def test_kinds_are_told_exactly(cells: list[str | None], kind: str) -> None:
    assert column(cells).kind()[0] == kind


def test_a_decimal_comma_makes_numbers_where_it_is_asked_for() -> None:
    assert column(["1,5", "2"], decimal=",").kind()[0] == "number"
    assert column(["1,5", "2"], decimal=",").numbers().to_pylist() == [1.5, 2.0]
    assert column(["1.500", "2"], decimal=",").kind()[0] == "text"


def test_few_cells_that_keep_a_column_from_numbers_are_named() -> None:
    kind, note = column([str(i) for i in range(50)] + ["unknown"]).kind()
    assert (kind, note) == ("text", "numbers but for 'unknown'")
    assert column(["a", "b", "1"]).kind() == ("text", "")


def test_missing_cells_are_counted_and_their_marks_kept() -> None:
    found = column(["NA", "", "5", None, "NA"])
    assert found.n_missing == 4
    assert found.marks_met == ["NA", ""]
    assert found.numbers().to_pylist() == [None, None, 5.0, None, None]


def test_a_cell_that_is_no_number_is_named_with_its_row() -> None:
    with pytest.raises(Refusal, match=r"holds 'x' in row 12\.") as refused:
        column(["1", "x"]).numbers(rows_before=10)
    assert "--missing x" in refused.value.hint


def test_booleans_are_read_in_all_spellings() -> None:
    cells = ["true", "No", "YES", "0", "1", "NA"]
    assert column(cells).booleans().to_pylist() == [True, False, True, False, True, None]
    with pytest.raises(Refusal, match="true or false"):
        column(["maybe"]).booleans()


@given(st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=1))
def test_numbers_are_read_to_the_last_bit(values: list[float]) -> None:
    found = column([repr(value) for value in values])
    assert found.numbers().to_pylist() == values


@given(st.lists(st.one_of(st.none(), st.text(max_size=8)), min_size=1))
def test_text_comes_back_but_for_blanks_around_it(values: list[Any]) -> None:
    values = [v if v is None else v.encode("utf-8", "ignore").decode() for v in values]
    trimmed = pa.compute.utf8_trim_whitespace(pa.array(values, pa.string())).to_pylist()
    wanted = [None if text in MISSING_MARKS else text for text in trimmed]
    assert column(values).texts().to_pylist() == wanted
