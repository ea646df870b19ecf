"""Made-up sets of the sizes of published ones, for where those are not here."""

from __future__ import annotations

import zlib

import numpy as np
import pandas as pd

from benchmarks.datasets.dataset import Dataset

# name: rows, columns, share of class 1
DL85 = {
    "made-anneal": (812, 93, 0.77),
    "made-letter": (20000, 224, 0.04),
    "made-mushroom": (8124, 119, 0.52),
    "made-pendigits": (7494, 216, 0.10),
    "made-splice-1": (3190, 287, 0.52),
}
# name: rows, columns of numbers, columns of text, classes
PAPER = {
    "made-two": (600, 8, 1, 2),
    "made-three": (900, 6, 1, 3),
    "made-Adult": (32561, 6, 7, 2),
    "made-HTRU2": (17898, 8, 0, 2),
    "made-magic04": (19020, 10, 0, 2),
    "made-spambase": (4601, 57, 0, 2),
    "made-optdigits": (5620, 64, 0, 10),
}
N_ROWS = {name: size[0] for name, size in (DL85 | PAPER).items()}


def suite_of(name: str) -> str:
    if name in DL85:
        return "dl85"
    return "binary" if PAPER[name][-1] == 2 else "multiclass"


def make(name: str) -> Dataset:
    """The same set each time."""
    rng = np.random.default_rng(zlib.crc32(name.encode()))
    table, y = (_answers if name in DL85 else _mixed)(name, rng)
    return Dataset(name, suite_of(name), table, y)


def _answers(name: str, rng: np.random.Generator) -> tuple[pd.DataFrame, np.ndarray]:
    """0/1 columns of many frequencies, a tenth of which depend on the class."""
    n_rows, n_columns, share = DL85[name]
    y = (rng.random(n_rows) < share).astype(np.int64)
    frequency = rng.beta(0.7, 1.3, n_columns)
    shift = np.where(rng.random(n_columns) < 0.1, rng.uniform(-0.4, 0.4, n_columns), 0.0)
    chance = np.clip(frequency + shift * (y[:, None] - share), 0.01, 0.99)
    answers = (rng.random((n_rows, n_columns)) < chance).astype(np.int64)
    return pd.DataFrame(answers, columns=[f"V{k + 2}" for k in range(n_columns)]), y


def _mixed(name: str, rng: np.random.Generator) -> tuple[pd.DataFrame, np.ndarray]:
    """Numbers around a centre per class, columns of text and, with text, some missing cells."""
    n_rows, n_numbers, n_texts, n_classes = PAPER[name]
    y = rng.integers(n_classes, size=n_rows)
    numbers = rng.normal(size=(n_rows, n_numbers)) + rng.normal(size=(n_classes, n_numbers))[y]
    if n_texts:
        numbers[rng.random(numbers.shape) < 0.02] = np.nan
    table = pd.DataFrame(numbers, columns=[f"x{k + 1}" for k in range(n_numbers)])
    levels = np.array(["red", "green", "blue"])
    for k in range(n_texts):
        table[f"color{k + 1}"] = pd.Categorical(levels[(y + rng.integers(2, size=n_rows)) % 3])
    return table, y
