"""Keys and order of rows, columns, levels and classes by content."""

from __future__ import annotations

import numpy as np
from in_parts import deal
from numpy.typing import NDArray

from bsnsing.distill.content import (
    CanonicalOrder,
    Repeats,
    canonical_order,
    count_codes,
    key_tables,
    print_columns,
    repeated_columns,
    row_keys,
    sum_keys,
    with_labels,
)
from bsnsing.engine.parts import EncodedPart, add_up

HAS_LEVELS = [False, True, False, False, True]
N_CODES = [7, 4, 3, 7, 4]


def table(seed: int = 0, n: int = 300) -> EncodedPart:
    """Numbers, levels, a column that is constant, one that repeats the first, levels renamed."""
    rng = np.random.default_rng(seed)
    numbers, levels = rng.integers(0, 8, n), rng.integers(0, 4, n)
    codes = [numbers, levels, np.full(n, 2), numbers, (levels + 1) % 4]
    labels = (rng.random(n) < 0.3).astype(np.int32)
    return EncodedPart([own.astype(np.uint8) for own in codes], labels, None)


def ordered(
    parts: list[EncodedPart], has_levels: list[bool] = HAS_LEVELS
) -> tuple[CanonicalOrder, list[NDArray[np.uint64]]]:
    n_codes = N_CODES[: len(has_levels)]
    sizes = {"n_codes": n_codes, "n_labels": 2, "repeats": Repeats()}
    tables = key_tables(add_up([count_codes(part, **sizes) for part in parts]), has_levels)
    alike = [place for group in tables.alike for place in group]
    printed = {"columns": alike, "n_codes": n_codes}
    prints = add_up([print_columns(part, **printed) for part in parts])
    repeated = repeated_columns(dict(zip(alike, prints, strict=True)), tables, has_levels)
    tables = tables.without(repeated)
    keys = [row_keys(part, tables=tables, repeats=Repeats()) for part in parts]
    sums = add_up([sum_keys(p, own, **sizes) for p, own in zip(parts, keys, strict=True)])
    order = canonical_order(sums, has_levels, tables, repeated, keeps_all=False)
    told = {"labels": order.label_keys, "cells": order.cell_keys}
    both = zip(parts, keys, strict=True)
    return order, [with_labels(part, own, **told) for part, own in both]


def test_parts_and_the_order_of_rows_do_not_matter() -> None:
    whole = table()
    expected, (keys,) = ordered([whole])
    rows = deal(whole.n_rows, 4)
    found, own = ordered([whole.take(part) for part in rows])
    np.testing.assert_array_equal(found.columns, expected.columns)
    np.testing.assert_array_equal(found.labels, expected.labels)
    for mine, theirs in zip(found.levels, expected.levels, strict=True):
        assert (mine is None) == (theirs is None)
        if mine is not None and theirs is not None:
            np.testing.assert_array_equal(mine, theirs)
    np.testing.assert_array_equal(np.concatenate(own), keys[np.concatenate(rows)])


def test_columns_that_say_nothing_new_are_left_out() -> None:
    order, _ = ordered([table()])
    assert sorted(order.columns.tolist()) == [0, 1]


def test_rows_have_the_same_key_if_and_only_if_they_hold_the_same() -> None:
    whole = table(1)
    _, (keys,) = ordered([whole])
    held = np.column_stack([*whole.codes, whole.labels])
    _, rows = np.unique(held, axis=0, return_inverse=True)
    assert len(np.unique(keys)) == rows.max() + 1
    assert len(np.unique(np.column_stack([rows.ravel(), keys]), axis=0)) == rows.max() + 1


def test_labels_that_occur_as_often_are_told_apart() -> None:
    n = 40
    codes = [np.arange(n, dtype=np.uint8) % 7, *(np.zeros(n, np.uint8) for _ in range(4))]
    part = EncodedPart(codes, (np.arange(n) % 2).astype(np.int32), None)
    _, (keys,) = ordered([part])
    assert len(np.unique(keys)) == 14


def test_columns_that_are_counted_the_same_by_chance_are_both_kept() -> None:
    """As in an experiment of which every combination was tried as often."""
    a, b = np.tile([0, 0, 1, 1], 10), np.tile([0, 1, 0, 1], 10)
    for has_levels in ([False, False], [True, True]):
        part = EncodedPart([a.astype(np.uint8), b.astype(np.uint8)], (a ^ b).astype(np.int32), None)
        order, (keys,) = ordered([part], has_levels)
        assert sorted(order.columns.tolist()) == [0, 1]
        assert len(np.unique(keys)) == 4


def test_numbers_in_another_order_are_no_repeats() -> None:
    a = np.tile([0, 1, 2], 10).astype(np.uint8)
    part = EncodedPart([a, (a + 1) % 3], np.zeros(30, np.int32), None)
    for has_levels, kept in (([False, False], [0, 1]), ([True, True], [0])):
        order, (keys,) = ordered([part], has_levels)
        assert sorted(order.columns.tolist()) == kept
        assert len(np.unique(keys)) == 3


def test_levels_that_are_counted_the_same_are_told_apart() -> None:
    levels = np.arange(16, dtype=np.uint8) % 4
    part = EncodedPart([np.zeros(16, np.uint8), levels], (np.arange(16) > 7).astype(np.int32), None)
    _, (keys,) = ordered([part], [False, True])
    assert len(np.unique(keys)) == 8


def test_fractions_of_cases_are_told_apart_by_rank() -> None:
    part = EncodedPart([np.zeros(4, np.uint8)], np.zeros(4, np.int32), np.array([5, 2, 5, 9]))
    for factor in (1, 3):
        repeats = Repeats.of(part.counts * factor, 4.0 * factor)  # type: ignore[operator]
        scaled = EncodedPart(part.codes, part.labels, part.counts * factor)  # type: ignore[operator]
        np.testing.assert_array_equal(repeats.keys(scaled), [1, 0, 1, 2])
        np.testing.assert_array_equal(repeats.counts(scaled), 1)
    whole = Repeats.of(part.counts, 1.0)
    np.testing.assert_array_equal(whole.counts(part), [5, 2, 5, 9])
    np.testing.assert_array_equal(whole.keys(part), 0)
