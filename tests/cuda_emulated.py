"""Emulated: the kernels themselves, compiled for the CPU, behind the launches of the package."""

from __future__ import annotations

import ctypes
import shutil
import subprocess
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from bsnsing.engine.cuda.kernel_device import SOURCE, KernelDevice

HERE = Path(__file__).parent / "cuda_emulation"


@cache
def library(folder: Path) -> ctypes.CDLL:
    compiler = shutil.which("g++")
    if compiler is None:
        pytest.skip("no g++ to compile the kernels with")
    path = folder / "kernels.so"
    flags = ["-O1", "-g", "-std=c++20", "-fPIC", "-shared", f"-I{SOURCE.parent}", f"-I{HERE}"]
    subprocess.run([compiler, *flags, HERE / "kernels.cpp", "-o", path], check=True)
    return ctypes.CDLL(str(path))


class Emulated(KernelDevice):
    """A device of fibers, with few threads to a block."""

    threads = 8

    def __init__(self, folder: Path, n_bytes: int = 2**30) -> None:
        self._library, self._n_bytes, self._seed = library(folder), n_bytes, 0

    def put(self, array: NDArray[Any]) -> NDArray[Any]:
        return array.copy()

    def get(self, array: NDArray[Any], begin: int, end: int) -> NDArray[Any]:
        return array[begin:end].copy()

    def full(self, n: int, value: int, dtype: Any) -> NDArray[Any]:
        return np.full(n, value, dtype=dtype)

    def address(self, array: NDArray[Any]) -> int:
        return array.ctypes.data

    def free_bytes(self) -> int:
        return self._n_bytes

    def launch(self, name: str, grid: tuple[int, int], threads: int, *arguments: Any) -> None:
        values = [
            ctypes.c_uint64(a.ctypes.data)
            if isinstance(a, np.ndarray)
            else (ctypes.c_int32 if a.dtype == np.int32 else ctypes.c_int64)(int(a))
            for a in arguments
        ]
        packed = (ctypes.c_void_p * len(values))(*(ctypes.addressof(v) for v in values))
        shape = (ctypes.c_uint * 3)(*grid, threads)
        self._seed += 1
        getattr(self._library, f"run_{name}")(packed, shape, ctypes.c_uint(self._seed))
