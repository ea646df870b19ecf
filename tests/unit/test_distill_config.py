"""The numbers behind a teacher: what a leaf must save, and when a forest is asked."""

from __future__ import annotations

from dataclasses import FrozenInstanceError, replace

import numpy as np
import pytest

from bsnsing.distill.config import DistillConfig
from tests.training_sets import varied

CONFIG = DistillConfig()


def test_a_leaf_costs_more_in_large_noisy_tables_and_less_in_quiet_ones() -> None:
    def in_cases(n_cases: float, brier: float, n_classes: int = 2) -> float:
        return n_cases * CONFIG.complexity_penalty(n_cases, n_classes, brier, 2 * brier)

    assert in_cases(500, 0.5) == in_cases(500, 0.1) == in_cases(2000, 0.5) == pytest.approx(0.8)
    assert in_cases(500, 0.08) == pytest.approx(0.8 * 0.8)
    assert in_cases(500, 0.0) == in_cases(32_000, 0.0) == pytest.approx(0.5 * 0.8)
    assert in_cases(4000, 0.5) == pytest.approx(0.8 * 4)
    assert in_cases(8000, 0.5) == pytest.approx(0.8 * 4 * 2)


@pytest.mark.parametrize(
    ("unexplained", "share"), [(0.2, 1.0), (0.7, 1.0), (0.8, 0.8), (0.95, 0.5), (1.0, 1.0)]
)
def test_a_leaf_costs_less_where_little_can_be_explained(unexplained: float, share: float) -> None:
    assert CONFIG.complexity_penalty(1, 2, 0.5, unexplained) == pytest.approx(0.8 * share)


def test_a_leaf_costs_less_with_many_classes() -> None:
    penalty = CONFIG.complexity_penalty
    assert penalty(1, 1, 0.5, 1.0) == penalty(1, 2, 0.5, 1.0) == 0.8
    assert penalty(1, 10, 0.5, 1.0) == pytest.approx(0.8 / 5)
    assert penalty(4000, 10, 0.5, 1.0) == pytest.approx(0.8 / 5 * 4 / 4000)


def test_fits_pay_for_what_the_teacher_cannot_explain() -> None:
    """A forest that knows nothing explains nothing: four times the penalty per doubling."""
    X, y = np.ones((200, 1)), np.arange(200) % 10 == 0
    model = varied(large_table=50)().fit(X, y)
    assert model.ccp_alpha_ == pytest.approx(0.8 * 4 * 2 / 200, rel=0.05)


@pytest.mark.parametrize(
    ("n_cases", "n_columns", "is_many"),
    [
        (50_000, 100, False),
        (50_001, 1, True),
        (50_000, 101, True),
        (5_000, 1000, False),
        (5_000, 1001, True),
    ],
)
def test_a_forest_is_asked_about_so_many_rows_and_cells(
    n_cases: int, n_columns: int, is_many: bool
) -> None:
    assert CONFIG.has_many_labels(n_cases, n_columns) is is_many


def test_numbers_are_varied_in_copies_only() -> None:
    with pytest.raises(FrozenInstanceError):
        CONFIG.penalty = 2.0  # type: ignore[misc]
    dear = replace(CONFIG, penalty=2.0)
    assert dear.complexity_penalty(1, 2, 0.5, 0.5) == 2.0
    assert CONFIG.complexity_penalty(1, 2, 0.5, 0.5) == 0.8
