"""The learners that ``bsnsing evaluate`` compares: a new one is a function and a line here."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.compose import make_column_transformer
from sklearn.dummy import DummyClassifier
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.tree import DecisionTreeClassifier

from bsnsing.cli.fitting import prepare
from bsnsing.cli.moments import as_integers, kind_of_type
from bsnsing.cli.parameters import make_estimator
from bsnsing.cli.training import Training

# Levels of a text column that other learners get a 0/1 column for; the rarest share one.
_MOST_LEVELS = 50
# Penalties of a pruned tree that are tried at most.
_MOST_PENALTIES = 20


@dataclass(frozen=True, slots=True)
class Task:
    """A table in the forms that learners take it in."""

    training: Training
    numbers: NDArray[np.float64]  # its table: levels as codes, NaN where missing
    is_level: NDArray[np.bool_]  # of each column of numbers, whether it holds codes

    @property
    def labels(self) -> NDArray[Any]:
        """Labels of all rows."""
        return self.training.labels

    @classmethod
    def of(cls, training: Training) -> Task:
        """Take a table over."""
        columns = [training.table[name] for name in training.table.column_names]
        is_level = [pa.types.is_string(column.type) for column in columns]
        numbers = [
            _codes(column) if holds_levels else _floats(column)
            for column, holds_levels in zip(columns, is_level, strict=True)
        ]
        levels = np.array(is_level) | np.isin(training.table.column_names, training.categories)
        return cls(training, np.column_stack(numbers), levels)


def _codes(column: Any) -> NDArray[np.float64]:
    encoded = column.combine_chunks().dictionary_encode()
    indices = encoded.indices if not isinstance(encoded, pa.ChunkedArray) else None
    if indices is None:
        indices = encoded.chunk(0).indices
    codes: NDArray[np.float64] = pc.cast(indices, "float64").to_numpy(zero_copy_only=False)
    return codes


def _floats(column: Any) -> NDArray[np.float64]:
    kind = column.type
    if pa.types.is_dictionary(kind):  # levels that have an order, in which they are coded
        column = pa.chunked_array([chunk.indices for chunk in column.chunks])
    elif kind_of_type(kind) is not None:
        column = as_integers(column)
    floats: NDArray[np.float64] = pc.cast(column, "float64", safe=False).to_numpy()
    return floats


class Fitted(Protocol):
    """What a contestant gives for the rows of one fold."""

    classes_: NDArray[Any]

    def probabilities(self, task: Task, rows: NDArray[np.intp]) -> NDArray[np.float64]:
        """Return the probability of each class for these rows."""
        ...

    def n_leaves(self) -> int | None:
        """Return the number of leaves, where the model is made of trees."""
        ...


class _Own:
    """A learner of this package, which takes the table as it is."""

    def __init__(self, model: Any, task: Task, rows: NDArray[np.intp]) -> None:
        self._model = model.fit(task.training.table.take(rows), task.labels[rows])
        self.classes_ = self._model.classes_

    def probabilities(self, task: Task, rows: NDArray[np.intp]) -> NDArray[np.float64]:
        shares: NDArray[np.float64] = self._model.predict_proba(task.training.table.take(rows))
        return shares

    def n_leaves(self) -> int | None:
        return int(sum(tree.n_leaves for tree in self._model.trees_))


class _Peer:
    """A learner of scikit-learn, which gets levels as 0/1 columns."""

    def __init__(self, model: Any, task: Task, rows: NDArray[np.intp]) -> None:
        levels = OneHotEncoder(
            handle_unknown="infrequent_if_exist", max_categories=_MOST_LEVELS, sparse_output=False
        )
        encoder = make_column_transformer(
            (levels, np.flatnonzero(task.is_level)), remainder="passthrough"
        )
        self._model = make_pipeline(encoder, model).fit(task.numbers[rows], task.labels[rows])
        self.classes_ = self._model.classes_

    def probabilities(self, task: Task, rows: NDArray[np.intp]) -> NDArray[np.float64]:
        shares: NDArray[np.float64] = self._model.predict_proba(task.numbers[rows])
        return shares

    def n_leaves(self) -> int | None:
        model = self._model[-1]
        trees = [model.tree_] if hasattr(model, "tree_") else getattr(model, "estimators_", [])
        if hasattr(model, "_predictors"):  # of the booster, which has no public name for them
            return int(sum(own.get_n_leaf_nodes() for part in model._predictors for own in part))
        return sum(_leaves(tree) for tree in trees) or None


def _leaves(tree: Any) -> int:
    return int(tree.get_n_leaves() if hasattr(tree, "get_n_leaves") else tree.n_leaves)


class PrunedTree(ClassifierMixin, BaseEstimator):
    """CART: a tree of scikit-learn, whose penalty per leaf is chosen by cross-validation."""

    def fit(self, X: NDArray[np.float64], y: NDArray[Any]) -> PrunedTree:
        """Choose the penalty, then grow on all rows."""
        tree = DecisionTreeClassifier(random_state=0)
        alphas = np.unique(tree.cost_complexity_pruning_path(X, y).ccp_alphas.clip(0))
        places = np.linspace(0, len(alphas) - 1, min(len(alphas), _MOST_PENALTIES)).astype(int)
        _, counts = np.unique(y, return_counts=True)
        folds = int(min(5, counts.min()))
        if folds < 2:
            self._best = tree.fit(X, y)
        else:
            grid = {"ccp_alpha": np.unique(alphas[places])}
            self._best = GridSearchCV(tree, grid, cv=folds).fit(X, y).best_estimator_
        self.classes_, self.tree_ = self._best.classes_, self._best.tree_
        return self

    def predict_proba(self, X: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the probability of each class."""
        shares: NDArray[np.float64] = self._best.predict_proba(X)
        return shares


def _logistic() -> Any:
    return make_pipeline(
        SimpleImputer(strategy="median", add_indicator=True, keep_empty_features=True),
        StandardScaler(),
        LogisticRegression(max_iter=2000),
    )


@dataclass(frozen=True, slots=True)
class Contestant:
    """One learner: its line of help, and how it is made.

    ``own`` are the learner and preset of this package, and others are made by ``make``.
    """

    help: str
    own: tuple[str, str] | None = None
    make: Callable[[], Any] | None = None

    def fit(self, task: Task, rows: NDArray[np.intp], parameters: Mapping[str, str]) -> Fitted:
        """Fit to some rows of a task."""
        if self.own is None:
            assert self.make is not None
            return _Peer(self.make(), task, rows)
        return _Own(prepare(make_estimator(*self.own, parameters), task.training), task, rows)


# In the order in which help lists them.
CONTESTANTS = {
    "bsnsing": Contestant("a tree, as `bsnsing fit` grows it", own=("tree", "default")),
    "plain": Contestant("a tree with --preset plain", own=("tree", "plain")),
    "paper": Contestant("a tree with --preset paper", own=("tree", "paper")),
    "cv": Contestant("a tree with --learner cv", own=("cv", "default")),
    "ensemble": Contestant("trees with --learner ensemble", own=("ensemble", "default")),
    "cart": Contestant("CART of scikit-learn, pruned by cross-validation", make=PrunedTree),
    "forest": Contestant(
        "random forest of 200 trees",
        make=lambda: RandomForestClassifier(200, random_state=0),
    ),
    "boosting": Contestant(
        "gradient boosting", make=lambda: HistGradientBoostingClassifier(random_state=0)
    ),
    "logistic": Contestant("logistic regression", make=_logistic),
    "majority": Contestant("class shares, whatever the row", make=DummyClassifier),
}
