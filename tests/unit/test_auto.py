"""What "auto" stands for."""

from __future__ import annotations

import pytest

from bsnsing._auto import leaf_size, price_per_leaf


@pytest.mark.parametrize(
    ("setting", "n_cases", "is_taught", "expected"),
    [
        ("auto", 10_000, True, 2),
        ("auto", 10_000, False, 10),
        ("auto", 90_000, False, 300),
        ("sqrt", 10_000, True, 100),
        (7, 10_000, True, 7),
        (0.01, 10_000, True, 100),
    ],
)
def test_leaf_size(setting: str | float, n_cases: int, is_taught: bool, expected: int) -> None:
    assert leaf_size(setting, n_cases, is_taught=is_taught) == expected


def test_a_leaf_costs_more_in_large_noisy_tables_and_less_in_quiet_ones() -> None:
    def in_cases(n_cases: float, noise: float | None, n_classes: int = 2) -> float:
        return n_cases * price_per_leaf("auto", n_cases, noise, n_classes)

    assert in_cases(500, None) == in_cases(50_000, None) == 0
    assert in_cases(500, 0.5) == in_cases(500, 0.1) == in_cases(4000, 0.5) == pytest.approx(0.85)
    assert in_cases(500, 0.08) == pytest.approx(0.8 * 0.85)
    assert in_cases(500, 0.0) == in_cases(32_000, 0.0) == pytest.approx(0.5 * 0.85)
    assert in_cases(8000, 0.5) == pytest.approx(0.85 * 7 * 0.5)
    assert in_cases(16_000, 0.5) == pytest.approx(0.85 * 7 * 0.5 * 2)
    assert in_cases(500, 0.5, 1) == pytest.approx(0.85)
    assert in_cases(500, 0.5, 10) == pytest.approx(0.85 / 5)
    assert in_cases(8000, 0.5, 7) == pytest.approx(0.85 * 2 / 7 * 7 * 0.5)
    assert price_per_leaf(0.01, 500, 0.5, 3) == 0.01
