"""assert_same(): whether two trees are equal to the last bit."""

from __future__ import annotations

from dataclasses import fields

import numpy as np

from bsnsing import Tree

# Which rules a search counted and which its bounds excluded is its own affair.
OWN_AFFAIRS = {"n_counted", "n_excluded"}


def assert_same(found: Tree, expected: Tree) -> None:
    for field in fields(Tree):
        mine, theirs = getattr(found, field.name), getattr(expected, field.name)
        if isinstance(mine, np.ndarray) and field.name not in OWN_AFFAIRS:
            np.testing.assert_array_equal(mine, theirs, err_msg=field.name)
    for name in ("columns", "pairs", "has_missing", "is_taught"):
        assert getattr(found, name) == getattr(expected, name), name
    assert str(found) == str(expected)
    # The native search may count a large rule twice on its way to something to beat.
    n_known = found.n_counted + found.n_excluded
    assert (n_known <= expected.n_counted + expected.n_excluded).all()
