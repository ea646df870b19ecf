"""Rules in the formulas of a spreadsheet: 0 is no, 1 unknown, 2 yes.

Signs such as > take numbers for equal that differ after the fifteenth digit. GESTEP (is one number
at least another?) and DELTA (are they equal?) do not; Excel, LibreOffice and others have both.
"""

from __future__ import annotations

import sys
from abc import ABC, abstractmethod
from collections.abc import Sequence

from bsnsing.export.code.program import CellTest, Program
from bsnsing.export.form import NodeForm

_ANSWER = {False: 0, None: 1, True: 2}


def written_number(number: float) -> str:
    """Write a number with all its digits."""
    if number != 0 and abs(number) < sys.float_info.min:
        raise ValueError(f"Spreadsheets have no number as small as {number!r}. Export code or SQL.")
    return repr(int(number)) if number.is_integer() and abs(number) < 1e15 else repr(number)


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
