"""rank_at(): the best rules of a node, in order, for experts to choose from."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bsnsing.data.cases import Cases
from bsnsing.engine.base import Engine
from bsnsing.grow.donors import NodeDonors
from bsnsing.grow.given import pair_questions
from bsnsing.grow.options import GrowOptions
from bsnsing.grow.origins import Origins
from bsnsing.grow.search_tree import coded_rule
from bsnsing.questions.coded import CodedQuestion, decode_question
from bsnsing.questions.pair import ColumnPair
from bsnsing.rules.constraints import QuestionLimits
from bsnsing.rules.split import PoolRule, Split, split_from_rule
from bsnsing.solvers.pool import PoolSearch
from bsnsing.solvers.ranking import judge_rule, rank_rules
from bsnsing.tree.rule import OPERATORS, Rule
from bsnsing.tree.tree import Tree


@dataclass(frozen=True, slots=True)
class Alternative:
    """One of the best rules of a node.

    Attributes
    ----------
    rule : Rule
        The rule.
    objective : float
        Value of the criterion; the smaller, the better.
    loss : float
        How much more that is than with the best rule.
    is_proven : bool
        Whether no better rule is missing before it.
    is_own : bool
        Whether it is the node's rule as it stands.
    yes_counts, no_counts : ndarray of shape (n_classes,)
        Cases per class that answer yes, and no.
    """

    rule: Rule
    objective: float
    loss: float
    is_proven: bool
    is_own: bool
    yes_counts: NDArray[Any]
    no_counts: NDArray[Any]

    def __str__(self) -> str:
        cases = f"{self.yes_counts.sum():g} yes, {self.no_counts.sum():g} no"
        own = "; the node's own" if self.is_own else ""
        return f"{self.rule.text()}   [{self.objective:.6g}, loses {self.loss:.4g}; {cases}{own}]"


def rank_at(
    tree: Tree, node: int, rows: NDArray[np.intp], cases: Cases, options: GrowOptions, k: int
) -> list[Alternative]:
    """Return the ``k`` best rules for the rows that come to a node, and the node's own rule."""
    if len(rows) == 0:
        raise ValueError("No row of X comes to the node, so there are no rules to compare.")
    is_bound = options.constraints is not None or options.knowledge is not None
    if options.split_weight is not None or is_bound:
        raise ValueError(
            "Alternatives are ranked without class_weight, cost, constraints, monotonic_cst, "
            "max_columns and column_costs. Set them to None."
        )
    pool = _AskedPool.at(tree, node, cases, options)
    if not np.array_equal(pool.rows, rows) or not pool.has_own:
        # Its thresholds are not those that bins make, so that only the cells themselves tell.
        pool = _AskedPool.at(tree, node, cases, replace(options, max_bins=None))
    return pool.ranked(k)


@dataclass(frozen=True, slots=True)
class _AskedPool:
    """The questions that a node's rows give rise to, and the answers to them."""

    search: PoolSearch
    questions: list[CodedQuestion]
    own: PoolRule | None  # the node's rule; its questions may be beside the pool
    rows: NDArray[np.int64]
    tree: Tree
    pairs: tuple[ColumnPair, ...]
    origins: list[str]  # of the questions

    @classmethod
    def at(cls, tree: Tree, node: int, cases: Cases, options: GrowOptions) -> _AskedPool:
        n_classes = max(2, len(tree.classes))
        options = replace(options, extra_questions=pair_questions(tree.rules, options))
        engine_options = options.engine_options(cases.table)
        pairs = tuple(engine_options.pairs)
        engine = options.make_engine(cases, n_classes, engine_options)
        place = _walk_to(tree, node, engine, pairs)
        origins = Origins(engine_options.allowed_origins())
        if options.learners:
            NodeDonors(options, engine_options, cases, n_classes, origins).give(engine, [place])
        asked = engine.ask([place])[0]
        own = coded_rule(tree, node, pairs)
        questions, names = list(asked), origins.of_pool(place, len(asked))
        for i, question in enumerate(own.questions, start=int(tree.first_question[node])):
            if question not in asked:
                questions.append(question)
                names.append(tree.origin_of(i))
        answers, rows = engine.answers(place, questions)
        here = cases.take(rows)
        search = PoolSearch(
            answers=np.ascontiguousarray(answers),
            labels=here.labels,
            n_classes=n_classes,
            weights=here.weights,
            options=replace(options.search, greedy_level=None),
            limits=QuestionLimits(allowed=np.arange(len(questions)) < len(asked)),
        )
        rule = None
        if own.questions:
            positions = [questions.index(question) for question in own.questions]
            rule = judge_rule(search, positions, own.negated, OPERATORS[own.operator])
        return cls(search, questions, rule, rows, tree, pairs, names)

    @property
    def has_own(self) -> bool:
        """Whether the questions of the node's rule are among those asked."""
        allowed = self.search.limits.allowed
        return self.own is None or allowed is None or bool(allowed[list(self.own.questions)].all())

    def ranked(self, k: int) -> list[Alternative]:
        allowed = self.search.limits.allowed
        rules = self._best(k) if allowed is None or allowed.any() else []
        own = self.own
        if own is not None:
            rules = [
                own._replace(optimal=rule.optimal) if self._said(own) == self._said(rule) else rule
                for rule in rules
            ]
        if own is not None and not any(_is_same(own, rule) for rule in rules):
            is_complete = not rules or rules[0].optimal
            place = sum(rule.objective <= own.objective for rule in rules)
            rules.insert(place, own._replace(optimal=is_complete and place < len(rules)))
        splits = [self._split(rule) for rule in rules]
        return [
            Alternative(
                rule=self._named(rule),
                objective=split.objective,
                loss=split.objective - splits[0].objective,
                is_proven=split.optimal,
                is_own=own is not None and _is_same(own, rule),
                yes_counts=split.left_counts,
                no_counts=split.right_counts,
            )
            for rule, split in zip(rules, splits, strict=True)
        ]

    def _best(self, k: int) -> list[PoolRule]:
        """The best rules, of those that say the same the first: x <= 3, or not x > 3."""
        n_ranked = k
        while True:
            ranked = rank_rules(self.search, n_ranked)
            found: dict[Any, PoolRule] = {}
            for rule in ranked:
                found.setdefault(self._said(rule), rule)
            if len(found) >= k or len(ranked) < n_ranked:
                return list(found.values())[:k]
            n_ranked *= 2

    def _said(self, rule: PoolRule) -> tuple[Any, ...]:
        """What a rule says of the rows: the columns it asks about, and its answers."""
        columns = sorted(self.questions[q][0] for q in rule.questions)
        return tuple(columns), self._answers(rule).tobytes()

    def _answers(self, rule: PoolRule) -> NDArray[np.bool_]:
        own = self.search.answers[:, list(rule.questions)].astype(bool) != np.array(rule.negated)
        joined = {"or": np.logical_or, "and": np.logical_and, "xor": np.logical_xor}[rule.operator]
        return np.asarray(joined.reduce(own, axis=1), dtype=bool)

    def _split(self, rule: PoolRule) -> Split:
        search = self.search
        totals = search.weights.class_totals(search.labels, search.n_classes)
        n_classes = len(self.tree.classes)
        return split_from_rule(rule, totals, search.weights, search.options.criterion, n_classes)

    def _named(self, rule: PoolRule) -> Rule:
        columns, pairs = self.tree.columns, self.pairs
        named = [
            decode_question(self.questions[q], columns, pairs, self.origins[q])
            for q in rule.questions
        ]
        missing = tuple(
            bool(self.tree.has_missing[self.questions[q][0]])
            if self.questions[q][0] < len(columns)
            else False
            for q in rule.questions
        )
        return Rule(tuple(named), tuple(rule.negated), rule.operator, missing)


def _is_same(first: PoolRule, second: PoolRule) -> bool:
    def form(rule: PoolRule) -> tuple[Any, ...]:
        literals = sorted(zip(rule.questions, rule.negated, strict=True))
        return rule.operator if len(literals) > 1 else "or", literals

    return form(first) == form(second)


def _walk_to(tree: Tree, node: int, engine: Engine, pairs: tuple[ColumnPair, ...]) -> int:
    """Part the rows by the rules on the way to a node; return its number in the engine."""
    parent, way = tree.parent, [node]
    while parent[way[-1]] >= 0:
        way.append(int(parent[way[-1]]))
    place = 0
    for above, below in zip(way[:0:-1], way[-2::-1], strict=True):
        ((yes, no),) = engine.split([place], [coded_rule(tree, above, pairs)])
        place = yes if tree.children_left[above] == below else no
    return place
