"""EncodedTable: rows as codes, in parts anywhere, and what is known of all of them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bsnsing import _core
from bsnsing.data.cases import Cases
from bsnsing.data.columns import Column, ColumnInfo
from bsnsing.data.table import Table
from bsnsing.data.weights import CaseWeights
from bsnsing.engine.base import EngineMaker, EngineOptions
from bsnsing.engine.encode import encode_table
from bsnsing.engine.parts import Coding, EncodedPart
from bsnsing.engine.scattered import ScatteredEngine
from bsnsing.engine.workers import Handles, Here, Room, Workers


@dataclass(frozen=True, slots=True, eq=False)
class EncodedTable:
    """Encoded parts of one table; behind the columns there may be pairs of them."""

    workers: Workers
    parts: Handles  # of EncodedPart
    schema: _core.ColumnSchema
    info: tuple[ColumnInfo, ...]
    label_counts: NDArray[np.int64]  # cases of each label, in the unit of the weights
    n_rows: int
    unit: float
    weights: NDArray[np.int64] | None  # different ones; None if every row is one case
    is_soft: bool = False  # whether rows have soft labels

    @property
    def table(self) -> Table:
        """The columns without rows but, where cells are missing, one such cell."""
        columns = []
        for i, info in enumerate(self.info):
            n_missing = int(self.schema.has_missing(i))
            cells = np.full(n_missing, np.nan)
            if info.kind == "categorical":
                cells = np.full(n_missing, -1, dtype=np.int32)
            columns.append(Column(info, cells))
        return Table(tuple(columns), 0)

    @property
    def cases(self) -> Cases:
        """No cases of this table."""
        weights = CaseWeights(None if self.weights is None else np.empty(0, np.int64), self.unit)
        return Cases(self.table, np.empty(0, dtype=np.int32), weights)

    def engine_maker(self, class_of: NDArray[np.int32]) -> EngineMaker:
        """Return what makes engines over the parts, whose classes are those of the labels here."""

        def make(cases: Cases, n_classes: int, options: EngineOptions) -> ScatteredEngine:
            totals = np.zeros(n_classes, dtype=np.int64)
            np.add.at(totals, class_of, self.label_counts)
            return ScatteredEngine(
                self.workers,
                self.parts,
                self.n_rows,
                totals.tolist(),
                Coding(self.schema, class_of, n_classes),
                self.unit,
                options,
                is_soft=self.is_soft,
            )

        return make


def encode_here(cases: Cases, n_labels: int, options: EngineOptions) -> EncodedTable:
    """Encode cases that are at hand, as one part."""
    counts, n_threads = cases.weights.counts, options.search.n_threads
    columns = encode_table(
        cases.table,
        options.pairs,
        max_bins=options.max_bins,
        unbinned={question[0] for question in options.extra_questions},
        counts=counts,
        n_threads=n_threads,
    )
    schema = columns.schema()
    codes = []
    for i in range(schema.n_columns):
        n_codes = schema.n_codes(i)
        width = np.uint8 if n_codes < 2**8 else np.uint16 if n_codes < 2**16 else np.uint32
        codes.append(columns.codes(i).astype(width))
    totals = np.zeros(n_labels, dtype=np.int64)
    np.add.at(totals, cases.labels, 1 if counts is None else counts)
    return EncodedTable(
        Here(Room(n_threads=n_threads)),
        [EncodedPart(codes, cases.labels, counts)],
        schema,
        cases.table.info,
        totals,
        cases.table.n_rows,
        cases.weights.unit,
        None if counts is None else np.unique(counts),
    )
