"""What "auto" stands for."""

from __future__ import annotations

import numpy as np
import pytest

from bsnsing import BsnsingClassifier
from bsnsing import _auto as auto_module
from bsnsing._auto import leaf_size, price_per_leaf


@pytest.mark.parametrize(
    ("setting", "n_cases", "teachers_rows", "expected"),
    [
        ("auto", 10_000, 1, 2),
        ("auto", 10_000, 8, 8),
        ("auto", 10_000, None, 10),
        ("auto", 90_000, None, 300),
        ("sqrt", 10_000, 8, 100),
        (7, 10_000, 8, 7),
        (0.01, 10_000, 8, 100),
    ],
)
def test_leaf_size(
    setting: str | float, n_cases: int, teachers_rows: int | None, expected: int
) -> None:
    assert leaf_size(setting, n_cases, teachers_rows) == expected


def test_leaves_are_as_large_as_the_teachers() -> None:
    rng = np.random.default_rng(0)
    X = rng.integers(0, 3, (400, 2)).astype(float)
    noisy = (rng.random(400) < 0.3 + 0.2 * X[:, 0]).astype(int)
    taught = BsnsingClassifier(ccp_alpha=0).fit(X, noisy)
    assert taught.min_samples_leaf_ > 2
    assert taught.tree_.counts[taught.tree_.is_leaf].sum(axis=1).min() >= taught.min_samples_leaf_
    assert BsnsingClassifier().fit(X, (X[:, 0] == 1).astype(int)).min_samples_leaf_ == 2


def test_a_leaf_costs_more_in_large_noisy_tables_and_less_in_quiet_ones() -> None:
    def in_cases(n_cases: float, noise: float, n_classes: int = 2) -> float:
        return n_cases * price_per_leaf(n_cases, n_classes, noise, 2 * noise)

    assert in_cases(500, 0.5) == in_cases(500, 0.1) == in_cases(2000, 0.5) == pytest.approx(0.8)
    assert in_cases(500, 0.08) == pytest.approx(0.8 * 0.8)
    assert in_cases(500, 0.0) == in_cases(32_000, 0.0) == pytest.approx(0.5 * 0.8)
    assert in_cases(4000, 0.5) == pytest.approx(0.8 * 4)
    assert in_cases(8000, 0.5) == pytest.approx(0.8 * 4 * 2)


@pytest.mark.parametrize(
    ("unexplained", "share"), [(0.2, 1.0), (0.7, 1.0), (0.8, 0.8), (0.95, 0.5), (1.0, 1.0)]
)
def test_a_leaf_costs_less_where_little_can_be_explained(unexplained: float, share: float) -> None:
    assert price_per_leaf(1, 2, 0.5, unexplained) == pytest.approx(0.8 * share)


def test_a_leaf_costs_less_with_many_classes() -> None:
    assert price_per_leaf(1, 1, 0.5, 1.0) == price_per_leaf(1, 2, 0.5, 1.0) == 0.8
    assert price_per_leaf(1, 10, 0.5, 1.0) == pytest.approx(0.8 / 5)
    assert price_per_leaf(4000, 10, 0.5, 1.0) == pytest.approx(0.8 / 5 * 4 / 4000)


def test_fits_pay_the_price_that_is_given_or_else_the_teachers() -> None:
    X = np.arange(60.0)[:, None]
    y = np.arange(60) // 20
    assert BsnsingClassifier(ccp_alpha=0.03).fit(X, y).ccp_alpha_ == 0.03
    assert BsnsingClassifier(teacher=None).fit(X, y).ccp_alpha_ == 0
    one_tree = BsnsingClassifier().fit(X, y).ccp_alpha_
    three_trees = BsnsingClassifier(multiclass="ovr").fit(X, y).ccp_alpha_  # of two classes each
    assert 0 < one_tree == pytest.approx(three_trees * 2 / 3)


def test_fits_pay_for_what_the_teacher_cannot_explain(monkeypatch: pytest.MonkeyPatch) -> None:
    """A forest that knows nothing explains nothing: four times the price per doubling."""
    monkeypatch.setattr(auto_module, "_LARGE", 50)
    X, y = np.ones((200, 1)), np.arange(200) % 10 == 0
    assert BsnsingClassifier().fit(X, y).ccp_alpha_ == pytest.approx(0.8 * 4 * 2 / 200, rel=0.05)


def test_labels_without_weight_do_not_count_as_classes() -> None:
    X = np.arange(100.0)[:, None]
    y = (np.arange(100) // 20) % 2
    expected = BsnsingClassifier().fit(X, y)
    more_X, more_y = np.append(X, X[:3], axis=0), np.append(y, [2, 3, 4])
    found = BsnsingClassifier().fit(more_X, more_y, sample_weight=[1] * 100 + [0] * 3)
    assert found.ccp_alpha_ == expected.ccp_alpha_
    assert found.get_n_leaves() == expected.get_n_leaves()
