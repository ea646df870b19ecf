"""Richer rules: which pairs of columns are asked about, and what a search among them costs."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csr_matrix

from bsnsing import BsnsingClassifier, ColumnPair
from bsnsing.data.weights import CaseWeights
from bsnsing.distill.config import DistillConfig
from bsnsing.distill.rule_space import (
    RuleSpace,
    _round_factor,
    choose_pairs,
    with_column_pairs,
    with_longer_rules,
)
from bsnsing.estimators.options import read_options
from tests.training_sets import untaught

RNG = np.random.default_rng(0)
CONFIG = DistillConfig()


@pytest.mark.parametrize(
    ("ratio", "factor"),
    [(1, 1), (1.4, 1), (1.5, 2), (3, 2), (3.5, 5), (7, 5), (7.5, 10), (130, 100), (160, 200)],
)
def test_factors_are_round_numbers(ratio: float, factor: float) -> None:
    assert _round_factor(ratio) == factor


def test_the_numeric_columns_that_matter_most_are_paired() -> None:
    X = pd.DataFrame(
        {
            "wide": RNG.normal(size=60) * 40,
            "text": ["u", "v", "w"] * 20,
            "flag": [True, False] * 30,
            "two": [1.0, 5.0] * 30,
            "plain": RNG.normal(size=60),
            "whole": np.arange(60) % 3,
            "late": RNG.normal(size=60),
            "later": RNG.normal(size=60),
        }
    )
    training = untaught(X, [3, 9, 8, 7, 6, 5, 2, 1])
    pairs = choose_pairs(training, 4)
    assert {name for p in pairs for name in (p.first, p.second)} == {
        "plain",
        "whole",
        "wide",
        "late",
    }
    assert len(pairs) == 4 * 6
    assert [str(p) for p in pairs if {p.first, p.second} == {"plain", "wide"}] == [
        "wide + 50 * plain",
        "wide - 50 * plain",
        "plain * wide",
        "plain / wide",
    ]
    assert {name for p in choose_pairs(training, 2) for name in (p.first, p.second)} == {
        "plain",
        "whole",
    }


def test_nothing_is_paired_where_nothing_says_what_matters() -> None:
    X = RNG.normal(size=(20, 3))
    assert choose_pairs(untaught(X), 4) == ()
    assert choose_pairs(untaught(X * [1e300, 1, 0], [1, 1, 1]), 4) == ()


def test_sparse_columns_are_paired_like_others() -> None:
    X = RNG.normal(size=(20, 3))
    sparse, dense = (untaught(form, [1, 3, 2]) for form in (csr_matrix(X), X))
    assert choose_pairs(sparse, 4) == choose_pairs(dense, 4) != ()


def test_spreads_count_cases() -> None:
    X = np.array([[0.0, 0.0], [1.0, 1.0], [2.0, 100.0]])
    training = untaught(X, [1, 1])
    weights = CaseWeights(np.array([50, 50, 1]), 1.0)
    few = replace(training, cases=replace(training.cases, weights=weights))
    repeated = untaught(np.repeat(X, [50, 50, 1], axis=0), [1, 1])
    assert choose_pairs(few, 4) == choose_pairs(repeated, 4) != choose_pairs(training, 4)


def test_a_space_says_what_rules_may_be() -> None:
    options = read_options(BsnsingClassifier(), None, 100.0, None)
    pair = ColumnPair("x0", "-", "x1")
    found = RuleSpace(3, (pair,)).options(options)
    assert (found.search.max_rules, found.pairs) == (3, (pair,))
    simple = replace(found, search=replace(found.search, max_rules=2), pairs=())
    assert simple == options


def test_each_enrichment_adds_its_own() -> None:
    training = untaught(RNG.uniform(size=(100, 3)), [3, 2, 1])
    options = read_options(BsnsingClassifier(n_segments=2), None, 100.0, None)
    paired = with_column_pairs(RuleSpace(2), options, training, CONFIG)
    assert paired == RuleSpace(2, choose_pairs(training, CONFIG.n_paired))
    assert with_longer_rules(paired, options, training, CONFIG) == replace(paired, max_rules=3)
    without = untaught(RNG.uniform(size=(100, 3)))
    assert with_column_pairs(RuleSpace(2), options, without, CONFIG) is None


def test_work_is_rows_times_sets_of_questions() -> None:
    """Three columns of two thresholds each, and twelve pairs likewise."""
    training = untaught(RNG.uniform(size=(100, 3)), [3, 2, 1])
    options = read_options(BsnsingClassifier(n_segments=2), None, 100.0, None)
    for work, is_tried in ((100 * 30.0**2, True), (100 * 30.0**2 - 1, False)):
        config = replace(CONFIG, most_pair_work=work)
        assert bool(with_column_pairs(RuleSpace(2), options, training, config)) is is_tried
    for work, is_tried in ((100 * 6.0**3, True), (100 * 6.0**3 - 1, False)):
        config = replace(CONFIG, most_triple_work=work)
        assert bool(with_longer_rules(RuleSpace(2), options, training, config)) is is_tried
        narrow = replace(training, asked_columns=np.array([True, False, True]))
        assert with_longer_rules(RuleSpace(2), options, narrow, config)
