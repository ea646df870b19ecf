"""Rule: questions joined by one operator."""

from __future__ import annotations

from dataclasses import dataclass

from bsnsing.questions.question import Question

# Engines know the operators by their place in this list.
OPERATORS = ("or", "and", "xor")


@dataclass(frozen=True, slots=True)
class Rule:
    """Questions, some perhaps negated, joined by one operator."""

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
