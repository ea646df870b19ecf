"""check_tree finds what is wrong with a tree put together by hand; text and pruning never hang."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from export.models import DEEP, NAMES, fitted

from bsnsing import Tree
from bsnsing.questions.pair import ColumnPair
from bsnsing.tree.check import check_tree
from bsnsing.tree.prune import prune, pruning_path


def with_entry(tree: Tree, name: str, place: Any, value: Any) -> Tree:
    array = getattr(tree, name).copy()
    array[place] = value
    return replace(tree, **{name: array})


@pytest.mark.parametrize("name", [*NAMES, DEEP])
def test_grown_trees_are_right(name: str) -> None:
    for tree in fitted(name).trees_:
        check_tree(tree)


DAMAGE: dict[str, tuple[str, Callable[[Tree], Tree]]] = {
    "cycle": ("children of node 1", lambda t: with_entry(t, "children_left", 1, 0)),
    "itself": ("children of node 0", lambda t: with_entry(t, "children_right", 0, 0)),
    "outside": ("children of node 0", lambda t: with_entry(t, "children_right", 0, t.n_nodes)),
    "one child": ("children of node 0", lambda t: with_entry(t, "children_right", 0, -1)),
    "two parents": ("has 2 parents", lambda t: with_entry(t, "children_left", 1, 2)),
    "depth": ("depth of node 1", lambda t: with_entry(t, "depth", 1, 7)),
    "length": ("impurity has 1", lambda t: replace(t, impurity=t.impurity[:1])),
    "classes": ("class_weight is not", lambda t: replace(t, classes=t.classes[:1])),
    "weight": ("class weight|class_weight", lambda t: with_entry(t, "class_weight", 0, -1)),
    "shares": ("of node 2 do not sum", lambda t: with_entry(t, "value", 2, 0.7)),
    "nan": ("value of node 1", lambda t: with_entry(t, "value", 1, np.nan)),
    "counts": ("counts of node 0", lambda t: with_entry(t, "counts", 0, -1)),
    "impurity": ("impurity of node 0", lambda t: with_entry(t, "impurity", 0, np.inf)),
    "starts": ("first_question", lambda t: with_entry(t, "first_question", 0, 1)),
    "operator": ("operator", lambda t: with_entry(t, "operator", 0, 9)),
    "column": ("about no column", lambda t: with_entry(t, "question_column", 0, 99)),
    "test": ("unknown test", lambda t: with_entry(t, "question_test", 0, 9)),
    "value": ("NaN", lambda t: with_entry(t, "question_value", 0, np.nan)),
    "threshold": (
        "is infinite",
        lambda t: replace(
            t,
            question_value=np.full(t.n_questions, np.inf),
            question_test=np.zeros(t.n_questions, dtype=np.uint8),
        ),
    ),
    "level": ("does not have", lambda t: with_entry(t, "levels", 0, 99)),
    "missing": ("has_missing", lambda t: replace(t, has_missing=())),
    "names": ("same name", lambda t: replace(t, columns=(t.columns[0],) * len(t.columns))),
    "pair": (
        "not of two columns",
        lambda t: replace(t, pairs=(ColumnPair("dose", "+", "site"),)),
    ),
}


@pytest.mark.parametrize("name", DAMAGE)
def test_damage_is_named(name: str) -> None:
    match, damage = DAMAGE[name]
    tree = damage(fitted("missing").tree_)
    with pytest.raises(ValueError, match=f"Damaged tree: .*({match})"):
        check_tree(tree)


@pytest.mark.parametrize("name", ["cycle", "itself", "outside", "one child"])
def test_text_and_pruning_of_a_damaged_tree_end(name: str) -> None:
    tree = DAMAGE[name][1](fitted("missing").tree_)
    for use in (str, pruning_path, lambda own: prune(own, 0.01), lambda own: prune(own, 0.0, 2)):
        with pytest.raises(ValueError, match="Damaged tree: the children"):
            use(tree)
