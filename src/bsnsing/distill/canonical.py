"""canonical_form(): cases as what they tell apart alone orders them, and the way back.

A forest draws rows and columns, and ties fall to the first. So that a tree depends on nothing but
information, it is grown on a table whose rows, columns, levels and classes stand in an order that
neither names nor units nor the given order decide. Columns that say nothing, or what another one
says already, are not in it.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bsnsing.data.blocks import in_blocks, numeric_blocks, ranks_of
from bsnsing.data.cases import Cases
from bsnsing.data.columns import Column, SparseCells
from bsnsing.data.row_keys import row_keys
from bsnsing.data.table import Table
from bsnsing.data.weights import CaseWeights
from bsnsing.questions.question import TESTS
from bsnsing.tree.probabilities import Evidence
from bsnsing.tree.tree import Tree

_EQUAL = TESTS.index("==")
Keys = NDArray[np.uint64]
# How often rows, columns, levels and classes are told apart by each other: once by counts, then
# by what the first round found.
_ROUNDS = 2
_MOST_PASSES = 16


@dataclass(frozen=True, slots=True, eq=False)
class CanonicalForm:
    """Cases in canonical order, and which of the given columns, levels and classes each is."""

    cases: Cases
    given: Table
    columns: NDArray[np.intp]
    levels: tuple[NDArray[np.intp] | None, ...]  # per column; None where it has none
    classes: NDArray[np.intp]

    def inside(self, given: Table, kept: NDArray[np.intp]) -> CanonicalForm:
        """Return the form as that of a larger table, of which this one has some columns."""
        return replace(self, given=given, columns=kept[self.columns])

    def restore(self, tree: Tree) -> Tree:
        """Return a tree of these cases as one of the given table."""
        n_own, n_given = len(self.columns), len(self.given.columns)
        # What the tree knows of its columns comes first: rows too light to be learnt from may
        # have the only missing cells.
        known = dict(zip(self.columns.tolist(), tree.has_missing, strict=False))
        has_missing = (
            known[place] if place in known else _has_missing(column)
            for place, column in enumerate(self.given.columns)
        )
        restored = replace(
            tree,
            columns=self.given.info,
            has_missing=(*has_missing, *tree.has_missing[n_own:]),
            question_column=_moved(tree.question_column, self.columns, n_given),
            **_renamed(tree, self.levels),
        )
        return self._with_classes(restored, np.argsort(self.classes))

    def translate(self, tree: Tree) -> Tree:
        """Return a tree of the given table as one of these cases."""
        n_own, n_given = len(self.columns), len(self.given.columns)
        places, levels = np.zeros(n_given, np.intp), [None] * n_given
        places[self.columns] = np.arange(n_own)
        for place, own in zip(self.columns, self.levels, strict=True):
            levels[place] = None if own is None else np.argsort(own)
        translated = replace(
            tree,
            columns=self.cases.table.info,
            has_missing=(
                *(tree.has_missing[place] for place in self.columns),
                *tree.has_missing[n_given:],
            ),
            question_column=_moved(tree.question_column, places, n_own),
            **_renamed(tree, levels),
        )
        return self._with_classes(translated, self.classes)

    def restore_evidence(self, evidence: Evidence) -> Evidence:
        """Return the evidence with the classes in the order in which they were given."""
        if evidence.real.shape[1] != len(self.classes):
            return evidence
        order = np.argsort(self.classes)
        return replace(evidence, real=evidence.real[:, order], learnt=evidence.learnt[:, order])

    def _with_classes(self, tree: Tree, order: NDArray[np.intp]) -> Tree:
        """Put the classes into another order; a tree of one class and the rest keeps its own."""
        if len(tree.classes) != len(self.classes):
            return tree
        return replace(
            tree,
            classes=tree.classes[order],
            class_weight=tree.class_weight[order],
            counts=tree.counts[:, order],
            value=tree.value[:, order],
            costs=None if tree.costs is None else tree.costs[np.ix_(order, order)],
        )


def _moved(
    columns: NDArray[np.int32], places: NDArray[np.intp], n_columns: int
) -> NDArray[np.int32]:
    """Places of columns, and of the pairs behind them, in another table of ``n_columns``."""
    n_own = len(places)
    moved = np.append(places, 0)[np.minimum(columns, n_own)]
    return np.where(columns >= n_own, columns - n_own + n_columns, moved).astype(np.int32)


def _renamed(tree: Tree, names: Sequence[NDArray[np.intp] | None]) -> dict[str, Any]:
    """The levels of all questions, each by its name among the levels of its column."""
    levels, values = tree.levels.copy(), tree.question_value.copy()
    for question, column in enumerate(tree.question_column):
        own = slice(tree.first_level[question], tree.first_level[question + 1])
        if own.start < own.stop:
            of_column = names[column]
            assert of_column is not None  # only categorical columns have levels
            levels[own] = np.sort(of_column[levels[own]])
            if tree.question_test[question] == _EQUAL:
                values[question] = levels[own.start]
    return {"levels": levels, "question_value": values}


def canonical_form(cases: Cases, n_classes: int, *, keeps_all: bool) -> CanonicalForm:
    """Bring cases into canonical order; ``keeps_all`` keeps columns that say nothing new, too."""
    told = _tell_apart(cases.table)
    kept = list(range(len(told))) if keeps_all else _informative(told)
    keys = _told_apart(cases, [told[place] for place in kept], n_classes)
    classes = np.argsort(keys.classes, kind="stable")
    columns = np.array(kept, dtype=np.intp)[np.argsort(keys.columns, kind="stable")]
    levels = tuple(_level_order(told[place], keys) for place in columns)
    rows = _row_order(keys, [told[place] for place in columns], levels, cases)
    given = cases.table.columns
    table = Table(
        tuple(
            _reordered(given[place], rows, own) for place, own in zip(columns, levels, strict=True)
        ),
        cases.table.n_rows,
    )
    counts = cases.weights.counts
    weights = CaseWeights(None if counts is None else counts[rows], cases.weights.unit)
    position = np.argsort(classes).astype(np.int32)
    labels = position[cases.labels[rows]]
    return CanonicalForm(Cases(table, labels, weights), cases.table, columns, levels, classes)


@dataclass(frozen=True, slots=True, eq=False)
class _TellApart:
    """What a column tells apart: a number per cell, by rank or, of levels, by name.

    That is ranks from 1, codes of levels from 1, and 0 where a cell is missing. Those of sparse
    columns are kept sparse: a wide table would not fit into memory otherwise.
    """

    cells: NDArray[np.int32] | SparseCells
    n_levels: int | None  # of a categorical column

    @property
    def codes(self) -> NDArray[np.int32]:
        """The number of each cell."""
        return self.cells.dense(np.int32) if isinstance(self.cells, SparseCells) else self.cells

    def by_first_row(self) -> NDArray[np.int32]:
        """The same with levels numbered as they occur, whatever their names; 0 where missing."""
        if self.n_levels is None:
            return self.codes
        found, first, places = np.unique(self.codes, return_index=True, return_inverse=True)
        number = np.argsort(np.argsort(first)) + 1
        return np.where(found[places] == 0, 0, number[places]).astype(np.int32)


def _tell_apart(table: Table) -> list[_TellApart]:
    """What each column tells apart."""
    told: list[_TellApart | None] = [None] * len(table.columns)
    for places, numbers in numeric_blocks(table.columns, table.n_rows):
        for place, ranks in zip(places, ranks_of(numbers), strict=True):
            told[place] = _TellApart(ranks, None)
    return [
        _tell_one_apart(column) if known is None else known
        for column, known in zip(table.columns, told, strict=True)
    ]


def _tell_one_apart(column: Column) -> _TellApart:
    """The same of a categorical or sparse column."""
    cells = column.cells
    if column.info.kind == "categorical":
        return _TellApart(column.codes() + np.int32(1), len(column.info.levels))
    assert isinstance(cells, SparseCells)
    if len(cells.values) == cells.n_rows:  # none is the filling
        return _TellApart(ranks_of(column.numbers()[None])[0], None)
    values = np.append(cells.values.astype(np.float64), float(cells.filling))
    ranks = ranks_of(values[None])[0]
    return _TellApart(SparseCells(cells.rows, ranks[:-1], int(ranks[-1]), cells.n_rows), None)


def _informative(told: Sequence[_TellApart]) -> list[int]:
    """Places of the columns that tell some rows apart, and not as an earlier one does."""
    seen: dict[tuple[bool, bytes], int] = {}
    for place, column in enumerate(told):
        codes = column.by_first_row()
        if (codes != codes[0]).any():
            digest = hashlib.blake2b(codes.tobytes(), digest_size=16).digest()
            seen.setdefault((column.n_levels is None, digest), place)
    return sorted(seen.values()) or [0]


def _told_apart(cases: Cases, told: Sequence[_TellApart], n_classes: int) -> _Keys:
    """Find keys of which no two columns have the same, nor two classes.

    Where some have, they are told apart by the rows they occur in. Columns that could change
    places, as those of a board game, still have the same key then. The first of them is marked,
    which tells others apart with it: any of them would lead to the same table. In a table of very
    many such columns given order decides at last.
    """
    marks = _Marks(np.zeros(len(told), np.uint64), np.zeros(n_classes, np.uint64))
    keys, n_before = _Keys.of(cases, told, n_classes), 0
    for mark in range(1, _MOST_PASSES + 1):
        column, label = _first_tied(keys.columns), _first_tied(keys.classes)
        if column is None and label is None:
            break
        n_apart = len(np.unique(keys.columns)) + len(np.unique(keys.classes))
        if n_apart == n_before and column is not None:
            marks.columns[column] = mark
        elif n_apart == n_before:
            marks.classes[label] = mark
        n_before = n_apart
        keys = keys.refined(cases, told, marks)
    return keys


def _first_tied(keys: Keys) -> int | None:
    """The first place of the least key that occurs more than once."""
    _, first, n = np.unique(keys, return_index=True, return_counts=True)
    tied = first[n > 1]
    return int(tied[0]) if len(tied) else None


class _Marks(NamedTuple):
    """Numbers that tell apart what nothing else does; 0 is none."""

    columns: Keys
    classes: Keys


def _row_order(
    keys: _Keys,
    told: Sequence[_TellApart],
    levels: Sequence[NDArray[np.intp] | None],
    cases: Cases,
) -> NDArray[np.intp]:
    """Sort rows by their keys and, where levels could change places, by the order these got.

    Where columns or classes are left that nothing tells apart, by what a row holds of these. Rows
    that hold the same come by their weights, which may not all be repeated.
    """
    swappable = [
        np.append(np.argsort(order) + 1, 0)[column.codes - 1]
        for column, order in zip(told, levels, strict=True)
        if order is not None
        and _first_tied(_level_keys(column, keys.rows, keys.repeats)[1:]) is not None
    ]
    if _first_tied(keys.columns) is not None or _first_tied(keys.classes) is not None:
        swappable.append(row_keys(cases))
    return np.lexsort((keys.repeats, *swappable, keys.rows))


@dataclass(frozen=True, slots=True, eq=False)
class _Keys:
    """Numbers by which rows, columns and classes are told apart, free of names and of order."""

    rows: Keys
    columns: Keys
    classes: Keys
    repeats: Keys  # how often each row occurs

    @classmethod
    def of(cls, cases: Cases, told: Sequence[_TellApart], n_classes: int) -> _Keys:
        own, repeats = _own_keys(cases.weights, len(cases.labels))
        rows, columns, classes = own, np.zeros(len(told), np.uint64), np.zeros(0, np.uint64)
        cell_keys = _CellKeys(told, len(own))
        for _ in range(_ROUNDS + 1):
            classes = _sums_by(cases.labels, rows, repeats, n_classes)
            labelled = _mixed(own + _mixed(classes)[cases.labels])
            following = labelled
            for places, cells in cell_keys.blocks(rows, repeats):
                columns[places] = _mixed(cells + labelled) @ repeats
                following = following + _mixed(cells + columns[places, None]).sum(axis=0)
            rows = _mixed(following)
        return cls(rows, columns, _sums_by(cases.labels, rows, repeats, n_classes), repeats)

    def refined(self, cases: Cases, told: Sequence[_TellApart], marks: _Marks) -> _Keys:
        """Tell columns and classes apart by the keys of their rows, too, and by marks."""
        repeats, before = self.repeats, _mixed(self.columns) + _marked(marks.columns)
        classes = _mixed(self.classes) + _marked(marks.classes)
        labelled = _mixed(self.rows + classes[cases.labels])
        following, columns = labelled, np.zeros(len(told), np.uint64)
        for places, cells in _CellKeys(told, len(repeats)).blocks(self.rows, repeats):
            columns[places] = _mixed(cells + labelled + before[places, None]) @ repeats
            following = following + _mixed(cells + columns[places, None]).sum(axis=0)
        rows = _mixed(following)
        sums = _sums_by(cases.labels, rows, repeats, len(classes))
        return _Keys(rows, columns, _mixed(sums + classes), repeats)


def _marked(marks: Keys) -> Keys:
    """What a mark adds to a key: nothing without one."""
    return np.where(marks > 0, _mixed(marks), np.uint64(0))


def _own_keys(weights: CaseWeights, n_rows: int) -> tuple[Keys, Keys]:
    """What a row's weight tells of it, and how often it occurs: whole weights are repeats."""
    ones, counts = np.ones(n_rows, dtype=np.uint64), weights.counts
    if counts is None:
        return _mixed(ones), ones
    if weights.unit == 1.0:
        return _mixed(ones), counts.astype(np.uint64)
    # By rank, as other units of the weights round them a little differently.
    ranks = np.unique((counts / weights.unit).round(9), return_inverse=True)[1]
    return _mixed(ranks.astype(np.uint64)), ones


class _CellKeys:
    """A key for each cell: of its rank or, as names do not count, of the rows at its level."""

    def __init__(self, told: Sequence[_TellApart], n_rows: int) -> None:
        self._told = told
        self._levels = [k for k, column in enumerate(told) if column.n_levels is not None]
        ranked = [k for k, column in enumerate(told) if column.n_levels is None]
        self._ranked = list(in_blocks(ranked, n_rows))
        # Ranks stay as they are: their keys are kept where they take little room.
        self._kept = self._keys_of(self._ranked[0]) if len(self._ranked) == 1 else None

    def blocks(self, rows: Keys, repeats: Keys) -> Iterator[tuple[NDArray[np.intp], Keys]]:
        """Places of columns, and a line of keys for each, given the keys of the rows."""
        for places in self._ranked:
            yield places, self._keys_of(places) if self._kept is None else self._kept
        for k in self._levels:
            column = self._told[k]
            keys = _mixed(_level_keys(column, rows, repeats))[column.codes]
            yield np.array([k], dtype=np.intp), keys[None]

    def _keys_of(self, places: NDArray[np.intp]) -> Keys:
        return _mixed(np.stack([self._told[k].codes for k in places]).astype(np.uint64))


def _level_keys(column: _TellApart, rows: Keys, repeats: Keys) -> Keys:
    """Of missing cells, and of each level, by its rows."""
    assert column.n_levels is not None
    keys = _sums_by(column.codes, rows, repeats, column.n_levels + 1)
    keys[0] = 0
    return keys


def _level_order(column: _TellApart, keys: _Keys) -> NDArray[np.intp] | None:
    if column.n_levels is None:
        return None
    return np.argsort(_level_keys(column, keys.rows, keys.repeats)[1:], kind="stable")


def _sums_by(groups: NDArray[Any], keys: Keys, repeats: Keys, n_groups: int) -> Keys:
    """Sums, modulo 2^64, of the keys of each group's rows."""
    sums = np.zeros(n_groups, dtype=np.uint64)
    np.add.at(sums, groups, repeats * _mixed(keys))
    return sums


def _mixed(keys: Keys) -> Keys:
    """Numbers that look random, each decided by one of the keys alone (splitmix64)."""
    mixed = keys + np.uint64(0x9E3779B97F4A7C15)
    mixed = (mixed ^ (mixed >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return mixed ^ (mixed >> np.uint64(31))


def _reordered(column: Column, rows: NDArray[np.intp], levels: NDArray[np.intp] | None) -> Column:
    """The column with its rows, and its levels, in another order."""
    cells = column.cells
    taken: Any = cells.take(rows) if isinstance(cells, SparseCells) else cells[rows]
    if levels is None:
        return Column(column.info, taken)
    position = np.append(np.argsort(levels), -1).astype(np.int32)  # the last entry serves -1
    dense = taken.dense(np.int32) if isinstance(taken, SparseCells) else taken
    info = replace(column.info, levels=tuple(column.info.levels[place] for place in levels))
    return Column(info, position[dense])


def _has_missing(column: Column) -> bool:
    if column.info.kind == "categorical":
        return bool((column.codes() < 0).any())
    return bool(np.isnan(column.numbers()).any())
