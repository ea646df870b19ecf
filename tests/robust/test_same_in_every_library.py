"""What cells are does not depend on the library that holds them."""

from __future__ import annotations

import warnings
from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from bsnsing import BsnsingClassifier, BsnsingClassifierCV, BsnsingEnsemble
from bsnsing.data.table import read_training_table

PLAIN = BsnsingClassifier.plain
CENTS = np.random.default_rng(0).integers(-(10**9), 10**9, 500).tolist()
MONEY = [Decimal(cents).scaleb(-2) for cents in CENTS] + [None]
TABLES: dict[str, Any] = {
    "objects": lambda: pd.DataFrame({"m": pd.Series(MONEY, dtype=object)}),
    "arrow": lambda: pa.table({"m": pa.array(MONEY, pa.decimal128(20, 2))}),
    "polars": lambda: pl.DataFrame({"m": pl.Series(MONEY, dtype=pl.Decimal(20, 2))}),
    "pandas of arrow": lambda: pd.DataFrame(
        {"m": pd.Series(MONEY, dtype=pd.ArrowDtype(pa.decimal128(20, 2)))}
    ),
}


@pytest.mark.parametrize("library", TABLES)
def test_decimals_are_the_nearest_floats(library: str) -> None:
    """Casts of Arrow and polars miss some by a last bit."""
    column = read_training_table(PLAIN(), TABLES[library]()).columns[0]
    assert column.info.kind == "numeric"
    expected = [np.nan if cell is None else float(cell) for cell in MONEY]
    np.testing.assert_array_equal(column.numbers(), expected)


@pytest.mark.parametrize(
    "model", [BsnsingClassifierCV(PLAIN(), cv=2), BsnsingEnsemble(2, estimator=PLAIN())]
)
def test_rows_of_views_of_text_are_taken(model: Any) -> None:
    cells, y = ["x", "y", None, "z"] * 30, [0, 1, 1, 0] * 30
    view = pa.table({"t": pa.array(cells, pa.string_view()), "n": list(range(120))})
    text = pa.table({"t": pa.array(cells), "n": list(range(120))})
    of_views, of_text = (model.fit(table, y).predict_proba(table) for table in (view, text))
    np.testing.assert_array_equal(of_views, of_text)


@pytest.mark.parametrize("n_rows", [20, 120_000])
def test_cells_whose_sum_overflows_are_no_reason_to_warn(n_rows: int) -> None:
    cells = np.tile([[1.7e308], [-1.7e308], [1.6e308], [-1.6e308]], (n_rows // 4, 1))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = PLAIN().fit(cells, cells[:, 0] > 0)
        np.testing.assert_array_equal(model.predict(cells), cells[:, 0] > 0)
