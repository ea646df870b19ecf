"""What no split of a lesson can save, against parting its rows in every way."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from numpy.typing import NDArray

from bsnsing import BsnsingClassifier
from bsnsing import _teacher as teacher_module
from bsnsing import _tree_grower as tree_grower_module
from bsnsing._floor import RowImpurity
from bsnsing._table import read_training_table
from bsnsing._teacher import Lesson
from bsnsing._weights import CaseWeights


def small_lesson(seed: int) -> tuple[Lesson, NDArray[np.int64]]:
    """Six rows of three classes, and the cases of each by class."""
    cases = np.random.default_rng(seed).integers(0, 4, (6, 3))
    cases[:, 1] += cases.sum(axis=1) == 0
    rows, codes = np.nonzero(cases)
    table = read_training_table(BsnsingClassifier(), np.arange(6.0)[:, None]).take(rows)
    weights = CaseWeights(cases[rows, codes], 1.0)
    return Lesson(table, codes.astype(np.int32), weights, rows=rows), cases


def impurity(cases: NDArray[np.float64]) -> float:
    total = cases.sum()
    return float(total - (cases**2).sum() / total) if total else 0.0


@pytest.mark.parametrize("seed", range(5))
def test_no_way_to_part_rows_leaves_less(seed: int) -> None:
    lesson, cases = small_lesson(seed)
    class_weight = np.array([1.0, 2.0, 0.5])
    own = RowImpurity.of(lesson, class_weight)
    assert own is not None
    weighted = cases * class_weight
    np.testing.assert_allclose(own.impurity, [impurity(row) for row in weighted])
    left = [
        sum(impurity(weighted[np.array(part) == p].sum(axis=0)) for p in range(3))
        for part in product(range(3), repeat=6)
    ]
    assert own.impurity.sum() <= min(left) + 1e-9


@pytest.mark.parametrize("seed", range(4))
def test_growth_leaves_out_only_what_pruning_would(
    seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(teacher_module, "_TIMES", 1)  # every node then holds real rows
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(200, 4))
    y = (X[:, 0] * X[:, 1] + X[:, 2] + rng.normal(size=200) > 0).astype(int)
    settings = {"min_samples_leaf": 1, "class_weight": {0: 1.0, 1: 2.0}, "random_state": seed}
    model = BsnsingClassifier(**settings).fit(X, y)
    monkeypatch.setattr(tree_grower_module.RowImpurity, "of", lambda *_: None)
    assert str(model) == str(BsnsingClassifier(**settings).fit(X, y))
    assert model.get_n_leaves() > 2
