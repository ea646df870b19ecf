"""ask_questions(): the yes/no questions worth asking of a table, with their answers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator

from bsnsing.data.cases import Cases
from bsnsing.data.labels import read_labels
from bsnsing.data.table import read_training_table
from bsnsing.data.weights import CaseWeights, read_class_weight, read_weights
from bsnsing.engine.base import EngineOptions
from bsnsing.engine.native import NativeEngine
from bsnsing.questions.coded import QuestionEncoder, decode_question
from bsnsing.questions.question import TESTS, Question
from bsnsing.rules.options import AskOptions, SearchOptions
from bsnsing.rules.parameters import ASK_PARAMETERS, check_parameters, is_bool


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
    class_weight: Mapping[Any, float] | Literal["balanced"] | None = None,
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
        Numeric columns with at most this many values are also asked for equality.
    bin_size : int, default=5
        Levels with fewer cases are rare, and also asked for as one group.
    negation : bool, default=False
        Ask for rules that may negate questions, as those with "and" do. One question per threshold
        then serves both directions, so ``x < t`` is only asked of columns with missing cells.
    categorical_features : "from_dtype", None, or names, positions or mask of columns
        Which columns are categorical.
    sample_weight : array-like of shape (n_rows,), default=None
        Weights of the rows; integers count as repeated rows.
    class_weight : dict, "balanced" or None, default=None
        Weights of classes, as the estimators take them. The most frequent class is then that of
        most weight.

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
    classes, labels = read_labels(y, table.n_rows)
    n_classes = max(2, len(classes))
    cases = Cases(table, labels, read_weights(sample_weight, table.n_rows))
    options = EngineOptions(
        class_weight=read_class_weight(class_weight, classes, cases.class_totals(n_classes)),
        ask=AskOptions(
            n_segments=n_segments,
            max_levels=max_levels,
            max_values_as_levels=max_values_as_levels,
            bin_size=bin_size,
        ),
        search=SearchOptions(operators=("or", "and") if negation else ("or",)),
    )
    asked = cases.with_weight()
    engine = NativeEngine(asked, n_classes, options)
    (coded,) = engine.ask([0], _find_target(target, classes))
    # Ordered levels and moments are told apart by thresholds alone.
    is_scaled = [column.info.scale is not None for column in table.columns]
    coded = [own for own in coded if not (is_scaled[own[0]] and TESTS[own[1]] == "==")]
    questions = [decode_question(question, asked.table.info) for question in coded]
    if asked is not cases:
        # Rows without weight had no say in the questions, but answer them like the others.
        encoder = QuestionEncoder(table.info)
        coded = [encoder.encode(question) for question in questions]
        everyone = Cases(table, labels, CaseWeights(None, 1.0))
        engine = NativeEngine(everyone, n_classes, replace(options, extra_questions=coded))
    answers, _ = engine.answers(0, coded)
    return Pool(questions, answers)


def _find_target(target: Any, classes: NDArray[Any]) -> int | None:
    if target is None:
        return None
    places = np.flatnonzero(classes == target)
    if len(places) == 0:
        raise ValueError(
            f"target={target!r} is not a label of y. Choose one of {classes[:10].tolist()}."
        )
    return int(places[0])
