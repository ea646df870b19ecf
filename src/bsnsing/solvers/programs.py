"""Solvers that come as a program of their own: finding it, and running it on a file."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
from collections.abc import Sequence

from bsnsing.solvers.base import MipSolver, SolverUnavailableError

_GRACE = 10.0  # seconds past its time limit after which a program is ended


def find_program(name: str, variable: str) -> str | None:
    """The path in an environment variable, else the program on the search path."""
    given = os.environ.get(variable)
    if given:
        return given if os.access(given, os.X_OK) else None
    return shutil.which(name)


def run_program(solver: MipSolver, command: Sequence[str], time_limit: float, verbose: bool) -> str:
    """Run a program and return what it wrote; it ends with us, at Ctrl-C too."""
    process = subprocess.Popen(
        list(command),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        start_new_session=True,  # Ctrl-C is for us; we end it
    )
    try:
        text, _ = process.communicate(timeout=min(time_limit + _GRACE, 1e6))
    except subprocess.TimeoutExpired:
        process.kill()
        text, _ = process.communicate()
    except BaseException:
        process.kill()
        process.wait()
        raise
    if verbose:
        print(text, flush=True)
    if process.returncode not in (0, -signal.SIGKILL) and "rror" in text:
        raise SolverUnavailableError(
            f"The program of solver={solver.name!r} failed: {text.strip()[-300:]}. "
            f"{solver.advice} Or use solver='highs'."
        )
    return text
