"""What must hold on the way to a node: the rules above it as few conditions, merged by column."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

from bsnsing.data.columns import ColumnInfo
from bsnsing.export.cells import CellSet, Subject, cells_that, show_cells, shown_within
from bsnsing.export.form import NodeForm, TreeForm
from bsnsing.export.implied import Cells, Clause, without_implied

Columns: TypeAlias = dict[str, ColumnInfo]


class Asked(NamedTuple):
    """A question of an "xor": cells that answer yes, and those that answer no."""

    subject: Subject
    yes: CellSet
    no: CellSet


@dataclass(frozen=True, slots=True)
class Parity:
    """Of these answers an odd number is yes, or an even one."""

    asked: tuple[Asked, ...]
    is_odd: bool


# Of larger trees, whose rules nobody reads one by one, conditions stay that others imply together.
MOST_LEAVES = 300


@dataclass(frozen=True, slots=True)
class Way:
    """Conditions on the way to a node. Ways share what they have in common."""

    cells: Cells  # what single questions leave, in the order asked
    above: Way | None = None
    last: Clause | Parity | None = None  # of several questions: one at least holds, or parity
    of_many: bool = False  # whether the tree has very many

    def several(self) -> tuple[list[Clause], list[Parity]]:
        """Return the conditions of several questions, from the root down."""
        clauses, parities = [], []
        way: Way | None = self
        while way is not None:
            if isinstance(way.last, Parity):
                parities.append(way.last)
            elif way.last is not None:
                clauses.append(way.last)
            way = way.above
        return clauses[::-1], parities[::-1]


@dataclass(frozen=True, slots=True)
class Conditions:
    """All that leads to a node, without what is implied: each of these holds."""

    cells: Cells  # of each column or pair by itself
    clauses: list[Clause]  # one at least of these
    parities: list[Parity]


def ways(form: TreeForm) -> Iterator[tuple[NodeForm, Way]]:
    """Return each node with its way: parents before children, those that answer yes first."""
    columns = {column.name: column for column in form.tree.columns}
    nodes = form.nodes
    waiting = [(0, Way({}, of_many=form.tree.n_leaves > MOST_LEAVES))]
    while waiting:
        i, way = waiting.pop()
        node = nodes[i]
        yield node, way
        if not node.is_leaf:
            waiting.append((node.no, _go_on(way, node, False, columns)))
            waiting.append((node.yes, _go_on(way, node, True, columns)))


def conditions_of(way: Way, columns: Columns) -> Conditions:
    """Return the conditions of a way, each true of every case that takes it, and of no other.

    Those on one column are merged, and what the others imply is left out: conditions, and questions
    of a condition of several.
    """
    cells = dict(way.cells)
    clauses, parities = way.several()
    while True:
        clauses, is_settled = _settled(cells, clauses, parities)
        if is_settled:
            clauses = [_shortest(clause, cells, columns) for clause in clauses]
            fewer = None if way.of_many else without_implied(cells, clauses, columns)
            if fewer is None:
                return Conditions(cells, clauses, parities)
            cells, clauses = fewer


def condition_texts(way: Way, columns: Columns, *, full_levels: bool = False) -> list[str]:
    """Write the :func:`conditions_of` a way."""
    found = conditions_of(way, columns)
    texts = []
    for subject, own in found.cells.items():
        text = show_cells(subject, own, _column(subject, columns), full_levels=full_levels)
        if text:
            texts.append(f"({text})" if " or " in text else text)
    texts += [_clause_text(own, columns, full_levels) for own in found.clauses]
    return texts + [_parity_text(own, columns, full_levels) for own in found.parities]


def _go_on(way: Way, node: NodeForm, answer: bool, columns: Columns) -> Way:
    """Return the way to the child that a node's rule leads to with this answer."""
    above = way.above if way.last is None else way  # ways without such a condition add nothing
    asked = [
        Asked(
            own.question.column,
            *(
                cells_that(own, said, _column(own.question.column, columns))
                for said in (True, False)
            ),
        )
        for own in node.questions
    ]
    if node.operator == "xor" and len(asked) > 1:
        return Way(way.cells, above, Parity(tuple(asked), answer), way.of_many)
    literals = [(own.subject, own.yes if answer else own.no) for own in asked]
    cells = dict(way.cells)
    if len(asked) > 1 and answer == (node.operator == "or"):
        clause: Clause = {}
        for subject, own in literals:
            clause[subject] = clause[subject].join(own) if subject in clause else own
        if len(clause) > 1:
            return Way(way.cells, above, clause, way.of_many)
        literals = list(clause.items())
    for subject, own in literals:
        _add(cells, subject, own)
    return Way(cells, above, None, way.of_many)


def _add(cells: Cells, subject: Subject, own: CellSet) -> None:
    cells[subject] = cells[subject].meet(own) if subject in cells else own


def _settled(
    cells: Cells, clauses: list[Clause], parities: list[Parity]
) -> tuple[list[Clause], bool]:
    """Take out of the conditions what ``cells`` settle; single questions that are left join them.

    Returns the clauses that are left, and whether nothing was left to do. Parities are replaced in
    their list.
    """
    left: list[Clause] = []
    is_settled = True
    for clause in clauses:
        open_ = _still_open(cells, clause)
        if open_ is None:
            continue
        if len(open_) == 1:
            ((subject, own),) = open_.items()
            _add(cells, subject, own)
            is_settled = False
        else:
            left.append(open_)
    for place, parity in reversed(list(enumerate(parities))):
        rest = _still_odd(cells, parity)
        del parities[place]
        if len(rest.asked) > 1:
            parities.insert(place, rest)
        elif rest.asked:
            (last,) = rest.asked
            _add(cells, last.subject, last.yes if rest.is_odd else last.no)
            is_settled = False
    return left, is_settled


def _still_open(cells: Cells, clause: Clause) -> Clause | None:
    """Return a condition without what is excluded; None where the rest is implied."""
    kept: Clause = {}
    for subject, own in clause.items():
        known = cells.get(subject)
        if known is None:
            kept[subject] = own
            continue
        both = known.meet(own)
        if both == known:
            return None
        if not both.is_empty:
            kept[subject] = own
    return kept or clause  # with nothing left, no cell can lead here: the whole condition shows it


def _still_odd(cells: Cells, parity: Parity) -> Parity:
    """Return a parity without the questions whose answers are known."""
    kept, is_odd = [], parity.is_odd
    for own in parity.asked:
        known = cells.get(own.subject)
        if known is not None and not known.is_empty and known.meet(own.yes) == known:
            is_odd = not is_odd
        elif known is None or known.is_empty or known.meet(own.no) != known:
            kept.append(own)
    return Parity(tuple(kept), is_odd) if kept else Parity((), is_odd)


def _shortest(clause: Clause, cells: Cells, columns: Columns) -> Clause:
    """Return a condition of several questions as it is said beside those on single columns."""
    return {
        subject: shown_within(own, cells[subject], _column(subject, columns))
        if subject in cells
        else own
        for subject, own in clause.items()
    }


def _clause_text(clause: Clause, columns: Columns, full_levels: bool) -> str:
    texts = [
        show_cells(subject, own, _column(subject, columns), full_levels=full_levels) or "anything"
        for subject, own in clause.items()
    ]
    return f"({' or '.join(texts)})"


def _parity_text(parity: Parity, columns: Columns, full_levels: bool) -> str:
    texts = []
    for own in parity.asked:
        column = _column(own.subject, columns)
        text = show_cells(own.subject, own.yes, column, full_levels=full_levels) or "anything"
        texts.append(f"({text})" if " or " in text else text)
    joined = f"({' xor '.join(texts)})"
    return joined if parity.is_odd else f"not {joined}"


def _column(subject: Subject, columns: Columns) -> ColumnInfo | None:
    return columns[subject] if isinstance(subject, str) else None
