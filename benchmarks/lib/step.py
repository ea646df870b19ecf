"""A step of `make bench`: a module of benchmarks.speed that measures one thing and writes about it.

It has TITLE; measure(run), which returns what it measured as plain data for JSON; and, made from
these data alone, targets(data) and tables(data). One with pictures has draw(data, folder) too,
which returns their files.
"""

from __future__ import annotations

import argparse
import importlib
import json
import os
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType
from typing import Any

from benchmarks.lib import report, targets
from benchmarks.lib.paths import ROOT


@dataclass(frozen=True)
class Run:
    """How much to measure, and the clock that progress lines show."""

    quick: bool = False
    started: float = field(default_factory=time.perf_counter)

    def pick(self, full: Any, quick: Any) -> Any:
        return quick if self.quick else full

    def say(self, what: str) -> None:
        """One line of progress."""
        elapsed = time.perf_counter() - self.started
        print(f"  {elapsed:6.0f} s  {what}", file=sys.stderr, flush=True)


def module_name(name: str) -> str:
    return f"benchmarks.speed.{name}"


def load(name: str) -> ModuleType:
    return importlib.import_module(module_name(name))


def command(name: str, quick: bool) -> str:
    return f"python -m {module_name(name)}" + (" --quick" if quick else "")


def measure(name: str, run: Run) -> dict[str, Any]:
    """Measure, and note where, with what, and how busy the machine was."""
    busy = os.getloadavg()[0] if hasattr(os, "getloadavg") else None
    data = load(name).measure(run)
    return {
        "step": name,
        "command": command(name, run.quick),
        "quick": run.quick,
        "machine": report.machine(),
        "commit": _commit(),
        "load_before": busy,
        "seconds": time.perf_counter() - run.started,
        "data": data,
    }


def section(
    record: dict[str, Any], pictures: Sequence[str] = (), *, with_machine: bool = False
) -> str:
    """A step's part of the report."""
    module = load(record["step"])
    load_before = record["load_before"]
    busy = "" if load_before is None else f"; load before it {load_before:.1f}"
    parts = [
        f"## {module.TITLE}",
        f"`{record['command']}` ({record['seconds']:.0f} s; commit {record['commit']}{busy})",
        *([record["machine"]] if with_machine else []),
        module.tables(record["data"]).strip(),
        *(f"![{Path(picture).stem}]({picture})" for picture in pictures),
    ]
    return "\n\n".join(parts) + "\n"


def main(name: str) -> None:
    """The command line of a step: measure, then print, or save with --json."""
    parser = argparse.ArgumentParser(
        prog=command(name, quick=False), description=load(name).__doc__.splitlines()[0]
    )
    parser.add_argument("--quick", action="store_true", help="smaller sizes, fewer rounds")
    parser.add_argument("--json", type=Path, help="save what was measured there; print nothing")
    args = parser.parse_args()
    record = measure(name, Run(args.quick))
    if args.json:
        args.json.write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")
    else:
        goals = targets.table({name: load(name).targets(record["data"])})
        print("\n\n".join([record["machine"], goals, section(record)]))


def _commit() -> str:
    """The commit that was measured, with a mark if files differ from it."""
    try:
        found = subprocess.run(
            ["git", "describe", "--always", "--dirty", "--exclude=*"],
            cwd=ROOT,
            capture_output=True,
            text=True,
            check=True,
        )
    except (OSError, subprocess.CalledProcessError):
        return "unknown"
    return found.stdout.strip()
