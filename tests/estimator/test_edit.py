"""Experts' trees: written, cut, swapped and regrown, with counts and proofs that are true."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.tree import DecisionTreeClassifier

from bsnsing import BsnsingClassifier, ParseError, Rule, export_rules, export_text
from bsnsing.tree.sketch import LEAF, parse_tree, sketch_of

IRIS, SPECIES = load_iris(return_X_y=True, as_frame=True)
OWN = """
petal length (cm) >= 3 ?
  yes: petal width (cm) > 1.7 or petal length (cm) > 5 ?
    yes: 2
    no: 1
  no: 0
"""


def assert_true(model: BsnsingClassifier, X: pd.DataFrame, y: np.ndarray) -> None:
    """Recompute counts, objectives and bounds from the cases of each node."""
    tree, y = model.tree_, np.asarray(y)
    passed = model.decision_path(X).toarray().astype(bool)
    for node in tree:
        here = y[passed[:, node.id]]
        assert node.counts.tolist() == [(here == label).sum() for label in tree.classes]
        if node.is_leaf:
            continue
        rows = X[passed[:, node.id]]
        size = len(node.rule.questions)
        best = BsnsingClassifier.plain(
            max_rules=size,
            max_depth=1,
            criterion=model.criterion,
            operators=model.operators,
            n_segments=model.n_segments,
            min_samples_leaf=model.min_samples_leaf_,
            extra_questions=[q for rule in tree.rules if rule for q in rule.questions],
            max_bins=None,
        ).fit(rows, here)
        least = min(best.tree_.objective[0], node.objective)
        assert node.best_own_objective == pytest.approx(least, rel=1e-9)
        assert node.optimal == (node.objective <= least * (1 + 1e-9))
        assert node.bound <= node.objective


def test_a_tree_in_words_gets_counts_probabilities_and_proofs() -> None:
    model = BsnsingClassifier.from_text(OWN, IRIS, SPECIES)
    assert [str(rule) for rule in model.tree_.rules if rule] == [
        "petal length (cm) >= 3",
        "petal width (cm) > 1.7 or petal length (cm) > 5",
    ]
    assert_true(model, IRIS, SPECIES)
    assert model.score(IRIS, SPECIES) == pytest.approx(146 / 150)
    assert "the best rule has" in str(model)


@pytest.mark.parametrize("make", [BsnsingClassifier, BsnsingClassifier.plain])
def test_a_printed_tree_is_read_back(make) -> None:
    X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    model = make().fit(X, y)
    text = export_text(model, show_numbers=True, show_proof=True, show_probabilities=True)
    again = BsnsingClassifier.from_text(text, X, y)
    assert again.get_n_leaves() == model.get_n_leaves()
    counts = [sorted(m.tree_.counts[m.tree_.is_leaf].tolist()) for m in (model, again)]
    assert counts[0] == counts[1]


def test_a_leaf_alone_is_a_tree() -> None:
    model = BsnsingClassifier.from_text("2", IRIS, SPECIES)
    assert model.get_n_leaves() == 1
    assert model.predict_proba(IRIS[:1])[0] == pytest.approx([1 / 3] * 3)


def test_swapping_a_rule_keeps_what_is_below() -> None:
    model = BsnsingClassifier.plain(max_leaf_nodes=4).fit(IRIS, SPECIES)
    inner = np.flatnonzero(~model.tree_.is_leaf)[-1]
    swapped = model.swap(int(inner), "petal width (cm) > 1.7", IRIS, SPECIES)
    assert [str(r) for r in swapped.tree_.rules].count("petal width (cm) > 1.7") == 1
    assert_true(swapped, IRIS, SPECIES)
    assert str(model.tree_.rules[inner]) != "petal width (cm) > 1.7"  # its own stays


def test_cutting_changes_nothing_else() -> None:
    model = BsnsingClassifier().fit(IRIS, SPECIES)
    cut = model.cut(1)
    assert cut.tree_.n_nodes == 3
    assert cut.tree_.value[1].tolist() == model.tree_.value[1].tolist()
    rest = model.decision_path(IRIS).toarray()[:, 1] == 0
    assert rest.any()
    assert (cut.predict_proba(IRIS[rest]) == model.predict_proba(IRIS[rest])).all()
    assert model.tree_.n_nodes > 3


@pytest.mark.parametrize("make", [BsnsingClassifier, BsnsingClassifier.plain])
def test_regrowing_a_node_grows_what_its_cases_would(make) -> None:
    model = make(max_leaf_nodes=4).fit(IRIS, SPECIES)
    cut = model.cut(1)
    regrown = cut.regrow(1, IRIS, SPECIES)
    rows = cut.apply(IRIS) == 1
    alone = make(max_leaf_nodes=4).fit(IRIS[rows], SPECIES[rows])
    below = [str(rule) for rule in regrown.tree_.rules[1:] if rule]
    assert sorted(below) == sorted(str(rule) for rule in alone.tree_.rules if rule)
    assert_true(regrown, IRIS, SPECIES)


def test_columns_of_levels_and_missing_cells() -> None:
    X = pd.DataFrame({"stage": list("ABCD") * 10, "marker": [1.0, None, 3.0, 4.0] * 10})
    y = np.array([0, 0, 1, 1] * 10)
    text = "stage in {C, D} and marker > 2 ?\n yes: 1\n no: marker is missing ?\n  yes: 0\n  no: 0"
    model = BsnsingClassifier.from_text(text, X, y)
    assert model.tree_.counts.tolist() == [[20, 20], [0, 20], [20, 0], [10, 0], [10, 0]]


def test_a_branch_without_cases_has_the_shares_of_the_node_above() -> None:
    text = "petal length (cm) > 0 ?\n yes: 0\n no: 0"
    model = BsnsingClassifier.from_text(text, IRIS, SPECIES)
    assert model.tree_.counts[2].tolist() == [0, 0, 0]
    assert model.tree_.value[2] == pytest.approx([1 / 3] * 3)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("petal length (cm) > 3 ?\n yes: 1", "line 1 has no 'no:' branch"),
        ("petal length (cm) > 3 ?\n no: 1", "must begin with 'yes:'"),
        ("petal length (cm) > 3 ?\n yes: 1\n   no: 0", "must stand below the 'yes:'"),
        ("petal length (cm) > 3 ?\n yes: 1\n no: 0\n no: 2", "Line 4 belongs to no rule"),
        ("petal length (cm) > 3 ?\n yes: 1\n no: 7", "labelled '7', which is no class"),
        ("width > 3 ?\n yes: 1\n no: 0", "a column that the table does not have"),
        ("", "empty text"),
    ],
)
def test_texts_that_are_no_tree_are_refused(text: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        BsnsingClassifier.from_text(text, IRIS, SPECIES)


def test_errors_name_line_and_place() -> None:
    with pytest.raises(ParseError, match="Line 2: Expected a number") as caught:
        BsnsingClassifier.from_text("petal length (cm) > 3 ?\n  yes: a > ?", IRIS, SPECIES)
    assert caught.value.place == 11


@pytest.mark.parametrize("node", [-1, 99, 1.5, True, None])
def test_nodes_that_are_not_there_are_refused(node) -> None:
    model = BsnsingClassifier.plain(max_leaf_nodes=3).fit(IRIS, SPECIES)
    with pytest.raises(ValueError, match="node must be a number from 0 to 4"):
        model.cut(node)


def test_one_tree_per_class_is_not_changed() -> None:
    model = BsnsingClassifier.plain(multiclass="ovr").fit(IRIS, SPECIES)
    with pytest.raises(ValueError, match="one per class"):
        model.cut(0)


def test_sketches_take_another_in_the_place_of_a_node() -> None:
    sketch = parse_tree(OWN)
    assert sketch.with_subtree(1, LEAF).rules == (sketch.rules[0], None, None)
    assert sketch.with_subtree(0, sketch) == sketch
    deeper = sketch.with_subtree(4, sketch)
    assert deeper.rules.count(sketch.rules[0]) == 2
    assert Rule.parse("a > 1") in sketch.with_rule(1, Rule.parse("a > 1")).rules
    tree = BsnsingClassifier.from_text(OWN, IRIS, SPECIES).tree_
    assert sketch_of(tree).rules[0] == sketch.rules[0]


@pytest.mark.parametrize("make", [BsnsingClassifier, BsnsingClassifier.plain])
def test_alternatives_are_the_best_rules_of_a_node(make) -> None:
    model = make(max_leaf_nodes=4).fit(IRIS, SPECIES)
    found = model.alternatives(1, IRIS, SPECIES, k=6)
    size = len(model.tree_.rules[1].questions)
    assert [a.loss for a in found] == sorted(a.loss for a in found)
    assert found[0].loss == 0
    assert len({str(a.rule) for a in found}) == 6
    assert all(a.is_proven and len(a.rule.questions) <= size for a in found)
    for alternative in found[:3]:
        swapped = model.swap(1, alternative.rule, IRIS, SPECIES)
        tree = swapped.tree_
        assert tree.objective[1] == pytest.approx(alternative.objective)
        yes, no = tree.children_left[1], tree.children_right[1]
        assert tree.counts[yes].tolist() == alternative.yes_counts.tolist()
        assert tree.counts[no].tolist() == alternative.no_counts.tolist()
    assert f"loses {found[1].loss:.4g}" in str(found[1])


def test_alternatives_part_the_rows_each_in_its_own_way() -> None:
    """ "sex == f" is no alternative to "sex == m", and words are those of the tree."""
    random = np.random.RandomState(0)
    X = pd.DataFrame(
        {
            "sex": random.choice(["f", "m"], 200),
            "smoker": random.rand(200) < 0.4,
            "children": random.randint(0, 5, 200),
        }
    )
    y = (X.smoker | (X.children > 2)) ^ (random.rand(200) < 0.2)
    model = BsnsingClassifier.plain(max_rules=1, max_depth=1).fit(X, y)
    shown = [found.rule.text() for found in model.alternatives(0, X, y, k=9)]
    assert len([text for text in shown if text.startswith("sex")]) == 1
    assert {"smoker is true", "children >= 3", "children >= 1"} <= set(shown)
    midpoints = BsnsingClassifier.plain(max_rules=1, max_depth=1, decimals=None).fit(X, y)
    shown = [found.rule.text() for found in midpoints.alternatives(0, X, y, k=9)]
    assert "children > 2.5" in shown


def test_alternatives_of_a_node_that_nobody_comes_to() -> None:
    model = BsnsingClassifier.plain(max_leaf_nodes=3).fit(IRIS, SPECIES)
    with pytest.raises(ValueError, match="No row of X comes to"):
        model.alternatives(1, IRIS[:10], SPECIES[:10])
    with pytest.raises(ValueError, match="'k' parameter"):
        model.alternatives(1, IRIS, SPECIES, k=0)
    for max_rules in (0, -1, 11, "x", True, 1.5):
        with pytest.raises(ValueError, match=r"'max_rules' .* must be None or an int from 1 to 10"):
            model.alternatives(1, IRIS, SPECIES, max_rules=max_rules)


@pytest.mark.parametrize(
    "line",
    [
        "a > 1 ? " + "[]" * 100_000 + "x",
        "a > 1" + " " * 200_000 + "x",
        "a > 1 ?" + " " * 200_000 + "x",
        "a > ?" + " [ ] ?" * 50_000 + "x",
        "label" + " " * 200_000 + "x",
        "label" + " 7% " * 50_000 + "x",
    ],
)
def test_long_lines_that_are_no_rule_are_read_in_one_go(line: str) -> None:
    # Patterns that try every way to read these lines would not end.
    sketch = parse_tree(line)
    assert sketch.labels[0].endswith("x")


@pytest.mark.parametrize(
    "line",
    [
        "a > 1" + " " * 200_000 + "?",
        "a > 1 ?" + " " * 200_000,
        "a > 1 ? " + "[] " * 100_000,
        "a > 1 ? [7; the best rule has 5 [proven]]",
    ],
)
def test_notes_and_spaces_behind_a_rule_are_passed_over(line: str) -> None:
    sketch = parse_tree(f"{line}\n  yes: 1\n  no: 0")
    assert str(sketch.rules[0]) == "a > 1"


@pytest.mark.parametrize("line", ["a > 1e ?", "a > 1e ? [note]", "a > 1e ?? [[a] b]  "])
def test_lines_that_end_as_rules_do_are_told_what_is_wrong(line: str) -> None:
    with pytest.raises(ParseError, match="Line 1: Expected a number"):
        parse_tree(line)


def test_alternatives_and_swaps_ask_what_the_fit_asked() -> None:
    """Also where columns have more values than there are bins, and missing cells."""
    random = np.random.RandomState(0)
    X = pd.DataFrame(random.lognormal(size=(1500, 4)), columns=list("abcd"))
    X.loc[random.rand(1500) < 0.1, "b"] = np.nan
    y = ((X.a > 1.2) | (X.c < 0.4)).astype(int) + (random.rand(1500) < 0.1)
    model = BsnsingClassifier.plain(max_leaf_nodes=5).fit(X, y)
    for node in np.flatnonzero(~model.tree_.is_leaf):
        first = model.alternatives(int(node), X, y, k=3)[0]
        assert first.is_own
        assert first.loss == 0
        assert first.objective == pytest.approx(model.tree_.objective[node])
        same = model.swap(int(node), model.tree_.rules[node], X, y)
        assert same.tree_.optimal.all()
    other = model.swap(0, "a > 1.2 or c < 0.4", X, y)
    found = other.alternatives(0, X, y, k=3)
    (own,) = [alternative for alternative in found if alternative.is_own]
    assert own.objective == pytest.approx(other.tree_.objective[0])
    assert own.loss == pytest.approx(own.objective - other.tree_.best_own_objective[0])


def test_rules_say_which_side_a_cell_on_a_threshold_is_on() -> None:
    X = pd.DataFrame({"a": [1.0, 2.0, 3.0, 4.0] * 10})
    model = BsnsingClassifier.from_text("a >= 3 ?\n yes: 1\n no: 0", X, (X.a >= 3).astype(int))
    assert "if a >= 3 then" in export_rules(model)
    assert "if a < 3 then" in export_rules(model)


def test_the_own_rule_is_listed_once_in_whatever_words() -> None:
    """The tree may ask "x <= 3" where the pool has "not x > 3"."""
    random = np.random.RandomState(0)
    X = pd.DataFrame({"a": random.randint(20, 90, 400), "b": random.normal(27, 5, 400).round(1)})
    y = ((X.a > 60) | (X.b < 20)) ^ (random.rand(400) < 0.1)
    stump = DecisionTreeClassifier(max_depth=2, random_state=0)
    model = BsnsingClassifier.plain(extra_questions=stump, donors_per_node=True).fit(X, y)
    for node in np.flatnonzero(~model.tree_.is_leaf):
        found = model.alternatives(int(node), X, y, k=5)
        assert len(found) >= 5
        assert [own.is_own for own in found].count(True) == 1
        shown = [own.rule.text() for own in found]
        assert len(set(shown)) == len(shown)
