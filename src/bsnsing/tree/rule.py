"""Rule: questions joined by one operator."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

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
        missing = self.has_missing or (False,) * len(self.questions)
        parts = [
            question.text(negated=negated, has_missing=has_missing)
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
