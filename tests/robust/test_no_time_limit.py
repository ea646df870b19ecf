"""A fit without a time limit works whatever shares its time among nodes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

from bsnsing import BsnsingClassifier
from tests.training_sets import varied

RNG = np.random.default_rng(0)
X = pd.DataFrame(RNG.normal(size=(200, 3)), columns=["a", "b", "c"])
Y = ((X["a"] > 0) ^ (X["b"] > 0.3)).to_numpy().astype(int)


@pytest.mark.parametrize("make", [BsnsingClassifier.plain, varied(n_trees=3, times_rows=1)])
@pytest.mark.parametrize(
    "given",
    [
        {"max_columns": 2},
        {"monotonic_cst": {"a": 1}},
        {"column_costs": {"a": 0.01}},
        {"first_rules": ["c > 0"]},
        {"first_rules": ["c > 0"], "max_columns": 2},
    ],
    ids=str,
)
def test_no_limit_is_like_one_that_is_never_reached(make: Any, given: dict[str, Any]) -> None:
    endless = make(time_limit=None, **given).fit(X, Y)
    long = make(time_limit=1e6, **given).fit(X, Y)
    assert str(endless) == str(long)
