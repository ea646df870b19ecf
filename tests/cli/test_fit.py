"""bsnsing fit: what is shown, what is saved, and what each option does."""

from __future__ import annotations

import datetime
import inspect
import json
import shutil
from decimal import Decimal
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet
import pytest
from command_line import Run, csv_of, rows_of_people

import bsnsing
from bsnsing import BsnsingClassifier, BsnsingClassifierCV, BsnsingEnsemble
from bsnsing.cli.fit import command
from bsnsing.cli.parameters import TREE_OPTIONS, documented

PLAIN = ("--preset", "plain")


def test_a_saved_model_is_the_one_that_python_fits(run: Run, people: Path) -> None:
    ran = run("fit", people, "--target", "churned", "-o", "model.json")
    assert ran.code == 0
    assert ran.out == ""
    loaded = bsnsing.load("model.json")
    frame = pd.read_csv(people, dtype={"zip": str})
    here = BsnsingClassifier().fit(frame, "churned")
    assert bsnsing.export_text(loaded) == bsnsing.export_text(here)
    assert loaded.label_name_ == "churned"
    assert (loaded.predict_proba(frame) == here.predict_proba(frame)).all()
    assert loaded.get_params() == here.get_params()


def test_what_was_found_is_shown_before_the_fit(run: Run, people: Path) -> None:
    shown = run("fit", people, "-t", "churned", *PLAIN).err.splitlines()
    assert shown[0] == "240 rows"
    found = {line.split()[0]: line for line in shown[1:8]}
    assert found["age"].split()[1:] == ["number", "18", "to", "79", "0"]
    assert "text (codes such as '00" in found["zip"]
    assert "22 (NA)" in found["calls"]
    assert "boolean" in found["member"]
    assert "text (to learn)" in found["churned"]


def test_a_dry_run_shows_it_and_stops(run: Run, people: Path) -> None:
    ran = run("fit", people, "-t", "churned", "--dry-run", "-o", "model.json")
    assert ran.code == 0
    assert ran.out.startswith("240 rows\ncolumn ")
    assert not Path("model.json").exists()


def test_without_an_output_the_model_is_printed(run: Run, people: Path) -> None:
    ran = run("fit", people, "-t", "churned", *PLAIN, "-q")
    assert " ?\n" in ran.out
    assert ran.err == ""
    assert run("fit", people, "-t", "churned", *PLAIN, "-q", "-o", "-").out.startswith("{\n")


def test_all_formats_give_the_same_model(run: Run, tmp_path: Path) -> None:
    rows = rows_of_people()
    table = pa.Table.from_pylist(rows)
    Path("a.csv").write_text(csv_of(rows))
    Path("a.tsv").write_text(csv_of(rows, "\t", ""))
    Path("a.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    pa.parquet.write_table(table, "a.parquet")
    pa.feather.write_feather(table, "a.feather")
    with pa.ipc.new_stream("a.arrow", table.schema) as stream:
        stream.write_table(table)
    pd.DataFrame(rows).to_csv("a.csv.gz", index=False)
    texts = set()
    for name in ("a.csv", "a.tsv", "a.jsonl", "a.parquet", "a.feather", "a.arrow", "a.csv.gz"):
        ran = run("fit", name, "-t", "churned", *PLAIN, "-q")
        assert ran.code == 0, ran.err
        texts.add(ran.out)
    assert len(texts) == 1
    for name in ("a.csv", "a.jsonl", "a.parquet", "a.feather", "a.arrow"):
        ran = run("fit", "-", "-t", "churned", *PLAIN, "-q", stdin=Path(name).read_bytes())
        assert {ran.out} == texts, name


def test_several_files_are_one_table(run: Run, people: Path) -> None:
    whole = run("fit", people, "-t", "churned", *PLAIN, "-q").out
    rows = rows_of_people()
    for i in range(3):
        pa.parquet.write_table(pa.Table.from_pylist(rows[80 * i : 80 * i + 80]), f"p{i}.parquet")
    assert run("fit", "p*.parquet", "-t", "churned", *PLAIN, "-q").out == whole
    Path("other.csv").write_text("a,churned\n1,yes\n")
    ran = run("fit", people, "other.csv", "-t", "churned")
    assert ran.code == 1
    assert "do not have the same columns" in ran.err


def test_types_can_be_said(run: Run, people: Path) -> None:
    def columns_of(*args: str) -> dict[str, bsnsing.data.columns.ColumnInfo]:
        args = (*PLAIN, "-q", "-f", "-o", "m.json", *args)
        ran = run("fit", people, "-t", "churned", *args)
        assert ran.code == 0, ran.err
        return {c.name: c for c in bsnsing.load("m.json").trees_[0].columns}

    assert columns_of()["zip"].levels[0] == "00000"
    as_number = columns_of("--type", "zip=number")
    assert as_number["zip"].kind == "numeric"
    as_category = columns_of("--type", "age=category", "--type", "member=text")
    assert as_category["age"].kind == "categorical"
    assert as_category["age"].levels[0] == 18
    assert as_category["member"].levels == ("false", "true")
    assert "zip" not in columns_of("--drop", "zip")
    assert "zip" not in columns_of("--type", "zip=skip")
    marks = columns_of("--missing", "pro", "--missing", "NA")
    assert marks["plan"].levels == ("basic", "free tier")


def test_a_weight_counts_as_repeats(run: Run) -> None:
    rows = rows_of_people()
    for i, row in enumerate(rows):
        row["times"] = i % 3
    Path("weighted.csv").write_text(csv_of(rows))
    args = ("-t", "churned", *PLAIN, "-q", "--min-samples-leaf", "20")
    weighted = run("fit", "weighted.csv", "--weight", "times", *args)
    repeated = [row for row in rows for _ in range(row["times"])]
    Path("repeated.csv").write_text(csv_of(repeated))
    assert weighted.out == run("fit", "repeated.csv", "--drop", "times", *args).out
    assert "times" not in weighted.out


def test_labels_keep_their_types(run: Run) -> None:
    for labels, wanted in (("01", [0, 1]), (("true", "false"), [False, True]), ("ab", ["a", "b"])):
        lines = [f"{i},{labels[i // 10]}" for i in range(20)]
        Path("t.csv").write_text("x,y\n" + "\n".join(lines))
        assert run("fit", "t.csv", "-t", "y", *PLAIN, "-f", "-o", "m.json").code == 0
        assert bsnsing.load("m.json").classes_.tolist() == wanted


def test_rows_without_a_label_are_left_out_where_that_is_said(run: Run, people: Path) -> None:
    Path("more.csv").write_text(people.read_text() + "30,pro,00001,1.0,true,NA\n")
    ran = run("fit", "more.csv", "-t", "churned", *PLAIN, "-q")
    assert ran.code == 1
    assert "1 rows have no label" in ran.err
    assert "--skip-unlabelled" in ran.err
    kept = run("fit", "more.csv", "-t", "churned", *PLAIN, "-q", "--skip-unlabelled")
    assert kept.out == run("fit", people, "-t", "churned", *PLAIN, "-q").out


# --- Parameters ---


def test_every_parameter_is_an_option_with_its_own_help() -> None:
    options = {parameter.name: parameter for parameter in command.params}
    for estimator in (BsnsingClassifier, BsnsingClassifierCV, BsnsingEnsemble):
        for name in inspect.signature(estimator).parameters:
            if name == "estimator":
                continue
            help_text = getattr(options[name], "help", "")
            assert len(help_text) > 20, name
            assert "`" not in help_text
            assert "default: " in help_text
        assert set(documented(estimator)) >= set(inspect.signature(estimator).parameters)
    assert set(TREE_OPTIONS) == set(inspect.signature(BsnsingClassifier).parameters)


@pytest.mark.parametrize(
    ("name", "text", "value"),
    [
        ("max_rules", "1", 1),
        ("max_rules", "auto", "auto"),
        ("min_samples_leaf", "0.1", 0.1),
        ("min_samples_leaf", "sqrt", "sqrt"),
        ("operators", "or,and,xor", ["or", "and", "xor"]),
        ("operators", "or", ["or"]),
        ("max_depth", "none", None),
        ("ccp_alpha", "0.01", 0.01),
        ("teacher", "none", None),
        ("distinct_children", "true", True),
        ("own_questions", "yes", True),
        ("class_weight", "balanced", "balanced"),
        ("class_weight", "yes=5,no=1", {"yes": 5, "no": 1}),
        ("class_weight", '{"yes": 2.5}', {"yes": 2.5}),
        ("column_pairs", '[["age", "calls"]]', [["age", "calls"]]),
        ("constraints", '{"forbidden": ["age"]}', {"forbidden": ["age"]}),
        ("time_limit", "none", None),
        ("categorical_features", "age,calls", ["age", "calls"]),
        ("n_jobs", "-1", -1),
        ("verbose", "1", 1),
    ],
)
def test_values_of_parameters_are_read(
    run: Run, people: Path, name: str, text: str, value: object
) -> None:
    option = f"--{name.replace('_', '-')}"
    ran = run("fit", people, "-t", "churned", *PLAIN, option, text, "-o", "m.json")
    assert ran.code == 0, ran.err
    assert bsnsing.load("m.json").get_params()[name] == value


def test_a_wrong_value_is_wrong_usage(run: Run, people: Path) -> None:
    ran = run("fit", people, "-t", "churned", "--max-rules", "11")
    assert ran.code == 2
    assert "--max-rules must be 'auto' or an int from 1 to 10. Got '11' instead." in ran.err
    ran = run("fit", people, "-t", "churned", "--n-estimators", "3")
    assert ran.code == 2
    assert "--n-estimators is for --learner ensemble" in ran.err


def test_learners_and_presets(run: Run, people: Path) -> None:
    def fitted(*args: str) -> object:
        ran = run("fit", people, "-t", "churned", "-f", "-o", "m.json", *args)
        assert ran.code == 0, ran.err
        return bsnsing.load("m.json")

    cv = fitted("--learner", "cv", "--preset", "plain", "--max-rules", "1,2", "--cv", "3")
    assert isinstance(cv, BsnsingClassifierCV)
    assert cv.max_rules == [1, 2]
    assert cv.cv == 3
    assert cv.estimator.teacher is None
    few = fitted("--learner", "ensemble", "--n-estimators", "2", "--teacher", "none")
    assert isinstance(few, BsnsingEnsemble)
    assert len(few) == 2
    own = BsnsingEnsemble.default_estimator().set_params(teacher=None)
    assert few.estimator.get_params() == own.get_params()
    paper = fitted("--learner", "ensemble", "--preset", "paper")
    assert isinstance(paper, BsnsingEnsemble)
    assert len(paper) == 9
    assert paper.voting == "hard"
    assert fitted("--preset", "paper").get_params() == BsnsingClassifier.paper().get_params()


def test_questions_of_another_model_are_asked(run: Run, people: Path, model: Path) -> None:
    args = ("--extra-questions", str(model), "--own-questions", "false", "-o", "again.json")
    ran = run("fit", people, "-t", "churned", *PLAIN, *args)
    assert ran.code == 0, ran.err
    known = set(bsnsing.questions_of(bsnsing.load(model)))
    assert set(bsnsing.questions_of(bsnsing.load("again.json"))) <= known


def test_learners_of_r_are_asked_for_by_name(
    run: Run, people: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shutil, "which", lambda name: None)
    ran = run("fit", people, "-t", "churned", *PLAIN, "--extra-questions", "rpart")
    assert ran.code != 0
    assert "R is not installed" in ran.err


def test_progress_is_printed_as_lines_where_it_is_asked_for(run: Run, people: Path) -> None:
    ran = run("fit", people, "-t", "churned", *PLAIN, "--verbose", "1")
    assert "level 0: 1 open nodes of 240 cases, 0 leaves so far" in ran.err
    assert "open nodes" not in run("fit", people, "-t", "churned", *PLAIN).err


def test_columns_of_numbers_keep_their_values(run: Run) -> None:
    values = np.random.default_rng(1).normal(size=60)
    lines = [f"{value!r},{'ab'[value > 0.1]}" for value in values.tolist()]
    Path("t.csv").write_text("x,y\n" + "\n".join(lines))
    run("fit", "t.csv", "-t", "y", *PLAIN, "-o", "m.json")
    here = BsnsingClassifier.plain().fit(
        pd.DataFrame({"x": values}), np.where(values > 0.1, "b", "a")
    )
    assert str(bsnsing.load("m.json").tree_.rule(0)) == str(here.tree_.rule(0))


def test_all_types_of_arrow_are_read(run: Run) -> None:
    n_rows = 60
    values = np.random.default_rng(0).normal(size=n_rows).round(2).tolist()
    table = pa.table(
        {
            "decimal": pa.array([Decimal(str(value)) for value in values]),
            "coded": pa.array(["a", "b", None] * 20).dictionary_encode(),
            "large": pa.array(["u", "v"] * 30, pa.large_string()),
            "view": pa.array(["u", "v"] * 30, pa.string_view()),
            "small": pa.array([i % 5 for i in range(n_rows)], pa.int8()),
            "truth": pa.array([True, None, False] * 20),
            "nothing": pa.nulls(n_rows),
            "large_int": pa.array([2**60 + i for i in range(n_rows)]),
            "float": pa.array([np.nan if i % 9 == 0 else v for i, v in enumerate(values)]),
            "day": pa.array([datetime.date(2020, 1, 1)] * n_rows),
            "list": pa.array([[1]] * n_rows),
            "y": pa.array([value > 0 for value in values]),
        }
    )
    pa.parquet.write_table(table, "t.parquet")
    assert "'list' holds lists or objects" in run("fit", "t.parquet", "-t", "y").err
    ran = run("fit", "t.parquet", "-t", "y", "--type", "list=skip", "-o", "m.json")
    assert ran.code == 0, ran.err
    assert "integers beyond 2**53" in ran.err
    kinds = {column.name: column.kind for column in bsnsing.load("m.json").trees_[0].columns}
    assert kinds == {
        "decimal": "numeric",
        "coded": "categorical",
        "large": "categorical",
        "view": "categorical",
        "small": "numeric",
        "truth": "boolean",
        "large_int": "numeric",
        "float": "numeric",
        "day": "numeric",
    }
    here = run("predict", "m.json", "t.parquet", "--only", "-q").out
    assert len(here.splitlines()) == n_rows + 1
    run("predict", "m.json", "t.parquet", "-o", "t.jsonl", "-q")
    row = json.loads(Path("t.jsonl").read_text().splitlines()[0])
    assert row["decimal"] == values[0]
    assert row["list"] == [1]
    assert row["day"] == "2020-01-01"
    again = run("predict", "m.json", "t.jsonl", "--only", "-q", "--output-format", "csv").out
    assert again == here
