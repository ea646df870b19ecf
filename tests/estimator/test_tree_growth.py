"""What the parameters of growth promise, read off the finished tree."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterator
from itertools import product
from typing import Any

import numpy as np
import pandas as pd
import pytest
from numpy.typing import NDArray
from sklearn.ensemble import BaggingClassifier, RandomForestClassifier
from sklearn.exceptions import NotFittedError
from sklearn.tree import DecisionTreeClassifier

from bsnsing import BsnsingClassifier, Question, Tree, _core, export_text, questions_of

KERNELS = list(_core.available_kernels())
NOT_THE_TREE = ("n_counted", "n_excluded")  # how much work the proof took
JOIN = {"or": np.any, "and": np.all, "xor": np.logical_xor.reduce}


@pytest.fixture(scope="module", autouse=True)
def best_kernels_afterwards() -> Iterator[None]:
    yield
    _core.use_kernels(KERNELS[0])


def mixed_table(
    seed: int, n_rows: int = 250, n_classes: int = 2
) -> tuple[pd.DataFrame, NDArray[np.int64]]:
    """Two numeric columns, a 0/1 and a categorical one, the last two with missing cells."""
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(
        {
            "a": rng.normal(size=n_rows),
            "b": rng.integers(0, 30, n_rows),
            "flag": rng.integers(0, 2, n_rows).astype(float),
            "kind": rng.choice(list("uvwxyz"), n_rows).astype(object),
        }
    )
    signal = (X["a"] > 0.3) + (X["b"] > 12) + (X["kind"].isin(["u", "v"])) * X["flag"]
    y = (signal + rng.normal(0, 0.7, n_rows)).round().clip(0, n_classes - 1).to_numpy(dtype=int)
    y[:n_classes] = np.arange(n_classes)
    X.loc[rng.random(n_rows) < 0.1, "flag"] = np.nan
    X.loc[rng.random(n_rows) < 0.1, "kind"] = None
    return X, y


def numeric_table(
    seed: int, n_rows: int = 200, n_classes: int = 2
) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n_rows, 3))
    edges = np.linspace(-0.8, 0.8, n_classes + 1)[1:-1]
    return X, np.digitize(X[:, 0] + X[:, 1] * X[:, 2] + rng.normal(0, 0.3, n_rows), edges)


def arrays(tree: Tree) -> dict[str, NDArray[Any]]:
    found = {field.name: getattr(tree, field.name) for field in dataclasses.fields(tree)}
    return {n: a for n, a in found.items() if isinstance(a, np.ndarray) and n not in NOT_THE_TREE}


def assert_same_tree(tree: Tree, expected: Tree) -> None:
    for name, array in arrays(tree).items():
        np.testing.assert_array_equal(array, arrays(expected)[name], err_msg=name)


def assert_same_rules(tree: Tree, expected: Tree) -> None:
    assert str(tree.rules) == str(expected.rules)
    np.testing.assert_array_equal(tree.children_left, expected.children_left)
    np.testing.assert_array_equal(tree.children_right, expected.children_right)


def answer(tree: Tree, node: int, X: pd.DataFrame) -> NDArray[np.bool_]:
    """Whether a node's rule holds, by the questions' own answers."""
    rule = tree.rules[node]
    literals = [
        q.answer(X[q.column]) ^ negated
        for q, negated in zip(rule.questions, rule.negated, strict=True)
    ]
    return JOIN[rule.operator](literals, axis=0)


def walk(tree: Tree, X: pd.DataFrame) -> list[list[int]]:
    """The nodes that each row passes."""
    answers = {v: answer(tree, v, X) for v in range(tree.n_nodes) if tree.rules[v]}
    paths = []
    for row in range(len(X)):
        path = [0]
        while tree.rules[path[-1]]:
            child = tree.children_left if answers[path[-1]][row] else tree.children_right
            path.append(int(child[path[-1]]))
        paths.append(path)
    return paths


def gini(counts: NDArray[np.float64]) -> float:
    """Cases times Gini impurity."""
    return float(counts.sum() - (counts**2).sum() / counts.sum())


# --- Limits ---


@pytest.mark.parametrize("max_depth", [0, 1, 2, 3])
def test_max_depth_cuts_the_tree_off(max_depth: int) -> None:
    X, y = mixed_table(0)
    full = BsnsingClassifier.plain(min_samples_leaf=3).fit(X, y).tree_
    tree = BsnsingClassifier.plain(min_samples_leaf=3, max_depth=max_depth).fit(X, y).tree_
    assert full.max_depth > 3
    assert tree.max_depth == max_depth
    n_inner = int((~full.is_leaf & (full.depth < max_depth)).sum())
    assert [str(rule) for rule in tree.rules if rule] == [str(rule) for rule in full.rules if rule][
        :n_inner
    ]


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize(
    ("setting", "size"), [(1, 1), (7, 7), (60, 60), (0.1, 25), (0.013, 4), ("sqrt", 15)]
)
def test_every_leaf_is_large_enough(setting: Any, size: int, weighted: bool) -> None:
    X, y = mixed_table(1)
    weight = np.tile([1, 2, 0, 1, 1], 50) if weighted else None
    model = BsnsingClassifier.plain(min_samples_leaf=setting).fit(X, y, sample_weight=weight)
    assert model.min_samples_leaf_ == size
    leaves = model.tree_.counts[model.tree_.is_leaf]
    assert len(leaves) > 1
    assert leaves.sum(axis=1).min() >= size
    assert leaves.sum() == 250


@pytest.mark.parametrize("stop_prob", [0.6, 0.8, 0.95, 1.0])
def test_purer_nodes_than_stop_prob_are_leaves(stop_prob: float) -> None:
    X, y = mixed_table(2)
    tree = BsnsingClassifier.plain(min_samples_leaf=1, stop_prob=stop_prob).fit(X, y).tree_
    share = tree.counts.max(axis=1) / tree.counts.sum(axis=1)
    assert (share[~tree.is_leaf] <= stop_prob).all()
    assert (share[tree.is_leaf] > stop_prob).any() == (stop_prob < 1)


def all_subtrees(tree: Tree, node: int = 0) -> Iterator[tuple[int, ...]]:
    """Write down the leaves of every subtree with the same root."""
    yield (node,)
    if not tree.is_leaf[node]:
        left, right = int(tree.children_left[node]), int(tree.children_right[node])
        for pair in product(all_subtrees(tree, left), all_subtrees(tree, right)):
            yield pair[0] + pair[1]


@pytest.mark.parametrize("class_weight", [None, {0: 3.0}])
@pytest.mark.parametrize("seed", [0, 1, 2])
def test_max_leaf_nodes_keeps_the_best_subtree(seed: int, class_weight: Any) -> None:
    X, y = mixed_table(seed, 120, n_classes=3)
    settings = {"min_samples_leaf": 7, "class_weight": class_weight}
    full = BsnsingClassifier.plain(**settings).fit(X, y).tree_
    counted = full.counts * full.class_weight
    subtrees = [(len(s), sum(gini(counted[v]) for v in s)) for s in all_subtrees(full)]
    assert full.n_leaves >= 7
    for most in range(1, full.n_leaves + 2):
        model = BsnsingClassifier.plain(**settings, max_leaf_nodes=most).fit(X, y)
        leaves = model.tree_.counts[model.tree_.is_leaf] * model.tree_.class_weight
        least = min(cost for size, cost in subtrees if size <= most)
        fewest = min(size for size, cost in subtrees if cost <= least + 1e-9)
        assert sum(map(gini, leaves)) == pytest.approx(least)
        assert model.get_n_leaves() == fewest <= most
        assert [path[-1] for path in walk(model.tree_, X)] == model.apply(X).tolist()


@pytest.mark.parametrize("n_classes", [2, 3])
def test_distinct_children(n_classes: int) -> None:
    X, y = mixed_table(3, n_classes=n_classes)
    tree = BsnsingClassifier.plain(distinct_children=True, min_samples_leaf=2).fit(X, y).tree_
    assert tree.n_leaves > 2
    for node in tree:
        if node.is_leaf:
            continue
        left, right = tree.counts[node.left], tree.counts[node.right]
        leaders = [set(np.flatnonzero(side == side.max())) for side in (left, right)]
        assert leaders[0] != leaders[1] or len(leaders[0]) > 1


# --- Weights ---


@pytest.mark.parametrize("criterion", ["gini", "gini_squared", "entropy", "misclassification"])
@pytest.mark.parametrize("n_classes", [2, 3])
def test_class_weight_counts_as_sample_weight_in_the_criterion(
    criterion: str, n_classes: int
) -> None:
    X, y = numeric_table(4, 120, n_classes)
    settings = {"criterion": criterion, "min_samples_leaf": 1, "n_segments": 1000}
    tree = BsnsingClassifier.plain(class_weight={0: 3, 1: 2}, **settings).fit(X, y).tree_
    weight = np.array([3, 2, 1])[y]
    expected = BsnsingClassifier.plain(**settings).fit(X, y, sample_weight=weight).tree_
    assert tree.n_leaves > 3
    assert_same_rules(tree, expected)
    np.testing.assert_array_equal(tree.counts * tree.class_weight, expected.counts)
    np.testing.assert_allclose(tree.value, expected.value)
    np.testing.assert_allclose(tree.objective, expected.objective)


@pytest.mark.parametrize("multiclass", ["native", "ovr"])
def test_balanced_class_weight(multiclass: str) -> None:
    X, y = mixed_table(5, n_classes=3)
    weight = {j: len(y) / (3 * n) for j, n in enumerate(np.bincount(y).tolist())}
    model = BsnsingClassifier.plain(class_weight="balanced", multiclass=multiclass).fit(X, y)
    expected = BsnsingClassifier.plain(class_weight=weight, multiclass=multiclass).fit(X, y)
    plain = BsnsingClassifier.plain(multiclass=multiclass).fit(X, y)
    for tree, other in zip(model.trees_, expected.trees_, strict=True):
        assert_same_tree(tree, other)
    assert str(model) != str(plain)
    if multiclass == "native":
        assert model.tree_.value[0] == pytest.approx([1 / 3] * 3)


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("make", [BsnsingClassifier, BsnsingClassifier.paper])
def test_whole_weights_are_repeated_rows(make: Any, n_classes: int) -> None:
    X, y = mixed_table(6, n_classes=n_classes)
    weight = np.random.default_rng(6).integers(0, 5, len(y))
    model = make().fit(X, y, sample_weight=weight)
    rows = np.repeat(np.arange(len(y)), weight)
    expected = make().fit(X.iloc[rows], y[rows])
    assert model.min_samples_leaf_ == expected.min_samples_leaf_
    for tree, other in zip(model.trees_, expected.trees_, strict=True):
        assert tree.n_leaves > 2
        assert_same_tree(tree, other)


@pytest.mark.parametrize("scale", [0.25, 3.7, 1e-6, 1e6])
def test_only_the_ratio_of_fractional_weights_counts(scale: float) -> None:
    X, y = mixed_table(7)
    weight = np.random.default_rng(7).uniform(0.1, 2.0, len(y))
    tree = BsnsingClassifier.plain().fit(X, y, sample_weight=weight).tree_
    scaled = BsnsingClassifier.plain().fit(X, y, sample_weight=weight * scale).tree_
    assert tree.n_leaves > 3
    assert_same_rules(scaled, tree)
    np.testing.assert_allclose(scaled.counts, tree.counts, atol=1e-9)
    assert tree.counts[0].sum() == pytest.approx(len(y))


@pytest.mark.parametrize("unit", [1, 0.3])
def test_rows_without_weight_are_as_good_as_absent(unit: float) -> None:
    X, y = mixed_table(8, n_classes=3)
    X["b"] = X["b"] % 14  # more than ten values in all rows, fewer in those that count
    kept = (X["b"] < 9).to_numpy() & (X["kind"] != "z").to_numpy()
    weight = np.where(kept, np.arange(len(y)) % 3 + 1, 0) * unit
    tree = BsnsingClassifier.plain(min_samples_leaf=5).fit(X, y, sample_weight=weight).tree_
    expected = BsnsingClassifier.plain(min_samples_leaf=5).fit(X[kept], y[kept], weight[kept]).tree_
    assert tree.n_leaves > 3
    assert_same_rules(tree, expected)
    np.testing.assert_array_equal(tree.counts, expected.counts)


# --- What must not matter ---


def large_table(seed: int, n_classes: int = 2) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Large enough for the engine to use its threads."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(6000, 50))
    X[:, 10:] = rng.integers(0, 2, size=(6000, 40))
    y = np.digitize(X[:, 0] + X[:, 10] + X[:, 11] * X[:, 1] + rng.normal(size=6000), [0.8, 1.8])
    return X, np.minimum(y, n_classes - 1)


@pytest.mark.parametrize(
    "settings",
    [
        {"max_depth": 4},
        {"max_depth": 2, "max_rules": 3, "operators": ("or",), "n_segments": 3},
        {"max_depth": 3, "criterion": "entropy", "min_samples_leaf": 1},
        {"max_depth": 4, "solver": "greedy"},
    ],
    ids=str,
)
@pytest.mark.parametrize("n_classes", [2, 3])
def test_threads_and_kernels_do_not_matter(settings: dict[str, Any], n_classes: int) -> None:
    X, y = large_table(9, n_classes)
    _core.use_kernels("scalar")
    expected = BsnsingClassifier.plain(**settings).fit(X, y)
    for kernels in KERNELS:
        _core.use_kernels(kernels)
        model = BsnsingClassifier.plain(n_jobs=2, **settings).fit(X, y)
        assert_same_tree(model.tree_, expected.tree_)
        assert np.array_equal(model.apply(X), expected.apply(X))


@pytest.mark.parametrize("make", [BsnsingClassifier, BsnsingClassifier.paper])
def test_row_order_does_not_matter(make: Any) -> None:
    X, y = mixed_table(10, n_classes=3)
    order = np.random.default_rng(10).permutation(len(y))
    model = make(min_samples_leaf=2).fit(X, y)
    shuffled = make(min_samples_leaf=2).fit(X.iloc[order], y[order])
    for tree, other in zip(model.trees_, shuffled.trees_, strict=True):
        assert_same_tree(tree, other)


def test_column_order_only_permutes() -> None:
    X, y = numeric_table(11, 400)  # a tie may go to another column, so there must be none
    model = BsnsingClassifier.plain(max_depth=2).fit(X, y)
    permuted = BsnsingClassifier.plain(max_depth=2).fit(X[:, [2, 0, 1]], y)
    assert model.get_n_leaves() > 3
    assert np.array_equal(model.apply(X), permuted.apply(X[:, [2, 0, 1]]))
    assert np.array_equal(model.tree_.counts, permuted.tree_.counts)
    assert model.feature_importances_[[2, 0, 1]] == pytest.approx(permuted.feature_importances_)


# --- Facts about one tree agree with each other ---

OPERATORS = [("or",), ("or", "and"), ("or", "and", "xor")]


@pytest.mark.parametrize("operators", OPERATORS)
@pytest.mark.parametrize("n_classes", [2, 3])
def test_predictions_follow_the_questions(operators: tuple[str, ...], n_classes: int) -> None:
    X, y = mixed_table(12, n_classes=n_classes)
    model = BsnsingClassifier.plain(operators=operators, min_samples_leaf=3).fit(X, y)
    tree = model.tree_
    paths = walk(tree, X)
    leaves = np.array([path[-1] for path in paths])
    assert tree.n_leaves > 5
    assert model.apply(X).tolist() == leaves.tolist()
    passed = model.decision_path(X)
    assert passed.shape == (len(X), tree.n_nodes)
    assert [passed[[row]].indices.tolist() for row in range(len(X))] == paths
    assert model.get_depth() == max(map(len, paths)) - 1
    assert model.get_n_leaves() == len(set(leaves))
    for node in tree:
        reached = np.array([node.id in path for path in paths])
        assert node.counts.tolist() == np.bincount(y[reached], minlength=n_classes).tolist()
        assert node.depth == paths[np.flatnonzero(reached)[0]].index(node.id)
    shares = tree.counts[leaves] / tree.counts[leaves].sum(axis=1, keepdims=True)
    np.testing.assert_array_equal(model.predict_proba(X), shares)
    np.testing.assert_allclose(model.predict_proba(X).sum(axis=1), 1)
    assert model.predict(X).tolist() == shares.argmax(axis=1).tolist()
    with np.errstate(divide="ignore"):
        np.testing.assert_array_equal(model.predict_log_proba(X), np.log(shares))


@pytest.mark.parametrize("n_classes", [2, 3])
def test_importances_are_shares_of_the_reduction(n_classes: int) -> None:
    X, y = mixed_table(13, n_classes=n_classes)
    model = BsnsingClassifier.plain(min_samples_leaf=3).fit(X, y)
    sums = dict.fromkeys(X.columns, 0.0)
    for node in model.tree_:
        if not node.is_leaf:
            children = gini(model.tree_.counts[node.left]) + gini(model.tree_.counts[node.right])
            for question in node.rule.questions:
                share = (gini(node.counts) - children) / len(node.rule.questions)
                sums[question.column] += share
    expected = np.array(list(sums.values())) / sum(sums.values())
    np.testing.assert_allclose(model.feature_importances_, expected)


@pytest.mark.parametrize("make", [BsnsingClassifier.plain, BsnsingClassifier.paper])
def test_one_tree_per_class(make: Any) -> None:
    X, y = mixed_table(14, n_classes=3)
    labels = np.array(["no", "perhaps", "yes"])[y]
    model = make(multiclass="ovr").fit(X, labels)
    leaves = model.apply(X)
    scores = np.column_stack(
        [tree.value[leaf, 1] for tree, leaf in zip(model.trees_, leaves.T, strict=True)]
    )
    for j, tree in enumerate(model.trees_):
        alone = make(multiclass="native").fit(X, y == j)
        assert_same_rules(tree, alone.tree_)
        np.testing.assert_array_equal(scores[:, j], alone.predict_proba(X)[:, 1])
    assert model.predict(X).tolist() == model.classes_[scores.argmax(axis=1)].tolist()
    shares = scores / scores.sum(axis=1, keepdims=True)
    np.testing.assert_allclose(model.predict_proba(X), shares)
    passed, starts = model.decision_path(X)
    assert passed.shape == (len(X), sum(tree.n_nodes for tree in model.trees_))
    for tree, leaf, start in zip(model.trees_, leaves.T, starts[:-1], strict=True):
        part = passed[:, start : start + tree.n_nodes].toarray()
        assert part[np.arange(len(X)), leaf].all()
        assert part.sum(axis=1).tolist() == (tree.depth[leaf] + 1).tolist()
    assert model.get_n_leaves() == sum(tree.n_leaves for tree in model.trees_)
    assert model.feature_importances_.sum() == pytest.approx(1)


def test_trees_are_read_only() -> None:
    tree = BsnsingClassifier.plain().fit(*mixed_table(15)).tree_
    for name, array in (arrays(tree) | {n: getattr(tree, n) for n in NOT_THE_TREE}).items():
        assert not array.flags.writeable, name
        if array.size:
            with pytest.raises(ValueError, match="read-only"):
                array[0] = array[0]
    with pytest.raises(dataclasses.FrozenInstanceError):
        tree.counts = tree.counts * 2


# --- Questions from elsewhere ---


def asked(model: BsnsingClassifier) -> set[Question]:
    return {q for rule in model.tree_.rules if rule for q in rule.questions}


def test_questions_by_hand_are_the_only_ones() -> None:
    X, y = mixed_table(16)
    given = [Question("a", ">", 0.0), Question("kind", "in", ("u", "v")), Question("b", "<", 9)]
    model = BsnsingClassifier.plain(extra_questions=given, own_questions=False).fit(X, y)
    assert asked(model) <= {*given}
    assert len(asked(model)) > 1
    none = BsnsingClassifier.plain(own_questions=False).fit(X, y)
    assert none.get_n_leaves() == 1


def test_questions_by_hand_compete_with_the_own_ones() -> None:
    X, y = mixed_table(17)
    y = ((X["a"] > 0.5) ^ (np.arange(len(y)) % 9 == 0)).to_numpy(dtype=int)
    extra = Question("a", ">", 0.5)
    own = BsnsingClassifier.plain(n_segments=2, max_rules=1).fit(X, y)
    both = BsnsingClassifier.plain(n_segments=2, max_rules=1, extra_questions=extra).fit(X, y)
    assert both.tree_.objective[0] < own.tree_.objective[0]
    assert both.tree_.rules[0].questions == (extra,)


def test_questions_of_a_fitted_tree_give_the_tree_again() -> None:
    X, y = mixed_table(18, n_classes=3)
    lender = BsnsingClassifier.plain(max_depth=1).fit(X, y)
    for extra in (lender, lender.tree_, [lender, lender.tree_]):
        borrower = BsnsingClassifier.plain(max_depth=1, extra_questions=extra, own_questions=False)
        borrower.fit(X, y)
        assert borrower.tree_.objective[0] == lender.tree_.objective[0]
        assert np.array_equal(borrower.apply(X), lender.apply(X))
    ovr = BsnsingClassifier.plain(multiclass="ovr").fit(X, y)
    borrower = BsnsingClassifier.plain(extra_questions=ovr, own_questions=False).fit(X, y)
    lent = {str(q.column) for tree in ovr.trees_ for r in tree.rules if r for q in r.questions}
    assert {q.column for q in asked(borrower)} <= lent


@pytest.mark.parametrize(
    "lender",
    [
        DecisionTreeClassifier(max_leaf_nodes=5, random_state=0),
        RandomForestClassifier(n_estimators=4, max_leaf_nodes=5, random_state=0),
    ],
)
@pytest.mark.parametrize("has_names", [False, True])
def test_questions_of_scikit_learn(lender: Any, has_names: bool) -> None:
    X, y = numeric_table(19, 300)
    X = X.astype(np.float32).astype(np.float64)  # scikit-learn's trees compare in 32 bits
    table = pd.DataFrame(X, columns=["p", "q r", "s"]) if has_names else X
    lender.fit(table, y)
    trees = getattr(lender, "estimators_", [lender])
    model = BsnsingClassifier.plain(extra_questions=lender, own_questions=False, min_samples_leaf=1)
    model.fit(table, y)
    names = ["p", "q r", "s"] if has_names else ["x0", "x1", "x2"]
    lent = set()
    for tree in (t.tree_ for t in trees):
        for feature, threshold in zip(tree.feature, tree.threshold, strict=True):
            if feature >= 0:
                lent.add(Question(names[feature], ">", threshold))
                lent.add(Question(names[feature], "<", np.nextafter(threshold, np.inf)))
    assert asked(model) <= lent
    roots = [t.tree_.impurity[0] * t.tree_.weighted_n_node_samples[0] for t in trees]
    assert model.tree_.objective[0] < min(roots) if trees == [lender] else model.get_n_leaves() > 2
    if trees == [lender]:  # the very split of scikit-learn is among the rules
        tree = lender.tree_
        children = [tree.children_left[0], tree.children_right[0]]
        cost = sum(tree.impurity[v] * tree.weighted_n_node_samples[v] for v in children)
        assert model.tree_.objective[0] <= cost + 1e-9


def test_tree_of_another_table_is_refused() -> None:
    X, y = mixed_table(20)
    wide = DecisionTreeClassifier(max_depth=1).fit(np.column_stack([np.zeros((len(y), 9)), y]), y)
    with pytest.raises(
        ValueError, match=r"'x9 > 0.5' asks about a column that the table does not have"
    ):
        BsnsingClassifier.plain(extra_questions=wide).fit(X, y)
    with pytest.raises(ValueError, match="orders the levels of a categorical column"):
        BsnsingClassifier.plain(extra_questions=Question("kind", ">", 1.0)).fit(X, y)


def test_borrowed_trees_are_read_by_name() -> None:
    X, y = mixed_table(20)
    frame = X[["b", "a"]].fillna(0.0)
    tree = DecisionTreeClassifier(max_depth=2).fit(frame, y)
    asked = {question.column for question in questions_of(tree)}
    used = {frame.columns[f] for f in tree.tree_.feature if f >= 0}
    assert asked == used
    bag = BaggingClassifier(
        DecisionTreeClassifier(max_depth=1), max_features=1, random_state=0, n_estimators=4
    ).fit(frame.to_numpy(), y)
    selected = {f"x{column}" for columns in bag.estimators_features_ for column in columns}
    assert {question.column for question in questions_of(bag)} == selected
    with pytest.raises(NotFittedError, match="DecisionTreeClassifier is not fitted"):
        questions_of(DecisionTreeClassifier())


# --- Proof ---


def test_tree_tells_where_time_ran_out() -> None:
    X, y = large_table(21)
    model = BsnsingClassifier.plain(time_limit=1e-6, max_rules=4, max_depth=2).fit(X, y)
    tree = model.tree_
    assert not tree.optimal[0]
    assert tree.bound[0] < tree.objective[0]
    assert "[best found: " in export_text(model).splitlines()[0]
    assert "proven at least" in export_text(model).splitlines()[0]
    proven = BsnsingClassifier.plain(max_depth=1).fit(X, y)
    assert proven.tree_.optimal.all()
    assert proven.tree_.bound[0] == proven.tree_.objective[0]
    assert "best found" not in export_text(proven)


@pytest.mark.parametrize("criterion", ["gini", "gini_squared", "entropy"])
@pytest.mark.parametrize("seed", range(5))
def test_greedy_is_never_better(seed: int, criterion: str) -> None:
    X, y = mixed_table(seed, n_classes=2 + seed % 2)
    settings = {"max_rules": 3, "min_samples_leaf": 10, "criterion": criterion, "max_depth": 1}
    exact = BsnsingClassifier.plain(**settings).fit(X, y).tree_
    greedy = BsnsingClassifier.plain(solver="greedy", greedy_level=1.0, **settings).fit(X, y).tree_
    assert greedy.n_leaves == exact.n_leaves == 2
    assert greedy.objective[0] >= exact.objective[0] - 1e-9
    assert exact.optimal[0]
    assert not greedy.optimal[0]


@pytest.mark.parametrize(
    ("criterion", "of_child"),
    [
        ("gini", gini),
        ("gini_squared", lambda n: (n.sum() ** 2 - (n**2).sum()) / 2),
        ("entropy", lambda n: -sum(k * math.log(k / n.sum()) for k in n if k)),
        ("misclassification", lambda n: n.sum() - n.max()),
    ],
)
@pytest.mark.parametrize("weight", [1.0, 2.0, 0.37])
def test_objective_is_the_criterion_of_the_children(
    criterion: str, of_child: Any, weight: float
) -> None:
    X, y = mixed_table(22, n_classes=3)
    weights = np.where(np.arange(len(y)) % 2, weight, 2 * weight)
    tree = BsnsingClassifier.plain(criterion=criterion).fit(X, y, sample_weight=weights).tree_
    assert tree.n_leaves > 2
    for node in tree:
        if not node.is_leaf:
            expected = of_child(tree.counts[node.left]) + of_child(tree.counts[node.right])
            assert node.objective == pytest.approx(expected)


def test_greedy_builds_and_and_xor() -> None:
    bits = np.array(list(product([0, 1], repeat=3)) * 10)
    both = BsnsingClassifier.plain(solver="greedy", min_samples_leaf=1, max_depth=1)
    assert str(both.fit(bits, bits[:, 0] & bits[:, 1]).tree_.rule(0)) == "x0 == 1 and x1 == 1"
    # From one question XOR gains nothing unless that question already tells something.
    y = (bits[:, 0] ^ bits[:, 1]) | (bits[:, 0] & bits[:, 2])
    either = BsnsingClassifier.plain(
        solver="greedy", operators=("xor",), min_samples_leaf=1, max_depth=1, greedy_level=1.0
    )
    assert either.fit(bits, y).tree_.rule(0).operator == "xor"


def test_leaf_of_a_search_cut_short_is_not_called_proven() -> None:
    # No single question is feasible, and there is no time for more.
    rng = np.random.default_rng(0)
    X = (rng.random((4000, 400)) < 0.005).astype(float)
    y = X[:, :9].any(axis=1)
    model = BsnsingClassifier.plain(min_samples_leaf=100, max_rules=8, time_limit=1e-6).fit(X, y)
    assert model.tree_.n_leaves == 1
    assert not model.tree_.optimal[0]
    assert export_text(model).endswith("[not proven]")
