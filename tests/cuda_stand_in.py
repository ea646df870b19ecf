"""StandIn: every call of a device in plain NumPy, the judge of the kernels."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from bsnsing.data.cases import Cases
from bsnsing.engine.base import EngineOptions
from bsnsing.engine.cuda.calls import Cells
from bsnsing.engine.cuda.code_sets import CodeSets, RuleSets
from bsnsing.engine.cuda.engine import DeviceEngine
from bsnsing.engine.cuda.slots import NO_ROW, WORD, Pieces


def taken(cells: Cells, asked: CodeSets, q: int, begin: int, end: int) -> NDArray[np.bool_]:
    """Which slots answer yes to question q."""
    codes = cells.columns[asked.column[q]][begin:end].astype(np.int64)
    if asked.table[q] < 0:
        return (codes >= asked.low[q]) & (codes < asked.high[q])
    words = asked.words[asked.table[q] + codes // 32]
    return (words >> (codes % 32).astype(np.uint32)) & 1 == 1


def follows(cells: Cells, rules: RuleSets, r: int, begin: int, end: int) -> NDArray[np.bool_]:
    """Which slots answer yes to rule r."""
    literals = range(rules.first[r], rules.first[r + 1])
    answers = np.array(
        [taken(cells, rules.questions, q, begin, end) ^ bool(rules.negated[q]) for q in literals]
    )
    join = (np.any, np.all, lambda a, axis: a.sum(axis) % 2 == 1)[rules.operator[r]]
    return join(answers, axis=0)


def packed(answers: NDArray[np.bool_]) -> NDArray[np.uint32]:
    whole = np.zeros(-(-len(answers) // WORD) * WORD, dtype=bool)
    whole[: len(answers)] = answers
    return np.packbits(whole, bitorder="little").view("<u4").astype(np.uint32)


def unpacked(words: NDArray[np.uint32], n: int) -> NDArray[np.bool_]:
    return np.unpackbits(words.astype("<u4").view(np.uint8), bitorder="little")[:n].astype(bool)


class StandIn:
    """A device that is no device."""

    def __init__(self, n_bytes: int = 2**30) -> None:
        self.n_bytes = n_bytes

    def put(self, array: NDArray[Any]) -> NDArray[Any]:
        return array.copy()

    def get(self, array: NDArray[Any], begin: int, end: int) -> NDArray[Any]:
        return array[begin:end].copy()

    def free_bytes(self) -> int:
        return self.n_bytes

    def zeros(self, n: int) -> NDArray[np.int64]:
        return np.zeros(n, dtype=np.int64)

    def gather(self, codes: NDArray[Any], rows: NDArray[np.uint32]) -> NDArray[Any]:
        is_case = rows != NO_ROW
        found = np.zeros(len(rows), dtype=codes.dtype)
        found[is_case] = codes[rows[is_case]]
        return found

    def count_codes(
        self, cells: Cells, pieces: Pieces, first_code: NDArray[np.int64], shape: tuple[int, int]
    ) -> NDArray[np.int64]:
        counts = np.zeros((*shape, first_code[-1]), dtype=np.int64)
        for p in range(len(pieces)):
            for c, codes in enumerate(cells.columns):
                own = codes[pieces.begin[p] : pieces.end[p]].astype(np.int64) + first_code[c]
                np.add.at(
                    counts[pieces.node[p], pieces.class_of[p]], own, 1 << int(pieces.shift[p])
                )
        return counts

    def answer(self, cells: Cells, pieces: Pieces, asked: CodeSets) -> NDArray[np.uint32]:
        words = [
            packed(taken(cells, asked, q, pieces.begin[p], pieces.end[p]))
            for p in range(len(pieces))
            for q in range(asked.first[pieces.node[p]], asked.first[pieces.node[p] + 1])
        ]
        return np.concatenate([*words, np.empty(0, np.uint32)])

    def count_pairs(
        self,
        bits: NDArray[np.uint32],
        pieces: Pieces,
        asked: CodeSets,
        first_pair: NDArray[np.int64],
        out: NDArray[np.int64],
    ) -> None:
        begin = 0
        for p, n_words in enumerate(pieces.n_words):
            node, n = pieces.node[p], asked.n_of[pieces.node[p]]
            own = bits[begin : begin + n * n_words].reshape(n, n_words)
            begin += n * n_words
            answers = np.array([unpacked(row, 32 * n_words) for row in own]).reshape(n, -1)
            both = np.triu(answers.astype(np.int64) @ answers.T.astype(np.int64))
            first = first_pair[node] + pieces.class_of[p] * n * n
            out[first : first + n * n] += both.ravel() << int(pieces.shift[p])

    def count_rules(
        self, cells: Cells, pieces: Pieces, rules: RuleSets, n_classes: int
    ) -> NDArray[np.int64]:
        counts = np.zeros((len(rules.operator), n_classes), dtype=np.int64)
        for p in range(len(pieces)):
            for r in range(rules.first_rule[pieces.node[p]], rules.first_rule[pieces.node[p] + 1]):
                n = follows(cells, rules, r, pieces.begin[p], pieces.end[p]).sum()
                counts[r, pieces.class_of[p]] += int(n) << int(pieces.shift[p])
        return counts

    def follow(
        self, cells: Cells, pieces: Pieces, rules: RuleSets
    ) -> tuple[NDArray[np.uint32], NDArray[np.int64]]:
        answers = [
            follows(cells, rules, rules.first_rule[node], begin, end)
            for node, begin, end in zip(pieces.node, pieces.begin, pieces.end, strict=True)
        ]
        words = np.concatenate([*map(packed, answers), np.empty(0, np.uint32)])
        return words, np.array([own.sum() for own in answers], dtype=np.int64)

    def part(
        self,
        cells: Cells,
        pieces: Pieces,
        bits: NDArray[np.uint32],
        yes: NDArray[np.int64],
        no: NDArray[np.int64],
        n_slots: int,
    ) -> Cells:
        columns = [np.zeros(n_slots, dtype=own.dtype) for own in cells.columns]
        rows = np.full(n_slots, NO_ROW, dtype=np.uint32)
        word = 0
        for p, n_words in enumerate(pieces.n_words):
            begin, end = pieces.begin[p], pieces.end[p]
            is_yes = unpacked(bits[word : word + n_words], end - begin)
            word += n_words
            for first, which in ((yes[p], is_yes), (no[p], ~is_yes)):
                for old, new in zip([*cells.columns, cells.rows], [*columns, rows], strict=True):
                    new[first : first + which.sum()] = old[begin:end][which]
        return Cells(columns, rows, n_slots)


class StandInEngine(DeviceEngine):
    """The engine for graphics cards, without one."""

    n_bytes = 2**30

    def __init__(self, cases: Cases, n_classes: int, options: EngineOptions) -> None:
        super().__init__(cases, n_classes, options, StandIn(self.n_bytes))
