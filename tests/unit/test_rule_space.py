"""Richer rules: which pairs of columns are asked about, and what a search among them costs."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csr_matrix

from bsnsing import BsnsingClassifier, ColumnPair
from bsnsing.distill.config import DistillConfig
from bsnsing.distill.rule_space import (
    RuleSpace,
    choose_pairs,
    with_column_pairs,
    with_longer_rules,
)
from bsnsing.estimators.options import read_options
from tests.training_sets import untaught

RNG = np.random.default_rng(0)
CONFIG = DistillConfig()


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
    assert len(pairs) == 2 * 6
    assert [str(p) for p in pairs if {p.first, p.second} == {"plain", "wide"}] == [
        "plain * wide",
        "plain / wide",
    ]
    assert {name for p in choose_pairs(training, 2) for name in (p.first, p.second)} == {
        "plain",
        "whole",
    }


def test_sums_and_differences_are_of_columns_of_the_same_unit() -> None:
    training = untaught(RNG.normal(size=(60, 6)), [6, 5, 4, 3, 2, 1])
    anyway = choose_pairs(training, 2)
    assert [str(pair) for pair in anyway] == ["x0 * x1", "x0 / x1"]
    # Of each group the two that matter most, also if others matter more; no pair twice.
    groups = [["x5", "x3", "x4"], ["x1", "x0"], ["x0", "x1"], ["x2"]]
    added = choose_pairs(training, 2, groups)
    assert [str(pair) for pair in added] == [
        *map(str, anyway),
        "x3 + x4",
        "x3 - x4",
        "x0 + x1",
        "x0 - x1",
    ]


def test_nothing_is_paired_where_nothing_says_what_matters() -> None:
    X = RNG.normal(size=(20, 3))
    assert choose_pairs(untaught(X), 4) == ()
    two_values = (X > 0).astype(float) * [1e300, 1, 1]
    assert choose_pairs(untaught(two_values, [1, 1, 1]), 4) == ()


@pytest.mark.parametrize("factor", [1e-200, 3.0, 1e200])
def test_units_do_not_change_which_columns_are_paired(factor: float) -> None:
    X = RNG.normal(size=(20, 3))
    pairs = choose_pairs(untaught(X, [1, 3, 2]), 2)
    assert choose_pairs(untaught(X * [factor, 1, 1], [1, 3, 2]), 2) == pairs != ()


def test_sparse_columns_are_paired_like_others() -> None:
    X = RNG.normal(size=(20, 3))
    sparse, dense = (untaught(form, [1, 3, 2]) for form in (csr_matrix(X), X))
    assert choose_pairs(sparse, 4) == choose_pairs(dense, 4) != ()


def test_a_space_says_what_rules_may_be() -> None:
    options = read_options(BsnsingClassifier(), None, 100.0)
    pair = ColumnPair("x0", "-", "x1")
    found = RuleSpace(3, (pair,)).options(options)
    assert (found.search.max_rules, found.pairs) == (3, (pair,))
    simple = replace(found, search=replace(found.search, max_rules=2), pairs=())
    assert simple == options


def test_each_enrichment_adds_its_own() -> None:
    training = untaught(RNG.uniform(size=(100, 3)), [3, 2, 1])
    options = read_options(BsnsingClassifier(n_segments=2), None, 100.0)
    paired = with_column_pairs(RuleSpace(2), options, training, CONFIG)
    assert paired == RuleSpace(2, choose_pairs(training, CONFIG.n_paired))
    assert with_longer_rules(paired, options, training, CONFIG) == replace(paired, max_rules=3)
    without = untaught(RNG.uniform(size=(100, 3)))
    assert with_column_pairs(RuleSpace(2), options, without, CONFIG) is None


def test_work_is_rows_times_sets_of_questions() -> None:
    """Three columns of two thresholds each, and six pairs likewise."""
    training = untaught(RNG.uniform(size=(100, 3)), [3, 2, 1])
    options = read_options(BsnsingClassifier(n_segments=2), None, 100.0)
    for work, is_tried in ((100 * 18.0**2, True), (100 * 18.0**2 - 1, False)):
        config = replace(CONFIG, most_work=work)
        assert bool(with_column_pairs(RuleSpace(2), options, training, config)) is is_tried
    for work, is_tried in ((100 * 6.0**3, True), (100 * 6.0**3 - 1, False)):
        config = replace(CONFIG, most_work=work)
        assert bool(with_longer_rules(RuleSpace(2), options, training, config)) is is_tried
        narrow = replace(training, asked_columns=np.array([True, False, True]))
        assert with_longer_rules(RuleSpace(2), options, narrow, config)
