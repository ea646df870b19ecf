"""CodedEngine: the native engine over rows that were encoded elsewhere."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from bsnsing.engine.base import EngineOptions
from bsnsing.engine.native import NativeEngine
from bsnsing.engine.parts import Coding, EncodedPart, coded_cases, once


class CodedEngine(NativeEngine):
    """A :class:`NativeEngine` over an encoded part; its bins are those of the whole table.

    Parameters
    ----------
    part : EncodedPart
        The rows.
    coding : Coding
        What their codes and labels stand for.
    unit : float
        Counts that make one case.
    options : EngineOptions
        What is asked about and searched for.
    """

    def __init__(
        self, part: EncodedPart, coding: Coding, unit: float, options: EngineOptions
    ) -> None:
        class_weight = options.class_weight
        weights = None if class_weight is None else class_weight.tolist()
        row_of, columns, cases = coded_cases(part, coding, unit, weights)
        self._start(columns, cases, options)
        self._part, self._row_of = part, row_of

    def tallies(self, nodes: Sequence[int]) -> list[NDArray[np.int64]]:
        """Sum up the tallies of each node's rows."""
        tallies = self._part.tallies
        assert tallies is not None
        rows = self.rows_of(nodes)
        return [tallies[once(own, self._row_of)].sum(axis=0, dtype=np.int64) for own in rows]
