"""CupyDevice: kernels compiled by NVRTC and launched through CuPy, memory of one card."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from numpy.typing import NDArray

from bsnsing.engine.cuda.calls import Array, DeviceError, DeviceMemoryError
from bsnsing.engine.cuda.kernel_device import SOURCE, KernelDevice

Result = TypeVar("Result")

_MODULES: dict[int, Any] = {}  # compiled kernels of each card; CuPy keeps them on disk, too


def device_number(name: str) -> int:
    """Return the number of the card that "cuda" or "cuda:1" names."""
    return int(name.partition(":")[2] or 0)


def import_cupy(name: str) -> Any:
    """Return CuPy, if it sees the card; an error that says what is missing and what to do."""
    try:
        import cupy
    except ImportError as error:
        raise DeviceError(
            f"device={name!r} needs CuPy, which is not installed. Install bsnsing[cuda12] or "
            "bsnsing[cuda13], whichever fits the driver, or use device='cpu'."
        ) from error
    number = device_number(name)
    try:
        n_devices = int(cupy.cuda.runtime.getDeviceCount())
    except cupy.cuda.runtime.CUDARuntimeError as error:
        raise DeviceError(
            f"device={name!r} needs an NVIDIA graphics card and its driver, and CuPy sees none: "
            f"{error}. Check `nvidia-smi`, or use device='cpu'."
        ) from error
    if number >= n_devices:
        raise DeviceError(
            f"device={name!r} is not there: CuPy sees {n_devices} graphics cards. Choose "
            f"'cuda:0' to 'cuda:{n_devices - 1}', or use device='cpu'."
        )
    return cupy


class CupyDevice(KernelDevice):
    """A graphics card; its memory is given back with the last array that lies on it.

    Parameters
    ----------
    name : str
        "cuda", or "cuda:1" and so on.
    """

    def __init__(self, name: str) -> None:
        self._name, self._cupy = name, import_cupy(name)
        self._card = self._cupy.cuda.Device(device_number(name))
        with self._card:
            self._pool = self._cupy.cuda.MemoryPool()  # not CuPy's own, which keeps what it has

    def put(self, array: NDArray[Any]) -> Array:
        """Copy an array to the card."""
        return self._held(lambda: self._cupy.asarray(array))

    def get(self, array: Array, begin: int, end: int) -> NDArray[Any]:
        """Copy a stretch of an array from the card."""
        found: NDArray[Any] = self._held(lambda: self._cupy.asnumpy(array[begin:end]))
        return found

    def full(self, n: int, value: int, dtype: Any) -> Array:
        """Return an array of one value."""
        return self._held(lambda: self._cupy.full(n, value, dtype=dtype))

    def address(self, array: Array) -> int:
        """Where an array begins."""
        return int(array.data.ptr)

    def free_bytes(self) -> int:
        """Return how much memory is left."""
        with self._card:
            return int(self._cupy.cuda.runtime.memGetInfo()[0]) + int(self._pool.free_bytes())

    def launch(self, name: str, grid: tuple[int, int], threads: int, *arguments: Any) -> None:
        """Run a kernel."""
        kernel = self._held(self._module).get_function(name)
        self._held(lambda: kernel(grid, (threads,), arguments))

    def _module(self) -> Any:
        if self._card.id not in _MODULES:
            source = SOURCE.read_text(encoding="utf-8")
            options = ("-std=c++17",)
            _MODULES[self._card.id] = self._cupy.RawModule(code=source, options=options)
        return _MODULES[self._card.id]

    def _held(self, work: Callable[[], Result]) -> Result:
        """Work on this card, in memory of its own; too little is an error that says so."""
        try:
            with self._card, self._cupy.cuda.using_allocator(self._pool.malloc):
                return work()
        except self._cupy.cuda.memory.OutOfMemoryError as error:
            raise DeviceMemoryError(
                f"device={self._name!r} has too little memory for this table: {error}. Use a card "
                "with more, fewer rows or columns, or device='cpu'."
            ) from error
