"""Native forests against a plain one that draws the same numbers: equal to the last bit."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.typing import NDArray
from plain_forest import MISSING, Growth, Tree, mean_shares, whole_weights

from bsnsing import _core

SIZES = [1, 2, 4]


@dataclass(frozen=True)
class Problem:
    codes: NDArray[np.uint8]  # column after column
    labels: NDArray[np.int32]
    weights: NDArray[np.float64] | None
    n_classes: int
    n_columns: int
    n_draws: int
    seed: int

    def native(self, n_threads: int = 1) -> _core.Forest:
        return _core.grow_forest(
            self.codes,
            self.labels,
            self.weights,
            n_classes=self.n_classes,
            n_best_trees=2,
            n_best_columns=self.n_columns,
            n_random_trees=2,
            n_random_columns=self.n_columns,
            n_draws=self.n_draws,
            seed=self.seed,
            n_threads=n_threads,
        )

    def plain(self) -> list[Tree]:
        weights = whole_weights(self.weights, len(self.labels), self.n_draws)
        given = self.codes, self.labels, weights, self.n_classes
        return [
            Tree(Growth(*given, number >= 2, self.n_columns), self.n_draws, self.seed, number)
            for number in range(4)
        ]


@st.composite
def problems(draw: st.DrawFn) -> Problem:
    n_rows, n_columns = draw(st.integers(1, 25)), draw(st.integers(1, 5))
    n_classes = draw(st.sampled_from([1, 2, 2, 3, 6, 100]))
    some_codes = st.sampled_from([0, 1, 2, 3, 100, 253, 254, MISSING])
    weight = st.sampled_from([0.0, 0.3, 1.0, 1.0, 7.5, 1e-12, 5e-324, 1.7e308])
    weights = draw(st.none() | arrays(np.float64, n_rows, elements=weight))
    if weights is not None and weights.max() == 0:
        weights[0] = 2.0
    return Problem(
        draw(arrays(np.uint8, (n_columns, n_rows), elements=some_codes)),
        draw(arrays(np.int32, n_rows, elements=st.integers(0, n_classes - 1))),
        weights,
        n_classes,
        draw(st.integers(1, n_columns)),
        draw(st.integers(1, 2 * n_rows)),
        draw(st.integers(0, 2**64 - 1)),
    )


def check(problem: Problem) -> None:
    native, trees = problem.native(), problem.plain()
    assert [native.tree(i) for i in range(native.n_trees)] == [tree.fields() for tree in trees]
    rows = problem.codes.T
    out = [
        [
            mean_shares(
                [tree.shares(row, size) for tree in trees if tree.n_times[i] == 0],
                problem.n_classes,
            )
            for i, row in enumerate(rows)
        ]
        for size in SIZES
    ]
    found = native.out_of_bag(problem.codes, leaf_rows=SIZES, n_threads=1)
    assert found.tolist() == out
    for size in SIZES:
        native.cut_back(size)
        told = [
            mean_shares([tree.shares(row, size) for tree in trees], problem.n_classes)
            for row in rows
        ]
        assert native.predict(problem.codes, n_threads=1).tolist() == told


@settings(deadline=None)
@given(problem=problems())
def test_forests_are_those_of_the_plain_one(problem: Problem) -> None:
    check(problem)


@pytest.mark.parametrize("n_classes", [2, 3])
def test_large_nodes_are_cut_as_small_ones_are(n_classes: int) -> None:
    """Some steps are taken in another way where a node has many rows."""
    rng = np.random.default_rng(n_classes)
    codes = rng.integers(0, 256, (3, 700)).astype(np.uint8)
    labels = (codes[0] // 64 + (rng.random(700) < 0.1)) % n_classes
    check(Problem(codes, labels.astype(np.int32), None, n_classes, 2, 1200, 5))


@settings(deadline=None, max_examples=30)
@given(problem=problems())
def test_the_number_of_threads_changes_nothing(problem: Problem) -> None:
    one, two = problem.native(1), problem.native(2)
    assert [one.tree(i) for i in range(4)] == [two.tree(i) for i in range(4)]
    assert one.importances().tolist() == two.importances().tolist()


@settings(deadline=None)
@given(
    column=st.lists(
        st.sampled_from([np.nan, -0.0, 0.0, 1e-45, 1.0, 1 + 2**-23, 3.5, -2.5, 3e38, -3e38]),
        min_size=1,
        max_size=40,
    )
)
def test_codes_are_ranks_of_distinct_values(column: list[float]) -> None:
    numbers = np.array(column, dtype=np.float32)[:, None]
    is_missing = np.isnan(numbers[:, 0])
    expected = np.full(len(column), MISSING)
    expected[~is_missing] = np.unique(numbers[~is_missing], return_inverse=True)[1].ravel()
    codes = _core.Bins(numbers, n_threads=1).codes(numbers, n_threads=1)
    assert codes[0].tolist() == expected.tolist()


@settings(deadline=None, max_examples=20)
@given(seed=st.integers(0, 2**32), scale=st.sampled_from([1, 20, 400]))
def test_codes_of_many_values_depend_on_their_order_only(seed: int, scale: int) -> None:
    numbers = np.random.default_rng(seed).normal(0, scale, (900, 2)).round(1).astype(np.float32)
    numbers[::50, 1] = np.nan
    ranks = np.column_stack([np.unique(c, return_inverse=True)[1] for c in numbers.T])
    ranks = ranks.astype(np.float32)
    ranks[np.isnan(numbers)] = np.nan
    found, of_ranks = (
        _core.Bins(table, n_threads=1).codes(table, n_threads=1) for table in (numbers, ranks)
    )
    assert found.tolist() == of_ranks.tolist()
    assert found.max(initial=0, where=found != MISSING) <= 254
