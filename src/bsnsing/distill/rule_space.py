"""How much rules may say: more questions, or numbers made of two columns."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from bsnsing.data.cases import Cases
from bsnsing.distill.config import DistillConfig
from bsnsing.distill.training_set import TrainingSet
from bsnsing.distill.work import count_questions, search_work
from bsnsing.grow.options import GrowOptions
from bsnsing.questions.pair import ColumnPair
from bsnsing.rules.options import n_thresholds


@dataclass(frozen=True, slots=True)
class RuleSpace:
    """The rules that a tree may be made of: questions per rule, and pairs asked about."""

    max_rules: int
    pairs: tuple[ColumnPair, ...] = ()

    def options(self, options: GrowOptions) -> GrowOptions:
        """The options of a tree with these rules."""
        search = replace(options.search, max_rules=self.max_rules)
        return replace(options, search=search, pairs=self.pairs)


def with_column_pairs(
    space: RuleSpace, options: GrowOptions, training: TrainingSet, config: DistillConfig
) -> RuleSpace | None:
    """The space with pairs of the columns that matter most; None if that is too much work."""
    richer = replace(space, pairs=choose_pairs(training, config.n_paired))
    is_affordable = _work(richer, options, training, config) <= config.most_pair_work
    return richer if richer.pairs and is_affordable else None


def with_longer_rules(
    space: RuleSpace, options: GrowOptions, training: TrainingSet, config: DistillConfig
) -> RuleSpace | None:
    """The space with one question more per rule; None if that is too much work."""
    richer = replace(space, max_rules=space.max_rules + 1)
    is_affordable = _work(richer, options, training, config) <= config.most_triple_work
    return richer if is_affordable else None


def _work(
    space: RuleSpace, options: GrowOptions, training: TrainingSet, config: DistillConfig
) -> float:
    """About what the first search of a tree with these rules costs."""
    table, n_pairs = training.cases.table, len(space.pairs)
    n_segments = n_thresholds(options.n_segments, table, n_pairs)
    n_questions = count_questions(table, n_segments, config.most_levels)
    if training.asked_columns is not None:
        n_questions = n_questions[training.asked_columns]
    n_classes = int(training.cases.labels.max()) + 1
    n_asked = n_questions.sum() + n_pairs * n_segments
    return float(search_work(training.n_rows, n_asked, n_classes, space.max_rules))


def choose_pairs(training: TrainingSet, n_paired: int) -> tuple[ColumnPair, ...]:
    """Pair the numeric columns that matter most: sum, difference, product and ratio of any two."""
    importances = training.teacher.importances
    if importances is None:
        return ()
    cases, spread = training.cases, {}
    for place in np.argsort(-importances, kind="stable"):
        column = cases.table.columns[place]
        if column.info.kind != "numeric":
            continue
        if 0 < (width := _spread(column.numbers(), cases)) < np.inf:
            spread[column.info.name] = width
        if len(spread) == n_paired:
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


def _spread(numbers: NDArray[np.float64], cases: Cases) -> float:
    """Standard deviation over the cases; 0 with two values, which need no pair."""
    known = ~np.isnan(numbers)
    if len(np.unique(numbers[known])) <= 2:
        return 0.0
    counts = cases.weights.counts
    weights = np.ones(len(numbers)) if counts is None else counts
    with np.errstate(over="ignore", invalid="ignore"):
        mean = np.average(numbers[known], weights=weights[known])
        return float(np.sqrt(np.average((numbers[known] - mean) ** 2, weights=weights[known])))


def _round_factor(ratio: float) -> float:
    """Return the nearest of 1, 2, 5, 10, 20, 50, ... to a ratio of at least 1, by proportion."""
    power = 10.0 ** math.floor(math.log10(ratio))
    steps = (power, 2 * power, 5 * power, 10 * power)
    return min(steps, key=lambda step: abs(math.log(step / ratio)))
