"""Sweeps through fitted trees: probabilities keep the order of the columns that must keep it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import bsnsing
from bsnsing import BsnsingClassifier, BsnsingClassifierCV, BsnsingEnsemble

SIGNS = {"age": 1, "dose": -1, "smokes": 1}
KINDS: dict[str, Any] = {
    "plain": lambda **own: BsnsingClassifier.plain(min_samples_leaf=2, **own),
    "default": lambda **own: BsnsingClassifier(**own),
    "paper": lambda **own: BsnsingClassifier.paper(min_samples_leaf=2, **own),
    "xor": lambda **own: BsnsingClassifier.plain(
        min_samples_leaf=2, operators=("or", "and", "xor"), shrinkage=5, max_rules=3, **own
    ),
    "weighted": lambda **own: BsnsingClassifier.plain(
        min_samples_leaf=2, class_weight="balanced", cost={(1, 0): 7}, solver="greedy", **own
    ),
}


def noisy_table(seed: int, n: int, has_missing: bool) -> tuple[pd.DataFrame, np.ndarray]:
    """Data that often contradict the order, so that there is something to keep."""
    random = np.random.default_rng(seed)
    table = pd.DataFrame(
        {
            "age": random.integers(0, 8, n).astype(float),
            "dose": random.normal(0, 1, n).round(1),
            "smokes": random.random(n) < 0.5,
            "other": random.integers(0, 4, n),
            "town": random.choice(["x", "y", "z"], n),
        }
    )
    slopes = random.normal(0, 1, 4)
    waves = np.sin(table["age"]) * slopes[0] + slopes[1] * table["dose"] ** 2
    score = waves + slopes[2] * table["smokes"] + slopes[3] * (table["other"] % 2)
    y = (score + random.normal(0, 0.7, n) > score.median()).astype(int)
    if has_missing:
        table.loc[random.random(n) < 0.15, "age"] = np.nan
        table.loc[random.random(n) < 0.1, "other"] = np.nan
    return table, y


def worst_step(model: Any, table: pd.DataFrame, signs: dict[str, int], target: int = 1) -> float:
    """The largest step against the order, over sweeps of each column through each row."""
    worst = 0.0
    rows = table.head(25).copy()
    rows.loc[rows.index[::5], "other"] = np.nan  # unknown where fit saw none missing
    rows.loc[rows.index[::7], "town"] = "elsewhere"
    for name, sign in signs.items():
        values: Any = [False, True]
        if name != "smokes":
            cells = np.unique(table[name].dropna())
            values = np.concatenate([[-100.0], cells, cells[:-1] + np.diff(cells) / 2, [100.0]])
            values = np.sort(values)
        swept = []
        for value in values:
            changed = rows.copy()
            changed[name] = value
            swept.append(model.predict_proba(changed)[:, target])
        steps = sign * np.diff(np.array(swept), axis=0)
        worst = max(worst, float(-steps.min()))
    return worst


@pytest.mark.parametrize("kind", list(KINDS))
@settings(
    max_examples=8,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow],
)
@given(seed=st.integers(0, 10**6), n=st.integers(25, 120), has_missing=st.booleans())
def test_probabilities_keep_the_order_of_their_columns(kind, seed, n, has_missing):
    table, y = noisy_table(seed, n, has_missing)
    model = KINDS[kind](monotonic_cst=SIGNS).fit(table, y)
    assert worst_step(model, table, SIGNS) <= 1e-12
    shares = model.predict_proba(table)
    np.testing.assert_allclose(shares.sum(axis=1), 1)
    assert shares.min() >= 0
    assert worst_step(model.prune(max_leaf_nodes=3), table, SIGNS) <= 1e-12


@pytest.mark.parametrize("kind", list(KINDS))
def test_without_the_constraint_the_order_is_broken(kind):
    table, y = noisy_table(3, 120, False)
    assert worst_step(KINDS[kind]().fit(table, y), table, SIGNS) > 0.05
    assert len(KINDS[kind](monotonic_cst=SIGNS).fit(table, y).tree_.rules) > 1


def test_the_class_can_be_named_and_directions_given_in_a_row():
    table, y = noisy_table(5, 120, False)
    names = np.array(["well", "ill"])[y]
    by_name = BsnsingClassifier.plain(monotonic_cst={"age": {"ill": 1}}).fit(table, names)
    in_a_row = BsnsingClassifier.plain(monotonic_cst=[-1, 0, 0, 0, 0]).fit(table, names)
    assert by_name.classes_.tolist() == ["ill", "well"]
    assert (by_name.predict_proba(table) == in_a_row.predict_proba(table)).all()
    assert worst_step(by_name, table, {"age": 1}, target=0) <= 1e-12


@pytest.mark.parametrize("teacher", [None, "forest"])
def test_one_of_several_classes_keeps_its_order(teacher):
    table, y = noisy_table(8, 150, False)
    y = y + (table["age"] > 5)
    cst = {"age": {1: 1}, "dose": {1: -1}}
    model = BsnsingClassifier(monotonic_cst=cst, teacher=teacher, cost={(2, 0): 4}).fit(table, y)
    assert model.get_n_leaves() > 1
    assert worst_step(model, table, {"age": 1, "dose": -1}) <= 1e-12


def test_ensembles_cross_validation_and_files_keep_the_order():
    table, y = noisy_table(11, 120, False)
    inner = BsnsingClassifier.plain(monotonic_cst=SIGNS, min_samples_leaf=2)
    for model in (BsnsingEnsemble(3, estimator=inner), BsnsingClassifierCV(inner, cv=3)):
        model.fit(table, y)
        assert worst_step(model, table, SIGNS) <= 1e-12
        loaded = bsnsing.from_json(model.to_json())
        assert (loaded.predict_proba(table) == model.predict_proba(table)).all()


def test_plain_trees_keep_their_shares():
    table, y = noisy_table(12, 120, False)
    model = BsnsingClassifier.plain(monotonic_cst=SIGNS).fit(table, y)
    tree = model.tree_
    np.testing.assert_array_equal(tree.value, tree.counts / tree.counts.sum(axis=1, keepdims=True))


def test_given_trees_keep_the_order_or_are_refused():
    table, y = noisy_table(3, 120, False)
    text = (
        "age > 3 ?\n  yes: other > 1 ?\n    yes: age > 5 ?\n      yes:\n      no:\n    no:\n  no:\n"
    )
    text = text.replace(":\n      no", ": 1\n      no").replace("no:\n", "no: 0\n")
    for sign in (1, -1):
        model = BsnsingClassifier.from_text(text, table, y, monotonic_cst={"age": sign})
        assert worst_step(model, table, {"age": sign}) <= 1e-12
    with pytest.raises(ValueError, match="asks in both directions, so that monotonic_cst"):
        BsnsingClassifier.from_text(
            "age > 3 or age < 1 ?\n  yes: 1\n  no: 0", table, y, monotonic_cst={"age": 1}
        )


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"monotonic_cst": {"weight": 1}}, "'weight', which the table does not have"),
        ({"monotonic_cst": {"town": 1}}, "'town', whose levels have no order"),
        ({"monotonic_cst": {"age": 2}}, r"the direction 2\. Give 1, -1 or 0"),
        ({"monotonic_cst": [1, 0]}, r"one entry for each of the 5 columns\. Got 2"),
        ({"monotonic_cst": {"age": {7: 1}}}, "the class 7, which is not in y"),
        ({"monotonic_cst": 3}, "must be None, a dict from names of columns"),
        ({"monotonic_cst": {"age": {0: 1}, "dose": {1: 1}}, "y": 3}, "Name the same class for all"),
        ({"monotonic_cst": {"age": 1}, "y": 3}, r"must name the class .* since y has 3"),
        ({"monotonic_cst": {"age": 1}, "solver": "highs", "criterion": "gini_squared"},
         "solver='highs' cannot keep monotonic_cst"),
        ({"monotonic_cst": {"age": {1: 1}}, "multiclass": "ovr", "y": 3},
         "Use multiclass='native'"),
        ({"max_columns": 2, "multiclass": "ovr", "y": 3}, "max_columns counts the columns of one"),
        ({"max_columns": 0}, "must be None or a positive int"),
        ({"column_costs": {"weight": 1}}, "'weight', which the table does not have"),
        ({"column_costs": {"age": -1}}, "the cost -1. Give a finite"),
        ({"column_costs": {"age": 1}, "criterion": "gini_squared"}, "is no sum over cases"),
        ({"constraints": {"apart": [("age", "age")]}}, "twice in one pair"),
        ({"constraints": {"apart": ["age"]}}, "must be a pair of columns"),
        ({"constraints": {"along_paths": 3}}, "along_paths must be True or False"),
        ({"constraints": {"along_paths": True}, "solver": "highs", "criterion": "gini_squared"},
         "solver='highs' cannot keep constraints along_paths"),
        ({"constraints": {"groups": [["age"], ["age", "dose"]]}}, "'age' in two groups"),
    ],
)  # fmt: skip
def test_what_cannot_be_kept_is_refused(parameters, message):
    table, y = noisy_table(3, 60, False)
    parameters = dict(parameters)
    if parameters.pop("y", 2) == 3:
        y = y + (table["age"] > 5)
    with pytest.raises(ValueError, match=message):
        BsnsingClassifier.plain(**parameters).fit(table, y)


@pytest.mark.parametrize("kind", ["plain", "default"])
def test_trees_ask_about_few_columns_and_files_say_so(kind):
    table, y = noisy_table(3, 120, True)
    free = KINDS[kind]().fit(table, y).tree_
    model = KINDS[kind](max_columns=2, column_costs={"town": 0.01}).fit(table, y)
    asked = {c for q in range(model.tree_.n_questions) for c in model.tree_.columns_of(q)}
    assert 1 <= len(asked) <= 2
    assert len({c for q in range(free.n_questions) for c in free.columns_of(q)}) > 2
    loaded = bsnsing.from_json(model.to_json())
    assert loaded.get_params()["column_costs"] == {"town": 0.01}
    assert loaded.max_columns == 2
    with pytest.raises(ValueError, match="asks about 2 columns"):
        BsnsingClassifier.from_text(
            "age > 3 or dose > 1 ?\n  yes: 1\n  no: 0", table, y, max_columns=1
        )


def test_dear_columns_are_not_asked_about():
    table, y = noisy_table(3, 120, False)
    dear = dict.fromkeys(["age", "dose", "smokes", "other"], 100.0)
    for kind in ("plain", "default"):
        tree = KINDS[kind](column_costs=dear).fit(table, y).tree_
        assert {c for q in range(tree.n_questions) for c in tree.columns_of(q)} <= {4}


@pytest.mark.parametrize("kind", ["plain", "default"])
@pytest.mark.parametrize("along_paths", [False, True])
def test_default_trees_do_not_mix_columns(kind, along_paths):
    table, y = noisy_table(3, 120, True)
    given = [["age", "town"], ["dose", "other"], ["smokes"]]
    model = KINDS[kind](constraints={"groups": given, "along_paths": along_paths})
    groups = {"age": 1, "town": 1, "dose": 2, "other": 2, "smokes": 3}
    for rule in model.fit(table, y).tree_.rules:
        if rule is not None:
            assert len({groups[question.column] for question in rule.questions}) == 1
    tree = model.tree_
    asked: dict[int, set[int]] = {0: set()}
    for node, rule in enumerate(tree.rules):
        if rule is not None:
            own = asked[node] | {groups[question.column] for question in rule.questions}
            asked[int(tree.children_left[node])] = asked[int(tree.children_right[node])] = own
    assert (max(map(len, asked.values())) == 1) == along_paths


def test_constraints_come_back_from_files():
    table, y = noisy_table(3, 60, False)
    given = bsnsing.RuleConstraints(
        apart=[("age", "dose")], groups=[["age"], ["town", "other"]], along_paths=True
    )
    model = BsnsingClassifier.plain(constraints=given, monotonic_cst={"age": {1: 1}}).fit(table, y)
    loaded = bsnsing.from_json(model.to_json())
    assert loaded.constraints == given
    assert loaded.monotonic_cst == {"age": {1: 1}}
    again = loaded.fit(table, y)
    assert (again.predict_proba(table) == model.predict_proba(table)).all()
