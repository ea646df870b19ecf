"""Questions from elsewhere: given by hand, or taken from other fitted trees."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from sklearn.exceptions import NotFittedError
from sklearn.utils.validation import check_is_fitted

from bsnsing.data.columns import ColumnInfo
from bsnsing.questions.coded import CodedQuestion, encode_question
from bsnsing.questions.pair import ColumnPair, check_pair
from bsnsing.questions.question import Question


def questions_of(model: Any) -> list[Question]:
    """Return the questions that a fitted model asks, each once.

    Parameters
    ----------
    model : fitted estimator, Tree or Question, or a collection of these
        A tree or an ensemble of trees, of this package or of scikit-learn. Splits ``x <= t`` of
        the latter are taken in both directions. Columns without names are called x0, x1, ...

    Returns
    -------
    list of Question
        For ``extra_questions``, for instance.
    """
    return list(dict.fromkeys(_questions_of(model, None)))  # keeps the order


def encode_questions(
    questions: Sequence[Question], columns: Sequence[ColumnInfo], pairs: Sequence[ColumnPair]
) -> list[CodedQuestion]:
    """Return the questions as the engines know them."""
    coded = [encode_question(question, columns, pairs) for question in questions]
    # The engine answers the questions of one column together.
    return sorted(coded, key=lambda question: question[0])


def pairs_in(
    questions: Sequence[Question], columns: Sequence[ColumnInfo]
) -> tuple[ColumnPair, ...]:
    """Return the pairs that questions are about, each once."""
    asked = (question.column for question in questions)
    pairs = tuple(dict.fromkeys(pair for pair in asked if isinstance(pair, ColumnPair)))
    for pair in pairs:
        check_pair(pair, columns)
    return pairs


def _questions_of(model: Any, names: Sequence[str] | None) -> Iterable[Question]:
    """``names`` are those of the model's columns, where a model around it knows them."""
    if isinstance(model, Question):
        yield model
    elif callable(getattr(model, "asked_questions", None)):  # a Tree
        yield from model.asked_questions()
    elif hasattr(model, "trees_"):
        yield from _questions_of(model.trees_, None)
    elif hasattr(model, "children_left") and hasattr(model, "threshold"):
        yield from _thresholds_of(model, names)
    elif hasattr(model, "tree_"):
        yield from _thresholds_of(model.tree_, _names_of(model, names))
    elif hasattr(model, "estimators_"):
        yield from _ensemble_questions(model, _names_of(model, names))
    elif _is_unfitted(model):
        raise NotFittedError(
            f"extra_questions holds a {type(model).__name__} that is not fitted. Fit it first. "
            "Cloning takes the fit away: give questions_of(estimator) to what is cloned."
        )
    elif isinstance(model, Iterable) and not isinstance(model, str | bytes | dict):
        for part in model:
            yield from _questions_of(part, names)
    else:
        raise TypeError(
            "extra_questions takes Question objects, fitted trees and ensembles, and collections "
            f"of these. Got {type(model).__name__}."
        )


def _is_unfitted(model: Any) -> bool:
    if not hasattr(model, "fit") or isinstance(model, type):
        return False
    try:
        check_is_fitted(model)
    except NotFittedError:
        return True
    return False


def _names_of(model: Any, names: Sequence[str] | None) -> Sequence[str] | None:
    own = getattr(model, "feature_names_in_", None)
    return names if own is None else own.tolist()


def _ensemble_questions(model: Any, names: Sequence[str] | None) -> Iterable[Question]:
    # Bagging may give each tree a selection of the columns.
    members = np.ravel(model.estimators_).tolist()
    selections = getattr(model, "estimators_features_", None)
    for i, member in enumerate(members):
        chosen = names
        if selections is not None:
            chosen = [names[j] if names else f"x{j}" for j in selections[i]]
        yield from _questions_of(member, chosen)


def _thresholds_of(tree: Any, names: Sequence[str] | None) -> Iterable[Question]:
    """Both directions of each split ``x <= t`` of a scikit-learn tree."""
    is_inner = tree.children_left >= 0
    features, thresholds = tree.feature[is_inner], tree.threshold[is_inner]
    for feature, threshold in zip(features.tolist(), thresholds.tolist(), strict=True):
        name = names[feature] if names else f"x{feature}"
        yield Question(name, ">", threshold)
        yield Question(name, "<", float(np.nextafter(threshold, np.inf)))
