"""A forest as plain as can be: every cut tried one by one, with no thought of speed.

It draws the same numbers as the native one, in the same order, so that trees must be equal.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

MISSING = 255
WORD = 2**64


class Random:
    """SplitMix64."""

    def __init__(self, seed: int, tree: int) -> None:
        self.state = self.mix((self.mix(seed) + tree) % WORD)

    @staticmethod
    def mix(z: int) -> int:
        z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9 % WORD
        z = (z ^ (z >> 27)) * 0x94D049BB133111EB % WORD
        return z ^ (z >> 31)

    def below(self, n: int) -> int:
        self.state = (self.state + 0x9E3779B97F4A7C15) % WORD
        return ((self.mix(self.state) >> 32) * n) >> 32


@dataclass(frozen=True)
class Cut:
    """Codes up to ``last`` go left."""

    column: int
    last: int
    is_missing_left: bool

    def goes_left(self, codes: NDArray[np.uint8]) -> NDArray[np.bool_]:
        return np.where(codes == MISSING, self.is_missing_left, codes <= self.last)


@dataclass
class Node:
    n_rows: int
    shares: list[float]
    cut: Cut | None = None
    left: int = 0  # its number; the right child comes next
    parent: int = 0


@dataclass(frozen=True)
class Growth:
    """What a tree is grown from."""

    codes: NDArray[np.uint8]  # column after column
    labels: NDArray[np.int32]
    weights: list[int]
    n_classes: int
    is_random: bool
    n_columns: int


def whole_weights(weights: NDArray[np.float64] | None, n_rows: int, n_draws: int) -> list[int]:
    if weights is None:
        return [1] * n_rows
    shift = 30 - math.frexp(weights.max())[1] - math.frexp(n_draws)[1]
    return [round(math.ldexp(weight, shift)) for weight in weights]


class Tree:
    def __init__(self, growth: Growth, n_draws: int, seed: int, number: int) -> None:
        self.growth, self.random = growth, Random(seed, number)
        n_rows = len(growth.labels)
        self.n_times = [0] * n_rows
        for _ in range(n_draws):
            self.n_times[self.random.below(n_rows)] += 1
        self.amounts = [n * w for n, w in zip(self.n_times, growth.weights, strict=True)]
        self.columns = list(range(len(growth.codes)))
        rows = np.flatnonzero(np.array(self.amounts))
        self.nodes = [self.make_node(rows, 0)]
        self.grow(0, rows)

    def make_node(self, rows: NDArray[np.intp], parent: int) -> Node:
        sums = self.sums(rows)
        shares = [float(np.float32(s / sum(sums))) if sum(sums) else 0.0 for s in sums]
        return Node(len(rows), shares, parent=parent)

    def sums(self, rows: NDArray[np.intp]) -> list[int]:
        """Weights by class."""
        sums = [0] * self.growth.n_classes
        for row in rows:
            sums[self.growth.labels[row]] += self.amounts[row]
        return sums

    def grow(self, number: int, rows: NDArray[np.intp]) -> None:
        if sum(s > 0 for s in self.sums(rows)) < 2:
            return
        cut = self.choose_cut(rows)
        if cut is None:
            return
        codes = self.growth.codes[cut.column, rows]
        is_left = cut.goes_left(codes)
        if not (codes == MISSING).any():
            cut = Cut(cut.column, cut.last, bool(is_left.sum() > (~is_left).sum()))
        left = len(self.nodes)
        self.nodes[number].cut, self.nodes[number].left = cut, left
        self.nodes += [
            self.make_node(rows[is_left], number),
            self.make_node(rows[~is_left], number),
        ]
        self.grow(left, rows[is_left])
        self.grow(left + 1, rows[~is_left])

    def choose_cut(self, rows: NDArray[np.intp]) -> Cut | None:
        best, best_purity = None, -1.0
        for i in range(len(self.columns)):
            if i >= self.growth.n_columns and best is not None:
                break
            j = i + self.random.below(len(self.columns) - i)
            self.columns[i], self.columns[j] = self.columns[j], self.columns[i]
            for cut in self.cuts_of(self.columns[i], rows):
                purity = self.purity(cut, rows)
                if purity > best_purity:
                    best, best_purity = cut, purity
        return best

    def cuts_of(self, column: int, rows: NDArray[np.intp]) -> list[Cut]:
        """All that part the rows, or one by chance with missing cells on either side."""
        found = np.unique(self.growth.codes[column, rows]).tolist()
        present = [code for code in found if code != MISSING]
        has_missing = len(present) < len(found)
        if len(found) < 2:
            return []
        lasts = [(a + b) // 2 for a, b in pairwise(present)]
        if has_missing:
            lasts.append(MISSING - 1)  # missing cells against all others
        if self.growth.is_random:
            last = present[0] + self.random.below(present[-1] - present[0] + has_missing)
            lasts = [last if last < present[-1] else MISSING - 1]
        cuts = [Cut(column, last, False) for last in lasts]
        if has_missing:
            cuts += [Cut(column, last, True) for last in lasts if last < MISSING - 1]
        return cuts

    def purity(self, cut: Cut, rows: NDArray[np.intp]) -> float:
        is_left = cut.goes_left(self.growth.codes[cut.column, rows])
        sides = [self.sums(rows[is_left]), self.sums(rows[~is_left])]
        left, right = (float(sum(s * s for s in side)) / float(sum(side)) for side in sides)
        return left + right

    def leaf_of(self, codes: NDArray[np.uint8]) -> int:
        at = 0
        while (cut := self.nodes[at].cut) is not None:
            is_left = cut.goes_left(codes[[cut.column]])[0]
            at = self.nodes[at].left + (0 if is_left else 1)
        return at

    def shares(self, codes: NDArray[np.uint8], leaf_rows: int) -> list[float]:
        at = self.leaf_of(codes)
        while self.nodes[at].n_rows < leaf_rows and at > 0:
            at = self.nodes[at].parent
        return self.nodes[at].shares

    def fields(self) -> tuple[list[Any], ...]:
        """As the native module tells them."""
        column, last, shift, left = [], [], [], []
        for number, node in enumerate(self.nodes):
            cut = node.cut
            by = int(cut is not None and cut.is_missing_left)
            column.append(0 if cut is None else cut.column)
            last.append(255 if cut is None else cut.last + by)
            shift.append(by)
            left.append(number if cut is None else node.left)
        shares = [share for node in self.nodes for share in node.shares]
        n_rows = [node.n_rows for node in self.nodes]
        return column, last, shift, left, n_rows, shares, [n > 0 for n in self.n_times]


def mean_shares(shares: list[list[float]], n_classes: int) -> list[float]:
    sums = [0.0] * n_classes
    for of_tree in shares:
        sums = [a + b for a, b in zip(sums, of_tree, strict=True)]
    total = 0.0
    for s in sums:
        total += s
    return [s / total for s in sums] if total > 0 else sums
