"""bsnsing fit on files that are read some rows at a time: the same model, and clear refusals."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pyarrow as pa
import pyarrow.parquet
import pytest
from command_line import Run, csv_of, rows_of_people

import bsnsing

LIMIT = ("--memory-limit", "1GB")


@pytest.fixture
def parts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Three files, of which some rows are read at a time, and kept apart."""
    monkeypatch.setattr("bsnsing.estimators.files._FEWEST_ROWS", 50)
    monkeypatch.setattr("bsnsing.estimators.files._MOST_ROWS", 50)
    monkeypatch.setattr("bsnsing.estimators.scattered.FEW_CELLS", 0)
    frame = pd.DataFrame(rows_of_people())
    frame["weight"] = 1 + frame.index % 2
    frame.loc[3, "plan"] = " NA"  # marks and blanks are as in any table
    for i in range(3):
        frame[i * 80 : (i + 1) * 80].to_parquet(tmp_path / f"part-{i}.parquet", index=False)
    return tmp_path


@pytest.mark.parametrize(
    "options",
    [
        (),
        ("--preset", "plain"),
        ("--preset", "plain", "--weight", "weight", "--drop", "zip"),
        ("--preset", "plain", "--type", "age=category", "--type", "zip=number"),
        ("--preset", "plain", "--type", "zip=skip", "--class-weight", "yes=5,no=1"),
    ],
    ids=str,
)
def test_the_model_is_that_of_the_whole_table(run: Run, parts: Path, options: tuple) -> None:
    pattern = str(parts / "part-*.parquet")
    for name, more in (("whole.json", ()), ("parts.json", LIMIT)):
        ran = run("fit", pattern, "-t", "churned", *options, *more, "-o", name)
        assert ran.code == 0, ran.err
    assert "240 rows, in parts" in ran.err
    whole, in_parts = (bsnsing.load(name) for name in ("whole.json", "parts.json"))
    assert bsnsing.export_text(in_parts) == bsnsing.export_text(whole)
    assert in_parts.label_name_ == "churned"
    assert list(in_parts.feature_names_in_) == list(whole.feature_names_in_)


def test_files_too_large_for_the_machine_are_read_in_parts(
    run: Run, parts: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("bsnsing.cli.in_parts.machine_memory", lambda: 1000.0)
    ran = run("fit", str(parts / "*.parquet"), "-t", "churned", "--preset", "plain", "-q")
    assert " ?\n" in ran.out


def test_progress_is_printed_as_lines(run: Run, parts: Path) -> None:
    pattern = str(parts / "*.parquet")
    ran = run("fit", pattern, "-t", "churned", "--preset", "plain", "--verbose", "1", *LIMIT)
    assert "reading: 6 of 6 parts" in ran.err
    assert (
        "level 0: 1 open nodes of 240 cases" in ran.err or "nodes are grown to the end" in ran.err
    )


def test_a_dry_run_shows_the_columns(run: Run, parts: Path) -> None:
    ran = run("fit", str(parts / "*.parquet"), "-t", "churned", *LIMIT, "--dry-run")
    assert ran.code == 0
    assert ran.out.startswith("240 rows, in parts\nage  int64\n")


def test_rows_without_a_label(run: Run, parts: Path) -> None:
    frame = pd.read_parquet(parts / "part-1.parquet")
    frame.loc[[2, 5], "churned"] = None
    frame.to_parquet(parts / "part-1.parquet", index=False)
    arguments = ("fit", str(parts / "*.parquet"), "-t", "churned", "--preset", "plain", *LIMIT)
    ran = run(*arguments)
    assert ran.code != 0
    assert "2 rows have no label in the column 'churned'" in ran.err
    assert run(*arguments, "--skip-unlabelled").code == 0


def test_what_cannot_be_read_in_parts_is_refused(run: Run, parts: Path) -> None:
    table = parts / "people.csv"
    table.write_text(csv_of(rows_of_people()))
    assert "--memory-limit is for Parquet" in run("fit", table, "-t", "churned", *LIMIT).err
    pattern = str(parts / "*.parquet")
    assert (
        "--memory-limit must be a number"
        in run("fit", pattern, "-t", "churned", "--memory-limit", "much").err
    )
    assert "for one tree" in run("fit", pattern, "-t", "churned", "--learner", "cv", *LIMIT).err
    assert "did you mean 'churned'" in run("fit", pattern, "-t", "churn", *LIMIT).err
    nested = pa.table({"cells": [[1], [2]], "y": [0, 1]})
    pyarrow.parquet.write_table(nested, parts / "nested.pq.parquet")
    ran = run("fit", parts / "nested.pq.parquet", "-t", "y", *LIMIT)
    assert "Column 'cells' is of type list<" in ran.err
    assert "which is not read in parts." in ran.err
