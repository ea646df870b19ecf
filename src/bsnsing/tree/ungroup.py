"""ungroup(): a tree that asks about levels, of one grown on groups of them; regroup(): back."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from bsnsing.data.columns import ColumnInfo
from bsnsing.data.regroup import Regrouping
from bsnsing.questions.question import TESTS
from bsnsing.tree.tree import Tree, starts_of

_MISSING, _EQUAL, _IN = (TESTS.index(test) for test in ("is missing", "==", "in"))
_ABOVE, _BELOW = TESTS.index(">"), TESTS.index("<")


def ungroup(tree: Tree, regrouping: Regrouping) -> Tree:
    """Return the tree with questions about levels in place of those about groups."""
    n_before, n_columns = len(tree.columns), len(regrouping.info)
    if not regrouping.groups and n_before == n_columns:
        return tree
    # Pairs are counted on behind the columns.
    place = np.append(regrouping.kept, n_columns + np.arange(len(tree.pairs)))
    has_missing = np.zeros(n_columns + len(tree.pairs), dtype=bool)
    has_missing[place] = tree.has_missing
    tests, values = tree.question_test.copy(), tree.question_value.copy()
    negated, levels = tree.question_negated.copy(), []
    columns = place[tree.question_column].astype(np.int32)
    for i, position in enumerate(columns.tolist()):
        _, test, value, asked = tree.coded_question(i)
        if position in regrouping.groups and test != _MISSING:
            inside = _meant(regrouping.groups[position], TESTS[test], value)
            asked = np.flatnonzero(inside).tolist()
            if inside.all():  # also a level never seen is not missing
                tests[i], values[i], asked = _MISSING, 0.0, []
                negated[i] = 1 - negated[i]
            elif len(asked) == 1:
                tests[i], values[i] = _EQUAL, asked[0]
            else:
                tests[i], values[i] = _IN, 0.0
        levels.append(asked)
    return replace(
        tree,
        columns=regrouping.info,
        has_missing=tuple(has_missing.tolist()),
        question_column=columns,
        question_test=tests,
        question_value=values,
        question_negated=negated,
        first_level=starts_of([len(asked) for asked in levels]),
        levels=np.array([level for asked in levels for level in asked], dtype=np.int32),
    )


def in_levels(tree: Tree) -> Tree:
    """Return the tree with sets of levels in place of questions about their order."""
    groups, info = dict[int, NDArray[np.intp]](), list(tree.columns)
    for position, column in enumerate(tree.columns):
        if column.scale is not None and column.scale.kind == "order":
            levels = tuple(sorted(column.scale.levels))
            place = {level: i + 1 for i, level in enumerate(column.scale.levels)}
            groups[position] = np.array([place[level] for level in levels], dtype=np.intp)
            info[position] = ColumnInfo(column.name, "categorical", levels)
    if not groups:
        return tree
    return ungroup(tree, Regrouping(tuple(info), np.arange(len(info)), groups))


def _meant(groups: NDArray[np.intp], test: str, value: float) -> NDArray[np.bool_]:
    """Which levels answer yes to a question about their group."""
    answer = {">": np.greater, "<": np.less, "==": np.equal}[test]
    return np.asarray(answer(groups, value), dtype=bool)


def regroup(tree: Tree, regrouping: Regrouping) -> Tree:
    """Return a tree that :func:`ungroup` gave as one that asks about groups, all columns kept."""
    if not regrouping.groups:
        return tree
    tests, values, levels = tree.question_test.copy(), tree.question_value.copy(), []
    for i, position in enumerate(tree.question_column.tolist()):
        _, test, _, asked = tree.coded_question(i)
        if position in regrouping.groups and test != _MISSING:
            tests[i], values[i] = _question_about(regrouping.groups[position], asked)
            asked = []
        levels.append(asked)
    return replace(
        tree,
        columns=tuple(
            ColumnInfo(info.name, "numeric") if position in regrouping.groups else info
            for position, info in enumerate(regrouping.info)
        ),
        question_test=tests,
        question_value=values,
        first_level=starts_of([len(asked) for asked in levels]),
        levels=np.array([level for asked in levels for level in asked], dtype=np.int32),
    )


def _question_about(groups: NDArray[np.intp], levels: list[int]) -> tuple[int, float]:
    """The test and value that ask for the groups of these levels: all from or up to one, or one."""
    wanted = groups[levels]
    first, last = int(wanted.min()), int(wanted.max())
    if first == 0:
        return _BELOW, last + 0.5
    return (_ABOVE, first - 0.5) if last == groups.max() else (_EQUAL, float(first))
