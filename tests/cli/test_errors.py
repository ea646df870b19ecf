"""What goes wrong: one line with a hint, the right code, and no half file."""

from __future__ import annotations

import os
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet
import pytest
from command_line import Run, csv_of, rows_of_people

from bsnsing.cli import app, files
from bsnsing.cli import run_fit as fit_module

FIT = ("fit", "t.csv", "-t", "y")


@pytest.mark.parametrize(
    ("text", "args", "said"),
    [
        (b"", FIT, "'t.csv' is empty."),
        (b"\n\n", FIT, "'t.csv' is empty."),
        (b"x,y\n", FIT, "'t.csv' has no rows."),
        (b"x,x\n1,2\n", FIT, "2 columns called 'x'"),
        (b"x,y\n1,2,3\n", FIT, "Line 2 of 't.csv' has 3 cells, and the first has 2."),
        (b'x,y\n"1,2\n', FIT, "Line 2 of 't.csv' cannot be read"),
        (b"x,y\n1,\xe9\n2,b\n", FIT, "'t.csv' is not utf-8: byte 0xe9."),
        (b"x,target\n1,a\n2,b\n", FIT, "--target names the column 'y'"),
        (b"x;y\n1;a\n2;b\n", FIT, "say the --delimiter"),
        (b"x,Y\n1,a\n2,b\n", ("fit", "t.csv", "-t", "Z"), "its columns are 'x', 'Y'."),
        (b"x,target\n1,a\n", ("fit", "t.csv", "-t", "targte"), "did you mean 'target'?"),
        (b"x,y\n1,a\n2,a\n", FIT, "has a in every row: there is nothing to learn."),
        (b"x,y\n1,0.5\n2,1.5\n", FIT, "holds numbers such as 0.5, not labels."),
        (b"y\na\nb\n", FIT, "There is no column to learn from."),
        (b"x,y\n,a\n,b\n", FIT, "There is no column to learn from."),
        (b"x,y\n1,a\n2,b\n", (*FIT, "--drop", "z"), "--drop names the column 'z'"),
        (b"x,y\n1,a\n2,b\n", (*FIT, "--type", "z=text"), "--type names the column 'z'"),
        (b"x,y\n1,a\nb,b\n", (*FIT, "--type", "x=number"), "holds 'b' in row 2."),
        (b"x,y\n1/2/2020,a\n2/2/2020,b\n", FIT, "--drop x"),
        (b"x,y\n1,a\n2,b\n", (*FIT, "--encoding", "nope"), "'nope' is no encoding"),
        (b"x,y\n1,a\n2,b\n", (*FIT, "--class-weight", "c=1"), "names the label 'c'"),
        (b"x,y\n1,a\n2,b\n", ("fit", "t.csv", "-t", "y", "--weight", "w"), "--weight names"),
        (b"x,w,y\n1,,a\n2,1,b\n", (*FIT, "--weight", "w"), "a number in each row"),
        (b"{}\n", ("fit", "t.csv", "-t", "y", "--input-format", "parquet"), "as parquet"),
        (b"[1]\n", (*FIT, "--input-format", "jsonl"), "Line 1 of 't.csv' is no object."),
        (b"{1}\n", (*FIT, "--input-format", "jsonl"), "Line 1 of 't.csv' is not JSON"),
        (b'{"x": [1], "y": "a"}\n', (*FIT, "--input-format", "jsonl"), "lists or objects"),
        (b"", ("fit", ".", "-t", "y"), "'.' is a folder."),
        (b"", ("fit", "none.csv", "-t", "y"), "'none.csv': No such file or directory."),
        (b"", ("fit", "none-*.csv", "-t", "y"), "No file is called 'none-*.csv'."),
        (b"", ("fit", "t.xls", "-t", "y"), "No such file"),
        (b"x,y\n1,a\n", ("show", "t.csv"), "'t.csv' is no saved model"),
        (b"{}", ("show", "t.csv"), "'t.csv' is no saved model"),
        (b"", ("show", "."), "'.' is a folder."),
        (b"", ("show", "none.json"), "'none.json': No such file"),
    ],
)
def test_what_cannot_be_done_is_said_in_one_line(
    run: Run, text: bytes, args: tuple[str, ...], said: str
) -> None:
    Path("t.csv").write_bytes(text)
    ran = run(*args, "-q")
    assert ran.code == 1
    assert ran.out == ""
    assert ran.err.startswith("bsnsing: error: ")
    assert ran.err.count("\n") == 1
    assert said in ran.err


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (("fit",), "Missing argument 'TABLE...'."),
        (("fit", "t.csv"), "Missing option '-t' / '--target'."),
        (("fit", "t.csv", "-t", "y", "--nope"), "No such option"),
        (("fit", "t.csv", "-t", "y", "--type", "x=colour"), "'x=colour' is not as in COLUMN=KIND"),
        (("fit", "t.csv", "-t", "y", "--delimiter", "ab"), "one character"),
        (("fit", "t.csv", "-t", "y", "-o", "m.sql"), "Models are saved as .json"),
        (("ft",), "Did you mean 'fit'?"),
        (("nonsense",), "No such command 'nonsense'."),
        (("export", "m.json"), "Say where to write"),
        (("export", "m.json", "-o", "m.nope"), "No format has the suffix '.nope'"),
        (("export", "m.json", "--to", "nope"), "'nope' is none of"),
        (("export", "m.json", "--to", "text", "--option", "x"), "as in NAME=VALUE"),
        (("evaluate", "t.csv", "-t", "y", "--learners", "magic"), "'magic' is none of"),
        (("rule", "t.csv", "-t", "y", "--max-rules", "0"), "an int from 1 to 10"),
    ],
)
def test_wrong_usage_has_code_2(run: Run, args: tuple[str, ...], said: str) -> None:
    ran = run(*args)
    assert ran.code == 2
    assert ran.err.startswith("bsnsing: error: ")
    assert ran.err.count("\n") == 1
    assert said in ran.err
    assert "--help` shows" in ran.err


def test_nothing_is_replaced_without_force(run: Run, people: Path, model: Path) -> None:
    before = model.read_bytes()
    for args in (
        ("fit", people, "-t", "churned", "-o", model),
        ("predict", model, people, "-o", people),
        ("export", model, "-o", model),
        ("evaluate", people, "-t", "churned", "-o", people),
    ):
        ran = run(*args)
        assert ran.code == 1
        assert "--force" in ran.err
    assert model.read_bytes() == before
    assert people.read_text() == csv_of(rows_of_people())
    args = ("fit", people, "-t", "churned", "-o", model, "--preset", "plain", "--max-depth", "0")
    assert run(*args, "--force").code == 0
    assert model.read_bytes() != before


def test_a_table_can_be_scored_in_place(run: Run, people: Path, model: Path) -> None:
    wanted = run("predict", model, people).out
    assert run("predict", model, people, "-o", people, "--force").code == 0
    assert people.read_text() == wanted


def test_an_output_that_cannot_be_written_is_said_before_the_work(
    run: Run, people: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def never(*args: object) -> None:
        raise AssertionError("the table was read")

    monkeypatch.setattr(fit_module, "read_table", never)
    ran = run("fit", people, "-t", "churned", "-o", "nowhere/m.json")
    assert ran.code == 1
    assert "The folder 'nowhere' of 'nowhere/m.json' does not exist." in ran.err
    Path("folder.json").mkdir()
    assert "is a folder" in run("fit", people, "-t", "churned", "-o", "folder.json").err


def test_what_cannot_be_written_is_called_as_the_user_calls_it(run: Run, model: Path) -> None:
    if not Path("/proc/self").is_dir():
        pytest.skip("there is no /proc, in which nobody can make files")
    ran = run("export", model, "-o", "/proc/tree.txt")
    assert ran.code == 1
    assert "'/proc/tree.txt': " in ran.err or "'/proc/tree.txt'." in ran.err


def test_what_fails_midway_leaves_nothing(run: Run, people: Path, model: Path) -> None:
    before = sorted(os.listdir())

    def write_half(error: type[BaseException]) -> None:
        with files.whole_file("out.csv") as file:
            file.write(b"half")
            raise error

    for error in (KeyboardInterrupt, OSError, SystemExit):
        with pytest.raises(error):
            write_half(error)
    assert sorted(os.listdir()) == before


def test_a_link_stays_one_and_permissions_are_kept(run: Run, people: Path, model: Path) -> None:
    Path("real.csv").write_text("old")
    os.chmod("real.csv", 0o640)
    os.symlink("real.csv", "link.csv")
    assert run("predict", model, people, "-o", "link.csv", "--force").code == 0
    assert Path("link.csv").is_symlink()
    assert Path("real.csv").read_text() != "old"
    assert os.stat("real.csv").st_mode & 0o777 == 0o640


def test_what_is_no_file_is_written_to_as_it_is(run: Run, people: Path, model: Path) -> None:
    assert run("predict", model, people, "-o", "/dev/null", "--output-format", "csv").code == 0
    assert not Path("/dev/null").is_file()


def test_debug_shows_the_traceback(run: Run) -> None:
    ran = run("fit", "none.csv", "-t", "y", "--debug")
    assert ran.code == 1
    assert "Traceback (most recent call last)" in ran.err
    assert ran.err.splitlines()[-1].startswith("bsnsing: error: ")


def test_what_should_not_happen_is_one_line_too(
    run: Run, people: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*args: object) -> None:
        raise KeyError("x")

    monkeypatch.setattr(fit_module, "read_table", broken)
    ran = run("fit", people, "-t", "churned")
    assert ran.code == 1
    assert ran.err.count("\n") == 1
    assert "--debug" in ran.err


def test_an_interruption_has_its_own_code(
    run: Run, people: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(*args: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(fit_module, "read_table", interrupted)
    ran = run("fit", people, "-t", "churned")
    assert ran.code == 130
    assert ran.err.strip() == "bsnsing: interrupted"

    def in_an_import(*args: object) -> None:
        try:
            raise KeyboardInterrupt
        except KeyboardInterrupt as error:
            raise ImportError("initialization failed") from error

    monkeypatch.setattr(fit_module, "read_table", in_an_import)
    again = run("fit", people, "-t", "churned")
    assert (again.code, again.err.strip()) == (130, "bsnsing: interrupted")


def test_warnings_of_the_library_are_lines(run: Run) -> None:
    lines = [f"name-{i},{i % 7},{'ab'[i % 7 > 3]}" for i in range(80)]
    Path("t.csv").write_text("who,x,y\n" + "\n".join(lines))
    ran = run("fit", "t.csv", "-t", "y", "--preset", "plain", "-q")
    assert ran.code == 0
    assert ran.err.startswith("bsnsing: warning: Column 'who' is left out")
    assert ran.err.count("\n") == 1


def test_names_cannot_move_the_cursor(run: Run) -> None:
    Path("t.csv").write_bytes(b"x\x1b[2J,y\n1/2/2020,a\n2/2/2020,b\n")
    ran = run("fit", "t.csv", "-t", "y")
    assert ran.code == 1
    assert "\x1b" not in ran.err


def test_odd_names_and_encodings(run: Run) -> None:
    rows = rows_of_people()
    odd = {"age": "\u00e2ge, years", "plan": 'pl"an', "zip": "z=ip", "calls": "c\nalls"}
    rows = [{odd.get(name, name): value for name, value in row.items()} for row in rows]
    table = pa.Table.from_pylist(rows)
    pa.parquet.write_table(table, "t.parquet")
    args = ("-t", "churned", "--preset", "plain", "-q")
    wanted = run("fit", "t.parquet", *args).out
    import pandas as pd

    frame = pd.DataFrame(rows)
    for encoding in ("utf-8", "utf-8-sig", "latin-1", "utf-16"):
        frame.to_csv("t.csv", index=False, encoding=encoding)
        extra = () if encoding.startswith("utf-8") else ("--encoding", encoding)
        ran = run("fit", "t.csv", *args, *extra)
        assert (ran.code, ran.out) == (0, wanted), encoding
    assert run("fit", "t.parquet", *args, "--type", "z=ip=skip").code == 0


def test_the_command_line_without_its_libraries(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    import sys

    monkeypatch.setitem(sys.modules, "click", None)
    ran = run("fit")
    assert ran.code == 1
    assert "pip install bsnsing[cli]" in ran.err
    assert ran.err.count("\n") == 1


def test_every_subcommand_has_help_worth_reading(run: Run) -> None:
    listed = run("--help").out
    assert run().out == listed
    for subcommand in app.SUBCOMMANDS:
        assert f"  {subcommand.name} " in listed
        ran = run(subcommand.name, "--help")
        assert ran.code == 0
        assert ran.out.startswith(f"Usage: bsnsing {subcommand.name}")
        assert max(map(len, ran.out.splitlines())) <= 100
        if subcommand.name not in ("demo", "completion"):
            assert "Examples:\n    bsnsing " in ran.out
