"""Do the commands that documents name exist?"""

from __future__ import annotations

import re
from importlib.util import find_spec
from pathlib import Path

import pytest

from benchmarks.lib.paths import RESULTS, ROOT

NAMED = [
    *(ROOT / name for name in ("README.md", "CONTRIBUTING.md", "Makefile", "benchmarks/README.md")),
    *sorted((ROOT / "docs").rglob("*.md")),
    *sorted(RESULTS.rglob("*.md")),
    *sorted(RESULTS.glob("*.json")),
]


@pytest.mark.parametrize("path", NAMED, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_commands_and_files_that_are_named_are_there(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    for name in re.findall(r"-m (benchmarks[\w.]*\w)", text):
        spec = find_spec(name)
        assert spec is not None, f"{path.name} names {name}"
        if spec.submodule_search_locations is not None:
            assert find_spec(f"{name}.__main__") is not None
    for name in re.findall(r"benchmarks/[\w/.]*\w", text):
        assert (ROOT / name).exists(), f"{path.name} names {name}"
    for name in re.findall(r"!\[[^\]]*\]\(([^)]+)\)", text):
        assert (path.parent / name).exists(), f"{path.name} shows {name}"
