"""engine_on(): who makes engines for the parameter ``device``."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from bsnsing.data.cases import Cases
from bsnsing.engine.base import Engine, EngineMaker, EngineOptions

# Tables of fewer rows are counted by the CPU: launches and what the host does for each level take
# longer than their rows.
FEW_ROWS = 200_000


def is_device(value: Any) -> bool:
    """Accept "cpu", "cuda", "cuda:0", "cuda:1" and so on."""
    return isinstance(value, str) and re.fullmatch(r"cpu|cuda(:\d{1,3})?", value) is not None


@dataclass(frozen=True, slots=True)
class CudaMaker:
    """Makes engines over cases on a graphics card, and over few cases those of the CPU."""

    name: str
    on_cpu: EngineMaker

    def __call__(self, cases: Cases, n_classes: int, options: EngineOptions) -> Engine:
        """Make an engine."""
        if cases.table.n_rows < FEW_ROWS:
            return self.on_cpu(cases, n_classes, options)
        from bsnsing.engine.cuda.cupy_device import CupyDevice
        from bsnsing.engine.cuda.engine import DeviceEngine

        return DeviceEngine(cases, n_classes, options, CupyDevice(self.name))


def engine_on(name: str, on_cpu: EngineMaker) -> EngineMaker:
    """Return who makes engines on a device; an error if it, or CuPy, is not there."""
    if name == "cpu":
        return on_cpu
    # On request: who counts on the CPU does not wait for it.
    from bsnsing.engine.cuda.cupy_device import import_cupy

    import_cupy(name)
    return CudaMaker(name, on_cpu)
