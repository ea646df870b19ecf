"""Rules that a tree must begin with."""

import numpy as np
import pandas as pd
import pytest

import bsnsing
from bsnsing import BsnsingClassifier, BsnsingClassifierCV, BsnsingEnsemble, Rule
from bsnsing.tree.prune import prune


def table_of(n=200, seed=0):
    random = np.random.default_rng(seed)
    table = pd.DataFrame(
        {
            "age": random.integers(20, 80, n).astype(float),
            "bmi": random.normal(26, 4, n).round(1),
            "town": random.choice(["x", "y", "z"], n),
        }
    )
    y = (table["age"] + 2 * table["bmi"] + random.normal(0, 10, n) > 105).astype(int)
    return table, y.to_numpy()


KINDS = {
    "plain": BsnsingClassifier.plain,
    "default": BsnsingClassifier,
    "paper": BsnsingClassifier.paper,
    "pruned": lambda **own: BsnsingClassifier.plain(ccp_alpha=0.05, **own),
    "greedy": lambda **own: BsnsingClassifier.plain(solver="greedy", **own),
    "highs": lambda **own: BsnsingClassifier.plain(
        solver="highs", criterion="gini_squared", max_depth=2, n_segments=4, **own
    ),
    "small": lambda **own: BsnsingClassifier(max_leaf_nodes=2, **own),
}


@pytest.mark.parametrize("kind", list(KINDS))
@pytest.mark.parametrize("rule", ["town == x", "age >= 47 and town in {y, z}", "bmi > 23.05"])
@pytest.mark.parametrize("has_missing", [False, True])
def test_trees_begin_with_the_given_rule(kind, rule, has_missing):
    table, y = table_of()
    if has_missing:
        table.loc[::9, "age"] = np.nan
        table.loc[::7, "town"] = None
    model = KINDS[kind](first_rules=[rule]).fit(table, y)
    tree = model.tree_
    assert str(tree.rules[0]) == str(Rule.parse(rule))
    assert tree.bound[0] <= tree.objective[0]
    assert not tree.optimal[0]
    assert tree.best_own_objective[0] < tree.own_objective[0]
    loaded = bsnsing.from_json(model.to_json())
    assert (loaded.predict_proba(table) == model.predict_proba(table)).all()
    assert [str(Rule.parse(own)) for own in loaded.first_rules] == [str(Rule.parse(rule))]


@pytest.mark.parametrize("kind", ["plain", "default", "pruned", "small"])
@pytest.mark.parametrize(
    ("rule", "shown"),
    [
        ("smoker is true", "smoker is true"),
        ("smoker == 0", "smoker is false"),
        (
            "smoker is false or visit before 2021-03-01",
            "smoker is false or visit before 2021-03-01",
        ),
        ("visit since 2021-02-01T00:00", "visit since 2021-02-01"),
        ("stage >= III", "stage >= III"),
        ("bmi / age > 0.5", "bmi / age > 0.5"),
    ],
)
def test_first_rules_hold_in_whatever_words(kind, rule, shown):
    table, y = table_of()
    random = np.random.default_rng(1)
    stages = pd.Categorical(
        random.choice(["I", "II", "III"], 200), ["I", "II", "III"], ordered=True
    )
    table = table.assign(
        smoker=random.random(200) < 0.4,
        visit=pd.Timestamp("2021-01-01") + pd.to_timedelta(random.integers(0, 90, 200), unit="D"),
        stage=stages,
    )
    assert KINDS[kind](first_rules=[rule]).fit(table, y).tree_.rule(0).text() == shown


def test_what_the_best_rule_could_do_is_said_beside_it():
    table, y = table_of()
    given = BsnsingClassifier.plain(first_rules=["town == x"]).fit(table, y).tree_
    free = BsnsingClassifier.plain(extra_questions=bsnsing.Question("town", "==", "x")).fit(
        table, y
    )
    assert given.bound[0] == pytest.approx(free.tree_.objective[0])
    assert given.best_own_objective[0] == pytest.approx(free.tree_.objective[0])
    assert given.best_own_proven[0]


def test_each_level_asks_its_rule_where_cases_allow_it():
    table, y = table_of()
    rules = ["town == x", "age > 50"]
    tree = BsnsingClassifier.plain(first_rules=rules, ccp_alpha=0.9).fit(table, y).tree_
    assert [str(rule) for rule in tree.rules[:3]] == [
        str(Rule.parse("town == x")),
        "age > 50",
        "age > 50",
    ]
    assert tree.n_leaves == 4  # all else is pruned
    twice = BsnsingClassifier.plain(first_rules=["age > 50", "age > 50"]).fit(table, y).tree_
    assert [str(rule) for rule in twice.rules].count("age > 50") == 1


def test_pruned_trees_are_the_best_that_keep_the_rule():
    table, y = table_of()
    held = BsnsingClassifier.plain(first_rules=["town == x"], min_samples_leaf=5).fit(table, y)
    whole = held.tree_
    impurity = whole.impurity / whole.weighted_cases[0]

    def cheapest(node, alpha, at_root):
        own = impurity[node] + alpha
        if whole.is_leaf[node]:
            return own
        below = sum(
            cheapest(child, alpha, False)
            for child in (whole.children_left[node], whole.children_right[node])
        )
        return below if at_root else min(own, below)

    for alpha in (0.001, 0.01, 0.03, 0.2):
        model = BsnsingClassifier.plain(
            first_rules=["town == x"], min_samples_leaf=5, ccp_alpha=alpha
        ).fit(table, y)
        tree = model.tree_
        own = (tree.impurity / tree.weighted_cases[0])[tree.is_leaf].sum() + alpha * tree.n_leaves
        assert own == pytest.approx(cheapest(0, alpha, True))
    free = prune(whole, 0.2)
    assert free.n_leaves == 1 or free.rules[0] is None


def test_cross_validation_and_ensembles_begin_with_it_too():
    table, y = table_of()
    inner = BsnsingClassifier.plain(first_rules=["town == x"])
    model = BsnsingClassifierCV(inner, cv=3).fit(table, y)
    assert str(model.tree_.rules[0]) == str(Rule.parse("town == x"))
    for tree in BsnsingEnsemble(2, estimator=inner).fit(table, y).trees_:
        assert str(tree.rules[0]) == str(Rule.parse("town == x"))


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"first_rules": ["age > 500"]}, "begins with 'age > 500', which the tree cannot"),
        ({"first_rules": ["age > 50"], "max_depth": 0}, "which the tree cannot"),
        ({"first_rules": ["age > 50"], "max_leaf_nodes": 1}, "which the tree cannot"),
        ({"first_rules": ["age > 50"], "constraints": {"forbidden": ["age"]}}, "breaks a constr"),
        ({"first_rules": ["weight > 50"]}, "a column that the table does not have"),
        ({"first_rules": []}, "must be None or a non-empty list of rules"),
        ({"first_rules": ["age >"]}, "age >"),
        ({"first_rules": ["age > 50 or bmi > 25"], "max_columns": 1}, "asks about 2 columns"),
    ],
)
def test_rules_that_cannot_come_first_are_refused(parameters, message):
    table, y = table_of()
    with pytest.raises(ValueError, match=message):
        BsnsingClassifier.plain(**parameters).fit(table, y)


def test_order_of_columns_is_kept_under_given_rules():
    table, y = table_of()
    model = BsnsingClassifier(first_rules=["age > 50"], monotonic_cst={"age": -1}).fit(table, y)
    swept = [model.predict_proba(table.assign(age=float(age)))[:, 1] for age in range(15, 85)]
    assert np.diff(swept, axis=0).max() <= 1e-12


def test_a_given_rule_that_is_the_best_is_proven():
    table, y = table_of()
    free = BsnsingClassifier.plain(max_bins=None).fit(table, y).tree_
    again = BsnsingClassifier.plain(max_bins=None, first_rules=[free.rules[0]]).fit(table, y).tree_
    assert again.optimal[0]
    assert again.objective[0] == free.objective[0]
