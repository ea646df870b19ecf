"""The tree is the same, bit for bit, for every number of threads."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np
import pytest

from bsnsing import BsnsingClassifier

THREADS = (2, 3, 8, 16)


def make_table(n_rows: int, n_columns: int, n_classes: int, seed: int) -> Any:
    """Cells of every kind of code: many values, few, 0 and 1, and missing ones."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n_rows, n_columns)).astype(np.float32)
    X[:, 1::4] = rng.integers(0, 5, X[:, 1::4].shape)
    X[:, 2::4] = rng.integers(0, 2, X[:, 2::4].shape)
    X[rng.random(n_rows) < 0.1, 3] = np.nan
    score = X[:, 0] * (X[:, 1] > 1) + X[:, 2] + rng.normal(size=n_rows)
    cuts = np.quantile(score, np.linspace(0, 1, n_classes + 1)[1:-1])
    return X, np.searchsorted(cuts, score)


def parts_of(model: BsnsingClassifier) -> dict[str, Any]:
    tree = model.tree_
    return {field.name: getattr(tree, field.name) for field in dataclasses.fields(tree)}


# The first is large enough that threads share its first nodes, and that others go side by side.
@pytest.mark.parametrize(
    ("shape", "settings"),
    [
        ((120_000, 20, 2), {}),
        ((60_000, 12, 5), {"criterion": "entropy"}),
        ((60_000, 12, 2), {"weighted": True}),
        ((3000, 150, 3), {}),
        ((4000, 8, 2), {"max_rules": 3}),
    ],
)
def test_trees_are_the_same_for_every_number_of_threads(
    shape: tuple[int, int, int], settings: dict[str, Any]
) -> None:
    X, y = make_table(*shape, seed=sum(shape))
    settings = dict(settings)
    weights = None
    if settings.pop("weighted", False):
        weights = np.random.default_rng(1).integers(0, 4, len(y)).astype(float)
    alone = parts_of(BsnsingClassifier.plain(n_jobs=1, **settings).fit(X, y, weights))
    for n_jobs in THREADS:
        model = BsnsingClassifier.plain(n_jobs=n_jobs, **settings).fit(X, y, weights)
        for name, part in parts_of(model).items():
            if isinstance(part, np.ndarray):
                np.testing.assert_array_equal(part, alone[name], err_msg=f"{n_jobs}: {name}")
            else:
                assert str(part) == str(alone[name]), f"{n_jobs}: {name}"
