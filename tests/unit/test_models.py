"""The programs: sizes, what a rule is worth in them, relaxations, and files that others read."""

from __future__ import annotations

from itertools import combinations
from pathlib import Path

import numpy as np
import pytest

import bsnsing
from bsnsing.rules.constraints import LinearLimit, QuestionLimits
from bsnsing.solvers import SolverUnavailableError, paper_model, strong_model, write_model
from bsnsing.solvers.base import Request
from bsnsing.solvers.cuts import RuleBounds
from bsnsing.solvers.files import write_file
from bsnsing.solvers.highs import Highs
from bsnsing.solvers.mip import build_model, known_objective
from bsnsing.solvers.model import Model
from bsnsing.solvers.problem import RuleProblem


def make_problem(seed: int = 0, **changes: object) -> RuleProblem:
    rng = np.random.default_rng(seed)
    n_rows = 40
    answers = (rng.random((n_rows, 6)) < 0.4).astype(np.uint8)
    answers[:, 5] = answers[:, 1]  # says the same
    settings: dict = {
        "answers": answers,
        "is_positive": rng.random(n_rows) < 0.2 + 0.5 * answers[:, 0],
        "cases": rng.integers(1, 4, n_rows),
        "has_negation": bool(seed % 2),
    }
    return RuleProblem(**(settings | changes))


def rules_of(problem: RuleProblem) -> list[list[int]]:
    n_literals = problem.literals.shape[1]
    every = [list(rule) for size in (1, 2) for rule in combinations(range(n_literals), size)]
    return [rule for rule in every if problem.is_feasible(rule)]


def relaxed_bound(model: Model) -> float:
    """Least objective without integrality."""
    import dataclasses

    relaxed = dataclasses.replace(model, is_integer=np.zeros_like(model.is_integer))
    outcome = Highs().solve(relaxed, Request(time_limit=60))
    return np.inf if outcome.x is None else model.value(outcome.x) * model.unit


def test_paper_formulation_has_the_size_of_the_paper() -> None:
    problem = make_problem(0)
    model = paper_model.paper_model(problem)
    n_p, n_n = int(problem.is_positive.sum()), int((~problem.is_positive).sum())
    n_rows, n_questions = 40, 5  # one question says the same as another
    n_yes = int(problem.answers[:, :5].sum())
    # w, z, theta; answers, MaxRules, MinNodeSize (two ends), two rows per theta.
    assert model.size[0] == n_questions + n_rows + n_p * n_n
    assert model.size[1] == n_yes + n_rows + 1 + 1 + 2 * n_p * n_n
    assert model.is_integer.sum() == n_questions
    assert build_model(problem, "strong").size[2] < model.size[2]


@pytest.mark.parametrize("criterion", ["gini_squared", "error"])
@pytest.mark.parametrize("seed", range(6))
def test_every_rule_is_worth_its_objective_in_both(seed: int, criterion: str) -> None:
    problem = make_problem(seed, criterion=criterion, min_leaf=2, distinct_children=seed == 3)
    known = known_objective(problem)
    whole = build_model(problem, "strong")
    programs = [
        (paper_model.paper_model(problem), paper_model.complete),
        (whole, strong_model.complete),
        (whole.half(0), strong_model.complete),
        (whole.half(1), strong_model.complete),
    ]
    n_met = np.zeros(4)
    for rule in rules_of(problem):
        value = problem.rate(rule)
        for i, (model, complete) in enumerate(programs):
            x = complete(problem, model, rule)
            if x is None:  # a literal that says the same as another has no column
                continue
            if i == 0:
                assert model.is_feasible(x)
            if model.is_feasible(x):
                n_met[i] += 1
                assert model.value(x) * model.unit == pytest.approx(value)
            elif i == 1:
                assert value > known  # only rules that are worse than a known one are left out
    assert n_met[0] > 0
    if whole.switch is not None:
        assert n_met[1] == n_met[2] + n_met[3]


@pytest.mark.parametrize("seed", range(4))
def test_halves_hold_all_rules_and_bound_them_better_than_the_paper(seed: int) -> None:
    problem = make_problem(seed)
    best = min(problem.rate(rule) for rule in rules_of(problem))
    strong = build_model(problem, "strong")
    assert strong.switch is not None
    ours = min(relaxed_bound(strong.half(half)) for half in (0, 1))
    papers = relaxed_bound(paper_model.paper_model(problem))
    assert papers - 1e-6 <= ours <= best + 1e-6
    assert papers < 0.5 * ours


def test_limits_keep_questions_apart_that_answer_alike() -> None:
    costs = np.array([1.0, 5, 1, 1, 1, 1])
    limits = QuestionLimits((LinearLimit(costs, -np.inf, 2.0),))
    free, limited = make_problem(0), make_problem(0, limits=limits)
    assert len(build_model(free).literals) == 5
    assert len(build_model(limited).literals) == 6


def test_contradictions_are_seen_before_a_solver_is_asked() -> None:
    model = build_model(make_problem(0, min_leaf=1000))
    assert model.is_contradictory()
    assert not build_model(make_problem(0)).is_contradictory()


@pytest.mark.parametrize("max_rules", [1, 2, 3])
@pytest.mark.parametrize("criterion", ["gini_squared", "error"])
def test_bounds_of_cuts_are_bounds(criterion: str, max_rules: int) -> None:
    problem = make_problem(1, criterion=criterion, max_rules=max_rules)  # with negations
    model = paper_model.paper_model(problem)
    place = {int(literal): i for i, literal in enumerate(model.literals)}
    rectangle, proposition = (
        RuleBounds(problem, model, kind) for kind in ("rectangle", "proposition")
    )
    for bounds in (rectangle, proposition):
        single, pair = bounds.single(), bounds.pair()
        for size in range(1, max_rules + 1):
            for rule in combinations(model.literals.tolist(), size):
                if len({literal % problem.n_questions for literal in rule}) < size:
                    continue
                value = problem.rate(rule)
                positions = [place[literal] for literal in rule]
                assert all(single[i] <= value for i in positions)
                assert all(pair[i, j] <= value for i, j in combinations(positions, 2))
    assert (rectangle.single() >= proposition.single()).all()
    if max_rules == 1:  # nothing can follow, which only the rectangle knows
        assert (rectangle.single() > proposition.single()).any()


@pytest.mark.parametrize("ending", ["lp", "mps"])
@pytest.mark.parametrize("formulation", ["strong", "paper"])
@pytest.mark.parametrize("criterion", ["gini_squared", "error"])
def test_files_are_read_by_others(
    tmp_path: Path, criterion: str, formulation: str, ending: str
) -> None:
    problem = make_problem(0)
    y = np.where(problem.is_positive, "yes\nobj: 0", "no")  # names never reach the file
    options = {
        "criterion": criterion,
        "min_samples_leaf": 5,
        "sample_weight": problem.cases,
        "constraints": {"forbidden": [2], "costs": [0.5] * 6, "max_cost": 1},
    }
    path = tmp_path / f"model.{ending}"
    written = write_model(path, problem.answers, y, formulation=formulation, **options)
    assert written == path
    split = bsnsing.best_rule(problem.answers, y, **options)
    highspy = pytest.importorskip("highspy")
    solver = highspy.Highs()
    solver.setOptionValue("output_flag", False)
    solver.readModel(str(path))
    solver.run()
    names = [solver.getColName(i)[1] for i in range(solver.getNumCol())]
    chosen = {n for n, v in zip(names, solver.getSolution().col_value, strict=True) if v > 0.5}
    questions = sorted(int(name[1:]) for name in chosen if name[0] == "w")
    yes = problem.answers[:, questions].any(axis=1)
    tp = int(problem.cases[problem.is_positive & yes].sum())
    fp = int(problem.cases[~problem.is_positive & yes].sum())
    value = make_problem(0, criterion=criterion).objective(tp, fp)
    assert value == split.objective


def test_file_of_the_ands(tmp_path: Path) -> None:
    problem = make_problem(0)
    options = {"criterion": "error", "operators": ("or", "and")}
    texts = [
        write_model(
            tmp_path / f"{mirrored}.lp",
            problem.answers,
            problem.is_positive,
            mirrored=mirrored,
            **options,
        ).read_text()
        for mirrored in (False, True)
    ]
    assert texts[0] != texts[1]
    assert " w0n" in texts[0]


def test_what_cannot_be_written_is_named(tmp_path: Path) -> None:
    problem = make_problem(0)
    with pytest.raises(ValueError, match=r"must end in \.lp or \.mps. Got"):
        write_file(build_model(problem), tmp_path / "model.txt")
    for options, message in (
        ({"formulation": "dense"}, "formulation must be 'strong' or 'paper'"),
        ({"max_rules": 0}, "'max_rules' parameter of write_model"),
        ({"criterion": "gini"}, "minimises 'gini_squared' or 'error'"),
    ):
        with pytest.raises(ValueError, match=message):
            write_model(tmp_path / "m.lp", problem.answers, problem.is_positive, **options)


def test_highs_with_a_broken_presolve_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bsnsing.solvers.highs.version", lambda name: "1.14.0")
    assert "1.14" in (Highs().why_not() or "")
    with pytest.raises(SolverUnavailableError, match=r"1\.14.*loses optimal"):
        bsnsing.best_rule([[1, 0], [0, 1]] * 5, [0, 1] * 5, solver="highs")
