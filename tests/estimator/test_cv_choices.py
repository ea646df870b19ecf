"""What BsnsingClassifierCV takes: folds, groups, scorers, tables and estimators."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse as sp
from sklearn.datasets import make_classification
from sklearn.exceptions import NotFittedError
from sklearn.metrics import accuracy_score, get_scorer, make_scorer, roc_auc_score
from sklearn.model_selection import GroupKFold, KFold, StratifiedKFold
from sklearn.tree import DecisionTreeClassifier

from bsnsing import BsnsingClassifier, BsnsingClassifierCV, BsnsingEnsemble
from bsnsing.estimators.scores import SCORES, accuracy, roc_auc

X, y = make_classification(150, 5, n_informative=4, n_redundant=0, flip_y=0.1, random_state=1)
GROUPS = np.arange(150) % 7
PLAIN = BsnsingClassifier.plain(min_samples_leaf=3)


def make(**settings: Any) -> BsnsingClassifierCV:
    return BsnsingClassifierCV(PLAIN, **({"cv": 3, "shrinkages": (1, 10)} | settings))


def means(model: BsnsingClassifierCV) -> list[float]:
    return model.cv_results_["mean_test_score"].tolist()


@pytest.mark.parametrize("n_jobs", [None, 2])
def test_a_number_a_splitter_and_pairs_of_rows_say_the_same(n_jobs: int | None) -> None:
    splitter = StratifiedKFold(3, shuffle=True, random_state=0)
    pairs = list(splitter.split(X, y))
    masks = [(np.isin(np.arange(150), train), test.tolist()) for train, test in pairs]
    expected = means(make(n_jobs=n_jobs).fit(X, y))
    for cv in (splitter, pairs, iter(pairs), masks):
        assert means(make(cv=cv).fit(X, y)) == expected
    assert means(make(cv=KFold(3)).fit(X, y)) != expected


def test_groups_go_to_the_splitter() -> None:
    pairs = list(GroupKFold(3).split(X, y, GROUPS))
    assert means(make(cv=GroupKFold(3)).fit(X, y, groups=GROUPS)) == means(make(cv=pairs).fit(X, y))


def test_a_splitter_sees_the_users_table_labels_and_groups() -> None:
    frame, names = pd.DataFrame(X), np.array(["bad", "good"])[y]

    class Splitter:
        def split(self, X: Any, y: Any, groups: Any) -> Any:
            assert X is frame
            assert y.tolist() == names.tolist()
            assert groups.tolist() == GROUPS.tolist()
            return KFold(2).split(X)

    model = make(cv=Splitter()).fit(frame, names, groups=GROUPS)
    assert means(model) == means(make(cv=KFold(2)).fit(X, y))


def test_with_groups_a_number_of_folds_keeps_them_together() -> None:
    seen = []

    def scorer(model: Any, rows: Any, labels: Any) -> float:
        seen.append(frozenset(rows["group"]))
        return float(model.score(rows, labels))

    frame = pd.DataFrame(X, columns=list("abcde")).assign(group=GROUPS)
    make(scoring=scorer).fit(frame, y, groups=GROUPS)
    folds = set(seen)
    assert len(folds) == 3
    assert sum(map(len, folds)) == 7


@pytest.mark.parametrize(
    ("cv", "message"),
    [
        (1, "'cv' parameter of BsnsingClassifierCV must be an int of at least 2, a splitter"),
        ("5", "'cv' parameter"),
        (None, "'cv' parameter"),
        ([], "no folds"),
        ([3], "pairs of train and test rows. Got 3"),
        ([([0, 1], [150])], "positions from 0 to 149"),
        ([([0, 1], [])], "at least one of each"),
        ([([0.5], [1])], "positions from 0 to 149"),
    ],
)
def test_folds_that_cannot_be_are_refused(cv: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        make(cv=cv).fit(X, y)


@pytest.mark.parametrize(
    ("groups", "message"), [(GROUPS[:5], r"each of the 150 rows"), ([1] * 150, "at least two")]
)
def test_groups_that_cannot_be_are_refused(groups: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        make().fit(X, y, groups=groups)


@pytest.mark.parametrize("name", SCORES)
@pytest.mark.parametrize("weight", [None, np.arange(150) % 4 + 0.5], ids=["equal", "weighted"])
def test_quick_scores_are_those_of_scikit_learn(name: str, weight: Any) -> None:
    quick = make(scoring=name).fit(X, y, sample_weight=weight)
    slow = make(scoring=get_scorer(name)).fit(X, y, sample_weight=weight)
    np.testing.assert_allclose(means(quick), means(slow))
    assert quick.best_params_ == slow.best_params_


@pytest.mark.parametrize("scoring", ["balanced_accuracy", "f1", "neg_brier_score"])
def test_any_scorer_of_scikit_learn(scoring: str) -> None:
    model = make(scoring=scoring).fit(X, y)
    results = model.cv_results_
    for i in (0, len(means(model)) // 2, len(means(model)) - 1):
        scores = []
        for train, test in StratifiedKFold(3, shuffle=True, random_state=0).split(X, y):
            share = y[train].mean()
            alone = BsnsingClassifier.plain(
                min_samples_leaf=3,
                shrinkage=results["param_shrinkage"][i],
                ccp_alpha=results["param_ccp_alpha"][i] * 2 * share * (1 - share),
            )
            scores.append(get_scorer(scoring)(alone.fit(X[train], y[train]), X[test], y[test]))
        assert means(model)[i] == pytest.approx(np.mean(scores))
    assert model.best_score_ == max(means(model))


def test_a_scorer_sees_the_users_table_and_all_classes() -> None:
    labels = np.array(["a", "b"])[y].astype(object)
    labels[0] = "rare"  # which no tree learns from that is judged by this row

    def scorer(model: BsnsingClassifier, rows: Any, truth: Any) -> float:
        assert isinstance(rows, pl.DataFrame)
        assert model.predict_proba(rows).shape == (len(rows), 3)
        assert set(model.predict(rows)) <= {"a", "b", "rare"}
        return accuracy_score(truth, model.predict(rows))

    frame = pl.DataFrame(X, schema=list("abcde"))
    model = make(scoring=scorer).fit(frame, labels)
    np.testing.assert_allclose(means(model), means(make(scoring="accuracy").fit(frame, labels)))


@pytest.mark.parametrize(
    ("scoring", "error", "message"),
    [
        ("acc", ValueError, "'scoring' parameter .*get_scorer_names"),
        (["accuracy"], ValueError, "'scoring' parameter"),
        (None, ValueError, "'scoring' parameter"),
        (accuracy_score, ValueError, "metric function rather than a scorer"),
        (lambda model, rows, truth: "good", TypeError, "one number for a model. Got 'good'"),
        (lambda model, rows, truth: float("nan"), ValueError, "NaN for every candidate"),
    ],
)
def test_scores_that_cannot_be_are_refused(scoring: Any, error: Any, message: str) -> None:
    with pytest.raises(error, match=message):
        make(scoring=scoring).fit(X, y)


def test_weights_count_in_scores() -> None:
    rng = np.random.default_rng(0)
    shares = np.round(rng.dirichlet(np.ones(3), 200), 1)  # with ties
    labels = rng.integers(0, 3, 200).astype(np.int32)
    weights = rng.integers(0, 4, 200)
    expected = [roc_auc_score(labels == k, shares[:, k], sample_weight=weights) for k in range(3)]
    assert roc_auc(shares, labels, weights.astype(float)) == pytest.approx(np.mean(expected))
    for score in SCORES.values():
        repeated = score(shares.repeat(weights, axis=0), labels.repeat(weights), None)
        assert score(shares, labels, weights.astype(float)) == pytest.approx(repeated)
    assert accuracy(shares, labels) == pytest.approx((shares.argmax(axis=1) == labels).mean())


def test_scorers_that_take_no_weights_count_rows() -> None:
    def metric(truth: Any, predicted: Any) -> float:
        return float((truth == predicted).mean())

    weight = np.arange(150) % 3
    own = make(scoring=make_scorer(metric)).fit(X, y, sample_weight=weight)
    plain = make(scoring=lambda model, rows, truth: metric(truth, model.predict(rows)))
    assert means(own) == means(plain.fit(X, y, sample_weight=weight))


def test_one_weight_for_all_rows_and_rows_of_weight_zero() -> None:
    expected = means(make().fit(X, y))
    assert means(make().fit(X, y, sample_weight=1)) == pytest.approx(expected)
    more = np.vstack([X, X[:5] + 9]), np.append(y, 1 - y[:5])
    weight = np.append(np.ones(150), np.zeros(5))
    assert means(make().fit(*more, sample_weight=weight)) == pytest.approx(expected)


TABLES: dict[str, Callable[[Any], Any]] = {
    "list": lambda data: data.tolist(),
    "tuple": lambda data: tuple(map(tuple, data.tolist())),
    "sparse": sp.coo_matrix,
    "pandas": pd.DataFrame,
    "polars": lambda data: pl.DataFrame(data, schema=list("abcde")),
    "arrow": lambda data: pa.table(dict(zip("abcde", data.T, strict=True))),
    "masked": np.ma.array,
}


@pytest.mark.parametrize("as_X", TABLES.values(), ids=TABLES)
def test_every_table_gives_the_same_scores(as_X: Callable[[Any], Any]) -> None:
    assert means(make().fit(as_X(X), y)) == means(make().fit(X, y))


@pytest.mark.parametrize(
    ("rows", "labels", "weight"),
    [
        (np.zeros((0, 3)), [], None),
        (pd.DataFrame({"a": []}), [], None),
        (None, y, None),
        (3, y, None),
        ({"a": [1]}, y, None),
        (pl.DataFrame(X).lazy(), y, None),
        (np.zeros(150, dtype=[("a", "f8"), ("b", "f8")]), y, None),
        (X, None, None),
        (X, y[:4], None),
        (X, y, [1, 2]),
        (X, y, -1),
        (X, y, "heavy"),
        (X, y, np.ones((150, 2))),
    ],
)
def test_errors_are_those_of_the_classifier(rows: Any, labels: Any, weight: Any) -> None:
    with pytest.raises((TypeError, ValueError)) as expected:
        PLAIN.fit(rows, labels, sample_weight=weight)
    with pytest.raises(expected.type) as error:
        make().fit(rows, labels, sample_weight=weight)
    said = str(error.value).replace("BsnsingClassifierCV", "BsnsingClassifier")
    assert said == str(expected.value)


def test_too_few_rows_for_folds_are_named() -> None:
    with pytest.raises(ValueError, match="two rows of the same class"):
        make().fit([[1], [2], [3]], [0, 1, 2])


@pytest.mark.parametrize("estimator", [DecisionTreeClassifier(), BsnsingClassifier, "plain", 3])
@pytest.mark.parametrize("kind", [BsnsingClassifierCV, BsnsingEnsemble])
def test_other_estimators_are_refused(kind: Any, estimator: Any) -> None:
    with pytest.raises(ValueError, match=f"'estimator' .* {kind.__name__} .*a BsnsingClassifier"):
        kind(estimator=estimator).fit(X, y)


def test_the_chosen_tree_answers_like_any_other() -> None:
    model = make().fit(X, y)
    best = model.best_estimator_
    np.testing.assert_array_equal(model.feature_importances_, best.feature_importances_)
    np.testing.assert_array_equal(model.apply(X), best.apply(X))
    assert (model.decision_path(X) != best.decision_path(X)).nnz == 0
    for ask in (lambda m: m.apply(X), lambda m: m.decision_path(X)):
        with pytest.raises(NotFittedError):
            ask(make())
    assert not hasattr(make(), "feature_importances_")
