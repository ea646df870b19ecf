"""What must hold of every search: invariances, deadlines, large numbers and checked arguments."""

from __future__ import annotations

import time
from typing import Any

import judge
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy.sparse import csr_array

import bsnsing
from bsnsing import _core, best_rule

Pool = tuple[NDArray[np.bool_], NDArray[np.int64]]

SYMMETRIC = ("gini_squared", "gini", "entropy", "misclassification")


def random_pool(seed: int, n_rows: int, n_questions: int, n_classes: int = 2) -> Pool:
    """Answers that tell a little about the class, and labels of which each occurs."""
    rng = np.random.default_rng(seed)
    y = rng.permutation(np.arange(n_rows) % n_classes)
    rates = rng.uniform(0.05, 0.6, size=(n_classes, n_questions))
    return rng.random((n_rows, n_questions)) < rates[y], y


def pools(max_classes: int = 4) -> st.SearchStrategy[Pool]:
    return st.builds(
        random_pool,
        seed=st.integers(0, 2**32 - 1),
        n_rows=st.integers(max_classes, 200),
        n_questions=st.integers(1, 12),
        n_classes=st.integers(2, max_classes),
    )


options = st.fixed_dictionaries(
    {
        "criterion": st.sampled_from(SYMMETRIC),
        "operators": st.sampled_from([("or",), ("or", "and"), ("or", "and", "xor")]),
        "max_rules": st.integers(1, 3),
        "min_samples_leaf": st.sampled_from([1, 5, 20]),
        "distinct_children": st.booleans(),
    }
)
few = settings(max_examples=60)


def outcome(split: bsnsing.Split | None) -> tuple[Any, ...] | None:
    """All that the data decide; not the seconds, nor how the work was divided."""
    if split is None:
        return None
    rule = (tuple(split.questions), tuple(split.negated), split.operator)
    counts = (tuple(split.left_counts), tuple(split.right_counts))
    return *rule, *counts, split.objective, split.bound, split.optimal


def objective(*args: Any, **kwargs: Any) -> float:
    """Objective of the best rule; infinite where no rule is feasible."""
    split = bsnsing.best_rule(*args, **kwargs)
    return float("inf") if split is None else split.objective


@few
@given(pool=pools(), options=options, seed=st.integers(0, 2**32 - 1))
def test_row_order_is_irrelevant(pool: Pool, options: dict[str, Any], seed: int) -> None:
    answers, y = pool
    order = np.random.default_rng(seed).permutation(len(y))
    shuffled = bsnsing.best_rule(answers[order], y[order], **options)
    assert outcome(shuffled) == outcome(bsnsing.best_rule(answers, y, **options))


@few
@given(pool=pools(), options=options)
def test_number_of_threads_is_irrelevant(pool: Pool, options: dict[str, Any]) -> None:
    alone, together = (bsnsing.best_rule(*pool, **options, n_jobs=n_jobs) for n_jobs in (1, 2))
    assert outcome(alone) == outcome(together)


@pytest.mark.parametrize("criterion", judge.CRITERIA)
def test_number_of_threads_is_irrelevant_in_a_long_search(criterion: str) -> None:
    pool = random_pool(0, 1000, 40)
    one, two, all_of_them = (
        bsnsing.best_rule(*pool, max_rules=4, criterion=criterion, n_jobs=n) for n in (1, 2, -1)
    )
    assert outcome(one) == outcome(two) == outcome(all_of_them)


@few
@given(pool=pools(), options=options, seed=st.integers(0, 2**32 - 1))
def test_whole_weights_are_repeated_rows(pool: Pool, options: dict[str, Any], seed: int) -> None:
    answers, y = pool
    weight = np.random.default_rng(seed).integers(0, 4, size=len(y))
    weight[np.unique(y, return_index=True)[1]] += 1  # so that no class vanishes
    repeated = bsnsing.best_rule(answers.repeat(weight, axis=0), y.repeat(weight), **options)
    for dtype in (np.int64, np.float64):
        weighted = bsnsing.best_rule(answers, y, sample_weight=weight.astype(dtype), **options)
        assert outcome(weighted) == outcome(repeated)


@pytest.mark.parametrize("kernels", _core.available_kernels())
@pytest.mark.parametrize("n_classes", [2, 3, 7])
@pytest.mark.parametrize("operators", [("or",), ("or", "and"), ("or", "and", "xor")])
def test_small_and_large_nodes_are_searched_alike(
    kernels: str, n_classes: int, operators: tuple[str, ...]
) -> None:
    # Small nodes count two classes in one number; a thousand times the weight is too much for that.
    before = _core.active_kernels()
    _core.use_kernels(kernels)
    try:
        for seed in range(20):
            answers, y = random_pool(seed, 300, 45, n_classes)
            options: dict[str, Any] = {"criterion": "gini", "operators": operators}
            small = best_rule(answers, y, min_samples_leaf=20, **options)
            large = best_rule(
                answers,
                y,
                min_samples_leaf=20_000,
                sample_weight=np.full(len(y), 1000),
                **options,
            )
            assert small is not None
            assert large is not None
            assert (outcome(small) or ())[:3] == (outcome(large) or ())[:3]
            assert large.objective == pytest.approx(1000 * small.objective, rel=1e-12)
    finally:
        _core.use_kernels(before)


@few
@given(pool=pools(), options=options)
def test_rows_of_weight_zero_vanish(pool: Pool, options: dict[str, Any]) -> None:
    answers, y = pool
    padded_answers, padded_y = np.vstack([answers, ~answers]), np.concatenate([y, y[::-1]])
    weight = np.repeat([1, 0], len(y))
    padded = bsnsing.best_rule(padded_answers, padded_y, sample_weight=weight, **options)
    assert outcome(padded) == outcome(bsnsing.best_rule(answers, y, **options))


@few
@given(pool=pools(), options=options)
def test_repeated_questions_add_nothing(pool: Pool, options: dict[str, Any]) -> None:
    answers, y = pool
    twice = bsnsing.best_rule(np.hstack([answers, answers]), y, **options)
    assert outcome(twice) == outcome(bsnsing.best_rule(answers, y, **options))


@few
@given(pool=pools(), options=options, seed=st.integers(0, 2**32 - 1))
def test_names_of_classes_are_irrelevant(pool: Pool, options: dict[str, Any], seed: int) -> None:
    answers, y = pool
    options = options | {"distinct_children": False}  # for two classes it says which goes where
    renamed = np.random.default_rng(seed).permutation(y.max() + 1)[y]
    expected = pytest.approx(objective(answers, y, **options), rel=1e-12)
    assert objective(answers, renamed, **options) == expected


@few
@given(pool=pools(), options=options, seed=st.integers(0, 2**32 - 1))
def test_negating_questions_is_irrelevant(pool: Pool, options: dict[str, Any], seed: int) -> None:
    """In a pool closed under negation a question and its negation are the same."""
    answers, y = pool
    options = options | {"operators": ("or", "and")}
    flipped = answers ^ (np.random.default_rng(seed).random(answers.shape[1]) < 0.5)
    expected = pytest.approx(objective(answers, y, **options), rel=1e-12)
    assert objective(flipped, y, **options) == expected


@few
@given(pool=pools(), options=options)
def test_more_freedom_never_hurts(pool: Pool, options: dict[str, Any]) -> None:
    least = objective(*pool, **options)
    slack = 1e-11 * least if np.isfinite(least) else 0
    wider = [
        {"max_rules": options["max_rules"] + 1},
        {"operators": ("or", "and", "xor")},
        {"min_samples_leaf": 1},
        {"distinct_children": False},
    ]
    for change in wider:
        assert objective(*pool, **(options | change)) <= least + slack


def test_time_limit_is_kept_inside_a_level() -> None:
    # Pure noise: bounds are of little help, and all rules of six questions would take hours.
    rng = np.random.default_rng(1)
    pool = rng.random((3000, 400)) < 0.3, rng.integers(0, 2, size=3000)
    shorter = bsnsing.best_rule(*pool, max_rules=2, criterion="gini")
    start = time.perf_counter()
    split = bsnsing.best_rule(*pool, max_rules=6, criterion="gini", time_limit=0.1)
    assert time.perf_counter() - start < 2.5
    assert not split.optimal
    assert split.bound <= split.objective
    assert split.bound <= shorter.objective  # the optimum of longer rules is no greater


@pytest.mark.parametrize("time_limit", [1e-6, 1e-3, 1e-2, 60])
@pytest.mark.parametrize("operators", [("or",), ("or", "and", "xor")])
@pytest.mark.parametrize("criterion", judge.CRITERIA)
def test_bound_of_a_search_cut_short(
    criterion: str, operators: tuple[str, ...], time_limit: float
) -> None:
    pool = random_pool(2, 500, 30)
    search = {"max_rules": 3, "criterion": criterion, "operators": operators}
    least = objective(*pool, **search)
    split = bsnsing.best_rule(*pool, **search, time_limit=time_limit)
    assert split.bound <= least <= split.objective
    assert not split.optimal or split.bound == split.objective


@pytest.mark.parametrize(
    ("criterion", "n_classes"),
    [("gini_squared", 2), ("gini_squared", 3), ("misclassification", 3), ("error", 2)],
)
def test_large_weights_are_counted_exactly(criterion: str, n_classes: int) -> None:
    answers, y = random_pool(3, 300, 8, n_classes)
    weight = np.random.default_rng(3).integers(1, 10_000_000, size=len(y))
    assert 1.4e9 < weight.sum() < 1.6e9  # so that objectives pass 2**53
    search = {"criterion": criterion, "max_rules": 3, "operators": ("or", "and")}
    split = bsnsing.best_rule(answers, y, sample_weight=weight, **search)
    expected = judge.best_rule(answers, y, sample_weight=weight, **search)
    assert split.objective == expected.objective
    assert split.bound == expected.objective
    rule = judge.Rule(tuple(split.questions), tuple(split.negated), split.operator)
    assert rule == expected.rule
    counts = (tuple(split.left_counts), tuple(split.right_counts))
    assert counts == (expected.left, expected.right)


def test_light_rows_are_not_lost_beside_heavy_ones() -> None:
    """Only the second question is pure; the first mixes two rows of little weight."""
    answers = np.array([[1, 1], [0, 1], [0, 0]])
    split = bsnsing.best_rule(answers, [1, 1, 0], sample_weight=[1e7 + 0.5, 1.25, 1.25])
    assert split.questions == (1,)
    assert split.objective == 0


@pytest.mark.parametrize("dtype", [bool, np.int8, np.uint8, np.int32, np.int64, float, np.float32])
def test_any_kind_of_zeros_and_ones(dtype: type) -> None:
    answers, y = random_pool(4, 100, 6)
    expected = outcome(bsnsing.best_rule(answers, y))
    typed = answers.astype(dtype)
    columnwise, spread = np.asfortranarray(typed), np.repeat(typed, 2, axis=1)[:, ::2]
    for same in (typed, columnwise, spread, typed.tolist()):
        assert outcome(bsnsing.best_rule(same, y)) == expected


@pytest.mark.parametrize("labels", [[False, True], [-5, 7], [1.0, 2.0], ["no", "yes"]])
def test_any_kind_of_labels(labels: list[Any]) -> None:
    answers, y = random_pool(5, 100, 6)
    expected = outcome(bsnsing.best_rule(answers, y, criterion="error"))
    for named in (np.array(labels)[y], np.array(labels)[y].tolist()):
        assert outcome(bsnsing.best_rule(answers, named, criterion="error")) == expected


@pytest.mark.parametrize(
    ("wrong", "dtype"),
    [(2, np.uint8), (-1, np.int8), (256, int), (0.5, float), (np.nan, float), (np.inf, float)],
)
def test_answers_must_be_zero_or_one(wrong: float, dtype: type) -> None:
    answers, y = random_pool(6, 20, 3)
    answers = answers.astype(dtype)
    answers[3, 1] = wrong
    with pytest.raises(ValueError, match="answers"):
        bsnsing.best_rule(answers, y)


def test_shapes_must_agree() -> None:
    answers, y = random_pool(7, 20, 3)
    with pytest.raises(ValueError, match="answers"):
        bsnsing.best_rule(answers[:, 0], y)
    with pytest.raises(ValueError, match="y"):
        bsnsing.best_rule(answers, y[:-1])
    with pytest.raises(ValueError, match="y"):
        bsnsing.best_rule(answers, answers)
    with pytest.raises(ValueError, match="sample_weight"):
        bsnsing.best_rule(answers, y, sample_weight=np.ones(19))


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("max_rules", 0),
        ("max_rules", 1.5),
        ("max_rules", "2"),
        ("min_samples_leaf", 0),
        ("min_samples_leaf", np.nan),
        ("min_samples_leaf", "sqrt"),
        ("criterion", "twoing"),
        ("criterion", None),
        ("operators", ()),
        ("operators", ("nand",)),
        ("operators", None),
        ("distinct_children", "no"),
        ("sample_weight", -np.ones(20)),
        ("sample_weight", np.full(20, np.nan)),
        ("sample_weight", np.full(20, np.inf)),
        ("time_limit", -1),
        ("time_limit", np.nan),
        ("time_limit", "soon"),
        ("n_jobs", 0),
        ("n_jobs", 1.5),
    ],
)
def test_wrong_parameters_are_named(name: str, value: object) -> None:
    with pytest.raises((ValueError, TypeError), match=name):
        bsnsing.best_rule(*random_pool(8, 20, 3), **{name: value})


def test_error_is_for_two_classes() -> None:
    with pytest.raises(ValueError, match="error"):
        bsnsing.best_rule(*random_pool(9, 20, 3, n_classes=3), criterion="error")


def test_no_feasible_rule_is_none() -> None:
    answers, y = random_pool(10, 20, 3)
    assert bsnsing.best_rule(answers, y, min_samples_leaf=11) is None
    assert bsnsing.best_rule(np.ones_like(answers), y) is None
    assert bsnsing.best_rule(answers[:1], y[:1]) is None
    assert bsnsing.best_rule(answers[:, :0], y) is None
    assert bsnsing.best_rule(answers[:, :0], np.arange(20) % 3) is None


def test_no_rule_met_in_time_is_not_no_rule() -> None:
    rng = np.random.default_rng(0)
    answers = rng.random((4000, 400)) < 0.005
    y = answers[:, :9].any(axis=1)
    search = {"max_rules": 8, "min_samples_leaf": 100}
    with pytest.warns(UserWarning, match="before it met a feasible rule"):
        assert bsnsing.best_rule(answers, y, **search, time_limit=1e-6) is None


@pytest.mark.parametrize("criterion", judge.CRITERIA)
def test_one_class(criterion: str) -> None:
    split = bsnsing.best_rule([[0], [1]], ["only", "only"], criterion=criterion)
    assert split.objective == 0
    assert (split.left_counts.tolist(), split.right_counts.tolist()) == ([1], [1])


@pytest.mark.parametrize("weight", [1e200, 1e-200])
def test_weights_beyond_reason_are_refused(weight: float) -> None:
    with pytest.raises(ValueError, match="sum of sample_weight"):
        bsnsing.best_rule([[0], [1]], [0, 1], sample_weight=[weight, 1.5 * weight])


@pytest.mark.parametrize(
    ("answers", "error", "message"),
    [
        (csr_array([[0, 1]]), TypeError, "toarray"),
        (None, ValueError, "0 dimension"),
        (np.array([[0, 2]], dtype=np.uint8), ValueError, "Got 2 in row 0, question 1"),
        (np.array([[0, "a"]], dtype=object), ValueError, "Got a in row 0, question 1"),
    ],
)
def test_answers_that_cannot_be_read(answers: Any, error: type, message: str) -> None:
    with pytest.raises(error, match=message):
        bsnsing.best_rule(answers, [0])


def test_objects_that_are_zero_or_one_are_read() -> None:
    assert bsnsing.best_rule(np.array([[True, 0], [False, 1]], dtype=object), [0, 1]) is not None


@pytest.mark.parametrize("n_rows", [20, 30, 98])
def test_fractions_that_add_up_to_a_leaf_are_enough(n_rows: int) -> None:
    half = np.arange(2 * n_rows) < n_rows
    weight = np.full(2 * n_rows, 1 / n_rows)
    split = bsnsing.best_rule(half[:, None], half, sample_weight=weight, min_samples_leaf=1)
    assert split is not None
    assert split.objective == 0
