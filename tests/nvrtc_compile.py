"""compile_with_nvrtc(): the compiler that CuPy uses, which needs no graphics card."""

from __future__ import annotations

import ctypes
import importlib.util
import os
from pathlib import Path

import pytest


def _library() -> ctypes.CDLL:
    """NVRTC of the package nvidia-cuda-nvrtc-cu12 or -cu13, or what BSNSING_NVRTC names."""
    named = os.environ.get("BSNSING_NVRTC")
    if named:
        return ctypes.CDLL(named)
    spec = importlib.util.find_spec("nvidia") if importlib.util.find_spec("nvidia") else None
    for folder in spec.submodule_search_locations or () if spec else ():
        for path in sorted(Path(folder).rglob("libnvrtc.so.*")):
            return ctypes.CDLL(str(path))
    pytest.skip("no NVRTC here: pip install nvidia-cuda-nvrtc-cu12, or name it in BSNSING_NVRTC")


def compile_with_nvrtc(source: str, target: str) -> int:
    """Compile kernels; return the bytes of the result, or fail with the compiler's log."""
    nvrtc, program = _library(), ctypes.c_void_p()
    told = nvrtc.nvrtcCreateProgram(
        ctypes.byref(program), source.encode(), b"count.cu", 0, None, None
    )
    assert told == 0
    options = [f"--gpu-architecture={target}".encode(), b"--std=c++17"]
    array = (ctypes.c_char_p * len(options))(*options)
    status, size = nvrtc.nvrtcCompileProgram(program, len(options), array), ctypes.c_size_t()
    nvrtc.nvrtcGetProgramLogSize(program, ctypes.byref(size))
    log = ctypes.create_string_buffer(size.value)
    nvrtc.nvrtcGetProgramLog(program, log)
    assert status == 0, log.value.decode()
    nvrtc.nvrtcGetCUBINSize(program, ctypes.byref(size))
    return size.value
