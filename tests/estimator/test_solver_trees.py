"""Trees grown by mixed-integer solvers, and trees under constraints."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.datasets import load_iris

from bsnsing import BsnsingClassifier, Question, RuleConstraints, Tree
from bsnsing.solvers import MIP_SOLVERS


def made_up(n_rows: int = 150, seed: int = 0) -> tuple[pd.DataFrame, np.ndarray]:
    """Numbers and levels of which some tell the class."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 2, n_rows)
    table = pd.DataFrame(
        {
            "age": np.round(rng.normal(40 + 6 * y, 10)),
            "dose": np.round(rng.normal(5, 2, n_rows), 1),
            "site": pd.Categorical(np.array(["a", "b", "c"])[(y + rng.integers(0, 2, n_rows)) % 3]),
            "flag": rng.random(n_rows) < 0.3 + 0.3 * y,
        }
    )
    table.loc[rng.random(n_rows) < 0.05, "dose"] = np.nan
    return table, y


def rows_below(tree: Tree, leaves: np.ndarray) -> list[frozenset[int]]:
    """The rows that pass each node."""
    below = [set(np.flatnonzero(leaves == node).tolist()) for node in range(tree.n_nodes)]
    for node in reversed(range(tree.n_nodes)):
        if tree.children_left[node] >= 0:
            children = (tree.children_left[node], tree.children_right[node])
            below[node] = below[children[0]] | below[children[1]]
    return [frozenset(rows) for rows in below]


def check_same_objectives(first: BsnsingClassifier, second: BsnsingClassifier, X) -> int:
    """Nodes of both trees that have the same rows have the same objective; returns how many."""
    trees = first.tree_, second.tree_
    by_rows = [
        dict(zip(rows_below(tree, model.apply(X)), range(tree.n_nodes), strict=True))
        for tree, model in zip(trees, (first, second), strict=True)
    ]
    shared = by_rows[0].keys() & by_rows[1].keys()
    for rows in shared:
        a, b = (tree.objective[nodes[rows]] for tree, nodes in zip(trees, by_rows, strict=True))
        assert a == b or (np.isnan(a) and np.isnan(b))
    return len(shared)


@pytest.mark.parametrize("criterion", ["gini_squared", "error"])
@pytest.mark.parametrize("operators", [("or",), ("or", "and")])
@pytest.mark.parametrize("solver", ["highs", "cpsat"])
def test_tree_of_a_solver_is_that_of_enum(
    solver: str, operators: tuple[str, ...], criterion: str
) -> None:
    X, y = made_up()
    settings = {"criterion": criterion, "operators": operators, "n_segments": 5}
    exact = BsnsingClassifier.plain(**settings).fit(X, y)
    solved = BsnsingClassifier.plain(**settings, solver=solver).fit(X, y)
    assert solved.tree_.optimal.all()
    assert exact.tree_.n_nodes > 1
    assert check_same_objectives(exact, solved, X) >= min(3, exact.tree_.n_nodes)
    # From ENUM's rules the solver finds nothing better, so even ties are broken alike.
    proven = BsnsingClassifier.plain(
        **settings, solver=solver, solver_options={"warm_start": "enum"}
    )
    proven.fit(X, y)
    assert str(proven) == str(exact)
    assert (proven.tree_.optimal == exact.tree_.optimal).all()
    np.testing.assert_array_equal(proven.predict_proba(X), exact.predict_proba(X))


@pytest.mark.parametrize("solver", MIP_SOLVERS)
def test_every_solver_grows_a_tree(solver: str) -> None:
    reason = MIP_SOLVERS[solver].why_not()
    if reason:
        pytest.skip(f"{solver}: {reason}")
    X, y = made_up(80)
    exact = BsnsingClassifier.paper(n_segments=3).fit(X, y)
    solved = BsnsingClassifier.paper(n_segments=3, solver=solver).fit(X, y)
    assert check_same_objectives(exact, solved, X) >= 1
    assert solved.tree_.objective[0] == exact.tree_.objective[0]


def test_weights_and_distinct_children() -> None:
    X, y = made_up(100, seed=3)
    weight = np.random.default_rng(0).integers(1, 4, len(y))
    settings = {
        "criterion": "gini_squared",
        "operators": ("or", "and"),
        "n_segments": 4,
        "class_weight": {0: 2.5, 1: 1.0},
        "distinct_children": True,
        "solver_options": {"warm_start": "enum"},
    }
    exact = BsnsingClassifier.plain(**settings).fit(X, y, sample_weight=weight)
    solved = BsnsingClassifier.plain(**settings, solver="highs").fit(X, y, sample_weight=weight)
    assert str(solved) == str(exact)
    np.testing.assert_allclose(solved.tree_.objective, exact.tree_.objective)
    np.testing.assert_allclose(solved.tree_.bound, exact.tree_.bound)


def test_one_tree_per_class_and_hybrid() -> None:
    X, y = load_iris(return_X_y=True, as_frame=True)
    settings = {"n_segments": 4, "solver_options": {"warm_start": "enum"}}
    exact = BsnsingClassifier.paper(**settings).fit(X, y)
    solved = BsnsingClassifier.paper(**settings, solver="highs").fit(X, y)
    hybrid = BsnsingClassifier.paper(**settings, solver="hybrid", hybrid_cap=100).fit(X, y)
    assert str(solved) == str(hybrid) == str(exact)
    # Counting rules is what ENUM does: only nodes above the cap were searched by it.
    for tree in hybrid.trees_:
        inner = ~tree.is_leaf
        n_pairs = tree.counts[:, 0] * tree.counts[:, 1]
        assert ((tree.n_counted[inner] > 1) == (n_pairs[inner] > 100)).all()


def test_other_criteria_need_enum() -> None:
    X, y = made_up()
    with pytest.raises(ValueError, match=r"criterion='gini'.*solver='enum'"):
        BsnsingClassifier.plain(solver="highs").fit(X, y)


def asked_columns(model: BsnsingClassifier) -> list[set[str]]:
    return [{q.column for q in rule.questions} for rule in model.tree_.rules if rule is not None]


@pytest.mark.parametrize("solver", ["enum", "greedy", "highs", "cpsat"])
def test_constraints_hold_in_every_node(solver: str) -> None:
    X, y = made_up(200, seed=1)
    settings = {"criterion": "gini_squared", "max_rules": 3, "n_segments": 4, "solver": solver}
    free = BsnsingClassifier.plain(**settings).fit(X, y)
    assert any("age" in columns for columns in asked_columns(free))
    forbidden = BsnsingClassifier.plain(**settings, constraints={"forbidden": ["age"]}).fit(X, y)
    assert forbidden.tree_.n_nodes > 1
    assert not any("age" in columns for columns in asked_columns(forbidden))
    required = BsnsingClassifier.plain(**settings, constraints={"required": ["dose"]}).fit(X, y)
    assert required.tree_.n_nodes > 1
    assert all("dose" in columns for columns in asked_columns(required))
    single = BsnsingClassifier.plain(**settings, constraints={"one_per_column": True}).fit(X, y)
    rules = [rule for rule in single.tree_.rules if rule is not None]
    assert all(len({q.column for q in r.questions}) == len(r.questions) for r in rules)
    cheap = RuleConstraints(costs={"age": 2, "dose": 1, "site": 1}, max_cost=2)
    model = BsnsingClassifier.plain(**settings, constraints=cheap).fit(X, y)
    cost = {"age": 2, "dose": 1, "site": 1, "flag": 0}
    for rule in model.tree_.rules:
        assert rule is None or sum(cost[q.column] for q in rule.questions) <= 2


def test_constraints_cost_exactly_what_they_must() -> None:
    X, y = made_up(120, seed=2)
    constraints = {"costs": {"age": 2, "site": 1}, "max_cost": 2, "one_per_column": True}
    settings = {"criterion": "gini_squared", "operators": ("or",), "constraints": constraints}
    exact = BsnsingClassifier.plain(**settings, n_segments=4).fit(X, y)
    solved = BsnsingClassifier.plain(**settings, n_segments=4, solver="highs").fit(X, y)
    assert check_same_objectives(exact, solved, X) >= 1
    assert exact.tree_.objective[0] == solved.tree_.objective[0]


def test_forbidden_columns_also_bar_given_questions() -> None:
    X, y = made_up()
    given = [Question("age", ">", 45.0), Question("dose", ">", 5.0)]
    model = BsnsingClassifier.plain(
        extra_questions=given, own_questions=False, constraints={"forbidden": [0]}
    ).fit(X, y)
    assert all(columns == {"dose"} for columns in asked_columns(model))


def test_constraints_survive_clone_and_name_unknown_columns() -> None:
    X, y = made_up()
    model = BsnsingClassifier.plain(constraints=RuleConstraints(forbidden=["age"]))
    copy = clone(model)
    assert copy.constraints == model.constraints
    assert str(copy.fit(X, y)) == str(model.fit(X, y))
    with pytest.raises(ValueError, match="names the column 'weight', which is not there"):
        BsnsingClassifier.plain(constraints={"required": ["weight"]}).fit(X, y)
