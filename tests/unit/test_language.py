"""Richer rules: which are tried, and when they are kept."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from numpy.typing import NDArray
from scipy.sparse import csr_matrix

from bsnsing import BsnsingClassifier
from bsnsing import _language as language_module
from bsnsing._language import Language, _cost, _round_factor, choose_pairs, choose_tree
from bsnsing._table import read_training_table
from bsnsing._teacher import Lesson
from bsnsing._tree import Tree
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
    assert choose_pairs(lesson_of(csr_matrix(X), [1, 1, 1])) == ()
    assert choose_pairs(lesson_of(X * [1e300, 1, 0], [1, 1, 1])) == ()


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
    ):
        tree = grown(X, y, **settings)
        assert tree.pairs == ()
        assert np.diff(tree.first_question).max() <= 2


@pytest.mark.parametrize(("n_prices", "is_kept"), [(1.9, False), (2.1, True)])
def test_richer_rules_must_save_two_prices(
    n_prices: float, is_kept: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    X, y = diagonal()
    lesson = lesson_of(X, [3, 2, 1])
    trees = {(): grown(X, y, column_pairs=None), "richer": grown(X, y)}
    price = (_cost(trees[()], 1e-9, None) - _cost(trees["richer"], 1e-9, None)) / n_prices
    costs = {id(trees[()]): 1.0, id(trees["richer"]): 1.0 - n_prices * price}
    monkeypatch.setattr(language_module, "_cost", lambda tree, *_: costs[id(tree)])
    chosen = choose_tree(
        Language(2),
        BsnsingClassifier(max_rules=2),
        lesson,
        price,
        lambda language: trees["richer" if language.pairs else ()],
    )
    assert chosen is trees["richer" if is_kept else ()]


def test_costly_searches_are_not_tried(monkeypatch: pytest.MonkeyPatch) -> None:
    X, y = diagonal()
    asked: list[Language] = []

    def grow(language: Language) -> Tree:
        asked.append(language)
        return simple

    simple = grown(X, y, teacher=None)
    lesson = lesson_of(X, [3, 2, 1])
    choose_tree(Language(2), BsnsingClassifier(), lesson, 0.01, grow)
    assert [(one.max_rules, len(one.pairs)) for one in asked] == [(2, 0), (2, 12), (3, 0)]
    asked.clear()
    monkeypatch.setattr(language_module, "_PAIR_WORK", 1.0)
    monkeypatch.setattr(language_module, "_TRIPLE_WORK", 1.0)
    choose_tree(Language(2), BsnsingClassifier(), lesson, 0.01, grow)
    assert len(asked) == 1
