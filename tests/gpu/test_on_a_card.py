"""Trees grown on a graphics card are the CPU's. Runs where a card is: make test-gpu."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from cuda_stand_in import StandIn
from same_trees import assert_same

from bsnsing import BsnsingClassifier
from bsnsing.engine.cuda import maker
from bsnsing.engine.cuda.calls import DeviceError
from bsnsing.engine.cuda.cupy_device import CupyDevice, import_cupy
from bsnsing.engine.cuda.slots import NO_ROW

pytestmark = pytest.mark.gpu


@pytest.fixture(autouse=True)
def on_a_card(monkeypatch: pytest.MonkeyPatch) -> None:
    try:
        import_cupy("cuda")
    except DeviceError as error:
        pytest.skip(str(error))
    monkeypatch.setattr(maker, "FEW_ROWS", 0)


@pytest.mark.parametrize("operators", [("or",), ("or", "and", "xor")])
@pytest.mark.parametrize("criterion", ["gini_squared", "gini", "entropy", "misclassification"])
@pytest.mark.parametrize("seed", range(3))
def test_trees_are_the_same(seed: int, criterion: str, operators: tuple[str, ...]) -> None:
    rng = np.random.default_rng(seed)
    n = int(rng.integers(20_000, 60_000))
    X = rng.normal(size=(n, 5)).astype(np.float32)
    X[rng.random(X.shape) < 0.05 * (seed % 2)] = np.nan
    y = (X[:, 0] > 0) * 1 + (X[:, 1] * X[:, 2] > 0.2) * (1 + seed % 2)
    y = np.where(rng.random(n) < 0.1, rng.integers(0, 3, n), y)
    weight = rng.integers(0, 9, n) if seed == 2 else None
    settings: dict[str, Any] = {"criterion": criterion, "operators": operators}
    settings |= {"max_rules": 1 + seed, "n_segments": 4, "max_depth": 4}
    expected = BsnsingClassifier.plain(**settings).fit(X, y, sample_weight=weight).tree_
    found = BsnsingClassifier.plain(device="cuda", **settings).fit(X, y, sample_weight=weight)
    assert expected.n_leaves > 2
    assert_same(found.tree_, expected)


def test_arrays_of_cupy_are_read() -> None:
    cupy = import_cupy("cuda")
    X = np.random.default_rng(0).normal(size=(500, 2))
    y = (X[:, 0] > 0).astype(int)
    found = BsnsingClassifier.plain(device="cuda").fit(cupy.asarray(X), cupy.asarray(y))
    assert_same(found.tree_, BsnsingClassifier.plain().fit(X, y).tree_)


def test_memory_is_given_back() -> None:
    cupy = import_cupy("cuda")
    free = cupy.cuda.runtime.memGetInfo()[0]
    device = CupyDevice("cuda")
    array = device.full(2**26, 1, np.uint8)
    assert cupy.cuda.runtime.memGetInfo()[0] < free
    del array, device
    assert cupy.cuda.runtime.memGetInfo()[0] >= free


def test_a_gather_of_large_arrays() -> None:
    rng = np.random.default_rng(0)
    codes = rng.integers(0, 256, 1_000_000).astype(np.uint8)
    rows = np.where(rng.random(3_000_000) < 0.1, NO_ROW, rng.integers(0, 1_000_000, 3_000_000))
    rows, device = rows.astype(np.uint32), CupyDevice("cuda")
    found = device.gather(device.put(codes), device.put(rows))
    np.testing.assert_array_equal(device.get(found, 0, len(rows)), StandIn().gather(codes, rows))
