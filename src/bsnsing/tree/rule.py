"""Rule: questions joined by one operator."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from bsnsing.questions.pair import ColumnPair
from bsnsing.questions.question import Question

# Engines know the operators by their place in this list.
OPERATORS = ("or", "and", "xor")


@dataclass(frozen=True, slots=True)
class Rule:
    """Questions, some perhaps negated, joined by one operator.

    Examples
    --------
    >>> rule = Rule((Question("age", ">", 35), Question("bmi", ">", 30)), (False, False), "or")
    >>> str(rule), rule.holds([None, True]), rule.holds([None, False])
    ('age > 35 or bmi > 30', True, None)
    """

    questions: tuple[Question, ...]
    negated: tuple[bool, ...]
    operator: str
    has_missing: tuple[bool, ...] = ()  # whether each question's column has missing cells

    def __str__(self) -> str:
        return self.text()

    def text(self, *, full_levels: bool = False) -> str:
        """Write the rule for people; ``full_levels`` lists all levels of a group."""
        missing = self.has_missing or (False,) * len(self.questions)
        parts = [
            question.text(negated=negated, has_missing=has_missing, full_levels=full_levels)
            for question, negated, has_missing in zip(
                self.questions, self.negated, missing, strict=True
            )
        ]
        return f" {self.operator} ".join(parts)

    def holds(self, answers: Sequence[bool | None]) -> bool | None:
        """Return whether the rule holds, given the answers to its questions; None is unknown.

        Answers are those to the plain questions: negation is up to the rule. What is unknown stays
        so unless the other answers settle the rule whatever it would be.
        """
        own = [
            None if answer is None else bool(answer) != negated
            for answer, negated in zip(answers, self.negated, strict=True)
        ]
        settling = self.operator == "or"  # one such answer is enough
        if self.operator != "xor" and settling in own:
            return settling
        if None in own:
            return None
        return own.count(True) % 2 == 1 if self.operator == "xor" else not settling

    def answers_to_missing(self) -> dict[str | ColumnPair, bool | None]:
        """Return the rule's answer where a cell is missing, for each column that had such cells.

        None where the answer depends on the other columns of the rule.
        """
        asked = [question.column for question in self.questions]
        subjects = dict.fromkeys(
            column for column, missing in zip(asked, self.has_missing, strict=False) if missing
        )
        return {subject: self._answer_without(subject) for subject in subjects}

    def _answer_without(self, subject: str | ColumnPair) -> bool | None:
        known = [
            (question.test == "is missing") != negated
            for question, negated in zip(self.questions, self.negated, strict=True)
            if question.column == subject or _is_part(subject, question.column)
        ]
        if self.operator == "or" and any(known):
            return True
        if self.operator == "and" and not all(known):
            return False
        if len(known) < len(self.questions):
            return None
        return {"or": any(known), "and": all(known), "xor": sum(known) % 2 == 1}[self.operator]


def _is_part(subject: str | ColumnPair, column: str | ColumnPair) -> bool:
    # A pair is missing where one of its columns is.
    return isinstance(column, ColumnPair) and subject in (column.first, column.second)
