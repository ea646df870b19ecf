"""
Native engine of bsnsing: counting, rule search, tree growth and prediction.
"""

from collections.abc import Sequence
from typing import Annotated, Any

import numpy
from numpy.typing import NDArray


def best_rule(answers: Annotated[NDArray[numpy.uint8], dict(shape=(None, None), order='C', device='cpu', writable=False)], classes: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], n_classes: int, weights: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, unit: float, max_rules: int, min_samples_leaf: float, criterion: str, operators: Sequence[str], distinct_children: bool, time_limit: float, n_threads: int, greedy_level: float | None, limits: Sequence[tuple[Sequence[float], float, float]], column_of: Sequence[int]) -> Any:
    """Best rule over a 0/1 matrix: the fields of a Split, or None."""

def criteria() -> list[tuple[str, int, bool, bool]]:
    """
    (name, unit_power, is_exact, two_classes_only) of each criterion a rule can be judged by.
    """

def available_kernels() -> list[str]:
    """Names of the kernels this CPU can run, best first."""

def active_kernels() -> str:
    """Name of the kernels in use."""

def use_kernels(name: str) -> None:
    """Choose the kernels for this process by name."""

class ColumnList:
    """Columns of a table, encoded for the engine."""

    def __init__(self) -> None: ...

    def add_numbers(self, numbers: Sequence[NDArray[numpy.generic]], max_bins: int, weights: NDArray[numpy.int64] | None, n_threads: int) -> None: ...

    def add_levels(self, codes: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], n_levels: int) -> None: ...

    def has_missing(self) -> list[bool]: ...

class Engine:
    """Counts, searches and parts the rows of a table."""

    def __init__(self, columns: ColumnList, classes: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], n_classes: int, weights: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, unit: float, class_weights: Sequence[float] | None, criterion: str, operators: Sequence[str], max_rules: int, min_samples_leaf: float, distinct_children: bool, time_limit: float, greedy_level: float | None, n_segments: int, max_levels: int, max_values_as_levels: int, bin_size: float, own_questions: bool, extra_questions: Sequence[tuple[int, int, float, Sequence[int]]], n_threads: int, forbidden_columns: Sequence[int], column_limits: Sequence[tuple[Sequence[float], float, float]], one_per_column: bool) -> None: ...

    def class_totals(self, node: int) -> list[float]: ...

    def search(self, nodes: Sequence[int]) -> list[Any]: ...

    def judge(self, node: int, questions: Sequence[tuple[int, int, float, Sequence[int]]], negated: Sequence[bool], op: int, bound: float, optimal: bool) -> Any:
        """
        Account of a rule chosen elsewhere for a node; None if it breaks a limit.
        """

    def split(self, nodes: Sequence[int]) -> list[tuple[int, int]]: ...

    def close(self, nodes: Sequence[int]) -> None:
        """Frees what is kept of nodes that stay leaves."""

    def ask(self, node: int, target: int | None) -> tuple[list[tuple[int, int, float, list[int]]], Annotated[NDArray[numpy.uint8], dict(shape=(None, None))], Annotated[NDArray[numpy.int64], dict(shape=(None,))]]: ...

def apply(columns: list[Any], is_levels: Sequence[bool], n_rows: int, yes: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], no: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], operators: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], first_literal: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], literal_columns: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], tests: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], values: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], negated: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], first_level: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], levels: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], n_threads: int) -> Annotated[NDArray[numpy.int64], dict(shape=(None,))]:
    """Leaf of each row."""
