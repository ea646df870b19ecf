"""The search against optimal rules that others have proven: the paper's table and its recheck."""

from __future__ import annotations

import json

import judge
import pytest
from shared_data import SHARED, load_dl85, needs_shared

import bsnsing

pytestmark = needs_shared

# Root rule of two questions at most, from the paper; V2 is the first question.
PAPER = {
    "anneal": (47750, "V60|V67"),
    "audiology": (885, "V2|V32"),
    "australian-credit": (24456, "V34|V76"),
    "breast-wisconsin": (9039, "V21|V77"),
    "diabetes": (53312, "V20|V76"),
    "heart-cleveland": (7460, "V91|V96"),
    "hepatitis": (876, "V37|V51"),
    "lymph": (1655, "V39|V56"),
    "primary-tumor": (7728, "V21|V29"),
    "soybean": (19964, "V24|V36"),
    "tic-tac-toe": (95336, "V15"),
    "vote": (3547, "V12"),
    "zoo-1": (0, "V8"),
}


@pytest.mark.parametrize("name", PAPER)
def test_rule_of_the_paper(name: str) -> None:
    objective, rule = PAPER[name]
    split = bsnsing.best_rule(*load_dl85(name), max_rules=2)
    assert split.optimal
    assert split.objective == objective
    assert "|".join(f"V{question + 2}" for question in split.questions) == rule


# The others take a minute or more; benchmarks/speed/solvers.py runs all.
QUICK = {
    "highs": ["audiology", "lymph", "primary-tumor", "vote", "zoo-1"],
    "cpsat": ["anneal", "audiology", "breast-wisconsin", "hepatitis", "lymph", "primary-tumor"],
}


@pytest.mark.parametrize(("solver", "name"), [(s, n) for s, names in QUICK.items() for n in names])
def test_solvers_reach_the_optimum_of_the_paper(solver: str, name: str) -> None:
    options = {"warm_start": None}
    split = bsnsing.best_rule(*load_dl85(name), solver=solver, solver_options=options)
    assert split.optimal
    assert split.objective == PAPER[name][0]


@pytest.mark.parametrize("max_rules", [1, 2, 3, 4])
@pytest.mark.parametrize("name", PAPER)
def test_proven_optimum(name: str, max_rules: int) -> None:
    optima = json.loads((SHARED / "reference" / "optima.json").read_text())["sets"]
    proven = optima[name][f"max_rules_{max_rules}"]
    answers, y = load_dl85(name)
    split = bsnsing.best_rule(answers, y, max_rules=max_rules)
    assert split.optimal
    assert split.objective == proven["objective"]
    # Of several optimal rules the file names one, the search the first one of the shortest.
    assert len(split.questions) == len(proven["questions"])
    assert split.questions <= tuple(proven["questions"])
    rule = judge.Rule(split.questions, split.negated, split.operator)
    left, right = judge.split_counts(rule.is_true(answers == 1), judge.cases_by_class(y))
    assert (tuple(split.left_counts), tuple(split.right_counts)) == (left, right)
    assert judge.gini_squared(left, right) == proven["objective"]
