"""FirstRules: rules that the first levels of a tree ask, whatever a search would choose."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from bsnsing.data.cases import Cases
from bsnsing.engine.base import Engine, EngineOptions
from bsnsing.grow.builder import OpenNode
from bsnsing.grow.search_tree import coded_rule as rule_at
from bsnsing.questions.coded import CodedRule, QuestionEncoder
from bsnsing.rules.split import Found
from bsnsing.tree.prune import Held
from bsnsing.tree.rule import OPERATORS, Rule
from bsnsing.tree.tree import Tree

# Objectives that differ by less, relatively, are equal: sums are rounded.
_ROUNDING = 1e-11


class FirstRules:
    """Gives the nodes of each of the first levels the rule of that level.

    A node where the rule breaks a limit, or leaves too few cases on one side, is left to the
    search.
    """

    def __init__(self, rules: Sequence[Rule], cases: Cases, options: EngineOptions) -> None:
        encoder = QuestionEncoder(cases.table.info, options.pairs)
        self.rules = [coded_rule(rule, encoder) for rule in rules]
        self.limits = options.limits

    def given(self, engine: Engine, nodes: Sequence[OpenNode]) -> dict[int, Found]:
        """Return the rules of nodes that have one, by their numbers in the tree."""
        given = {}
        for node in nodes:
            if node.depth >= len(self.rules) or _n_classes(engine, node) < 2:
                continue
            rule = self.rules[node.depth]
            if self._may_ask(rule):
                found = engine.evaluate(node.engine_node, rule)
                if found is not None:
                    given[node.tree_node] = found._replace(is_worthwhile=True)
        return given

    def _may_ask(self, rule: CodedRule) -> bool:
        limits = self.limits
        return limits is None or all(limits.allowed[question[0]] for question in rule.questions)


def coded_rule(rule: Rule, encoder: QuestionEncoder) -> CodedRule:
    """Return a rule as the engines of the encoder's table know it."""
    return CodedRule(
        [encoder.encode(question) for question in rule.questions],
        list(rule.negated),
        OPERATORS.index(rule.operator),
    )


def beside(given: Found, best: Found | None) -> Found:
    """Return a given rule with what a search has proven of all rules of its node."""
    if best is None:
        return given
    bound = min(best.bound, given.objective)
    is_best = best.optimal and given.objective <= best.bound * (1 + _ROUNDING)
    return given._replace(
        bound=bound, optimal=is_best, n_counted=best.n_counted, n_excluded=best.n_excluded
    )


def held_by(rules: Sequence[Rule]) -> Held | None:
    """Return what marks the nodes that ask the rules of their levels, or None without rules."""
    if not rules:
        return None

    def held(tree: Tree) -> NDArray[np.bool_]:
        marked = np.zeros(tree.n_nodes, dtype=bool)
        for node in np.flatnonzero((tree.depth < len(rules)) & ~tree.is_leaf).tolist():
            marked[node] = asks(tree, node, rules[tree.depth[node]])
        return marked

    return held


def asks(tree: Tree, node: int, rule: Rule) -> bool:
    """Whether a node asks a rule, in whatever words: "smoker is true" is "smoker == 1"."""
    if tree.is_leaf[node]:
        return False
    try:
        wanted = coded_rule(rule, QuestionEncoder(tree.columns, tree.pairs))
    except ValueError:  # a pair of columns that the tree does not ask about
        return False
    return rule_at(tree, node, tree.pairs) == wanted


def _n_classes(engine: Engine, node: OpenNode) -> int:
    return sum(n > 0 for n in engine.class_totals(node.engine_node))
