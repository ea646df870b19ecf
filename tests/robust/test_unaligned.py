"""Numbers at odd addresses, such as fields of packed records, are read like any others."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from numpy.typing import NDArray

from bsnsing import BsnsingClassifier, _core
from tests.training_sets import varied

N_ROWS = 150
PLAIN = BsnsingClassifier.plain
Quick = varied(n_trees=5, times_rows=2)
NUMBERS = np.random.default_rng(0).random((N_ROWS, 10)) * 10
Y = (NUMBERS[:, 0] > 5).astype(int)
TYPES = ["f8", "f4", "i8", "i4", "u2", "i1", "?", ">f8", ">i4"]


def in_records(cells: NDArray[Any]) -> NDArray[Any]:
    """The same cells, one byte off, in rows that are one byte longer."""
    records = np.zeros(N_ROWS, [("flag", "i1"), ("cells", cells.dtype, (cells.shape[1],))])
    records["cells"] = cells
    return records["cells"]


def one_byte_off(cells: NDArray[Any]) -> NDArray[Any]:
    """The same cells, one byte off, in rows of the usual length."""
    memory = bytearray(cells.nbytes + 1)
    moved = np.frombuffer(memory, dtype=cells.dtype, offset=1).reshape(cells.shape)
    moved[:] = cells
    return moved


@pytest.mark.parametrize("move", [in_records, one_byte_off])
@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("make", [PLAIN, Quick])
def test_unaligned_tables_give_the_same_tree(make: Any, dtype: str, move: Any) -> None:
    cells = (NUMBERS > 5 if dtype == "?" else NUMBERS).astype(dtype)
    moved = move(cells)
    assert moved.flags.aligned == (cells.itemsize == 1)
    plain, other = make().fit(cells, Y), make().fit(moved, Y)
    assert str(plain) == str(other)
    np.testing.assert_array_equal(plain.predict_proba(cells), other.predict_proba(moved))


@pytest.mark.parametrize("move", [in_records, one_byte_off])
def test_unaligned_columns_of_zeros_and_ones_give_the_same_tree(move: Any) -> None:
    cells = (NUMBERS > 5).astype(np.float64)
    plain, other = PLAIN().fit(cells, Y), PLAIN().fit(move(cells), Y)
    assert str(plain) == str(other)


def test_unaligned_labels_weights_and_columns_of_frames_are_read() -> None:
    records = np.zeros(N_ROWS, [("flag", "i1"), ("y", "i8"), ("w", "f8"), ("c", "f8")])
    records["y"], records["w"], records["c"] = Y, 1 + Y / 2, NUMBERS[:, 0]
    frame = pd.DataFrame({"c": records["c"], "d": NUMBERS[:, 1]}, copy=False)
    for make in (PLAIN, Quick):
        model = make().fit(frame, records["y"], sample_weight=records["w"])
        expected = make().fit(frame.copy(), Y, sample_weight=1 + Y / 2)
        assert str(model) == str(expected)


def test_native_code_refuses_numbers_that_it_could_not_read() -> None:
    with pytest.raises(ValueError, match="aligned"):
        _core.ColumnList().add_numbers([one_byte_off(NUMBERS)[:, 0]], 0, None, 1)
