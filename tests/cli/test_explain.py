"""bsnsing explain, and bsnsing show with cases."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pandas as pd
import pytest
from command_line import Run

import bsnsing
from bsnsing.cli import sources


def test_explanations_are_those_of_python(run: Run, people: Path, model: Path) -> None:
    loaded = bsnsing.load(model)
    frame = pd.read_csv(people, dtype={"zip": str})
    wanted = bsnsing.explain(loaded, frame.iloc[:3])
    ran = run("explain", model, people, "--rows", "1-3")
    assert ran.code == 0, ran.err
    assert (
        ran.out
        == str(wanted)
        .replace("Case 2", "Row 3")
        .replace("Case 1", "Row 2")
        .replace("Case 0", "Row 1")
        + "\n"
    )
    lines = run("explain", model, people, "--format", "jsonl").out.splitlines()
    assert len(lines) == 240
    found = [json.loads(line) for line in lines]
    assert [own["row"] for own in found] == list(range(1, 241))
    assert [own["label"] for own in found] == loaded.predict(frame).tolist()


def test_rows_are_chosen_by_their_numbers_over_batches(
    run: Run, people: Path, model: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    args = ("explain", model, people, "--rows", "200,3-5", "--format", "csv")
    whole = run(*args)
    monkeypatch.setattr(sources, "_BATCH_ROWS", 7)
    assert run(*args).out == whole.out
    rows = list(csv.DictReader(io.StringIO(whole.out)))
    assert [row["row"] for row in rows] == ["3", "4", "5", "200"]
    frame = pd.read_csv(people, dtype={"zip": str}).iloc[[2, 3, 4, 199]]
    assert [row["label"] for row in rows] == bsnsing.load(model).predict(frame).tolist()
    ran = run("explain", model, people, "--rows", "240-241", "-q")
    assert ran.code == 1
    assert "1 were explained" in ran.err
    assert run("explain", model, people, "--rows", "0").code == 2


def test_columns_can_be_kept_from_changing(run: Run, people: Path, model: Path) -> None:
    asked = {question.column for question in bsnsing.load(model).tree_.asked_questions()}
    fixed = [arg for column in asked for arg in ("--fixed", str(column))]
    (own,) = map(
        json.loads,
        run("explain", model, people, "--rows", "1", "--format", "jsonl", *fixed).out.splitlines(),
    )
    assert own["flip"]["changes"] == []
    ran = run("explain", model, people, "--fixed", "nope")
    assert ran.code == 1
    assert "nope" in ran.err
    ran = run("explain", model, people, "--event", "perhaps")
    assert "--event names the label 'perhaps'" in ran.err
    text = run("explain", model, people, "--rows", "1", "--event", "yes", "--no-change").out
    assert "yes on the way" in text
    assert "It would be" not in text


def test_a_model_is_judged_on_given_cases(run: Run, people: Path, model: Path) -> None:
    loaded = bsnsing.load(model)
    frame = pd.read_csv(people, dtype={"zip": str})
    labels = frame.pop("churned")
    ran = run("show", model, "--data", people)
    assert ran.code == 0, ran.err
    assert ran.out == str(bsnsing.summary(loaded, frame, labels)) + "\n"
    assert run("show", model, "--summary").out == str(bsnsing.summary(loaded)) + "\n"
    other = people.read_text().replace("churned", "left")
    Path("other.csv").write_text(other)
    assert run("show", model, "--data", "other.csv", "--target", "left").out == ran.out
    assert "--target names the column 'churned'" in run("show", model, "--data", "other.csv").err


def test_labels_of_given_cases_are_found_in_any_spelling_of_the_file(run: Run) -> None:
    Path("t.csv").write_text("x,y\n" + "\n".join(f"{i},{i // 10}" for i in range(20)))
    run("fit", "t.csv", "-t", "y", "--preset", "plain", "-o", "m.json")
    pd.read_csv("t.csv").to_parquet("t.parquet")
    text = run("show", "m.json", "--data", "t.csv").out
    assert "accuracy     100% " in text
    assert run("show", "m.json", "--data", "t.parquet").out == text
