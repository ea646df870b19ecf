"""The way of one case through a tree; both ways where its cells leave a rule unknown."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import narwhals.stable.v1 as nw
import numpy as np

from bsnsing.data.align import align_column
from bsnsing.data.columns import ColumnInfo, read_column
from bsnsing.data.frames import is_frame
from bsnsing.export.form import AskedQuestion, TreeForm
from bsnsing.questions.pair import ColumnPair
from bsnsing.tree.rule import Rule

_UNSEEN = object()  # a level that fit never saw


def nodes_of_case(form: TreeForm, case: Any) -> frozenset[int]:
    """Return the nodes that a case passes, by the rules of :mod:`bsnsing.export.form`.

    Parameters
    ----------
    form : TreeForm
        The tree.
    case : mapping, Series, dataframe of one row, or sequence
        Cells by name or in the order of the columns. A mapping may leave out columns that no
        rule asks about.
    """
    cells = read_case(form, case)
    passed, waiting = set(), [0]
    while waiting:
        node = form.nodes[waiting.pop()]
        passed.add(node.id)
        if node.is_leaf:
            continue
        rule = Rule(
            tuple(asked.question for asked in node.questions),
            tuple(asked.negated for asked in node.questions),
            node.operator,
        )
        holds = rule.holds([_answer(asked, cells) for asked in node.questions])
        waiting += [node.yes, node.no] if holds is None else [node.yes if holds else node.no]
    return frozenset(passed)


def read_case(form: TreeForm, case: Any) -> dict[str, Any]:
    """Return the cells of the columns that the tree asks about, None where they are missing."""
    named = _named_cells([column.name for column in form.tree.columns], case)
    cells = {}
    for known in form.asked_columns:
        if known.name not in named:
            raise ValueError(
                f"The case has no cell for column {known.name!r}, which the tree asks about. "
                "Give one, or None where it is missing."
            )
        cells[known.name] = _read_cell(known, named[known.name])
    return cells


def _named_cells(names: list[str], case: Any) -> Mapping[str, Any]:
    if isinstance(case, Mapping):
        return {str(name): cell for name, cell in case.items()}
    if is_frame(case):
        frame = nw.from_native(case, eager_only=True)
        if len(frame) != 1:
            raise ValueError(f"A case is one row. Got a table of {len(frame)} rows.")
        return {str(name): frame[name].to_list()[0] for name in frame.columns}
    if hasattr(case, "to_dict"):  # a pandas Series
        return {str(name): cell for name, cell in case.to_dict().items()}
    cells = np.asarray(case, dtype=object)
    if cells.ndim == 2 and len(cells) == 1:
        cells = cells[0]
    if cells.ndim != 1 or len(cells) != len(names):
        raise ValueError(
            f"A case is one row of {len(names)} cells. Got an array of shape {cells.shape}."
        )
    return dict(zip(names, cells.tolist(), strict=True))


def _read_cell(known: ColumnInfo, cell: Any) -> Any:
    raw = np.empty(1, dtype=object)
    raw[0] = cell
    is_category = known.kind == "categorical"
    column = align_column(read_column(known.name, raw, as_category=is_category), known)
    if not is_category:
        number = float(column.numbers()[0])
        return None if np.isnan(number) else number
    code = int(column.codes()[0])
    return None if code < 0 else known.levels[code] if code < len(known.levels) else _UNSEEN


def _answer(asked: AskedQuestion, cells: Mapping[str, Any]) -> bool | None:
    column = asked.question.column
    if isinstance(column, ColumnPair):
        pair = ([_number(cells[column.first])], [_number(cells[column.second])])
        if np.isnan(column.combine(*pair)[0]):
            return asked.when_missing
        return bool(asked.question.answer(pair)[0])
    cell = cells[column]
    if cell is None:
        return asked.when_missing
    return asked.when_unseen if cell is _UNSEEN else bool(asked.question.answer([cell])[0])


def _number(cell: float | None) -> float:
    return np.nan if cell is None else cell
