"""The questions that fits ask at a node, for judges that search it by themselves."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator

from bsnsing.data.cases import Cases
from bsnsing.data.labels import read_labels
from bsnsing.data.table import read_training_table
from bsnsing.data.weights import CaseWeights, read_weights
from bsnsing.engine.ask import Pool
from bsnsing.engine.base import EngineOptions
from bsnsing.engine.native import NativeEngine
from bsnsing.questions.coded import decode_question
from bsnsing.rules.options import AskOptions, SearchOptions


def ask_at_node(
    X: Any,
    y: ArrayLike,
    weights: ArrayLike,
    *,
    negation: bool,
    class_weight: NDArray[Any] | None = None,
    **asking: Any,
) -> Pool:
    """Ask as a node does that has the rows of some weight. All rows answer.

    ``ask_questions`` knows no rows but these. A node knows the table: of a column with many values
    in all, it does not ask for each of the few that are left.
    """
    table = read_training_table(BaseEstimator(), X)
    classes, labels = read_labels(y, table.n_rows)
    options = EngineOptions(
        class_weight=class_weight,
        ask=AskOptions(**asking),
        search=SearchOptions(operators=("or", "and") if negation else ("or",)),
    )
    n_classes = max(2, len(classes))
    cases = Cases(table, labels, read_weights(weights, table.n_rows))
    (coded,) = NativeEngine(cases, n_classes, options).ask([0], None)
    everyone = Cases(table, labels, CaseWeights(None, 1.0))
    engine = NativeEngine(everyone, n_classes, replace(options, extra_questions=coded))
    answers, _ = engine.answers(0, coded)
    return Pool([decode_question(question, table.info) for question in coded], answers)
