"""What the paper's experiments do with a learner: fit it to each split of a set, and judge it."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from benchmarks import datasets
from benchmarks.datasets.dataset import Dataset
from benchmarks.quality import scores
from benchmarks.quality.contestants import shares_of
from benchmarks.quality.protocol import make_task
from bsnsing import BsnsingClassifier

Fit = Callable[[Any, Any], Any]  # from rows and classes to a model


def fit_paper(**settings: Any) -> Fit:
    """The paper's tree with its leaf size, the fourth root of the rows."""
    return lambda X, y: BsnsingClassifier.paper(
        min_samples_leaf=max(1, round(len(X) ** 0.25)), **settings
    ).fit(X, y)


@dataclass(frozen=True)
class Fitted:
    """One split's model, its accuracy on the test rows, and CPU seconds of the fit."""

    model: Any
    accuracy: float
    cpu_seconds: float


def each_split(fit: Fit, name: str, n_splits: int) -> Iterator[Fitted]:
    """Fit to the 0/1 columns of a DL8.5 set, split by split."""
    data = datasets.load("dl85", name)
    return (_fit_one(fit, data, number) for number in range(n_splits))


def fit_split(fit: Fit, name: str, number: int) -> Fitted:
    """Fit to the 0/1 columns of a DL8.5 set, on one of its splits."""
    return _fit_one(fit, datasets.load("dl85", name), number)


def _fit_one(fit: Fit, data: Dataset, number: int) -> Fitted:
    task = make_task(data, number)
    y = data.y.astype(int)
    begin = time.process_time()
    model = fit(data.answers[task.train], y[task.train])
    seconds = time.process_time() - begin
    labels = np.asarray(model.predict(data.answers[task.test]))
    return Fitted(model, float(np.mean(labels == y[task.test])), seconds)


def accuracy_of(fit: Fit, name: str, n_splits: int) -> tuple[float, float]:
    """Mean test accuracy over the splits of a DL8.5 set, and mean CPU seconds of a fit."""
    fitted = list(each_split(fit, name, n_splits))
    return (
        float(np.mean([one.accuracy for one in fitted])),
        float(np.mean([one.cpu_seconds for one in fitted])),
    )


@dataclass(frozen=True)
class Means:
    """Over splits: accuracy of the labels, AUC, and CPU seconds of a fit."""

    accuracy: float
    auc: float
    cpu_seconds: float


def means_of(make: Callable[[], Any], suite: str, name: str, n_splits: int) -> Means:
    """Judge a learner by the splits on file."""
    data = datasets.load(suite, name)
    right, areas, seconds = [], [], []
    for number in range(n_splits):
        task = make_task(data, number)
        train, test = task.tables
        y = data.codes[task.test]
        begin = time.process_time()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            model = make().fit(train, task.y)
        seconds.append(time.process_time() - begin)
        right.append(float((model.predict(test) == y).mean()))
        areas.append(scores.auc(shares_of(model, test, task), y))
    return Means(float(np.mean(right)), float(np.nanmean(areas)), float(np.mean(seconds)))
