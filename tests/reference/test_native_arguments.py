"""Wrong arguments to the native module raise an error that names them; none ends the process."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from bsnsing import _core

ASK = {"n_segments": 4, "max_levels": 5, "max_values_as_levels": 3, "bin_size": 1.0}
SEARCH = {
    "max_rules": 2,
    "criterion": "gini",
    "operators": ["or"],
    "min_samples_leaf": 1.0,
    "distinct_children": False,
    "time_limit": np.inf,
    "n_threads": 1,
}
N_ROWS = 40
LABELS = (np.arange(N_ROWS) % 3 == 0).astype(np.int32)


def columns_of(n_rows: int = N_ROWS) -> _core.ColumnList:
    columns = _core.ColumnList()
    numbers = np.random.default_rng(0).normal(size=(3, n_rows))
    columns.add_numbers(list(numbers), 0, None, 1)
    columns.add_levels((np.arange(n_rows) % 4).astype(np.int32), 4)
    return columns


def engine_of(n_rows: int = N_ROWS) -> _core.Engine:
    labels = (np.arange(n_rows) % 3 == 0).astype(np.int32)
    return _core.Engine(
        columns_of(n_rows),
        _core.Cases(labels, n_classes=2),
        ask=_core.AskOptions(**ASK),
        search=_core.SearchOptions(**SEARCH),
    )


def limits_with(coefficient: float) -> _core.Engine:
    return _core.Engine(
        columns_of(),
        _core.Cases(LABELS, n_classes=2),
        ask=_core.AskOptions(**ASK),
        search=_core.SearchOptions(**SEARCH),
        limits=_core.ColumnLimits(linear=[([coefficient] * 4, 0.0, 1.0)]),
    )


CODES = np.zeros((2, N_ROWS), dtype=np.uint8)
FOREST = {
    "labels": LABELS,
    "weights": None,
    "n_classes": 2,
    "n_best_trees": 1,
    "n_best_columns": 1,
    "n_random_trees": 1,
    "n_random_columns": 1,
    "n_draws": N_ROWS,
    "seed": 0,
    "n_threads": 1,
}


def forest_with(**changes: Any) -> _core.Forest:
    return _core.grow_forest(CODES, **(FOREST | changes))


def stored_forest(place: int, change: Any) -> _core.Forest:
    """A forest that is loaded from a state in which one part is another."""
    state = list(forest_with().__getstate__())
    state[place] = change(state[place]) if callable(change) else change
    forest = _core.Forest.__new__(_core.Forest)
    forest.__setstate__(tuple(state))
    return forest


def damaged_leaf(trees: list[Any], field: int, value: int) -> list[Any]:
    """The trees of a stored forest with another number at the last node of the first, a leaf."""
    first = list(trees[0])
    first[field] = first[field].copy()
    first[field][-1] = value
    return [tuple(first), *trees[1:]]


VALUE_ERRORS: dict[str, tuple[Callable[[], Any], str]] = {
    "more levels than codes can have": (
        lambda: _core.ColumnList().add_levels(np.arange(5, dtype=np.int32), 2**32),
        "at most 2147483647 levels; got 4294967296",
    ),
    "a class that wraps round": (lambda: engine_of().ask([0], 2**32), "no class 4294967296"),
    "a column that wraps round": (
        lambda: _core.ColumnLimits(forbidden=[2**32]),
        "no column 4294967296",
    ),
    "no thresholds": (lambda: _core.AskOptions(**(ASK | {"n_segments": 0})), "at least 1; got 0"),
    "no bin size": (lambda: _core.AskOptions(**(ASK | {"bin_size": np.nan})), "bin_size"),
    "no threads": (lambda: _core.SearchOptions(**(SEARCH | {"n_threads": 0})), "n_threads"),
    "more threads than numbers count": (
        lambda: _core.ColumnList().add_numbers([np.arange(3.0)] * 2, 0, None, 2**63),
        "at most 2147483647; got 9223372036854775808",
    ),
    "more threads of a search": (
        lambda: _core.SearchOptions(**(SEARCH | {"n_threads": 2**63})),
        "at most 2147483647; got 9223372036854775808",
    ),
    "a forest of too many classes": (
        lambda: stored_forest(0, 2**62),
        "n_classes must be from 1 to 2147483647",
    ),
    "a leaf that looks at a column beyond": (
        lambda: stored_forest(2, lambda trees: damaged_leaf(trees, 0, 2**32 - 1)),
        "damaged tree of a forest",
    ),
    "a leaf that rows would leave": (
        lambda: stored_forest(2, lambda trees: damaged_leaf(trees, 1, 0)),
        "damaged tree of a forest",
    ),
    "no greedy level": (
        lambda: _core.SearchOptions(**(SEARCH | {"greedy_level": np.nan})),
        "greedy_level must be numbers; got NaN",
    ),
    "a limit that is no number": (lambda: limits_with(np.nan), "limits must be numbers"),
    "weights whose sum is not exact": (
        lambda: _core.Cases(LABELS, n_classes=2, weights=np.full(N_ROWS, 2**50)),
        "at most 2",
    ),
    "a node that is not there": (lambda: engine_of().class_totals(7), "no node 7"),
    "columns taken twice": (lambda: twice(), "taken these columns over"),
    "a forest of no threads": (lambda: forest_with(n_threads=0), "n_threads must be at least 1"),
    "a forest of no draws": (lambda: forest_with(n_draws=0), "from 1 to 1073741823; got 0"),
    "a class beyond": (lambda: forest_with(n_classes=1), "no class 1: n_classes is 1"),
    "labels of other rows": (lambda: forest_with(labels=LABELS[1:]), "the same rows"),
    "weights of other rows": (lambda: forest_with(weights=np.ones(3)), "differ in length"),
    "a weight below zero": (lambda: forest_with(weights=-np.ones(N_ROWS)), "got -1.0"),
    "no weight at all": (lambda: forest_with(weights=np.zeros(N_ROWS)), "greater than 0"),
    "codes of other columns": (
        lambda: forest_with().predict(CODES[:1], n_threads=1),
        "must be 2 columns; got 1",
    ),
    "codes of other rows": (
        lambda: forest_with().out_of_bag(np.hstack([CODES, CODES]), leaf_rows=[1], n_threads=1),
        "that the forest was grown on",
    ),
    "leaf sizes out of order": (
        lambda: forest_with().out_of_bag(CODES, leaf_rows=[2, 1], n_threads=1),
        "ascending",
    ),
    "a tree that is not there": (lambda: forest_with().tree(2), "no tree 2"),
    "bins of no threads": (
        lambda: _core.Bins(np.zeros((2, 2), dtype=np.float32), n_threads=0),
        "n_threads",
    ),
}


def twice() -> None:
    columns = columns_of()
    for _ in range(2):
        _core.Engine(
            columns,
            _core.Cases(LABELS, n_classes=2),
            ask=_core.AskOptions(**ASK),
            search=_core.SearchOptions(**SEARCH),
        )


@pytest.mark.parametrize("name", VALUE_ERRORS)
def test_wrong_values_are_named(name: str) -> None:
    call, message = VALUE_ERRORS[name]
    with pytest.raises(ValueError, match=message):
        call()


@pytest.mark.parametrize(
    "call",
    [
        lambda: _core.Cases(np.full(N_ROWS, 2**32), n_classes=2),
        lambda: _core.Cases(np.full(N_ROWS, 0.7), n_classes=2),
        lambda: _core.Cases(LABELS, n_classes=2, weights=np.full(N_ROWS, 0.7)),
        lambda: _core.ColumnList().add_levels(np.full(N_ROWS, 2**32 + 1), 4),
        lambda: _core.best_rule(
            np.full((N_ROWS, 2), 256),
            _core.Cases(LABELS, n_classes=2),
            search=_core.SearchOptions(**SEARCH),
        ),
    ],
)
def test_numbers_of_another_type_are_not_converted(call: Callable[[], Any]) -> None:
    """They would wrap round, or lose their fractions, without a word."""
    with pytest.raises(TypeError):
        call()


def test_columns_to_predict_from_must_be_arrays() -> None:
    none = np.empty(0, dtype=np.int32)
    leaf = _core.FlatTree(
        yes=np.array([-1], dtype=np.int32),
        no=np.array([-1], dtype=np.int32),
        operators=np.zeros(1, dtype=np.uint8),
        first_literal=np.zeros(2, dtype=np.int32),
        literal_columns=none,
        tests=np.empty(0, dtype=np.uint8),
        values=np.empty(0),
        negated=np.empty(0, dtype=np.uint8),
        first_level=np.zeros(1, dtype=np.int32),
        levels=none,
        n_levels=[-1],
        has_missing=[False],
    )
    with pytest.raises(TypeError, match="column 0 must be a one-dimensional array"):
        leaf.find_leaves(["a"], n_rows=1, n_threads=1)
    with pytest.raises(ValueError, match="n_threads must be at least 1"):
        leaf.find_leaves([None], n_rows=1, n_threads=0)
    row, ones = np.zeros(1, dtype=np.int64), np.ones(1)
    given = {"rows": row, "starts": row, "values": np.array([[0.25, 0.75]]), "yes_share": ones}
    right = given | {"n_rows": 1, "n_threads": 1}
    assert leaf.mix_leaves([None], **right).tolist() == [[0.25, 0.75]]
    for wrong, message in (
        ({"n_threads": 0}, "n_threads must be at least 1"),
        ({"n_rows": 0}, "there is no row 0"),
        ({"rows": row - 1}, "there is no row -1"),
        ({"starts": row + 1}, "there is no node 1"),
        ({"starts": row[:0]}, "the same length"),
        ({"values": np.ones((2, 2))}, "each of the 1 nodes"),
        ({"yes_share": ones[:0]}, "each of the 1 nodes"),
    ):
        with pytest.raises(ValueError, match=message):
            leaf.mix_leaves([None], **(right | wrong))
    with pytest.raises(TypeError):
        leaf.mix_leaves([None], **(right | {"values": np.ones((1, 2), dtype=np.float32)}))


def test_threads_take_turns_at_an_engine() -> None:
    """While one searches a node, another that splits it waits."""
    engine = engine_of(20_000)
    rule = engine.best_rules([0])[0][1:4]
    errors: list[BaseException] = []

    def search() -> None:
        try:
            for _ in range(20):
                engine.best_rules([0])
        except ValueError as error:  # the node has been split
            errors.append(error)

    threads = [threading.Thread(target=search) for _ in range(3)]
    for thread in threads:
        thread.start()
    children = engine.split([0], [rule])
    for thread in threads:
        thread.join()
    assert children == [(1, 2)]
    assert all("split or closed" in str(error) for error in errors)
