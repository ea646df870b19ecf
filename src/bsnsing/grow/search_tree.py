"""search_tree(): the best rules at the nodes of a tree that is there already."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bsnsing.data.cases import Cases
from bsnsing.engine.base import Engine
from bsnsing.grow.node_solver import node_solver
from bsnsing.grow.options import GrowOptions
from bsnsing.grow.origins import Origins
from bsnsing.questions.coded import CodedRule
from bsnsing.questions.pair import ColumnPair
from bsnsing.rules.criteria import CRITERIA
from bsnsing.rules.deadline import Deadline
from bsnsing.rules.knowledge import NodeLimits
from bsnsing.rules.split import Found
from bsnsing.solvers.base import Solver
from bsnsing.tree.tree import Tree


class BestRule(NamedTuple):
    """What a search at a node comes to, in the unit of the user's weights."""

    objective: float  # infinite where no rule is feasible, or none was found
    bound: float
    is_complete: bool  # False if a limit cut the search short
    n_counted: float
    n_excluded: float


def search_tree(
    tree: Tree,
    is_wanted: NDArray[np.bool_],
    cases: Cases,
    options: GrowOptions,
    deadline: Deadline,
    limits: Mapping[int, NodeLimits] | None = None,
) -> dict[int, BestRule]:
    """Return what a search finds at each wanted node, the tree's own rules parting the cases.

    ``limits`` are what the rules of each wanted node keep beside what all do, if anything; they
    are for engines that have all rows.
    """
    n_classes = max(2, len(tree.classes))
    engine_options = options.engine_options(cases.table)
    engine = options.make_engine(cases, n_classes, engine_options)
    origins = Origins(engine_options.allowed_origins())
    solver = node_solver(options, engine_options, cases, n_classes, origins, deadline)
    unit = cases.weights.unit ** CRITERIA[options.search.criterion].unit_power
    search = TreeSearch(tree, is_wanted, tuple(engine_options.pairs), unit, limits or {})
    scattered = engine.scattered
    if scattered is None:
        return search.below(0, engine, solver, deadline)
    n_cases = tree.counts.sum(axis=1)
    aside: dict[int, int] = {}
    best = search.below(
        0, engine, solver, deadline, lambda v: scattered.fits(n_cases[v] / n_cases[0]), aside
    )
    if aside:
        from bsnsing.grow.search_aside import search_aside  # on request: most tables are whole

        best |= search_aside(scattered, search, aside, n_cases / n_cases[0], deadline)
    return best


@dataclass(frozen=True, slots=True, eq=False)
class TreeSearch:
    """Searches the wanted nodes of a tree, wherever their rows are."""

    tree: Tree
    is_wanted: NDArray[np.bool_]
    pairs: tuple[ColumnPair, ...]
    unit: float  # of objectives
    limits: Mapping[int, NodeLimits] = field(default_factory=dict)  # of nodes, if anything

    def below(
        self,
        root: int,
        engine: Engine,
        solver: Solver,
        deadline: Deadline,
        is_set_aside: Callable[[int], bool] = lambda v: False,
        aside: dict[int, int] | None = None,
    ) -> dict[int, BestRule]:
        """Search a node, whose rows are those of the engine's node 0, and all below it.

        Nodes that are to be searched elsewhere are put down in ``aside``.
        """
        leads_on = _leads_to(self.tree, self.is_wanted)
        n_waiting = self._n_wanted(root)
        best: dict[int, BestRule] = {}
        # Nodes of the engine by those of the tree.
        level = {root: 0} if self.is_wanted[root] or leads_on[root] else {}
        while level:
            if aside is not None:
                wanted = (v for v in level if self.is_wanted[v] or leads_on[v])
                small = {v: level[v] for v in wanted if is_set_aside(v)}
                aside |= small
                level = {v: own for v, own in level.items() if v not in small}
            searched = [node for node in level if self.is_wanted[node]]
            if searched:  # else no part of the time, which may be infinite
                seconds = deadline.left() * len(searched) / n_waiting
                nodes = [level[node] for node in searched]
                limits = [self.limits[node] for node in searched] if self.limits else []
                chosen = solver.choose(engine, nodes, seconds, limits)
                for node, found in zip(searched, chosen, strict=True):
                    best[node] = _best_rule(found, self.unit)
                n_waiting -= len(searched)
            level = _split(self.tree, level, leads_on, engine, self.pairs)
        return best

    def _n_wanted(self, root: int) -> int:
        """How many nodes are wanted from one on down."""
        is_below = np.zeros(self.tree.n_nodes, dtype=bool)
        is_below[root] = True
        for v in np.flatnonzero(~self.tree.is_leaf):  # children come after their parents
            if is_below[v]:
                is_below[[self.tree.children_left[v], self.tree.children_right[v]]] = True
        return int((is_below & self.is_wanted).sum())


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
        [level[node] for node in parted], [coded_rule(tree, node, pairs) for node in parted]
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


def coded_rule(tree: Tree, node: int, pairs: Sequence[ColumnPair]) -> CodedRule:
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
