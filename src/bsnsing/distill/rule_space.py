"""How much rules may say: more questions, or numbers made of two columns."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

import numpy as np

from bsnsing.data.columns import Column
from bsnsing.distill.config import DistillConfig
from bsnsing.distill.training_set import TrainingSet
from bsnsing.distill.work import count_questions, search_work
from bsnsing.grow.options import GrowOptions
from bsnsing.questions.pair import SAME_UNIT, SCALE_FREE, ColumnPair, Sign
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


# A space, the options, the training set and the numbers -> a richer space, or None.
Enrichment: TypeAlias = Callable[
    [RuleSpace, GrowOptions, TrainingSet, DistillConfig], RuleSpace | None
]


def with_column_pairs(
    space: RuleSpace,
    options: GrowOptions,
    training: TrainingSet,
    config: DistillConfig,
    same_unit: Sequence[Sequence[str]] = (),
) -> RuleSpace | None:
    """The space with pairs of the columns that matter most; None if that is too much work."""
    richer = replace(space, pairs=choose_pairs(training, config.n_paired, same_unit))
    is_affordable = _work(richer, options, training) <= config.most_work
    return richer if richer.pairs and is_affordable else None


def with_longer_rules(
    space: RuleSpace, options: GrowOptions, training: TrainingSet, config: DistillConfig
) -> RuleSpace | None:
    """The space with one question more per rule; None if that is too much work."""
    richer = replace(space, max_rules=space.max_rules + 1)
    is_affordable = _work(richer, options, training) <= config.most_work
    return richer if is_affordable else None


def _work(space: RuleSpace, options: GrowOptions, training: TrainingSet) -> float:
    """About what the first search of a tree with these rules costs."""
    table, n_pairs = training.cases.table, len(space.pairs)
    n_segments = n_thresholds(options.n_segments, table, n_pairs)
    n_questions = count_questions(table, n_segments, options.max_levels)
    if training.asked_columns is not None:
        n_questions = n_questions[training.asked_columns]
    n_classes = int(training.cases.labels.max()) + 1
    n_asked = n_questions.sum() + n_pairs * n_segments
    return float(search_work(training.n_rows, n_asked, n_classes, space.max_rules))


def choose_pairs(
    training: TrainingSet, n_paired: int, same_unit: Sequence[Sequence[str]] = ()
) -> tuple[ColumnPair, ...]:
    """Pair the numeric columns that matter most: product and ratio of any two.

    In each group of columns of the same unit, sum and difference of those that matter most, too.
    """
    importances = training.teacher.importances
    if importances is None:
        return ()
    columns = [training.cases.table.columns[k] for k in np.argsort(-importances, kind="stable")]
    pairs = [*_pairs_of(_first_numbers(columns, n_paired), SCALE_FREE)]
    for group in same_unit:
        own = [column for column in columns if column.info.name in group]
        pairs += _pairs_of(_first_numbers(own, n_paired), SAME_UNIT)
    return tuple(dict.fromkeys(pairs))


def _first_numbers(columns: Sequence[Column], n_wanted: int) -> list[str]:
    """Names of the first numeric columns that a pair can be made of."""
    numeric = (c for c in columns if c.info.is_number and _has_many_values(c))
    return [column.info.name for column in itertools.islice(numeric, n_wanted)]


def _pairs_of(names: Sequence[str], signs: Sequence[Sign]) -> Iterator[ColumnPair]:
    for first, second in itertools.combinations(names, 2):
        yield from (ColumnPair(first, sign, second) for sign in signs)


def _has_many_values(column: Column) -> bool:
    """Whether there are more than two, which need no pair."""
    numbers = column.numbers()
    known = numbers[~np.isnan(numbers)]
    return bool(len(known) and ((known != known.min()) & (known != known.max())).any())
