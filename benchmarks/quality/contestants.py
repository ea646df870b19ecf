"""The contestants of `benchmarks.quality`, each a function from a task to its outcome.

A task offers the same rows in the forms that learners take: `tables` (typed columns, missing
cells), `numbers` (categories as 0/1 columns, missing cells NaN), `filled` (the same, missing
cells replaced by the median) and `answers` (0/1 columns only).
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.model_selection import GridSearchCV
from sklearn.tree import DecisionTreeClassifier

from benchmarks.datasets.dataset import Dataset
from bsnsing import BsnsingClassifier, BsnsingEnsemble

Pair = tuple[Any, Any]  # rows to train and to test on


@dataclass(frozen=True)
class Task:
    """One split of one set."""

    data: Dataset
    train: np.ndarray
    test: np.ndarray

    @property
    def y(self) -> np.ndarray:
        """Classes of the training rows, as positions among all classes of the set."""
        return self.data.codes[self.train]

    @property
    def tables(self) -> Pair:
        return self.data.take(self.train), self.data.take(self.test)

    @property
    def numbers(self) -> Pair:
        return self.data.numbers[self.train], self.data.numbers[self.test]

    @cached_property
    def filled(self) -> Pair:
        train, test = self.numbers
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", RuntimeWarning)  # columns without any value
            middle = np.nan_to_num(np.nanmedian(train, axis=0))
        return tuple(np.where(np.isnan(part), middle, part) for part in (train, test))

    @cached_property
    def answers(self) -> Pair:
        """0/1 columns: as they are, else thresholds guessed by boosted trees."""
        train, test = self.filled
        if np.isin(train, (0, 1)).all():
            return train.astype(np.uint8), test.astype(np.uint8)
        from licketysplit import ThresholdGuessBinarizer

        guess = ThresholdGuessBinarizer(random_state=0, column_elimination=False)
        guess.fit(train, self.y)
        return tuple(np.asarray(guess.transform(part), dtype=np.uint8) for part in (train, test))


@dataclass(frozen=True)
class Outcome:
    """Probabilities of the test rows, and the size of the model."""

    shares: np.ndarray  # one column per class of the set
    n_leaves: float = np.nan
    n_questions: float = np.nan


Learner = Callable[[Task], Outcome]


def shares_of(model: Any, X: Any, task: Task, classes: np.ndarray | None = None) -> np.ndarray:
    """Probabilities with a column for every class of the set, also for those not trained on."""
    classes = model.classes_ if classes is None else classes
    shares = np.zeros((len(X), task.data.n_classes))
    shares[:, np.asarray(classes, dtype=int)] = model.predict_proba(X)
    return shares


def fit_sklearn(model: Any, task: Task, forms: Pair) -> Outcome:
    train, test = forms
    model.fit(train, task.y)
    best = getattr(model, "best_estimator_", model)
    tree = getattr(best, "tree_", None)
    n_leaves = np.nan if tree is None else tree.n_leaves
    return Outcome(shares_of(model, test, task), n_leaves, n_leaves - 1)


def cart(task: Task) -> Outcome:
    return fit_sklearn(DecisionTreeClassifier(random_state=0), task, task.numbers)


def cart_leaf_5(task: Task) -> Outcome:
    model = DecisionTreeClassifier(min_samples_leaf=5, random_state=0)
    return fit_sklearn(model, task, task.numbers)


def cart_pruned(task: Task) -> Outcome:
    """Cost-complexity pruning, its strength chosen by 5-fold cross-validation."""
    tree = DecisionTreeClassifier(random_state=0)
    alphas = np.unique(tree.cost_complexity_pruning_path(task.numbers[0], task.y).ccp_alphas)
    between = np.sqrt(alphas[:-1] * alphas[1:])  # as in Breiman et al., geometric means
    tried = np.unique(np.quantile(between, np.linspace(0, 1, 20))) if len(between) else [0.0]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # classes with fewer cases than folds
        return fit_sklearn(GridSearchCV(tree, {"ccp_alpha": tried}, cv=5), task, task.numbers)


def hs_tree(task: Task) -> Outcome:
    from imodels import HSTreeClassifier, HSTreeClassifierCV

    train, test = task.filled
    present, codes = np.unique(task.y, return_inverse=True)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            model = HSTreeClassifierCV(random_state=0).fit(train, codes)
        except ValueError:  # a fold without some class, which its scoring cannot take
            model = HSTreeClassifier(DecisionTreeClassifier(max_leaf_nodes=20, random_state=0))
            model.fit(train, codes)
        n_leaves = model.estimator_.tree_.n_leaves
        return Outcome(shares_of(model, test, task, present), n_leaves, n_leaves - 1)


def lickety_split(task: Task) -> Outcome:
    from licketysplit import LicketySPLITClassifier

    train, test = task.answers
    present, codes = np.unique(task.y, return_inverse=True)
    model = LicketySPLITClassifier(depth_budget=5).fit(train, codes)
    labels = np.asarray(model.predict(test), dtype=int)
    return Outcome(np.eye(task.data.n_classes)[present[labels]])


def streed(max_depth: int) -> Learner:
    def learn(task: Task) -> Outcome:
        from pystreed import STreeDClassifier

        train, test = (pd.DataFrame(part) for part in task.answers)
        model = STreeDClassifier(max_depth=max_depth, time_limit=60)
        model.fit(train, task.y)
        n_leaves = model.get_n_leaves()
        present = np.unique(task.y)
        return Outcome(shares_of(model, test, task, present), n_leaves, n_leaves - 1)

    return learn


def forest(task: Task) -> Outcome:
    return fit_sklearn(RandomForestClassifier(100, random_state=0), task, task.numbers)


def boosting(task: Task) -> Outcome:
    return fit_sklearn(HistGradientBoostingClassifier(random_state=0), task, task.numbers)


def ebm(task: Task) -> Outcome:
    from interpret.glassbox import ExplainableBoostingClassifier

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return fit_sklearn(
            ExplainableBoostingClassifier(random_state=0, n_jobs=1), task, task.numbers
        )


def ours(make: Callable[[], Any]) -> Learner:
    def learn(task: Task) -> Outcome:
        train, test = task.tables
        model = make().fit(train, task.y)
        return Outcome(
            shares_of(model, test, task),
            sum(tree.n_leaves for tree in model.trees_),
            sum(tree.n_questions for tree in model.trees_),
        )

    return learn


@dataclass(frozen=True)
class Contestant:
    """A learner by the name it has in tables."""

    name: str
    learn: Learner
    kind: str  # ours, tree, or ceiling
    is_fast: bool = True  # part of the quick form


CONTESTANTS = {
    contestant.name: contestant
    for contestant in (
        Contestant("bsnsing", ours(BsnsingClassifier), "ours"),
        Contestant("bsnsing 8 leaves", ours(lambda: BsnsingClassifier(max_leaf_nodes=8)), "ours"),
        Contestant("bsnsing plain()", ours(BsnsingClassifier.plain), "ours"),
        Contestant("bsnsing paper()", ours(BsnsingClassifier.paper), "ours"),
        Contestant("bsnsing ensemble", ours(BsnsingEnsemble), "ours", is_fast=False),
        Contestant("CART", cart, "tree"),
        Contestant("CART leaf 5", cart_leaf_5, "tree"),
        Contestant("CART CV-pruned", cart_pruned, "tree"),
        Contestant("HSTreeCV", hs_tree, "tree"),
        Contestant("LicketySPLIT", lickety_split, "tree"),
        Contestant("STreeD depth 3", streed(3), "tree", is_fast=False),
        Contestant("STreeD depth 4", streed(4), "tree", is_fast=False),
        Contestant("forest", forest, "ceiling"),
        Contestant("HistGradientBoosting", boosting, "ceiling", is_fast=False),
        Contestant("EBM", ebm, "ceiling", is_fast=False),
    )
}
