"""RuleConstraints: what is wrong with them is said, with the value."""

from __future__ import annotations

from typing import Any

import judge
import numpy as np
import pytest

from bsnsing import BsnsingClassifier, RuleConstraints, best_rule
from bsnsing.rules.constraints import QuestionLimits, resolve_constraints


@pytest.mark.parametrize(
    ("constraints", "message"),
    [
        ({"forbidden": [9]}, "names the question 9, which is not there. Give a position from 0"),
        ({"forbidden": "12"}, "forbidden must be a collection of questions. Got '12'"),
        ({"required": [True]}, "names the question True"),
        ({"required": [0], "forbidden": [0]}, "both forbids and requires question 0"),
        ({"required": [0, 1, 2]}, "requires 3 questions in each rule, and max_rules is 2"),
        ({"max_cost": 3}, "max_cost=3 needs costs"),
        ({"costs": [1, 2], "max_cost": 3}, r"one number for each of the 5 questions. Got shape"),
        ({"costs": [-1, 0, 0, 0, 0], "max_cost": 3}, "must not be negative. Got -1"),
        ({"costs": [np.nan] * 5, "max_cost": 3}, "costs must be finite numbers"),
        ({"one_per_column": True}, "needs columns, the column of each of the 5 questions"),
        ({"one_per_column": "yes"}, "one_per_column must be True or False. Got 'yes'"),
        ({"linear": [([1] * 5, 2, 1)]}, "the lower one not above the upper one. Got 2 and 1"),
        ({"linear": [3]}, r"must be \(coefficients, lower, upper\). Got 3"),
        ({"price": 3}, "constraints has no entry 'price'"),
    ],
)
def test_bad_constraints_are_named(constraints: dict, message: str) -> None:
    with pytest.raises((ValueError, TypeError), match=message):
        best_rule(np.eye(5), [0, 1, 0, 1, 0], constraints=constraints)


def test_constraints_of_another_type_are_refused() -> None:
    with pytest.raises(TypeError, match="must be a RuleConstraints, a dict"):
        best_rule(np.eye(5), [0, 1, 0, 1, 0], constraints=[1])


def test_constraints_that_nothing_keeps_leave_no_rule() -> None:
    assert best_rule(np.eye(5), [0, 1, 0, 1, 0], constraints={"forbidden": range(5)}) is None
    narrow = RuleConstraints(linear=[([0] * 5, 1, None)])
    assert best_rule(np.eye(5), [0, 1, 0, 1, 0], constraints=narrow) is None


def test_sums_of_decimals_keep_their_limit() -> None:
    answers = [[1, 0], [0, 1], [0, 0], [0, 0]]
    split = best_rule(answers, [1, 1, 0, 0], constraints={"costs": [0.1, 0.2], "max_cost": 0.3})
    assert split.questions == (0, 1)


@pytest.mark.parametrize("max_rules", [3, 4])
@pytest.mark.parametrize("seed", range(4))
def test_deep_search_of_many_rows_keeps_constraints(seed: int, max_rules: int) -> None:
    """Rows beyond a few words and rules of three questions take other paths of the search."""
    rng = np.random.default_rng(seed)
    answers = (rng.random((900, 11)) < rng.uniform(0.05, 0.5, 11)).astype(np.uint8)
    answers[:, 10] = 0  # nobody; only worth asking if it must be asked
    y = rng.integers(0, 2, 900)
    columns = rng.integers(0, 5, 11)
    costs = rng.integers(1, 5, 11)
    required = [[], [10], [2, 7], [3]][seed]

    def allow(questions: tuple[int, ...]) -> bool:
        chosen = list(questions)
        return (
            set(required) <= set(chosen)
            and int(costs[chosen].sum()) <= 9
            and len(set(columns[chosen].tolist())) == len(chosen)
        )

    options = {"max_rules": max_rules, "criterion": "gini_squared"}
    expected = judge.best_rule(answers, y, **options, allow=allow)
    constraints = RuleConstraints(
        required=required,
        costs=costs,
        max_cost=9,
        one_per_column=True,
        columns=columns,
    )
    for n_jobs in (1, 2):
        split = best_rule(answers, y, **options, constraints=constraints, n_jobs=n_jobs)
        assert (split is None) == (expected is None)
        if expected is not None:
            assert split.questions == expected.rule.questions
            assert split.objective == expected.objective


def test_greedy_adds_what_is_required() -> None:
    rng = np.random.default_rng(0)
    answers = (rng.random((200, 8)) < 0.3).astype(np.uint8)
    y = rng.integers(0, 2, 200)
    options = {"max_rules": 3, "solver": "greedy"}
    split = best_rule(answers, y, **options, constraints={"required": [5, 6]})
    assert {5, 6} <= set(split.questions)
    cheap = {"costs": [3, 3, 3, 3, 1, 1, 1, 1], "max_cost": 2}
    assert set(best_rule(answers, y, **options, constraints=cheap).questions) <= {4, 5, 6, 7}


@pytest.mark.parametrize(
    "constraints",
    [
        {"forbidden": [2]},
        {"required": [1], "forbidden": ["x0"]},
        {"costs": [3, 1, 2, 2], "max_cost": 3},
        {"costs": {3: 2.0, "x2": 2.0}, "max_cost": 3},
        {"linear": [([1, 0, 0, 1], None, 1)], "one_per_column": True},
    ],
)
def test_taught_trees_keep_limits_on_columns_wherever_they_stand(
    constraints: dict[str, Any],
) -> None:
    """Teachers see columns in an order of their own; positions are those of the table."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 4))
    y = (X[:, 2] + X[:, 0] * X[:, 3] > 0).astype(int)
    limits = resolve_constraints(RuleConstraints(**constraints), ["x0", "x1", "x2", "x3"], 2)
    assert limits is not None
    model = BsnsingClassifier(constraints=constraints, max_rules=2, ccp_alpha=0.0).fit(X, y)
    tree = model.tree_
    assert tree.n_leaves > 2
    of_column = QuestionLimits(limits.linear, limits.column_of, limits.allowed)
    for node in np.flatnonzero(~tree.is_leaf):
        span = slice(tree.first_question[node], tree.first_question[node + 1])
        assert of_column.allow(tree.question_column[span].tolist())
