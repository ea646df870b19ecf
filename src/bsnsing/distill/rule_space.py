"""How much rules may say: more questions, or numbers made of two columns."""

from __future__ import annotations

import itertools
from dataclasses import dataclass, replace

import numpy as np

from bsnsing.data.columns import Column
from bsnsing.distill.config import DistillConfig
from bsnsing.distill.training_set import TrainingSet
from bsnsing.distill.work import count_questions, search_work
from bsnsing.grow.options import GrowOptions
from bsnsing.questions.pair import SCALE_FREE, ColumnPair
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


def choose_pairs(training: TrainingSet, n_paired: int) -> tuple[ColumnPair, ...]:
    """Pair the numeric columns that matter most: product and ratio of any two, free of units."""
    importances = training.teacher.importances
    if importances is None:
        return ()
    columns = [training.cases.table.columns[k] for k in np.argsort(-importances, kind="stable")]
    numeric = (column for column in columns if column.info.kind == "numeric")
    names = [c.info.name for c in itertools.islice(filter(_has_many_values, numeric), n_paired)]
    return tuple(
        ColumnPair(a, sign, b) for a, b in itertools.combinations(names, 2) for sign in SCALE_FREE
    )


def _has_many_values(column: Column) -> bool:
    """Whether there are more than two, which need no pair."""
    numbers = column.numbers()
    return len(np.unique(numbers[~np.isnan(numbers)])) > 2
