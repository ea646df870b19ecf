"""TaughtProof: what is proven of the splits of a taught tree, and of which cases."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from bsnsing.data.cases import Cases
from bsnsing.data.regroup import Regrouping
from bsnsing.grow.options import GrowOptions
from bsnsing.grow.search_tree import BestRule, search_tree
from bsnsing.rules.criteria import objectives_of
from bsnsing.rules.deadline import Deadline
from bsnsing.tree.predict import find_leaves
from bsnsing.tree.tree import Tree
from bsnsing.tree.ungroup import regroup

# Objectives that differ by less, relatively, are equal: sums are rounded.
_ROUNDING = 1e-11


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class TaughtProof:
    """Completes the proofs of a taught tree, of which only the nodes that are kept need any."""

    training: Cases  # of the training set, levels in the order that rules ask by
    levels: Regrouping  # which order that is
    training_options: GrowOptions  # that the tree was grown by
    real: Cases
    real_options: GrowOptions  # the same for the real cases

    def complete(self, tree: Tree, seconds: float) -> Tree:
        """Return the tree with its proofs; what there is no time for is marked as not proven.

        Splits are optimal for the training set. Beside that, each rule is judged by the real cases
        of its node, and compared with the best rule of its size there. Nodes whose cases of the
        training set have changed since they were searched are searched again.
        """
        if tree.n_nodes == 1:
            return tree
        deadline = Deadline(seconds)
        return self._with_own(self._searched_again(tree, deadline), deadline)

    def _searched_again(self, tree: Tree, deadline: Deadline) -> Tree:
        """Prove what is known of nodes that have lost their proof: see ``without_stale_proofs``."""
        stale = ~tree.is_leaf & np.isnan(tree.bound)
        if not stale.any():
            return tree
        ordered = regroup(tree, self.levels)
        found = search_tree(ordered, stale, self.training, self.training_options, deadline)
        bound, optimal = tree.bound.copy(), tree.optimal.copy()
        n_counted, n_excluded = tree.n_counted.copy(), tree.n_excluded.copy()
        for v, best in found.items():
            bound[v] = min(best.bound, tree.objective[v])
            optimal[v] = _is_proven(tree.objective[v], best)
            n_counted[v], n_excluded[v] = best.n_counted, best.n_excluded
        return replace(
            tree, bound=bound, optimal=optimal, n_counted=n_counted, n_excluded=n_excluded
        )

    def _with_own(self, tree: Tree, deadline: Deadline) -> Tree:
        """Judge each rule by the real cases, beside the best of its size there."""
        real, counts = self._known_cases(tree)
        objective = node_objectives(tree, counts, self.real_options.search.criterion)
        best, proven = objective.copy(), np.zeros(tree.n_nodes, dtype=bool)
        # Rules that leave nothing to be gained need no search.
        proven[objective <= 0] = True
        n_questions = np.where(proven, 0, np.diff(tree.first_question))
        for size in np.unique(n_questions[n_questions > 0]):
            wanted = n_questions == size
            search = replace(self.real_options.search, max_rules=int(size))
            options = replace(self.real_options, search=search)
            for v, found in search_tree(tree, wanted, real, options, deadline).items():
                best[v] = min(found.objective, objective[v])
                proven[v] = _is_proven(best[v], found)
        return replace(
            tree, own_objective=objective, best_own_objective=best, best_own_proven=proven
        )

    def _known_cases(self, tree: Tree) -> tuple[Cases, NDArray[np.float64]]:
        """The real cases that reach a leaf, and how many pass each node.

        Those too light to be learnt from may meet an unknown on the way.
        """
        inner = ~tree.is_leaf
        passed_on = tree.counts[tree.children_left] + tree.counts[tree.children_right]
        if (passed_on[inner] == tree.counts[inner]).all():
            return self.real, tree.counts
        n_threads = self.real_options.search.n_threads
        leaves = find_leaves(tree, self.real.table, n_threads)
        known = tree.is_leaf[leaves]
        cases = self.real.take(np.flatnonzero(known))
        return cases, count_cases(tree, leaves[known], cases)


def without_stale_proofs(tree: Tree, learnt: NDArray[np.float64], criterion: str) -> Tree:
    """Return a tree without proofs where ``learnt`` differ from the cases it was grown on.

    ``learnt`` are cases of the training set per node and class, as ``tree.counts`` are those that
    the tree was grown on. Objectives are those of ``learnt``; a bound of NaN says that the node is
    to be searched again.
    """
    is_stale = (learnt != tree.counts).any(axis=1) & ~tree.is_leaf
    objective = node_objectives(tree, learnt, criterion)
    return replace(
        tree,
        objective=np.where(is_stale, objective, tree.objective),
        bound=np.where(is_stale, np.nan, tree.bound),
    )


def node_objectives(tree: Tree, counts: NDArray[np.float64], criterion: str) -> NDArray[np.float64]:
    """Return the objective of each node's rule, given the cases of all nodes; NaN at leaves."""
    objectives = np.full(tree.n_nodes, np.nan)
    inner = np.flatnonzero(~tree.is_leaf)
    weighted = counts * tree.split_weight
    yes, no = weighted[tree.children_left[inner]], weighted[tree.children_right[inner]]
    objectives[inner] = objectives_of(criterion, yes, no)
    return objectives


def count_cases(tree: Tree, leaves: NDArray[np.int64], cases: Cases) -> NDArray[np.float64]:
    """Return how many cases of each class pass each node, given the leaves of the first rows."""
    counts, n_rows, n_classes = cases.weights.counts, len(leaves), len(tree.classes)
    weights = None if counts is None else counts[:n_rows] / cases.weights.unit
    places = leaves * n_classes + cases.labels[:n_rows]
    flat = np.bincount(places, weights, tree.n_nodes * n_classes)
    return sum_up(tree, flat.astype(np.float64).reshape(tree.n_nodes, n_classes))


def sum_up(tree: Tree, sums: NDArray[np.float64]) -> NDArray[np.float64]:
    """Add to what ends in each node all that ends below it, in place."""
    for v in reversed(np.flatnonzero(~tree.is_leaf)):  # children come after their parents
        # Besides its children's, a node has the rows that end in it: rows too light to be learnt
        # from, with missing cells where all others have none.
        sums[v] += sums[tree.children_left[v]] + sums[tree.children_right[v]]
    return sums


def _is_proven(objective: float, best: BestRule) -> bool:
    """Whether no rule that was searched for has a lower objective."""
    return best.is_complete and objective <= best.bound * (1 + _ROUNDING)
