"""The numbers behind a teacher: what a leaf must save."""

from __future__ import annotations

import math
from dataclasses import FrozenInstanceError, fields, replace

import numpy as np
import pytest

from bsnsing import BsnsingClassifier
from bsnsing.distill.config import DistillConfig
from tests.training_sets import varied

CONFIG = DistillConfig()


@pytest.mark.parametrize("penalty_from", [CONFIG.penalty_from, 100])
@pytest.mark.parametrize("n_cases", [10, 1999.5, 10**6])
def test_a_leaf_costs_a_nat_and_half_the_logarithm_of_many_cases(
    n_cases: float, penalty_from: int
) -> None:
    config = replace(CONFIG, penalty_from=penalty_from)
    expected = (1 + 0.5 * math.log(1 + n_cases / penalty_from)) / n_cases
    assert config.complexity_penalty(n_cases) == pytest.approx(expected, rel=1e-12)


def test_a_leaf_costs_as_akaike_has_it_in_small_tables_and_as_schwarz_has_it_in_large_ones() -> (
    None
):
    def in_nats(n_cases: float) -> float:
        return n_cases * CONFIG.complexity_penalty(n_cases)

    assert in_nats(CONFIG.penalty_from / 1000) == pytest.approx(1, rel=1e-3)
    large = CONFIG.penalty_from * 1e9
    assert in_nats(2 * large) - in_nats(large) == pytest.approx(math.log(2) / 2, rel=1e-6)


@pytest.mark.parametrize("penalty_from", [50, 5000])
@pytest.mark.parametrize("n_classes", [2, 5])
def test_fits_pay_that_penalty_whatever_the_classes_and_the_teacher_say(
    n_classes: int, penalty_from: int
) -> None:
    X = np.random.default_rng(0).random((200, 2))
    for y in (np.arange(200) % n_classes, (X[:, 0] * n_classes).astype(int)):
        model = varied(penalty_from=penalty_from)().fit(X, y)
        config = model._distill_config
        assert model.ccp_alpha_ == config.complexity_penalty(200)


def test_numbers_are_varied_in_copies_only() -> None:
    with pytest.raises(FrozenInstanceError):
        CONFIG.penalty_from = 2  # type: ignore[misc]
    dear = replace(CONFIG, penalty_from=2)
    assert dear.complexity_penalty(10) > CONFIG.complexity_penalty(10)
    assert BsnsingClassifier._distill_config == CONFIG


def test_there_are_few_of_them() -> None:
    """What cannot be told from noise is left out, so that the others can be defended."""
    assert len(fields(DistillConfig)) <= 15
