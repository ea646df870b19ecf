"""Training sets for tests: from a teacher, or put together by hand without one."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bsnsing import BsnsingClassifier
from bsnsing.data.cases import Cases
from bsnsing.data.table import Table, read_training_table
from bsnsing.data.weights import CaseWeights
from bsnsing.distill.config import DistillConfig
from bsnsing.distill.encoder import TableEncoder
from bsnsing.distill.teacher import Teacher
from bsnsing.distill.training_set import Teaching, TrainingSet

NO_WEIGHTS = CaseWeights(None, 1.0)
CONFIG = DistillConfig()


def table_of(X: Any) -> Table:
    return read_training_table(BsnsingClassifier(), X)


def cases_of(X: Any, labels: NDArray[np.int32], weights: CaseWeights = NO_WEIGHTS) -> Cases:
    return Cases(table_of(X), labels, weights)


def teaching_of(
    X: Any,
    labels: NDArray[np.int32],
    weights: CaseWeights = NO_WEIGHTS,
    *,
    teacher: Any = "forest",
    config: DistillConfig = CONFIG,
) -> Teaching:
    return Teaching(
        teacher=teacher,
        real=cases_of(X, labels, weights),
        n_classes=2,
        n_segments=8,
        max_levels=30,
        random_state=0,
        n_threads=1,
        config=config,
    )


def silent_teacher(
    n_classes: int = 2, *, importances: ArrayLike | None = None, leaf_rows: int = 1
) -> Teacher:
    """A teacher that nobody may ask about rows."""
    known = None if importances is None else np.asarray(importances, dtype=float)
    encoder = TableEncoder((), False, ())
    factors = np.ones(n_classes)
    return Teacher(None, encoder, np.empty((0, n_classes)), known, 0.5, factors, leaf_rows)


def untaught(X: Any, importances: ArrayLike | None = None) -> TrainingSet:
    """Every row is one case of the one class or the other, and a teacher says what matters."""
    table = table_of(X)
    rows = np.arange(table.n_rows)
    cases = Cases(table, (rows % 2).astype(np.int32), NO_WEIGHTS)
    teacher = silent_teacher(importances=importances)
    return TrainingSet(cases, rows, rows, 1.0, 2, None, np.eye(2)[cases.labels], teacher)


def varied(**numbers: Any) -> type[BsnsingClassifier]:
    """The classifier with other numbers behind its teacher."""
    return type("Varied", (BsnsingClassifier,), {"_distill_config": replace(CONFIG, **numbers)})
