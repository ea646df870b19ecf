"""Model: a mixed-integer program as one sparse matrix, and the builder that puts it together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix, vstack

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


@dataclass(frozen=True, slots=True, kw_only=True)
class Model:
    """Minimise ``cost @ x + offset`` over ``row_lower <= matrix @ x <= row_upper``.

    The first columns are the choices ``w``, one per literal of ``literals``. ``unit`` is what one
    unit of the program's objective is worth in the criterion: objectives of rules are whole.
    """

    cost: Floats
    offset: float
    lower: Floats
    upper: Floats
    is_integer: NDArray[np.bool_]
    matrix: csr_matrix
    row_lower: Floats
    row_upper: Floats
    names: tuple[str, ...]
    literals: Ints  # of each w: its position in the problem's list of literals
    unit: int = 1
    switch: int | None = None  # the column that says which half of the rules is meant

    @property
    def n_choices(self) -> int:
        """Number of columns ``w``; they come first."""
        return len(self.literals)

    @property
    def size(self) -> tuple[int, int, int]:
        """Columns, rows and entries of the matrix."""
        return len(self.cost), self.matrix.shape[0], self.matrix.nnz

    def value(self, x: Floats) -> float:
        """Objective of a point."""
        return float(self.cost @ x + self.offset)

    def is_feasible(self, x: Floats, tolerance: float = 1e-6) -> bool:
        """Whether a point keeps all bounds and rows, up to rounding."""
        activity = self.matrix @ x
        return bool(
            (x >= self.lower - tolerance).all()
            and (x <= self.upper + tolerance).all()
            and (activity >= self.row_lower - tolerance).all()
            and (activity <= self.row_upper + tolerance).all()
        )

    def is_contradictory(self, tolerance: float = 1e-6) -> bool:
        """Whether the bounds of the columns alone rule every point out.

        Asked before a solver is: not all read empty ranges and rows without entries the same way.
        """
        least, most = activity_range(self.matrix, self.lower, self.upper)
        return bool(
            (self.lower > self.upper + tolerance).any()
            or (self.row_lower > self.row_upper + tolerance).any()
            or (least > self.row_upper + tolerance).any()
            or (most < self.row_lower - tolerance).any()
        )

    def half(self, which: int) -> Model:
        """The program with its switch set, less the rows that then say nothing."""
        if self.switch is None:
            return self
        kept = np.arange(len(self.cost)) != self.switch
        shift = which * self.matrix[:, [self.switch]].toarray().ravel()
        reduced = replace(
            self,
            cost=self.cost[kept],
            offset=self.offset + which * float(self.cost[self.switch]),
            lower=self.lower[kept],
            upper=self.upper[kept],
            is_integer=self.is_integer[kept],
            matrix=self.matrix[:, kept],
            row_lower=self.row_lower - shift,
            row_upper=self.row_upper - shift,
            names=tuple(name for i, name in enumerate(self.names) if i != self.switch),
            switch=None,
        )
        return drop_idle_rows(rows_to_bounds(reduced))


def activity_range(matrix: csr_matrix, lower: Floats, upper: Floats) -> tuple[Floats, Floats]:
    """Least and greatest value of each row over the box of the columns."""
    is_rising = matrix.data > 0
    row = np.repeat(np.arange(matrix.shape[0]), np.diff(matrix.indptr))
    low, high = lower[matrix.indices], upper[matrix.indices]
    at_least, at_most = (
        matrix.data * np.where(is_rising, *ends) for ends in ((low, high), (high, low))
    )
    n_rows = matrix.shape[0]
    return (
        np.bincount(row, weights=at_least, minlength=n_rows).astype(np.float64),
        np.bincount(row, weights=at_most, minlength=n_rows).astype(np.float64),
    )


def rows_to_bounds(model: Model) -> Model:
    """Turn rows of one column into bounds of that column."""
    single = np.flatnonzero(np.diff(model.matrix.indptr) == 1)
    if len(single) == 0:
        return model
    entry = model.matrix.indptr[single]
    column, factor = model.matrix.indices[entry], model.matrix.data[entry]
    ends = np.stack([model.row_lower[single] / factor, model.row_upper[single] / factor])
    lower, upper = model.lower.copy(), model.upper.copy()
    np.maximum.at(lower, column, ends.min(axis=0))
    np.minimum.at(upper, column, ends.max(axis=0))
    kept = np.diff(model.matrix.indptr) != 1
    return replace(
        model,
        lower=lower,
        upper=upper,
        matrix=model.matrix[kept],
        row_lower=model.row_lower[kept],
        row_upper=model.row_upper[kept],
    )


def drop_idle_rows(model: Model) -> Model:
    """Leave rows out that the bounds of the columns imply."""
    least, most = activity_range(model.matrix, model.lower, model.upper)
    kept = (least < model.row_lower) | (most > model.row_upper)
    return replace(
        model,
        matrix=model.matrix[kept],
        row_lower=model.row_lower[kept],
        row_upper=model.row_upper[kept],
    )


@dataclass(slots=True)
class Rows:
    """Rows under construction: entries as triplets, numbered from zero."""

    n_rows: int
    rows: list[NDArray[Any]] = field(default_factory=list)
    columns: list[NDArray[Any]] = field(default_factory=list)
    values: list[NDArray[Any]] = field(default_factory=list)

    def put(self, rows: Any, columns: Any, values: Any) -> Rows:
        """Add entries; the three are broadcast together."""
        r, c, v = np.broadcast_arrays(rows, columns, values)
        self.rows.append(r.ravel())
        self.columns.append(c.ravel())
        self.values.append(v.ravel())
        return self

    def matrix(self, n_columns: int) -> csr_matrix:
        """The rows as a sparse matrix; entries in the same place add up."""
        if not self.rows:
            return csr_matrix((self.n_rows, n_columns))
        triplets = (np.concatenate(part) for part in (self.values, self.rows, self.columns))
        values, rows, columns = triplets
        matrix = csr_matrix(
            (values.astype(np.float64), (rows, columns)), shape=(self.n_rows, n_columns)
        )
        matrix.eliminate_zeros()
        return matrix


class ModelBuilder:
    """Collects columns and blocks of rows, then makes the Model."""

    def __init__(self) -> None:
        self._columns: dict[str, list[Any]] = {
            name: [] for name in ("cost", "lower", "upper", "is_integer")
        }
        self._names: list[str] = []
        self._blocks: list[tuple[Rows, Floats, Floats]] = []

    @property
    def n_columns(self) -> int:
        """Columns so far."""
        return len(self._names)

    def add_columns(
        self,
        names: Sequence[str],
        *,
        lower: Any = 0.0,
        upper: Any = 1.0,
        cost: Any = 0.0,
        is_integer: bool = False,
    ) -> Ints:
        """Add one column per name and return their numbers."""
        first = self.n_columns
        given = {"lower": lower, "upper": upper, "cost": cost, "is_integer": is_integer}
        for key, value in given.items():
            self._columns[key].append(np.broadcast_to(np.asarray(value), len(names)))
        self._names.extend(names)
        return np.arange(first, self.n_columns)

    def add_rows(self, rows: Rows, lower: Any, upper: Any) -> None:
        """Add a block of rows."""
        ends = (
            np.broadcast_to(np.asarray(e, dtype=np.float64), rows.n_rows) for e in (lower, upper)
        )
        row_lower, row_upper = ends
        self._blocks.append((rows, row_lower, row_upper))

    def add_switched_rows(self, rows: Rows, upper: Any, switch: int, holds_at: int) -> None:
        """Add rows (with an upper end) that hold when the switch is ``holds_at``, else say nothing.

        The switch enters with the greatest excess that the columns' bounds allow, so that at the
        other position the row is implied by them.
        """
        columns = self._stacked()
        ends = np.broadcast_to(np.asarray(upper, dtype=np.float64), rows.n_rows)
        _, most = activity_range(rows.matrix(self.n_columns), columns["lower"], columns["upper"])
        excess = np.maximum(most - ends, 0.0)
        every = np.arange(rows.n_rows)
        if holds_at == 1:
            self.add_rows(rows.put(every, switch, excess), -np.inf, ends + excess)
        else:
            self.add_rows(rows.put(every, switch, -excess), -np.inf, ends)

    def _stacked(self) -> dict[str, NDArray[Any]]:
        return {
            key: np.concatenate(parts) if parts else np.zeros(0)
            for key, parts in self._columns.items()
        }

    def build(
        self, *, literals: Ints, offset: float = 0.0, unit: int = 1, switch: int | None = None
    ) -> Model:
        """Make the model; costs and offset are given in the criterion and divided by ``unit``."""
        columns = self._stacked()
        matrix = vstack([rows.matrix(self.n_columns) for rows, _, _ in self._blocks])
        return Model(
            cost=columns["cost"].astype(np.float64) / unit,
            offset=offset / unit,
            lower=columns["lower"].astype(np.float64),
            upper=columns["upper"].astype(np.float64),
            is_integer=columns["is_integer"].astype(np.bool_),
            matrix=csr_matrix(matrix),
            row_lower=np.concatenate([lower for _, lower, _ in self._blocks]),
            row_upper=np.concatenate([upper for _, _, upper in self._blocks]),
            names=tuple(self._names),
            literals=literals,
            unit=unit,
            switch=switch,
        )
