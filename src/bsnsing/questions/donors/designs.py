"""Designs: a table as learners of other packages take it, and the way back from their columns."""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from bsnsing.data.columns import Column, Level
from bsnsing.data.table import Table
from bsnsing.questions.donors.base import Form
from bsnsing.questions.donors.cuts import Cut, LevelCut


class Design(Protocol):
    """What a learner is fitted to, made once for all fits to rows of one table."""

    def take(self, rows: NDArray[np.intp] | None) -> Any:
        """Return some rows, or all, as the learner takes them."""
        ...

    def back(self, cut: Cut) -> Iterator[Cut]:
        """Return a cut of a position in the design as cuts of columns of the table, by name."""
        ...


def make_design(
    table: Table, form: Form, *, max_levels: int, most_levels: int | None, fills: bool
) -> Design:
    """Return a table in the form that a learner takes.

    Parameters
    ----------
    table : Table
        The table.
    form : Form
        Which form that is.
    max_levels : int
        Most 0/1 columns for the levels of one column: those of the most frequent ones.
    most_levels : int or None
        Most levels of a column that stays one of categories. None is no limit.
    fills : bool
        Whether missing numbers are filled in, by the median: some learners take none.
    """
    limit = np.inf if most_levels is None else most_levels
    sources, parts = list[_Source](), list[NDArray[Any]]()
    for column in table.columns:
        if column.info.kind != "categorical":
            sources.append(_Source(column.info.name))
            parts.append(_numbers(column, fills))
        elif form != "numbers" and len(column.info.levels) <= limit:
            sources.append(_Source(column.info.name, levels=column.info.levels))
            parts.append(column.codes())
        else:
            for code in _frequent(column, max_levels):
                sources.append(_Source(column.info.name, level=column.info.levels[code]))
                parts.append((column.codes() == code).astype(np.float64))
    if form == "columns":
        return ColumnsDesign(sources, parts)
    if form == "numbers":
        return _NumbersDesign(sources, np.column_stack(parts) if parts else np.empty((0, 0)))
    return _FrameDesign(sources, _frame(sources, parts, is_named=form == "named frame"))


class _Source(NamedTuple):
    """What a column of a design was made of: a column, or one level of it."""

    column: str
    level: Level | None = None
    levels: tuple[Level, ...] | None = None  # that its codes stand for


def _back(source: _Source, cut: Cut) -> Iterator[Cut]:
    if source.level is not None:
        if len(set(cut.low([0.0, 1.0]).tolist())) > 1:
            yield LevelCut(column=source.column, levels=frozenset([source.level]), gain=cut.gain)
    else:
        yield replace(cut, column=source.column)


@dataclass(frozen=True, slots=True, eq=False)
class _NumbersDesign:
    sources: list[_Source]
    numbers: NDArray[np.float64]

    def take(self, rows: NDArray[np.intp] | None) -> NDArray[np.float64]:
        return self.numbers if rows is None else self.numbers[rows]

    def back(self, cut: Cut) -> Iterator[Cut]:
        assert isinstance(cut.column, int)
        return _back(self.sources[cut.column], cut)


@dataclass(frozen=True, slots=True, eq=False)
class _FrameDesign:
    sources: list[_Source]
    frame: Any

    def take(self, rows: NDArray[np.intp] | None) -> Any:
        return self.frame if rows is None else self.frame.iloc[rows]

    def back(self, cut: Cut) -> Iterator[Cut]:
        # Models of our own name columns, as do those that learn from a frame under its names.
        if isinstance(cut.column, int):
            return _back(self.sources[cut.column], cut)
        return iter([cut])


@dataclass(frozen=True, slots=True, eq=False)
class ColumnsDesign:
    """Columns of numbers and of codes, side by side; -1 is a missing cell of the latter."""

    sources: list[_Source]
    parts: list[NDArray[Any]]

    def take(self, rows: NDArray[np.intp] | None) -> list[tuple[NDArray[Any], int | None]]:
        """Return each column, and of codes how many levels there are."""
        taken = self.parts if rows is None else [part[rows] for part in self.parts]
        counts = [None if own.levels is None else len(own.levels) for own in self.sources]
        return list(zip(taken, counts, strict=True))

    def back(self, cut: Cut) -> Iterator[Cut]:
        """Return a cut of a position as cuts of columns; its levels are codes."""
        assert isinstance(cut.column, int)
        source = self.sources[cut.column]
        if isinstance(cut, LevelCut) and source.levels is not None:
            known = source.levels
            levels = frozenset(known[int(code)] for code in cut.levels)
            cut = replace(cut, levels=levels, others=frozenset(known) - levels)
        return _back(source, cut)


def _numbers(column: Column, fills: bool) -> NDArray[np.float64]:
    numbers = column.numbers()
    is_missing = np.isnan(numbers)
    if not fills or not is_missing.any():
        return numbers
    middle = float(np.median(numbers[~is_missing])) if not is_missing.all() else 0.0
    return np.where(is_missing, middle, numbers)


def _frequent(column: Column, most: int) -> list[int]:
    """Codes of the most frequent levels, ascending."""
    codes = column.codes()
    n_cases = np.bincount(codes[codes >= 0], minlength=len(column.info.levels))
    by_frequency = np.argsort(-n_cases, kind="stable")[:most]
    return sorted(by_frequency[n_cases[by_frequency] > 0].tolist())


def _frame(sources: list[_Source], parts: list[NDArray[Any]], *, is_named: bool) -> Any:
    """A data frame of pandas, whose categories the learners know."""
    try:
        pandas = importlib.import_module("pandas")
    except ImportError as error:
        raise ImportError(
            "A learner in extra_questions is fitted to a data frame, for which pandas is not "
            "installed. Run `pip install pandas`, or give the learner fitted."
        ) from error
    columns = {}
    for i, (source, part) in enumerate(zip(sources, parts, strict=True)):
        cells = part
        if source.levels is not None:
            cells = pandas.Categorical.from_codes(part, categories=list(source.levels))
        columns[source.column if is_named else f"x{i}"] = cells
    return pandas.DataFrame(columns)
