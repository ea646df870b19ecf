"""rank_at(): the best rules of a node, in order, for experts to choose from."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bsnsing.data.cases import Cases
from bsnsing.engine.base import Engine
from bsnsing.grow.builder import OpenNode, TreeBuilder
from bsnsing.grow.donors import NodeDonors
from bsnsing.grow.given import pair_questions
from bsnsing.grow.guard import Guard, guard_of
from bsnsing.grow.options import GrowOptions
from bsnsing.grow.origins import Origins
from bsnsing.grow.rank_limits import NodeRules, question_limits
from bsnsing.grow.search_tree import coded_rule
from bsnsing.questions.coded import CodedQuestion, decode_question
from bsnsing.questions.pair import ColumnPair
from bsnsing.questions.question import OWN
from bsnsing.rules.criteria import CRITERIA
from bsnsing.rules.knowledge import NodeLimits
from bsnsing.rules.split import Found, PoolRule, Split, split_from_rule
from bsnsing.solvers.pool import PoolSearch
from bsnsing.solvers.ranking import judge_rule, rank_rules
from bsnsing.tree.decide import split_weights
from bsnsing.tree.rounding import in_units
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
        Value of the criterion; the smaller, the better. What classes weigh, and what columns cost
        that are not asked about above, is in it.
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
    tree: Tree,
    node: int,
    rows: NDArray[np.intp],
    cases: Cases,
    options: GrowOptions,
    k: int,
    *,
    cuts_units: bool = True,
) -> list[Alternative]:
    """Return the ``k`` best rules for the rows that come to a node, and the node's own rule.

    They keep what the options know of columns, given the rules of all other nodes. ``cuts_units``
    tells whether whole numbers are cut between whole numbers, and days between days.
    """
    if len(rows) == 0:
        raise ValueError("No row of X comes to the node, so there are no rules to compare.")
    pool = _AskedPool.at(tree, node, cases, options, cuts_units=cuts_units)
    if not np.array_equal(pool.rows, rows) or not pool.has_own:
        # Its thresholds are not those that bins make, so that only the cells themselves tell.
        exact = replace(options, max_bins=None)
        pool = _AskedPool.at(tree, node, cases, exact, cuts_units=cuts_units)
    return pool.ranked(k)


@dataclass(frozen=True, slots=True)
class _AskedPool:
    """The questions that a node's rows give rise to, and the answers to them."""

    search: PoolSearch
    questions: list[CodedQuestion]
    own: PoolRule | None  # the node's rule; its questions may be beside the pool
    has_own: bool  # whether they are in it
    rows: NDArray[np.int64]
    tree: Tree
    pairs: tuple[ColumnPair, ...]
    origins: list[str]  # of the questions
    node_rules: NodeRules

    @classmethod
    def at(
        cls, tree: Tree, node: int, cases: Cases, options: GrowOptions, *, cuts_units: bool
    ) -> _AskedPool:
        n_classes = max(2, len(tree.classes))
        options = replace(options, extra_questions=pair_questions(tree.rules, options))
        engine_options = options.engine_options(cases.table)
        pairs = tuple(engine_options.pairs)
        engine = options.make_engine(cases, n_classes, engine_options)
        weights = split_weights(options.weights(n_classes), options.costs)
        guard = guard_of(options, engine_options, cases, weights.tolist())
        place, limits = _walk_to(tree, node, engine, pairs, guard)
        origins = Origins(engine_options.allowed_origins())
        if options.learners:
            NodeDonors(options, engine_options, cases, n_classes, origins).give(engine, [place])
        asked = engine.ask([place])[0]
        own = coded_rule(tree, node, pairs)
        names = origins.of_pool(place, len(asked))
        if cuts_units:
            asked = in_units(asked, [name == OWN for name in names], cases.table)
        questions = list(asked)
        for i, question in enumerate(own.questions, start=int(tree.first_question[node])):
            if question not in asked:
                questions.append(question)
                names.append(tree.origin_of(i))
        answers, rows = engine.answers(place, questions)
        here = cases.take(rows)
        is_asked = np.arange(len(questions)) < len(asked)
        split_weight = options.split_weight
        search = PoolSearch(
            answers=np.ascontiguousarray(answers),
            labels=here.labels,
            n_classes=n_classes,
            weights=here.weights,
            options=replace(options.search, greedy_level=None),
            limits=question_limits(questions, is_asked, engine_options.limits, limits),
            split_weights=None if split_weight is None else tuple(split_weight.tolist()),
        )
        node_rules = NodeRules(
            questions=questions,
            columns=tree.columns,
            totals=here.weights.class_totals(here.labels, n_classes),
            weights=weights,
            limits=limits,
            monotone=None if guard is None else guard.monotone,
            ordered_class=0 if guard is None else guard.knowledge.target,
        )
        rule = None
        if own.questions:
            positions = [questions.index(question) for question in own.questions]
            rule = judge_rule(search, positions, own.negated, OPERATORS[own.operator])
            rule = rule._replace(objective=rule.objective + _price(node_rules, rule))
        has_own = len(questions) == len(asked)
        return cls(search, questions, rule, has_own, rows, tree, pairs, names, node_rules)

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
        objectives = list(map(self._objective, rules, splits))
        return [
            Alternative(
                rule=self._named(rule),
                objective=objective,
                loss=objective - objectives[0],
                is_proven=split.optimal,
                is_own=own is not None and _is_same(own, rule),
                yes_counts=split.left_counts,
                no_counts=split.right_counts,
            )
            for rule, split, objective in zip(rules, splits, objectives, strict=True)
        ]

    def _objective(self, rule: PoolRule, split: Split) -> float:
        """What a rule comes to: by the criterion, with what classes weigh and columns cost."""
        search = self.search
        if search.split_weights is None and not self.node_rules.limits.prices:
            return split.objective
        unit_power = CRITERIA[search.options.criterion].unit_power
        return float(rule.objective / search.weights.unit**unit_power)

    def _best(self, k: int) -> list[PoolRule]:
        """The best rules, of those that say the same the first: x <= 3, or not x > 3."""
        n_ranked = k
        while True:
            ranked = rank_rules(self.search, n_ranked, self.node_rules.further())
            found: dict[Any, PoolRule] = {}
            for rule in ranked:
                found.setdefault(self._said(rule), rule)
            if len(found) >= k or len(ranked) < n_ranked:
                return list(found.values())[:k]
            n_ranked *= 2

    def _said(self, rule: PoolRule) -> tuple[Any, ...]:
        """What a rule says of the rows: the columns it asks about, and how it parts them."""
        columns = sorted(self.questions[q][0] for q in rule.questions)
        yes = self._answers(rule)
        options = self.search.options
        if options.criterion == "error" or options.distinct_children:  # which side is "yes" matters
            return tuple(columns), yes.tobytes()
        return tuple(columns), min(yes.tobytes(), (~yes).tobytes())

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
        places = [self.questions[q][0] for q in rule.questions]
        is_column = [place < len(columns) for place in places]
        facts = list(zip(places, is_column, strict=True))
        missing = tuple(is_one and bool(self.tree.has_missing[place]) for place, is_one in facts)
        boolean = tuple(is_one and columns[place].kind == "boolean" for place, is_one in facts)
        return Rule(tuple(named), tuple(rule.negated), rule.operator, missing, boolean)


def _is_same(first: PoolRule, second: PoolRule) -> bool:
    def form(rule: PoolRule) -> tuple[Any, ...]:
        literals = sorted(zip(rule.questions, rule.negated, strict=True))
        return rule.operator if len(literals) > 1 else "or", literals

    return form(first) == form(second)


def _price(node_rules: NodeRules, rule: PoolRule) -> float:
    return node_rules.price(rule) if node_rules.limits.prices else 0.0


def _walk_to(
    tree: Tree, node: int, engine: Engine, pairs: tuple[ColumnPair, ...], guard: Guard | None
) -> tuple[int, NodeLimits]:
    """Part the rows by the rules on the way to a node; return its number in the engine.

    Return also what its rules keep, given those above it, and the columns of all others.
    """
    parent, way = tree.parent, [node]
    while parent[way[-1]] >= 0:
        way.append(int(parent[way[-1]]))
    place, counted = 0, TreeBuilder()
    counted.counts = [[]] * tree.n_nodes
    counted.counts[0] = engine.class_totals(0)
    for above, below in zip(way[:0:-1], way[-2::-1], strict=True):
        rule = coded_rule(tree, above, pairs)
        ((yes, no),) = engine.split([place], [rule])
        children = [
            OpenNode(int(tree.children_left[above]), yes, 0),
            OpenNode(int(tree.children_right[above]), no, 0),
        ]
        for child in children:
            counted.counts[child.tree_node] = engine.class_totals(child.engine_node)
        if guard is not None:
            found = Found(True, *rule, [], np.nan, np.nan, False, 0.0, 0.0, 0.0)
            guard.split(OpenNode(above, place, 0), found, children, counted)
        place = yes if tree.children_left[above] == below else no
    if guard is None:
        return place, NodeLimits()
    span = range(int(tree.first_question[node]), int(tree.first_question[node + 1]))
    others = [column for i, column in enumerate(tree.question_column.tolist()) if i not in span]
    guard.used = {column for column in others if column < len(tree.columns)}
    return place, guard.limits_at(node, counted)
