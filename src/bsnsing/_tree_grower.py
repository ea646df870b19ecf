"""TreeGrower: one tree from rows or from a lesson about them, grown, counted and pruned."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bsnsing._auto import first_rule_size, most_thresholds, parent_cases, price_per_leaf
from bsnsing._engine import EngineOptions, encode_table, make_engine
from bsnsing._extra import pairs_in, to_fields
from bsnsing._floor import RowImpurity
from bsnsing._grow import Limits, TreeBuilder, grow_tree
from bsnsing._language import Language, choose_language
from bsnsing._pairs import ColumnPair, with_pairs
from bsnsing._params import effective_n_threads
from bsnsing._predict import find_leaves
from bsnsing._prune import (
    best_subtree,
    bypass_small_children,
    drop_unasked_pairs,
    prune_by_cost,
)
from bsnsing._questions import Question
from bsnsing._teacher import Lesson, count_cases
from bsnsing._tree import Tree
from bsnsing.constraints import SubjectLimits, read_constraints
from bsnsing.solvers.nodes import make_node_solver

# Squared criteria scale with the square of the unit of weight.
_SQUARED = ("gini_squared", "error")


@dataclass(frozen=True, slots=True)
class TreeGrower:
    """What the trees of one fit have in common."""

    parameters: Any  # a BsnsingClassifier, for its parameters alone
    lesson: Lesson | None  # what a teacher makes of the rows
    min_samples_leaf: int
    ccp_alpha: float
    n_cases: float
    extra: Sequence[Question] = ()  # questions from elsewhere
    teach: Callable[[Sequence[ColumnPair]], Lesson | None] | None = None  # a lesson with pairs

    def grow(
        self, real: Lesson, classes: NDArray[Any], class_weight: NDArray[np.float64] | None
    ) -> Tree:
        """Grow a tree on real rows, or on the lesson about them."""
        parameters, lesson = self.parameters, self.lesson
        given = pairs_in(self.extra, real.table.info)
        simple = Language(first_rule_size(parameters.max_rules), given=given)
        if lesson is None:
            tree = self._grow_on(real, simple, classes, class_weight)
        else:
            tree = self._grow_taught(real, lesson, simple, classes, class_weight)
        shrinkage = parent_cases(parameters.shrinkage, is_taught=lesson is not None)
        tree = prune_by_cost(replace(tree, shrinkage=shrinkage), self.ccp_alpha)
        n_leaves = parameters.max_leaf_nodes
        return tree if n_leaves is None else best_subtree(tree, n_leaves)

    def _grow_taught(
        self,
        real: Lesson,
        lesson: Lesson,
        simple: Language,
        classes: NDArray[Any],
        class_weight: NDArray[np.float64] | None,
    ) -> Tree:
        def grow_in(language: Language, lesson: Lesson = lesson) -> Tree:
            tree = self._grow_on(lesson, language, classes, class_weight)
            return self._count_cases(tree, real, lesson)

        if not self._may_be_richer():
            return grow_in(simple)
        auto = price_per_leaf(self.n_cases, lesson.n_classes, lesson.noise, lesson.unexplained)
        price = max(auto, self.ccp_alpha)
        language, tree = choose_language(simple, self.parameters, lesson, price, grow_in)
        if language.pairs and self.teach is not None and lesson.n_real < lesson.table.n_rows:
            # A teacher that sees the pairs knows better where classes part, if it errs less. With
            # so many rows that none are made up, they show it themselves.
            better = self.teach(language.pairs)
            if better is not None and better.noise < lesson.noise:
                return grow_in(language, better)
        return tree

    def _may_be_richer(self) -> bool:
        """Whether nothing but the exact search decides what rules say."""
        given = self.parameters
        return given.solver == "enum" and given.own_questions and given.constraints is None

    def _count_cases(self, tree: Tree, real: Lesson, lesson: Lesson) -> Tree:
        """Give a taught tree the real cases as its counts, beside what it was taught.

        Splits of which one side holds too few real cases go; those few then go the other way.
        """
        n_threads = effective_n_threads(self.parameters.n_jobs)
        n_nodes = 0
        while n_nodes != tree.n_nodes:
            n_nodes = tree.n_nodes
            leaves = find_leaves(tree, real.table, n_threads)
            tree = replace(tree, counts=count_cases(tree, leaves, real.codes, real.weights))
            tree = bypass_small_children(tree, self.min_samples_leaf)
        leaves = find_leaves(tree, lesson.table, n_threads)
        taught = count_cases(tree, leaves, lesson.codes, lesson.weights)
        # Made-up rows show where classes part, but real ones how many there are of each.
        softened = count_cases(tree, leaves[: lesson.n_real], lesson.codes, lesson.weights)
        n_cases = tree.counts[0].sum()
        return replace(
            tree,
            taught=taught * (n_cases / taught[0].sum()),
            softened=softened * (n_cases / softened[0].sum()),
        )

    def _grow_on(
        self,
        cases: Lesson,
        language: Language,
        classes: NDArray[Any],
        class_weight: NDArray[np.float64] | None,
    ) -> Tree:
        parameters, weights = self.parameters, cases.weights
        n_classes = max(2, len(classes))  # a single class gets an empty partner
        options = self._engine_options(cases, language, class_weight)
        cases = replace(cases, table=with_pairs(cases.table, language.all_pairs))
        columns = encode_table(
            cases.table,
            max_bins=parameters.max_bins,
            # Thresholds given by hand must be met exactly, so their columns keep all values.
            unbinned={question[0] for question in options.extra_questions},
            counts=weights.counts,
            n_threads=options.n_threads,
        )
        has_missing = tuple(columns.has_missing())
        engine = make_engine(columns, cases.codes, n_classes, weights, options)
        limits = Limits(
            max_depth=np.inf if parameters.max_depth is None else parameters.max_depth,
            min_leaf=options.min_samples_leaf * weights.unit,
            stop_prob=parameters.stop_prob,
            ccp_alpha=self.ccp_alpha,
        )
        counted = np.ones(n_classes) if class_weight is None else class_weight
        solver = make_node_solver(parameters, options, cases.codes, n_classes, weights)
        power = 2 if parameters.criterion in _SQUARED else 1

        def finish(builder: TreeBuilder) -> Tree:
            return builder.finish(cases.table.info, has_missing, classes, weights.unit, power)

        own = RowImpurity.of(cases, counted) if self.ccp_alpha > 0 else None
        builder = grow_tree(
            engine,
            solver,
            limits,
            TreeBuilder(counted),
            None if own is None else lambda b: own.of_nodes(finish(b), options.n_threads),
        )
        builder.class_weight = counted[: len(classes)]
        return _name_pairs(finish(builder), language.all_pairs)

    def _engine_options(
        self, cases: Lesson, language: Language, class_weight: NDArray[np.float64] | None
    ) -> EngineOptions:
        given, info = self.parameters, cases.table.info
        n_pairs, n_all = len(language.pairs), len(language.all_pairs)
        return EngineOptions(
            criterion=given.criterion,
            operators=tuple(given.operators),
            max_rules=language.max_rules,
            # A child with enough real cases has so much weight; made-up ones may add to it.
            min_samples_leaf=float(self.min_samples_leaf * cases.case),
            distinct_children=bool(given.distinct_children),
            time_limit=np.inf if given.time_limit is None else float(given.time_limit),
            greedy_level=float(given.greedy_level) if given.solver == "greedy" else None,
            n_segments=most_thresholds(given.n_segments, cases.table, n_pairs),
            max_levels=given.max_levels,
            max_values_as_levels=given.max_values_as_levels,
            bin_size=float(given.bin_size),
            own_questions=bool(given.own_questions),
            extra_questions=to_fields(self.extra, info, language.all_pairs),
            class_weight=class_weight,
            limits=self._subject_limits(cases, language),
            given_only=range(len(info) + n_pairs, len(info) + n_all),
            n_threads=effective_n_threads(given.n_jobs),
        )

    def _subject_limits(self, cases: Lesson, language: Language) -> SubjectLimits | None:
        """Limits on what rules may ask about: the user's, else those of a wide table's lesson."""
        given, n_pairs = self.parameters, len(language.all_pairs)
        if given.constraints is not None and n_pairs > 0:
            raise ValueError(
                f"extra_questions asks about '{language.all_pairs[0]}', but constraints are about "
                "single columns. Add the pair to the table as a column, or leave one of them out."
            )
        if given.constraints is None and not self.extra and cases.asked is not None:
            return SubjectLimits(np.append(cases.asked, np.ones(n_pairs, dtype=bool)))
        names = [info.name for info in cases.table.info]
        return read_constraints(given.constraints, names, language.max_rules)


def _name_pairs(tree: Tree, pairs: tuple[ColumnPair, ...]) -> Tree:
    """Tell apart what the engine takes for columns alike: those of the table, and pairs."""
    if not pairs:
        return tree
    named = replace(tree, columns=tree.columns[: -len(pairs)], pairs=pairs)
    return drop_unasked_pairs(named, np.ones(tree.n_questions, dtype=bool))
