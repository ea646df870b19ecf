"""Tables dealt out in parts, and trees grown on them in this process."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from unittest.mock import patch

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from bsnsing import BsnsingClassifier, best_rule
from bsnsing.data.parts import names_in, read_part
from bsnsing.engine.workers import Here, Room, Workers
from bsnsing.estimators.scattered import check_scattered, fit_parts

# Who works on nodes: all parts count, or each node that is small is gathered, or all rows at once.
COUNTED, SOME_GATHERED, GATHERED = Room(n_bytes=0), Room(n_calls=2), Room()


@contextmanager
def kept_apart(few_rows: int = 0) -> Iterator[None]:
    """Rows stay in parts even if they are few, but for nodes of ``few_rows``."""
    with (
        patch("bsnsing.estimators.scattered.FEW_CELLS", 0),
        patch("bsnsing.engine.scattered._FEW_ROWS", few_rows),
    ):
        yield


def deal(n: int, n_parts: int, seed: int = 0) -> list[NDArray[np.intp]]:
    """Rows of each part, by chance; some parts may have none."""
    part_of = np.random.default_rng(seed).integers(0, n_parts, n)
    return [np.flatnonzero(part_of == k) for k in range(n_parts)]


def fit_in_parts(
    model: BsnsingClassifier,
    X: pd.DataFrame,
    y: NDArray[Any],
    weight: NDArray[Any] | None = None,
    n_parts: int = 3,
    workers: Workers | None = None,
    rows: list[NDArray[np.intp]] | None = None,
    room: Room = SOME_GATHERED,
) -> BsnsingClassifier:
    """Fit on parts of the rows, each read by itself, which stay apart."""
    check_scattered(model)
    parts = [
        read_part(
            X.iloc[own],
            y[own],
            None if weight is None else weight[own],
            number=k,
            names=names_in(X),
            categorical_features=model.categorical_features,
        )
        for k, own in enumerate(rows or deal(len(y), n_parts))
    ]
    with kept_apart():
        fit_parts(model, workers or Here(room), parts)
    return model


def search_for_long(seconds: float) -> int:
    """Search for rules until it is stopped, natively; workers can import this."""
    answers, y = np.random.default_rng(0).integers(0, 2, (2, 4000, 60)), np.arange(4000) % 2
    n_rounds, end = 0, time.monotonic() + seconds
    while time.monotonic() < end:
        best_rule(answers[0], y, max_rules=4, time_limit=1.0)
        n_rounds += 1
    return n_rounds


class SlowToSend:
    """Takes half a second to be packed on its way."""

    def __reduce__(self) -> tuple[Any, ...]:
        time.sleep(0.5)
        return SlowToSend, ()


def becomes_free(client: Any) -> bool:
    """Whether a client gives back all that it asked for: in a moment, as that takes messages."""
    for _ in range(600):
        if not client.futures:
            return True
        time.sleep(0.05)
    return False
