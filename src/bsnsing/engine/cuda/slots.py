"""Slots: where the cases of nodes lie on a device, and the pieces that are counted at a time.

The cases of a node lie side by side, those of a group one behind the other. A group has one class
and one power of two: a row of weight 5 is a case of weight 4 and one of weight 1, so that to count
is to count bits. Each group begins at a slot that a word of bits begins with; the slots behind its
last case are empty.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

WORD = 32  # slots to a word of bits
NO_ROW = 2**32 - 1  # in slots without a case


@dataclass(frozen=True, slots=True, eq=False)
class Groups:
    """The class of each group, and the power of two that each of its cases counts."""

    class_of: NDArray[np.int32]
    shift: NDArray[np.int32]
    n_classes: int

    def totals(self, sizes: NDArray[np.int64]) -> NDArray[np.int64]:
        """Sum up the cases of groups by class."""
        totals = np.zeros(self.n_classes, dtype=np.int64)
        np.add.at(totals, self.class_of, sizes << self.shift)
        return totals


@dataclass(frozen=True, slots=True, eq=False)
class NodeSlots:
    """The first slot of each group of a node, and its cases."""

    begins: NDArray[np.int64]
    sizes: NDArray[np.int64]

    @property
    def n_cases(self) -> int:
        """Cases of all groups; rows of several powers of two count for each."""
        return int(self.sizes.sum())


@dataclass(frozen=True, slots=True, eq=False)
class Pieces:
    """Stretches of slots of one node and group each."""

    begin: NDArray[np.int64]
    end: NDArray[np.int64]
    node: NDArray[np.int32]  # place among the nodes that are asked for
    group: NDArray[np.int32]
    class_of: NDArray[np.int32]
    shift: NDArray[np.int32]

    def __len__(self) -> int:
        return len(self.begin)

    @property
    def n_words(self) -> NDArray[np.int64]:
        """Words of bits that each piece takes."""
        n_words: NDArray[np.int64] = -((self.begin - self.end) // WORD)
        return n_words

    def some(self, which: slice) -> Pieces:
        """Return some of the pieces."""
        return Pieces(
            self.begin[which],
            self.end[which],
            self.node[which],
            self.group[which],
            self.class_of[which],
            self.shift[which],
        )


def group_cases(
    classes: NDArray[np.int32], weights: NDArray[np.int64] | None, n_classes: int
) -> tuple[Groups, NDArray[np.uint32], NodeSlots]:
    """Put rows into groups: the groups, the row of each slot, and the slots of all cases."""
    shifts = [0] if weights is None else _powers(weights)
    groups = Groups(
        np.repeat(np.arange(n_classes, dtype=np.int32), len(shifts)),
        np.tile(np.array(shifts, dtype=np.int32), n_classes),
        n_classes,
    )
    order = np.argsort(_short(classes, n_classes), kind="stable")
    ends = np.cumsum(np.bincount(classes, minlength=n_classes))
    rows = list[NDArray[np.intp]]()
    for of_class in np.split(order, ends[:-1]):
        for shift in shifts:
            has_bit = slice(None) if weights is None else weights[of_class] >> shift & 1 == 1
            rows.append(of_class[has_bit])
    sizes = np.array([[len(own) for own in rows]], dtype=np.int64)
    (slots,), n_slots = place_nodes(sizes)
    row_of = np.full(n_slots, NO_ROW, dtype=np.uint32)
    for begin, own in zip(slots.begins.tolist(), rows, strict=True):
        row_of[begin : begin + len(own)] = own
    return groups, row_of, slots


def place_nodes(sizes: NDArray[np.int64]) -> tuple[list[NodeSlots], int]:
    """Give nodes their slots, by the cases of each node and group; and the slots of all."""
    whole = -(-sizes.ravel() // WORD) * WORD
    ends = np.cumsum(whole)
    begins = (ends - whole).reshape(sizes.shape)
    nodes = [NodeSlots(begin, size) for begin, size in zip(begins, sizes, strict=True)]
    return nodes, int(ends[-1]) if len(ends) else 0


def cut_up(nodes: Sequence[NodeSlots], groups: Groups, most: int) -> Pieces:
    """Cut the slots of nodes into pieces of at most so many, a whole number of words."""
    assert most % WORD == 0
    n_groups = len(groups.class_of)
    begins = np.array([node.begins for node in nodes], dtype=np.int64).reshape(-1)
    sizes = np.array([node.sizes for node in nodes], dtype=np.int64).reshape(-1)
    n_pieces = -(-sizes // most)
    of = np.repeat(np.arange(len(sizes)), n_pieces)
    place = np.arange(len(of)) - np.repeat(np.cumsum(n_pieces) - n_pieces, n_pieces)
    begin = begins[of] + place * most
    end = np.minimum(begin + most, begins[of] + sizes[of])
    group = (of % n_groups).astype(np.int32)
    return Pieces(
        begin,
        end,
        (of // n_groups).astype(np.int32),
        group,
        groups.class_of[group],
        groups.shift[group],
    )


def _powers(weights: NDArray[np.int64]) -> list[int]:
    """The powers of two that weights are made of."""
    together = int(np.bitwise_or.reduce(weights, initial=0))
    return [shift for shift in range(63) if together >> shift & 1] or [0]


def _short(classes: NDArray[np.int32], n_classes: int) -> NDArray[np.unsignedinteger]:
    """The same numbers in few bytes, which take one pass or two to sort."""
    width = np.uint8 if n_classes <= 2**8 else np.uint16 if n_classes <= 2**16 else np.uint32
    return classes.astype(width)
