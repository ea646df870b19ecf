"""The command line in this process, and a table and a model to try it on."""

from __future__ import annotations

import io
import sys
from pathlib import Path

import pytest
from command_line import Ran, Run, csv_of, rows_of_people

from bsnsing.cli import main


class _Stdin(io.TextIOWrapper):
    def isatty(self) -> bool:
        return False


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Run:
    """Run the command in a folder of the test's own, in this process."""
    monkeypatch.chdir(tmp_path)

    def run(*args: object, stdin: bytes | None = None) -> Ran:
        if stdin is not None:
            buffered = io.BufferedReader(io.BytesIO(stdin))  # type: ignore[arg-type]
            monkeypatch.setattr(sys, "stdin", _Stdin(buffered))
        capsys.readouterr()
        code = main([str(arg) for arg in args])
        captured = capsys.readouterr()
        assert "Traceback" not in captured.err or "--debug" in args
        return Ran(code, captured.out, captured.err)

    return run


@pytest.fixture
def people(tmp_path: Path) -> Path:
    path = tmp_path / "people.csv"
    path.write_text(csv_of(rows_of_people()))
    return path


@pytest.fixture
def model(run: Run, people: Path, tmp_path: Path) -> Path:
    path = tmp_path / "model.json"
    ran = run("fit", people, "--target", "churned", "--preset", "plain", "-o", path)
    assert ran.code == 0, ran.err
    return path
