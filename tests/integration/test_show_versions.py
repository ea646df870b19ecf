"""What a bug report says, and that the version is written down in one place."""

from __future__ import annotations

import re
import subprocess
import sys
from importlib import metadata
from pathlib import Path

import numpy as np
import pytest

import bsnsing
from bsnsing import _core, show_versions

ROOT = Path(__file__).resolve().parents[2]


def test_the_command_prints_what_runs_here() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "bsnsing.show_versions"],
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    assert done.stderr == ""
    for line in (
        f"  bsnsing: {bsnsing.__version__}",
        f"  numpy: {np.__version__}",
        f"  kernels: {_core.active_kernels()} (of ",
    ):
        assert line in done.stdout


def test_packages_are_those_of_the_metadata() -> None:
    found = show_versions.versions()
    assert set(found["dependencies"]) == {"numpy", "scipy", "scikit-learn", "narwhals"}
    assert {"matplotlib", "highspy", "gurobipy", "click"} <= set(found["extras"])
    assert not {"pytest", "ruff", "bsnsing"} & set(found["extras"])


def test_a_missing_package_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        metadata, "requires", lambda name: ["no-such-package>=1; extra == 'plot'", "numpy>=1.24"]
    )
    found = show_versions.versions()
    assert found["extras"] == {"no-such-package": "not installed"}
    assert found["dependencies"] == {"numpy": np.__version__}


def test_the_version_is_written_down_once() -> None:
    """In data/release.py; the build, the command line and the citation take it from there."""
    # Metadata are made by a build, so that an old build in place may be of an older version.
    assert metadata.version("bsnsing") == bsnsing.__version__
    cited = re.search(
        r"^version: (.+)$", (ROOT / "CITATION.cff").read_text(encoding="utf-8"), re.MULTILINE
    )
    assert cited is None, "CITATION.cff would have to be kept in step: leave the version out"
    assert 'dynamic = ["version"]' in (ROOT / "pyproject.toml").read_text(encoding="utf-8")
