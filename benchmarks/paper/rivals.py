"""Optimal trees of others, as the paper ran them, where they are installed.

Their fits take up to minutes each. What came of a fit is one line on file, so that a run which was
stopped goes on where it was.
"""

from __future__ import annotations

import multiprocessing
import warnings
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from importlib.util import find_spec
from typing import Any

import numpy as np
import pandas as pd

from benchmarks.lib import outcomes
from benchmarks.lib.paths import BUILD
from benchmarks.paper.judging import Fit, fit_split

ON_FILE = BUILD / "paper_rivals.jsonl"
MODULES = {"dl85": "pydl85", "gosdt": "gosdt"}  # OSDT is in no package index
MOST_BYTES = 12 * 2**30
GOSDT_DEPTH = 5


def installed() -> list[str]:
    """Names of the rivals that are here; says which are not."""
    here = [name for name, module in MODULES.items() if find_spec(module)]
    for name in sorted(set(MODULES) - set(here)):
        print(f"{name} is not installed: its column is the paper's alone.\n")
    return here


def judge(
    names: Sequence[str], sets: Sequence[str], depths: Sequence[int], n_splits: int, limit: float
) -> pd.DataFrame:
    """One row per fit: set, learner, depth, split, limit, accuracy, cpu_seconds.

    Splits come first in the order, so that after a stop all sets have as many splits.
    """
    jobs = [
        {"set": name, "learner": learner, "depth": depth, "split": split, "limit": limit}
        for split in range(n_splits)
        for name in sets
        for learner in names
        for depth in depths
    ]
    return outcomes.gather(ON_FILE, jobs, run_one, "fits") if jobs else pd.DataFrame()


def run_one(job: outcomes.Job) -> dict[str, Any]:
    """Fit a rival to one split. Its failure is an outcome too: no accuracy, and what it said."""
    run = _run_apart if job["learner"] == "gosdt" else _run
    try:
        return run(job)
    except Exception as error:
        said = f"{type(error).__name__}: {error}"
        return {"accuracy": np.nan, "cpu_seconds": np.nan, "said": said}


def _run_apart(job: outcomes.Job) -> dict[str, Any]:
    """GOSDT may take all memory there is, and whoever runs it: so a process of its own, limited."""
    spawn = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(1, mp_context=spawn, initializer=_limit_memory) as pool:
        return pool.submit(_run, job).result()


def _limit_memory() -> None:
    import resource

    resource.setrlimit(resource.RLIMIT_AS, (MOST_BYTES, MOST_BYTES))


def _run(job: outcomes.Job) -> dict[str, Any]:
    make = {"dl85": fit_dl85, "gosdt": fit_gosdt}[job["learner"]]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = fit_split(make(job["depth"], job["limit"]), job["set"], job["split"])
    return {"accuracy": found.accuracy, "cpu_seconds": found.cpu_seconds}


def fit_dl85(max_depth: int, limit: float) -> Fit:
    from pydl85 import DL85Classifier

    return lambda X, y: DL85Classifier(max_depth=max_depth, min_sup=5, time_limit=int(limit)).fit(
        X, y
    )


def fit_gosdt(max_depth: int, limit: float) -> Fit:
    from gosdt import GOSDTClassifier, _classifier

    # Its release 1.0.4 names an argument as scikit-learn did before 1.6, and so cannot predict.
    _classifier.check_array = lambda X, **_: np.asarray(X, dtype=bool)

    class WithFrames:
        """GOSDT wants named columns."""

        def __init__(self, X: Any, y: Any) -> None:
            self.model = GOSDTClassifier(
                regularization=0.001,
                allow_small_reg=True,
                depth_budget=max_depth,
                time_limit=int(limit),
            ).fit(pd.DataFrame(X), y)

        def predict(self, X: Any) -> Any:
            return self.model.predict(pd.DataFrame(X))

    return WithFrames
