"""place_cuts(): the cuts of a donor as questions about a table, merged, the most used first."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Hashable, Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bsnsing.data.columns import Column, Level
from bsnsing.data.table import Table
from bsnsing.questions.donors.cuts import Cut, LevelCut, MissingCut, ThresholdCut, level_question
from bsnsing.questions.pair import ColumnPair, check_pair, pair_columns
from bsnsing.questions.question import Question

# Most cuts that are taken of one donor: a search of pairs takes time by the square of the
# questions, and forests have thousands of cuts that hardly differ.
MOST_CUTS = 100


class Lender(NamedTuple):
    """What a donor lends: its cuts, about columns by name, once for each use."""

    name: str
    cuts: list[Cut]
    respells: bool = False  # whether names of columns and levels may be in another spelling

    def questions(self, most: int | None = None) -> Iterator[Question]:
        """Both directions of all cuts, or of those used most, without a table."""
        uses: dict[tuple[Question, ...], list[float]] = {}
        for cut in self.cuts:
            assert not isinstance(cut.column, int)
            uses.setdefault(tuple(cut.directions(cut.column, self.name)), []).append(cut.gain)
        if most is not None:
            ranked = sorted(uses, key=lambda own: (-len(uses[own]), -sum(uses[own])))  # stable
            kept = set(ranked[:most])
            uses = {own: gains for own, gains in uses.items() if own in kept}
        for directions in uses:
            yield from directions

    def on(self, table: Table) -> list[Question]:
        """Both directions of the cuts used most, as questions about the columns of a table."""
        return place_cuts(self, table)


def place_cuts(lender: Lender, table: Table, most: int = MOST_CUTS) -> list[Question]:
    """Return both directions of a donor's cuts as questions about the columns of a table.

    Cuts with the same answers for all rows are one: thresholds between the same two neighbours
    among a column's values, and sets of the same levels. Cuts that all rows answer alike are left
    out. Of the others, ``most`` are taken: those that the donor uses most often; of equals those
    that gained it more, by its own account; of equals the first. Where a column that is cut has
    missing cells, whether a cell is missing is asked too.
    """
    subjects = _Subjects(table, lender)
    groups: dict[Hashable, _Group] = {}
    for cut in lender.cuts:
        subject = subjects.of(cut)
        for key, sides in subject.sides(cut):
            groups.setdefault((id(subject), *key), _Group(subject)).add(sides, cut.gain)
    ranked = sorted(groups.values(), key=lambda own: (-own.n_used, -own.gain))  # stable
    kept = ranked[:most]
    questions = [question for group in kept for question in group.questions(lender.name)]
    cut_columns = dict.fromkeys(group.subject for group in kept)
    questions += [
        Question(subject.name, "is missing", None, lender.name)
        for subject in cut_columns
        if subject.has_missing
    ]
    return list(dict.fromkeys(questions))


class _Threshold(NamedTuple):
    """A threshold that parts the values of a column as a donor does, in 64 bits."""

    value: float
    is_closed: bool


# What a group of cuts says: a threshold, codes of levels on one side, or that a cell is missing.
_Sides = _Threshold | frozenset[int] | None


@dataclass(slots=True)
class _Group:
    """Cuts with the same answers: how often they are used, and in what words."""

    subject: _Subject
    gain: float = 0.0
    words: Counter[_Sides] = field(default_factory=Counter)

    @property
    def n_used(self) -> int:
        return self.words.total()

    def add(self, sides: _Sides, gain: float) -> None:
        self.words[sides] += 1
        self.gain += gain

    def questions(self, origin: str) -> Iterator[Question]:
        """Both directions, in the words that are used most; of equals the first."""
        sides = self.words.most_common(1)[0][0]
        subject = self.subject
        if sides is None:
            yield Question(subject.name, "is missing", None, origin)
        elif isinstance(sides, _Threshold):
            cut = ThresholdCut(column=subject.name, value=sides.value, is_closed=sides.is_closed)
            yield from cut.directions(subject.name, origin)
        elif subject.levels is None:  # one number among others
            (place,) = sides
            yield Question(subject.name, "==", float(subject.values[place]), origin)
        else:
            for codes in (sides, frozenset(range(len(subject.levels))) - sides):
                own = frozenset(subject.levels[code] for code in codes)
                yield level_question(subject.name, own, origin)


class _Subject:
    """A column of the table, or a number made of two, that cuts are about."""

    def __init__(self, name: str | ColumnPair, column: Column, *, respells: bool) -> None:
        self.name = name
        self.respells = respells
        self.levels: tuple[Level, ...] | None = None
        self.values: NDArray[np.float64] = np.empty(0)  # distinct ones, ascending
        if column.info.kind == "categorical":
            self.levels = column.info.levels
            self.has_missing = bool((column.codes() < 0).any())
        else:
            numbers = column.numbers()
            is_missing = np.isnan(numbers)
            self.values = np.unique(numbers[~is_missing])
            self.has_missing = bool(is_missing.any())

    def sides(self, cut: Cut) -> Iterator[tuple[tuple[Hashable, ...], _Sides]]:
        """What a cut says of this column, with what tells it from others; nothing if all agree."""
        if isinstance(cut, MissingCut):
            if self.has_missing:
                yield ("missing",), None
        elif self.levels is not None:
            yield from self._of_levels(cut)
        elif isinstance(cut, ThresholdCut):
            place = self._place(cut)
            if 0 < place < len(self.values):
                yield ("threshold", place), self._threshold(cut, place)
        else:
            yield from self._of_numbers(cut)

    def _place(self, cut: ThresholdCut) -> int:
        """How many of the values are on the low side, by the donor's own arithmetic."""
        values = self.values
        side = "right" if cut.is_closed else "left"
        place = int(np.searchsorted(values, cut.value, side=side))  # type: ignore[call-overload]
        if cut.is_low is None and cut.exact is None:
            return place
        beside = values[max(place - 1, 0) : place + 1]
        expected = np.arange(len(beside)) < place - max(place - 1, 0)
        if np.array_equal(cut.low(beside), expected):
            return place
        return int(cut.low(values).sum())

    def _threshold(self, cut: ThresholdCut, place: int) -> _Threshold:
        """The donor's own threshold where it is met in 64 bits, else the middle of the gap."""
        low, high = float(self.values[place - 1]), float(self.values[place])
        is_met = low <= cut.value < high if cut.is_closed else low < cut.value <= high
        if is_met:
            return _Threshold(cut.value, cut.is_closed)
        middle = low + (high - low) / 2
        return _Threshold(middle if middle < high else low, True)

    def _of_levels(
        self, cut: ThresholdCut | LevelCut
    ) -> Iterator[tuple[tuple[Hashable, ...], _Sides]]:
        assert self.levels is not None
        if isinstance(cut, ThresholdCut):
            if any(isinstance(level, str) for level in self.levels):
                question = next(cut.directions(self.name, ""))
                raise ValueError(
                    f"The question '{question}' orders the levels of a categorical column."
                )
            is_low = cut.low(np.array(self.levels, dtype=np.float64))
            codes = frozenset(np.flatnonzero(is_low).tolist())
        else:
            spelled = {str(level) for level in cut.levels} if self.respells else set()
            codes = frozenset(
                code
                for code, level in enumerate(self.levels)
                if level in cut.levels or not spelled.isdisjoint(_spellings(level))
            )
            if not codes and _are_codes(cut.levels) and not _are_codes(self.levels):
                raise ValueError(
                    f"Column {str(self.name)!r} is cut into sets of codes, such as "
                    f"{sorted(cut.levels)[:5]}, and the model does not tell which levels they "
                    "stand for. Fit it in a Pipeline with an encoder of scikit-learn, or to 0/1 "
                    "columns."
                )
        if 0 < len(codes) < len(self.levels):
            others = frozenset(range(len(self.levels))) - codes
            yield ("levels", min(codes, others, key=min)), codes

    def _of_numbers(self, cut: LevelCut) -> Iterator[tuple[tuple[Hashable, ...], _Sides]]:
        """A set of numbers: a threshold where it is all up to one, or from one on."""
        is_in = cut.low(self.values)
        n_in, n_all = int(is_in.sum()), len(is_in)
        if n_in in (0, n_all):
            return
        for place, is_low in ((n_in, is_in), (n_all - n_in, ~is_in)):
            if is_low[:place].all():
                low, high = float(self.values[place - 1]), float(self.values[place])
                yield ("threshold", place), _Threshold(low + (high - low) / 2, True)
                return
        if n_in not in (1, n_all - 1):
            raise ValueError(
                f"Column {str(self.name)!r} is cut into sets of numbers, such as "
                f"{self.values[is_in].tolist()[:5]}, but the table has it as numbers. Name it in "
                "categorical_features."
            )
        place = int(np.flatnonzero(is_in if n_in == 1 else ~is_in)[0])
        yield ("value", place), frozenset([place])


class _Subjects:
    """Finds what cuts are about in a table."""

    def __init__(self, table: Table, lender: Lender) -> None:
        self._table = table
        self._lender = lender
        self._known: dict[str | ColumnPair, _Subject] = {}
        self._place = {column.info.name: i for i, column in enumerate(table.columns)}
        self._spelled: dict[str, list[str]] = {}
        if lender.respells:
            for name in self._place:
                self._spelled.setdefault(_respelled(name), []).append(name)

    def of(self, cut: Cut) -> _Subject:
        """Return the column, or pair, that a cut is about."""
        assert not isinstance(cut.column, int)
        found = self._known.get(cut.column)
        if found is None:
            found = self._known[cut.column] = self._find(cut)
        return found

    def _find(self, cut: Cut) -> _Subject:
        asked, respells = cut.column, self._lender.respells
        if isinstance(asked, ColumnPair):
            check_pair(asked, self._table.info)
            (column,) = pair_columns(self._table, [asked])
            return _Subject(asked, column, respells=respells)
        assert isinstance(asked, str)
        name = asked
        if name not in self._place:
            alike = self._spelled.get(_respelled(name), [])
            if len(alike) != 1:
                raise ValueError(self._no_such_column(cut, asked))
            name = alike[0]
        if name != asked and name in self._known:
            return self._known[name]
        subject = _Subject(name, self._table.columns[self._place[name]], respells=respells)
        return self._known.setdefault(name, subject)

    def _no_such_column(self, cut: Cut, name: str) -> str:
        question = next(cut.directions(name, self._lender.name), None)
        names = ", ".join(map(repr, list(self._place)[:10]))
        return (
            f"The question '{question}' asks about a column that the table does not have. It is "
            f"from {self._lender.name}. The table's first columns are {names}."
        )


def _are_codes(levels: Collection[Level]) -> bool:
    return not any(isinstance(level, str) for level in levels)


def _spellings(level: Level) -> set[str]:
    """A level as text and, as XGBoost has it, as many of its bytes as it has letters."""
    text = str(level)
    return {text, text.encode()[: len(text)].decode("utf-8", "ignore")}


def _respelled(name: str) -> str:
    """A name as LightGBM, R and others may write it: without what is neither letter nor digit."""
    return re.sub(r"\W", "_", name)
