"""Solvers that come as a program of their own: finding it, and running it on a file."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import subprocess
from collections.abc import Iterable, Sequence

import numpy as np

from bsnsing.data.show import show_name
from bsnsing.solvers.base import MipSolver, SolverUnavailableError
from bsnsing.solvers.model import Floats, Model

_GRACE = 10.0  # seconds past its time limit after which a program is ended
_SIGNALS = 128  # which shells add to the signal that has ended what they called


def find_program(name: str, variable: str) -> str | None:
    """The path in an environment variable, else the program on the search path.

    What the variable names must be a file that may be run; a bare name is looked for on the search
    path, and never in the folder one happens to be in.
    """
    given = os.environ.get(variable)
    if given:
        return shutil.which(given) if os.path.basename(given) == given else _runnable(given)
    return shutil.which(name)


def _runnable(path: str) -> str | None:
    return path if os.path.isfile(path) and os.access(path, os.X_OK) else None


def read_values(model: Model, words: Iterable[Sequence[str]]) -> Floats | None:
    """The values of a program's variables by (name, value); None if one is no finite number."""
    x = np.zeros(len(model.names))
    place = {name: i for i, name in enumerate(model.names)}
    for name, value in words:
        if name in place:
            x[place[name]] = read_number(value)
    return x if np.isfinite(x).all() else None


def read_number(text: str) -> float:
    """The number that text says; NaN if it says none."""
    try:
        return float(text)
    except ValueError:
        return np.nan


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
    is_ended_by_us = False
    try:
        text, _ = process.communicate(timeout=min(time_limit + _GRACE, 1e6))
    except subprocess.TimeoutExpired:
        is_ended_by_us = True
        _end(process)
        text, _ = process.communicate()
    except BaseException:
        _end(process)
        process.communicate()
        raise
    if verbose:
        print(text, flush=True)
    code = 0 if is_ended_by_us else process.returncode
    if code < 0 or code >= _SIGNALS:
        why = f"was ended by signal {-code if code < 0 else code - _SIGNALS}, perhaps for memory"
    elif code != 0 and "rror" in text:
        why = f"failed: {show_name(text.strip()[-300:])}"
    else:
        return text
    raise SolverUnavailableError(
        f"The program of solver={solver.name!r} {why}. {solver.advice} Or use solver='highs'."
    )


def _end(process: subprocess.Popen[str]) -> None:
    """End a program with all that it has started: it may be a script that calls the solver."""
    if hasattr(os, "killpg"):
        with contextlib.suppress(ProcessLookupError):  # over meanwhile
            os.killpg(process.pid, signal.SIGKILL)  # of the session that it leads
    process.kill()
