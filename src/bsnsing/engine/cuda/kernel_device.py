"""KernelDevice: a device whose calls launch kernels, whoever runs these."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bsnsing.engine.cuda.calls import Array, Cells, Counts
from bsnsing.engine.cuda.code_sets import CodeSets, RuleSets
from bsnsing.engine.cuda.slots import NO_ROW, Pieces

SOURCE = Path(__file__).parent / "kernels" / "count.cu"
_PAIR_THREADS = 256  # which a tile of pairs is dealt out to
_MOST_SLOT_THREADS = 1024  # each with a word of a piece
_MOST_ROWS_OF_BLOCKS = 64  # that questions, tiles or rules are dealt out to
_MOST_BLOCKS = 65_535


class KernelDevice(ABC):
    """Tells kernels where their arrays are; a subclass has the memory and launches them."""

    threads = 256  # of a block, where kernels leave that open

    @abstractmethod
    def put(self, array: NDArray[Any]) -> Array:
        """Copy an array to the device."""

    @abstractmethod
    def get(self, array: Array, begin: int, end: int) -> NDArray[Any]:
        """Copy a stretch of an array from the device."""

    @abstractmethod
    def full(self, n: int, value: int, dtype: Any) -> Array:
        """Return an array of one value."""

    @abstractmethod
    def address(self, array: Array) -> int:
        """Where an array begins."""

    @abstractmethod
    def free_bytes(self) -> int:
        """Return how much memory is left."""

    @abstractmethod
    def launch(self, name: str, grid: tuple[int, int], threads: int, *arguments: Any) -> None:
        """Run a kernel on arrays of the device, and numbers of NumPy's types."""

    def zeros(self, n: int) -> Array:
        """Return that many counts of zero."""
        return self.full(n, 0, np.uint64)

    def gather(self, codes: Array, rows: Array) -> Array:
        """Return the code of the row in each slot."""
        n, width = len(rows), codes.dtype.itemsize
        found = self.full(n, 0, codes.dtype)
        blocks = min(_MOST_BLOCKS, -(-n // self.threads))
        self._run("gather", (blocks, 1), codes, np.int32(width), rows, np.int64(n), found)
        return found

    def count_codes(
        self, cells: Cells, pieces: Pieces, first_code: NDArray[np.int64], shape: tuple[int, int]
    ) -> Counts:
        """Count the cases of each code."""
        n_codes = int(first_code[-1])
        counts = self.zeros(shape[0] * shape[1] * n_codes)
        self._run(
            "count_codes",
            (len(pieces), len(cells.columns)),
            *self._cells(cells.columns),
            *self._puts(pieces.begin, pieces.end, pieces.node, pieces.class_of, pieces.shift),
            self.put(first_code),
            np.int32(len(cells.columns)),
            np.int32(shape[1]),
            counts,
        )
        return self._counts(counts).reshape(*shape, n_codes)

    def answer(self, cells: Cells, pieces: Pieces, asked: CodeSets) -> Array:
        """Return bits: of each piece, for each question of its node, a word for 32 slots."""
        n_of = asked.n_of
        first_bits, n_words = _firsts(pieces.n_words * n_of[pieces.node])
        bits = self.full(n_words, 0, np.uint32)
        self._run(
            "answer",
            (len(pieces), _dealt(n_of)),
            *self._cells(cells.columns),
            *self._puts(pieces.begin, pieces.end, pieces.node, first_bits, asked.first),
            *self._questions(asked),
            bits,
        )
        return bits

    def count_pairs(
        self,
        bits: Array,
        pieces: Pieces,
        asked: CodeSets,
        first_pair: NDArray[np.int64],
        out: Array,
    ) -> None:
        """Add the cases that answer yes to both of two questions to counts on the device."""
        first_bits, _ = _firsts(pieces.n_words * asked.n_of[pieces.node])
        if len(pieces) == 0:
            return
        arrays = (pieces.begin, pieces.end, pieces.node, pieces.class_of, pieces.shift)
        self.launch(
            "count_pairs",
            (len(pieces), _dealt(asked.n_of)),
            _PAIR_THREADS,
            bits,
            *self._puts(*arrays, first_bits, asked.first, first_pair),
            out,
        )

    def count_rules(self, cells: Cells, pieces: Pieces, rules: RuleSets, n_classes: int) -> Counts:
        """Count the cases that answer yes."""
        n_rules = len(rules.operator)
        counts = self.zeros(n_rules * n_classes)
        self._run(
            "count_rules",
            (len(pieces), _dealt(np.diff(rules.first_rule))),
            *self._cells(cells.columns),
            *self._puts(pieces.begin, pieces.end, pieces.node, pieces.class_of, pieces.shift),
            *self._rules(rules),
            np.int32(n_classes),
            counts,
        )
        return self._counts(counts).reshape(n_rules, n_classes)

    def follow(self, cells: Cells, pieces: Pieces, rules: RuleSets) -> tuple[Array, Counts]:
        """Return the bits of each piece by its node's only rule, and how many of them are 1."""
        first_bits, n_words = _firsts(pieces.n_words)
        bits, n_yes = self.full(n_words, 0, np.uint32), self.zeros(len(pieces))
        self._run(
            "follow",
            (len(pieces), 1),
            *self._cells(cells.columns),
            *self._puts(pieces.begin, pieces.end, pieces.node, first_bits),
            *self._rules(rules),
            bits,
            n_yes,
        )
        return bits, self._counts(n_yes)

    def part(
        self,
        cells: Cells,
        pieces: Pieces,
        bits: Array,
        yes: NDArray[np.int64],
        no: NDArray[np.int64],
        n_slots: int,
    ) -> Cells:
        """Move the cases of pieces; a block has a thread for each word of a piece."""
        columns = [self.full(n_slots, 0, own.dtype) for own in cells.columns]
        rows = self.full(n_slots, NO_ROW, np.uint32)
        moved = Cells(columns, rows, n_slots)
        if len(pieces) == 0:
            return moved
        first_bits, _ = _firsts(pieces.n_words)
        begin, end = self._puts(pieces.begin, pieces.end)
        to = self.full(cells.n_slots, 0, np.uint32)
        threads = max(32, int(pieces.n_words.max()))
        assert threads <= _MOST_SLOT_THREADS
        places = self._puts(first_bits, yes, no)
        self.launch("find_slots", (len(pieces), 1), threads, bits, begin, end, *places, to)
        old, new = self._cells([*cells.columns, cells.rows]), self._cells([*columns, rows])
        self._run("move", (len(pieces), len(columns) + 1), *old, begin, end, to, new[0])
        return moved

    # --- What kernels are told ---

    def _run(self, name: str, grid: tuple[int, int], *arguments: Any) -> None:
        if min(grid) > 0:
            self.launch(name, grid, self.threads, *arguments)

    def _puts(self, *arrays: NDArray[Any]) -> list[Array]:
        return [self.put(np.ascontiguousarray(array)) for array in arrays]

    def _cells(self, columns: Sequence[Array]) -> list[Array]:
        """Where columns begin, and the bytes of their codes."""
        addresses = np.array([self.address(own) for own in columns], dtype=np.uint64)
        widths = np.array([own.dtype.itemsize for own in columns], dtype=np.int32)
        return self._puts(addresses, widths)

    def _questions(self, asked: CodeSets) -> list[Array]:
        return self._puts(asked.column, asked.low, asked.high, asked.table, asked.words)

    def _rules(self, rules: RuleSets) -> list[Array]:
        own = self._puts(rules.first_rule, rules.first, rules.negated, rules.operator)
        return [*own, *self._questions(rules.questions)]

    def _counts(self, counts: Array) -> Counts:
        return self.get(counts, 0, len(counts)).astype(np.int64)


def _firsts(sizes: NDArray[np.int64]) -> tuple[NDArray[np.int64], int]:
    """Where each of some stretches begins, one behind the other, and the end of all."""
    ends = np.cumsum(sizes)
    return ends - sizes, int(ends[-1]) if len(ends) else 0


def _dealt(sizes: NDArray[Any]) -> int:
    """Rows of blocks that so many questions or rules of a node are dealt out to."""
    return min(_MOST_ROWS_OF_BLOCKS, int(sizes.max(initial=1)))
