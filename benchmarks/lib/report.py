"""What every benchmark prints: where it ran, progress, markdown tables."""

from __future__ import annotations

import os
import platform
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from benchmarks.lib.paths import ROOT
from bsnsing import _core


def machine() -> str:
    """One line on the machine, the versions and the kernels in use."""
    packages = ", ".join(_versions())
    return (
        f"{_cpu_name()} ({os.cpu_count()} cores, {platform.system()}), "
        f"Python {platform.python_version()}, {packages}, kernels {_core.active_kernels()}"
    )


def _versions() -> Iterator[str]:
    for name in ("bsnsing", "numpy", "scikit-learn", "lightgbm"):
        with suppress(PackageNotFoundError):
            yield f"{name} {version(name)}"


def cpu_megahertz() -> float | None:
    """The clock as the system gives it, where it does."""
    found = _cpuinfo("cpu MHz")
    return float(found) if found else None


def markdown(head: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """A table; cells are padded so that it reads well as plain text too."""
    lines = [[str(cell) for cell in row] for row in [head, *rows]]
    widths = [max(len(line[i]) for line in lines) for i in range(len(head))]
    rule = ["-" * (width - 1) + ":" if i else "-" * width for i, width in enumerate(widths)]
    return "\n".join(
        "| "
        + " | ".join(
            cell.rjust(width) if i else cell.ljust(width)
            for i, (cell, width) in enumerate(zip(line, widths, strict=True))
        )
        + " |"
        for line in [lines[0], rule, *lines[1:]]
    )


def save(path: Path, text: str) -> None:
    """Write a report, and say so."""
    path.write_text(text, encoding="utf-8")
    print(f"Wrote {path.relative_to(ROOT) if path.is_relative_to(ROOT) else path}.")


def milliseconds(seconds: float | None) -> str:
    """Three figures, or a dash."""
    if seconds is None:
        return "-"
    value = 1000 * seconds
    return f"{value:.3f}" if value < 10 else f"{value:.1f}" if value < 100 else f"{value:.0f}"


def tracked(items: Sequence[object], what: str) -> Iterable:
    """Go through ``items`` with a progress bar on stderr, if it is a terminal and rich is here."""
    try:
        from rich.console import Console
        from rich.progress import track
    except ImportError:
        return items
    return track(items, what, console=Console(stderr=True), disable=not sys.stderr.isatty())


def _cpuinfo(key: str) -> str | None:
    path = Path("/proc/cpuinfo")
    for line in path.read_text().splitlines() if path.exists() else ():
        if line.startswith(key):
            return line.partition(":")[2].strip()
    return None


def _cpu_name() -> str:
    return _cpuinfo("model name") or platform.processor() or platform.machine()
