"""Questions from elsewhere: given by hand, or taken from other fitted trees."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from bsnsing._questions import Fields, Question, question_to_fields
from bsnsing._table import ColumnInfo
from bsnsing._tree import Tree


def read_extra_questions(extra: Any, columns: Sequence[ColumnInfo]) -> list[Fields]:
    """Return the questions of ``extra``, each once, in the terms of the native engine.

    ``extra`` may be a Question, a fitted tree or ensemble (ours, or scikit-learn's), or a
    collection of these.
    """
    if extra is None:
        return []
    questions = dict.fromkeys(_questions_of(extra, columns))  # keeps the order
    fields = [question_to_fields(question, columns) for question in questions]
    # The engine answers the questions of one column together.
    return sorted(fields, key=lambda f: f[0])


def _questions_of(extra: Any, columns: Sequence[ColumnInfo]) -> Iterable[Question]:
    if isinstance(extra, Question):
        yield extra
    elif isinstance(extra, Tree):
        yield from (question for rule in extra.rules if rule for question in rule.questions)
    elif hasattr(extra, "trees_"):
        yield from _questions_of(extra.trees_, columns)
    elif hasattr(extra, "tree_"):
        yield from _thresholds_of(extra.tree_, columns)
    elif hasattr(extra, "estimators_"):
        yield from _questions_of(np.ravel(extra.estimators_).tolist(), columns)
    elif isinstance(extra, Iterable) and not isinstance(extra, str | bytes | dict):
        for part in extra:
            yield from _questions_of(part, columns)
    else:
        raise TypeError(
            "extra_questions takes Question objects, fitted trees and ensembles, and collections "
            f"of these. Got {type(extra).__name__}; fit it first if it is an estimator."
        )


def _thresholds_of(tree: Any, columns: Sequence[ColumnInfo]) -> Iterable[Question]:
    """Both directions of each split ``x <= t`` of a scikit-learn tree."""
    is_inner = tree.children_left >= 0
    features, thresholds = tree.feature[is_inner], tree.threshold[is_inner]
    for feature, threshold in zip(features.tolist(), thresholds.tolist(), strict=True):
        if feature >= len(columns) or columns[feature].kind == "categorical":
            raise ValueError(
                f"A tree in extra_questions splits its column {feature} by number, and the table "
                "has no numeric column there. Fit it on the same columns."
            )
        yield Question(columns[feature].name, ">", threshold)
        yield Question(columns[feature].name, "<", float(np.nextafter(threshold, np.inf)))
