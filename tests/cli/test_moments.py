"""Dates, times of day and durations on the command line: the answers of the Python API."""

from __future__ import annotations

import csv
import datetime
import io
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet
import pytest
from command_line import Ran, Run
from hypothesis import given
from hypothesis import strategies as st

import bsnsing
from bsnsing import BsnsingClassifier
from bsnsing.cli.errors import Refusal
from bsnsing.cli.kinds import TextColumn
from bsnsing.cli.moments import read_as
from bsnsing.cli.table_options import MISSING_MARKS

FORMATS = ("csv", "tsv", "jsonl", "parquet", "feather", "arrow")
OUTCOME = "outcome"


def visits(n_rows: int = 300) -> pd.DataFrame:
    """Days, moments with and without a zone, times and durations, some missing."""
    rng = np.random.default_rng(1)
    start = pd.Timestamp("2021-03-01")
    moment = start + pd.to_timedelta(rng.integers(0, 90 * 86400, n_rows), unit="s")
    clock = [datetime.time(int(m) // 60, int(m) % 60) for m in rng.integers(0, 1440, n_rows)]
    frame = pd.DataFrame(
        {
            "day": start + pd.to_timedelta(rng.integers(0, 700, n_rows), unit="D"),
            "moment": moment,
            "seen": pd.DatetimeIndex(moment[::-1]).tz_localize("UTC"),
            "clock": clock,
            "stay": pd.to_timedelta(rng.integers(0, 5 * 86400, n_rows), unit="s"),
            "age": rng.integers(18, 80, n_rows),
        }
    )
    is_ill = (frame["day"] > "2022-01-10") & (np.array([c.hour for c in clock]) > 9)
    is_ill |= (frame["stay"] > pd.Timedelta(days=4)) ^ (rng.random(n_rows) < 0.05)
    frame[OUTCOME] = np.where(is_ill, "ill", "well")
    frame.loc[::17, "day"] = pd.NaT
    frame.loc[::19, "clock"] = None
    return frame


def write_all(frame: pd.DataFrame, folder: Path) -> None:
    """Write a table in all formats; text as ISO 8601 has it, durations as pandas does."""
    table = pa.Table.from_pandas(frame, preserve_index=False)
    table = table.set_column(0, "day", table["day"].cast(pa.date32()))
    pa.parquet.write_table(table, folder / "t.parquet")
    pa.feather.write_feather(table, str(folder / "t.feather"))
    with pa.ipc.new_file(str(folder / "t.arrow"), table.schema) as file:
        file.write_table(table)
    rows = [{name: _text(cell) for name, cell in row.items()} for row in table.to_pylist()]
    for name, delimiter in (("t.csv", ","), ("t.tsv", "\t")):
        text = io.StringIO()
        writer = csv.DictWriter(text, table.column_names, delimiter=delimiter)
        writer.writeheader()
        writer.writerows(rows)
        (folder / name).write_text(text.getvalue())
    lines = [json.dumps({k: None if v == "" else v for k, v in row.items()}) for row in rows]
    (folder / "t.jsonl").write_text("\n".join(lines))


def _text(cell: Any) -> Any:
    if isinstance(cell, datetime.timedelta):
        return str(pd.Timedelta(cell))
    return "" if cell is None else cell.isoformat() if hasattr(cell, "isoformat") else cell


def command(folder: Path, *args: str) -> str:
    """Run the real command in a folder; what it prints."""
    done = subprocess.run(
        [sys.executable, "-m", "bsnsing", *args], cwd=folder, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize("suffix", FORMATS)
@pytest.mark.parametrize("preset", ["plain", "default"])
def test_the_command_says_what_the_python_api_says(
    suffix: str, preset: str, tmp_path: Path
) -> None:
    frame = visits()
    write_all(frame, tmp_path)
    make = BsnsingClassifier.plain if preset == "plain" else BsnsingClassifier
    expected = make().fit(frame, OUTCOME)
    fit = ["fit", f"t.{suffix}", "-t", OUTCOME, "--preset", preset, "--type", "stay=duration"]
    command(tmp_path, *fit, "-o", "m.json", "-q")
    saved = bsnsing.load(tmp_path / "m.json")
    assert str(saved) == str(expected)
    assert saved.tree_.columns == expected.tree_.columns
    scored = command(tmp_path, "predict", "m.json", f"t.{suffix}", "-q", "--output-format", "csv")
    found = pd.read_csv(io.StringIO(scored))
    assert (found["label"] == expected.predict(frame)).all()
    shares = found[["probability_ill", "probability_well"]].to_numpy()
    np.testing.assert_array_equal(shares, expected.predict_proba(frame))


def test_what_predict_writes_can_be_scored_again(tmp_path: Path) -> None:
    frame = visits()
    write_all(frame, tmp_path)
    model = BsnsingClassifier.plain().fit(frame, OUTCOME)
    model.save(tmp_path / "m.json")
    command(tmp_path, "predict", "m.json", "t.parquet", "-o", "scored.csv", "-q")
    command(tmp_path, "predict", "m.json", "scored.csv", "-o", "again.parquet", "--prefix", "x_")
    again = pd.read_parquet(tmp_path / "again.parquet")
    assert (again["x_label"] == again["label"]).all()
    assert (again["label"] == model.predict(frame)).all()
    for name in ("moment", "seen", "stay", "clock", "day"):
        is_known = frame[name].notna()
        assert (again[name].isna() == ~is_known).all()
        assert (again[name][is_known] == frame[name][is_known]).all(), name


def test_tree_and_explanations_show_dates(tmp_path: Path) -> None:
    frame = visits()
    write_all(frame, tmp_path)
    model = BsnsingClassifier.plain().fit(frame, OUTCOME)
    model.save(tmp_path / "m.json")
    assert str(model.tree_.rule(0).text()) in command(tmp_path, "show", "m.json")
    told = command(tmp_path, "explain", "m.json", "t.csv", "--rows", "2", "-q")
    case = model.explain(frame.iloc[[1]])[0].text
    assert told.strip().split("\n")[1:] == case.split("\n")[1:]
    assert "day is 20" in told
    line = command(tmp_path, "explain", "m.json", "t.parquet", "--rows", "2", "--format", "jsonl")
    assert json.loads(line)["text"].split("\n")[1:] == case.split("\n")[1:]


def test_all_learners_of_evaluate_take_them(run: Run) -> None:
    write_all(visits(), Path())
    learners = "plain,cart,forest,boosting,logistic,majority"
    ran = run("evaluate", "t.parquet", "-t", OUTCOME, "--learners", learners, "--folds", 2, "-q")
    assert ran.code == 0, ran.err
    accuracy = {line.split()[0]: float(line.split()[1]) for line in ran.out.splitlines()[3:9]}
    assert accuracy["majority"] < min(accuracy["plain"], accuracy["cart"], accuracy["boosting"])


@pytest.mark.parametrize("limit", [(), ("--memory-limit", "100MB")])
def test_parts_of_parquet_give_the_same_tree(run: Run, limit: tuple[str, ...]) -> None:
    frame = visits()
    write_all(frame, Path())
    whole = pa.parquet.read_table("t.parquet")
    pa.parquet.write_table(whole[:110], "part-0.parquet")
    pa.parquet.write_table(whole[110:], "part-1.parquet")
    ran = run("fit", "part-*.parquet", "-t", OUTCOME, "--preset", "plain", "-o", "m.json", *limit)
    assert ran.code == 0, ran.err
    assert str(bsnsing.load("m.json")) == str(BsnsingClassifier.plain().fit(frame, OUTCOME))


def test_levels_with_an_order_keep_it(run: Run) -> None:
    grades = np.random.default_rng(0).choice(["high", "low", "middle"], 25_000)
    order = ["low", "middle", "high"]
    frame = pd.DataFrame({"grade": pd.Categorical(grades, categories=order, ordered=True)})
    frame["y"] = np.where(frame["grade"] >= "middle", "a", "b")
    frame.to_parquet("t.parquet")  # more rows than are read at once
    frame.to_csv("t.csv", index=False)
    ran = run("fit", "t.parquet", "-t", "y", "--preset", "plain", "-o", "m.json")
    assert "ordered          low < middle < high" in ran.err
    assert bsnsing.load("m.json").tree_.rule(0).text() == "grade >= middle"
    for name in ("t.parquet", "t.csv"):
        ran = run("predict", "m.json", name, "-o", f"{name}.out.csv")
        assert ran.code == 0, ran.err
        scored = pd.read_csv(f"{name}.out.csv")
        assert (scored["label"] == frame["y"]).all()


# --- What text is taken for ---


def column(cells: list[str | None]) -> TextColumn:
    return TextColumn.read("x", pa.array(cells, pa.string()), MISSING_MARKS)


@pytest.mark.parametrize(
    ("cells", "kind", "arrow_type"),
    [
        (["2024-01-31", "", "1999-12-01"], "date", pa.date32()),
        (["2024-01-31", "1999-12-01 10:30"], "date", pa.timestamp("us")),
        (["2024-01-31T10:00:00.123456789"], "date", pa.timestamp("us")),
        (["2024-01-31T10:00Z"], "date", pa.timestamp("us", "UTC")),
        (["2024-01-31T10:00+05:30", "NA"], "date", pa.timestamp("us", "+05:30")),
        (["2024-01-31T10:00-02:00"], "date", pa.timestamp("us", "-02:00")),
        (["2024-03-31T10:00+02:00", "2024-01-31T10:00+01:00"], "date", pa.timestamp("us", "UTC")),
        (["14:30", "09:05:01.5"], "time", pa.time64("us")),
    ],
)
def test_dates_and_times_are_told_by_their_form(
    cells: list[str | None], kind: Any, arrow_type: Any
) -> None:
    found = column(cells)
    assert found.kind() == (kind, "")
    assert found.moments(kind).type == arrow_type


@pytest.mark.parametrize(
    ("cells", "kind"),
    [
        (["2024-01-31", "2024-02-30"], "local date"),  # there is no such day
        (["2024-01-31T10:00Z", "2024-01-31T10:00"], "local date"),
        (["31.12.2024"], "local date"),
        (["2024-01-31", "soon"], "text"),
        (["14:30", "25:00"], "text"),
        (["14:30", "2024-01-31"], "text"),
        (["12h", "24h"], "text"),  # may be names; --type says what they are
        (["2024", "2025"], "number"),
        (["20240131"], "number"),
    ],
)
def test_what_is_no_date_is_not_taken_for_one(cells: list[str | None], kind: str) -> None:
    assert column(cells).kind()[0] == kind


@given(st.timedeltas())
def test_durations_are_read_as_they_are_written(value: datetime.timedelta) -> None:
    # As pandas does, but for its limits: "-1 days +23:59:59.999999"
    seconds, micros = value.seconds, value.microseconds
    clock = f"{seconds // 3600:02d}:{seconds // 60 % 60:02d}:{seconds % 60:02d}.{micros:06d}"
    plus = "+" if value.days < 0 else ""
    assert read_as(f"{value.days} days {plus}{clock}", "duration") == value
    assert read_as(bsnsing.data.scales.show_moment(value), "duration") == value
    size = abs(value)
    iso = f"PT{size.days * 24 + size.seconds // 3600}H{size.seconds // 60 % 60}M"
    iso += f"{size.seconds % 60}.{size.microseconds:06d}S"
    assert read_as(f"-{iso}" if value < datetime.timedelta() else iso, "duration") == value


@given(st.datetimes() | st.times())
def test_moments_are_read_as_python_writes_them(value: Any) -> None:
    is_moment = isinstance(value, datetime.datetime)
    assert read_as(value.isoformat(), "date" if is_moment else "time") == value
    assert read_as(value.isoformat(), "time" if is_moment else "date") is None


def fit_text(run: Run, text: str, *options: str) -> Ran:
    Path("t.csv").write_text(text)
    return run("fit", "t.csv", "-t", "y", "--dry-run", *options)


def test_what_cannot_be_read_as_dates_is_refused(run: Run) -> None:
    local = "seen,x,y\n1/2/2020,1,a\n2/3/2020,2,b\n"
    assert "dates such as '1/2/2020', which are read in the form 2021-03-01 only." in (
        fit_text(run, local).err
    )
    assert fit_text(run, local, "--type", "seen=text").code == 0
    assert "holds '1/2/2020' in row 1" in fit_text(run, local, "--type", "seen=date").err
    mixed = "seen,x,y\n2020-01-01T10:00Z,1,a\n2020-01-02,2,b\n"
    assert "dates with an offset from UTC and others without." in fit_text(run, mixed).err
    asked = fit_text(run, mixed, "--type", "seen=date").err
    assert "a moment with its offset from UTC" in asked
    assert "holds '2020-01-02' in row 2" in asked
    ran = run("fit", "t.csv", "-t", "seen", "--type", "seen=date")
    assert "The column 'seen' to learn holds" in ran.err or "with its offset" in ran.err
    days = "seen,x,y\n2020-01-01,1,a\n2020-01-02,2,b\n"
    Path("t.csv").write_text(days)
    assert "The column 'seen' to learn holds dates." in run("fit", "t.csv", "-t", "seen").err


def test_text_of_a_typed_file_stays_text_unless_it_is_said(run: Run) -> None:
    days = [f"2020-01-{1 + i % 28:02d}" for i in range(80)]
    table = pa.table({"day": days, "y": [day > "2020-01-14" for day in days]})
    pa.parquet.write_table(table, "t.parquet")
    assert "say --type day=date if you mean that" in run("fit", "t.parquet", "-t", "y").err
    fit = ("fit", "t.parquet", "-t", "y", "--preset", "plain")
    ran = run(*fit, "--type", "day=date", "-o", "m.json")
    assert ran.code == 0, ran.err
    assert bsnsing.load("m.json").tree_.columns[0].scale is not None
    ran = run("predict", "m.json", "t.parquet", "-q")
    assert ran.code == 0, ran.err


def test_new_rows_hold_what_the_model_knows(run: Run) -> None:
    frame = visits()
    BsnsingClassifier.plain().fit(frame, OUTCOME).save("m.json")
    write_all(frame, Path())
    lines = Path("t.csv").read_text().splitlines()
    for wrong, wanted in (
        ("soon", "is to hold a date such as 2021-03-01"),
        ("2021-03-01T10:00Z", "is to hold a date such as 2021-03-01"),
        ("14:30", "is to hold a date such as 2021-03-01"),
    ):
        cells = lines[3].split(",")
        Path("wrong.csv").write_text("\n".join([*lines[:3], ",".join([wrong, *cells[1:]])]))
        ran = run("predict", "m.json", "wrong.csv")
        assert ran.code == 1
        assert wanted in ran.err
        assert "in row 3" in ran.err
    empty = [lines[0], "," * lines[0].count(",")]
    Path("empty.csv").write_text("\n".join(empty))
    assert run("predict", "m.json", "empty.csv").code == 0
    table = pa.parquet.read_table("t.parquet")
    numbers = table.set_column(0, "day", pa.array(range(table.num_rows)))
    pa.parquet.write_table(numbers, "numbers.parquet")
    assert "is to hold a date" in run("predict", "m.json", "numbers.parquet").err


def test_one_cell_of_another_form_is_named() -> None:
    with pytest.raises(Refusal, match=r"holds '24:61' in row 2\.") as refused:
        column(["10:00", "24:61"]).moments("time")
    assert "--missing" in refused.value.hint
