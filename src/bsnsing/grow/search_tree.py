"""search_tree(): the best rules at the nodes of a tree that is there already."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bsnsing.data.cases import Cases
from bsnsing.engine.base import Engine
from bsnsing.grow.options import GrowOptions
from bsnsing.questions.coded import CodedRule
from bsnsing.questions.pair import ColumnPair
from bsnsing.rules.criteria import CRITERIA
from bsnsing.rules.deadline import Deadline
from bsnsing.rules.split import Found
from bsnsing.solvers.nodes import make_node_solver
from bsnsing.tree.tree import Tree


class BestRule(NamedTuple):
    """What a search at a node comes to, in the unit of the user's weights."""

    objective: float  # infinite where no rule is feasible, or none was found
    bound: float
    is_complete: bool  # False if a limit cut the search short
    n_counted: float
    n_excluded: float


def search_tree(
    tree: Tree, is_wanted: NDArray[np.bool_], cases: Cases, options: GrowOptions, deadline: Deadline
) -> dict[int, BestRule]:
    """Return what a search finds at each wanted node, the tree's own rules parting the cases."""
    n_classes = max(2, len(tree.classes))
    engine_options = options.engine_options(cases.table)
    engine = options.make_engine(cases, n_classes, engine_options)
    solver = make_node_solver(options.solver, engine_options, cases, n_classes)
    leads_on = _leads_to(tree, is_wanted)
    n_waiting = int(is_wanted.sum())
    unit = cases.weights.unit ** CRITERIA[options.search.criterion].unit_power
    best: dict[int, BestRule] = {}
    level = (
        {0: 0} if is_wanted[0] or leads_on[0] else {}
    )  # nodes of the engine by those of the tree
    while level:
        searched = [node for node in level if is_wanted[node]]
        seconds = deadline.left() * len(searched) / max(1, n_waiting)
        chosen = solver.choose(engine, [level[node] for node in searched], seconds)
        for node, found in zip(searched, chosen, strict=True):
            best[node] = _best_rule(found, unit)
        n_waiting -= len(searched)
        level = _split(tree, level, leads_on, engine, engine_options.pairs)
    return best


def _best_rule(found: Found | None, unit: float) -> BestRule:
    if found is None:  # nothing was worth asking
        return BestRule(math.inf, math.inf, True, 0.0, 0.0)
    objective = found.objective / unit if found.questions else math.inf
    bound = max(0.0, found.bound / unit)  # no criterion is negative
    return BestRule(objective, bound, found.optimal, found.n_counted, found.n_excluded)


def _split(
    tree: Tree,
    level: dict[int, int],
    leads_on: NDArray[np.bool_],
    engine: Engine,
    pairs: Sequence[ColumnPair],
) -> dict[int, int]:
    """Part the cases of a level's nodes by the tree's own rules; return the nodes to go on with."""
    parted = [node for node in level if leads_on[node]]
    children = engine.split(
        [level[node] for node in parted], [_coded_rule(tree, node, pairs) for node in parted]
    )
    below = {}
    for node, pair in zip(parted, children, strict=True):
        below[int(tree.children_left[node])], below[int(tree.children_right[node])] = pair
    engine.close([own for node, own in level.items() if not leads_on[node]])
    return below


def _leads_to(tree: Tree, is_wanted: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Which nodes have a wanted one below them."""
    leads_on = np.zeros(tree.n_nodes, dtype=bool)
    for v in reversed(np.flatnonzero(~tree.is_leaf)):  # children come after their parents
        children = [tree.children_left[v], tree.children_right[v]]
        leads_on[v] = (is_wanted[children] | leads_on[children]).any()
    return leads_on


def _coded_rule(tree: Tree, node: int, pairs: Sequence[ColumnPair]) -> CodedRule:
    """The rule of a node, to an engine that has these pairs behind its columns."""
    n_columns = len(tree.columns)
    span = range(tree.first_question[node], tree.first_question[node + 1])
    questions = []
    for position, test, value, levels in map(tree.coded_question, span):
        is_pair = position >= n_columns
        place = n_columns + pairs.index(tree.pairs[position - n_columns]) if is_pair else position
        questions.append((place, test, value, levels))
    negated = [bool(tree.question_negated[i]) for i in span]
    return CodedRule(questions, negated, int(tree.operator[node]))
