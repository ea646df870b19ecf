"""What a change of a case aims at: leaves of all trees that decide for another label."""

from __future__ import annotations

import itertools
import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from bsnsing.export.change import Row
from bsnsing.export.form import ModelForm
from bsnsing.export.tree_walk import TreeWalk, joined
from bsnsing.tree.decide import decide_together, expected_costs

# What sums may be off by.
_ROUNDING = 1e-9


def told_by(form: ModelForm, leaves: Sequence[int]) -> tuple[tuple[float, ...], int]:
    """Return the probabilities of a case that ends in these leaves, and the label's position."""
    members, number = [], 0
    for member in form.members:
        own = [
            tree.nodes[leaf].value
            for tree, leaf in zip(member, leaves[number : number + len(member)], strict=True)
        ]
        number += len(member)
        members.append(np.array([own[0] if len(own) == 1 else _shares([v[1] for v in own])]))
    costs = None if form.costs is None else np.array(form.costs)
    label = int(decide_together(members, form.voting, costs)[0])
    return tuple(np.mean(members, axis=0)[0].tolist()), label


def _shares(scores: list[float]) -> list[float]:
    total = 0.0
    for score in scores:
        total += score
    return [score / total if total > 0 else 1 / len(scores) for score in scores]


Gains: TypeAlias = list[list[float]]  # per node, of each class over the label


@dataclass(frozen=True, eq=False)
class Aim:
    """Labels other than one, and which nodes can still lead to them.

    Where labels follow from a sum over the trees, the most that the rest of the trees can add for
    another label tells which ways need not be followed.
    """

    form: ModelForm
    label: int
    gains: tuple[Gains, ...] | None  # of each tree, the most at or below each node

    def is_met(self, leaves: Sequence[int]) -> bool:
        """Whether these leaves, one of each tree, decide for another label."""
        if self.form.is_single:
            return bool(self.form.trees[0].tree.labels[leaves[0]] != self.label)
        return told_by(self.form, leaves)[1] != self.label

    def can_be_met(self, leaves: Sequence[int], node: int) -> bool:
        """Whether leaves of the trees so far, and some below a node of the next, may lead there."""
        return self.promise(leaves, node) >= -_ROUNDING

    def promise(self, leaves: Sequence[int], node: int) -> float:
        """Return by how much some other label can be ahead at most; 0 where that is not known."""
        if self.gains is None:
            return 0.0
        rest = [own[0] for own in self._after(len(leaves))]
        if len(leaves) < len(self.gains):
            rest.append(self.gains[len(leaves)][node])
        passed = [own[leaf] for own, leaf in zip(self.gains, leaves, strict=False)]
        totals = [sum(own) for own in zip(*passed, *rest, strict=True)]
        return max((t for k, t in enumerate(totals) if k != self.label), default=-math.inf)

    def _after(self, n_trees: int) -> tuple[Gains, ...]:
        return () if self.gains is None else self.gains[n_trees + 1 :]

    def within(self, walks: Sequence[TreeWalk], row: Row, chosen: Collection[str]) -> Aim | None:
        """Return the aim where none but chosen columns of a row change; None if it cannot be met.

        Their questions may get any answer, whether or not some cell gives them all.
        """
        reached = [_reached(walk, row, chosen) for walk in walks]
        if all(sum(not is_inner for is_inner in own.values()) <= 1 for own in reached):
            return None  # each tree has one leaf left, which the row is in, or none
        if self.gains is None:
            return self
        gains = []
        for walk, own, all_ in zip(walks, reached, self.gains, strict=True):
            nodes = walk.form.nodes
            nothing = [-math.inf] * len(self.form.classes)
            limited = [nothing] * len(nodes)
            for i in sorted(own, reverse=True):  # children come after their parents
                node = nodes[i]
                limited[i] = (
                    all_[i] if node.is_leaf else list(map(max, limited[node.yes], limited[node.no]))
                )
            gains.append(limited)
        aim = Aim(self.form, self.label, tuple(gains))
        return aim if aim.can_be_met((), 0) else None


def _reached(walk: TreeWalk, row: Row, chosen: Collection[str]) -> dict[int, bool]:
    """Return the nodes that a row can come to if chosen columns change, and which are inner."""
    nodes, found, waiting = walk.form.nodes, {}, [0]
    while waiting:
        i = waiting.pop()
        node = nodes[i]
        found[i] = not node.is_leaf
        if node.is_leaf:
            continue
        answers = []
        for asked in walk.questions(i):
            subject = asked.subject
            names = (subject,) if isinstance(subject, str) else (subject.first, subject.second)
            is_free = any(name in chosen for name in names)
            answers.append((True, False) if is_free else (walk.answer(asked, row),))
        can_be = {joined(node.operator, given) for given in itertools.product(*answers)}
        waiting += [node.yes] if True in can_be else []
        waiting += [node.no] if False in can_be else []
    return found


def aim_at_others(form: ModelForm, label: int) -> Aim:
    """Return the aim to leave a label."""
    is_sum = form.voting == "soft" and (len(form.members) == 1 or len(form.members[0]) == 1)
    if not is_sum:
        return Aim(form, label, None)
    n_classes = len(form.classes)
    gains = []
    for place, own in enumerate(form.trees):
        tree = own.tree
        shares = tree.value
        if len(form.members[0]) > 1:  # one tree per class, of which each tells its own
            shares = np.zeros((tree.n_nodes, n_classes))
            shares[:, place] = tree.value[:, 1]
        if form.costs is not None:
            shares = -expected_costs(shares, np.array(form.costs))
        gain = shares - shares[:, label : label + 1]
        for v in reversed(np.flatnonzero(~tree.is_leaf)):  # children come after their parents
            gain[v] = np.maximum(gain[tree.children_left[v]], gain[tree.children_right[v]])
        gains.append(gain.tolist())
    return Aim(form, label, tuple(gains))
