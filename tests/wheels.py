"""Builds what a release publishes, and tests it where nothing else is: ``make wheel-test``.

From the source distribution, with nothing but a compiler at hand, wheels are built for the oldest
Python and for the stable ABI; each is installed into an environment of its own and judged by
wheel_check.py. The oldest Python gets the oldest dependencies, the newest the newest; then the same
on emulated older processors, where qemu-user is installed. All must find the same tree.

Interpreters are looked for on the search path, with uv and with pyenv; others can be named:
``python tests/wheels.py /opt/python3.14t/bin/python3``.
"""

from __future__ import annotations

import json
import os
import platform
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
DIST = ROOT / "dist"
CHECK = ROOT / "tests" / "wheel_check.py"
OLDEST = (3, 10)
STABLE_SINCE = (3, 12)  # wheel.py-api of pyproject.toml
LATEST_THERE_MAY_BE = 20
# Without AVX2, and with AVX2 but without AVX-512. They are emulated with the oldest dependencies:
# under qemu 7.2 a default fit with NumPy 2.5.4 ends in a segmentation fault on Haswell, inside
# argsort, for a reason not found yet; NumPy 1.24.4 and 2.5.4 cannot be imported on Nehalem.
OLDER_PROCESSORS = ("SandyBridge", "Haswell")
TELL = (
    "import sys, sysconfig; print(sys.version_info.major, sys.version_info.minor, "
    "int(bool(sysconfig.get_config_var('Py_GIL_DISABLED'))), sys.executable)"
)


@dataclass(frozen=True)
class Interpreter:
    """A Python that runs here."""

    path: str
    version: tuple[int, int]
    is_free_threaded: bool

    @property
    def name(self) -> str:
        return f"{self.version[0]}.{self.version[1]}{'t' if self.is_free_threaded else ''}"


@dataclass(frozen=True)
class Environment:
    """What a wheel was installed into."""

    title: str
    python: Path


def run(words: Sequence[str | Path], **more: Any) -> str:
    """What a program prints; its whole output is shown if it fails."""
    # Neither this checkout nor what an environment variable names may be imported in a test.
    environment = {k: v for k, v in os.environ.items() if k not in ("PYTHONPATH", "PYTHONHOME")}
    done = subprocess.run(
        [str(word) for word in words],
        capture_output=True,
        text=True,
        env=environment | {"PIP_DISABLE_PIP_VERSION_CHECK": "1"},
        check=False,
        **more,
    )
    if done.returncode:
        shown = " ".join(str(word) for word in words)
        raise SystemExit(f"{done.stdout}{done.stderr}\nFailed: {shown}")
    return done.stdout


def look_at(path: str) -> Interpreter | None:
    """The interpreter at a path, or None if nothing runs there."""
    try:
        done = subprocess.run([path, "-c", TELL], capture_output=True, text=True, check=False)
    except OSError:
        return None
    if done.returncode:
        return None
    major, minor, is_free, where = done.stdout.strip().split(" ", 3)
    return Interpreter(where, (int(major), int(minor)), is_free == "1")


def paths_of(version: str) -> Iterator[str]:
    """Where an interpreter of this version may be."""
    found = shutil.which(f"python{version}")
    if found:
        yield found
    if shutil.which("uv"):
        done = subprocess.run(
            ["uv", "python", "find", "--no-python-downloads", version],
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode == 0:
            yield done.stdout.strip()
    pyenv = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")) / "versions"
    yield from (str(path / "bin" / "python3") for path in sorted(pyenv.glob(f"{version}.*")))


def interpreters(named: Sequence[str]) -> list[Interpreter]:
    """Those that are here, from the oldest to the newest, one of each version."""
    found: dict[str, Interpreter] = {}
    for path in named:
        one = look_at(path)
        if one is None:
            raise SystemExit(f"No Python runs at {path}.")
        found[one.name] = one
    for minor in range(OLDEST[1], LATEST_THERE_MAY_BE):
        for version in (f"3.{minor}", f"3.{minor}t"):
            for path in paths_of(version):
                one = look_at(path)
                if one is not None and one.name == version:
                    found.setdefault(version, one)
                    break
    return sorted(found.values(), key=lambda one: (one.is_free_threaded, one.version))


def lower_bounds(text: str) -> list[str]:
    """The oldest releases that pyproject.toml admits, as constraints for pip."""
    listed = re.search(r"^dependencies = \[\n(.*?)^\]", text, re.MULTILINE | re.DOTALL)
    assert listed is not None, "pyproject.toml names no dependencies"
    pairs = re.findall(r'"([\w.-]+)>=([\w.]+)"', listed[1])
    assert len(pairs) == len(listed[1].strip().splitlines()), "a dependency has no lower bound"
    return [f"{name}=={version}.*" for name, version in pairs]


def new_environment(folder: Path, interpreter: Interpreter) -> Path:
    run([interpreter.path, "-m", "venv", folder])
    return folder / ("Scripts" if os.name == "nt" else "bin") / "python"


def build(folder: Path, wanted: Sequence[Interpreter]) -> dict[str, Path]:
    """The source distribution, and from it a wheel by each of these."""
    shutil.rmtree(DIST, ignore_errors=True)
    python = new_environment(folder / "build", wanted[0])
    run([python, "-m", "pip", "install", "-qq", "build"])
    run([python, "-m", "build", "--sdist", "--outdir", DIST, ROOT])
    (source,) = DIST.glob("*.tar.gz")
    print(f"built {source.name}, {source.stat().st_size / 1e6:.1f} MB", flush=True)
    wheels = {}
    for one in wanted:
        python = new_environment(folder / f"wheel-{one.name}", one)
        place = folder / f"made-{one.name}"
        # The build is isolated: what it needs besides a compiler comes from pyproject.toml.
        run([python, "-m", "pip", "wheel", "-qq", "--no-deps", "-w", place, source])
        (wheel,) = place.glob("*.whl")
        wheels[one.name] = Path(shutil.copy(wheel, DIST))
        print(f"built {wheel.name}, {wheel.stat().st_size / 1e6:.1f} MB", flush=True)
    return wheels


def install(
    folder: Path, interpreter: Interpreter, wheel: Path, limits: Sequence[str] = ()
) -> Environment:
    """A bare environment with the wheel and what it depends on."""
    kind = "oldest dependencies" if limits else "newest dependencies"
    python = new_environment(folder / f"{interpreter.name}-{kind.split()[0]}", interpreter)
    constraints = folder / "constraints.txt"
    constraints.write_text("\n".join(limits) + "\n", encoding="utf-8")
    pip = [python, "-m", "pip"]
    only = ["--only-binary", "bsnsing,numpy,scipy,scikit-learn"]
    run([*pip, "install", "-qq", *only, "-c", constraints, wheel])
    run([*pip, "check"])
    return Environment(f"Python {interpreter.name}, {kind}", python)


def judge(environment: Environment, folder: Path, before: Sequence[str] = ()) -> dict[str, Any]:
    """What wheel_check.py finds, run from an empty folder."""
    words = [*before, environment.python, "-W", "error", CHECK]
    found: dict[str, Any] = json.loads(run(words, cwd=folder).splitlines()[-1])
    title = environment.title + (f", {before[-1]}" if before else "")
    print(f"{title}: ok\n   {found.pop('here')}", flush=True)
    return found


def main() -> None:
    limits = lower_bounds((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    if sys.argv[1:] == ["--lower-bounds"]:  # for others who install the oldest dependencies
        print("\n".join(limits))
        return
    here = interpreters(sys.argv[1:])
    locked = [one for one in here if not one.is_free_threaded]
    stable = [one for one in locked if one.version >= STABLE_SINCE]
    print("Python here: " + ", ".join(one.name for one in here), flush=True)
    if not locked or locked[0].version != OLDEST or not stable:
        raise SystemExit(
            f"A Python {OLDEST[0]}.{OLDEST[1]} and one from {STABLE_SINCE[0]}.{STABLE_SINCE[1]} on "
            "are needed. Install them (uv python install 3.10 3.14), or name them."
        )
    oldest, newest, free = locked[0], locked[-1], [one for one in here if one.is_free_threaded]
    with tempfile.TemporaryDirectory(prefix="wheel-test-") as name:
        folder = Path(name)
        empty = folder / "empty"
        empty.mkdir()
        # The stable wheel is built with the oldest Python that can, and used with the newest.
        wheels = build(folder, [oldest, stable[0], *free[-1:]])
        environments = [
            install(folder, oldest, wheels[oldest.name], limits),
            install(folder, newest, wheels[stable[0].name]),
            *(install(folder, one, wheels[one.name]) for one in free[-1:]),
        ]
        found = [judge(environment, empty) for environment in environments]
        emulator = shutil.which("qemu-x86_64")
        if emulator and platform.machine() == "x86_64":
            # venv's python is a link, which qemu follows as the system does.
            for processor in OLDER_PROCESSORS:
                found.append(judge(environments[0], empty, [emulator, "-cpu", processor]))
        else:
            print("No older processor is emulated: there is no qemu-x86_64 (apt: qemu-user).")
    if any(one != found[0] for one in found):
        raise SystemExit("The environments above do not find the same: " + json.dumps(found))
    print("All find the same tree.")


if __name__ == "__main__":
    main()
