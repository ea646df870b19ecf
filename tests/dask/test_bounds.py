"""Bins whose values lie in parts are those of the whole column, to the last bit."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from in_parts import deal
from numpy.typing import NDArray

from bsnsing import _core
from bsnsing.data.cases import Cases
from bsnsing.data.columns import Column, ColumnInfo
from bsnsing.data.table import Table
from bsnsing.data.weights import CaseWeights
from bsnsing.engine.bounds import number_codes
from bsnsing.engine.numbers import Asked, encode_part
from bsnsing.engine.workers import Here

COLUMNS: dict[str, Callable[[np.random.Generator, int], NDArray[Any]]] = {
    "smooth": lambda rng, n: rng.normal(size=n),
    "of all sizes": lambda rng, n: np.exp(rng.normal(size=n) * 20),
    "whole": lambda rng, n: rng.integers(-3000, 3000, n),
    "rounded": lambda rng, n: rng.normal(size=n).round(3),
    "mostly zero": lambda rng, n: np.where(rng.random(n) < 0.6, -0.0, rng.normal(size=n)),
    "heavy": lambda rng, n: rng.zipf(1.3, n).clip(max=10**15),
    "short": lambda rng, n: rng.normal(size=n).astype(np.float32),
    "huge": lambda rng, n: rng.integers(2**60, 2**62, n),
    "neighbours": lambda rng, n: 1.0 + rng.integers(0, 3000, n) * 2.0**-52,
}


def assert_same_bins(
    cells: NDArray[Any], weights: NDArray[np.int64] | None, n_bins: int, n_parts: int
) -> None:
    whole = _core.ColumnList()
    whole.add_numbers([cells], n_bins, weights, 1)
    info = ColumnInfo("x", "numeric")
    cases: list[Any] = []
    for rows in deal(len(cells), n_parts):
        table = Table((Column(info, cells[rows]),), len(rows))
        own = CaseWeights(None if weights is None else weights[rows], 1.0)
        cases.append(Cases(table, np.zeros(len(rows), np.int32), own))
    asked = Asked((), (0,))
    found = number_codes(Here(), cases, asked, n_bins, ())
    (expected,) = whole.schema().__getstate__()
    assert tuple(found.codes[0].shape) == tuple(expected)
    for place, rows in enumerate(deal(len(cells), n_parts)):
        dealt = None if found.dealt is None else found.dealt[place]
        part = encode_part(cases[place], dealt, asked=asked, codes=found.codes, levels=())
        np.testing.assert_array_equal(part.codes[0], whole.codes(0)[rows])


def set_few_values(patch: pytest.MonkeyPatch, n: int) -> None:
    for module in ("bounds", "numbers"):
        patch.setattr(f"bsnsing.engine.{module}.FEW_VALUES", n)


@pytest.mark.parametrize("is_weighted", [False, True])
@pytest.mark.parametrize("kind", COLUMNS)
def test_bins_of_many_values(kind: str, is_weighted: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    set_few_values(monkeypatch, 1)
    rng = np.random.default_rng(len(kind))
    for n_bins, n_parts in [(2, 2), (8, 5), (255, 3)]:
        cells = COLUMNS[kind](rng, int(rng.integers(5000, 20_000)))
        if n_parts == 5 and cells.dtype.kind == "f":
            cells[rng.random(len(cells)) < 0.1] = np.nan
        weights = rng.integers(1, 1000, len(cells)) if is_weighted else None
        assert_same_bins(cells, weights, n_bins, n_parts)


@settings(max_examples=60)
@given(
    st.lists(st.floats(allow_infinity=False) | st.integers(-3, 3), min_size=1, max_size=60),
    st.integers(2, 9),
    st.integers(1, 5),
)
def test_bins_of_any_numbers(cells: list[float], n_bins: int, n_parts: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        set_few_values(patch, 3)
        patch.setattr("bsnsing.engine.numbers._CUTS_PER_PART", 2)
        patch.setattr("bsnsing.engine.numbers._FEW_BETWEEN", 2)
        for module in ("bounds", "numbers"):
            patch.setattr(f"bsnsing.engine.{module}.SOME_BETWEEN", 3)
        assert_same_bins(np.array(cells, dtype=np.float64), None, n_bins, n_parts)
