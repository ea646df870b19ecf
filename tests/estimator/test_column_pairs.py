"""Trees that ask about two columns together."""

from __future__ import annotations

import pickle
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
import pytest
from numpy.typing import NDArray
from scipy.sparse import csr_matrix

from bsnsing import (
    BsnsingClassifier,
    BsnsingClassifierCV,
    BsnsingEnsemble,
    ColumnPair,
    Question,
    Tree,
    ask_questions,
    best_rule,
    export_text,
    questions_of,
)
from bsnsing.distill.config import DistillConfig
from bsnsing.distill.proof import sum_up
from bsnsing.distill.training_set import Teaching, TrainingSet
from bsnsing.estimators.options import TAUGHT_SHRINKAGE
from bsnsing.tree.predict import find_leaves
from bsnsing.tree.probabilities import Evidence, with_evidence

JOIN = {"or": np.any, "and": np.all}
RATIO = ColumnPair("debt", "/", "income")


def credit(n_rows: int = 700) -> tuple[pd.DataFrame, NDArray[np.str_]]:
    """Who owes more than 0.4 of an income defaults, and so do some of those without a job."""
    rng = np.random.default_rng(7)
    X = pd.DataFrame(
        {
            "age": rng.integers(20, 70, n_rows),
            "income": rng.lognormal(3, 0.6, n_rows),
            "job": rng.choice(["yes", "no", "partly"], n_rows),
            "debt": rng.lognormal(2, 0.8, n_rows),
        }
    )
    X.loc[rng.random(n_rows) < 0.05, "debt"] = np.nan
    is_late = (X["debt"] / X["income"] > 0.4) | ((X["job"] == "no") & (X["age"] < 25))
    return X, np.where(is_late, "late", "paid")


def leaf_of(tree: Tree, row: pd.Series) -> int:
    """The obvious way: ask one question after the other."""
    node = tree.node(0)
    while node.rule is not None:
        answers = [
            bool(question.answer(cells_for(question, row))[0]) != negated
            for question, negated in zip(node.rule.questions, node.rule.negated, strict=True)
        ]
        node = tree.node(node.left if JOIN[node.rule.operator](answers) else node.right)
    return node.id


def cells_for(question: Question, row: pd.Series) -> Any:
    if isinstance(question.column, ColumnPair):
        return [row[question.column.first]], [row[question.column.second]]
    return [row[question.column]]


@pytest.fixture(scope="module")
def fitted() -> BsnsingClassifier:
    model = BsnsingClassifier().fit(*credit())
    assert RATIO in model.tree_.pairs
    return model


def test_rows_go_where_the_questions_send_them(fitted: BsnsingClassifier) -> None:
    X, _ = credit()
    assert X["debt"].isna().any()
    expected = [leaf_of(fitted.tree_, row) for _, row in X.iterrows()]
    assert fitted.apply(X).tolist() == expected
    assert fitted.apply(X[["job", "debt", "age", "income"]]).tolist() == expected


def test_probabilities_are_of_the_nodes_that_pairs_make(monkeypatch: pytest.MonkeyPatch) -> None:
    X, y = credit()
    lessons: list[TrainingSet] = []
    training_set = Teaching.training_set

    def write_and_note(teaching: Teaching) -> TrainingSet:
        lessons.append(training_set(teaching))
        return lessons[-1]

    monkeypatch.setattr(Teaching, "training_set", write_and_note)
    growth = BsnsingClassifier()._grow(X, y, None)
    (lesson,) = lessons
    assert growth.form is not None
    tree = growth.form.translate(growth.trees[0].tree)  # as it was grown
    leaves = find_leaves(tree, lesson.cases.table, 1)
    own = leaves[np.searchsorted(lesson.row_of, np.arange(lesson.n_rows))]
    learnt, soft = np.zeros((2, tree.n_nodes, 2))
    np.add.at(learnt, own, lesson.soft)
    np.add.at(soft, own[: len(X)], lesson.soft[: len(X)])
    soft = sum_up(tree, soft) * (len(X) / lesson.soft[: len(X)].sum())
    n_outside = soft.min(axis=1, keepdims=True)
    labels_count = n_outside / (n_outside + DistillConfig().own_cases)
    evidence = Evidence(
        labels_count * tree.counts + (1 - labels_count) * soft,
        sum_up(tree, learnt) * (len(X) / lesson.soft.sum()),
        learnt_weight=1.0,
    )
    expected = with_evidence(tree, evidence, TAUGHT_SHRINKAGE)
    np.testing.assert_allclose(tree.value, expected.value)
    np.testing.assert_allclose(tree.impurity, expected.impurity, atol=1e-9)
    np.testing.assert_allclose(tree.weighted_cases, expected.weighted_cases)


def test_the_text_names_both_columns(fitted: BsnsingClassifier) -> None:
    assert "debt / income" in str(fitted)
    renamed = export_text(fitted, feature_names=["a", "b", "c", "d"])
    assert "d / b" in renamed
    assert "debt" not in renamed


def test_both_columns_get_their_share(fitted: BsnsingClassifier) -> None:
    X, y = credit()
    assert fitted.feature_importances_.sum() == pytest.approx(1)
    settings = {"extra_questions": Question(RATIO, ">", 0.4), "own_questions": False}
    stump = BsnsingClassifier.plain(**settings).fit(X, y)
    assert stump.feature_importances_.tolist() == [0, 0.5, 0, 0.5]
    settings["extra_questions"] = Question(ColumnPair("age", "*", "age"), ">", 900.0)
    square = BsnsingClassifier.plain(**settings).fit(X, y)
    assert square.feature_importances_.tolist() == [1, 0, 0, 0]


def test_only_pairs_that_are_asked_about_are_kept(fitted: BsnsingClassifier) -> None:
    tree = fitted.tree_
    n_columns = len(tree.columns)
    assert n_columns == fitted.n_features_in_ == 4
    asked = set(tree.question_column[tree.question_column >= n_columns] - n_columns)
    assert asked == set(range(len(tree.pairs)))
    assert len(tree.has_missing) == n_columns + len(tree.pairs)
    assert tree.has_missing[n_columns + tree.pairs.index(RATIO)]


def test_the_tree_depends_on_nothing_but_the_rows(fitted: BsnsingClassifier) -> None:
    X, y = credit()
    order = np.random.default_rng(0).permutation(len(X))
    assert str(BsnsingClassifier(n_jobs=2).fit(X.iloc[order], y[order])) == str(fitted)
    again = pickle.loads(pickle.dumps(fitted))
    assert again.predict(X).tolist() == fitted.predict(X).tolist()
    assert str(again.prune(max_leaf_nodes=2)).count("?") == 1


@pytest.mark.parametrize("multiclass", ["native", "ovr"])
def test_many_classes(multiclass: str) -> None:
    rng = np.random.default_rng(3)
    X = rng.uniform(size=(400, 2))
    y = (X.sum(axis=1) > 0.7).astype(int) + (X.sum(axis=1) > 1.3)
    model = BsnsingClassifier(multiclass=multiclass, column_pairs=[["x0", "x1"]]).fit(X, y)
    assert any(pair.sign == "+" for tree in model.trees_ for pair in tree.pairs)
    assert model.score(X, y) > 0.95


def test_cross_validation_reads_pairs_too() -> None:
    X, y = credit()
    model = BsnsingClassifierCV(cv=2).fit(X, y)
    assert model.tree_.pairs
    assert model.predict_proba(X).shape == (len(X), 2)


def test_questions_about_pairs_can_be_taken_over(fitted: BsnsingClassifier) -> None:
    X, y = credit()
    questions = [q for q in questions_of(fitted) if q.column == RATIO]
    assert questions
    plain = BsnsingClassifier.plain(extra_questions=questions, own_questions=False).fit(X, y)
    assert plain.tree_.pairs == (RATIO,)
    assert {str(q) for q in questions_of(plain)} <= {str(q) for q in questions}
    assert plain.score(X, y) > 0.85


def test_given_thresholds_are_met_exactly() -> None:
    X, y = credit(1500)
    ratio = RATIO.combine(X["debt"], X["income"])
    threshold = float(np.nanquantile(ratio, 0.777))
    model = BsnsingClassifier.plain(
        extra_questions=Question(RATIO, ">", threshold), own_questions=False
    ).fit(X, y)
    assert (model.apply(X) == 1).tolist() == (ratio > threshold).tolist()


def test_a_given_question_takes_nothing_from_the_pool() -> None:
    X, y = credit()
    useless = Question(RATIO, ">", 1e9)
    model = BsnsingClassifier(extra_questions=useless).fit(X, y)
    assert RATIO in model.tree_.pairs
    assert useless not in questions_of(model)


def test_questions_may_come_from_a_generator() -> None:
    X, y = credit()
    questions = [Question("age", ">", 33.3), Question("income", "<", 20.0)]
    trees = [
        str(BsnsingClassifier.plain(extra_questions=given, own_questions=False).fit(X, y))
        for given in (questions, (question for question in questions))
    ]
    assert trees[0] == trees[1]
    assert "?" in trees[0]


@pytest.mark.parametrize("seed", range(3))
def test_no_threshold_parts_what_is_equal_on_paper(seed: int) -> None:
    rng = np.random.default_rng(seed)
    tenths = rng.integers(0, 30, (700, 3))
    y = (tenths[:, 0] - tenths[:, 1] > 2) ^ (rng.random(700) < 0.03)
    tree = BsnsingClassifier(column_pairs=[["x0", "x1", "x2"]]).fit(tenths / 10, y).tree_
    questions = [q for q in questions_of(tree) if isinstance(q.column, ColumnPair)]
    assert questions
    for question in questions:
        first, second = (tenths[:, int(name[1])] for name in names_of(question))
        answers = question.answer((first / 10, second / 10))
        for value in {exact(question, *cells) for cells in zip(first, second, strict=True)}:
            same = [exact(question, *cells) == value for cells in zip(first, second, strict=True)]
            assert len(set(answers[same])) == 1


def names_of(question: Question) -> tuple[str, str]:
    assert isinstance(question.column, ColumnPair)
    return question.column.first, question.column.second


def exact(question: Question, first: int, second: int) -> Fraction | None:
    assert isinstance(question.column, ColumnPair)
    a, b = Fraction(int(first), 10), Fraction(int(second), 10)
    if question.column.sign == "/":
        return None if b == 0 else a / b
    b *= Fraction(question.column.factor)
    return {"+": a + b, "-": a - b, "*": a * b}[question.column.sign]


def test_plain_trees_and_ensembles_ask_about_single_columns() -> None:
    for model in (BsnsingClassifier.plain(), BsnsingClassifier.paper()):
        assert (model.column_pairs, model.max_rules) == (None, 2)
    X, y = credit()
    ensemble = BsnsingEnsemble(2).fit(X, y)
    assert all(tree.pairs == () for tree in ensemble.trees_)


def test_sparse_and_dense_tables_give_the_same_tree() -> None:
    X = np.random.default_rng(1).uniform(size=(500, 3))
    y = X[:, 0] > X[:, 1]
    dense, sparse = (BsnsingClassifier().fit(form, y) for form in (X, csr_matrix(X)))
    assert dense.tree_.pairs
    assert str(dense) == str(sparse)


def test_rules_with_given_pairs_are_the_best_of_all() -> None:
    X, y = credit(150)
    given = [Question(RATIO, ">", 0.3), Question(ColumnPair("age", "-", "debt", 2.0), "<", 10.0)]
    settings = {"criterion": "gini", "min_samples_leaf": 5}
    model = BsnsingClassifier.plain(extra_questions=given, max_bins=None, **settings).fit(X, y)
    pool = ask_questions(X, y, n_segments=8, negation=True)
    answers = [question.answer([X[name] for name in names_of(question)]) for question in given]
    split = best_rule(
        np.column_stack([pool.answers, *answers]), y, operators=("or", "and"), **settings
    )
    assert model.tree_.objective[0] == pytest.approx(split.objective)


def test_pairs_that_do_not_fit_are_named() -> None:
    X, y = credit(60)
    unknown = Question(ColumnPair("debt", "/", "height"), ">", 1.0)
    with pytest.raises(ValueError, match="'debt / height' asks about column 'height'"):
        BsnsingClassifier.plain(extra_questions=unknown).fit(X, y)
    text = Question(ColumnPair("debt", "*", "job"), ">", 1.0)
    with pytest.raises(ValueError, match="column 'job' has levels"):
        BsnsingClassifier.plain(extra_questions=text).fit(X, y)
    limited = BsnsingClassifier.plain(
        extra_questions=Question(RATIO, ">", 0.4), constraints={"forbidden": ["age"]}
    )
    with pytest.raises(ValueError, match=r"debt / income.*constraints"):
        limited.fit(X, y)
