"""Columns that name rows: which they are, whatever copies and weights there are."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from bsnsing.data.row_names import find_row_names, message_about
from bsnsing.data.weights import CaseWeights
from tests.training_sets import cases_of

MOST = 30


def found(columns: dict[str, list[str | None]], labels: np.ndarray | None = None) -> list[int]:
    X = pd.DataFrame(columns)
    y = np.arange(len(X)) % 2 if labels is None else labels
    return find_row_names(cases_of(X, y.astype(np.int32)), MOST)


def names(n: int) -> list[str | None]:
    return [f"id {i}" for i in range(n)]


def test_ids_are_found_and_levels_that_rows_share_are_not() -> None:
    shared = [f"zip {i // 2}" for i in range(100)]
    assert found({"a": ["x"] * 100, "id": names(100), "zip": shared, "name": names(100)}) == [1, 3]


def test_small_tables_have_no_ids() -> None:
    assert found({"id": names(MOST)}) == []
    assert found({"id": names(MOST + 1)}) == [0]


@pytest.mark.parametrize(("n_shared", "is_named"), [(8, True), (10, False), (12, False)])
def test_more_than_nine_of_ten_rows_must_be_the_only_one_of_their_level(
    n_shared: int, is_named: bool
) -> None:
    own = names(100 - n_shared) + [f"pair {i // 2}" for i in range(n_shared)]
    y = np.zeros(100)
    y[-1] = 1
    # A number that tells all rows apart, or pairs would be copies.
    X = pd.DataFrame({"id": own, "x": np.arange(100.0)})
    assert find_row_names(cases_of(X, y.astype(np.int32)), MOST) == [0] * is_named


def test_missing_cells_name_nothing() -> None:
    half: list[str | None] = [f"id {i}" if i % 2 else None for i in range(100)]
    assert found({"id": half}) == [0]
    assert found({"id": [None] * 100}) == []


def test_neither_copies_nor_weights_hide_an_id() -> None:
    drawn = np.random.default_rng(0).integers(100, size=100)
    X = pd.DataFrame({"id": names(100), "x": np.arange(100.0)})
    y = (np.arange(100) % 2).astype(np.int32)
    assert find_row_names(cases_of(X.iloc[drawn], y[drawn]), MOST) == [0]
    weighted = cases_of(X, y, CaseWeights(np.bincount(drawn, minlength=100), 1.0)).with_weight()
    assert find_row_names(weighted, MOST) == [0]


def test_numbers_are_never_names() -> None:
    X = pd.DataFrame({"id": np.arange(1000)})
    assert find_row_names(cases_of(X, np.arange(1000, dtype=np.int32) % 2), MOST) == []


def test_the_message_names_the_columns_and_what_to_do() -> None:
    one, two = message_about(["id"]), message_about(["id", "name"])
    assert one.startswith("Column 'id' is left out of the rules: ")
    assert two.startswith("Columns 'id', 'name' are left out of the rules: ")
    assert "Drop" in one
    assert "extra_questions" in one
    assert message_about([f"c{i}" for i in range(20)]).count("'") == 16
