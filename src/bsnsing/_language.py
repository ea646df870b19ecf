"""How much a tree's rules may say: simple ones, unless richer ones explain the lesson far better.

Richer rules fit every lesson a little better, and predict no better for it. So a tree with richer
rules takes the place of one with simple rules only if it saves what two leaves must save.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bsnsing._auto import most_thresholds
from bsnsing._pairs import ColumnPair
from bsnsing._prune import best_subtree, impurity_per_case, prune_by_cost
from bsnsing._teacher import Lesson, count_questions, search_work
from bsnsing._tree import Tree

# What a tree of richer rules must save, in prices of a leaf.
_LEAST_SAVED = 2.0

# Numeric columns that are paired: those that matter most to the teacher.
_PAIRED = 4
# Bounds on what a search may cost: about pairs of columns too, and for rules of three questions.
_PAIR_WORK, _TRIPLE_WORK = 1e9, 2e9


@dataclass(frozen=True, slots=True)
class Language:
    """What rules are made of."""

    max_rules: int
    pairs: tuple[ColumnPair, ...] = ()  # asked about like columns
    given: tuple[ColumnPair, ...] = ()  # what questions from elsewhere are about

    @property
    def all_pairs(self) -> tuple[ColumnPair, ...]:
        """Those asked about like columns, then those with given questions only."""
        return self.pairs + tuple(pair for pair in self.given if pair not in self.pairs)


def choose_language(
    language: Language,
    parameters: Any,
    lesson: Lesson,
    price: float,
    grow: Callable[[Language], Tree],
) -> tuple[Language, Tree]:
    """Grow a tree in the given language, and in richer ones; keep these where they pay.

    ``price`` is what a leaf must save, in Gini impurity per case.
    """
    tree = grow(language)
    cost = _cost(tree, price, parameters.max_leaf_nodes)
    for enrich in (_with_column_pairs, _with_one_more_question):
        most = cost - _LEAST_SAVED * price * (1 - 1e-9)  # sums are rounded
        if most < price:  # what one leaf costs, if it is pure
            break
        richer = enrich(language, parameters, lesson)
        if richer is None:
            continue
        other = grow(richer)
        other_cost = _cost(other, price, parameters.max_leaf_nodes)
        if other_cost <= most:
            tree, cost, language = other, other_cost, richer
    return language, tree


def _cost(tree: Tree, price: float, max_leaf_nodes: int | None) -> float:
    """Impurity per case and price of all leaves, of the subtree that would be kept."""
    kept = prune_by_cost(tree, price)
    if max_leaf_nodes is not None:
        kept = best_subtree(kept, max_leaf_nodes)
    return float(impurity_per_case(kept)[kept.is_leaf].sum()) + price * kept.n_leaves


def _with_column_pairs(language: Language, parameters: Any, lesson: Lesson) -> Language | None:
    if parameters.column_pairs != "auto":
        return None
    richer = replace(language, pairs=choose_pairs(lesson))
    return richer if richer.pairs and _work(richer, parameters, lesson) <= _PAIR_WORK else None


def _with_one_more_question(language: Language, parameters: Any, lesson: Lesson) -> Language | None:
    if parameters.max_rules != "auto":
        return None
    richer = replace(language, max_rules=language.max_rules + 1)
    return richer if _work(richer, parameters, lesson) <= _TRIPLE_WORK else None


def _work(language: Language, parameters: Any, lesson: Lesson) -> float:
    """About what the first search of a tree in this language costs."""
    n_pairs = len(language.pairs)
    n_segments = most_thresholds(parameters.n_segments, lesson.table, n_pairs)
    n_questions = count_questions(lesson.table, n_segments)
    asked = n_questions if lesson.asked is None else n_questions[lesson.asked]
    n_rows = lesson.table.n_rows if lesson.rows is None else int(lesson.rows[-1]) + 1
    n_classes = int(lesson.codes.max()) + 1
    return float(
        search_work(n_rows, asked.sum() + n_pairs * n_segments, n_classes, language.max_rules)
    )


def choose_pairs(lesson: Lesson) -> tuple[ColumnPair, ...]:
    """Pair the numeric columns that matter most: sum, difference, product and ratio of any two."""
    if lesson.importances is None:
        return ()
    spread = {}
    for place in np.argsort(-lesson.importances, kind="stable"):
        column = lesson.table.columns[place]
        if column.info.kind != "numeric":
            continue
        if 0 < (width := _spread(column.numbers(), lesson)) < np.inf:
            spread[column.info.name] = width
        if len(spread) == _PAIRED:
            break
    return tuple(
        pair for a, b in itertools.combinations(spread, 2) for pair in _pairs_of(a, b, spread)
    )


def _pairs_of(a: str, b: str, spread: dict[str, float]) -> Iterator[ColumnPair]:
    # In sums both should have a say, whatever their units; the wider column comes first.
    wide, narrow = (a, b) if spread[a] >= spread[b] else (b, a)
    factor = _round_factor(spread[wide] / spread[narrow])
    yield ColumnPair(wide, "+", narrow, factor)
    yield ColumnPair(wide, "-", narrow, factor)
    yield ColumnPair(a, "*", b)
    yield ColumnPair(a, "/", b)


def _spread(numbers: NDArray[np.float64], lesson: Lesson) -> float:
    """Standard deviation over the cases of a lesson; 0 with two values, which need no pair."""
    known = ~np.isnan(numbers)
    if len(np.unique(numbers[known])) <= 2:
        return 0.0
    weights = np.ones(len(numbers)) if lesson.weights.counts is None else lesson.weights.counts
    with np.errstate(over="ignore", invalid="ignore"):
        mean = np.average(numbers[known], weights=weights[known])
        return float(np.sqrt(np.average((numbers[known] - mean) ** 2, weights=weights[known])))


def _round_factor(ratio: float) -> float:
    """Return the nearest of 1, 2, 5, 10, 20, 50, ... to a ratio of at least 1, by proportion."""
    power = 10.0 ** math.floor(math.log10(ratio))
    steps = (power, 2 * power, 5 * power, 10 * power)
    return min(steps, key=lambda step: abs(math.log(step / ratio)))
