"""The models that exports are tried on have all that can go wrong, and the rows find it."""

from __future__ import annotations

import numpy as np
from export.models import LARGE, NAMES, ODD_NAMES, cells_of, fitted, trial_rows

from bsnsing import ColumnPair
from bsnsing.questions.pair import SIGNS
from bsnsing.questions.question import TESTS
from bsnsing.tree.rule import OPERATORS


def rules():
    return [rule for name in NAMES for tree in fitted(name).trees_ for rule in tree.rules if rule]


def test_every_sort_of_rule_occurs() -> None:
    found = {
        (q.test, n) for rule in rules() for q, n in zip(rule.questions, rule.negated, strict=True)
    }
    # Levels that have an order, which alone are asked by ">=" and "<=", are sets in every export.
    assert found >= {(test, False) for test in TESTS if test not in (">=", "<=")}
    assert found >= {(test, True) for test in (">", "<", "==", "in")}
    assert {rule.operator for rule in rules() if len(rule.questions) > 1} == set(OPERATORS)
    pairs = [q.column for r in rules() for q in r.questions if isinstance(q.column, ColumnPair)]
    assert {pair.sign for pair in pairs} == set(SIGNS)


def test_every_size_occurs() -> None:
    leaves = {name: fitted(name).get_n_leaves() for name in NAMES}
    assert leaves["leaf"] == 1
    assert leaves["60 leaves"] == 60
    assert leaves[LARGE] >= 5000
    assert len(fitted("12 classes").classes_) == 12


def test_every_odd_name_is_asked_about() -> None:
    asked = {question.column for question in fitted("odd names").tree_.asked_questions()}
    assert asked >= {*ODD_NAMES, "group by"}


def test_rows_reach_every_leaf_and_unknowns() -> None:
    for name in NAMES:
        model, rows = fitted(name), trial_rows(name)
        members = getattr(model, "estimators_", [model])
        ends = np.hstack([m.apply(rows).reshape(len(rows), -1) for m in members])
        for tree, own in zip(model.trees_, ends.T, strict=True):
            assert np.isin(np.flatnonzero(tree.is_leaf), own).all(), name
            assert tree.n_leaves == 1 or (~tree.is_leaf[own]).any(), name


def test_cells_are_plain_and_say_the_same() -> None:
    rows = trial_rows("missing", most=200)
    cells = cells_of(rows)
    assert len(cells) == 200
    kinds = {type(cell) for row in cells for cell in row.values()}
    assert kinds == {float, str, bool, type(None)}
