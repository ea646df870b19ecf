"""The command as a process of its own: pipes, signals, and the Tab key."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import pytest
from click.shell_completion import ShellComplete
from command_line import csv_of, rows_of_people

from bsnsing import BsnsingClassifier
from bsnsing.cli.app import bsnsing

COMMAND = [sys.executable, "-m", "bsnsing"]
pytestmark = pytest.mark.skipif(os.name != "posix", reason="signals and pipes of POSIX")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    X = np.random.default_rng(0).normal(size=(200, 2))
    BsnsingClassifier.plain().fit(X, X[:, 0] > 0).save(tmp_path / "model.json")
    return tmp_path


def rows_of_numbers(n_rows: int, n_columns: int = 2) -> bytes:
    values = np.random.default_rng(1).normal(size=(n_rows, n_columns))
    lines = [",".join(f"x{i}" for i in range(n_columns))]
    lines += [",".join(f"{value:.4f}" for value in row) for row in values.tolist()]
    return "\n".join(lines).encode() + b"\n"


def test_a_pipeline_of_commands(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text(csv_of(rows_of_people()))
    command = " ".join(COMMAND)
    line = (
        f"cat t.csv | {command} fit - -t churned --preset plain -q -o - > m.json && "
        f"{command} predict m.json - < t.csv | {command} predict m.json - --prefix again_ | tail -1"
    )
    done = subprocess.run(line, shell=True, cwd=tmp_path, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
    cells = done.stdout.strip().split(",")
    assert cells[-3:] == cells[-6:-3]


def test_a_reader_that_has_enough_ends_it_quietly(folder: Path) -> None:
    (folder / "t.csv").write_bytes(rows_of_numbers(60_000))
    with subprocess.Popen(
        [*COMMAND, "predict", "model.json", "t.csv"],
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        assert process.stdout.readline().startswith(b"x0,x1,label")
        process.stdout.close()
        assert process.stderr.read() == b""
    assert process.returncode == 141


def test_rows_come_out_before_the_last_goes_in(folder: Path) -> None:
    """So that memory does not grow with the table."""
    with subprocess.Popen(
        [*COMMAND, "predict", "model.json", "-", "--only"],
        cwd=folder,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        # Both ends of a pipe wait for each other, so that rows go in beside this.
        writer = threading.Thread(target=process.stdin.write, args=[rows_of_numbers(25_000)])
        writer.start()
        assert process.stdout.readline().startswith(b"label,")
        for _ in range(20_000):
            assert process.stdout.readline()
        writer.join()
        process.stdin.write(b"1,1\n")
        process.stdin.close()
        rest = process.stdout.read().splitlines()
    assert process.returncode == 0
    assert len(rest) == 5_001


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_an_interrupted_fit_leaves_nothing(folder: Path, number: int, code: int) -> None:
    rng = np.random.default_rng(0)
    table = rows_of_numbers(6_000, 20).splitlines()
    labels = [b"y", *(b"ab"[i : i + 1] for i in rng.integers(0, 2, 6_000).tolist())]
    (folder / "t.csv").write_bytes(
        b"\n".join(b",".join(row) for row in zip(table, labels, strict=True))
    )
    before = sorted(os.listdir(folder))
    long = ("--learner", "ensemble", "--n-estimators", "5000", "--verbose", "1")
    with subprocess.Popen(
        [*COMMAND, "fit", "t.csv", "-t", "y", "-o", "new.json", *long],
        cwd=folder,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stderr is not None
        for line in process.stderr:
            if line.startswith("level"):  # trees are growing
                break
        process.send_signal(number)
        rest = process.stderr.read()
    assert process.returncode == code
    assert "Traceback" not in rest
    assert sorted(os.listdir(folder)) == before


def test_a_folder_that_may_not_be_written_to(folder: Path) -> None:
    (folder / "t.csv").write_bytes(rows_of_numbers(10))
    closed = folder / "closed"
    closed.mkdir(mode=0o555)
    as_others: list[str] = []
    if os.getuid() == 0:  # who may write anywhere
        if shutil.which("setpriv") is None:
            pytest.skip("setpriv, which takes that right from root, is not installed")
        right = "-dac_override"
        as_others = ["setpriv", "--bounding-set", right, "--inh-caps", right, "--"]
    done = subprocess.run(
        [*as_others, *COMMAND, "predict", "model.json", "t.csv", "-o", "closed/out.csv"],
        cwd=folder,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 1
    assert "You may not write to the folder 'closed'" in done.stderr
    assert list(closed.iterdir()) == []


def test_an_interrupted_prediction_leaves_nothing(folder: Path) -> None:
    before = sorted(os.listdir(folder))
    with subprocess.Popen(
        [*COMMAND, "predict", "model.json", "-", "-o", "out.csv"],
        cwd=folder,
        stdin=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=False,
    ) as process:
        assert process.stdin is not None
        assert process.stderr is not None
        process.stdin.write(rows_of_numbers(25_000))
        process.stdin.flush()
        while len(os.listdir(folder)) == len(before):  # until the temporary file is there
            assert process.poll() is None
        process.send_signal(signal.SIGINT)
        assert process.stderr.read().strip() == b"bsnsing: interrupted"
    assert process.returncode == 130
    assert sorted(os.listdir(folder)) == before


def test_the_tab_key_completes() -> None:
    variables = {
        "_BSNSING_COMPLETE": "bash_complete",
        "COMP_WORDS": "bsnsing ex",
        "COMP_CWORD": "1",
    }
    done = subprocess.run(COMMAND, env=os.environ | variables, capture_output=True, text=True)
    assert set(done.stdout.splitlines()) == {"plain,export", "plain,explain"}


@pytest.mark.parametrize(
    ("args", "begun", "wanted"),
    [
        (["export", "--to"], "sv", ["svg"]),
        (["fit", "--preset"], "p", ["plain", "paper"]),
        (["fit"], "--max-r", ["--max-rules"]),
        (["completion"], "b", ["bash"]),
    ],
)
def test_options_and_formats_are_completed(args: list[str], begun: str, wanted: list[str]) -> None:
    completion = ShellComplete(bsnsing, {}, "bsnsing", "_BSNSING_COMPLETE")
    assert [item.value for item in completion.get_completions(args, begun)] == wanted


def test_files_are_completed_by_the_shell() -> None:
    completion = ShellComplete(bsnsing, {}, "bsnsing", "_BSNSING_COMPLETE")
    (item,) = completion.get_completions(["fit"], "cust")
    assert item.type == "file"
