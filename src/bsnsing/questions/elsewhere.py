"""Questions from elsewhere: given by hand, or lent by other models."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from bsnsing.data.columns import ColumnInfo
from bsnsing.data.table import Table
from bsnsing.questions.coded import CodedQuestion, QuestionEncoder
from bsnsing.questions.donors.learners import Learner
from bsnsing.questions.donors.place import Lender, place_cuts
from bsnsing.questions.donors.r import R_LEARNERS, RLearner
from bsnsing.questions.donors.registry import find_donor, lender_of
from bsnsing.questions.grammar import ParseError, parse_questions
from bsnsing.questions.pair import ColumnPair, check_pair
from bsnsing.questions.question import OWN, USER, Question


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
        lent = (question for lender in self.lenders for question in place_cuts(lender, table))
        return tuple(dict.fromkeys([*self.given, *lent]))

    def questions(self) -> list[Question]:
        """Return what was given, and all that fitted models ask, each once."""
        lent = (question for lender in self.lenders for question in lender.questions())
        return list(dict.fromkeys([*self.given, *lent]))


NO_EXTRA = Extra()


def read_extra(extra: Any) -> Extra:
    """Read what a user gives as ``extra_questions``: see :class:`bsnsing.BsnsingClassifier`."""
    if extra is None:
        return NO_EXTRA
    given, lenders, learners = list[Question](), list[Lender](), list[Learner]()
    waiting = [extra]
    while waiting:
        item = waiting.pop()
        if isinstance(item, Question):
            # Taken out of a tree it is no longer the tree's own.
            given.append(replace(item, origin=None) if item.origin == OWN else item)
        elif isinstance(item, Lender):
            lenders.append(item)
        elif isinstance(item, str):
            read = _read_text(item)
            if isinstance(read, RLearner):
                waiting.append(read)
            else:
                given += read
        elif (donor := _donor_of(item)) is not None:
            if donor.is_fitted(item):
                lenders.append(lender_of(item))
            else:
                learners.append(Learner(donor, item))
        elif isinstance(item, Iterable) and not isinstance(item, bytes | dict | type):
            waiting += reversed(list(item))
        else:
            raise TypeError(
                "extra_questions takes questions, in words or as objects, models that lend theirs "
                "(trees and ensembles of scikit-learn, LightGBM, XGBoost, CatBoost, imodels, "
                "pystreed and bsnsing, pipelines that end in one, files of saved models), names "
                f"of R's learners, and collections of these. Got {type(item).__name__}."
            )
    return Extra(tuple(given), tuple(lenders), tuple(learners))


def _donor_of(item: Any) -> Any:
    return None if isinstance(item, type) else find_donor(item)


def _read_text(text: str) -> list[Question] | RLearner:
    """Questions in words, or the name of a learner of R."""
    try:
        return parse_questions(text)
    except ParseError:
        if text in R_LEARNERS:
            return RLearner(text)
        raise


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
