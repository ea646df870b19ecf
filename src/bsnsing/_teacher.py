"""A lesson for a tree: its rows and made-up ones, each with the class shares a teacher sees there.

A tree grown on labels alone takes every label at its word. A forest, or any other classifier, knows
better how the classes lie, but cannot be read. So the tree learns from it: real rows get the mean
of their label and of what the teacher says of them without having seen that label, and rows put
together from cells of real ones get what the teacher says. The tree is then one tree as ever, each
split the best rule for the cases of the lesson.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csc_matrix, csr_matrix
from sklearn.base import clone

from bsnsing._auto import MANY_ROWS
from bsnsing._columns import Column, SparseCells
from bsnsing._forest import Forest
from bsnsing._pairs import ColumnPair, with_pairs
from bsnsing._table import Table
from bsnsing._tree import Tree
from bsnsing._weights import CaseWeights

# What a real row counts beside a made-up one, and the parts that a case is divided into.
_REAL, _PARTS = 3, 8
# Rows of a lesson: so many times the real ones, but for made-up ones at most so many in all. With
# less noise than this, a teacher is heard about more: up to so many times as many, as noise falls.
_TIMES, _MOST_ROWS = 4, 12000
_LITTLE_NOISE, _TIMES_MORE = 0.2, 2
# Chance that a made-up row takes a cell from another row than the one it is made from.
_SWAP = 0.3
_MOST_LEVELS = 30  # per categorical column; the forest does not see rarer ones
# Bounds on what a search costs (see search_work): more than the first, and columns are left out
# until it is the second. And a bound on cells.
_MOST_WORK, _MOST_WORK_BY_CHOICE, _MOST_CELLS = 3e9, 8e8, 2e7
_ENOUGH_ROWS = 4000  # of a lesson: no column is left out to make room for more


@dataclass(frozen=True, slots=True)
class Lesson:
    """Rows to learn from, each as often as the teacher sees classes in it."""

    table: Table
    codes: NDArray[np.int32]
    weights: CaseWeights
    rows: NDArray[np.intp] | None = None  # which row of the teacher's each of these is of, sorted
    n_real: int = 0  # how many of these rows are of real ones; they come first
    case: float = 1.0  # what a real case counts
    asked: NDArray[np.bool_] | None = None  # columns to ask about; None is all
    importances: NDArray[np.float64] | None = None  # of each column to the teacher, if it says so
    n_classes: int = 2  # that cases have
    noise: float = 0.0  # mean squared distance of real labels from what the teacher says instead
    unexplained: float = 0.0  # the same as a share of the labels' impurity, at most 1
    leaf_rows: int = 1  # that a node of the teacher's trees needs to speak for itself


def prepare_lesson(
    teacher: Any,
    table: Table,
    codes: NDArray[np.int32],
    n_classes: int,
    weights: CaseWeights,
    n_segments: int,
    random_state: np.random.RandomState,
    n_threads: int,
    pairs: Sequence[ColumnPair] = (),
) -> Lesson:
    """Let a teacher ("forest" or a classifier) learn the rows, and write down what it knows.

    The teacher is shown ``pairs`` too, beside the columns.
    """
    n_questions = count_questions(table, n_segments)
    order = canonical_order(table, codes, weights)
    table, codes = table.take(order), codes[order]
    cases = None if weights.counts is None else weights.counts[order] / weights.unit
    if cases is not None and weights.unit == 1.0 and cases.sum() <= MANY_ROWS:
        # Whole weights are repeated rows, also to a forest that draws rows.
        repeated = np.repeat(np.arange(table.n_rows), cases.astype(np.intp))
        table, codes, cases = table.take(repeated), codes[repeated], None
    shown = with_pairs(table, pairs)
    encoder = _Encoder.of(shown)
    own = np.eye(n_classes)[codes]
    if isinstance(teacher, str):
        teacher = Forest(random_state, n_threads)
    seen, teacher = _learn(teacher, encoder.matrix(shown), codes, cases, own)
    importances = _column_importances(teacher, encoder, len(table.columns))
    asked = _columns_to_ask(importances, n_questions, table.n_rows, n_classes)
    real_cases = np.ones(table.n_rows) if cases is None else cases
    noise, unexplained = _noise(own, seen, real_cases)
    work = _MOST_WORK if asked.all() else _MOST_WORK_BY_CHOICE
    row_work = search_work(1, max(1, n_questions[asked].sum()), n_classes)
    made_up = _make_up_rows(table, min(_most_rows(noise), work / row_work), random_state)
    told = np.zeros((made_up.n_rows, n_classes))
    if made_up.n_rows:
        shown = with_pairs(made_up, pairs)
        told[:, teacher.classes_] = teacher.predict_proba(encoder.matrix(shown))
    real = (own + seen) / 2
    parts = np.concatenate(
        [_REAL * _in_parts(real, real_cases), _in_parts(told, np.ones(len(told)))]
    )
    rows, classes = np.nonzero(parts)
    return Lesson(
        _joined(table, made_up).take(rows),
        classes.astype(np.int32),
        CaseWeights(parts[rows, classes], float(_PARTS)),
        rows=rows,
        n_real=int(np.searchsorted(rows, table.n_rows)),
        case=float(_REAL),
        asked=None if asked.all() else asked,
        importances=importances,
        n_classes=len(np.unique(codes)),
        noise=noise,
        unexplained=unexplained,
        leaf_rows=getattr(teacher, "leaf_rows_", 1),
    )


def count_cases(
    tree: Tree, leaves: NDArray[np.int64], codes: NDArray[np.int32], weights: CaseWeights
) -> NDArray[np.float64]:
    """Return how many cases of each class pass each node, given the leaf that each row ends in."""
    cases = None if weights.counts is None else weights.counts[: len(leaves)] / weights.unit
    n_classes = len(tree.classes)
    places = leaves * n_classes + codes[: len(leaves)]
    flat = np.bincount(places, cases, tree.n_nodes * n_classes)
    counts = flat.astype(np.float64).reshape(tree.n_nodes, n_classes)
    for v in reversed(np.flatnonzero(~tree.is_leaf)):  # children come after their parents
        counts[v] = counts[tree.children_left[v]] + counts[tree.children_right[v]]
    return counts


def canonical_order(
    table: Table, codes: NDArray[np.int32], weights: CaseWeights
) -> NDArray[np.intp]:
    """Return an order of the rows that depends on what they hold only, not on how they came."""
    mixed = codes.astype(np.uint64)
    for column in table.columns:
        cells = _cell_bits(column)
        mixed = (mixed ^ cells) * np.uint64(0x9E3779B97F4A7C15)
        mixed ^= mixed >> np.uint64(29)
    if weights.counts is not None:
        return np.lexsort((weights.counts, mixed))
    return np.argsort(mixed, kind="stable")


def _cell_bits(column: Column) -> NDArray[np.uint64]:
    if column.info.kind == "categorical":
        return column.codes().astype(np.int64).view(np.uint64)
    numbers = np.ascontiguousarray(column.numbers()) + 0.0  # minus zero is zero
    numbers[np.isnan(numbers)] = np.nan
    bits = numbers.view(np.uint64)
    return (bits ^ (bits >> np.uint64(32))) * np.uint64(0xBF58476D1CE4E5B9)


@dataclass(frozen=True, slots=True)
class _Encoder:
    """Columns as the numbers that scikit-learn's learners take: 0/1 columns for levels."""

    levels: tuple[NDArray[np.int32] | None, ...]  # per column: codes of its frequent levels
    is_sparse: bool

    @classmethod
    def of(cls, table: Table) -> _Encoder:
        levels = tuple(
            _frequent_levels(column) if column.info.kind == "categorical" else None
            for column in table.columns
        )
        is_sparse = any(isinstance(column.cells, SparseCells) for column in table.columns)
        return cls(levels, is_sparse)

    def matrix(self, table: Table) -> Any:
        if self.is_sparse:
            return self._sparse_matrix(table)
        parts = [
            self._dense_part(column, levels)
            for column, levels in zip(table.columns, self.levels, strict=True)
        ]
        return np.concatenate(parts, axis=1)

    @staticmethod
    def _dense_part(column: Column, levels: NDArray[np.int32] | None) -> NDArray[np.float32]:
        if levels is not None:
            is_level: NDArray[np.float32] = (column.codes()[:, None] == levels).astype(np.float32)
            return is_level
        return column.numbers().astype(np.float32)[:, None]

    def _sparse_matrix(self, table: Table) -> csr_matrix:
        """The same with cells that are zero left out, and zero in place of missing ones."""
        rows: list[NDArray[Any]] = []
        values: list[NDArray[Any]] = []
        for column, levels in zip(table.columns, self.levels, strict=True):
            cells = column.cells
            if levels is None and isinstance(cells, SparseCells) and cells.filling == 0:
                rows.append(cells.rows)
                values.append(cells.values)
                continue
            dense = self._dense_part(column, levels)
            found = [np.flatnonzero(part) for part in dense.T]
            rows += found
            values += [part[places] for part, places in zip(dense.T, found, strict=True)]
        starts = np.cumsum([0, *map(len, rows)])
        numbers = np.nan_to_num(np.concatenate(values).astype(np.float32))
        shape = table.n_rows, len(rows)
        return csc_matrix((numbers, np.concatenate(rows), starts), shape=shape).tocsr()


def _column_importances(
    teacher: Any, encoder: _Encoder, n_columns: int
) -> NDArray[np.float64] | None:
    """How much each column, pairs aside, matters to the teacher, where it says so."""
    importances = getattr(teacher, "feature_importances_", None)
    widths = [1 if levels is None else len(levels) for levels in encoder.levels]
    if importances is None or len(importances) != sum(widths):
        return None
    starts = np.cumsum([0, *widths])[:-1]
    sums: NDArray[np.float64] = np.add.reduceat(importances, starts)[:n_columns]
    return sums


def _columns_to_ask(
    importances: NDArray[np.float64] | None,
    n_questions: NDArray[np.intp],
    n_rows: int,
    n_classes: int,
) -> NDArray[np.bool_]:
    """Mark all columns or, where a search among them would take long, those that matter most.

    These are so few that a fit takes about a second with up to 4000 rows, some of them made up.
    """
    everything = np.ones(len(n_questions), dtype=bool)
    if importances is None or search_work(n_rows, n_questions.sum(), n_classes) <= _MOST_WORK:
        return everything
    order = np.argsort(-importances, kind="stable")
    n_all_rows = max(n_rows, min(_TIMES * n_rows, _ENOUGH_ROWS))
    work = search_work(n_all_rows, np.cumsum(n_questions[order]), n_classes)
    asked = ~everything
    asked[order[work <= _MOST_WORK_BY_CHOICE]] = True
    asked[order[0]] = True
    return asked


def search_work(n_rows: int, n_questions: Any, n_classes: int, max_rules: int = 2) -> Any:
    """About what the search for a rule costs: rows times sets of questions, more for classes.

    With many classes each set takes longer and, beyond two questions, bounds exclude fewer.
    """
    n_sets = np.asarray(n_questions, dtype=np.float64) ** max_rules
    return n_rows * n_sets * (n_classes / 2) ** (max_rules - 1)


def count_questions(table: Table, n_segments: int) -> NDArray[np.intp]:
    """About how many questions a search asks of each column."""
    return np.array([_most_questions(column, n_segments) for column in table.columns])


def _frequent_levels(column: Column) -> NDArray[np.int32]:
    found, frequency = np.unique(column.codes(), return_counts=True)
    return found[np.argsort(-frequency, kind="stable")[:_MOST_LEVELS]]


def _most_questions(column: Column, n_segments: int) -> int:
    """About how many questions a search asks of a column."""
    if column.info.kind == "categorical":
        return min(len(column.info.levels), _MOST_LEVELS)
    if column.info.kind == "boolean":
        return 1
    if isinstance(column.cells, SparseCells):
        return n_segments
    numbers = column.numbers()
    has_missing = bool(np.isnan(numbers).any())
    first = np.unique(numbers[: 20 * n_segments])  # enough to see that there are few values
    # Where cells are missing, a threshold does not serve both directions.
    return int(min(max(1, len(first) - 1), n_segments)) * (2 if has_missing else 1)


def _learn(
    teacher: Any,
    X: Any,
    codes: NDArray[np.int32],
    cases: NDArray[np.float64] | None,
    own: NDArray[np.float64],
) -> tuple[NDArray[np.float64], Any]:
    """Fit the teacher; return what it says of each row without that row's label, and itself."""
    with warnings.catch_warnings():
        # Rows that no tree left out, and classes with few cases, are dealt with below.
        warnings.simplefilter("ignore", UserWarning)
        warnings.simplefilter("ignore", RuntimeWarning)
        if getattr(teacher, "oob_score", False):
            fitted = teacher.fit(X, codes, sample_weight=cases)
            found = fitted.oob_decision_function_
        else:
            from sklearn.model_selection import StratifiedKFold, cross_val_predict

            folds = StratifiedKFold(5, shuffle=False)
            found = cross_val_predict(clone(teacher), X, codes, cv=folds, method="predict_proba")
            fitted = clone(teacher).fit(X, codes)
    seen = np.zeros_like(own)
    seen[:, fitted.classes_] = found
    is_unknown = ~(np.isfinite(seen).all(axis=1) & (seen.sum(axis=1) > 0))
    seen[is_unknown] = own[is_unknown]
    return seen, fitted


def _noise(
    own: NDArray[np.float64], seen: NDArray[np.float64], cases: NDArray[np.float64]
) -> tuple[float, float]:
    """Mean squared distance of labels from what a teacher says, and its share of their impurity.

    A teacher may err by more than all there is to explain, which counts as all.
    """
    noise = float(np.average(((own - seen) ** 2).sum(axis=1), weights=cases))
    impurity = 1.0 - float((np.average(own, axis=0, weights=cases) ** 2).sum())
    return noise, min(1.0, noise / impurity)


def _most_rows(noise: float) -> float:
    """Most rows of a lesson with made-up ones."""
    return _MOST_ROWS * min(_TIMES_MORE, max(1.0, _LITTLE_NOISE / max(noise, 1e-9)))


def _make_up_rows(table: Table, most_rows: float, random_state: np.random.RandomState) -> Table:
    """Put rows together: each from one real row, some cells from others, column by column."""
    n_rows = table.n_rows
    most = min(_TIMES * n_rows, most_rows, _MOST_CELLS / len(table.columns))
    n_made = max(0, int(most) - n_rows)
    origin = np.resize(np.arange(n_rows), n_made)
    columns = []
    for column in table.columns:
        is_swapped = random_state.random_sample(n_made) < _SWAP
        rows = np.where(is_swapped, random_state.randint(n_rows, size=n_made), origin)
        cells = column.cells
        taken = cells.take(rows) if isinstance(cells, SparseCells) else cells[rows]
        columns.append(Column(column.info, taken))
    return Table(tuple(columns), n_made)


def _in_parts(shares: NDArray[np.float64], cases: NDArray[np.float64]) -> NDArray[np.int64]:
    """Divide each row's cases among the classes, in whole parts of a case."""
    wanted = shares * cases[:, None] * _PARTS
    parts = np.floor(wanted).astype(np.int64)
    n_left = np.rint(cases * _PARTS).astype(np.int64) - parts.sum(axis=1)
    # What is left over goes to the largest remainders.
    place = np.argsort(np.argsort(parts - wanted, axis=1, kind="stable"), axis=1)
    divided: NDArray[np.int64] = parts + (place < n_left[:, None])
    return divided


def _joined(first: Table, second: Table) -> Table:
    columns = []
    for a, b in zip(first.columns, second.columns, strict=True):
        if isinstance(a.cells, SparseCells) and isinstance(b.cells, SparseCells):
            cells: Any = SparseCells(
                np.concatenate([a.cells.rows, b.cells.rows + first.n_rows]),
                np.concatenate([a.cells.values, b.cells.values]),
                a.cells.filling,
                first.n_rows + second.n_rows,
            )
        else:
            cells = np.concatenate([a.cells, b.cells])
        columns.append(Column(a.info, cells))
    return Table(tuple(columns), first.n_rows + second.n_rows)
