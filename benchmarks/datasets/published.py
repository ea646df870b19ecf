"""Data sets of the paper, as tables; made-up ones of the same sizes where the files are not here.

The files are in the folder named by ``BSNSING_SHARED``, else in ``shared`` beside the checkout.
"""

from __future__ import annotations

import json
from functools import cache
from typing import Any

import numpy as np
import pandas as pd

from benchmarks.datasets import stand_ins
from benchmarks.datasets.dataset import Dataset
from benchmarks.lib.paths import SHARED

MANIFEST = SHARED / "data" / "manifest.json"

PAPER_SUITES = ("binary", "multiclass")
SAME_AS_ANOTHER = {"connect"}  # a copy of Sonar


def paper_split(data: Dataset, number: int) -> tuple[np.ndarray, np.ndarray]:
    """Split ``number`` (from 0) of those that the R packages were run on."""
    tests = _paper_splits(data.name)
    test = np.asarray(tests[number % len(tests)])
    is_test = np.zeros(data.n_rows, dtype=bool)
    is_test[test] = True
    return np.flatnonzero(~is_test), test


@cache
def _paper_splits(name: str) -> list[list[int]]:
    path = SHARED / "reference" / "splits" / f"{name}.json"
    return json.loads(path.read_text(encoding="utf-8"))["test_index0"]


def is_here() -> bool:
    """Whether the published data are here."""
    return MANIFEST.is_file()


def dl85_names(max_rows: int | None = None) -> list[str]:
    """The 24 sets of 0/1 columns, or the made-up ones."""
    if not is_here():
        return list(stand_ins.DL85)
    return [name for name in _names("dl85") if _is_below(max_rows, "dl85", name)]


def paper_names(max_rows: int | None = None) -> list[tuple[str, str]]:
    """(suite, name) of the two-class and multi-class sets of the paper, each set once."""
    if not is_here():
        return [
            (stand_ins.suite_of(name), name)
            for name in stand_ins.PAPER
            if max_rows is None or stand_ins.N_ROWS[name] < max_rows
        ]
    return [
        (suite, name)
        for suite in PAPER_SUITES
        for name in _names(suite)
        if name not in SAME_AS_ANOTHER and _is_below(max_rows, suite, name)
    ]


def n_rows(suite: str, name: str) -> int:
    """Rows of a set, without reading it."""
    if name in stand_ins.N_ROWS:
        return stand_ins.N_ROWS[name]
    return int(_manifest()[suite, name]["n"])


def load(suite: str, name: str) -> Dataset:
    """One set: text columns are categories, and only the predictors the paper uses are there."""
    if name in stand_ins.N_ROWS:
        return stand_ins.make(name)
    entry = _manifest()[suite, name]
    table = pd.read_csv(
        MANIFEST.parent / entry["file"],
        dtype={column: "category" for column in entry["categorical"]},
    )
    y = table.pop("target").to_numpy()
    predictors = entry.get("predictors_in_paper_formula") or entry.get("suggested_predictors")
    return Dataset(name, suite, table[predictors] if predictors else table, y)


def load_or_make(suite: str, name: str) -> Dataset:
    """One set, or a made-up one of its size, with "made-" before the name, if it is not here."""
    return load(suite, name if is_here() else f"made-{name}")


def load_answers(name: str) -> tuple[np.ndarray, np.ndarray]:
    """The 0/1 matrix and the 0/1 classes of one DL8.5 set."""
    data = load("dl85", name)
    return data.answers, data.y.astype(np.int64)


@cache
def _manifest() -> dict[tuple[str, str], dict[str, Any]]:
    entries = json.loads(MANIFEST.read_text(encoding="utf-8"))["sets"]
    return {(entry["suite"], entry["name"]): entry for entry in entries}


def _names(suite: str) -> list[str]:
    return [name for kind, name in _manifest() if kind == suite]


def _is_below(max_rows: int | None, suite: str, name: str) -> bool:
    return max_rows is None or _manifest()[suite, name]["n"] < max_rows
