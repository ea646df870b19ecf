"""Trees as text, word for word."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.ensemble import RandomForestClassifier
from sklearn.exceptions import NotFittedError
from sklearn.tree import DecisionTreeClassifier

from bsnsing import BsnsingClassifier, BsnsingClassifierCV, BsnsingEnsemble, Question, export_text
from bsnsing.tree.text import show_probability

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
        "  no:  age > 85 ?\n"
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
    assert str(question) == "city in {c0, c1, c2, c3, c4, c5, c6, ... 40 levels}"


@pytest.mark.parametrize(
    ("number", "shown"),
    [(0.8, "0.8"), (2.4499999999999997, "2.45"), (20240101.5, "20240101.5"), (1e20, "1e+20"),
     (150.00045, "150.00045"), (1 / 3, "0.3333333"), (-1234567.0, "-1234567"), (5e-7, "5e-07")],
)  # fmt: skip
def test_numbers_are_short_and_true(number: float, shown: str) -> None:
    assert str(Question("x", ">", number)) == f"x > {shown}"


def test_trees_deeper_than_the_stack_of_python() -> None:
    # Alternating classes: the best cut is always at an end.
    x = np.arange(1200.0)[:, None]
    model = BsnsingClassifier.plain(min_samples_leaf=1, max_rules=1, max_bins=None, n_segments=5000)
    model.fit(x, np.arange(1200) % 2)
    assert model.get_depth() > 1000
    assert len(export_text(model).splitlines()) == model.tree_.n_nodes
    assert model.score(x, np.arange(1200) % 2) == 1
    assert len(model.set_params(max_leaf_nodes=9).fit(x, np.arange(1200) % 2).tree_) == 17
