"""Conditions that others imply, found by looking for cells that meet the others and not these.

Columns and pairs are taken one by one: what a pair's number says of its columns is not minded. So
all that is left out is implied, and hardly anything else that is implied stays.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypeAlias

from bsnsing.data.columns import ColumnInfo
from bsnsing.export.cells import CellSet, Subject, every_cell

Cells: TypeAlias = dict[Subject, CellSet]  # what each column or pair may hold
Clause: TypeAlias = dict[Subject, CellSet]  # one at least of these holds

# More conditions than so are taken as they are: a deep tree has very many ways.
_MOST_CLAUSES = 12
_MOST_STEPS = 200  # of one search


def without_implied(
    cells: Cells, clauses: Sequence[Clause], columns: Mapping[str, ColumnInfo]
) -> tuple[Cells, list[Clause]] | None:
    """Return the conditions without one, or without a part of one, that the others imply.

    None where there is none, or where there are too many to look. Conditions on the way are tried
    from the root down, those of several questions first.
    """
    if not clauses or len(clauses) > _MOST_CLAUSES:
        return None
    for place, clause in enumerate(clauses):
        others = [*clauses[:place], *clauses[place + 1 :]]
        if not _touches(clause, cells, others):
            continue
        if not _can_be(_with(cells, _denied(clause, columns)), others):
            return cells, others
        for subject, own in clause.items():
            rest = {name: other for name, other in clause.items() if name != subject}
            # Where it holds alone among its own: never, or it may be left out.
            alone = _with(_with(cells, _denied(rest, columns)), {subject: own})
            if not _can_be(alone, others):
                return cells, [*clauses[:place], rest, *clauses[place + 1 :]]
    for subject, own in cells.items():
        if not any(subject in clause for clause in clauses):
            continue
        rest_cells = {name: other for name, other in cells.items() if name != subject}
        if not _can_be(_with(rest_cells, _denied({subject: own}, columns)), clauses):
            return rest_cells, list(clauses)
    return None


def _touches(clause: Clause, cells: Cells, others: Sequence[Clause]) -> bool:
    """Whether some other condition is about a column of this one."""
    return any(subject in cells or any(subject in other for other in others) for subject in clause)


def _denied(clause: Clause, columns: Mapping[str, ColumnInfo]) -> Cells:
    """Return the cells of which none of these holds."""
    return {
        subject: every_cell(columns.get(subject) if isinstance(subject, str) else None).less(own)
        for subject, own in clause.items()
    }


def _with(cells: Cells, more: Cells) -> Cells:
    return cells | {
        subject: cells[subject].meet(own) if subject in cells else own
        for subject, own in more.items()
    }


def _can_be(cells: Cells, clauses: Sequence[Clause]) -> bool:
    """Whether some cells meet all conditions; also where that takes too long to tell."""
    waiting = [(cells, list(clauses))]
    for _ in range(_MOST_STEPS):
        if not waiting:
            return False
        cells, clauses = waiting.pop()
        if any(own.is_empty for own in cells.values()):
            continue
        reduced = _reduced(cells, clauses)
        if reduced is None:
            continue
        cells, clauses = reduced
        if not clauses:
            return True
        first, *rest = clauses
        waiting += [(_with(cells, {subject: own}), rest) for subject, own in first.items()]
    return True


def _reduced(cells: Cells, clauses: Sequence[Clause]) -> tuple[Cells, list[Clause]] | None:
    """Draw the conclusions that are forced; None where no cells are left."""
    while True:
        left: list[Clause] = []
        is_forced = False
        for clause in clauses:
            live: Clause = {}
            for subject, own in clause.items():
                known = cells.get(subject)
                both = own if known is None else known.meet(own)
                if known is not None and both == known:
                    break
                if not both.is_empty:
                    live[subject] = both
            else:
                if not live:
                    return None
                if len(live) == 1:
                    cells, is_forced = cells | live, True
                else:
                    left.append(live)
        clauses = left
        if not is_forced:
            return cells, left
