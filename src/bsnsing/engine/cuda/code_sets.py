"""CodeSets: the codes that answer yes to each of some questions, as a device is told of them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bsnsing import _core
from bsnsing.questions.coded import CodedQuestion, CodedRule
from bsnsing.questions.question import TESTS

_WORD = 32


@dataclass(frozen=True, slots=True, eq=False)
class CodeSets:
    """Questions of several nodes, one behind the other.

    A question takes the codes from ``low`` up to, but not with, ``high``; or, where ``table`` is
    not -1, the codes whose bits are set in the words from there on.
    """

    column: NDArray[np.int32]
    low: NDArray[np.uint32]
    high: NDArray[np.uint32]
    table: NDArray[np.int32]
    words: NDArray[np.uint32]
    first: NDArray[np.int32]  # question of each node, and the end of all

    @property
    def n_of(self) -> NDArray[np.int64]:
        """How many questions each node has."""
        return np.diff(self.first).astype(np.int64)


@dataclass(frozen=True, slots=True, eq=False)
class RuleSets:
    """Rules of several nodes: literals, each a question that may be negated, and what joins them.

    The questions of rule ``r`` are ``first[r]`` up to, but not with, ``first[r + 1]``.
    """

    questions: CodeSets
    negated: NDArray[np.uint8]  # of each question
    first: NDArray[np.int32]  # question of each rule, and the end of all
    operator: NDArray[np.uint8]  # place in OPERATORS
    first_rule: NDArray[np.int32]  # of each node, and the end of all


class _Set(NamedTuple):
    low: int
    high: int
    levels: tuple[int, ...] | None = None  # where the codes are no range


class CodeFinder:
    """Finds the codes of questions about columns that a schema describes."""

    def __init__(self, schema: _core.ColumnSchema) -> None:
        self._schema = schema
        self._values: dict[int, NDArray[np.float64]] = {}

    def questions(self, of_nodes: Sequence[Sequence[CodedQuestion]]) -> CodeSets:
        """Return the codes of each node's questions."""
        return self._sets([q for own in of_nodes for q in own], map(len, of_nodes))

    def rules(self, of_nodes: Sequence[Sequence[CodedRule]]) -> RuleSets:
        """Return the codes of each node's rules."""
        rules = [rule for own in of_nodes for rule in own]
        asked = [[q for rule in own for q in rule.questions] for own in of_nodes]
        return RuleSets(
            self.questions(asked),
            np.array([is_not for rule in rules for is_not in rule.negated], dtype=np.uint8),
            _firsts(len(rule.questions) for rule in rules),
            np.array([rule.operator for rule in rules], dtype=np.uint8),
            _firsts(map(len, of_nodes)),
        )

    def _sets(self, questions: Sequence[CodedQuestion], sizes: Iterable[int]) -> CodeSets:
        found = [self._codes_of(question) for question in questions]
        tables, words = np.full(len(found), -1, dtype=np.int32), list[NDArray[np.uint32]]()
        n_words = 0
        for i, (question, own) in enumerate(zip(questions, found, strict=True)):
            if own.levels is not None:
                tables[i] = n_words
                words.append(_bits(own.levels, self._schema.n_codes(question[0]) + 1))
                n_words += len(words[-1])
        return CodeSets(
            np.array([question[0] for question in questions], dtype=np.int32),
            np.array([own.low for own in found], dtype=np.uint32),
            np.array([own.high for own in found], dtype=np.uint32),
            tables,
            np.concatenate(words) if words else np.zeros(1, dtype=np.uint32),
            _firsts(sizes),
        )

    def _codes_of(self, question: CodedQuestion) -> _Set:
        """The codes of one question, as the native engine finds them."""
        column, test, value, levels = question
        n_codes = self._schema.n_codes(column)
        if TESTS[test] == "is missing":
            return _Set(n_codes, n_codes + 1)
        if self._schema.kind(column) == "categorical":
            if len(levels) == 1:
                return _Set(levels[0], levels[0] + 1)
            return _Set(0, 0, tuple(levels))
        values = self._values.get(column)
        if values is None:
            values = self._values[column] = self._schema.values(column)
        at, past = (int(np.searchsorted(values, value, side)) for side in ("left", "right"))
        return {">": _Set(past, n_codes), "<": _Set(0, at), "==": _Set(at, past)}[TESTS[test]]


def _firsts(sizes: Iterable[int]) -> NDArray[np.int32]:
    return np.append(0, np.cumsum([*sizes], dtype=np.int64)).astype(np.int32)


def _bits(codes: Sequence[int], n_codes: int) -> NDArray[np.uint32]:
    """A bit for each code, in words."""
    words = np.zeros(-(-n_codes // _WORD), dtype=np.uint32)
    for code in codes:
        words[code // _WORD] |= np.uint32(1 << (code % _WORD))
    return words
