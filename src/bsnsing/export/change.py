"""A change of a case: the columns, what they may become, and the leaf that it leads to."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

from bsnsing.data.columns import ColumnInfo, Level
from bsnsing.export.cells import CellSet, Span, Spans
from bsnsing.questions.pair import ColumnPair

# A number, or the position of a level (of one never seen, past the last); None where missing.
Cell: TypeAlias = float | None
Row: TypeAlias = Mapping[str, Cell]


@dataclass(frozen=True, slots=True)
class Change:
    """One column of a change: the cells that do, and one of them near the present cell."""

    column: str
    present: Level | None
    cells: CellSet
    example: Level
    levels: tuple[Level, ...] | None  # those that do, of a categorical column
    pairs: tuple[tuple[ColumnPair, Spans], ...] = ()  # where both columns change: what must hold

    def to_dict(self) -> dict[str, Any]:
        """Return what JSON can carry: of numbers the spans that do, None where they have no end."""
        spans = self.cells.spans
        return {
            "column": self.column,
            "present": self.present,
            "example": self.example,
            "levels": None if self.levels is None else list(self.levels),
            "spans": None if spans is None else [_span_dict(span) for span in spans],
            "pairs": [
                {"pair": str(pair), "spans": [_span_dict(span) for span in own]}
                for pair, own in self.pairs
            ],
        }


def _span_dict(span: Span) -> dict[str, Any]:
    return {
        "low": span.low if math.isfinite(span.low) else None,
        "high": span.high if math.isfinite(span.high) else None,
        "has_low": span.has_low,
        "has_high": span.has_high,
    }


@dataclass(frozen=True, slots=True)
class Flip:
    """A change that leads to another label, or the reason why there is none."""

    leaves: tuple[int, ...] = ()  # one of each tree; none where there is no change
    changes: tuple[Change, ...] = ()
    n_answers: int = 0  # questions on the way there that are answered otherwise
    is_exact: bool = True  # False where limits left a nearer change, or any, undecided
    reason: str = ""  # why there is none

    @property
    def is_found(self) -> bool:
        """Whether there is a change."""
        return bool(self.leaves)

    @property
    def leaf(self) -> int:
        """The leaf where there is one tree; -1 where there is no change, or several trees."""
        return self.leaves[0] if len(self.leaves) == 1 else -1


def pair_number(pair: ColumnPair, row: Row) -> Cell:
    """Return the number of a pair; None where it is missing."""
    first, second = row[pair.first], row[pair.second]
    if first is None or second is None:
        return None
    number = float(pair.combine([first], [second])[0])
    return None if math.isnan(number) else number


def as_level(column: ColumnInfo, cell: Cell) -> Level | None:
    """Return a cell as the user knows it; None where missing, or a level never seen."""
    if cell is None or (column.kind == "categorical" and cell >= len(column.levels)):
        return None
    return known_level(column, cell)


def known_level(column: ColumnInfo, cell: float) -> Level:
    """Return a cell that is not missing as the user knows it."""
    if column.kind == "categorical":
        return column.levels[int(cell)]
    if column.scale is not None:
        return column.scale.show(cell)
    return bool(cell) if column.kind == "boolean" else cell
