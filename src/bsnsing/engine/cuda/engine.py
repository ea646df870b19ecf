"""DeviceEngine: cases on a graphics card, counted there; questions and rules are chosen here."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bsnsing.data.cases import Cases
from bsnsing.engine.base import CaseCounts, EngineOptions
from bsnsing.engine.counting import CountingEngine
from bsnsing.engine.cuda.calls import Cells, Device
from bsnsing.engine.cuda.code_sets import CodeFinder, CodeSets
from bsnsing.engine.cuda.slots import (
    NO_ROW,
    Groups,
    NodeSlots,
    Pieces,
    cut_up,
    group_cases,
    place_nodes,
)
from bsnsing.engine.encode import encode_table
from bsnsing.questions.coded import CodedQuestion, CodedRule
from bsnsing.rules.deadline import Deadline
from bsnsing.rules.knowledge import NodeLimits
from bsnsing.rules.split import Found

# Slots of a piece: where codes or pairs are counted, which adds to counts of all pieces, and where
# a block of threads has a word each.
COUNTED, MOVED = 65_536, 8_192
# Bytes of pair counts that come to the host at a time, unless one node has more, and the share of
# the free memory that bits may take.
_MOST_COUNTS, _BITS_SHARE = 2**29, 0.25
# Cells are known by numbers of four bytes.
_MOST_SLOTS = 2**31 - 1


@dataclass(frozen=True, slots=True, eq=False)
class _Place:
    """Where a node's cases are; cells that no node is in are freed."""

    cells: Cells
    slots: NodeSlots


class DeviceEngine(CountingEngine):
    """An engine over cases on a device.

    Parameters
    ----------
    cases : Cases
        The rows, which are encoded here and lie on the device from then on.
    n_classes : int
        Number of classes.
    options : EngineOptions
        What is asked about and searched for.
    device : Device
        Who counts.
    """

    def __init__(
        self, cases: Cases, n_classes: int, options: EngineOptions, device: Device
    ) -> None:
        encoded = encode_table(
            cases.table,
            options.pairs,
            max_bins=options.max_bins,
            unbinned={question[0] for question in options.extra_questions},
            counts=cases.weights.counts,
            n_threads=options.search.n_threads,
        )
        schema = encoded.schema()
        super().__init__(schema, n_classes, cases.weights.unit, options)
        self.n_rows, self.has_missing = cases.table.n_rows, tuple(encoded.has_missing())
        self._device, self._finder = device, CodeFinder(schema)
        sizes = [schema.n_codes(c) + 1 for c in range(schema.n_columns)]
        self._first_code = np.append(0, np.cumsum(sizes)).astype(np.int64)
        self._groups, rows, slots = group_cases(cases.labels, cases.weights.counts, n_classes)
        if len(rows) > _MOST_SLOTS:
            raise ValueError(
                f"The table has {len(rows):,} cases on the device, and {_MOST_SLOTS:,} are the "
                "most. Use device='cpu'."
            )
        row_of = device.put(rows)
        columns = [
            device.gather(device.put(encoded.codes(c).astype(_width(size))), row_of)
            for c, size in enumerate(sizes)
        ]
        self._places = {0: _Place(Cells(columns, row_of, len(rows)), slots)}
        self._n_nodes = 1

    @property
    def groups(self) -> Groups:
        """The classes and powers of two of the cases."""
        return self._groups

    # --- Counts ---

    def totals(self, nodes: Sequence[int]) -> list[CaseCounts]:
        """Cases per class of each node."""
        return [self._groups.totals(self._places[node].slots.sizes) for node in nodes]

    def histograms(self, nodes: Sequence[int]) -> list[list[CaseCounts]]:
        """Count the cases of each class and code, per node and column."""
        shape, n_codes = (len(nodes), self._groups.n_classes), int(self._first_code[-1])
        counts = np.zeros((*shape, n_codes), dtype=np.int64)
        for cells, own in self._by_cells(nodes):
            pieces = self._pieces([nodes[i] for i in own], COUNTED)
            counts[own] = self._device.count_codes(
                cells, pieces, self._first_code, (len(own), shape[1])
            )
        ends = self._first_code[1:-1]
        return [
            [np.ascontiguousarray(column) for column in np.split(of_node, ends, axis=1)]
            for of_node in counts
        ]

    def pair_counts(
        self, nodes: Sequence[int], questions: Sequence[Sequence[CodedQuestion]]
    ) -> list[CaseCounts]:
        """Count the cases of each class that answer yes to both of any two questions."""
        counts: list[CaseCounts] = [np.empty(0, dtype=np.int64)] * len(nodes)
        for cells, own in self._by_cells(nodes):
            found = self._count_pairs(cells, [nodes[i] for i in own], [questions[i] for i in own])
            for i, of_node in zip(own, found, strict=True):
                counts[i] = of_node
        return counts

    def _count_pairs(
        self, cells: Cells, nodes: Sequence[int], questions: Sequence[Sequence[CodedQuestion]]
    ) -> list[CaseCounts]:
        """Count pairs of nodes with the same cells, by as many bits at a time as have room."""
        n_classes, asked = self._groups.n_classes, self._finder.questions(questions)
        sizes = n_classes * asked.n_of**2
        first_pair = np.append(0, np.cumsum(sizes)).astype(np.int64)
        out = self._device.zeros(int(first_pair[-1]))
        for pieces in self._chunks(self._pieces(nodes, COUNTED), asked):
            bits = self._device.answer(cells, pieces, asked)
            self._device.count_pairs(bits, pieces, asked, first_pair, out)
            del bits
        flat = self._device.get(out, 0, int(first_pair[-1])).astype(np.int64, copy=False)
        found = []
        for i, n in enumerate(asked.n_of.tolist()):
            above = flat[first_pair[i] : first_pair[i + 1]].reshape(n_classes, n, n)
            # Each pair is there once, with its first question first.
            upper = np.triu(above)
            found.append(upper + np.triu(above, 1).transpose(0, 2, 1))
        return found

    def _chunks(self, pieces: Pieces, asked: CodeSets) -> Iterator[Pieces]:
        """Pieces whose bits fit into the memory that there is."""
        n_bytes = 4 * pieces.n_words * asked.n_of[pieces.node]
        room = max(1.0, _BITS_SHARE * self._device.free_bytes())
        chunk = (np.cumsum(n_bytes) // room).astype(np.int64)
        begins = np.flatnonzero(np.diff(chunk, prepend=-1)).tolist()
        for begin, end in zip(begins, [*begins[1:], len(pieces)], strict=True):
            yield pieces.some(slice(begin, end))

    def rule_counts(
        self, nodes: Sequence[int], rules: Sequence[Sequence[CodedRule]]
    ) -> list[CaseCounts]:
        """Count the cases of each class that answer yes to each rule."""
        n_classes = self._groups.n_classes
        counts = [np.zeros((len(own), n_classes), dtype=np.int64) for own in rules]
        for cells, own in self._by_cells([n for n, of in zip(nodes, rules, strict=True) if of]):
            asked = [i for i, of in enumerate(rules) if of]
            some = [asked[i] for i in own]
            sets = self._finder.rules([rules[i] for i in some])
            pieces = self._pieces([nodes[i] for i in some], COUNTED)
            found = self._device.count_rules(cells, pieces, sets, n_classes)
            for i, of_node in zip(some, np.split(found, sets.first_rule[1:-1]), strict=True):
                counts[i] = of_node
        return counts

    def best_rules(
        self,
        nodes: Sequence[int],
        time_limit: float = math.inf,
        limits: Sequence[NodeLimits] = (),
    ) -> list[Found]:
        """Return the best rule of each node, of as many at a time as counts have room for."""
        deadline, found = Deadline(time_limit), list[Found]()
        size = max(1, _MOST_COUNTS // self._pair_bytes(nodes))
        for first in range(0, len(nodes), size):
            some = slice(first, first + size)
            share = min(1.0, size / (len(nodes) - first))
            found += super().best_rules(nodes[some], deadline.left() * share, limits[some])
        return found

    def _pair_bytes(self, nodes: Sequence[int]) -> int:
        """Bytes of one node's pair counts: those of the first, which mostly has most questions."""
        n_questions = len(self.ask(nodes[:1])[0]) if nodes else 0
        return max(1, 8 * self._groups.n_classes * n_questions**2)

    def answers(
        self, node: int, questions: Sequence[CodedQuestion]
    ) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
        """Return the answers of a node's rows, each row once, and their numbers."""
        place, asked = self._places[node], self._finder.questions([questions])
        pieces = self._pieces([node], COUNTED)
        n_words, n_questions = pieces.n_words, len(questions)
        bits = self._device.answer(place.cells, pieces, asked)
        words = self._device.get(bits, 0, int(n_words.sum()) * n_questions)
        answers, rows = list[NDArray[np.uint8]](), list[NDArray[np.int64]]()
        ends = np.cumsum(n_words * n_questions)[:-1]
        for i, own in enumerate(np.split(words, ends)):
            begin, end = int(pieces.begin[i]), int(pieces.end[i])
            of_slots = np.unpackbits(
                own.reshape(n_questions, -1).astype("<u4").view(np.uint8), axis=1, bitorder="little"
            )
            answers.append(of_slots[:, : end - begin].T)
            rows.append(self._device.get(place.cells.rows, begin, end).astype(np.int64))
        numbers, first = np.unique(
            np.concatenate([*rows, np.empty(0, np.int64)]), return_index=True
        )
        every = np.concatenate([*answers, np.empty((0, n_questions), np.uint8)])
        return np.ascontiguousarray(every[first]), numbers

    # --- Nodes ---

    def split(self, nodes: Sequence[int], rules: Sequence[CodedRule]) -> list[tuple[int, int]]:
        """Part the cases of each node by its rule; return the new nodes, yes and no."""
        first = self._n_nodes
        children = [(first + 2 * i, first + 2 * i + 1) for i in range(len(nodes))]
        self._n_nodes += 2 * len(nodes)
        for cells, own in self._by_cells(nodes):
            some = [nodes[i] for i in own]
            places = self._part(cells, some, [rules[i] for i in own])
            for i, pair in zip(own, places, strict=True):
                self._places |= zip(children[i], pair, strict=True)
            self.close(some)
        return children

    def _part(
        self, cells: Cells, nodes: Sequence[int], rules: Sequence[CodedRule]
    ) -> list[tuple[_Place, _Place]]:
        sets, pieces = self._finder.rules([[rule] for rule in rules]), self._pieces(nodes, MOVED)
        bits, n_yes = self._device.follow(cells, pieces, sets)
        n_groups = len(self._groups.class_of)
        # By node, yes and no, and group: the cases, and what each piece brings of them.
        sizes = np.zeros((len(nodes), 2, n_groups), dtype=np.int64)
        brought = (n_yes, pieces.end - pieces.begin - n_yes)
        for side, n_cases in enumerate(brought):
            np.add.at(sizes[:, side], (pieces.node, pieces.group), n_cases)
        slots, n_slots = place_nodes(sizes.reshape(2 * len(nodes), n_groups))
        begins = np.array([own.begins for own in slots]).reshape(sizes.shape)
        to = [
            begins[pieces.node, side, pieces.group] + _before(pieces, brought[side])
            for side in (0, 1)
        ]
        moved = self._device.part(cells, pieces, bits, to[0], to[1], n_slots)
        places = [_Place(moved, own) for own in slots]
        return list(zip(places[::2], places[1::2], strict=True))

    def rows_of(self, nodes: Sequence[int]) -> list[NDArray[np.int64]]:
        """Return the numbers of each node's rows, each once, ascending."""
        return [np.unique(self._rows(node)).astype(np.int64) for node in nodes]

    def _rows(self, node: int) -> NDArray[np.uint32]:
        place = self._places[node]
        begin = int(place.slots.begins[0])
        end = int(place.slots.begins[-1] + place.slots.sizes[-1])
        rows: NDArray[np.uint32] = self._device.get(place.cells.rows, begin, end)
        is_case = rows != NO_ROW
        own: NDArray[np.uint32] = rows[is_case]
        return own

    def close(self, nodes: Sequence[int]) -> None:
        """Forget the cases of nodes that stay leaves, or that were parted."""
        for node in nodes:
            self._places.pop(node, None)

    def _pieces(self, nodes: Sequence[int], most: int) -> Pieces:
        return cut_up([self._places[node].slots for node in nodes], self._groups, most)

    def _by_cells(self, nodes: Sequence[int]) -> list[tuple[Cells, list[int]]]:
        """Cells, and which of the nodes lie in them: mostly all of a level."""
        found: dict[int, tuple[Cells, list[int]]] = {}
        for i, node in enumerate(nodes):
            cells = self._places[node].cells
            found.setdefault(id(cells), (cells, []))[1].append(i)
        return list(found.values())


def _before(pieces: Pieces, n_cases: NDArray[np.int64]) -> NDArray[np.int64]:
    """Cases that earlier pieces of the same node and group have."""
    before = np.cumsum(n_cases) - n_cases
    is_first = np.append(True, (np.diff(pieces.node) != 0) | (np.diff(pieces.group) != 0))[
        : len(pieces)
    ]
    at_first = np.flatnonzero(is_first)
    base: NDArray[np.int64] = before - before[at_first][np.cumsum(is_first) - 1]
    return base


def _width(n_codes: int) -> type[np.unsignedinteger]:
    """A byte to a cell where that holds all codes."""
    return np.uint8 if n_codes <= 2**8 else np.uint16 if n_codes <= 2**16 else np.uint32
