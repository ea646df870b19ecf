"""check_tree(): whether the arrays of a tree fit together, so that nothing reads astray."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from bsnsing.questions.question import TESTS
from bsnsing.tree.children import check_children
from bsnsing.tree.rule import OPERATORS
from bsnsing.tree.tree import Tree, array_names

# Shares are quotients of rounded sums.
_ROUNDING = 1e-6


def check_tree(tree: Tree) -> None:
    """Raise ValueError for the first thing that is wrong with a tree; linear in its size.

    Trees that were grown or loaded are right. One that was put together by hand may have children
    that lead back to their parents, shares that are none, or questions about no column.
    """
    n_nodes, n_questions = tree.n_nodes, len(tree.question_column)
    _require(n_nodes > 0, "it has no node")
    for kind, length in (("PerNode", n_nodes), ("PerQuestion", n_questions)):
        for name in array_names(kind):
            own = len(getattr(tree, name))
            _require(own == length, f"{name} has {own} entries, not {length}")
    check_children(tree.children_left, tree.children_right)
    _check_reached(tree)
    _check_columns(tree)
    _check_shares(tree)
    _check_questions(tree)


def _require(fact: bool | np.bool_, message: str) -> None:
    if not fact:
        raise ValueError(f"Damaged tree: {message}. Fit or load it anew.")


def _first(is_bad: Any) -> int:
    return int(np.flatnonzero(is_bad)[0])


def _check_reached(tree: Tree) -> None:
    """Each node but the root has one parent, and is one deeper than it."""
    is_inner = ~tree.is_leaf
    children = np.concatenate([tree.children_left[is_inner], tree.children_right[is_inner]])
    n_parents = np.bincount(children, minlength=tree.n_nodes)
    is_bad = n_parents != (np.arange(tree.n_nodes) > 0)
    if is_bad.any():
        node = _first(is_bad)
        _require(False, f"node {node} has {n_parents[node]} parents")
    is_bad = tree.depth != np.where(tree.parent < 0, 0, tree.depth[tree.parent] + 1)
    _require(not is_bad.any(), f"the depth of node {_first(is_bad) if is_bad.any() else 0} is off")


def _check_columns(tree: Tree) -> None:
    names = [column.name for column in tree.columns]
    place = dict(zip(names, tree.columns, strict=True))
    _require(len(place) == len(names), "two columns have the same name")
    for column in tree.columns:
        _require(
            column.kind in ("numeric", "boolean", "categorical"),
            f"column {column.name[:60]!r} is of the unknown kind {str(column.kind)[:60]!r}",
        )
        _require(
            len(set(column.levels)) == len(column.levels),
            f"column {column.name[:60]!r} has a level twice",
        )
        _require(
            column.kind == "categorical" or not column.levels,
            f"column {column.name[:60]!r} has levels, but is {column.kind}",
        )
    _require(len(set(tree.pairs)) == len(tree.pairs), "two pairs are the same")
    for pair in tree.pairs:
        for name in (pair.first, pair.second):
            is_number = name in place and place[name].kind != "categorical"
            _require(is_number, f"the pair '{str(pair)[:60]}' is not of two columns of numbers")
    n_subjects = len(tree.columns) + len(tree.pairs)
    _require(
        len(tree.has_missing) == n_subjects,
        f"has_missing has {len(tree.has_missing)} entries for {n_subjects} columns and pairs",
    )


def _check_shares(tree: Tree) -> None:
    n_classes = len(tree.classes)
    _require(n_classes > 0, "it has no class")
    weight = tree.class_weight
    _require(weight.shape == (n_classes,), "class_weight is not one number for each class")
    _require(_are_sizes(weight).all(), "a class weight is not a number of at least 0")
    if (costs := tree.costs) is not None:
        _require(
            costs.shape == (n_classes, n_classes), "costs are not one number per pair of classes"
        )
        _require(_are_sizes(costs).all(), "a cost is not a number of at least 0")
    for name in ("counts", "value"):
        entries = getattr(tree, name)
        _require(entries.shape == (tree.n_nodes, n_classes), f"{name} is not a number per class")
        is_bad = ~_are_sizes(entries).all(axis=1)
        if is_bad.any():
            _require(False, f"{name} of node {_first(is_bad)} are not numbers of at least 0")
    is_bad = np.abs(tree.value.sum(axis=1) - 1) > _ROUNDING
    if is_bad.any():
        _require(False, f"the probabilities of node {_first(is_bad)} do not sum to 1")
    for name in ("impurity", "weighted_cases", "n_counted", "n_excluded"):
        entries = getattr(tree, name)
        least = -_ROUNDING if name == "impurity" else 0.0
        is_bad = ~(np.isfinite(entries) & (entries >= least))
        if is_bad.any():
            _require(False, f"{name} of node {_first(is_bad)} is not a number of at least 0")


def _are_sizes(numbers: NDArray[np.float64]) -> NDArray[np.bool_]:
    are_sizes: NDArray[np.bool_] = np.isfinite(numbers) & (numbers >= 0)
    return are_sizes


def _check_questions(tree: Tree) -> None:
    n_questions = tree.n_questions
    _check_starts(tree.first_question, tree.n_nodes, n_questions, "first_question")
    _check_starts(tree.first_level, n_questions, len(tree.levels), "first_level")
    has_questions = np.diff(tree.first_question) > 0
    is_bad = has_questions == tree.is_leaf
    if is_bad.any():
        node = _first(is_bad)
        what = "a leaf with a rule" if tree.is_leaf[node] else "a rule without questions"
        _require(False, f"node {node} is {what}")
    _require((tree.operator < len(OPERATORS)).all(), "a rule has an unknown operator")
    n_subjects = len(tree.has_missing)
    is_bad = (tree.question_column < 0) | (tree.question_column >= n_subjects)
    _require(not is_bad.any(), "a question is about no column")
    _require((tree.question_test < len(TESTS)).all(), "a question has an unknown test")
    _require(not np.isnan(tree.question_value).any(), "a question compares with NaN")
    is_bound = np.isin(tree.question_test, [TESTS.index(test) for test in "<>"])
    is_infinite = np.isinf(tree.question_value[is_bound])
    _require(not is_infinite.any(), "a threshold is infinite")
    _require((tree.question_negated <= 1).all(), "a question is neither negated nor not")
    is_bad = (tree.question_origin < 0) | (tree.question_origin >= len(tree.origins))
    _require(not is_bad.any(), "a question has an unknown origin")
    _check_levels(tree)


def _check_levels(tree: Tree) -> None:
    """Questions about levels have those of their column; others have none."""
    is_category = [column.kind == "categorical" for column in tree.columns]
    of_levels = np.array(is_category + [False] * len(tree.pairs), dtype=bool)[tree.question_column]
    n_levels = np.array(
        [len(column.levels) for column in tree.columns] + [0] * len(tree.pairs), dtype=np.int64
    )[tree.question_column]
    n_own = np.diff(tree.first_level)
    test = tree.question_test
    is_missing, is_equal, is_in = (test == TESTS.index(name) for name in ("is missing", "==", "in"))
    is_right = np.where(
        is_missing | ~of_levels,
        (n_own == 0) & ~is_in,
        np.where(is_equal, n_own == 1, is_in),
    )
    _require(is_right.all(), "a question's test does not fit its column")
    owner = np.repeat(np.arange(tree.n_questions), n_own)
    is_right = (tree.levels >= 0) & (tree.levels < n_levels[owner])
    _require(is_right.all(), "a question is about a level that its column does not have")


def _check_starts(starts: NDArray[Any], n_runs: int, n_entries: int, name: str) -> None:
    _require(
        len(starts) == n_runs + 1
        and starts[0] == 0
        and starts[-1] == n_entries
        and bool((np.diff(starts) >= 0).all()),
        f"{name} does not part the {n_entries} entries into {n_runs} runs",
    )
