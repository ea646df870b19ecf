"""Optimal trees of others, as the paper ran them, where they are installed."""

from __future__ import annotations

import multiprocessing
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from typing import Any

import numpy as np

from benchmarks.paper.judging import Fit, accuracy_of

MOST_SECONDS = 300  # the paper's limit
GOSDT_SECONDS = 60
GOSDT_BYTES = 12 * 2**30


def installed(make: Callable[[], Fit], name: str) -> Fit | None:
    try:
        return make()
    except ImportError:
        print(f"{name} is not installed: its column is the paper's alone.\n")
        return None


def fit_dl85(max_depth: int = 3) -> Fit:
    from pydl85 import DL85Classifier

    return lambda X, y: DL85Classifier(max_depth=max_depth, min_sup=5, time_limit=MOST_SECONDS).fit(
        X, y
    )


def fit_gosdt() -> Fit:
    import pandas as pd
    from gosdt import GOSDTClassifier, _classifier

    # Its release 1.0.4 names an argument as scikit-learn did before 1.6, and so cannot predict.
    _classifier.check_array = lambda X, **_: np.asarray(X, dtype=bool)

    class WithFrames:
        """GOSDT wants named columns."""

        def __init__(self, X: Any, y: Any) -> None:
            self.model = GOSDTClassifier(
                regularization=0.001,
                allow_small_reg=True,
                depth_budget=5,
                time_limit=GOSDT_SECONDS,
            ).fit(pd.DataFrame(X), y)

        def predict(self, X: Any) -> Any:
            return self.model.predict(pd.DataFrame(X))

    return WithFrames


def gosdt_apart(name: str, n_splits: int) -> tuple[float, float]:
    """GOSDT may take all memory there is, and whoever runs it: so a process of its own, limited."""
    spawn = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(1, mp_context=spawn, initializer=_limit_memory) as pool:
        return pool.submit(_accuracy_of_gosdt, name, n_splits).result()


def _limit_memory() -> None:
    import resource

    resource.setrlimit(resource.RLIMIT_AS, (GOSDT_BYTES, GOSDT_BYTES))


def _accuracy_of_gosdt(name: str, n_splits: int) -> tuple[float, float]:
    return accuracy_of(fit_gosdt(), name, n_splits)
