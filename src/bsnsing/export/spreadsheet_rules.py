"""Rules in the formulas of a spreadsheet: 0 is no, 1 unknown, 2 yes.

Signs such as > take numbers for equal that differ after the fifteenth digit. GESTEP (is one number
at least another?) and DELTA (are they equal?) do not; Excel, LibreOffice and others have both.

Moments are days since the end of 1899, as doubles, times and durations parts of days. They are
compared in milliseconds, to which they are rounded: doubles do not tell all microseconds apart.
"""

from __future__ import annotations

import datetime
import sys
from abc import ABC, abstractmethod
from collections.abc import Sequence

from bsnsing.export.code.program import CellTest, Program
from bsnsing.export.form import NodeForm
from bsnsing.export.moments import STEPS_PER_DAY, first_step

_MS_PER_DAY = 86_400_000
_EPOCH, _EPOCH_DAY = datetime.date(1970, 1, 1), 25569
# DATE of Excel counts years before 1900 from 1900 on, and has a February 29 in 1900.
_FIRST_DAY = datetime.date(1900, 3, 1)
_DATED = ("moment", "zoned")
_ANSWER = {False: 0, None: 1, True: 2}


def written_number(number: float) -> str:
    """Write a number with all its digits."""
    if number != 0 and abs(number) < sys.float_info.min:
        raise ValueError(f"Spreadsheets have no number as small as {number!r}. Export code or SQL.")
    return repr(int(number)) if number.is_integer() and abs(number) < 1e15 else repr(number)


def in_days(steps: float, *, is_moment: bool) -> float:
    """Return microseconds as the days of spreadsheets."""
    start = _EPOCH_DAY if is_moment else 0
    return (int(steps) + start * STEPS_PER_DAY) / STEPS_PER_DAY


def in_milliseconds(cell: str) -> str:
    """Write the milliseconds of a moment, time or duration."""
    return f"ROUND({_MS_PER_DAY}*{cell},0)"


def column_letters(position: int) -> str:
    """Return the letters of a column: A to Z, AA and so on."""
    letters = ""
    position += 1
    while position:
        position, rest = divmod(position - 1, 26)
        letters = chr(65 + rest) + letters
    return letters


class Rules(ABC):
    """Writes the rules of a model. Columns and pairs go by their identifiers."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.levels = {c.identifier: c.levels for c in program.columns if c.levels is not None}
        self.moments = {c.identifier: c.moment_kind for c in program.columns if c.moment_kind}

    @abstractmethod
    def cell(self, name: str) -> str:
        """Write the number, or what stands for a level."""

    @abstractmethod
    def is_missing(self, name: str) -> str:
        """Write whether it is missing."""

    @abstractmethod
    def is_seen(self, name: str) -> str:
        """Write whether a level is one that fit has seen."""

    @abstractmethod
    def is_among(self, name: str, positions: Sequence[int]) -> str:
        """Write 1 where a level is one of those at these positions, else 0."""

    def number(self, number: float) -> str:
        """Write a threshold."""
        return written_number(number)

    def rule(self, node: NodeForm) -> str:
        """Write the answer of a rule."""
        answers = [self._test(test) for test in self.program.tests(node)]
        if len(answers) == 1:
            return answers[0]
        if node.operator != "xor":
            return f"{'MAX' if node.operator == 'or' else 'MIN'}({','.join(answers)})"
        is_open = ",".join(f"{answer}=1" for answer in answers)
        return f"IF(OR({is_open}),1,MOD({'+'.join(answers)},4))"

    def _test(self, test: CellTest) -> str:
        missing, is_missing = _ANSWER[test.when_missing], self.is_missing(test.cell)
        if test.name == "blank":
            return f"IF({is_missing},{0 if test.negated else 2},{2 if test.negated else 0})"
        holds = self._holds(test)
        known = f"2*{holds}" if not test.negated else f"2-2*{holds}"
        if test.cell in self.levels:
            known = f"IF({self.is_seen(test.cell)},{known},1)"
        return f"IF({is_missing},{2 - missing if test.negated else missing},{known})"

    def _holds(self, test: CellTest) -> str:
        """Write 1 where a plain question holds, else 0."""
        if test.name in ("level", "among"):
            own = int(test.operands[0])
            return self.is_among(
                test.cell, [own] if test.name == "level" else self.program.groups[own]
            )
        cell = self.cell(test.cell)
        if test.cell in self.moments:
            return self._moment_holds(test, cell)
        numbers = [self.number(float(operand)) for operand in test.operands]
        if test.name == "above":
            return f"(1-GESTEP({numbers[0]},{cell}))"
        if test.name == "below":
            return f"(1-GESTEP({cell},{numbers[0]}))"
        if test.name == "equal":
            return f"DELTA({cell},{numbers[0]})"
        ends = zip(numbers[::2], numbers[1::2], strict=True)
        parts = [f"GESTEP({cell},{low})*GESTEP({high},{cell})" for low, high in ends]
        return f"MAX({','.join(parts)})" if len(parts) > 1 else parts[0]

    def _moment_holds(self, test: CellTest, milliseconds: str) -> str:
        asks_above = test.name == "above"
        first = first_step(float(test.operands[0]), asks_above=asks_above)
        bound = _written_bound(-(-first // 1000), is_moment=self.moments[test.cell] in _DATED)
        is_above = f"GESTEP({milliseconds},{bound})"
        return is_above if asks_above else f"(1-{is_above})"


def _written_bound(milliseconds: int, *, is_moment: bool) -> str:
    """Write a bound in milliseconds; the day of a moment so that people can read it."""
    if not is_moment:
        return str(milliseconds)
    day, rest = divmod(milliseconds, _MS_PER_DAY)
    place = day + _EPOCH.toordinal()
    if not _FIRST_DAY.toordinal() <= place <= datetime.date.max.toordinal():
        return str(milliseconds + _EPOCH_DAY * _MS_PER_DAY)
    shown = datetime.date.fromordinal(place)
    midnight = f"{_MS_PER_DAY}*DATE({shown.year},{shown.month},{shown.day})"
    return f"{midnight}+{rest}" if rest else midnight
