"""bsnsing predict: the model's predictions, beside the columns of the table."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet
import pytest
from command_line import Run, csv_of, rows_of_people

import bsnsing
from bsnsing import BsnsingClassifier
from bsnsing.cli import sources

ADDED = ["label", "probability_no", "probability_yes"]


def frame_of(path: Path) -> pd.DataFrame:
    return pd.read_csv(path, dtype={"zip": str})


def test_predictions_are_those_of_the_model(run: Run, people: Path, model: Path) -> None:
    ran = run("predict", model, people, "-o", "scored.csv")
    assert ran.code == 0, ran.err
    scored = pd.read_csv("scored.csv", dtype={"zip": str})
    loaded = bsnsing.load(model)
    given = frame_of(people)
    assert list(scored) == [*given, *ADDED]
    assert (scored["label"] == loaded.predict(given)).all()
    with open("scored.csv") as file:  # pandas does not read to the last bit
        shares = [[float(row[name]) for name in ADDED[1:]] for row in csv.DictReader(file)]
    assert shares == loaded.predict_proba(given).tolist()


def test_cells_of_the_table_are_passed_on_as_they_are(run: Run, model: Path) -> None:
    text = 'age,plan,zip,calls,member,note\n 030 ,"pro",007,1.50,TRUE,"a ""b"",\nc"\n'
    Path("new.csv").write_text(text)
    ran = run("predict", model, "new.csv")
    assert ran.code == 0, ran.err
    (row,) = csv.DictReader(io.StringIO(ran.out))
    kept = {name: row[name] for name in ("age", "plan", "zip", "calls", "member", "note")}
    assert list(kept.values()) == [" 030 ", "pro", "007", "1.50", "TRUE", 'a "b",\nc']


@pytest.mark.parametrize("into", ["csv", "tsv", "jsonl", "parquet", "arrow", "csv.gz", "jsonl.xz"])
@pytest.mark.parametrize("start", ["csv", "jsonl", "parquet"])
def test_formats_in_and_out(run: Run, model: Path, start: str, into: str) -> None:
    rows = rows_of_people()[:50]
    table = pa.Table.from_pylist(rows)
    Path("new.csv").write_text(csv_of(rows))
    Path("new.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    pa.parquet.write_table(table, "new.parquet")
    ran = run("predict", model, f"new.{start}", "-o", f"out.{into}", "-q")
    assert (ran.code, ran.err) == (0, "")
    path = f"out.{into}"
    if into == "parquet":
        found = pa.parquet.read_table(path).to_pandas()
    elif into == "arrow":
        found = pa.feather.read_table(path).to_pandas()
    elif into.startswith("jsonl"):
        found = pd.read_json(path, lines=True, dtype={"zip": str}, precise_float=True)
    else:
        found = pd.read_csv(path, sep="\t" if into == "tsv" else ",", dtype={"zip": str})
    loaded = bsnsing.load(model)
    frame = pd.DataFrame(rows)
    assert list(found) == [*frame, *ADDED]
    assert (found["label"] == loaded.predict(frame)).all()
    assert np.allclose(found[ADDED[1:]], loaded.predict_proba(frame), rtol=0, atol=1e-15)
    assert (found["age"] == frame["age"]).all()
    assert (found["zip"] == frame["zip"]).all()
    assert (found["calls"].isna() == frame["calls"].isna()).all()
    assert found["member"].astype(str).str.lower().tolist() == [
        str(row["member"]).lower() for row in rows
    ]


def test_json_is_passed_on_to_the_last_digit(run: Run, model: Path) -> None:
    line = (
        '{"age": 30, "plan": "pro", "zip": "00007", "calls": 1.10, "member": true, '
        '"big": 12345678901234567890.123, "list": [1, {"a": "\u00fc"}], "none": null}'
    )
    ran = run("predict", model, "-", stdin=line.encode())
    assert ran.code == 0, ran.err
    assert ran.out.startswith(f'{line[:-1]}, "label": ')


def test_pipes_go_in_and_out(run: Run, people: Path, model: Path) -> None:
    direct = run("predict", model, people).out
    assert run("predict", model, "-", stdin=people.read_bytes()).out == direct
    assert run("predict", model, stdin=people.read_bytes()).out == direct
    assert run("predict", "-", people, stdin=model.read_bytes()).out == direct
    assert run("predict", "-", "-", stdin=b"").code == 2


def test_rows_keep_their_order_over_many_batches(
    run: Run, people: Path, model: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = run("predict", model, people).out
    assert len(whole.splitlines()) == 241
    monkeypatch.setattr(sources, "_BATCH_ROWS", 7)
    assert run("predict", model, people).out == whole
    run("predict", model, people, "-o", "out.parquet", "-q")
    assert run("predict", model, "out.parquet", "--only").out.splitlines()[1:] == [
        ",".join(line.split(",")[-3:]) for line in whole.splitlines()[1:]
    ]


def test_columns_may_come_in_any_order_and_those_not_asked_about_may_be_absent(
    run: Run, people: Path, model: Path
) -> None:
    frame = frame_of(people)
    asked = {
        column
        for tree in bsnsing.load(model).trees_
        for question in tree.asked_questions()
        for column in [question.column]
    }
    assert len(asked) < 5
    frame[sorted(asked, reverse=True)].to_csv("few.csv", index=False)
    only = run("predict", model, people, "--only").out
    assert run("predict", model, "few.csv", "--only").out == only
    ran = run("predict", model, "-", stdin=b"age,nothing\n1,2\n")
    assert ran.code == 1
    assert "lacks" in ran.err


def test_chosen_columns_are_written(run: Run, people: Path, model: Path) -> None:
    out = run("predict", model, people, "--keep", "zip", "--keep", "age", "--prefix", "p_").out
    assert out.splitlines()[0] == "zip,age,p_label,p_probability_no,p_probability_yes"
    ran = run("predict", model, people, "--keep", "nope")
    assert ran.code == 1
    assert "--keep names the column 'nope'" in ran.err


def test_names_that_are_taken_are_refused(run: Run, people: Path, model: Path) -> None:
    run("predict", model, people, "-o", "scored.csv")
    ran = run("predict", model, "scored.csv")
    assert ran.code == 1
    assert "--prefix" in ran.err


def test_a_level_of_the_model_is_no_missing_cell(run: Run) -> None:
    """NA is Namibia where the fit said so."""
    lines = [f"{'NA' if i % 2 else 'DE'},{'ab'[i % 2]}" for i in range(40)]
    Path("t.csv").write_text("country,y\n" + "\n".join(lines))
    args = ("-t", "y", "--preset", "plain", "--missing", "", "-o", "m.json")
    assert run("fit", "t.csv", *args).code == 0
    out = run("predict", "m.json", "-", "--only", stdin=b"country\nNA\nDE\n").out
    assert [line[0] for line in out.splitlines()[1:]] == ["b", "a"]


def test_a_wrong_cell_is_named_with_its_row(
    run: Run, people: Path, model: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sources, "_BATCH_ROWS", 7)
    lines = people.read_text().splitlines()
    lines[100] = lines[100].replace(",", "x,", 1)
    Path("wrong.csv").write_text("\n".join(lines))
    ran = run("predict", model, "wrong.csv", "-o", "out.csv")
    assert ran.code == 1
    assert "Column 'age' is to hold a number" in ran.err
    assert "in row 100." in ran.err
    assert not Path("out.csv").exists()
    assert sorted(path.name for path in Path().iterdir()) == [
        "model.json",
        "people.csv",
        "wrong.csv",
    ]


def test_an_empty_table_gives_a_header(run: Run, people: Path, model: Path) -> None:
    header = people.read_text().splitlines()[0]
    ran = run("predict", model, "-", stdin=f"{header}\n".encode())
    assert (ran.code, ran.out) == (0, f"{header},{','.join(ADDED)}\n")


def test_a_model_of_an_array_takes_columns_by_their_places(run: Run) -> None:
    X = np.random.default_rng(0).normal(size=(80, 2))
    BsnsingClassifier.plain().fit(X, X[:, 1] > 0).save("m.json")
    pd.DataFrame(X, columns=["a", "b"]).to_csv("t.csv", index=False)
    out = run("predict", "m.json", "t.csv", "--only").out.splitlines()
    assert out[0] == "label,probability_false,probability_true"
    assert [line.split(",")[0] for line in out[1:]] == [
        str(value).lower() for value in (bsnsing.load("m.json").predict(X)).tolist()
    ]


def test_numbers_that_are_levels_are_found_again(run: Run) -> None:
    lines = [f"{i % 4},{'ab'[i % 4 in (0, 3)]}" for i in range(80)]
    Path("t.csv").write_text("code,y\n" + "\n".join(lines))
    args = ("-t", "y", "--preset", "plain", "--type", "code=category", "-o", "m.json")
    assert run("fit", "t.csv", *args).code == 0
    out = run("predict", "m.json", "t.csv", "--keep", "y").out.splitlines()[1:]
    assert all(line.split(",")[0] == line.split(",")[1] for line in out)
