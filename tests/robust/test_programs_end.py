"""A solver that is a script ends with all that it has started."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from bsnsing.solvers import programs
from bsnsing.solvers.registry import MIP_SOLVERS

pytestmark = pytest.mark.skipif(not hasattr(os, "killpg"), reason="needs groups of processes")


@pytest.fixture
def script(tmp_path: Path) -> tuple[Path, Path]:
    """A script that waits for a child of its own, and the file with the number of the child."""
    pid, program = tmp_path / "pid", tmp_path / "solver"
    program.write_text(f"#!/bin/sh\nsleep 1000 &\necho $! > {pid}.new\nmv {pid}.new {pid}\nwait\n")
    program.chmod(0o755)
    return program, pid


def waited_for(is_so: Callable[[], bool]) -> bool:
    for _ in range(3000):
        if is_so():
            return True
        time.sleep(0.01)
    return False


def is_gone(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return True
    # Over, but nobody has asked how it ended.
    stat = Path(f"/proc/{pid}/stat")
    return stat.exists() and stat.read_text().rsplit(")", 1)[1].split()[0] == "Z"


def test_a_script_ends_with_its_children_when_time_is_up(
    script: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    program, pid = script
    monkeypatch.setattr(programs, "_GRACE", 2.0)
    assert programs.run_program(MIP_SOLVERS["cbc"], [str(program)], 0.0, False) == ""
    assert waited_for(lambda: is_gone(int(pid.read_text())))


def test_a_script_ends_with_its_children_at_ctrl_c(script: tuple[Path, Path]) -> None:
    program, pid = script

    def interrupt() -> None:
        waited_for(pid.exists)
        os.kill(os.getpid(), signal.SIGINT)

    threading.Thread(target=interrupt).start()
    with pytest.raises(KeyboardInterrupt):
        programs.run_program(MIP_SOLVERS["cbc"], [str(program)], 1000.0, False)
    assert waited_for(lambda: is_gone(int(pid.read_text())))
