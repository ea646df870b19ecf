"""The nearest change of a case that flips its label: fewest questions, exact over the tree."""

from __future__ import annotations

import heapq
import itertools
import math
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

from bsnsing.data.columns import ColumnInfo
from bsnsing.export.aim import Aim, aim_at_others
from bsnsing.export.cells import CellSet, Span, Spans, Subject, all_cells, meet_spans
from bsnsing.export.change import Cell, Change, Flip, Row, as_level, known_level
from bsnsing.export.form import ModelForm
from bsnsing.export.solve import near_number, solve_pair
from bsnsing.export.tree_walk import PreparedQuestion, TreeWalk, joined
from bsnsing.questions.pair import ColumnPair

# States that a search may look at: about two seconds. What is cut short says so.
MOST_STATES = 20_000
# Combinations of values tried where both columns of a pair change.
_MOST_TRIED = 500
_FAR = 1e6


class _Own(NamedTuple):
    """Cells that a column may change to, and whether it may stay as it is."""

    cells: CellSet
    may_stay: bool


@dataclass(frozen=True, slots=True)
class _State:
    leaves: tuple[int, ...]  # of the trees that are behind
    node: int  # of the next one
    own: dict[Subject, _Own]  # columns that were asked about
    pairs: dict[ColumnPair, Spans]  # of which both columns change
    n_columns: int
    n_answers: int


@dataclass(slots=True)
class FlipSearch:
    """Finds nearest changes in a model.

    Among all changes of cells that lead to another label, with every rule on the way answered in
    every tree, the one is nearest that changes the answers of the fewest questions on the way; of
    equals the one of the fewest columns, then the one whose leaves have most cases. No cell is made
    missing, and columns called fixed stay as they are. Several trees ask about the same column over
    and over, so there the fewest columns come first, then the fewest questions.

    States are answers so far on the way down, tree after tree, with the cells that give them. They
    are looked at in the order of their cost, which only grows on the way: the first that has come
    to leaves of another label is the nearest. Where several trees decide together, there are very
    many; so columns that may change are chosen first, one, then two and so on, and only those are
    looked into by which the label could change at all.
    """

    form: ModelForm
    fixed: Collection[str] = ()
    most_states: int = MOST_STATES
    walks: list[TreeWalk] = field(default_factory=list)
    _aims: dict[int, Aim] = field(default_factory=dict)
    _columns: dict[str, ColumnInfo] = field(default_factory=dict)
    _all: dict[str, CellSet] = field(default_factory=dict)
    _cases: list[list[float]] = field(default_factory=list)

    def __post_init__(self) -> None:
        """Note what each column may change to."""
        self.walks = [TreeWalk(own) for own in self.form.trees]
        self._cases = [own.tree.counts.sum(axis=1).tolist() for own in self.form.trees]
        self._columns = {column.name: column for column in self.form.columns}
        for column in self.form.asked_columns:
            cells = all_cells(column.name, column, has_missing=False)
            if column.kind == "boolean":
                cells = CellSet((Span(0, 0, True, True), Span(1, 1, True, True)), None, False)
            self._all[column.name] = cells

    def find(self, row: Row, label: int) -> Flip:
        """Return the nearest change of a row that leads to another label."""
        if label not in self._aims:
            self._aims[label] = aim_at_others(self.form, label)
        aim = self._aims[label]
        if not aim.can_be_met((), 0):
            return Flip(reason="no leaf has another label")
        names = [name for name in self._all if name not in self.fixed]
        if self.form.is_single:
            return self._search(row, aim, frozenset(names), self.most_states)[0]
        return self._by_columns(row, aim, names)

    def _by_columns(self, row: Row, aim: Aim, names: list[str]) -> Flip:
        """Return the nearest change of few columns, by choosing them first."""
        left, is_exact = self.most_states, True
        for n_columns in range(1, len(names) + 1):
            best: Flip | None = None
            for chosen in map(frozenset, itertools.combinations(names, n_columns)):
                left -= 1
                within = aim.within(self.walks, row, chosen)
                if within is not None:
                    flip, n_states = self._search(row, within, chosen, left)
                    left -= n_states
                    is_exact = is_exact and flip.is_exact
                    if flip.is_found and (best is None or self._order(flip) < self._order(best)):
                        best = flip
                if left <= 0:
                    any_ = (
                        best
                        or self._search(
                            row, aim, frozenset(names), self.most_states, is_greedy=True
                        )[0]
                    )
                    return replace(any_, is_exact=False)
            if best is not None:
                return replace(best, is_exact=is_exact)
        return self._none(is_exact)

    def _order(self, flip: Flip) -> tuple[int, float]:
        return flip.n_answers, -self._n_cases(flip.leaves)

    def _n_cases(self, leaves: tuple[int, ...]) -> float:
        return sum(own[leaf] for own, leaf in zip(self._cases, leaves, strict=False))

    def _none(self, is_exact: bool) -> Flip:
        what = "no change leads" if is_exact else "no change was found that leads"
        fixed = " without changing fixed columns" if self.fixed else ""
        return Flip(reason=f"{what} to another label{fixed}", is_exact=is_exact)

    def _search(
        self,
        row: Row,
        aim: Aim,
        chosen: Collection[str],
        most_states: int,
        *,
        is_greedy: bool = False,
    ) -> tuple[Flip, int]:
        """Return the nearest change of chosen columns, and how many states were looked at.

        What is greedy goes for any change, by the ways that promise most.
        """
        ticket = itertools.count()  # decides between equals: the one found first
        waiting: list[tuple[Any, ...]] = []

        def wait(state: _State) -> None:
            is_end = len(state.leaves) == len(self.walks)
            key: tuple[float, ...] = (-len(state.leaves), -aim.promise(state.leaves, state.node))
            if not is_greedy:
                # Ways that cost the same are followed to their ends before one of these is taken.
                order = -self._n_cases(state.leaves) if is_end else 0.0
                cost = (state.n_answers, state.n_columns)
                key = (*(cost if self.form.is_single else cost[::-1]), is_end, order)
            heapq.heappush(waiting, (*key, next(ticket), is_end, state))

        wait(_State((), 0, {}, {}, 0, 0))
        is_exact = not is_greedy
        for n_states in range(most_states):
            if not waiting:
                return self._none(is_exact), n_states
            state = heapq.heappop(waiting)[-1]
            if len(state.leaves) < len(self.walks):
                for after in self._next(state, row, chosen):
                    if self._leads_on(aim, after):
                        wait(after)
                continue
            changes = self._chosen(state, row)
            if changes is not None:
                return Flip(state.leaves, changes, state.n_answers, is_exact), n_states
            is_exact = False  # two columns of a pair, for which no fitting values were met
        ends = [entry[-1] for entry in sorted(waiting) if entry[-2]]
        return self._best_so_far(ends, row), most_states

    def _best_so_far(self, ends: list[_State], row: Row) -> Flip:
        """Return the nearest of the ends that were met when time was up."""
        for state in ends:
            changes = self._chosen(state, row)
            if changes is not None:
                return Flip(state.leaves, changes, state.n_answers, is_exact=False)
        return Flip(reason=f"the search stopped after {self.most_states:,} states", is_exact=False)

    def _leads_on(self, aim: Aim, state: _State) -> bool:
        if len(state.leaves) == len(self.walks):
            return aim.is_met(state.leaves)
        return aim.can_be_met(state.leaves, state.node)

    # --- One node further ---

    def _next(self, state: _State, row: Row, chosen: Collection[str]) -> Iterator[_State]:
        """All ways to answer the rule of a node; from a leaf on, the next tree."""
        walk = self.walks[len(state.leaves)]
        node = walk.form.nodes[state.node]
        if node.is_leaf:
            yield replace(state, leaves=(*state.leaves, state.node), node=0)
            return
        ways: list[tuple[_State, tuple[bool | None, ...]]] = [(state, ())]
        for asked in walk.questions(state.node):
            present = walk.answer(asked, row)
            ways = [
                (after, (*given, answer))
                for before, given in ways
                for after, answer in self._one_answer(before, asked, present, row, chosen)
            ]
        for after, given in ways:
            holds = joined(node.operator, given)
            if holds is not None:
                yield replace(after, node=node.yes if holds else node.no)

    def _own(self, state: _State, name: str, chosen: Collection[str]) -> _Own:
        """Return what a column may become."""
        cells = self._all[name]
        return state.own.get(name) or _Own(cells if name in chosen else _none_of(cells), True)

    def _one_answer(
        self,
        state: _State,
        asked: PreparedQuestion,
        present: bool | None,
        row: Row,
        chosen: Collection[str],
    ) -> Iterator[tuple[_State, bool | None]]:
        """All ways to answer one question."""
        subject = asked.subject
        if isinstance(subject, ColumnPair):
            names = (subject.first, subject.second)
            before = [self._own(state, name, chosen) for name in names]
            yield from self._pair_answers(state, asked, subject, present, row, before)
            return
        own = self._own(state, subject, chosen)
        for answer, cells in ((True, asked.yes), (False, asked.no), (None, None)):
            stays = own.may_stay and answer == present
            left = _none_of(own.cells) if cells is None else _without_missing(own.cells.meet(cells))
            if stays or left.has_known:
                after = replace(
                    state,
                    own=state.own | {subject: _Own(left, stays)},
                    n_columns=state.n_columns + (own.may_stay and not stays),
                    n_answers=state.n_answers + (answer != present),
                )
                yield after, answer

    def _pair_answers(
        self,
        state: _State,
        asked: PreparedQuestion,
        pair: ColumnPair,
        present: bool | None,
        row: Row,
        before: list[_Own],
    ) -> Iterator[tuple[_State, bool | None]]:
        """All ways to answer a question about a pair: each of its columns changes, or stays."""
        names = (pair.first, pair.second)
        for changes in itertools.product((False, True), repeat=2):
            own = [_decided(old, change) for old, change in zip(before, changes, strict=True)]
            if any(not new.may_stay and not new.cells.has_known for new in own):
                continue
            kept = [row[name] for name, change in zip(names, changes, strict=True) if not change]
            answers: list[tuple[bool | None, Spans | None]]
            if None in kept or len(kept) == 2:  # its number stays as it is, or missing
                answers = [(asked.when_missing if None in kept else present, None)]
            else:
                answers = [(True, asked.yes.spans), (False, asked.no.spans)]
            cost = sum(o.may_stay and not n.may_stay for o, n in zip(before, own, strict=True))
            for answer, spans in answers:
                fitted = _fitted(state, pair, own, kept, spans)
                if fitted is not None:
                    after = replace(
                        state,
                        own=fitted[0],
                        pairs=fitted[1],
                        n_columns=state.n_columns + cost,
                        n_answers=state.n_answers + (answer != present),
                    )
                    yield after, answer

    # --- Values ---

    def _chosen(self, state: _State, row: Row) -> tuple[Change, ...] | None:
        """Choose a value for each column that changes; None where none was found that does."""
        changed = [str(name) for name, own in state.own.items() if not own.may_stay]
        joint = sorted({name for pair in state.pairs for name in (pair.first, pair.second)})
        alone = [name for name in changed if name not in joint]
        values = [self._values(state.own[name].cells, row[name]) for name in alone]
        tried = (
            dict(zip(alone, own, strict=True)) | together
            for own in itertools.product(*values)
            for order in itertools.islice(itertools.permutations(joint), 6)
            for together in self._fitting(state, order, row)
        )
        # The first one does, but where pairs are rounded across a bound, or both columns change.
        for found in itertools.islice(tried, _MOST_TRIED if self.form.asked_pairs else 1):
            changed_row = {**row, **found}
            if tuple(walk.leaf_of(changed_row) for walk in self.walks) == state.leaves:
                return tuple(self._change(state, name, found[name], row) for name in changed)
        return None

    def _fitting(
        self, state: _State, order: tuple[str, ...], row: Row
    ) -> Iterator[dict[str, float]]:
        """Values of columns that must fit each other, one after the other."""
        waiting: list[dict[str, float]] = [{}]
        while waiting:
            chosen = waiting.pop()
            if len(chosen) == len(order):
                yield chosen
                continue
            name = order[len(chosen)]
            spans = state.own[name].cells.spans or ()
            for pair, held in state.pairs.items():
                other = pair.second if pair.first == name else pair.first
                if name in (pair.first, pair.second) and other in chosen:
                    solved = solve_pair(pair, held, first=pair.first == name, other=chosen[other])
                    spans = meet_spans(spans, solved)
            present = row[name]
            for value in reversed(list(_candidates(spans, present))):
                waiting.append(chosen | {name: value})

    def _values(self, cells: CellSet, present: Cell) -> list[float]:
        if cells.levels is not None:
            return [float(level) for level in sorted(cells.levels)[:1]]
        return list(_candidates(cells.spans or (), present))

    def _change(self, state: _State, name: str, value: float, row: Row) -> Change:
        pairs = tuple(own for own in state.pairs.items() if name in (own[0].first, own[0].second))
        column, cells = self._columns[name], state.own[name].cells
        return Change(
            column=name,
            present=as_level(column, row[name]),
            cells=cells,
            example=known_level(column, value),
            levels=None
            if cells.levels is None
            else tuple(column.levels[i] for i in sorted(cells.levels)),
            pairs=pairs,
        )


def _decided(own: _Own, change: bool) -> _Own:
    """Return what is left of a column that changes, or that stays; nothing where it cannot."""
    if change:
        return _Own(own.cells, False)
    return _Own(_none_of(own.cells), own.may_stay)


def _fitted(
    state: _State, pair: ColumnPair, own: list[_Own], kept: list[Cell], spans: Spans | None
) -> tuple[dict[Subject, _Own], dict[ColumnPair, Spans]] | None:
    """Return columns and pairs such that a pair's number lies in the spans; None where it cannot.

    Where one column stays, the other is solved for; where both change, the pair is kept in mind.
    """
    columns: dict[Subject, _Own] = {pair.first: own[0], pair.second: own[1]}
    if spans is None:
        return state.own | columns, state.pairs
    if not kept:
        held = meet_spans(state.pairs[pair], spans) if pair in state.pairs else spans
        return (state.own | columns, state.pairs | {pair: held}) if held else None
    is_first = own[1].may_stay
    changed = own[0] if is_first else own[1]
    solved = solve_pair(pair, spans, first=is_first, other=float(kept[0] or 0.0))
    left = meet_spans(changed.cells.spans or (), solved)
    if not left:
        return None
    columns[pair.first if is_first else pair.second] = _Own(CellSet(left, None, False), False)
    return state.own | columns, state.pairs


def _candidates(spans: Spans, present: Cell) -> Iterator[float]:
    """A few numbers of each span: near the present one, in the middle, and at the ends."""
    for own in (spans, tuple(map(_inner, spans))):
        near = near_number(own, present)
        if near is not None:
            yield near
    for span in spans[:4]:
        ends = [near_number((span,), end) for end in (-_FAR, _FAR)]
        middle = (max(span.low, -_FAR) + min(span.high, _FAR)) / 2
        yield from (end for end in ends if end is not None)
        yield from (number for number in (middle, 1.0, -1.0) if span.holds(number))


def _inner(span: Span) -> Span:
    """A little less of a span, whose ends may be rounded."""
    low = span.low + 1e-9 * max(1.0, abs(span.low)) if math.isfinite(span.low) else span.low
    high = span.high - 1e-9 * max(1.0, abs(span.high)) if math.isfinite(span.high) else span.high
    return Span(low, high, True, True) if low < high else span


def _none_of(cells: CellSet) -> CellSet:
    return CellSet(cells.spans and (), cells.levels and frozenset(), False)


def _without_missing(cells: CellSet) -> CellSet:
    return CellSet(cells.spans, cells.levels, False)
