"""Trees as text, word for word."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.ensemble import RandomForestClassifier
from sklearn.exceptions import NotFittedError
from sklearn.tree import DecisionTreeClassifier

from bsnsing import (
    BsnsingClassifier,
    BsnsingClassifierCV,
    BsnsingEnsemble,
    ColumnPair,
    Question,
    Rule,
    export_text,
)
from bsnsing.tree.text import show_probability, show_small_probability

X = pd.DataFrame(
    {"age": [20, 30, 40, 50, 60, 70, 80, 90], "plan": ["a", "a", "b c", None, "a", "a", "b c", "d"]}
)
Y = ["no", "no", "yes", "yes", "no", "no", "yes", "maybe not"]


def fit(y: Any = Y, sample_weight: Any = None, **settings: Any) -> BsnsingClassifier:
    model = BsnsingClassifier.plain(min_samples_leaf=1, max_rules=1, **settings)
    return model.fit(X, y, sample_weight=sample_weight)


def test_text() -> None:
    assert export_text(fit()) == (
        "plan == a ?\n"
        "  yes: no   (4 of 4)\n"
        "  no:  age >= 86 ?\n"
        "         yes: maybe not   (1 of 1)\n"
        "         no:  yes   (3 of 3)"
    )


def test_tree_and_model_give_the_same_text() -> None:
    model = fit()
    assert export_text(model) == export_text(model.tree_) == str(model) == str(model.tree_)


@pytest.mark.parametrize("has_missing", [False, True])
def test_negation(has_missing: bool) -> None:
    table = X if has_missing else X.fillna({"plan": "e"})
    questions = [Question("age", ">", 60), Question("plan", "in", ("a", "b c"))]
    model = BsnsingClassifier.plain(
        operators=("and",), min_samples_leaf=1, own_questions=False, extra_questions=questions
    ).fit(table, X["age"] > 80)
    shown = 'not (plan in {a, "b c"})' if has_missing else 'plan not in {a, "b c"}'
    assert export_text(model) == (
        f"age > 60 and {shown} ?\n  yes: True   (1 of 1)\n  no:  False   (7 of 7)"
    )


def test_text_can_be_cut_off() -> None:
    assert export_text(fit(), max_depth=1) == (
        "plan == a ?\n  yes: no   (4 of 4)\n  no:  yes   (3 of 4) ..."
    )
    assert export_text(fit(), max_depth=0) == "no   (4 of 8) ..."
    assert export_text(fit(), max_depth=9) == export_text(fit())


def test_proof() -> None:
    lines = export_text(fit(), show_proof=True).splitlines()
    assert lines[0].startswith("plan == a ?   [optimal: 1.5, of ")
    assert lines[0].endswith(" rules]")
    assert "optimal" not in lines[1]
    assert export_text(fit(["only"] * 8), show_proof=True) == "only   (8 of 8)"


def test_splits_without_proof_are_marked() -> None:
    lines = export_text(fit(solver="greedy")).splitlines()
    assert lines[0] == "plan == a ?   [best found: 1.5, proven at least 0]"
    assert lines[1] == "  yes: no   (4 of 4)", "a pure leaf was never searched"


def taught(**settings: Any) -> BsnsingClassifier:
    rng = np.random.default_rng(0)
    numbers = rng.normal(size=(150, 3)).round(1)
    y = (numbers[:, 0] + numbers[:, 1] * numbers[:, 2] + rng.normal(0, 0.5, 150)) > 0
    return BsnsingClassifier(max_rules=2, column_pairs=None, **settings).fit(numbers, y)


def test_a_taught_tree_says_what_its_splits_are_best_for() -> None:
    model = taught()
    tree = model.tree_
    first, *others = export_text(model).splitlines()
    n_splits, n_own = tree.n_leaves - 1, tree.own_optimal.sum()
    assert 0 < n_own < n_splits
    assert first == (
        f"Splits proven best: {n_splits} of {n_splits} for the teacher's training set (soft "
        f"labels, 150 synthetic rows), {n_own} for the cases counted below."
    )
    assert len(others) == tree.n_nodes
    assert str(tree) == str(model) == "\n".join([first, *others])
    plain = replace(tree, is_taught=False)
    assert len(export_text(plain).splitlines()) == tree.n_nodes
    assert "(soft labels)," in export_text(replace(tree, n_synthetic=0)).splitlines()[0]
    leaf = taught(max_leaf_nodes=1)
    assert export_text(leaf, show_proof=True).count("\n") == 0


def test_proofs_of_a_taught_tree() -> None:
    tree = taught().tree_
    lines = export_text(tree, show_proof=True).splitlines()
    n_rules = tree.n_counted[0] + tree.n_excluded[0]
    assert lines[1] == (
        f"{tree.rules[0]} ?   [training set: {tree.objective[0]:.6g}, optimal of {n_rules:,.0f} "
        f"rules; own cases: {tree.own_objective[0]:.6g}, best {tree.best_own_objective[0]:.6g}]"
    )
    shown = "\n".join(lines)
    assert shown.count("own cases: ") == tree.n_leaves - 1
    assert shown.count(", optimal]") == tree.own_optimal.sum()
    late = replace(tree, best_own_proven=np.zeros_like(tree.best_own_proven))
    assert export_text(late, show_proof=True).count(", best found ") == tree.n_leaves - 1


def test_taught_splits_that_are_not_optimal_are_marked() -> None:
    tree = taught().tree_
    optimal, bound = tree.optimal.copy(), tree.bound.copy()
    optimal[0], bound[0] = False, 1.5
    lines = export_text(replace(tree, optimal=optimal, bound=bound)).splitlines()
    n_splits = tree.n_leaves - 1
    assert lines[0].startswith(f"Splits proven best: {n_splits - 1} of {n_splits} for")
    mark = f"?   [training set: {tree.objective[0]:.6g}, proven at least 1.5]"
    assert lines[1].endswith(mark)
    assert "[" not in "".join(lines[2:])


def test_one_tree_per_class() -> None:
    parts = export_text(fit(multiclass="ovr")).split("\n\n")
    assert [part.splitlines()[0] for part in parts] == [
        "[maybe not or not]", "[no or not]", "[yes or not]"
    ]  # fmt: skip
    assert parts[1].splitlines()[1:] == [
        "plan == a ?",
        "  yes: no   (4 of 4)",
        "  no:  not no   (4 of 4)",
    ]


@pytest.mark.parametrize(
    ("multiclass", "titles"),
    [
        ("native", ["[tree 1 of 2]", "[tree 2 of 2]"]),
        (
            "ovr",
            [f"[tree {k} of 2: {c} or not]" for k in (1, 2) for c in ("maybe not", "no", "yes")],
        ),
    ],
)
def test_trees_of_an_ensemble_are_numbered(multiclass: str, titles: list[str]) -> None:
    estimator = BsnsingClassifier.plain(min_samples_leaf=1, multiclass=multiclass)
    model = BsnsingEnsemble(2, estimator=estimator).fit(X, Y)
    parts = export_text(model).split("\n\n")
    assert [part.splitlines()[0] for part in parts] == titles
    assert parts[0].splitlines()[1:] == export_text(model.estimators_[0].trees_[0]).splitlines()


@pytest.mark.parametrize(
    ("weight", "text"),
    [([2] * 8, "no   (8 of 16)"), ([0.75, 1.25] * 4, "no   (4 of 8)"), (None, "no   (4 of 8)")],
)
def test_counts_are_in_the_unit_of_the_weights(weight: Any, text: str) -> None:
    assert export_text(fit(sample_weight=weight, max_depth=0)) == text


def test_broken_counts_show_a_digit() -> None:
    weight = np.where(np.array(Y) == "no", 1.25, 0.75)
    assert export_text(fit(sample_weight=weight, max_depth=0)) == "no   (5 of 8)"
    weight[0] = 1.5
    assert export_text(fit(sample_weight=weight, max_depth=0)) == "no   (5.1 of 8)"


@pytest.mark.parametrize(
    ("labels", "shown"),
    [
        ([False, True], "False"),
        ([1, 2], "1"),
        ([1.0, 2.0], "1"),
        (["two words", "zzz"], "two words"),
        (["two\nlines", "zzz"], '"two\\nlines"'),
    ],
)
def test_labels(labels: list[Any], shown: str) -> None:
    model = fit([labels[0]] * 5 + [labels[1]] * 3, max_depth=0)
    assert export_text(model) == f"{shown}   (5 of 8)"


@pytest.mark.parametrize("model", [BsnsingClassifier(), BsnsingClassifierCV(), BsnsingEnsemble()])
def test_models_must_be_fitted(model: Any) -> None:
    with pytest.raises(NotFittedError):
        export_text(model)


@pytest.mark.parametrize(
    ("other", "shown"),
    [
        (DecisionTreeClassifier().fit([[0], [1]], [0, 1]), "DecisionTreeClassifier"),
        (RandomForestClassifier(2).fit([[0], [1]], [0, 1]), "RandomForestClassifier"),
        (DecisionTreeClassifier(), "DecisionTreeClassifier"),
        (BsnsingClassifier, "the class BsnsingClassifier"),
        ("model", "str"),
        (None, "NoneType"),
        ([], "list"),
    ],
)
def test_other_objects_are_refused(other: Any, shown: str) -> None:
    message = rf"export_text takes a fitted BsnsingClassifier, .* or a Tree. Got {shown}\.$"
    with pytest.raises(TypeError, match=message):
        export_text(other)


def test_print_of_a_large_tree_is_cut_off() -> None:
    rng = np.random.default_rng(0)
    model = BsnsingClassifier.plain(min_samples_leaf=1).fit(
        rng.normal(size=(600, 2)), rng.integers(2, size=600)
    )
    whole, printed = export_text(model).splitlines(), str(model).splitlines()
    assert len(whole) > 150
    assert printed[:100] == whole[:100]
    assert printed[100:] == [
        f"... and {len(whole) - 100} more lines; export_text(model) writes them all"
    ]


def test_weighted_shares_are_told() -> None:
    model = fit(["a"] * 6 + ["b"] * 2, class_weight={"b": 9}, max_depth=0)
    assert export_text(model) == "b   (2 of 8, weighted 75%)"


@pytest.mark.parametrize(
    ("probability", "shown"), [(0.5, "50%"), (0.994, "99%"), (0.996, ">99%"), (1.0, "100%")]
)
def test_only_what_is_certain_is_shown_as_such(probability: float, shown: str) -> None:
    assert show_probability(probability) == shown


def test_long_groups_of_levels_are_cut_off() -> None:
    question = Question("city", "in", tuple(f"c{i}" for i in range(40)))
    assert question.text() == "city in {c0, c1, c2, c3, c4, c5, c6, ... 40 levels}"
    assert str(question).endswith("c38, c39}")


@pytest.mark.parametrize(
    ("number", "shown"),
    [(0.8, "> 0.8"), (2.4499999999999997, ">= 2.45"), (20240101.5, "> 20240101.5"),
     (1e20, "> 1e+20"), (150.00045, "> 150.00045"), (1 / 3, "> 0.3333333"),
     (-1234567.0, "> -1234567"), (5e-7, "> 5e-07")],
)  # fmt: skip
def test_numbers_are_short_and_true(number: float, shown: str) -> None:
    assert Question("x", ">", number).text() == f"x {shown}"


def test_trees_deeper_than_the_stack_of_python() -> None:
    # Alternating classes: the best cut is always at an end.
    x = np.arange(1200.0)[:, None]
    model = BsnsingClassifier.plain(min_samples_leaf=1, max_rules=1, max_bins=None, n_segments=5000)
    model.fit(x, np.arange(1200) % 2)
    assert model.get_depth() > 1000
    assert len(export_text(model).splitlines()) == model.tree_.n_nodes
    assert model.score(x, np.arange(1200) % 2) == 1
    assert len(model.set_params(max_leaf_nodes=9).fit(x, np.arange(1200) % 2).tree_) == 17


def test_probabilities_of_all_classes() -> None:
    lines = export_text(fit(shrinkage=1), show_probabilities=True).splitlines()
    assert lines[1] == "  yes: no   (4 of 4)   [maybe not 3.0%, no 90%, yes 7.4%]"
    assert lines[0] == "plan == a ?"
    plain = export_text(fit(), show_probabilities=True).splitlines()
    assert plain[1] == "  yes: no   (4 of 4)   [maybe not 0%, no 100%, yes 0%]"


def test_probability_of_an_event() -> None:
    text = export_text(fit(shrinkage=1), event="yes", max_depth=1)
    assert text == (
        "plan == a ?\n  yes: no   (4 of 4)   [yes 7.4%]\n  no:  yes   (3 of 4)   [yes 67%] ..."
    )
    assert "[True 25%]" in export_text(fit([True] * 2 + [False] * 6, max_depth=0), event=True)


def test_an_event_of_one_tree_per_class() -> None:
    parts = export_text(fit(multiclass="ovr"), event="no").split("\n\n")
    assert [part.count("[no ") for part in parts] == [0, 3, 0], "a title and two leaves"
    with pytest.raises(ValueError, match=r"event='other' is no class .* 'not no', 'no'"):
        export_text(fit(multiclass="ovr"), event="other")


def test_an_event_that_is_no_class_is_refused() -> None:
    with pytest.raises(ValueError, match=r"event='nope' is no class .* are 'maybe not', 'no', 'y"):
        export_text(fit(), event="nope")


@pytest.mark.parametrize(
    ("probability", "shown"),
    [(0.0, "0%"), (0.0001, "<0.1%"), (0.019, "1.9%"), (0.0994, "9.9%"), (0.0996, "10%"),
     (0.25, "25%"), (0.996, ">99%"), (1.0, "100%")],
)  # fmt: skip
def test_small_probabilities_have_a_digit_more(probability: float, shown: str) -> None:
    assert show_small_probability(probability) == shown


def test_all_levels_on_request() -> None:
    levels = tuple(f"c{i}" for i in range(12))
    table = pd.DataFrame({"city": [*levels, "x", "y", None]})
    model = BsnsingClassifier.plain(
        min_samples_leaf=1,
        own_questions=False,
        operators=("and",),
        extra_questions=Question("city", "in", levels),
    ).fit(table, [0] * 12 + [1] * 3)
    assert "c4, ... 12 levels}" in export_text(model)
    assert "{" + ", ".join(sorted(levels)) + "}" in export_text(model, full_levels=True)


def test_numbers_of_nodes() -> None:
    model = fit()
    lines = export_text(model, show_numbers=True).splitlines()
    assert lines[0] == "#0 plan == a ?"
    assert lines[3] == "         yes: #3 maybe not   (1 of 1)"
    assert model.apply(X)[-1] == 3
    without = "\n".join(lines)
    for i in range(len(model.tree_)):
        without = without.replace(f"#{i} ", "")
    assert without == export_text(model)


def test_where_missing_cells_go() -> None:
    lines = export_text(fit(), show_missing=True).splitlines()
    assert lines[0] == "plan == a ?   [missing plan: no]"
    assert lines[2] == "  no:  age >= 86 ?", "no age was missing"


AGE, PLAN = Question("age", ">", 60), Question("plan", "==", "a")
NO_AGE, RATIO = Question("age", "is missing"), Question(ColumnPair("age", "/", "pay"), ">", 1)


@pytest.mark.parametrize(
    ("rule", "answers"),
    [
        (Rule((AGE,), (False,), "or", (True,)), {"age": False}),
        (Rule((AGE,), (True,), "and", (True,)), {"age": True}),
        (Rule((NO_AGE,), (False,), "or", (True,)), {"age": True}),
        (Rule((AGE, PLAN), (False, False), "or", (True, True)), {"age": None, "plan": None}),
        (Rule((AGE, PLAN), (False, True), "and", (True, True)), {"age": False, "plan": None}),
        (Rule((AGE, PLAN), (False, False), "and", (False, True)), {"plan": False}),
        (Rule((NO_AGE, PLAN), (False, False), "or", (True, False)), {"age": True}),
        (Rule((AGE, NO_AGE), (False, False), "xor", (True, True)), {"age": True}),
        (Rule((AGE, PLAN), (False, False), "xor", (True, True)), {"age": None, "plan": None}),
        (Rule((AGE, RATIO), (False, False), "or", (True, True)),
         {"age": False, RATIO.column: None}),
        (Rule((AGE, PLAN), (False, False), "or"), {}),
    ],
)  # fmt: skip
def test_answers_to_missing_cells(rule: Rule, answers: dict[Any, bool | None]) -> None:
    assert rule.answers_to_missing() == answers


def test_missing_cells_go_where_the_text_says() -> None:
    rng = np.random.default_rng(0)
    table = pd.DataFrame(rng.normal(size=(300, 3)), columns=list("abc"))
    table = table.mask(rng.random(table.shape) < 0.2)
    y = (table["a"].fillna(1) > 0) ^ (table["b"].isna() | (table["c"] > 0.5))
    model = BsnsingClassifier.plain(
        min_samples_leaf=3, max_rules=3, operators=("or", "and", "xor")
    ).fit(table, y)
    path = model.decision_path(table).toarray() > 0
    n_told = 0
    for node in model.tree_:
        for column, answer in node.rule.answers_to_missing().items() if node.rule else ():
            here = path[:, node.id] & table[column].isna().to_numpy()
            if answer is not None:
                n_told += here.sum()
                assert path[here, node.left if answer else node.right].all()
    assert n_told > 10


def test_defaults_leave_the_text_alone() -> None:
    model = BsnsingClassifier().fit(X, ["no", "yes"] * 4)
    assert export_text(model) == export_text(
        model,
        show_probabilities=False,
        event=None,
        full_levels=False,
        show_missing=False,
        show_numbers=False,
    )
    assert "[" not in export_text(model)
