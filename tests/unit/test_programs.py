"""Programs of solvers: which paths from the environment are taken."""

from __future__ import annotations

from pathlib import Path

import pytest

from bsnsing.solvers.programs import find_program


def program(path: Path, mode: int = 0o755) -> Path:
    path.write_text("#!/bin/sh\n")
    path.chmod(mode)
    return path


def test_a_path_in_the_environment_must_be_a_file_that_may_be_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = []
    for given in (program(tmp_path / "ok"), program(tmp_path / "data", 0o644), tmp_path, "/none"):
        monkeypatch.setenv("SOME_SOLVER", str(given))
        found.append(find_program("some-solver", "SOME_SOLVER"))
    assert found == [str(tmp_path / "ok"), None, None, None]


def test_a_bare_name_is_not_looked_for_in_the_current_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder, elsewhere = tmp_path / "bin", tmp_path / "here"
    folder.mkdir()
    elsewhere.mkdir()
    program(elsewhere / "solver")
    monkeypatch.chdir(elsewhere)
    monkeypatch.setenv("PATH", str(folder))
    monkeypatch.setenv("SOME_SOLVER", "solver")
    assert find_program("other", "SOME_SOLVER") is None
    program(folder / "solver")
    assert find_program("other", "SOME_SOLVER") == str(folder / "solver")
