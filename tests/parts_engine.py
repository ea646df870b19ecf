"""PartsEngine: the slow, obvious engine that judges the others.

The rows lie in parts, each counted by plain NumPy, and the parts' counts are added up. Nothing else
is known of the rows where questions and rules are chosen.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bsnsing.data.cases import Cases
from bsnsing.engine.base import CaseCounts, EngineOptions
from bsnsing.engine.counting import CountingEngine
from bsnsing.engine.encode import encode_table
from bsnsing.questions.coded import CodedQuestion, CodedRule
from bsnsing.questions.pair import pair_columns
from bsnsing.questions.question import TESTS
from bsnsing.tree.rule import OPERATORS

JOIN = {"or": np.any, "and": np.all, "xor": lambda answers, axis: answers.sum(axis) % 2 == 1}


@dataclass
class Part:
    """Some rows: their cells and codes, labels and weights, and the rows of each node."""

    rows: NDArray[np.int64]  # numbers in the whole table
    cells: list[NDArray[Any]]
    is_categorical: list[bool]
    codes: list[NDArray[np.uint32]]
    n_codes: list[int]
    labels: NDArray[np.int32]
    weights: NDArray[np.int64]
    n_classes: int
    nodes: list[NDArray[np.intp]]  # positions in this part

    def by_class(self, places: NDArray[np.intp]) -> CaseCounts:
        """Sum the weights of some rows per class."""
        sums = np.zeros(self.n_classes, dtype=np.int64)
        np.add.at(sums, self.labels[places], self.weights[places])
        return sums

    def histogram(self, node: int, column: int) -> CaseCounts:
        counts = np.zeros((self.n_classes, self.n_codes[column] + 1), dtype=np.int64)
        rows = self.nodes[node]
        np.add.at(counts, (self.labels[rows], self.codes[column][rows]), self.weights[rows])
        return counts

    def answer(self, node: int, question: CodedQuestion) -> NDArray[np.bool_]:
        """Answer by the cells themselves."""
        column, test, value, levels = question
        cells = self.cells[column][self.nodes[node]]
        if TESTS[test] == "is missing":
            return cells < 0 if self.is_categorical[column] else np.isnan(cells)
        if self.is_categorical[column]:
            return np.isin(cells, levels)
        return {">": cells > value, "<": cells < value, "==": cells == value}[TESTS[test]]

    def follow(self, node: int, rule: CodedRule) -> NDArray[np.bool_]:
        questions, negated, operator = rule
        answers = np.array([self.answer(node, q) for q in questions])
        return JOIN[OPERATORS[operator]](answers ^ np.array(negated)[:, None], axis=0)

    def pair_counts(self, node: int, questions: Sequence[CodedQuestion]) -> CaseCounts:
        rows = self.nodes[node]
        answers = np.array([self.answer(node, q) for q in questions]).reshape(
            len(questions), len(rows)
        )
        return np.array(
            [
                (answers * (self.weights[rows] * (self.labels[rows] == j))) @ answers.T
                for j in range(self.n_classes)
            ],
            dtype=np.int64,
        )

    def split(self, node: int, rule: CodedRule) -> None:
        yes, rows = self.follow(node, rule), self.nodes[node]
        self.nodes += [rows[yes], rows[~yes]]


class PartsEngine(CountingEngine):
    """Rows in ``n_parts`` parts, dealt out by chance; some of them may have no row."""

    n_parts = 3

    def __init__(self, cases: Cases, n_classes: int, options: EngineOptions) -> None:
        table, weights = cases.table, cases.weights
        columns = table.columns + pair_columns(table, options.pairs)
        encoded = encode_table(
            table,
            options.pairs,
            max_bins=options.max_bins,
            unbinned={question[0] for question in options.extra_questions},
            counts=weights.counts,
        )
        self.n_rows = table.n_rows
        self.has_missing = tuple(encoded.has_missing())
        super().__init__(encoded.schema(), n_classes, weights.unit, options)
        is_categorical = [column.info.kind == "categorical" for column in columns]
        cells = [
            c.codes() if is_c else c.numbers()
            for c, is_c in zip(columns, is_categorical, strict=True)
        ]
        codes = [encoded.codes(c) for c in range(len(columns))]
        n_codes = [encoded.schema().n_codes(c) for c in range(len(columns))]
        counts = np.ones(self.n_rows, np.int64) if weights.counts is None else weights.counts
        part_of = np.random.default_rng(0).integers(0, self.n_parts, self.n_rows)
        self.parts = []
        for k in range(self.n_parts):
            rows = np.flatnonzero(part_of == k)
            self.parts.append(
                Part(
                    rows=rows,
                    cells=[c[rows] for c in cells],
                    is_categorical=is_categorical,
                    codes=[c[rows] for c in codes],
                    n_codes=n_codes,
                    labels=cases.labels[rows],
                    weights=counts[rows],
                    n_classes=n_classes,
                    nodes=[np.arange(len(rows))],
                )
            )

    def totals(self, nodes: Sequence[int]) -> list[CaseCounts]:
        return [add_up(p.by_class(p.nodes[node]) for p in self.parts) for node in nodes]

    def histograms(self, nodes: Sequence[int]) -> list[list[CaseCounts]]:
        n_columns = len(self.parts[0].codes)
        return [
            [add_up(p.histogram(node, c) for p in self.parts) for c in range(n_columns)]
            for node in nodes
        ]

    def pair_counts(
        self, nodes: Sequence[int], questions: Sequence[Sequence[CodedQuestion]]
    ) -> list[CaseCounts]:
        return [
            add_up(p.pair_counts(node, asked) for p in self.parts)
            for node, asked in zip(nodes, questions, strict=True)
        ]

    def rule_counts(
        self, nodes: Sequence[int], rules: Sequence[Sequence[CodedRule]]
    ) -> list[CaseCounts]:
        return [
            np.array(
                [
                    add_up(p.by_class(p.nodes[node][p.follow(node, rule)]) for p in self.parts)
                    for rule in own
                ]
            )
            for node, own in zip(nodes, rules, strict=True)
        ]

    def answers(
        self, node: int, questions: Sequence[CodedQuestion]
    ) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
        answers = [np.array([p.answer(node, q) for q in questions]).T for p in self.parts]
        rows = np.concatenate([p.rows[p.nodes[node]] for p in self.parts])
        order = np.argsort(rows)
        return np.concatenate(answers)[order].astype(np.uint8), rows[order]

    def split(self, nodes: Sequence[int], rules: Sequence[CodedRule]) -> list[tuple[int, int]]:
        children = []
        for node, rule in zip(nodes, rules, strict=True):
            n_nodes = len(self.parts[0].nodes)
            children.append((n_nodes, n_nodes + 1))
            for part in self.parts:
                part.split(node, rule)
        return children

    def rows_of(self, nodes: Sequence[int]) -> list[NDArray[np.int64]]:
        return [np.sort(np.concatenate([p.rows[p.nodes[n]] for p in self.parts])) for n in nodes]

    def close(self, nodes: Sequence[int]) -> None:
        for part in self.parts:
            for node in nodes:
                part.nodes[node] = np.empty(0, dtype=np.intp)


def add_up(counts: Iterable[CaseCounts]) -> CaseCounts:
    """The counts of all parts together."""
    return np.sum(list(counts), axis=0)
