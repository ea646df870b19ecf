"""The parameter ``device``: what is missing is said, small tables stay here, and cards' arrays."""

from __future__ import annotations

import sys
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from cuda_stand_in import StandInEngine
from numpy.typing import NDArray
from same_trees import assert_same
from sklearn.base import clone

import bsnsing.engine.cuda.engine as cuda_engine
from bsnsing import BsnsingClassifier
from bsnsing.engine.cuda import cupy_device, maker
from bsnsing.engine.cuda.calls import DeviceError, DeviceMemoryError

X = np.random.default_rng(0).normal(size=(80, 2))
Y = (X[:, 0] > 0).astype(int)


def test_without_cupy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "cupy", None)
    with pytest.raises(DeviceError, match=r"needs CuPy.*bsnsing\[cuda12\].*device='cpu'"):
        BsnsingClassifier.plain(device="cuda").fit(X, Y)


class NoDriverError(Exception):
    pass


def fake_cupy(n_devices: int | None) -> SimpleNamespace:
    def count() -> int:
        if n_devices is None:
            raise NoDriverError("no driver")
        return n_devices

    runtime = SimpleNamespace(getDeviceCount=count, CUDARuntimeError=NoDriverError)
    return SimpleNamespace(cuda=SimpleNamespace(runtime=runtime))


@pytest.mark.parametrize(
    ("n_devices", "name", "said"),
    [(None, "cuda", "sees none: no driver"), (1, "cuda:1", "sees 1 graphics cards")],
)
def test_without_a_card(
    monkeypatch: pytest.MonkeyPatch, n_devices: int | None, name: str, said: str
) -> None:
    monkeypatch.setitem(sys.modules, "cupy", fake_cupy(n_devices))
    with pytest.raises(DeviceError, match=said):
        BsnsingClassifier.plain(device=name).fit(X, Y)


def test_only_large_tables_go_to_the_card(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "cupy", fake_cupy(1))
    made = list[int]()

    def engine(cases: Any, n_classes: int, options: Any, device: Any) -> StandInEngine:
        made.append(cases.table.n_rows)
        return StandInEngine(cases, n_classes, options)

    monkeypatch.setattr(cupy_device, "CupyDevice", lambda name: None)
    monkeypatch.setattr(cuda_engine, "DeviceEngine", engine)
    expected = BsnsingClassifier.plain().fit(X, Y).tree_
    model = clone(BsnsingClassifier.plain(device="cuda"))
    assert_same(model.fit(X, Y).tree_, expected)
    assert not made
    monkeypatch.setattr(maker, "FEW_ROWS", 80)
    assert_same(model.fit(X, Y).tree_, expected)
    assert made == [80]


class OnCard:
    """An array as CuPy and PyTorch have it, which NumPy cannot read by itself."""

    __cuda_array_interface__: Any = None

    def __init__(self, array: NDArray[Any]) -> None:
        self._array = array

    def __array__(self, *_: Any, **__: Any) -> NDArray[Any]:
        raise TypeError("no way")


class Cupy(OnCard):
    def get(self) -> NDArray[Any]:
        return self._array


class Torch(OnCard):
    def detach(self) -> Any:
        return SimpleNamespace(cpu=lambda: SimpleNamespace(numpy=lambda: self._array))


@pytest.mark.parametrize("kind", [Cupy, Torch])
def test_arrays_on_a_card(kind: type[OnCard]) -> None:
    expected = BsnsingClassifier.plain().fit(X, Y)
    found = BsnsingClassifier.plain().fit(kind(X), kind(Y))
    assert_same(found.tree_, expected.tree_)
    np.testing.assert_array_equal(found.predict(kind(X)), expected.predict(X))
    with pytest.raises(TypeError, match="lies on a graphics card"):
        expected.predict(OnCard(X))


def test_too_little_memory_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    class Full(Exception):
        pass

    class Nothing:
        def __enter__(self) -> None: ...
        def __exit__(self, *_: object) -> None: ...

    def asarray(array: Any) -> None:
        raise Full("800 bytes")

    cupy = fake_cupy(1)
    cupy.asarray = asarray
    cupy.cuda.memory = SimpleNamespace(OutOfMemoryError=Full)
    cupy.cuda.Device = lambda number: Nothing()
    cupy.cuda.MemoryPool = lambda: SimpleNamespace(malloc=None)
    cupy.cuda.using_allocator = lambda malloc: Nothing()
    monkeypatch.setitem(sys.modules, "cupy", cupy)
    with pytest.raises(DeviceMemoryError, match=r"too little memory.*800 bytes.*device='cpu'"):
        cupy_device.CupyDevice("cuda").put(X)
