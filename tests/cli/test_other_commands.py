"""bsnsing show, export, rule, solvers, demo and completion."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from importlib.resources import files
from pathlib import Path

import numpy as np
import pytest
from command_line import Run
from shared_data import DL85, needs_shared

import bsnsing
from bsnsing import best_rule, export_text
from bsnsing.cli.parameter_options import HELP_FILE
from bsnsing.cli.registry import SUBCOMMANDS
from bsnsing.cli.write_help import described
from bsnsing.export import FORMATS
from bsnsing.solvers import available


def test_show_prints_the_model(run: Run, model: Path) -> None:
    loaded = bsnsing.load(model)
    ran = run("show", model)
    assert ran.out == export_text(loaded) + "\n"
    assert f"{loaded.get_n_leaves()} leaves" in ran.err
    options = (
        "--depth",
        "1",
        "--proof",
        "--probabilities",
        "--levels",
        "--missing-ways",
        "--numbers",
    )
    assert run("show", model, *options, "-q").out == (
        export_text(
            loaded,
            max_depth=1,
            show_proof=True,
            show_probabilities=True,
            full_levels=True,
            show_missing=True,
            show_numbers=True,
        )
        + "\n"
    )
    assert run("show", "-", "-q", stdin=model.read_bytes()).out == run("show", model, "-q").out


@pytest.mark.parametrize("known", FORMATS, ids=lambda known: known.suffix)
def test_every_format_of_the_registry_is_written(run: Run, model: Path, known: object) -> None:
    if known.suffix == ".pdf" and shutil.which("pdflatex") is None:
        pytest.skip("pdflatex is not installed")
    name = f"out{known.suffix}"
    ran = run("export", model, "-o", name)
    assert ran.code == 0, ran.err
    wanted = known.load()(bsnsing.load(model), **known.options_for(name))
    data = wanted.encode() if isinstance(wanted, str) else wanted
    written = Path(name).read_bytes()
    if not known.is_binary:  # pictures may hold the time at which they were drawn
        assert written.rstrip(b"\n") == data.rstrip(b"\n")
    assert written
    assert f"{known.suffix} " in run("export", "--list").out


def test_a_class_of_java_is_called_as_its_file(run: Run, model: Path, tmp_path: Path) -> None:
    path = tmp_path / "Risk.java"
    assert run("export", model, "-o", path).code == 0
    assert "public final class Risk {" in path.read_text(encoding="utf-8")
    ran = run("export", model, "-o", tmp_path / "my-risk.java")
    assert ran.code == 1
    assert "'my-risk'" in ran.err
    assert "class Model {" in run("export", model, "--to", "java").out


def test_export_takes_options_and_pipes(run: Run, model: Path) -> None:
    loaded = bsnsing.load(model)
    ran = run("export", model, "--to", "text", "--option", "show_proof=true")
    assert ran.out == export_text(loaded, show_proof=True) + "\n"
    assert run("export", model, "--to", "txt", "-o", "-").out == export_text(loaded) + "\n"
    ran = run("export", model, "--to", "text", "--option", "nope=1")
    assert ran.code == 1
    assert "no such option" in ran.err
    ran = run("export", model, "--to", "svg", "--option", "nope=1")
    assert ran.code == 1
    assert "nope" in ran.err
    for name in ("title", "feature_names"):
        ran = run("export", model, "--to", "svg", "--option", f"{name}={'[' * 100_000}")
        assert ran.code == 2
        assert "deeper than can be read. Hint:" in ran.err
    assert "nope" not in run("export", model, "--to", "svg", "--option", "title=Who leaves").err
    again = run("export", model, "--to", "json").out
    assert bsnsing.from_json(again).get_params() == loaded.get_params()


def table_of_answers(path: Path) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    answers = rng.integers(0, 2, (60, 6))
    y = (answers[:, 1] | answers[:, 4]) ^ (rng.random(60) < 0.05)
    header = ",".join([*(f"q {i}" for i in range(6)), "y"])
    rows = [",".join(map(str, [*row, label])) for row, label in zip(answers, y, strict=True)]
    path.write_text("\n".join([header, *rows]))
    return answers, y


def test_the_best_rule_comes_with_its_proof(run: Run) -> None:
    answers, y = table_of_answers(Path("t.csv"))
    split = best_rule(answers, y)
    lines = run("rule", "t.csv", "-t", "y").out.splitlines()
    assert lines[0] == " or ".join(f"q {question}" for question in split.questions)
    assert (
        lines[1].split() == f"yes {split.left_counts[0]} of 0, {split.left_counts[1]} of 1".split()
    )
    assert lines[3] == (
        f"objective {split.objective:,}; proven optimal: no rule of the space is better"
    )
    assert f"{split.n_counted:,} rules counted" in lines[4]
    options = ("--max-rules", "3", "--operators", "or,and", "--criterion", "gini")
    found = json.loads(run("rule", "t.csv", "-t", "y", "--json", *options).out)
    wanted = best_rule(answers, y, max_rules=3, operators=("or", "and"), criterion="gini")
    assert found["objective"] == wanted.objective
    assert found["questions"] == [f"q {question}" for question in wanted.questions]
    assert found["optimal"] is True
    assert found["bound"] == wanted.bound


def test_several_of_the_best_rules_are_ranked(run: Run) -> None:
    answers, y = table_of_answers(Path("t.csv"))
    wanted = best_rule(answers, y, n_best=3)
    found = json.loads(run("rule", "t.csv", "-t", "y", "--n-best", "3", "--json").out)
    assert [own["objective"] for own in found] == [split.objective for split in wanted]
    text = run("rule", "t.csv", "-t", "y", "--n-best", "3").out
    assert text.count("proven optimal") == 3
    assert text.count("only those above are better") == 2


def test_rule_refuses_what_is_not_0_or_1(run: Run) -> None:
    Path("t.csv").write_text("a,b,y\n0,2,1\n1,0,0\n")
    ran = run("rule", "t.csv", "-t", "y")
    assert ran.code == 1
    assert "Column 'b' holds 2 in row 1, and is to be 0 or 1." in ran.err
    Path("t.csv").write_text("a,b,y\n0,x,1\n1,z,0\n")
    assert "Column 'b' holds text" in run("rule", "t.csv", "-t", "y").err
    assert run("rule", "t.csv", "-t", "y", "--drop", "b").code == 0
    ran = run("rule", "t.csv", "-t", "y", "--drop", "b", "--min-samples-leaf", "9")
    assert ran.code == 1
    assert "No rule is feasible." in ran.err


@needs_shared
def test_rule_gives_the_published_optimum(run: Run) -> None:
    ran = run("rule", DL85 / "anneal.csv.gz", "-t", "target", "--json")
    found = json.loads(ran.out)
    assert (found["rule"], found["objective"]) == ("V60 or V67", 47750)


def test_solvers_are_listed(run: Run) -> None:
    found = json.loads(run("solvers", "--json").out)
    assert set(found) == set(available())
    assert found["enum"]["is_usable"] is True
    lines = run("solvers").out.splitlines()
    assert [line.split()[0] for line in lines] == list(found)


def test_demo_runs_and_writes_where_it_is_asked_to(run: Run) -> None:
    ran = run("demo")
    assert ran.code == 0
    assert "accuracy" in ran.out
    assert list(Path().iterdir()) == []
    assert "The tree as SVG is in tree.svg" in run("demo", "tree.svg", "tree.html").out
    before = Path("tree.svg").read_bytes()
    assert run("demo", "tree.svg").code == 1
    assert Path("tree.svg").read_bytes() == before
    assert run("demo", "tree.nope").code == 2


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_prints_what_the_shell_needs(run: Run, shell: str) -> None:
    ran = run("completion", shell)
    assert ran.code == 0
    assert f"_BSNSING_COMPLETE={shell}_complete" in ran.out


def test_help_of_parameters_is_that_of_the_tables() -> None:
    text = files("bsnsing.cli").joinpath(HELP_FILE).read_text(encoding="utf-8")
    assert text == described(), "The help is not that of the tables any more. Run `make stubs`."


HEAVY = ["numpy", "scipy", "sklearn", "pyarrow", "rich"]


@pytest.mark.parametrize("command", ["", *(own.name for own in SUBCOMMANDS)])
def test_help_and_the_tab_key_wait_for_no_library(command: str) -> None:
    code = f"""
import sys
from bsnsing.cli import main
assert main({[*command.split(), "--help"]}) == 0
print([name for name in {HEAVY} if name in sys.modules])
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "[]"
