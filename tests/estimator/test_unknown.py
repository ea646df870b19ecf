"""What a cell says that fit never saw: unknown, and the row goes both ways where that matters."""

from __future__ import annotations

from dataclasses import replace
from itertools import product
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csc_matrix, csr_matrix
from sklearn.datasets import load_breast_cancer

from bsnsing import (
    BsnsingClassifier,
    BsnsingClassifierCV,
    BsnsingEnsemble,
    ColumnPair,
    Question,
    Rule,
    Tree,
)
from bsnsing.data.cases import Cases
from bsnsing.data.table import read_prediction_table
from bsnsing.data.weights import CaseWeights
from bsnsing.distill.distill import count_cases
from bsnsing.tree.prune import best_subtree

PAIRS = [ColumnPair("x", "/", "k"), ColumnPair("x", "-", "z"), ColumnPair("z", "*", "k")]
EXTRA = [Question(pair, test, value) for pair in PAIRS for test, value in ((">", 0.4), ("<", -0.2))]


def is_missing(cell: Any) -> bool:
    return cell is None or cell is pd.NA or cell != cell


def plain_answer(question: Question, has_missing: bool, row: Any, tree: Tree) -> bool | None:
    """What a cell says to a question: True, False or, if it is unknown, None."""
    if isinstance(question.column, ColumnPair):
        parts = [row[name] for name in (question.column.first, question.column.second)]
        numbers = [np.nan if is_missing(cell) else float(cell) for cell in parts]
        cell, is_unseen = question.column.combine(*numbers).item(), False
    else:
        cell = row[question.column]
        (info,) = (column for column in tree.columns if column.name == question.column)
        is_unseen = info.kind == "categorical" and cell not in info.levels
    if question.test == "is missing":
        return is_missing(cell)
    if is_missing(cell):
        return False if has_missing else None
    if is_unseen:
        return None
    return {
        ">": lambda: cell > question.value,
        "<": lambda: cell < question.value,
        "==": lambda: cell == question.value,
        "in": lambda: cell in question.value,
    }[question.test]()


def plain_rule(rule: Rule, row: Any, tree: Tree) -> bool | None:
    answers = [
        plain_answer(question, missing, row, tree)
        for question, missing in zip(rule.questions, rule.has_missing, strict=True)
    ]
    # Unknown is what would differ if the cells were known.
    results = set()
    for filled in product(*[[True, False] if a is None else [a] for a in answers]):
        negated = [bool(a) != negated for a, negated in zip(filled, rule.negated, strict=True)]
        n_yes = sum(negated)
        results.add({"or": n_yes > 0, "and": all(negated), "xor": n_yes % 2 == 1}[rule.operator])
    expected = results.pop() if len(results) == 1 else None
    assert rule.holds(answers) is expected
    return expected


def plain_path(tree: Tree, row: Any) -> list[int]:
    path = [0]
    while (rule := tree.rule(path[-1])) is not None:
        holds = plain_rule(rule, row, tree)
        if holds is None:
            break
        children = tree.children_left if holds else tree.children_right
        path.append(int(children[path[-1]]))
    return path


def plain_shares(tree: Tree, row: Any, node: int = 0) -> np.ndarray:
    """Probabilities of a row, by the definition."""
    rule = tree.rule(node)
    if rule is None:
        return tree.value[node]
    children = (tree.children_left[node], tree.children_right[node])
    holds = plain_rule(rule, row, tree)
    if holds is not None:
        return plain_shares(tree, row, children[0] if holds else children[1])
    n_yes, n_no = (sum(tree.counts[child] * tree.class_weight) for child in children)
    yes, no = (plain_shares(tree, row, child) for child in children)
    return (n_yes * yes + n_no * no) / (n_yes + n_no)


def mixed_table(rng: np.random.Generator, n_rows: int) -> pd.DataFrame:
    return pd.DataFrame(
        {
            "x": rng.normal(size=n_rows).round(1),
            "k": rng.integers(-3, 4, n_rows),
            "z": rng.normal(size=n_rows).round(1).astype(np.float32),
            "b": rng.random(n_rows) < 0.5,
            "plan": rng.choice(list("abcde"), n_rows),
            "town": rng.choice([f"t{i}" for i in range(40)], n_rows),
        }
    )


def blank(table: pd.DataFrame, names: Any, share: float, rng: np.random.Generator) -> pd.DataFrame:
    blanked = table.copy()
    for name in names:
        cells = blanked[name].astype(object)
        blanked[name] = cells.mask(rng.random(len(cells)) < share, None)
        if name not in ("plan", "town", "b"):
            blanked[name] = blanked[name].astype(float)
    return blanked


def shuffled_rules(tree: Tree, rng: np.random.Generator) -> Tree:
    """The same questions with other operators, negations and marks of missing cells."""
    return replace(
        tree,
        operator=np.where(tree.is_leaf, 0, rng.integers(0, 3, tree.n_nodes)).astype(np.uint8),
        question_negated=rng.integers(0, 2, tree.n_questions).astype(np.uint8),
        has_missing=tuple((rng.random(len(tree.has_missing)) < 0.5).tolist()),
    )


@pytest.mark.parametrize("seed", range(12))
def test_rows_end_where_plain_logic_ends_them(seed: int) -> None:
    rng = np.random.default_rng(seed)
    table = mixed_table(rng, 150)
    names = [name for name in table if rng.random() < 0.4]
    model = BsnsingClassifier.plain(
        max_rules=1 + seed % 3,
        max_depth=4,
        min_samples_leaf=4,
        extra_questions=EXTRA,
        multiclass="native",
    ).fit(blank(table, names, 0.2, rng), rng.integers(0, 3, 150))
    assert all(model.tree_.has_missing[list(table).index(name)] for name in names)
    new = mixed_table(rng, 300)
    new.loc[rng.random(300) < 0.2, ["plan", "town"]] = "elsewhere"
    new = blank(new, list(new), 0.15, rng)
    rows = new.to_dict("records")
    for tree in (model.tree_, *(shuffled_rules(model.tree_, rng) for _ in range(3))):
        model._keep([tree])
        paths = [plain_path(tree, row) for row in rows]
        ends = np.array([path[-1] for path in paths])
        for n_jobs in (1, 2):
            np.testing.assert_array_equal(model.set_params(n_jobs=n_jobs).apply(new), ends)
        stops = np.where(tree.is_leaf[ends], -1, ends)
        np.testing.assert_array_equal(model.unknown_at(new), stops)
        is_known = stops < 0
        shares = model.predict_proba(new)
        np.testing.assert_array_equal(shares[is_known], tree.value[ends[is_known]])
        np.testing.assert_array_equal(model.predict(new), shares.argmax(axis=1))
        path = csr_matrix(model.decision_path(new))
        assert [path[i].indices.tolist() for i in range(300)] == [sorted(path) for path in paths]


@given(
    seed=st.integers(0, 2**32 - 1),
    max_rules=st.integers(1, 3),
    blank_share=st.sampled_from([0.05, 0.3, 0.7, 1.0]),
    class_weight=st.sampled_from([None, "balanced", {0: 3.0, 1: 0.5, 2: 0.0}]),
    weighs_rows=st.booleans(),
    n_leaves=st.sampled_from([3, None]),
    shrinkage=st.sampled_from([0, 5.0]),
)
@settings(max_examples=40)
def test_probabilities_are_those_of_both_ways(
    seed: int,
    max_rules: int,
    blank_share: float,
    class_weight: Any,
    weighs_rows: bool,
    n_leaves: int | None,
    shrinkage: float,
) -> None:
    rng = np.random.default_rng(seed)
    table, labels = mixed_table(rng, 120), rng.integers(0, 3, 120)
    names = [name for name in table if rng.random() < 0.3]
    model = BsnsingClassifier.plain(
        max_rules=max_rules,
        max_depth=5,
        min_samples_leaf=3,
        shrinkage=shrinkage,
        class_weight=class_weight,
        extra_questions=EXTRA,
    )
    weights = rng.random(120).round(1) + 0.1 if weighs_rows else None
    model.fit(blank(table, names, 0.2, rng), labels, sample_weight=weights)
    tree = model.tree_ if n_leaves is None else best_subtree(model.tree_, n_leaves)
    tree = shuffled_rules(tree, rng) if seed % 2 else tree
    new = mixed_table(rng, 40)
    new.loc[rng.random(40) < 0.2, ["plan", "town"]] = "elsewhere"
    new = blank(new, list(new), blank_share, rng)
    model._keep([tree])
    shares = model.predict_proba(new)
    expected = [plain_shares(tree, row) for row in new.to_dict("records")]
    np.testing.assert_allclose(shares, expected, rtol=1e-12, atol=1e-15)
    np.testing.assert_array_equal(model.predict(new), shares.argmax(axis=1))
    np.testing.assert_allclose(shares.sum(axis=1), 1, rtol=1e-12)
    assert shares.max() <= 1  # as scikit-learn's scores ask for
    for rows in (slice(1), slice(5, 20)):  # whoever else is there
        np.testing.assert_array_equal(model.predict_proba(new.iloc[rows]), shares[rows])


@pytest.mark.parametrize("seed", range(3))
def test_each_tree_of_several_goes_both_ways_by_itself(seed: int) -> None:
    rng = np.random.default_rng(seed)
    table, labels = mixed_table(rng, 200), rng.choice(list("abc"), 200)
    new = blank(mixed_table(rng, 60), list(table), 0.3, rng)
    rows = new.to_dict("records")

    def judged(trees: list[Tree]) -> list[np.ndarray]:
        return [np.array([plain_shares(tree, row) for row in rows]) for tree in trees]

    by_class = BsnsingClassifier.plain(
        multiclass="ovr", min_samples_leaf=5, shrinkage=1, class_weight={"a": 2, "b": 1, "c": 1}
    ).fit(table, labels)
    scores = np.column_stack([shares[:, 1] for shares in judged(by_class.trees_)])
    expected = scores / scores.sum(axis=1, keepdims=True)
    np.testing.assert_allclose(by_class.predict_proba(new), expected, rtol=1e-12)
    np.testing.assert_array_equal(by_class.predict(new), by_class.classes_[scores.argmax(axis=1)])
    assert (by_class.unknown_at(new) > 0).any()

    one = BsnsingClassifier.plain(min_samples_leaf=5)
    several = BsnsingEnsemble(
        estimator=one, settings=[{"max_rules": 1}, {"max_depth": 2}, {"max_rules": 3}]
    ).fit(table, labels)
    mean = np.mean(judged(several.trees_), axis=0)
    np.testing.assert_allclose(several.predict_proba(new), mean, rtol=1e-12)
    several.set_params(voting="hard")
    votes = np.sum([np.eye(3)[s.argmax(axis=1)] for s in judged(several.trees_)], axis=0)
    expected_labels = several.classes_[(votes + mean / 2).argmax(axis=1)]
    np.testing.assert_array_equal(several.predict(new), expected_labels)

    chosen = BsnsingClassifierCV(one, cv=2).fit(table, labels)
    np.testing.assert_allclose(chosen.predict_proba(new), judged([chosen.tree_])[0], rtol=1e-12)


@pytest.mark.parametrize("seed", range(3))
def test_every_form_of_a_table_ends_alike(seed: int) -> None:
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 4, size=(300, 4))
    y = (X[:, 0] > 1) ^ (X[:, 1] * X[:, 2] > 3)
    model = BsnsingClassifier.plain(max_depth=4, min_samples_leaf=3).fit(X, y)
    new = np.tile(X, (3, 1)).astype(np.float32)
    new[400:][rng.random((500, 4)) < 0.2] = np.nan
    rows = new.astype(np.float64)  # which a short float would be compared in
    expected = [plain_path(model.tree_, dict(zip(names(4), row, strict=True)))[-1] for row in rows]
    assert (model.unknown_at(new[:400]) == -1).all()
    assert (model.unknown_at(new) >= 0).any()
    for form in (np.float64, np.asfortranarray, csr_matrix, csc_matrix, pd.DataFrame):
        given = form(new)
        if isinstance(given, pd.DataFrame):
            given = given.to_numpy()
        np.testing.assert_array_equal(model.apply(given), expected)
    for dtype in (np.int8, np.uint16, np.int64):
        np.testing.assert_array_equal(model.apply(X.astype(dtype)), model.apply(new[:300]))
    sparse = BsnsingClassifier.plain(max_depth=4, min_samples_leaf=3).fit(csr_matrix(X), y)
    np.testing.assert_array_equal(sparse.apply(csc_matrix(new)), expected)


def names(n: int) -> list[str]:
    return [f"x{i}" for i in range(n)]


def complete_table() -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(1)
    X = rng.normal(size=(300, 3))
    return X, np.select([X[:, 0] > 0.5, X[:, 1] > 0], ["a", "b"], "c")


NOTHING = np.full((2, 3), np.nan)


def test_who_knows_nothing_gets_the_base_rates() -> None:
    X, y = complete_table()
    shares = np.unique(y, return_counts=True)[1] / len(y)
    plain = BsnsingClassifier.plain().fit(X, y)
    np.testing.assert_allclose(plain.predict_proba(NOTHING), [shares, shares])
    balanced = BsnsingClassifier.plain(class_weight="balanced").fit(X, y)
    np.testing.assert_allclose(balanced.predict_proba(NOTHING), 1 / 3)
    default = BsnsingClassifier().fit(X, y)
    np.testing.assert_allclose(default.predict_proba(NOTHING)[0], shares, atol=0.01)  # shrunk
    assert default.unknown_at(NOTHING).tolist() == default.apply(NOTHING).tolist() == [0, 0]
    assert default.decision_path(NOTHING).indices.tolist() == [0, 0]
    by_class = BsnsingClassifier.plain(multiclass="ovr").fit(X, y)
    np.testing.assert_allclose(by_class.predict_proba(NOTHING), [shares, shares])
    assert by_class.unknown_at(NOTHING).tolist() == [[0, 0, 0]] * 2
    assert (by_class.unknown_at(X) == -1).all()


def test_the_example_of_the_documents() -> None:
    X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    model = BsnsingClassifier.plain().fit(X, y)
    new = X.iloc[[0, 0, 2, 2]]
    new.index = range(4)
    new.loc[1, :] = np.nan
    new.loc[2, "worst area"] = np.nan
    new.loc[3, "worst perimeter"] = np.nan
    assert model.unknown_at(new).tolist() == [-1, 0, -1, 1]
    assert model.predict_proba(new)[:, 0].round(3).tolist() == [1, 0.373, 1, 0.943]
    assert model.predict_proba(new)[3, 0] == pytest.approx((187 * 1 + 23 * 11 / 23) / 210)


def test_estimators_of_several_trees() -> None:
    X, y = complete_table()
    ensemble = BsnsingEnsemble(3).fit(X, y)
    rates = np.unique(y, return_counts=True)[1] / len(y)
    np.testing.assert_allclose(ensemble.predict_proba(NOTHING)[0], rates, atol=0.01)
    assert ensemble.unknown_at(NOTHING).tolist() == [[0, 0, 0]] * 2
    assert (ensemble.unknown_at(X) == -1).all()
    chosen = BsnsingClassifierCV(cv=2).fit(X, y)
    assert chosen.unknown_at(NOTHING).tolist() == [0, 0]
    np.testing.assert_allclose(chosen.predict_proba(NOTHING)[0], rates, atol=0.01)


def test_what_was_missing_at_fit_is_learnt() -> None:
    X, y = complete_table()
    X[::4, 0] = np.nan
    model = BsnsingClassifier.plain().fit(X, y)
    assert (model.unknown_at(X) == -1).all()
    assert (model.unknown_at(NOTHING) >= 0).all()


def test_an_unseen_level_is_unknown_also_where_cells_were_missing() -> None:
    plan = pd.DataFrame({"plan": ["a", "b", None] * 40})
    model = BsnsingClassifier.plain(min_samples_leaf=1).fit(plan, [0, 1, 0] * 40)
    new = pd.DataFrame({"plan": ["a", "b", None, "c"]})
    assert model.unknown_at(new).tolist() == [-1, -1, -1, 0]
    np.testing.assert_allclose(model.predict_proba(new)[3], [2 / 3, 1 / 3])


@pytest.mark.parametrize("kind", ["cv", "taught"])
def test_a_fold_may_lack_the_missing_cells_of_another(kind: str) -> None:
    X, y = complete_table()
    X[0, 0] = X[1, 1] = np.nan
    if kind == "cv":
        model: Any = BsnsingClassifierCV(cv=3).fit(X, y)
    else:  # the rows with missing cells are too light to be in the training set
        weights = np.ones(300)
        weights[:2] = 1e-4
        model = BsnsingClassifier().fit(X, y, sample_weight=weights)
    np.testing.assert_allclose(model.predict_proba(X).sum(axis=1), 1)
    assert model.score(X, y) > 0.8


def test_rows_that_stop_at_a_node_are_counted_there() -> None:
    X, y = complete_table()
    model = BsnsingClassifier.plain().fit(X, y)
    tree, n_rows = model.tree_, len(X)
    ends = model.apply(X)
    ends[:5] = 0
    table = read_prediction_table(model, X, tree.columns)
    labels = np.searchsorted(tree.classes, y).astype(np.int32)
    counts = count_cases(tree, ends, Cases(table, labels, CaseWeights(None, 1.0)))
    assert counts[0].sum() == n_rows
    children = [tree.children_left[0], tree.children_right[0]]
    assert counts[children].sum() == n_rows - 5
