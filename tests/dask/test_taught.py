"""Taught trees of rows in parts are those of one machine, to the last bit."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from in_parts import COUNTED, GATHERED, SOME_GATHERED, fit_in_parts
from numpy.typing import NDArray
from same_trees import assert_same

from bsnsing import BsnsingClassifier
from bsnsing.distill.config import DistillConfig


class FewTaught(BsnsingClassifier):
    """Teaches a sample of tables that others teach whole."""

    _distill_config = replace(DistillConfig(), most_taught=300, n_trees=6)


def table(n: int, seed: int = 0, n_classes: int = 2) -> tuple[pd.DataFrame, NDArray[np.int64]]:
    """Numbers of many, few and two values, levels, many levels, a silent column, missing cells."""
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(
        {
            "many": rng.normal(size=n),
            "heavy": np.exp(3 * rng.normal(size=n)).round(3),
            "few": rng.integers(0, 6, n),
            "bit": rng.random(n) < 0.3,
            "level": rng.choice(list("aaabbccdefg"), n),
            "town": rng.choice([f"t{i}" for i in range(60)], n, p=np.arange(1, 61) / 1830),
            "noise": rng.choice([f"n{i}" for i in range(90)], n),
        }
    )
    towns = X["town"].str[1:].astype(int) % 7 < 2
    signal = 2 * (X["many"] > 0) + X["bit"] * (X["few"] > 1) + X["level"].isin(["a", "c"]) + towns
    y = np.rint(signal + rng.normal(0, 0.6, n)).clip(0, n_classes - 1).astype(int).to_numpy()
    if seed % 2:
        X = X.astype({"bit": object}).mask(rng.random(X.shape) < 0.05)
    return X, y


def assert_same_models(found: BsnsingClassifier, expected: BsnsingClassifier) -> None:
    for name in ("min_samples_leaf_", "ccp_alpha_", "left_out_", "is_taught_"):
        assert getattr(found, name) == getattr(expected, name), name
    for mine, theirs in zip(found.trees_, expected.trees_, strict=True):
        assert_same(mine, theirs)


@pytest.mark.parametrize("n_parts", [1, 4])
def test_tables_that_are_taught_whole(n_parts: int) -> None:
    X, y = table(400)
    expected = BsnsingClassifier().fit(X, y)
    assert expected.is_taught_
    assert_same_models(fit_in_parts(BsnsingClassifier(), X, y, n_parts=n_parts), expected)


@pytest.mark.parametrize("seed", range(6))
def test_tables_of_which_a_sample_is_taught(seed: int) -> None:
    X, y = table(1500, seed, 2 + seed % 3)
    rng = np.random.default_rng(seed)
    weight = [None, rng.integers(0, 4, len(y)), rng.random(len(y)) + 0.1][seed % 3]
    expected = FewTaught().fit(X, y, sample_weight=weight)
    assert expected.is_taught_
    assert expected.get_n_leaves() > 2
    room = (COUNTED, SOME_GATHERED, GATHERED)[seed % 3]
    found = fit_in_parts(FewTaught(), X, y, weight, n_parts=1 + seed, room=room)
    assert_same_models(found, expected)


def test_balanced_designs() -> None:
    """Columns and levels that are counted the same are told apart, by all parts in the same way."""
    rng = np.random.default_rng(0)
    a, b, c = (own.ravel() for own in np.meshgrid([0, 1], [0, 1], range(6)))
    X = pd.DataFrame({"a": a, "b": b, "c": [f"c{i}" for i in c]})
    X = pd.concat([X] * 20).iloc[rng.permutation(480)].reset_index(drop=True)
    y = (X["a"] ^ X["b"]).to_numpy()
    expected = FewTaught().fit(X, y)
    assert (expected.predict(X) == y).all()
    for n_parts in (2, 5):
        found = fit_in_parts(FewTaught(), X, y, n_parts=n_parts)
        assert_same_models(found, expected)
