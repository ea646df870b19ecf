"""read_extra(): what users give as ``extra_questions``, sorted into questions and donors."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from bsnsing.questions.donors.learners import Learner
from bsnsing.questions.donors.place import Lender
from bsnsing.questions.donors.r import R_LEARNERS, RLearner
from bsnsing.questions.donors.registry import find_donor, lender_of
from bsnsing.questions.elsewhere import NO_EXTRA, Extra
from bsnsing.questions.grammar import ParseError, parse_questions
from bsnsing.questions.question import OWN, Question


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
