"""Trees that vote, and a tree chosen by cross-validation, each against doing it by hand."""

from __future__ import annotations

import pickle
from dataclasses import replace
from itertools import product
from typing import Any

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, make_classification
from sklearn.metrics import log_loss, roc_auc_score
from sklearn.model_selection import StratifiedKFold

from bsnsing import BsnsingClassifier, BsnsingClassifierCV, BsnsingEnsemble, export_text
from bsnsing.data.table import read_prediction_table
from bsnsing.estimators.cv import _Rows
from bsnsing.estimators.scores import SCORES, roc_auc
from bsnsing.tree.predict import walk_down
from bsnsing.tree.probabilities import tree_shares
from bsnsing.tree.prune import impurity_per_case, prune_by_cost

X, y = make_classification(200, 6, n_informative=4, n_classes=3, flip_y=0.1, random_state=0)
TABLE = X
PLAIN = BsnsingClassifier.plain(min_samples_leaf=3, shrinkage=1)


def test_probabilities_are_means_of_the_trees() -> None:
    model = BsnsingEnsemble(3, estimator=PLAIN, settings=[{"max_rules": r} for r in (1, 2, 3)])
    model.fit(X, y)
    alone = [clone(PLAIN).set_params(max_rules=r).fit(X, y) for r in (1, 2, 3)]
    expected = np.mean([tree.predict_proba(X) for tree in alone], axis=0)
    np.testing.assert_allclose(model.predict_proba(X), expected)
    np.testing.assert_array_equal(model.predict(X), expected.argmax(axis=1))
    for one, other in zip(model, alone, strict=True):
        assert export_text(one) == export_text(other)


def test_the_majority_votes_and_means_decide_ties() -> None:
    settings = [{"max_rules": 1}, {"max_rules": 1, "max_depth": 1}, {"max_depth": 2}, {}]
    model = BsnsingEnsemble(estimator=PLAIN, settings=settings, voting="hard").fit(X, y)
    labels = np.array([tree.predict(X) for tree in model.estimators_])
    mean = model.predict_proba(X)
    for row, votes in enumerate(labels.T):
        most = max(np.bincount(votes))
        winners = [k for k in range(3) if (votes == k).sum() == most]
        assert model.predict(X[row : row + 1])[0] == max(winners, key=lambda k: mean[row, k])
    assert any(len(set(votes)) == 2 for votes in labels.T)


def test_the_papers_nine_trees() -> None:
    model = BsnsingEnsemble.paper().fit(X, y)
    assert [(tree.max_rules, tree.min_samples_leaf) for tree in model.estimators_] == list(
        product((1, 2, 3), ("sqrt", 1, 10))
    )
    assert {tree.criterion for tree in model.estimators_} == {"gini_squared"}
    assert model.voting == "hard"


def test_nine_taught_trees_differ_and_repeat() -> None:
    model = BsnsingEnsemble().fit(X, y)
    assert len({str(tree) for tree in model.estimators_}) == 9
    again = BsnsingEnsemble(n_jobs=2).fit(X, y)
    np.testing.assert_array_equal(model.predict_proba(X), again.predict_proba(X))
    copied = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(model.predict_proba(X), copied.predict_proba(X))
    assert model.get_n_leaves() == sum(tree.n_leaves for tree in model.trees_)
    assert model.feature_importances_.sum() == pytest.approx(1)


@pytest.mark.parametrize(
    ("name", "value"), [("n_estimators", 0), ("voting", "loud"), ("settings", []), ("estimator", 3)]
)
def test_wrong_parameters_of_the_ensemble_are_named(name: str, value: object) -> None:
    with pytest.raises(ValueError, match=f"{name!r} parameter of BsnsingEnsemble"):
        BsnsingEnsemble(**{name: value}).fit(X, y)


def test_scores_are_those_of_trees_grown_with_the_price() -> None:
    """One grown tree per fold gives what growing anew for each price and strength gives."""
    data, labels = load_breast_cancer(return_X_y=True)
    model = BsnsingClassifierCV(PLAIN, cv=3, shrinkages=(1, 10), max_rules=(1, 2))
    model.fit(data, labels)
    results = model.cv_results_
    folds = list(StratifiedKFold(3, shuffle=True, random_state=0).split(data, labels))
    for i in np.linspace(0, len(results["mean_test_score"]) - 1, 6).astype(int):
        scores = []
        for train, test in folds:
            share = labels[train].mean()
            root = 2 * share * (1 - share)
            tree = clone(PLAIN).set_params(
                max_rules=int(results["param_max_rules"][i]),
                shrinkage=results["param_shrinkage"][i],
                ccp_alpha=results["param_ccp_alpha"][i] * root,
            )
            tree.fit(data[train], labels[train])
            scores.append(-log_loss(labels[test], tree.predict_proba(data[test])))
        assert results["mean_test_score"][i] == pytest.approx(np.mean(scores))
    assert model.best_score_ == results["mean_test_score"].max()
    best = clone(PLAIN).set_params(**model.best_params_).fit(data, labels)
    np.testing.assert_allclose(model.predict_proba(data), best.predict_proba(data))


@pytest.mark.parametrize("scoring", ["accuracy", "roc_auc", "neg_log_loss"])
@pytest.mark.parametrize("settings", [{}, {"teacher": "forest", "max_rules": 2}], ids=str)
@pytest.mark.parametrize("has_unknowns", [False, True])
def test_scores_are_those_of_each_candidate_pruned_and_asked(
    has_unknowns: bool, settings: dict[str, Any], scoring: str
) -> None:
    """No path is walked again for another penalty: it gives what predicting anew gives."""
    X = TABLE.copy()
    if has_unknowns:  # to the tree of the first fold, whose rows to learn from are complete
        _, test = next(StratifiedKFold(2, shuffle=True, random_state=0).split(X, y))
        X[test] = np.where(np.random.default_rng(0).random(X[test].shape) < 0.3, np.nan, X[test])
    estimator = clone(PLAIN).set_params(**settings)
    model = BsnsingClassifierCV(estimator, cv=2, shrinkages=(0, 3), scoring=scoring).fit(X, y)
    results = model.cv_results_
    penalties, strengths = results["param_ccp_alpha"], results["param_shrinkage"]
    assert len(set(penalties)) > 5
    scores = np.empty((2, len(penalties)))
    sizes = set()
    folds = StratifiedKFold(2, shuffle=True, random_state=0).split(X, y)
    for fold, (train, test) in enumerate(folds):
        rows = _Rows.read(X[train], np.arange(3), y[train].astype(np.int32), None)
        grower = model._unpruned(2, rows)
        ((grown, learnt, _),) = grower._grow(X[train], y[train], None).trees
        table = read_prediction_table(grower, X[test], grown.columns)
        root = impurity_per_case(grown)[0]
        for i, (penalty, strength) in enumerate(zip(penalties, strengths, strict=True)):
            shrunk = replace(grown, value=tree_shares(grown, learnt, strength))
            tree = prune_by_cost(prune_by_cost(shrunk, grower.ccp_alpha), penalty * root)
            walk = walk_down(tree, table, 1)
            assert (len(walk.stopped) > 0) is (has_unknowns and fold == 0 and tree.n_leaves > 1)
            scores[fold, i] = SCORES[scoring](walk.mean(tree.value), y[test])
            sizes.add(tree.n_leaves)
    assert len(sizes) > 5
    np.testing.assert_allclose(results["mean_test_score"], scores.mean(axis=0), rtol=1e-12)
    np.testing.assert_allclose(results["std_test_score"], scores.std(axis=0), atol=1e-12)
    best = model.best_estimator_
    assert best.predict_proba(X).tolist() == best.tree_.value[best.apply(X)].tolist()


def test_a_chosen_tree_is_shown_and_measured_like_any_other() -> None:
    model = BsnsingClassifierCV(PLAIN, cv=3, shrinkages=(1,))
    assert str(model) == repr(model)
    model.fit(X, y)
    best = model.best_estimator_
    assert str(model) == str(best) == export_text(model) == export_text(best.tree_)
    assert (model.get_n_leaves(), model.get_depth()) == (best.get_n_leaves(), best.get_depth())


@pytest.mark.parametrize("max_leaf_nodes", [6, 10])
def test_trees_of_limited_size_are_scored_by_the_shares_of_their_own_nodes(
    max_leaf_nodes: int,
) -> None:
    estimator = clone(PLAIN).set_params(max_leaf_nodes=max_leaf_nodes)
    model = BsnsingClassifierCV(estimator, cv=2, shrinkages=(1,)).fit(X, y)
    penalties = model.cv_results_["param_ccp_alpha"]
    scores = []
    for train, test in StratifiedKFold(2, shuffle=True, random_state=0).split(X, y):
        grown = clone(estimator).fit(X[train], y[train])
        table = read_prediction_table(grown, X[test], grown.tree_.columns)
        root = impurity_per_case(grown.tree_)[0]
        trees = [prune_by_cost(grown.tree_, penalty * root) for penalty in penalties]
        shares = [walk_down(tree, table, 1).mean(tree.value) for tree in trees]
        scores.append([SCORES["neg_log_loss"](share, y[test]) for share in shares])
    np.testing.assert_allclose(model.cv_results_["mean_test_score"], np.mean(scores, axis=0))


@pytest.mark.parametrize("scoring", ["accuracy", "roc_auc", "neg_log_loss"])
def test_other_scores_and_many_classes(scoring: str) -> None:
    model = BsnsingClassifierCV(PLAIN, cv=3, scoring=scoring).fit(X, y)
    assert model.best_estimator_.get_n_leaves() > 1
    assert model.predict(X).shape == y.shape


def test_area_under_the_curve_is_that_of_scikit_learn() -> None:
    rng = np.random.default_rng(0)
    shares = np.round(rng.dirichlet(np.ones(3), 200), 1)  # with ties
    labels = rng.integers(0, 3, 200).astype(np.int32)
    expected = np.mean([roc_auc_score(labels == k, shares[:, k]) for k in range(3)])
    assert roc_auc(shares, labels) == pytest.approx(expected)
    assert roc_auc(shares, np.zeros(200, dtype=np.int32)) == 0.5


def test_prune_returns_a_smaller_tree() -> None:
    model = BsnsingClassifier(ccp_alpha=0.0).fit(X, y)
    path = model.pruning_path()
    assert path.n_leaves[0] == model.get_n_leaves() > 4
    np.testing.assert_allclose(
        path.ccp_alphas, BsnsingClassifier().cost_complexity_pruning_path(X, y).ccp_alphas
    )
    before = str(model)
    smaller = model.prune(ccp_alpha=float(path.ccp_alphas[1]))
    assert path.n_leaves[1] >= smaller.get_n_leaves() < model.get_n_leaves()
    least = smaller.prune(max_leaf_nodes=3)
    assert least.get_n_leaves() == 3
    assert least.predict_proba(X).min() > 0
    assert str(model) == before  # as it was
    with pytest.raises(ValueError, match="max_leaf_nodes"):
        model.prune(max_leaf_nodes=0)


def test_one_tree_per_class_has_no_single_path() -> None:
    model = BsnsingClassifier.paper().fit(X, y)
    with pytest.raises(ValueError, match="each has its own path"):
        model.pruning_path()
    with pytest.raises(ValueError, match="multiclass"):
        BsnsingClassifierCV(BsnsingClassifier.paper()).fit(X, y)
