"""Trees that learn from a teacher: when richer rules are kept, and what is counted."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from bsnsing import BsnsingClassifier, Question
from bsnsing.data.cases import Cases
from bsnsing.data.weights import CaseWeights
from bsnsing.distill import distill as distill_module
from bsnsing.distill.config import DistillConfig
from bsnsing.distill.distill import _enriched, _grow, grow_distilled
from bsnsing.distill.options import DistillOptions
from bsnsing.distill.rule_space import RuleSpace
from bsnsing.distill.training_set import TrainingSet
from bsnsing.estimators.options import read_options
from bsnsing.grow.options import GrowOptions
from bsnsing.tree.impurity import half_deviance
from bsnsing.tree.predict import find_leaves
from bsnsing.tree.probabilities import Evidence
from bsnsing.tree.prune import best_subtree, impurity_per_case, least_cost, prune_by_cost
from bsnsing.tree.tree import Tree
from tests.training_sets import teaching_of, untaught

CONFIG = DistillConfig()
CLASSES = np.array([0, 1])
MANY = np.full(1000, 10**12)


def grown(X: Any, y: Any, **settings: Any) -> Tree:
    return BsnsingClassifier(**settings).fit(X, y).tree_


def diagonal() -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    X = np.random.default_rng(1).uniform(size=(600, 3))
    return X, (X[:, 0] > X[:, 2]).astype(int)


def test_a_slanting_border_is_asked_for_as_such() -> None:
    X, y = diagonal()
    tree = grown(X, y)
    assert {str(pair) for pair in tree.pairs} & {"x0 / x2", "x2 / x0"}
    simple = grown(X, y, column_pairs=None)
    assert simple.pairs == ()
    assert tree.n_leaves < simple.n_leaves


def test_sums_and_differences_are_asked_for_where_columns_share_a_unit() -> None:
    X, _ = diagonal()
    y = X[:, 0] + X[:, 2] > 1
    assert {pair.sign for pair in grown(X, y).pairs} <= {"*", "/"}
    tree = grown(X, y, column_pairs=[["x0", "x2"]])
    assert {str(pair) for pair in tree.pairs} & {"x0 + x2", "x2 + x0"}
    assert tree.n_leaves < grown(X, y, column_pairs=None).n_leaves
    elsewhere = grown(X, y, column_pairs=[["x0", "x1"]])
    assert not {str(pair) for pair in elsewhere.pairs} & {"x0 + x2", "x2 + x0"}


def test_a_straight_border_needs_no_pair() -> None:
    X, _ = diagonal()
    tree = grown(X, (X[:, 0] > 0.5) | (X[:, 1] > 0.8))
    assert tree.pairs == ()
    assert np.diff(tree.first_question).max() == 2


def test_three_questions_where_two_explain_much_less() -> None:
    X = np.random.default_rng(2).integers(0, 2, (800, 9))
    y = X.reshape(-1, 3, 3).all(axis=2).any(axis=1)  # one of three triples
    assert np.diff(grown(X, y).first_question).max() == 3
    assert np.diff(grown(X, y, max_rules=2).first_question).max() == 2


def test_only_what_a_teacher_says_is_told_in_richer_rules() -> None:
    X, y = diagonal()
    for settings in (
        {"teacher": None},
        {"constraints": {"forbidden": ["x1"]}},
        {"solver": "greedy"},
        {"own_questions": False, "extra_questions": [Question("x0", ">", 0.5)]},
    ):
        tree = grown(X, y, **settings)
        assert tree.pairs == ()
        assert np.diff(tree.first_question).max() <= 2


Costs = dict[tuple[int, bool], float]  # by questions per rule, and whether there are pairs


class Growth:
    """Stands for growth: in each rule space, a leaf that costs what is to be."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, costs: Costs, penalty: float) -> None:
        self.leaf = best_subtree(grown(*diagonal(), teacher=None), 1)
        self.costs, self.penalty, self.asked = costs, penalty, list[RuleSpace]()
        monkeypatch.setattr(distill_module, "_grow", self)

    def __call__(
        self,
        real: Cases,
        classes: Any,
        training: TrainingSet,
        options: GrowOptions,
        config: DistillConfig,
    ) -> tuple[Tree, Evidence]:
        self.asked.append(RuleSpace(options.search.max_rules, options.pairs))
        impurity = self.costs[options.search.max_rules, bool(options.pairs)] - self.penalty
        tree = replace(self.leaf, impurity=np.array([impurity]), weighted_cases=np.ones(1))
        return tree, Evidence(tree.counts, tree.counts)

    def enrich(
        self, training: TrainingSet, model: BsnsingClassifier, config: DistillConfig = CONFIG
    ) -> tuple[RuleSpace, float]:
        """The space that is chosen, and what its tree costs."""
        # Cases enough that the penalty is what the options say.
        cases = replace(training.cases, weights=CaseWeights(MANY[: training.n_rows], 1.0))
        real, simple = cases, RuleSpace(2)
        options = replace(read_options(model, None, 100.0), ccp_alpha=self.penalty)
        distill = DistillOptions(
            config=config,
            try_column_pairs=model.column_pairs == "auto",
            try_longer_rules=model.max_rules == "auto",
        )
        first = self(real, CLASSES, training, simple.options(options), config)
        space, (tree, _) = _enriched(real, CLASSES, training, options, distill, simple, first)
        cost = least_cost(tree, self.penalty, None)
        assert cost == pytest.approx(self.costs[space.max_rules, bool(space.pairs)])
        return space, cost


@pytest.mark.parametrize(
    ("surplus", "is_kept"), [(-0.1, False), (0.0, True), (-1e-12, True), (0.1, True)]
)
@pytest.mark.parametrize("penalty", [0.001, 0.85 / 441, 0.1])
@pytest.mark.parametrize("leaves_saved", [CONFIG.leaves_saved, 2.5])
def test_richer_rules_must_save_the_penalties_of_some_leaves(
    leaves_saved: float,
    penalty: float,
    surplus: float,
    is_kept: bool,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    cost, rest = 20 * penalty, (20 - leaves_saved - surplus) * penalty
    growth = Growth(monkeypatch, {(2, False): cost, (2, True): rest}, penalty)
    config = replace(CONFIG, leaves_saved=leaves_saved)
    model, training = BsnsingClassifier(max_rules=2), untaught(diagonal()[0], [3, 2, 1])
    space, found = growth.enrich(training, model, config)
    assert bool(space.pairs) is is_kept
    assert found == pytest.approx(rest if is_kept else cost, rel=1e-12)


def test_steps_build_on_each_other(monkeypatch: pytest.MonkeyPatch) -> None:
    training = untaught(diagonal()[0][:100], [3, 2, 1])
    saved = CONFIG.leaves_saved
    steps = {(2, False): 30.0, (2, True): 20.0 + saved, (3, True): 20.0}
    growth = Growth(monkeypatch, steps, 1.0)
    space, cost = growth.enrich(training, BsnsingClassifier(n_segments=2))
    assert (space, cost) == (growth.asked[-1], 20.0)
    assert [(one.max_rules, bool(one.pairs)) for one in growth.asked] == list(steps)


def test_what_cannot_save_enough_is_not_grown(monkeypatch: pytest.MonkeyPatch) -> None:
    cost = CONFIG.leaves_saved + 0.9  # one leaf is left at least, which costs 1
    growth = Growth(monkeypatch, {(2, False): cost}, 1.0)
    space, found = growth.enrich(untaught(diagonal()[0], [3, 2, 1]), BsnsingClassifier())
    assert (space, found) == (RuleSpace(2), cost)
    assert len(growth.asked) == 1


def test_costly_searches_are_not_tried(monkeypatch: pytest.MonkeyPatch) -> None:
    same = {(2, False): 20.0, (2, True): 20.0, (3, False): 20.0}
    training = untaught(diagonal()[0], [3, 2, 1])
    growth = Growth(monkeypatch, same, 1.0)
    growth.enrich(training, BsnsingClassifier(), replace(CONFIG, most_work=np.inf))
    assert [(s.max_rules, len(s.pairs)) for s in growth.asked] == [(2, 0), (2, 6), (3, 0)]
    growth.asked.clear()
    growth.enrich(training, BsnsingClassifier(), replace(CONFIG, most_work=1.0))
    assert len(growth.asked) == 1


def test_trees_are_compared_as_they_would_be_kept() -> None:
    tree = grown(*diagonal(), column_pairs=None)
    assert tree.n_leaves > 3
    assert least_cost(tree, 1e-6, 2) > least_cost(tree, 1e-6, None)
    pruned = prune_by_cost(tree, 0.02)
    assert pruned.n_leaves < tree.n_leaves
    leaves = impurity_per_case(pruned)[pruned.is_leaf].sum()
    assert least_cost(tree, 0.02, None) == pytest.approx(leaves + 0.02 * pruned.n_leaves)


@pytest.mark.parametrize(("ccp_alpha", "penalty"), [("auto", None), (0.0, None), (0.05, 0.05)])
@pytest.mark.parametrize("n_classes", [2, 3])
def test_the_greater_penalty_counts(
    n_classes: int, ccp_alpha: float | str, penalty: float | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    penalties, cost = [], least_cost

    def spy_cost(tree: Tree, penalty: float, max_leaf_nodes: int | None, held: Any = None) -> float:
        penalties.append(penalty)
        return cost(tree, penalty, max_leaf_nodes)

    monkeypatch.setattr(distill_module, "least_cost", spy_cost)
    X, y = diagonal()
    grown(X, y * (1 + (X[:, 1] > 0.5) * (n_classes - 2)), ccp_alpha=ccp_alpha)
    auto = CONFIG.complexity_penalty(600)
    assert set(penalties) == {auto if penalty is None else penalty}


def test_evidence_is_scaled_to_the_real_cases() -> None:
    X, y = diagonal()
    teaching = teaching_of(X, y.astype(np.int32))
    training = teaching.training_set()
    model = BsnsingClassifier(max_rules=2, column_pairs=None)
    options = replace(read_options(model, None, 100.0), ccp_alpha=0.001, shrinkage=1.0)
    distill = DistillOptions(config=DistillConfig(), try_column_pairs=False, try_longer_rules=False)
    tree, evidence, _ = grow_distilled(teaching.real, CLASSES, training, options, distill)
    assert tree.is_taught
    assert evidence.learnt_weight == 1.0
    np.testing.assert_array_equal(tree.counts[0], np.bincount(y))
    for cases in (evidence.real, evidence.learnt):
        assert cases[0].sum() == pytest.approx(600)
    inner, learnt = ~tree.is_leaf, evidence.learnt
    children = learnt[tree.children_left[inner]] + learnt[tree.children_right[inner]]
    np.testing.assert_allclose(learnt[inner], children)
    share = CONFIG.label_share
    soft = share * np.eye(2)[y[training.original]] + (1 - share) * training.teacher.oob
    both = CONFIG.labels_and_word(np.bincount(y)[None, :], soft.sum(axis=0)[None, :])
    np.testing.assert_allclose(evidence.real[:1], both)
    np.testing.assert_allclose(evidence.real[0], np.bincount(y), rtol=1e-3)  # by class_factors


def test_labels_outweigh_the_teacher_where_a_node_has_many_cases_of_several_classes() -> None:
    config = replace(CONFIG, own_cases=100)
    labels = np.array([[0.0, 0.0], [50.0, 0.0], [200.0, 0.0], [600.0, 0.0], [600.0, 0.0]])
    told = labels / 2 + labels[:, ::-1] / 2  # by a teacher that does not know
    told[-1] = [600.0, 0.0]
    found = config.labels_and_word(labels, told)
    expected = [[0, 0], [30, 20], [150, 50], [525, 75], [600, 0]]
    np.testing.assert_allclose(found, expected)
    rare = config.labels_and_word(np.array([[10_000.0, 0.0]]), np.array([[9_990.0, 10.0]]))
    np.testing.assert_allclose(rare, [[10_000 - 10 / 1.1, 10 / 1.1]])


def test_evidence_is_what_the_rows_of_each_node_tell_unrounded() -> None:
    X, y = diagonal()
    teaching = teaching_of(X, y.astype(np.int32))
    training = teaching.training_set()
    options = read_options(BsnsingClassifier(column_pairs=None), training.teacher.leaf_rows, 600.0)
    tree, evidence = _grow(teaching.real, CLASSES, training, options, CONFIG)
    leaves = find_leaves(tree, training.cases.table, 1)
    node_of_row = leaves[np.searchsorted(training.row_of, np.arange(training.n_rows))]
    is_real = np.arange(training.n_rows) < len(y)
    soft, learnt = np.zeros((2, tree.n_nodes, 2))
    for cases, rows in ((soft, is_real), (learnt, np.full(len(is_real), True))):
        scale = 600 / training.soft[rows].sum()
        for leaf in np.flatnonzero(tree.is_leaf):
            cases[leaf] = training.soft[rows & (node_of_row == leaf)].sum(axis=0) * scale
    leaf = tree.is_leaf
    both = CONFIG.labels_and_word(tree.counts, soft)
    np.testing.assert_allclose(evidence.real[leaf], both[leaf])
    np.testing.assert_allclose(evidence.learnt[leaf], learnt[leaf])
    np.testing.assert_allclose(tree.impurity, half_deviance(evidence.learnt))


def test_counts_are_those_of_rows_however_light() -> None:
    """Rows of less than a sixteenth of a case have no part in the training set."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 3))
    y = (X[:, 0] + X[:, 1] > 0).astype(int)
    weights = np.where(rng.random(200) < 0.2, 0.01, 1.25)
    model = BsnsingClassifier(column_pairs=None).fit(X, y, sample_weight=weights)
    tree, leaves = model.tree_, model.apply(X)
    assert tree.n_leaves > 2
    for leaf in np.flatnonzero(tree.is_leaf):
        expected = np.bincount(y[leaves == leaf], weights[leaves == leaf] / weights.mean(), 2)
        np.testing.assert_allclose(tree.counts[leaf], expected)
