"""CBC of COIN-OR, as a program that reads a file."""

from __future__ import annotations

import importlib.util
import os
import platform
import re
import sys
import tempfile
from pathlib import Path

import numpy as np

from bsnsing.solvers.base import ABSOLUTE_GAP, Outcome, Request, SolverUnavailableError
from bsnsing.solvers.files import write_file
from bsnsing.solvers.model import Floats, Model
from bsnsing.solvers.programs import find_program, read_number, read_values, run_program

VARIABLE = "BSNSING_CBC"


class Cbc:
    """The open-source solver CBC; it takes no cuts while it runs."""

    name = "cbc"
    takes_cuts = False
    advice = (
        "Run `pip install 'bsnsing[cbc]'` (PuLP brings the program along) or, on Debian, `apt "
        f"install coinor-cbc`, or name the program in {VARIABLE}."
    )

    def why_not(self) -> str | None:
        """Return None if the solver can be used here, else what is missing."""
        if self._program():
            return None
        return f"there is no program cbc, neither on the path nor in PuLP nor in {VARIABLE}"

    def _program(self) -> str | None:
        is_given = bool(os.environ.get(VARIABLE))
        return find_program("cbc", VARIABLE) or (None if is_given else _program_of_pulp())

    def solve(self, model: Model, request: Request) -> Outcome:
        """Solve a program; Ctrl-C ends it with KeyboardInterrupt."""
        program = self._program()
        if program is None:
            raise SolverUnavailableError(
                f"solver='cbc' cannot be used: {self.why_not()}. {self.advice} Or use "
                "solver='enum', which needs nothing."
            )
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            solution = folder / "solution.txt"
            command = [program, str(write_file(model, folder / "model.mps"))]
            command += ["-timeMode", "elapsed", "-sec", str(min(request.time_limit, 1e9))]
            command += ["-ratio", str(request.gap), "-allow", str(ABSOLUTE_GAP)]
            if request.n_threads > 1:
                command += ["-threads", str(request.n_threads)]
            if request.cutoff is not None:
                command += ["-cutoff", str(request.cutoff + 0.5)]
            if request.start is not None:
                (folder / "start.txt").write_text(_start_text(model, request.start))
                command += ["-mips", str(folder / "start.txt")]
            command += ["-branch", "-printingOptions", "all", "-solution", str(solution)]
            log = run_program(self, command, request.time_limit, request.verbose)
            text = solution.read_text(errors="replace") if solution.exists() else ""
        return _outcome(model, log, text)


def _program_of_pulp() -> str | None:
    """The program that PuLP brings along, found without importing it."""
    try:
        package = importlib.util.find_spec("pulp")
    except ImportError:
        return None
    if package is None or package.origin is None:
        return None
    system = {"darwin": "osx", "win32": "win"}.get(sys.platform, "linux")
    is_arm = platform.machine().lower() in ("arm64", "aarch64")
    for machine in ("arm64", "i64") if is_arm else ("i64",):  # macOS runs both
        folder = Path(package.origin).parent / "solverdir" / "cbc" / system / machine
        program = folder / ("cbc.exe" if system == "win" else "cbc")
        if os.access(program, os.X_OK):
            return str(program)
    return None


def _start_text(model: Model, start: Floats) -> str:
    lines = [f"{i} {n} {v} 0" for i, (n, v) in enumerate(zip(model.names, start, strict=True))]
    head = f"Stopped on iterations - objective value {model.value(start)}"
    return "\n".join([head, *lines, f"{len(lines)} constant 1 0"]) + "\n"


def _outcome(model: Model, log: str, text: str) -> Outcome:
    nodes = re.findall(r"Enumerated nodes:\s+(\d+)", log)
    n_nodes = int(nodes[-1]) if nodes else 0
    head = text.split("\n", 1)[0].lower()
    if "infeasible" in head:
        return Outcome(status="infeasible", x=None, bound=np.inf, n_nodes=n_nodes)
    x = None if not head or "no integer solution" in head else _values(model, text)
    if x is not None and head.startswith("optimal"):
        return Outcome(status="optimal", x=x, bound=model.value(x), n_nodes=n_nodes)
    bounds = re.findall(r"(?:Lower bound:|best possible)\s+(-?[\d.]+(?:e[+-]?\d+)?)", log)
    bound = read_number(bounds[-1]) if bounds else -np.inf
    return Outcome(status="stopped", x=x, bound=bound, n_nodes=n_nodes)


def _values(model: Model, text: str) -> Floats | None:
    lines = (line.replace("**", " ").split() for line in text.splitlines()[1:])
    return read_values(model, (words[1:3] for words in lines if len(words) >= 3))
