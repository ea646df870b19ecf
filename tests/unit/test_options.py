"""What "auto" stands for."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import pytest

from bsnsing import BsnsingClassifier, ColumnPair, Question
from bsnsing.distill.config import DistillConfig
from bsnsing.estimators.options import distill_options, leaf_size, read_options
from tests.training_sets import table_of

CONFIG = DistillConfig()


@pytest.mark.parametrize(
    ("setting", "n_cases", "teachers_rows", "expected"),
    [
        ("auto", 10_000, 2, 2),
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
    X = rng.random((400, 2))
    noisy = (rng.random(400) < 0.3 + 0.4 * X[:, 0]).astype(int)
    taught = BsnsingClassifier(ccp_alpha=0).fit(X, noisy)
    least = min(CONFIG.leaf_rows)
    assert taught.min_samples_leaf_ > least
    assert taught.tree_.counts[taught.tree_.is_leaf].sum(axis=1).min() >= taught.min_samples_leaf_
    assert BsnsingClassifier().fit(X, (X[:, 0] > 0.5).astype(int)).min_samples_leaf_ == least


def test_fits_pay_the_penalty_that_is_given_or_else_the_teachers() -> None:
    X = np.arange(60.0)[:, None]
    y = np.arange(60) // 20
    assert BsnsingClassifier(ccp_alpha=0.03).fit(X, y).ccp_alpha_ == 0.03
    assert BsnsingClassifier(teacher=None).fit(X, y).ccp_alpha_ == 0
    one_tree = BsnsingClassifier().fit(X, y).ccp_alpha_
    three_trees = BsnsingClassifier(multiclass="ovr").fit(X, y).ccp_alpha_  # of two classes each
    assert 0 < one_tree == three_trees == CONFIG.complexity_penalty(60)


def test_labels_without_weight_do_not_count_as_classes() -> None:
    X = np.arange(100.0)[:, None]
    y = (np.arange(100) // 20) % 2
    expected = BsnsingClassifier().fit(X, y)
    more_X, more_y = np.append(X, X[:3], axis=0), np.append(y, [2, 3, 4])
    found = BsnsingClassifier().fit(more_X, more_y, sample_weight=[1] * 100 + [0] * 3)
    assert found.ccp_alpha_ == expected.ccp_alpha_
    assert found.get_n_leaves() == expected.get_n_leaves()


@pytest.mark.parametrize(
    ("settings", "is_taught", "shrinkage"),
    [
        ({}, True, 1.0),
        ({}, False, 10.0),
        ({"shrinkage": 3}, True, 3.0),
        ({"shrinkage": 0}, False, 0.0),
    ],
)
def test_shrinkage(settings: dict[str, Any], is_taught: bool, shrinkage: float) -> None:
    model = BsnsingClassifier(**settings)
    options = read_options(model, 2 if is_taught else None, 4.0)
    assert options.shrinkage == shrinkage


@pytest.mark.parametrize(
    ("max_rules", "size", "try_longer"), [("auto", 2, True), (1, 1, False), (3, 3, False)]
)
@pytest.mark.parametrize(("column_pairs", "try_pairs"), [("auto", True), (None, False)])
def test_richer_rules_are_tried_on_auto_alone(
    max_rules: Any, size: int, try_longer: bool, column_pairs: Any, try_pairs: bool
) -> None:
    model = BsnsingClassifier(max_rules=max_rules, column_pairs=column_pairs)
    distill = distill_options(model, ())
    assert read_options(model, None, 100.0).search.max_rules == size
    assert (distill.try_longer_rules, distill.try_column_pairs) == (try_longer, try_pairs)


def test_columns_share_a_unit_in_the_groups_that_are_given() -> None:
    X = pd.DataFrame({"a": [1.0, 2], "b": [1, 2], "c": ["u", "v"]})
    table = table_of(X)
    for groups in ([], [["a", "b"]], (("b", "a"), ("a", "b"))):
        distill = distill_options(BsnsingClassifier(column_pairs=groups), table.info)
        assert distill.try_column_pairs
        assert distill.same_unit == tuple(map(tuple, groups))
    for names, message in (
        (["a", "d"], "'d', which the table does not have"),
        (["a", "c"], "'c', which is categ"),
    ):
        with pytest.raises(ValueError, match=message):
            BsnsingClassifier(column_pairs=[names]).fit(X, [0, 1])


@pytest.mark.parametrize(
    ("setting", "n_columns", "n_pairs", "expected"),
    [("auto", 2, 0, 64), ("auto", 2, 2, 32), ("auto", 40, 0, 8), (20, 2, 2, 20)],
)
def test_thresholds(setting: Any, n_columns: int, n_pairs: int, expected: int) -> None:
    options = read_options(BsnsingClassifier(n_segments=setting), None, 100.0)
    pairs = (ColumnPair("x0", "-", "x1"), ColumnPair("x0", "/", "x1"))[:n_pairs]
    table = table_of(np.zeros((3, n_columns)))
    asked = replace(options, pairs=pairs).engine_options(table).ask
    assert asked.n_segments == expected


def test_given_pairs_get_no_other_questions_until_they_are_chosen() -> None:
    ratio, product = ColumnPair("x0", "/", "x1"), ColumnPair("x0", "*", "x1")
    questions = tuple(Question(pair, ">", 1.0) for pair in (ratio, product))
    options = replace(read_options(BsnsingClassifier(), None, 100.0), extra_questions=questions)
    table = table_of(np.ones((4, 2)))
    assert options.all_pairs(table) == (ratio, product)
    assert list(options.engine_options(table).given_only) == [2, 3]
    chosen = replace(options, pairs=(product,))
    assert chosen.all_pairs(table) == (product, ratio)
    assert list(chosen.engine_options(table).given_only) == [3]


def test_a_wide_table_leaves_pairs_open() -> None:
    options = read_options(BsnsingClassifier(), None, 100.0)
    pairs = (ColumnPair("x0", "-", "x2"),)
    wide = replace(options, pairs=pairs, asked_columns=np.array([True, False, True]))
    table = table_of(np.ones((4, 3)))
    limits = wide.engine_options(table).limits
    assert limits is not None
    assert limits.allowed.tolist() == [True, False, True, True]
    asking = replace(wide, extra_questions=(Question("x1", ">", 0.5),))
    assert asking.engine_options(table).limits is None
