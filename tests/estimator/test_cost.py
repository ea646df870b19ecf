"""Cost matrices: labels are the cheapest decision, and probabilities stay probabilities."""

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_breast_cancer, load_wine
from sklearn.model_selection import FixedThresholdClassifier, TunedThresholdClassifierCV

import bsnsing
from bsnsing import BsnsingClassifier, BsnsingClassifierCV, BsnsingEnsemble, decision_threshold
from bsnsing.tree.decide import decide, split_weights

COST = {("ill", "healthy"): 10.0}
KINDS = {
    "default": BsnsingClassifier(cost=COST),
    "plain": BsnsingClassifier.plain(cost=COST),
    "paper": BsnsingClassifier.paper(cost=COST),
    "pruned": BsnsingClassifier.plain(cost=COST, ccp_alpha=0.002, class_weight="balanced"),
    "greedy": BsnsingClassifier.plain(cost=COST, solver="greedy"),
    "ensemble": BsnsingEnsemble(3, estimator=BsnsingClassifier.plain(cost=COST)),
    "votes": BsnsingEnsemble(
        settings=[{"max_rules": 1}, {"min_samples_leaf": 3}],
        estimator=BsnsingClassifier.plain(cost=COST),
        voting="hard",
    ),
    "cv": BsnsingClassifierCV(BsnsingClassifier.plain(cost=COST), cv=3),
}


def patients(n=300, seed=0):
    random = np.random.default_rng(seed)
    table = pd.DataFrame(
        {"age": random.integers(20, 80, n), "bmi": random.normal(26, 4, n).round(1)}
    )
    chance = 1 / (1 + np.exp(-(table["age"] - 60) / 12 - (table["bmi"] - 30) / 5))
    return table, np.where(random.random(n) < chance, "ill", "healthy")


def cheapest(shares, labels, cost):
    """The label of least expected cost, by the definition."""
    said = []
    for row in shares:
        expected = [
            sum(
                p * (0.0 if a == s else cost.get((a, s), 1.0))
                for p, a in zip(row, labels, strict=True)
            )
            for s in labels
        ]
        said.append(labels[expected.index(min(expected))])
    return said


@pytest.mark.parametrize("kind", [name for name in KINDS if name != "votes"])
def test_labels_are_the_cheapest_decision_by_the_probabilities(kind):
    table, y = patients()
    model = KINDS[kind].fit(table, y)
    shares = model.predict_proba(table)
    assert model.predict(table).tolist() == cheapest(shares, ["healthy", "ill"], COST)
    assert (model.predict(table) != model.classes_[shares.argmax(axis=1)]).any()


def test_votes_are_cheapest_decisions_and_ties_go_to_the_cheaper():
    table, y = patients()
    model = KINDS["votes"].fit(table, y)
    votes = np.array([member.predict(table) for member in model.estimators_])
    mean = cheapest(model.predict_proba(table), ["healthy", "ill"], COST)
    expected = [a if a == b else m for a, b, m in zip(*votes, mean, strict=True)]
    assert (votes[0] != votes[1]).any()
    assert model.predict(table).tolist() == expected


def test_unknown_cells_are_decided_by_their_mean():
    table, y = patients()
    model = KINDS["plain"].fit(table, y)
    holes = table.astype(float)
    holes.iloc[::2, 0] = np.nan
    assert (model.unknown_at(holes) >= 0).any()
    expected = cheapest(model.predict_proba(holes), ["healthy", "ill"], COST)
    assert model.predict(holes).tolist() == expected


def test_probabilities_are_shares_of_the_cases_whatever_errors_cost():
    table, y = patients()
    model = KINDS["plain"].fit(table, y)
    tree = model.tree_
    leaves = model.apply(table)
    for leaf in np.unique(leaves):
        assert tree.value[leaf, 1] == np.mean(y[leaves == leaf] == "ill")


def test_splits_are_those_of_weighted_classes():
    table, y = patients()
    model = BsnsingClassifier.plain(cost=COST, ccp_alpha=0.002).fit(table, y)
    weights = {"ill": 10 / 5.5, "healthy": 1 / 5.5}
    weighted = BsnsingClassifier.plain(class_weight=weights, ccp_alpha=0.002).fit(table, y)
    plain = BsnsingClassifier.plain(ccp_alpha=0.002).fit(table, y)
    own, other = model.tree_, weighted.tree_
    assert [str(rule) for rule in own.rules] == [str(rule) for rule in other.rules]
    assert [str(rule) for rule in own.rules] != [str(rule) for rule in plain.tree_.rules]
    np.testing.assert_allclose(own.impurity, other.impurity)
    # Two classes: the majority of weighted cases is the cheapest decision.
    assert (model.predict(table) == weighted.predict(table)).all()


def test_labels_of_all_nodes_are_where_texts_and_frames_say():
    table, y = patients()
    model = KINDS["plain"].fit(table, y)
    tree = model.tree_
    assert tree.labels.tolist() == decide(tree.value, model.costs_).tolist()
    assert "; the cheapest decision" in str(model)
    labels = model.nodes_frame(library="pandas")["label"].tolist()
    assert labels == tree.classes[tree.labels].tolist()
    frame = model.rules_frame(library="pandas")
    assert frame["label"].tolist() == [labels[leaf] for leaf in frame["leaf"]]
    explained = model.explain(table.head(20), flip=True)
    assert [own.label for own in explained] == model.predict(table.head(20)).tolist()
    assert all(own.flip_label != own.label for own in explained if own.flip_label)
    summary, given = model.summary(), model.summary(table, y)
    assert (summary.confusion == given.confusion).all()


@pytest.mark.parametrize("kind", list(KINDS))
def test_costs_are_stored_and_come_back(kind):
    table, y = patients()
    model = KINDS[kind].fit(table, y)
    loaded = bsnsing.from_json(model.to_json())
    assert (loaded.predict(table) == model.predict(table)).all()
    assert (loaded.costs_ == model.costs_).all()
    inner = getattr(loaded, "best_estimator_", loaded)
    inner = inner.estimators_[0] if hasattr(inner, "estimators_") else inner
    assert inner.cost == COST


@pytest.mark.parametrize("multiclass", ["native", "ovr"])
@pytest.mark.parametrize("teacher", [None, "forest"])
def test_several_classes_are_decided_by_all_their_costs(multiclass, teacher):
    X, y = load_wine(return_X_y=True)
    names = np.array(["a", "b", "c"])[y]
    cost = {("a", "b"): 5.0, ("b", "c"): 0.5, ("c", "a"): 20.0, ("c", "b"): 3.0}
    model = BsnsingClassifier(cost=cost, multiclass=multiclass, teacher=teacher, max_depth=1)
    model.fit(X, names)
    shares = model.predict_proba(X)
    assert model.predict(X).tolist() == cheapest(shares, ["a", "b", "c"], cost)
    loaded = bsnsing.from_json(model.to_json())
    assert (loaded.predict(X) == model.predict(X)).all()


def test_an_equivalent_of_scikit_learn_decides_by_cost_too():
    table, y = patients()
    model = KINDS["plain"].fit(table, y)
    same = bsnsing.to_sklearn(model)
    assert same.predict(table).tolist() == model.predict(table).tolist()
    assert (
        same.predict(table).tolist()
        != model.classes_[model.predict_proba(table).argmax(axis=1)].tolist()
    )


@pytest.mark.parametrize(
    ("cost", "message"),
    [
        ({("ill", "dead"): 3}, r"names the label 'dead' in .*The labels are"),
        ({("ill", "healthy"): -1}, r"the cost -1. Give a finite number"),
        ({("ill", "ill"): 1}, r"the right answer .* Right answers cost nothing"),
        ({("ill", "healthy"): 0}, r"makes all errors about 'ill' free.*Give one"),
        ({"ill": 3}, r"must be None or a dict from pairs of labels"),
    ],
)
def test_costs_that_make_no_sense_are_refused(cost, message):
    table, y = patients(60)
    with pytest.raises(ValueError, match=message):
        BsnsingClassifier.plain(cost=cost).fit(table, y)


def test_distinct_children_of_many_classes_are_refused():
    X, y = load_wine(return_X_y=True)
    model = BsnsingClassifier.plain(cost={(0, 1): 3}, distinct_children=True)
    with pytest.raises(ValueError, match="is for two classes, and y has 3"):
        model.fit(X, y)
    with pytest.raises(ValueError, match="different costs"):
        BsnsingEnsemble(settings=[{"cost": {(0, 1): 3}}, {}]).fit(X, y)


def test_equal_costs_change_nothing():
    table, y = patients()
    equal = BsnsingClassifier(cost={("ill", "healthy"): 1.0}).fit(table, y)
    plain = BsnsingClassifier().fit(table, y)
    assert (equal.predict_proba(table) == plain.predict_proba(table)).all()
    assert (equal.predict(table) == plain.predict(table)).all()
    assert split_weights(np.ones(2), equal.costs_).tolist() == [1.0, 1.0]


def brute_threshold(p, is_event, cases, sensitivity, specificity):
    best = None
    for t in [*np.unique(p), np.inf]:
        said = p >= t
        found = cases[said & is_event].sum() / cases[is_event].sum()
        spared = cases[~said & ~is_event].sum() / cases[~is_event].sum()
        keeps, other = (found, spared) if sensitivity is not None else (spared, found)
        wanted = sensitivity if sensitivity is not None else specificity
        if keeps >= wanted - 1e-12 and (best is None or (other, t) >= (best[0], best[1])):
            best = (other, t, found, spared)
    return best


@pytest.mark.parametrize("seed", range(20))
def test_thresholds_are_the_best_that_reach_the_wanted_rate(seed):
    random = np.random.default_rng(seed)
    table, y = patients(120, seed)
    model = BsnsingClassifier.plain(min_samples_leaf=3).fit(table, y)
    other, labels = patients(80, seed + 100)
    weights = random.integers(1, 4, 80)
    wanted = float(random.choice([0, 0.3, 0.8, 0.95, 1.0]))
    rate = {"sensitivity": wanted} if seed % 2 else {"specificity": wanted}
    event = "ill" if seed % 3 else "healthy"
    found = decision_threshold(model, other, labels, event=event, sample_weight=weights, **rate)
    p = model.predict_proba(other)[:, model.classes_.tolist().index(event)]
    both = {"sensitivity": None, "specificity": None} | rate
    expected = brute_threshold(p, labels == event, weights.astype(float), **both)
    assert (found.sensitivity, found.specificity) == pytest.approx(expected[2:])
    said = p >= found.threshold
    assert said[labels == event].dot(weights[labels == event]) == pytest.approx(
        found.sensitivity * weights[labels == event].sum()
    )
    assert found.threshold == min(expected[1], found.threshold)


def test_thresholds_say_what_is_wrong():
    X, y = load_breast_cancer(return_X_y=True)
    model = BsnsingClassifier.plain().fit(X, y)
    with pytest.raises(ValueError, match="Give one of sensitivity and specificity"):
        decision_threshold(model, X, y)
    with pytest.raises(ValueError, match="from 0 to 1"):
        decision_threshold(model, X, y, sensitivity=3)
    with pytest.raises(ValueError, match="event must be a class"):
        decision_threshold(model, X, y, sensitivity=0.9, event="x")
    with pytest.raises(ValueError, match="only cases of 1"):
        decision_threshold(model, X[y == 1], y[y == 1], sensitivity=0.9)


def test_scikit_learns_threshold_classifiers_take_our_estimators():
    X, y = load_breast_cancer(return_X_y=True)
    fixed = FixedThresholdClassifier(BsnsingClassifier.plain(), threshold=0.2).fit(X, y)
    p = BsnsingClassifier.plain().fit(X, y).predict_proba(X)[:, 1]
    assert (fixed.predict(X) == (p >= 0.2)).all()
    tuned = TunedThresholdClassifierCV(BsnsingClassifier.plain(), scoring="f1", cv=3).fit(X, y)
    assert 0 <= tuned.best_threshold_ <= 1
    assert set(tuned.predict(X)) == {0, 1}
