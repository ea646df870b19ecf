"""Richer rules: which are tried, and when they are kept."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import pytest
from numpy.typing import NDArray
from scipy.sparse import csr_matrix

from bsnsing import BsnsingClassifier, ColumnPair, Question
from bsnsing import _language as language_module
from bsnsing import _tree_grower as tree_grower_module
from bsnsing._auto import price_per_leaf
from bsnsing._language import Language, _cost, _round_factor, choose_language, choose_pairs
from bsnsing._prune import impurity_per_case, prune_by_cost
from bsnsing._table import read_training_table
from bsnsing._teacher import Lesson
from bsnsing._tree import Tree
from bsnsing._tree_grower import TreeGrower
from bsnsing._weights import CaseWeights

RNG = np.random.default_rng(0)


def lesson_of(X: Any, importances: Any) -> Lesson:
    table = read_training_table(BsnsingClassifier(), X)
    codes = np.arange(table.n_rows, dtype=np.int32) % 2
    weights = CaseWeights(None, 1.0)
    known = None if importances is None else np.asarray(importances, dtype=float)
    return Lesson(table, codes, weights, importances=known)


@pytest.mark.parametrize(
    ("ratio", "factor"),
    [(1, 1), (1.4, 1), (1.5, 2), (3, 2), (3.5, 5), (7, 5), (7.5, 10), (130, 100), (160, 200)],
)
def test_factors_are_round_numbers(ratio: float, factor: float) -> None:
    assert _round_factor(ratio) == factor


def test_the_numeric_columns_that_matter_most_are_paired() -> None:
    X = pd.DataFrame(
        {
            "wide": RNG.normal(size=60) * 40,
            "text": ["u", "v", "w"] * 20,
            "flag": [True, False] * 30,
            "two": [1.0, 5.0] * 30,
            "plain": RNG.normal(size=60),
            "whole": np.arange(60) % 3,
            "late": RNG.normal(size=60),
            "later": RNG.normal(size=60),
        }
    )
    pairs = choose_pairs(lesson_of(X, [3, 9, 8, 7, 6, 5, 2, 1]))
    assert {name for p in pairs for name in (p.first, p.second)} == {
        "plain",
        "whole",
        "wide",
        "late",
    }
    assert len(pairs) == 4 * 6
    assert [str(p) for p in pairs if {p.first, p.second} == {"plain", "wide"}] == [
        "wide + 50 * plain",
        "wide - 50 * plain",
        "plain * wide",
        "plain / wide",
    ]


def test_nothing_is_paired_where_nothing_says_what_matters() -> None:
    X = RNG.normal(size=(20, 3))
    assert choose_pairs(lesson_of(X, None)) == ()
    assert choose_pairs(lesson_of(X * [1e300, 1, 0], [1, 1, 1])) == ()


def test_sparse_columns_are_paired_like_others() -> None:
    X = RNG.normal(size=(20, 3))
    assert choose_pairs(lesson_of(csr_matrix(X), [1, 3, 2])) == choose_pairs(
        lesson_of(X, [1, 3, 2])
    )


def test_spreads_count_cases() -> None:
    X = np.array([[0.0, 0.0], [1.0, 1.0], [2.0, 100.0]])
    lesson = lesson_of(X, [1, 1])
    few = replace(lesson, weights=CaseWeights(np.array([50, 50, 1]), 1.0))
    repeated = lesson_of(np.repeat(X, [50, 50, 1], axis=0), [1, 1])
    assert choose_pairs(few) == choose_pairs(repeated) != choose_pairs(lesson)


def grown(X: Any, y: Any, **settings: Any) -> Tree:
    return BsnsingClassifier(**settings).fit(X, y).tree_


def diagonal() -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    X = np.random.default_rng(1).uniform(size=(600, 3))
    return X, (X[:, 0] > X[:, 2]).astype(int)


def test_a_slanting_border_is_asked_for_as_such() -> None:
    X, y = diagonal()
    tree = grown(X, y)
    assert {str(pair) for pair in tree.pairs} & {"x0 - x2", "x2 - x0", "x0 / x2", "x2 / x0"}
    simple = grown(X, y, column_pairs=None)
    assert simple.pairs == ()
    assert tree.n_leaves < simple.n_leaves


def test_a_straight_border_needs_no_pair() -> None:
    X, _ = diagonal()
    tree = grown(X, (X[:, 0] > 0.5) | (X[:, 1] > 0.8))
    assert tree.pairs == ()
    assert np.diff(tree.first_question).max() == 2


def test_three_questions_where_two_explain_much_less() -> None:
    X = np.random.default_rng(2).integers(0, 2, (400, 8))
    y = (X[:, :3].all(axis=1)) | (X[:, 3:6].all(axis=1))
    assert np.diff(grown(X, y).first_question).max() == 3
    assert np.diff(grown(X, y, max_rules=2).first_question).max() == 2


def test_only_lessons_are_told_in_richer_rules() -> None:
    X, y = diagonal()
    for settings in (
        {"teacher": None},
        {"constraints": {"forbidden": ["x1"]}},
        {"solver": "greedy"},
        {"own_questions": False, "extra_questions": [Question("x0", ">", 0.5)]},
    ):
        tree = grown(X, y, **settings)
        assert tree.pairs == ()
        assert np.diff(tree.first_question).max() <= 2


Costs = dict[tuple[int, bool], float]  # by questions per rule, and whether there are pairs


class Grower:
    """Stands for growth: a tree for each language, and what each is to cost."""

    def __init__(
        self, monkeypatch: pytest.MonkeyPatch, costs: dict[tuple[int, bool], float]
    ) -> None:
        self.tree = grown(*diagonal(), teacher=None)
        self.costs, self.asked = costs, list[Language]()
        monkeypatch.setattr(language_module, "_cost", lambda tree, *_: tree.shrinkage)

    def __call__(self, language: Language) -> Tree:
        self.asked.append(language)
        cost = self.costs[language.max_rules, bool(language.pairs)]
        return replace(self.tree, shrinkage=cost)  # any number that a tree carries along


@pytest.mark.parametrize(
    ("saved", "is_kept"), [(1.9, False), (2.0, True), (2.0 * (1 - 1e-12), True), (2.1, True)]
)
@pytest.mark.parametrize("price", [0.001, 0.85 / 441, 0.1])
def test_richer_rules_must_save_two_prices(
    price: float, saved: float, is_kept: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    rest = (10 - saved) * price
    grow = Grower(monkeypatch, {(2, False): 10 * price, (2, True): rest})
    model = BsnsingClassifier(max_rules=2)
    lesson = lesson_of(diagonal()[0], [3, 2, 1])
    language, chosen = choose_language(Language(2), model, lesson, price, grow)
    assert bool(language.pairs) is is_kept
    assert chosen.shrinkage == (rest if is_kept else 10 * price)


def test_steps_build_on_each_other(monkeypatch: pytest.MonkeyPatch) -> None:
    lesson = lesson_of(diagonal()[0][:100], [3, 2, 1])
    steps = {(2, False): 20.0, (2, True): 10.0, (3, True): 8.0}
    grow = Grower(monkeypatch, steps)
    model = BsnsingClassifier(n_segments=2)
    language, tree = choose_language(Language(2), model, lesson, 1.0, grow)
    assert (language, tree.shrinkage) == (grow.asked[-1], 8.0)
    assert [(one.max_rules, bool(one.pairs)) for one in grow.asked] == list(steps)


def test_what_cannot_save_enough_is_not_grown(monkeypatch: pytest.MonkeyPatch) -> None:
    grow = Grower(monkeypatch, {(2, False): 2.9})
    lesson = lesson_of(diagonal()[0], [3, 2, 1])
    _, tree = choose_language(Language(2), BsnsingClassifier(), lesson, 1.0, grow)
    assert tree.shrinkage == 2.9


def test_trees_are_compared_as_they_would_be_kept() -> None:
    tree = grown(*diagonal(), column_pairs=None)
    assert tree.n_leaves > 3
    assert _cost(tree, 1e-6, 2) > _cost(tree, 1e-6, None)
    pruned = prune_by_cost(tree, 0.02)
    assert pruned.n_leaves < tree.n_leaves
    leaves = impurity_per_case(pruned)[pruned.is_leaf].sum()
    assert _cost(tree, 0.02, None) == pytest.approx(leaves + 0.02 * pruned.n_leaves)


@pytest.mark.parametrize(("ccp_alpha", "price"), [("auto", None), (0.0, None), (0.05, 0.05)])
@pytest.mark.parametrize("n_classes", [2, 3])
def test_the_greater_price_counts(
    n_classes: int, ccp_alpha: float | str, price: float | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    prices = []

    def choose(
        language: Language, _: Any, lesson: Lesson, price: float, grow: Callable[[Language], Tree]
    ) -> tuple[Language, Tree]:
        prices.append((price, price_per_leaf(600, n_classes, lesson.noise, lesson.unexplained)))
        return language, grow(language)

    monkeypatch.setattr(tree_grower_module, "choose_language", choose)
    X, y = diagonal()
    grown(X, y * (1 + (X[:, 1] > 0.5) * (n_classes - 2)), ccp_alpha=ccp_alpha)
    ((found, auto),) = prices
    assert found == (auto if price is None else price)


def test_given_pairs_get_no_other_questions_until_they_are_chosen() -> None:
    ratio, product = ColumnPair("a", "/", "b"), ColumnPair("a", "*", "b")
    language = Language(2, given=(ratio, product))
    assert language.all_pairs == (ratio, product)
    assert replace(language, pairs=(product,)).all_pairs == (product, ratio)


def test_a_wide_lesson_leaves_pairs_open() -> None:
    lesson = replace(lesson_of(diagonal()[0], [3, 2, 1]), asked=np.array([True, False, True]))
    grower = TreeGrower(BsnsingClassifier(), lesson, 2, 0.01, 600)
    pair = ColumnPair("x0", "-", "x2")
    limits = grower._subject_limits(lesson, Language(2, pairs=(pair,)))
    assert limits is not None
    assert limits.allowed.tolist() == [True, False, True, True]


def test_costly_searches_are_not_tried(monkeypatch: pytest.MonkeyPatch) -> None:
    X, y = diagonal()
    asked: list[Language] = []

    def grow(language: Language) -> Tree:
        asked.append(language)
        return simple

    simple = grown(X, y, teacher=None, max_leaf_nodes=2)
    lesson = lesson_of(X, [3, 2, 1])
    choose_language(Language(2), BsnsingClassifier(), lesson, 0.01, grow)
    assert [(one.max_rules, len(one.pairs)) for one in asked] == [(2, 0), (2, 12), (3, 0)]
    asked.clear()
    monkeypatch.setattr(language_module, "_PAIR_WORK", 1.0)
    monkeypatch.setattr(language_module, "_TRIPLE_WORK", 1.0)
    choose_language(Language(2), BsnsingClassifier(), lesson, 0.01, grow)
    assert len(asked) == 1
