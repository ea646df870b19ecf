"""The scores that benchmarks publish, against scikit-learn's."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn import metrics

from benchmarks.quality import scores


@pytest.mark.parametrize("n_classes", [2, 4])
def test_scores_are_those_of_scikit_learn(n_classes: int) -> None:
    rng = np.random.default_rng(n_classes)
    y = rng.integers(0, n_classes, 300)
    shares = np.round(rng.dirichlet(np.ones(n_classes), 300), 1) + 0.01  # with ties
    shares /= shares.sum(axis=1, keepdims=True)
    assert scores.accuracy(shares, y) == metrics.accuracy_score(y, shares.argmax(axis=1))
    assert scores.log_loss(shares, y) == pytest.approx(metrics.log_loss(y, shares))
    given = shares[:, 1] if n_classes == 2 else shares
    area = metrics.roc_auc_score(y, given, multi_class="ovr", average="macro")
    assert scores.auc(shares, y) == pytest.approx(area)


def test_classes_that_do_not_occur_are_left_out() -> None:
    y = np.array([0, 0, 2, 2])
    shares = np.array([[0.6, 0.3, 0.1], [0.2, 0.5, 0.3], [0.3, 0.3, 0.4], [0.1, 0.1, 0.8]])
    assert scores.auc(shares, y) == pytest.approx((0.75 + 1.0) / 2)
    assert scores.log_loss(np.array([[0.0, 1.0]]), np.array([0])) == pytest.approx(-np.log(1e-15))
