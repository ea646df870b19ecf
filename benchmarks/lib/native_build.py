"""Builds the C++ programs of the benchmarks (benchmarks/native) and says where they are."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

from benchmarks.lib.paths import BUILD, ROOT

FOLDER = BUILD / "bench"


def build(program: str) -> Path:
    """Build what is out of date; the log is shown only when something goes wrong."""
    # Tools of the environment come first, also when it has not been activated.
    beside_python = str(Path(sys.executable).parent)
    path = os.pathsep.join([beside_python, os.environ.get("PATH", "")])
    cmake = shutil.which("cmake", path=path)
    if cmake is None:
        raise SystemExit("There is no cmake here. Run `pip install '.[bench]'`.")
    for words in (["--preset", "bench"], ["--build", "--preset", "bench", "--target", program]):
        done = subprocess.run(
            [cmake, *words],
            cwd=ROOT,
            env=os.environ | {"PATH": path},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )
        if done.returncode:
            raise SystemExit(f"{done.stdout}\nBuilding {program} failed; see above.")
    return FOLDER / program
