"""Device: the calls that a graphics card takes, each of them one kernel or one copy.

The arguments are small tables of the host and what lies on the device. Counts come back as 64-bit
integers, summed up over pieces: no order of the work changes them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from bsnsing.engine.cuda.code_sets import CodeSets, RuleSets
from bsnsing.engine.cuda.slots import Pieces

Array: TypeAlias = Any  # on the device
Counts: TypeAlias = NDArray[np.int64]


class DeviceError(RuntimeError):
    """A graphics card, or what it takes to use one, is not there."""


class DeviceMemoryError(MemoryError):
    """A graphics card has too little memory for a table."""


@dataclass(frozen=True, slots=True, eq=False)
class Cells:
    """Codes of columns by slot, and the row in each slot."""

    columns: list[Array]  # of one, two or four bytes to a cell
    rows: Array  # of four bytes; NO_ROW where there is none
    n_slots: int


class Device(Protocol):
    """Counts and moves cells that lie on it."""

    def put(self, array: NDArray[Any]) -> Array:
        """Copy an array to the device."""
        ...

    def get(self, array: Array, begin: int, end: int) -> NDArray[Any]:
        """Copy a stretch of an array from the device."""
        ...

    def free_bytes(self) -> int:
        """Return how much memory is left."""
        ...

    def gather(self, codes: Array, rows: Array) -> Array:
        """Return the code of the row in each slot, and 0 where there is none."""
        ...

    def count_codes(
        self, cells: Cells, pieces: Pieces, first_code: NDArray[np.int64], shape: tuple[int, int]
    ) -> Counts:
        """Count the cases of each code: (n_nodes, n_classes, codes of all columns).

        ``first_code`` is the place of each column's first code, and the end of all; ``shape`` has
        the nodes and classes.
        """
        ...

    def answer(self, cells: Cells, pieces: Pieces, asked: CodeSets) -> Array:
        """Return bits: of each piece, for each question of its node, a word for 32 slots.

        Bits behind the end of a piece are 0.
        """
        ...

    def count_pairs(
        self,
        bits: Array,
        pieces: Pieces,
        asked: CodeSets,
        first_pair: NDArray[np.int64],
        out: Array,
    ) -> None:
        """Add the cases that answer yes to both of two questions to counts on the device.

        Those of a node begin at ``first_pair``, as (n_classes, n_questions, n_questions); of two
        questions, only the place where the first comes first has the count.
        """
        ...

    def zeros(self, n: int) -> Array:
        """Return that many counts of zero."""
        ...

    def count_rules(self, cells: Cells, pieces: Pieces, rules: RuleSets, n_classes: int) -> Counts:
        """Count the cases that answer yes: (rules of all nodes, n_classes)."""
        ...

    def follow(self, cells: Cells, pieces: Pieces, rules: RuleSets) -> tuple[Array, Counts]:
        """Return the bits of each piece by its node's only rule, and how many of them are 1."""
        ...

    def part(
        self,
        cells: Cells,
        pieces: Pieces,
        bits: Array,
        yes: NDArray[np.int64],
        no: NDArray[np.int64],
        n_slots: int,
    ) -> Cells:
        """Move the cases of pieces: those with bit 1 from slot ``yes`` on, the others from ``no``.

        Their order stays. Slots that nothing is moved to have no row, and code 0.
        """
        ...
