"""Solvers that are missing, too small, slow, interrupted or noisy; and what they say of it."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

import bsnsing
from bsnsing import BsnsingClassifier, best_rule
from bsnsing.solvers import MIP_SOLVERS, SOLVERS, SolverUnavailableError, available

PACKAGES = {
    "highs": "highspy",
    "cpsat": "ortools",
    "scip": "pyscipopt",
    "gurobi": "gurobipy",
    "cplex": "cplex",
}


def needs(name: str) -> None:
    reason = MIP_SOLVERS[name].why_not()
    if reason:
        pytest.skip(f"{name}: {reason}")


def made_up(n_rows: int, n_questions: int, seed: int = 0) -> tuple[NDArray, NDArray]:
    """A pool without a simple truth: hard to prove anything about."""
    rng = np.random.default_rng(seed)
    answers = (rng.random((n_rows, n_questions)) < 0.3).astype(np.uint8)
    return answers, rng.integers(0, 2, n_rows)


@pytest.fixture
def without(monkeypatch: pytest.MonkeyPatch):
    """Make a package look as if it were not installed."""

    def hide(package: str) -> None:
        for name in [n for n in sys.modules if n.split(".")[0] == package]:
            monkeypatch.delitem(sys.modules, name)
        monkeypatch.setattr(sys, "meta_path", [Refuse(package), *sys.meta_path])

    return hide


class Refuse:
    """An importer that knows nothing of one package."""

    def __init__(self, package: str) -> None:
        self.package = package

    def find_spec(self, name: str, path: object = None, target: object = None) -> None:
        if name.split(".")[0] == self.package:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)


def test_pypi_solvers_are_here() -> None:
    """The test extra installs them, so none of the comparisons is silently skipped."""
    assert all(available()[name].is_usable for name in ("highs", "cpsat", "scip", "cbc", "gurobi"))


def test_listing_names_every_solver(capsys: pytest.CaptureFixture[str]) -> None:
    from bsnsing.solvers.__main__ import main

    listing = available()
    assert list(listing) == list(SOLVERS)
    assert listing["enum"].is_usable
    main()
    assert capsys.readouterr().out.count("usable") >= len(listing)


@pytest.mark.parametrize("name", PACKAGES)
def test_missing_package_says_what_to_do(name: str, without) -> None:
    without(PACKAGES[name])
    status = available()[name]
    assert not status.is_usable
    assert PACKAGES[name] in status.reason
    assert f"bsnsing[{name}]" in status.advice
    answers, y = made_up(20, 4)
    with pytest.raises(
        SolverUnavailableError, match=rf"needs {PACKAGES[name]}.*pip install 'bsnsing\[{name}\]'"
    ):
        best_rule(answers, y, solver=name)


def test_hybrid_is_as_usable_as_its_solver_of_small_nodes(without) -> None:
    assert available()["hybrid"].is_usable
    without("highspy")
    status = available()["hybrid"]
    assert not status.is_usable
    assert "highs, is not" in status.reason
    assert "solver_options={'hybrid_solver': 'cpsat'}" in status.advice


@pytest.mark.parametrize(
    ("name", "variable"), [("cbc", "BSNSING_CBC"), ("lpsolve", "BSNSING_LPSOLVE")]
)
def test_missing_program_says_what_to_do(
    name: str, variable: str, monkeypatch: pytest.MonkeyPatch, without
) -> None:
    monkeypatch.setenv("PATH", "")
    without("pulp")
    assert variable in available()[name].reason
    answers, y = made_up(20, 4)
    with pytest.raises(SolverUnavailableError, match=f"there is no program.*{variable}"):
        best_rule(answers, y, solver=name)


def test_program_that_fails_is_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = tmp_path / "cbc"
    program.write_text("#!/bin/sh\necho 'Error: broken'\nexit 3\n")
    program.chmod(0o755)
    monkeypatch.setenv("BSNSING_CBC", str(program))
    answers, y = made_up(20, 4)
    with pytest.raises(SolverUnavailableError, match="Error: broken"):
        best_rule(answers, y, solver="cbc")


@pytest.mark.parametrize("name", ["gurobi", "cplex"])
def test_size_limit_says_what_to_do(name: str) -> None:
    needs(name)
    answers, y = made_up(3000, 40)
    with pytest.raises(SolverUnavailableError, match=r"columns and \d+ rows.*solver='highs'"):
        best_rule(answers, y, solver=name)


def test_size_limit_in_a_tree_is_an_error_too() -> None:
    answers, y = made_up(3000, 40)
    model = BsnsingClassifier.paper(solver="hybrid", solver_options={"hybrid_solver": "gurobi"})
    with pytest.raises(SolverUnavailableError, match="smaller hybrid_cap"):
        model.set_params(hybrid_cap=1e9).fit(answers, y)
    model.set_params(hybrid_cap=400, max_depth=2).fit(answers, y)


@pytest.mark.parametrize("name", MIP_SOLVERS)
def test_time_limit_returns_the_incumbent_and_a_true_bound(name: str) -> None:
    needs(name)
    # The largest programs that the solvers with a size limit take.
    answers, y = made_up(*((250, 40) if name in ("gurobi", "cplex") else (700, 60)))
    optimum = best_rule(answers, y, max_rules=5)
    began = time.monotonic()
    split = best_rule(answers, y, max_rules=5, solver=name, time_limit=1.0)
    assert time.monotonic() - began < 20
    assert optimum is not None
    assert split is not None
    assert not split.optimal
    assert 0 <= split.bound <= optimum.objective <= split.objective
    assert split.bound < split.objective


def test_gap_ends_a_solve_early() -> None:
    answers, y = made_up(60, 8)
    split = best_rule(answers, y, solver="highs", solver_options={"gap": 0.9, "warm_start": "enum"})
    assert split is not None
    assert split.bound <= split.objective
    assert split.objective == best_rule(answers, y).objective


@pytest.mark.parametrize("name", MIP_SOLVERS)
def test_logs_only_when_asked_for(name: str, capfd: pytest.CaptureFixture[str]) -> None:
    needs(name)
    answers, y = made_up(30, 6)
    best_rule(answers, y, solver=name)
    quiet = capfd.readouterr()
    assert quiet.out == quiet.err == ""
    best_rule(answers, y, solver=name, verbose=True)
    assert capfd.readouterr().out != ""


# What each says in its log when it takes a solution to begin with.
TAKEN = {
    "highs": "MIP start solution is feasible",
    "cpsat": "The solution hint is complete and is feasible",
    "scip": "1/1 feasible solution given",
    "cbc": "MIPStart provided solution",
    "gurobi": "Loaded user MIP start",
    "cplex": "1 of 1 MIP starts provided solutions",
}


@pytest.mark.parametrize("name", TAKEN)
def test_solvers_begin_with_the_rule_they_are_given(
    name: str, capfd: pytest.CaptureFixture[str]
) -> None:
    needs(name)
    answers, y = made_up(60, 10)
    split = best_rule(answers, y, solver=name, verbose=True, solver_options={"warm_start": "enum"})
    assert TAKEN[name] in capfd.readouterr().out
    assert split.questions == best_rule(answers, y).questions


@pytest.mark.parametrize("name", MIP_SOLVERS)
def test_threads_change_nothing(name: str) -> None:
    needs(name)
    answers, y = made_up(30, 6, seed=1)
    one, two = (best_rule(answers, y, solver=name, n_jobs=n) for n in (1, 2))
    assert one.objective == two.objective == best_rule(answers, y).objective


INTERRUPTED = """
import numpy as np
from bsnsing import best_rule
rng = np.random.default_rng(0)
answers = rng.random(({rows}, {questions})) < 0.3
y = rng.integers(0, 2, {rows})
print("searching", flush=True)
best_rule(answers, y, max_rules=6, solver="{name}", solver_options={{"warm_start": None}})
print("finished", flush=True)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no SIGINT for a child")
@pytest.mark.parametrize("name", MIP_SOLVERS)
def test_interrupt_ends_a_solve(name: str) -> None:
    needs(name)
    rows, questions = (250, 40) if name in ("gurobi", "cplex") else (900, 80)
    code = INTERRUPTED.format(name=name, rows=rows, questions=questions)
    child = subprocess.Popen(
        [sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    try:
        assert child.stdout is not None
        assert child.stdout.readline() == "searching\n"
        time.sleep(1.5)
        assert child.poll() is None, "the solve is too short to be interrupted"
        child.send_signal(signal.SIGINT)
        out, err = child.communicate(timeout=30)
    finally:
        child.kill()
    assert "finished" not in out
    assert err.splitlines()[-1].startswith("KeyboardInterrupt")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"criterion": "gini"}, "minimises 'gini_squared' or 'error'.*solver='enum'"),
        ({"operators": ("or", "xor")}, "leave 'xor' out"),
        ({"sample_weight": [0.5] * 30}, "counts whole cases"),
        ({"solver_options": {"formulation": "dense"}}, "formulation must be one of"),
        ({"solver_options": {"warm_start": "hot"}}, "warm_start must be one of"),
        ({"solver_options": {"gap": -1}}, "gap must be a number"),
        ({"solver_options": {"heat": 1}}, "has no entry 'heat'"),
        ({"solver_options": 3}, "must be None or a dict"),
        ({"solver_options": {"cuts": "rectangle"}}, "takes no cuts while it runs"),
        ({"hybrid_cap": -1}, "'hybrid_cap' parameter of best_rule"),
        ({"verbose": "loud"}, "'verbose' parameter of best_rule"),
    ],
)
def test_bad_options_are_named(options: dict, message: str) -> None:
    answers, y = made_up(30, 5)
    with pytest.raises(ValueError, match=message):
        best_rule(answers, y, **({"solver": "highs"} | options))


def test_unknown_solver_and_many_classes_are_named() -> None:
    answers, y = made_up(30, 5)
    with pytest.raises(ValueError, match=r"'solver' parameter.*'enum'.*'lpsolve'.*Got 'glpk'"):
        best_rule(answers, y, solver="glpk")
    with pytest.raises(ValueError, match=r"two classes, and y has 3.*multiclass='ovr'"):
        best_rule(answers, np.arange(30) % 3, solver="highs")
    with pytest.raises(ValueError, match=r"two classes, and y has 3.*multiclass='ovr'"):
        BsnsingClassifier.paper(solver="highs", multiclass="native").fit(answers, np.arange(30) % 3)


def test_paper_formulation_refuses_what_it_cannot_build() -> None:
    answers, y = made_up(4000, 3)
    with pytest.raises(ValueError, match=r"pairs of a positive and a negative row.*'strong'"):
        best_rule(answers, y, solver="highs", solver_options={"formulation": "paper"})


def test_hybrid_takes_small_pools_to_a_mixed_integer_solver() -> None:
    answers, y = made_up(60, 10)
    n_pairs = int((y == 0).sum() * (y == 1).sum())
    small = best_rule(answers, y, solver="hybrid", hybrid_cap=n_pairs)
    large = best_rule(answers, y, solver="hybrid", hybrid_cap=n_pairs - 1)
    other = best_rule(answers, y, solver="hybrid", solver_options={"hybrid_solver": "cpsat"})
    assert (small.solver, large.solver, other.solver) == ("highs", "enum", "cpsat")
    assert small.objective == large.objective == other.objective


def test_greedy_is_at_best_optimal_and_says_so() -> None:
    answers, y = made_up(300, 30)
    greedy = best_rule(answers, y, max_rules=4, solver="greedy")
    assert greedy.solver == "greedy"
    assert not greedy.optimal
    assert greedy.objective >= best_rule(answers, y, max_rules=4).objective
    longest = best_rule(answers, y, max_rules=4, solver="greedy", greedy_level=1.0)
    assert len(longest.questions) >= len(greedy.questions)


def test_one_class_and_no_questions() -> None:
    answers, _ = made_up(20, 4)
    assert best_rule(answers, np.zeros(20), solver="highs").objective == 0
    assert best_rule(np.zeros((20, 3)), np.arange(20) % 2, solver="highs") is None
    assert bsnsing.best_rule(np.zeros((20, 0)), np.arange(20) % 2, solver="highs") is None
