"""Every solver, both formulations and ENUM against the judge, under random constraints."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import judge
import numpy as np
import pytest
from numpy.typing import NDArray

import bsnsing
from bsnsing.solvers import MIP_SOLVERS

USABLE = {name: solver.why_not() for name, solver in MIP_SOLVERS.items()}
N_PROBLEMS = 200


@dataclass(frozen=True)
class Problem:
    """A pool, the options of a search, and its constraints in words and as a function."""

    answers: NDArray[np.uint8]
    y: NDArray[np.int64]
    options: dict[str, Any]
    constraints: bsnsing.RuleConstraints
    allow: Callable[[tuple[int, ...]], bool]

    def expected(self) -> judge.Candidate | None:
        return judge.best_rule(self.answers, self.y, **self.options, allow=self.allow)


def make_problem(seed: int, operators: tuple[tuple[str, ...], ...] | None = None) -> Problem:
    """A small pool with constraints of which some bind and some do not."""
    rng = np.random.default_rng(seed)
    n_rows, n_questions = int(rng.integers(4, 26)), int(rng.integers(1, 7))
    answers = (rng.random((n_rows, n_questions)) < rng.random(n_questions)).astype(np.uint8)
    if n_questions > 2 and rng.random() < 0.4:
        answers[:, -1] = answers[:, 0]  # the same answers, perhaps at another cost
    y = rng.integers(0, 2, n_rows)
    y[:2] = (0, 1)
    options = {
        "max_rules": int(rng.integers(1, 4)),
        "min_samples_leaf": int(rng.integers(1, 4)),
        "criterion": ("gini_squared", "error")[seed % 2],
        "operators": (operators or (("or",), ("or", "and"), ("and",)))[
            int(rng.integers(len(operators or "abc")))
        ],
        "distinct_children": bool(rng.random() < 0.3),
        "sample_weight": rng.integers(1, 4, n_rows) if rng.random() < 0.5 else None,
    }
    constraints, allow = make_constraints(rng, n_questions, options["max_rules"])
    return Problem(answers, y, options, constraints, allow)


def make_constraints(
    rng: np.random.Generator, n_questions: int, max_rules: int
) -> tuple[bsnsing.RuleConstraints, Callable[[tuple[int, ...]], bool]]:
    """Random constraints, and by themselves what they mean."""
    order = rng.permutation(n_questions).tolist()
    forbidden = order[:1] if n_questions > 1 and rng.random() < 0.4 else []
    required = order[1:2] if n_questions > 1 and rng.random() < 0.3 else []
    costs = rng.integers(0, 5, n_questions) / 10
    max_cost = float(rng.integers(0, 9)) / 10 if rng.random() < 0.5 else None
    columns = rng.integers(0, 3, n_questions).tolist()
    one_per_column = bool(rng.random() < 0.4)
    coefficients = rng.integers(-2, 3, n_questions)
    lower, upper = sorted(rng.integers(-4, 5, 2).tolist())
    linear = [(coefficients, lower, upper)] if rng.random() < 0.3 else []

    def allow(questions: tuple[int, ...]) -> bool:
        chosen = list(questions)
        tenths = int(sum(round(10 * costs[q]) for q in chosen))
        return (
            not set(chosen) & set(forbidden)
            and set(required) <= set(chosen)
            and (max_cost is None or tenths <= round(10 * max_cost))
            and (not one_per_column or len({columns[q] for q in chosen}) == len(chosen))
            and (not linear or lower <= int(coefficients[chosen].sum()) <= upper)
        )

    constraints = bsnsing.RuleConstraints(
        forbidden=forbidden,
        required=required,
        costs=costs,
        max_cost=max_cost,
        one_per_column=one_per_column,
        columns=columns,
        linear=linear,
    )
    return constraints, allow


def check(problem: Problem, solver: str, **more: Any) -> None:
    """The objective is the judge's, and the rule is feasible and has that objective."""
    expected = problem.expected()
    split = bsnsing.best_rule(
        problem.answers,
        problem.y,
        **problem.options,
        constraints=problem.constraints,
        solver=solver,
        **more,
    )
    if expected is None:
        assert split is None
        return
    assert split is not None
    # Whole numbers, or the judge's own rounding.
    is_whole = problem.options["criterion"] not in ("gini", "entropy")
    close_to_expected = expected.objective if is_whole else pytest.approx(expected.objective)
    assert split.objective == close_to_expected
    assert split.optimal
    assert split.bound == split.objective
    rule = judge.Rule(split.questions, split.negated, split.operator)
    assert problem.allow(rule.questions)
    assert len(rule.questions) <= problem.options["max_rules"]
    assert split.operator in problem.options["operators"] or len(rule.questions) == 1
    cases = judge.cases_by_class(problem.y, problem.options["sample_weight"])
    left, right = judge.split_counts(rule.is_true(problem.answers == 1), cases)
    assert min(sum(left), sum(right)) >= problem.options["min_samples_leaf"]
    assert judge.CRITERIA[problem.options["criterion"]](left, right) == expected.objective
    assert (tuple(split.left_counts), tuple(split.right_counts)) == (left, right)
    if problem.options["distinct_children"]:
        assert judge.have_distinct_majorities(left, right)
    if solver == "enum":
        assert rule == expected.rule


@pytest.mark.parametrize("block", range(8))
def test_enum_keeps_constraints(block: int) -> None:
    operators = (("or",), ("or", "and"), ("and",), ("or", "xor"), ("or", "and", "xor"))
    for seed in range(100 * block, 100 * (block + 1)):
        problem = make_problem(seed, operators)
        check(problem, "enum")
        problem.options["criterion"] = ("gini", "entropy", "misclassification")[seed % 3]
        check(problem, "enum")


@pytest.mark.parametrize("formulation", ["strong", "paper"])
@pytest.mark.parametrize("solver", MIP_SOLVERS)
def test_solver_agrees_with_the_judge(solver: str, formulation: str) -> None:
    if USABLE[solver]:
        pytest.skip(f"{solver}: {USABLE[solver]}")
    for seed in range(N_PROBLEMS):
        options = {"formulation": formulation, "warm_start": (None, "greedy", "enum")[seed % 3]}
        check(make_problem(seed), solver, solver_options=options)


@pytest.mark.parametrize("cuts", ["rectangle", "proposition"])
@pytest.mark.parametrize("solver", [n for n, s in MIP_SOLVERS.items() if s.takes_cuts])
def test_cuts_lose_no_optimum(solver: str, cuts: str) -> None:
    if USABLE[solver]:
        pytest.skip(f"{solver}: {USABLE[solver]}")
    for seed in range(1000, 1020):
        options = {"cuts": cuts, "warm_start": (None, "greedy")[seed % 2]}
        check(make_problem(seed), solver, solver_options=options)


def test_problems_are_of_every_kind() -> None:
    """The random problems include feasible and infeasible ones, and constraints that bind."""
    problems = [make_problem(seed) for seed in range(N_PROBLEMS)]
    found = [problem.expected() for problem in problems]
    free = [judge.best_rule(p.answers, p.y, **p.options) for p in problems]
    assert 20 < sum(candidate is None for candidate in found) < 120
    both = [(a, b) for a, b in zip(found, free, strict=True) if a and b]
    assert sum(a.objective > b.objective for a, b in both) > 20
