"""Every stored objective, bound and flag of fitted trees, worked out again from the cases.

The judge follows the rules row by row and tries every rule. It shares with the package only the
teacher's training set, and the questions that a node's cases give rise to.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import judge
import numpy as np
import pandas as pd
import pytest
from node_questions import ask_at_node
from numpy.typing import NDArray

from bsnsing import (
    BsnsingClassifier,
    BsnsingClassifierCV,
    ColumnPair,
    Question,
    Tree,
    ask_questions,
)
from bsnsing.data.cases import Cases
from bsnsing.data.table import read_training_table
from bsnsing.data.weights import read_relative_weights
from bsnsing.questions.pair import pair_columns
from bsnsing.rules.options import SearchOptions
from bsnsing.tree.prune import prune
from bsnsing.tree.ungroup import regroup
from tests.training_sets import NO_WEIGHTS, varied

ASKING = {"n_segments": 3, "max_levels": 4, "max_values_as_levels": 3, "bin_size": 3}
CLOSE = 1e-9


@dataclass(frozen=True)
class Judge:
    """Cases as a dataframe, and what a rule is judged by."""

    cells: pd.DataFrame  # pairs are columns, named as they are written
    labels: NDArray[np.int32]
    n_cases: NDArray[np.float64]  # of each row
    class_weight: NDArray[np.float64]
    search: SearchOptions

    @classmethod
    def of(
        cls, cases: Cases, tree: Tree, pairs: Sequence[ColumnPair], search: SearchOptions
    ) -> Judge:
        cells = {}
        for column in cases.table.columns + pair_columns(cases.table, pairs):
            info = column.info
            if info.kind == "categorical":
                codes = pd.Categorical.from_codes(column.codes(), list(info.levels))
                cells[info.name] = pd.Series(codes)
            else:
                cells[info.name] = pd.Series(column.numbers())
        frame = pd.DataFrame(cells)
        return cls(frame, cases.labels, cases.per_row(), tree.class_weight, search)

    def answer(self, question: Question) -> NDArray[np.bool_]:
        cells, value = self.cells[str(question.column)], question.value
        if question.test == "is missing":
            return cells.isna().to_numpy()
        if question.test in ("==", "in"):
            return cells.isin(value if isinstance(value, tuple) else [value]).to_numpy()
        return (cells > value if question.test == ">" else cells < value).to_numpy()

    def rows_of(self, tree: Tree) -> Iterator[NDArray[np.bool_]]:
        """The rows that pass each node."""
        rows = {0: np.ones(len(self.labels), dtype=bool)}
        for node in tree:
            yield rows[node.id]
            if node.rule is not None:
                yes = self.holds(tree, node.id)
                rows[node.left], rows[node.right] = rows[node.id] & yes, rows[node.id] & ~yes

    def holds(self, tree: Tree, node: int) -> NDArray[np.bool_]:
        rule = tree.rules[node]
        assert rule is not None
        answers = np.column_stack([self.answer(question) for question in rule.questions])
        return judge.JOIN[rule.operator](answers ^ np.array(rule.negated), axis=1)

    def counts(self, rows: NDArray[np.bool_]) -> judge.Counts:
        n_classes = max(2, len(self.class_weight))
        return tuple(np.bincount(self.labels[rows], self.n_cases[rows], n_classes).tolist())

    def objective(self, yes: judge.Counts, no: judge.Counts) -> float:
        left, right = (
            tuple(n * w for n, w in zip(child, self.class_weight, strict=True))
            for child in (yes, no)
        )
        criterion = self.search.criterion
        if criterion == "error" and left[0] + right[0] > left[1] + right[1]:
            left, right = left[::-1], right[::-1]  # "yes" stands for the class with more cases
        return judge.CRITERIA[criterion](left, right)

    def least(self, rows: NDArray[np.bool_], max_rules: int) -> float:
        """The least objective of all feasible rules over the questions of these rows."""
        operators = self.search.operators
        pool = ask_at_node(
            self.cells,
            self.labels,
            np.where(rows, self.n_cases, 0.0),
            class_weight=self.class_weight,
            negation="and" in operators,
            **ASKING,
        )
        answers, least = pool.answers[rows].astype(bool), np.inf
        labels, n_cases = self.labels[rows], self.n_cases[rows]
        by_class = np.zeros((len(labels), max(2, len(self.class_weight))))
        by_class[np.arange(len(labels)), labels] = n_cases
        totals = by_class.sum(axis=0)
        for rule in judge.all_rules(answers.shape[1], max_rules, operators):
            left = rule.is_true(answers) @ by_class
            right = totals - left
            if min(left.sum(), right.sum()) < self.search.min_samples_leaf * (1 - CLOSE):
                continue
            yes, no = tuple(left.tolist()), tuple(right.tolist())
            if self.search.distinct_children and not self.is_distinct(yes, no):
                continue
            least = min(least, self.objective(yes, no))
        return least

    def is_distinct(self, yes: judge.Counts, no: judge.Counts) -> bool:
        if len(yes) == 2 and sum(yes[:1] + no[:1]) > sum(yes[1:] + no[1:]):
            yes, no = yes[::-1], no[::-1]
        return judge.have_distinct_majorities(yes, no)


def check_training(tree: Tree, of_training: Judge) -> None:
    """What is proven is proven of what the tree was grown on."""
    for node, rows in zip(tree, of_training.rows_of(tree), strict=True):
        if node.rule is None:
            assert np.isnan([node.objective, node.bound]).all()
            continue
        yes = of_training.holds(tree, node.id)
        own = of_training.objective(of_training.counts(rows & yes), of_training.counts(rows & ~yes))
        least = of_training.least(rows, of_training.search.max_rules)
        assert node.objective == pytest.approx(own, rel=CLOSE, abs=CLOSE)
        assert node.bound == pytest.approx(min(own, least), rel=CLOSE, abs=CLOSE)
        assert node.optimal == (own <= least + CLOSE * (1 + least))


def check_counts(tree: Tree, of_own: Judge) -> None:
    """Rows are counted where the rules send them, if they are known to send them there."""
    for node, rows in zip(tree, of_own.rows_of(tree), strict=True):
        if not any(of_own.cells.isna().any()):
            np.testing.assert_allclose(node.counts, of_own.counts(rows), rtol=CLOSE)
    np.testing.assert_allclose(tree.counts[0], of_own.counts(of_own.n_cases > 0), rtol=CLOSE)


def check_own(tree: Tree, of_own: Judge) -> None:
    """What is said of the cases that fit was given."""
    for node, rows in zip(tree, of_own.rows_of(tree), strict=True):
        np.testing.assert_allclose(node.counts, of_own.counts(rows), rtol=CLOSE)
        if node.rule is None:
            assert np.isnan([node.own_objective, node.best_own_objective]).all()
            assert not node.best_own_proven
            assert not tree.own_optimal[node.id]
            continue
        yes = of_own.holds(tree, node.id)
        own = of_own.objective(of_own.counts(rows & yes), of_own.counts(rows & ~yes))
        least = of_own.least(rows, len(node.rule.questions))
        assert node.own_objective == pytest.approx(own, rel=CLOSE, abs=CLOSE)
        assert node.best_own_objective == pytest.approx(min(own, least), rel=CLOSE, abs=CLOSE)
        assert node.best_own_proven
        assert tree.own_optimal[node.id] == (own <= least + CLOSE * (1 + least))


@dataclass(frozen=True)
class Fitted:
    """A fitted tree, with what its proof is about."""

    tree: Tree
    own: Judge
    grown: Tree  # as it asked about the cases that it was grown on
    training: Judge
    n_stale: int  # nodes that had to be searched again


def fit(
    X: Any, y: Any, sample_weight: Any = None, model_type: Any = None, **settings: Any
) -> list[Fitted]:
    defaults = {"max_bins": None, "ccp_alpha": 0.002} | ASKING
    model = (model_type or Quick)(**(defaults | settings))
    growth = model._grow(X, y, sample_weight)
    kept = [prune(own.tree, model.ccp_alpha_, model.max_leaf_nodes) for own in growth.trees]
    trees = growth.complete(kept)
    for tree, same in zip(trees, model.fit(X, y, sample_weight).trees_, strict=True):
        assert str(tree) == str(same)
        for name in ("objective", "bound", "own_objective", "best_own_objective"):
            np.testing.assert_array_equal(getattr(tree, name), getattr(same, name))
    table = read_training_table(BsnsingClassifier(), X)
    weights = read_relative_weights(sample_weight, table.n_rows)
    labels = np.searchsorted(model.classes_, y).astype(np.int32)
    fitted = []
    for place, (tree, grown) in enumerate(zip(trees, growth.trees, strict=True)):
        own_labels = (labels == place).astype(np.int32) if len(trees) > 1 else labels
        own = Cases(table, own_labels, weights).with_weight()
        search, pairs = growth.options.search, growth.options.pairs
        n_stale = int(np.isnan(kept[place].bound[~kept[place].is_leaf]).sum())
        if grown.proof is None:
            plain = Judge.of(own, tree, pairs, search)
            fitted.append(Fitted(tree, plain, tree, plain, n_stale))
            continue
        # Taught trees are proven as they were grown: classes and levels stand in another order.
        assert growth.form is not None
        check_counts(tree, Judge.of(own, tree, tree.pairs, search))
        proof, proven = grown.proof, growth.form.translate(tree)
        pairs = proof.training_options.pairs
        fitted.append(
            Fitted(
                proven,
                Judge.of(proof.real, proven, pairs, search),
                regroup(proven, proof.levels),
                Judge.of(proof.training, proven, pairs, proof.training_options.search),
                n_stale,
            )
        )
    return fitted


# A few trees are enough of a teacher here.
Quick = varied(n_trees=10)


def numbers(seed: int, n_rows: int = 120) -> tuple[pd.DataFrame, NDArray[np.int64]]:
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(rng.normal(size=(n_rows, 3)).round(1), columns=list("abc"))
    noise = rng.normal(0, 0.5, n_rows)
    return X, ((X["a"] + X["b"] * X["c"] + noise) > 0).to_numpy().astype(np.int64)


def levels(seed: int, n_rows: int = 120) -> tuple[pd.DataFrame, NDArray[np.int64]]:
    """Levels, some of them rare, 0/1 and numbers of few values; missing cells; three classes."""
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(
        {
            "level": rng.choice(list("aaabbccde"), n_rows),
            "bit": rng.integers(0, 2, n_rows).astype(float),
            "few": rng.integers(0, 4, n_rows).astype(float),
        }
    )
    signal = X["level"].isin(["a", "d"]) + X["bit"] * (X["few"] > 1)
    y = (signal + rng.normal(0, 0.4, n_rows)).round().clip(0, 2).to_numpy().astype(np.int64)
    return X.mask(rng.random(X.shape) < 0.1), y


def ratios(seed: int, n_rows: int = 300) -> tuple[pd.DataFrame, NDArray[np.int64]]:
    """Two columns that matter as one."""
    X = pd.DataFrame(np.random.default_rng(seed).integers(1, 20, (n_rows, 2)), columns=["a", "b"])
    return X.astype(float), (X["a"] > X["b"]).to_numpy().astype(np.int64)


TABLES = {"numbers": numbers, "levels": levels}
SETTINGS: dict[str, dict[str, Any]] = {
    "default": {},
    "plain": {"teacher": None, "min_samples_leaf": 4},
    "or, gini": {"operators": ("or",), "criterion": "gini"},
    "xor, squared": {"operators": ("or", "and", "xor"), "criterion": "gini_squared"},
    "errors": {"criterion": "misclassification", "max_rules": 1},
    "distinct": {"distinct_children": True, "max_rules": 2},
    "balanced": {"class_weight": "balanced"},
    "per class": {"multiclass": "ovr", "max_rules": 2},
    "weighted errors": {"multiclass": "ovr", "max_rules": 2, "criterion": "error"},
    "few leaves": {"max_leaf_nodes": 4},
    "plain, balanced": {"teacher": None, "class_weight": "balanced", "criterion": "gini"},
}


def check(fitted: list[Fitted]) -> None:
    assert sum(one.tree.n_leaves - 1 for one in fitted) > 0
    for one in fitted:
        check_training(one.grown, one.training)
        check_own(one.tree, one.own)


@pytest.mark.parametrize("settings", SETTINGS.values(), ids=SETTINGS)
@pytest.mark.parametrize("table", TABLES.values(), ids=TABLES)
def test_proofs_are_those_of_the_cases(table: Any, settings: dict[str, Any]) -> None:
    check(fit(*table(3), **({"column_pairs": None} | settings)))


@pytest.mark.parametrize("name", ["default", "plain", "balanced"])
@pytest.mark.parametrize("is_whole", [True, False])
@pytest.mark.parametrize("table", TABLES.values(), ids=TABLES)
def test_weights_count(table: Any, is_whole: bool, name: str) -> None:
    X, y = table(4)
    rng = np.random.default_rng(1)
    weights = rng.integers(0, 3, len(y)) if is_whole else rng.uniform(0.5, 1.5, len(y)).round(2)
    check(fit(X, y, weights, column_pairs=None, **SETTINGS[name]))


@pytest.mark.parametrize(
    ("table", "min_samples_leaf", "seeds"),
    [(numbers, 5, (13, 21, 22, 52)), (levels, "auto", (6, 8, 40)), (levels, 5, (5, 39, 42))],
    ids=["numbers", "levels", "levels, at least 5"],
)
def test_nodes_whose_cases_changed_are_searched_again(
    table: Any, min_samples_leaf: Any, seeds: tuple[int, ...]
) -> None:
    """Where a split left too few real cases on one side, the other side took its place."""
    n_stale, n_unproven = 0, 0
    for seed in seeds:
        (one,) = fit(*table(seed), min_samples_leaf=min_samples_leaf, column_pairs=None)
        check([one])
        n_stale += one.n_stale
        n_unproven += int((~one.tree.optimal).sum())
    assert n_stale >= 2
    assert 0 < n_unproven <= n_stale


def test_pairs_of_columns() -> None:
    (one,) = fit(*ratios(0))
    assert one.tree.pairs
    check([one])


def test_questions_from_elsewhere() -> None:
    """With these alone, the judge needs no pool but them."""
    X, y = numbers(5)
    given = [Question("a", ">", value) for value in (-0.55, 0.05, 0.45)]
    given += [Question("b", "<", 0.35), Question("c", ">", -0.25)]
    model = Quick(own_questions=False, extra_questions=given, max_rules=2, max_bins=None).fit(X, y)
    tree = model.tree_
    frame = pd.DataFrame({str(question): _holds(X, question) for question in given}).astype(float)
    same = judge.best_rule(
        frame,
        y,
        max_rules=2,
        min_samples_leaf=model.min_samples_leaf_,
        criterion="entropy",
        operators=("or", "and"),
    )
    assert same is not None
    assert tree.best_own_objective[0] == pytest.approx(same.objective)
    assert tree.best_own_proven[0]


def _holds(X: pd.DataFrame, question: Question) -> pd.Series:
    cells = X[str(question.column)]
    return cells > question.value if question.test == ">" else cells < question.value


def test_constraints_hold_for_the_best_rule_too() -> None:
    X, y = numbers(5)
    (one,) = fit(X, y, constraints={"forbidden": ["a"]}, max_rules=2)
    tree = one.tree
    for rule in filter(None, tree.rules):
        assert "a" not in [question.column for question in rule.questions]
    pool = ask_questions(X, y, negation=True, **ASKING)
    same = judge.best_rule(
        pool.answers,
        y,
        min_samples_leaf=one.own.search.min_samples_leaf,
        criterion="entropy",
        operators=("or", "and"),
        allow=lambda questions: all(pool.questions[q].column != "a" for q in questions),
    )
    assert same is not None
    assert same.objective > one.own.least(np.ones(len(y), dtype=bool), 2) + 1
    best = min(same.objective, tree.own_objective[0])
    assert tree.best_own_objective[0] == pytest.approx(best)
    assert tree.best_own_proven[0]


def test_trees_chosen_by_cross_validation_and_cut_back() -> None:
    X, y = numbers(6)
    model = BsnsingClassifierCV(Quick(column_pairs=None, max_bins=None, **ASKING), cv=2).fit(X, y)
    tree = model.tree_
    assert tree.n_leaves > 2
    search = SearchOptions(
        criterion="entropy",
        operators=("or", "and"),
        min_samples_leaf=model.best_estimator_.min_samples_leaf_,
    )
    cases = Cases(read_training_table(BsnsingClassifier(), X), y.astype(np.int32), NO_WEIGHTS)
    check_own(tree, Judge.of(cases, tree, (), search))
    smaller = model.best_estimator_.prune(max_leaf_nodes=2).tree_
    check_own(smaller, Judge.of(cases, smaller, (), search))


def test_without_time_nothing_is_proven_of_the_own_cases() -> None:
    X, y = numbers(13)
    model = Quick(min_samples_leaf=5, column_pairs=None, max_bins=None, **ASKING)
    growth = model._grow(X, y, None)
    ((tree, _, proof),) = growth.trees
    assert proof is not None
    inner, late = ~tree.is_leaf, proof.complete(tree, -1.0)
    is_stale = inner & np.isnan(tree.bound)
    assert is_stale.any()
    np.testing.assert_array_equal(late.best_own_objective, late.own_objective)
    perfect = inner & (late.own_objective == 0)
    np.testing.assert_array_equal(late.best_own_proven, perfect)
    np.testing.assert_array_equal(late.bound[is_stale], 0)
    assert not late.optimal[is_stale & (late.objective > 0)].any()
    np.testing.assert_array_equal(late.optimal[inner & ~is_stale], tree.optimal[inner & ~is_stale])


def test_rows_that_meet_an_unknown_have_no_part() -> None:
    """Rows too light to be learnt from, with the only missing cells of their column."""
    X, y = numbers(7)
    weights = np.full(len(y), 1.25)
    weights[:12] = 0.01
    X.loc[:11, ["a", "b", "c"]] = np.nan
    # Synthetic rows would have some of these cells.
    only_real = varied(n_trees=10, times_rows=1)
    (one,) = fit(X, y, weights, only_real, column_pairs=None)
    tree = one.tree
    assert tree.n_synthetic == 0
    assert tree.counts[0].sum() > tree.counts[tree.is_leaf].sum() + 0.05
    is_light = one.own.cells.isna().all(axis=1).to_numpy()
    assert is_light.sum() == 12
    known = replace(one.own, n_cases=np.where(is_light, 0.0, one.own.n_cases))
    shared = replace(tree, counts=np.array([known.counts(rows) for rows in known.rows_of(tree)]))
    check_own(shared, known)
