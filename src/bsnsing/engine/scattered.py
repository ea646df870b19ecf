"""ScatteredEngine: rows in parts anywhere, counted there; questions and rules are chosen here."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bsnsing.engine import parts
from bsnsing.engine.base import CaseCounts, EngineOptions
from bsnsing.engine.counting import CountingEngine
from bsnsing.engine.parts import Coding
from bsnsing.engine.workers import Handles, Workers
from bsnsing.questions.coded import CodedQuestion, CodedRule
from bsnsing.rules.deadline import Deadline
from bsnsing.rules.knowledge import NodeLimits
from bsnsing.rules.split import Found

# Bytes of a gathered row for each byte of its codes and labels: what is gathered, the table of an
# engine, and what it parts that into; a row with soft labels is several cases in these.
_COPIES, _SOFT_COPIES = 4, 8
# Rows of a node that is always gathered, if there is room.
_FEW_ROWS = 20_000
# Parts of the rows for each call that is worked on at a time, so that all are busy to the end.
_SHARES = 2
# Calls that are begun for each that is worked on.
_BEGUN = 3
# Tasks that take rows to where they are gathered.
_MOST_TASKS = 20_000
# Bytes of pair counts that are asked for at a time, unless one node has more.
_MOST_COUNTS = 2**29


class ScatteredEngine(CountingEngine):
    """An engine over encoded parts: counts come here, rows never do.

    Parameters
    ----------
    workers : Workers
        Who works on the parts.
    encoded : handles of EncodedPart
        The rows.
    n_rows : int
        Rows of all parts.
    totals : sequence of int
        Cases per class.
    coding : Coding
        What their codes and labels stand for.
    unit : float
        Counts that make one case.
    options : EngineOptions
        What is asked about and searched for.
    is_soft : bool, default=False
        Whether rows have soft labels.
    """

    def __init__(
        self,
        workers: Workers,
        encoded: Handles,
        n_rows: int,
        totals: Sequence[int],
        coding: Coding,
        unit: float,
        options: EngineOptions,
        *,
        is_soft: bool = False,
    ) -> None:
        super().__init__(coding.schema, coding.n_classes, unit, options)
        self.n_rows, self.unit, self.options = n_rows, unit, options
        self._is_soft = is_soft
        self.coding = coding
        schema = coding.schema
        self.has_missing = tuple(schema.has_missing(c) for c in range(schema.n_columns))
        self._workers, self._room = workers, workers.room()
        self._sizes = [schema.n_codes(c) + 1 for c in range(schema.n_columns)]
        self._encoded, self._opened = encoded, list[Any]()
        self._root_totals = [float(n) for n in totals]
        self._n_nodes = 1
        self._closed: list[int] = []
        # Histograms of the present level and of the one above it, and each node's parent and
        # sibling there.
        self._known: dict[int, CaseCounts] = {}
        self._family: dict[int, tuple[int, int]] = {}

    @property
    def _nodes(self) -> Handles:
        """The open nodes of each part."""
        if not self._opened:
            self._opened = self._workers.each(parts.open_root, self._encoded, coding=self.coding)
        return self._opened

    # --- Counts ---

    def class_totals(self, node: int) -> list[float]:
        """Cases per class of a node."""
        return self._root_totals if node == 0 else super().class_totals(node)

    def totals(self, nodes: Sequence[int]) -> list[CaseCounts]:
        """Cases per class of each node."""
        self._count(nodes)
        return [self._known[node][:, : self._sizes[0]].sum(axis=1) for node in nodes]

    def histograms(self, nodes: Sequence[int]) -> list[list[CaseCounts]]:
        """Count the cases of each class and code, per node and column."""
        self._count(nodes)
        ends = np.cumsum(self._sizes)[:-1]
        return [
            [np.ascontiguousarray(own) for own in np.split(self._known[node], ends, axis=1)]
            for node in nodes
        ]

    def _count(self, nodes: Sequence[int]) -> None:
        """Count the codes of nodes; of two siblings one, as both make up their parent."""
        unknown = [node for node in nodes if node not in self._known]
        counted = [node for node in unknown if not self._follows(node, unknown)]
        if counted:
            found = self._merged(parts.histograms, wanted=counted)
            self._known |= zip(counted, found.astype(np.int64), strict=True)
        for node in unknown:
            if node not in self._known:
                parent, sibling = self._family[node]
                self._known[node] = self._known[parent] - self._known[sibling]

    def _follows(self, node: int, unknown: Sequence[int]) -> bool:
        """Whether what a node has is known once its sibling is counted."""
        if node not in self._family or self._family[node][0] not in self._known:
            return False
        sibling = self._family[node][1]
        return sibling in self._known or (sibling < node and sibling in unknown)

    def pair_counts(
        self, nodes: Sequence[int], questions: Sequence[Sequence[CodedQuestion]]
    ) -> list[CaseCounts]:
        """Count the cases of each class that answer yes to both of any two questions."""
        if not nodes:
            return []
        asked = [list(own) for own in questions]
        counted = self._merged(parts.pair_counts, wanted=list(nodes), questions=asked)
        return [parts.both_ways(own, len(q)) for own, q in zip(counted, asked, strict=True)]

    def rule_counts(
        self, nodes: Sequence[int], rules: Sequence[Sequence[CodedRule]]
    ) -> list[CaseCounts]:
        """Count the cases of each class that answer yes to each rule."""
        if not nodes:
            return []
        given = [list(own) for own in rules]
        counted: list[CaseCounts] = self._merged(parts.rule_counts, wanted=list(nodes), rules=given)
        return counted

    def best_rules(
        self,
        nodes: Sequence[int],
        time_limit: float = math.inf,
        limits: Sequence[NodeLimits] = (),
    ) -> list[Found]:
        """Return the best rule of each node, of as many at a time as counts have room for."""
        self._count(nodes)
        deadline, found = Deadline(time_limit), list[Found]()
        size = max(1, int(_MOST_COUNTS // self._pair_bytes))
        for first in range(0, len(nodes), size):
            some = slice(first, first + size)
            share = min(1.0, size / (len(nodes) - first))
            found += super().best_rules(nodes[some], deadline.left() * share, limits[some])
        return found

    @property
    def _pair_bytes(self) -> int:
        """Bytes of a node's pair counts, if all questions are asked that may be."""
        n_cuts = self.options.ask.n_segments
        n_questions = sum(2 * min(size, n_cuts) for size in self._sizes)
        return 8 * self.coding.n_classes * n_questions**2

    def tallies(self, nodes: Sequence[int]) -> list[NDArray[np.int64]]:
        """Sum up the tallies of each node's rows."""
        return list(self._merged(parts.tallies, wanted=list(nodes))) if nodes else []

    def _merged(self, function: Callable[..., Any], **messages: Any) -> Any:
        return self._workers.merged(function, parts.add_up, self._nodes, **messages)

    # --- Nodes ---

    def split(self, nodes: Sequence[int], rules: Sequence[CodedRule]) -> list[tuple[int, int]]:
        """Part the rows of each node by its rule; return the new nodes, yes and no."""
        if not nodes:
            return []
        first = self._n_nodes
        children = [(first + 2 * i, first + 2 * i + 1) for i in range(len(nodes))]
        self._n_nodes += 2 * len(nodes)
        self._opened = self._workers.each(
            parts.split,
            self._nodes,
            parted=list(nodes),
            rules=list(rules),
            children=children,
            closed=self._closed,
        )
        self._closed = []
        self._known = {node: self._known[node] for node in nodes if node in self._known}
        self._family = {}
        for node, (yes, no) in zip(nodes, children, strict=True):
            self._family |= {yes: (node, no), no: (node, yes)}
        return children

    def close(self, nodes: Sequence[int]) -> None:
        """Forget the rows of nodes that stay leaves, with the next split."""
        self._closed = [*self._closed, *nodes]

    def answers(
        self, node: int, questions: Sequence[CodedQuestion]
    ) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
        """Refuse: rows stay where they are."""
        raise NotImplementedError("Rows in parts are counted, not listed. Use solver='enum'.")

    def rows_of(self, nodes: Sequence[int]) -> list[NDArray[np.int64]]:
        """Refuse: rows stay where they are."""
        raise NotImplementedError("Rows in parts are counted, not listed.")

    # --- Nodes whose rows fit in one place ---

    @property
    def scattered(self) -> ScatteredEngine:
        """Itself: its nodes can be gathered."""
        return self

    @property
    def n_threads(self) -> int:
        """Threads that work on what is gathered in one place."""
        return self._room.n_threads

    def fits(self, share: float) -> bool:
        """Whether a node with this share of all cases is best worked on in one place."""
        n_rows, room = share * self.n_rows, self._room
        per_row = len(self._sizes) + 8 * (1 + self.coding.n_classes)
        n_bytes = n_rows * per_row * (_SOFT_COPIES if self._is_soft else _COPIES)
        is_little = room.n_calls == 1 or n_rows <= max(
            _FEW_ROWS, self.n_rows / (_SHARES * room.n_calls)
        )
        return is_little and n_bytes <= room.n_bytes

    def gathered(
        self,
        function: Callable[..., list[Any]],
        nodes: Sequence[int],
        shares: Sequence[float],
        **messages: Any,
    ) -> Iterator[tuple[list[int], list[Any]]]:
        """Call a function on the rows of nodes, those of each node in one place.

        The function gets the pieces of several nodes, ``pieces[part][i]``, and returns one result
        for each; ``shares`` are the cases of each node. Yields positions among the nodes, and
        their results, some at a time.
        """
        waiting = self._bundles(shares)
        begun: list[tuple[list[int], Any]] = []
        while waiting or begun:
            while waiting and len(begun) < _BEGUN * self._room.n_calls:
                bundle = waiting.pop(0)
                wanted = [nodes[i] for i in bundle]
                if wanted == [0]:  # all rows
                    pieces = self._workers.each(parts.take_all, self._encoded)
                else:
                    pieces = self._workers.each(parts.take_nodes, self._nodes, wanted=wanted)
                told = {"positions": bundle, "coding": self.coding, **messages}
                begun.append((bundle, self._workers.call(function, pieces, **told)))
            bundle, handle = begun.pop(0)
            yield bundle, self._workers.fetch(handle)

    def _bundles(self, shares: Sequence[float]) -> list[list[int]]:
        """Nodes that are worked on together, the largest first: few tasks, and all busy."""
        most = max(1, _MOST_TASKS // len(self._encoded))
        n_bundles = min(most, 2 * _SHARES * self._room.n_calls)
        size = max(sum(shares) / n_bundles, min(shares))
        bundles, sizes = list[list[int]](), list[float]()
        for i in np.argsort(-np.asarray(shares), kind="stable").tolist():
            if sizes and sizes[-1] + shares[i] <= size and self.fits(sizes[-1] + shares[i]):
                bundles[-1].append(i)
                sizes[-1] += shares[i]
            else:
                bundles.append([i])
                sizes.append(shares[i])
        return bundles
