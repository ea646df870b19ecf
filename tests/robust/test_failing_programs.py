"""Solvers whose program dies, is silent, or writes nonsense: an error, or what is known without."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from bsnsing import BsnsingClassifier, best_rule
from bsnsing.solvers import cbc, lpsolve
from bsnsing.solvers.base import SolverUnavailableError

RNG = np.random.default_rng(0)
X = RNG.integers(0, 2, (60, 6))
Y = (X[:, 0] | X[:, 1]) ^ (RNG.random(60) < 0.1)
VARIABLES = {"cbc": cbc.VARIABLE, "lpsolve": lpsolve.VARIABLE}
TO_LAST = 'for last in "$@"; do :; done; '  # the file that cbc is to write its solution to
DIES = {
    "killed": "kill -9 $$",
    "crashes": "kill -11 $$",
    "killed below a script": "sh -c 'kill -9 $$'",
    "says why": "echo Error: no license; exit 1",
}
SAYS_NOTHING = {
    "nothing": "exit 0",
    "a code": "exit 3",
    "bytes": r"printf '\377\376\000\200'",
    "a file of bytes": rf"{TO_LAST} printf '\377\376\000\200' > $last",
    "no numbers": rf"{TO_LAST} printf 'Optimal 0\n0 w0 nan 0\n1 w1 x 0\n' > $last",
    "too large": rf"{TO_LAST} printf 'Optimal - objective value 0\n0 w0 1e400 0\n' > $last",
    "nonsense": r"printf 'Relaxed solution ---\nActual values of the variables:\nw0 x\n'",
}


@pytest.fixture
def program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)  # lp_solve's last argument names no file, and one would be written
    path = tmp_path / "solver"
    for variable in VARIABLES.values():
        monkeypatch.setenv(variable, str(path))
    return path


def write(path: Path, body: str, mode: int = 0o755) -> None:
    path.write_text(f"#!/bin/sh\n{body}\n")
    path.chmod(mode)


@pytest.mark.parametrize("how", DIES)
@pytest.mark.parametrize("solver", VARIABLES)
def test_a_program_that_dies_is_an_error_and_the_model_stays(
    solver: str, how: str, program: Path
) -> None:
    write(program, DIES[how])
    with pytest.raises(SolverUnavailableError, match=r"ended by signal|no license"):
        best_rule(X, Y, solver=solver, max_rules=2)
    model = BsnsingClassifier.paper().fit(X, Y)
    before, text = dict(model.__dict__), str(model)
    model.solver = solver
    with pytest.raises(SolverUnavailableError):
        model.fit(X[:, :3], ~Y)
    assert {**model.__dict__, "solver": before["solver"]} == before
    assert str(model) == text


@pytest.mark.parametrize("how", SAYS_NOTHING)
@pytest.mark.parametrize("solver", VARIABLES)
def test_a_program_that_says_nothing_proves_nothing(solver: str, how: str, program: Path) -> None:
    write(program, SAYS_NOTHING[how])
    split = best_rule(X, Y, solver=solver, max_rules=2)
    assert split is not None  # a rule to begin with, which is found without the solver
    assert not split.optimal
    assert split.bound == 0


@pytest.mark.parametrize("solver", VARIABLES)
def test_a_program_that_is_named_and_may_not_be_run_is_not_replaced(
    solver: str, program: Path
) -> None:
    write(program, "exit 0", mode=0o644)
    with pytest.raises(SolverUnavailableError, match=VARIABLES[solver]):
        best_rule(X, Y, solver=solver)
