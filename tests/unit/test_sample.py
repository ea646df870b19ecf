"""A sample of rows is the same wherever they lie, and as large as it should be."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from in_parts import deal

from bsnsing.distill.content import Repeats
from bsnsing.distill.sample import Frequent, Sample, merge_named, n_taken, sample_rows
from bsnsing.engine.parts import EncodedPart
from bsnsing.engine.workers import Here


def rows_of(contents: np.ndarray, seed: int, n_parts: int) -> tuple[list, list]:
    """Rows of given contents in parts, and their keys: random, and the same for the same row."""
    keys = np.random.default_rng(seed).integers(0, 2**64, contents.max() + 1, dtype=np.uint64)
    parts = deal(len(contents), n_parts, seed)
    encoded = [
        EncodedPart([contents[own].astype(np.uint32)], np.zeros(len(own), np.int32), None)
        for own in parts
    ]
    return encoded, [keys[contents[own]] for own in parts]


CONTENTS = {
    "all different": lambda rng: rng.permutation(4000),
    "few different": lambda rng: rng.integers(0, 30, 4000),
    "some often": lambda rng: rng.zipf(1.4, 4000).clip(max=3000),
    "twice each": lambda rng: rng.permutation(4000) // 2,
}


def sampled(contents: np.ndarray, n_parts: int, n_wanted: int, seed: int = 0) -> Sample:
    encoded, keys = rows_of(contents, seed, n_parts)
    found: Sample = sample_rows(Here(), encoded, keys, len(contents), n_wanted, Repeats())
    return found


@pytest.mark.parametrize("kind", CONTENTS)
@pytest.mark.parametrize("n_wanted", [40, 900])
def test_what_is_taken_is_what_the_rule_says(kind: str, n_wanted: int) -> None:
    contents = CONTENTS[kind](np.random.default_rng(1))
    _, (all_keys,) = rows_of(contents, 0, 1)
    keys, counts = np.unique(all_keys, return_counts=True)
    taken = n_taken(keys, counts, n_wanted / len(contents))
    for n_parts in (1, 2, 7):
        found = sampled(contents, n_parts, n_wanted)
        np.testing.assert_array_equal(found.keys, keys[taken > 0])
        np.testing.assert_array_equal(found.n_taken, taken[taken > 0])
        assert found.rows is not None
        assert found.held is not None
        assert found.held.all()
        # Rows come in the order of their keys, each with its own cells.
        key_of = np.random.default_rng(0).integers(0, 2**64, contents.max() + 1, dtype=np.uint64)
        np.testing.assert_array_equal(key_of[found.rows.codes[0]], found.keys)
    expected = 5 * np.sqrt(n_wanted)
    assert abs(found.n_taken.sum() - n_wanted) < expected


def test_parts_all_of_whose_rows_are_taken() -> None:
    """They too come in the order of their keys, not as they lie."""
    contents = np.random.default_rng(0).permutation(60)
    key_of = np.random.default_rng(0).integers(0, 2**64, 60, dtype=np.uint64)
    for n_parts in (1, 20):
        found = sampled(contents, n_parts, n_wanted=59)
        assert found.rows is not None
        np.testing.assert_array_equal(key_of[found.rows.codes[0]], found.keys)


def test_rows_are_taken_as_often_as_they_occur() -> None:
    """On average over many tables."""
    contents = np.repeat([0, 1, 2, 3], [1, 10, 100, 1000])
    sums = np.zeros(4)
    for seed in range(400):
        found = sampled(contents, 3, 111, seed)
        assert found.rows is not None
        sums[found.rows.codes[0]] += found.n_taken
    np.testing.assert_allclose(sums / 400, [0.1, 1, 10, 100], rtol=0.05, atol=0.05)


@settings(max_examples=100)
@given(
    st.lists(st.lists(st.integers(0, 12), max_size=40), min_size=1, max_size=5), st.integers(1, 6)
)
def test_summaries_name_all_that_occur_often(parts: list[list[int]], most: int) -> None:
    named = []
    for own in parts:
        keys, counts = np.unique(np.array(own, dtype=np.uint64), return_counts=True)
        named.append([Frequent(keys, counts), Frequent(keys, counts).shortened(most)])
    exact, short = merge_named(named, most)
    assert len(short.keys) <= most
    said = dict(zip(short.keys.tolist(), short.counts.tolist(), strict=True))
    for key, count in zip(exact.keys.tolist(), exact.counts.tolist(), strict=True):
        assert said.get(key, 0) <= count <= said.get(key, 0) + short.lost
