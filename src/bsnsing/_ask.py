"""ask_questions(): the yes/no questions worth asking of a table, with their answers."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator

from bsnsing._engine import EngineOptions, encode_table, make_engine
from bsnsing._labels import read_labels
from bsnsing._params import ASK_PARAMETERS, check_parameters, is_bool
from bsnsing._questions import Question, question_from_fields
from bsnsing._table import read_training_table
from bsnsing._weights import CaseWeights, read_weights


class Pool(NamedTuple):
    """Questions and the answers of each row to them."""

    questions: list[Question]
    answers: NDArray[np.uint8]


def ask_questions(
    X: Any,
    y: ArrayLike,
    *,
    target: Any = None,
    n_segments: int = 20,
    max_levels: int = 30,
    max_values_as_levels: int = 10,
    bin_size: int = 5,
    negation: bool = False,
    categorical_features: Any = "from_dtype",
    sample_weight: ArrayLike | None = None,
) -> Pool:
    """Ask the yes/no questions about each column that may tell ``target`` from the rest.

    The questions depend on the cases only, not on the order of the rows.

    Parameters
    ----------
    X : array or dataframe of shape (n_rows, n_columns)
        The table.
    y : array-like of shape (n_rows,)
        Class labels.
    target : label, default=None
        The class that questions should single out. None is the most frequent one or, with more
        than two classes, each class in turn.
    n_segments : int, default=20
        Most thresholds per numeric column and direction.
    max_levels : int, default=30
        Most level questions per categorical column; of more levels, those with similar shares of
        the target class are grouped.
    max_values_as_levels : int, default=10
        Numeric columns with at most so many values are also asked for equality.
    bin_size : int, default=5
        Levels with fewer cases are rare, and also asked for as one group.
    negation : bool, default=False
        Ask for rules that may negate questions, as those with "and" do. One question per threshold
        then serves both directions, so ``x < t`` is only asked of columns with missing cells.
    categorical_features : "from_dtype", None, or names, positions or mask of columns
        Which columns are categorical.
    sample_weight : array-like of shape (n_rows,), default=None
        Weights of the rows; integers count as repeated rows.

    Returns
    -------
    Pool
        ``questions``, and ``answers`` of shape (n_rows, n_questions) with 0 and 1.

    Examples
    --------
    >>> pool = ask_questions([[1.0], [2.0], [3.0]], ["a", "b", "b"])
    >>> [str(question) for question in pool.questions], pool.answers.T.tolist()
    (['x0 > 1.5', 'x0 == 1', 'x0 == 2', 'x0 == 3'], [[0, 1, 1], [1, 0, 0], [0, 1, 0], [0, 0, 1]])
    """
    check_parameters(
        "ask_questions",
        ASK_PARAMETERS | {"negation": (is_bool, "True or False")},
        {
            "n_segments": n_segments,
            "max_levels": max_levels,
            "max_values_as_levels": max_values_as_levels,
            "bin_size": bin_size,
            "negation": negation,
        },
    )
    table = read_training_table(BaseEstimator(), X, categorical_features)
    labels, codes = read_labels(y, table.n_rows)
    options = EngineOptions(
        n_segments=n_segments,
        max_levels=max_levels,
        max_values_as_levels=max_values_as_levels,
        bin_size=bin_size,
        operators=("or", "and") if negation else ("or",),
    )
    n_classes = max(2, len(labels))
    weights = read_weights(sample_weight, table.n_rows)
    engine = make_engine(encode_table(table), codes, n_classes, weights, options)
    fields, packed, rows = engine.ask(0, _find_target(target, labels))
    if weights.counts is not None and (weights.counts == 0).any():
        # Rows without weight had no say in the questions, but answer them like the others.
        everyone = CaseWeights(None, 1.0)
        options = replace(options, own_questions=False, extra_questions=fields)
        engine = make_engine(encode_table(table), codes, n_classes, everyone, options)
        _, packed, rows = engine.ask(0, None)
    answers = np.zeros((table.n_rows, len(fields)), dtype=np.uint8)
    answers[rows] = packed
    return Pool([question_from_fields(f, table.info) for f in fields], answers)


def _find_target(target: Any, labels: NDArray[Any]) -> int | None:
    if target is None:
        return None
    places = np.flatnonzero(labels == target)
    if len(places) == 0:
        raise ValueError(
            f"target={target!r} is not a label of y. Choose one of {labels[:10].tolist()}."
        )
    return int(places[0])
