"""Questions from elsewhere: given by hand, or lent by other models."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from bsnsing.data.columns import ColumnInfo
from bsnsing.data.table import Table
from bsnsing.questions.coded import CodedQuestion, QuestionEncoder
from bsnsing.questions.pair import ColumnPair, check_pair
from bsnsing.questions.question import OWN, USER, Question

if TYPE_CHECKING:  # few trees have donors, and no import waits for them
    from bsnsing.questions.donors.learners import Learner
    from bsnsing.questions.donors.place import Lender


@dataclass(frozen=True, slots=True)
class Extra:
    """What ``extra_questions`` holds: questions, fitted models, and models to be fitted."""

    given: tuple[Question, ...] = ()
    lenders: tuple[Lender, ...] = ()
    learners: tuple[Learner, ...] = ()

    def on(self, table: Table) -> tuple[Question, ...]:
        """Return what was given, and what fitted models lend for this table, each once."""
        if not self.lenders:
            return tuple(dict.fromkeys(self.given))
        lent = (question for lender in self.lenders for question in lender.on(table))
        return tuple(dict.fromkeys([*self.given, *lent]))

    def questions(self) -> list[Question]:
        """Return what was given, and all that fitted models ask, each once."""
        lent = (question for lender in self.lenders for question in lender.questions())
        return list(dict.fromkeys([*self.given, *lent]))


NO_EXTRA = Extra()


class EncodedQuestions(NamedTuple):
    """Questions as the engines know them, and where each came from."""

    coded: list[CodedQuestion]
    origins: list[str]


def encode_questions(
    questions: Sequence[Question], columns: Sequence[ColumnInfo], pairs: Sequence[ColumnPair] = ()
) -> EncodedQuestions:
    """Return the questions in the order in which engines are given them."""
    if not questions:
        return EncodedQuestions([], [])
    encoder = QuestionEncoder(columns, pairs)
    coded = [encoder.encode(question) for question in questions]
    # The engine answers the questions of one column together.
    order = sorted(range(len(coded)), key=lambda i: coded[i][0])
    return EncodedQuestions([coded[i] for i in order], [questions[i].origin or USER for i in order])


def with_own(given: EncodedQuestions, own: Sequence[CodedQuestion]) -> EncodedQuestions:
    """Return the questions with further ones of the tree's own, in the order of engines."""
    named = [*zip(given.coded, given.origins, strict=True), *((question, OWN) for question in own)]
    named.sort(key=lambda item: item[0][0])
    return EncodedQuestions([question for question, _ in named], [name for _, name in named])


def pairs_in(
    questions: Sequence[Question], columns: Sequence[ColumnInfo]
) -> tuple[ColumnPair, ...]:
    """Return the pairs that questions are about, each once."""
    asked = (question.column for question in questions)
    pairs = tuple(dict.fromkeys(pair for pair in asked if isinstance(pair, ColumnPair)))
    for pair in pairs:
        check_pair(pair, columns)
    return pairs
