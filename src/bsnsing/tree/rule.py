"""Rule: questions joined by one operator."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from bsnsing.questions.grammar import parse_rule
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
    # Whether each question's column has missing cells: of the table, not of what the rule says.
    has_missing: tuple[bool, ...] = field(default=(), compare=False)
    is_boolean: tuple[bool, ...] = field(default=(), compare=False)  # whether it is true or false

    def __post_init__(self) -> None:
        """Call one question "or", as no operator is written."""
        if len(self.questions) == 1:
            object.__setattr__(self, "operator", OPERATORS[0])

    def __str__(self) -> str:
        parts = (
            question.exact_text(negated=negated)
            for question, negated in zip(self.questions, self.negated, strict=True)
        )
        return f" {self.operator} ".join(parts)

    @classmethod
    def parse(cls, text: str) -> Rule:
        """Read a rule in words, as rules are printed; nothing is evaluated.

        Parameters
        ----------
        text : str
            Questions joined by one of "or", "and", "xor": see :func:`bsnsing.parse_question`. Those
            in ``not (...)`` are negated. A range, ``30 < age <= 65``, is two questions.

        Returns
        -------
        Rule
            ``Rule.parse(str(rule)) == rule``.

        Raises
        ------
        ParseError
            If the text is no rule; the message points at the place.

        Examples
        --------
        >>> Rule.parse("30 < age <= 65").questions[1].answer([20, 65, 66]).tolist()
        [True, True, False]
        """
        literals, operator = parse_rule(text)
        return cls(
            tuple(literal.question for literal in literals),
            tuple(literal.negated for literal in literals),
            operator,
        )

    def text(self, *, full_levels: bool = False) -> str:
        """Write the rule for people; ``full_levels`` lists all levels of a group."""
        return f" {self.operator} ".join(self.texts(full_levels=full_levels))

    def texts(self, *, full_levels: bool = False) -> list[str]:
        """Write each question for people, negated where the rule says so."""
        unknown = (False,) * len(self.questions)
        facts = (self.questions, self.negated, self.has_missing or unknown)
        return [
            question.text(
                negated=negated,
                has_missing=has_missing,
                full_levels=full_levels,
                is_boolean=is_boolean,
            )
            for question, negated, has_missing, is_boolean in zip(
                *facts, self.is_boolean or unknown, strict=True
            )
        ]

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
