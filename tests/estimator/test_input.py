"""What fit and predict take: tables and labels of every kind, and a clear no to the rest."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse as sp
from sklearn.datasets import load_iris
from sklearn.linear_model import LogisticRegression

from bsnsing import BsnsingClassifier, Question

NAN = float("nan")


def mixed_columns(n_rows: int = 240) -> tuple[dict[str, list[Any]], list[str]]:
    """Four kinds of columns, each with missing cells, and a class that depends on all of them."""
    rng = np.random.default_rng(0)
    columns: dict[str, list[Any]] = {
        "age": rng.integers(18, 80, n_rows).astype(float).tolist(),
        "paid": (rng.random(n_rows) < 0.5).tolist(),
        "plan": rng.choice(["basic", "pro", "team"], n_rows).tolist(),
        "city": rng.choice(["Rome", "New York", "Łódź", "Oslo"], n_rows).tolist(),
    }
    score = (
        (np.array(columns["age"]) > 50).astype(float)
        + np.array(columns["paid"])
        + (np.array(columns["plan"]) == "pro")
        + (np.array(columns["city"]) == "Łódź")
    )
    for i, cells in enumerate(columns.values()):
        for row in np.flatnonzero(rng.random(n_rows) < 0.05 * (i + 1)):
            cells[row] = None
            score[row] += 1
    return columns, np.where(score > 1.5, "stay", "leave").tolist()


COLUMNS, LABELS = mixed_columns()


def with_categories(data: dict[str, list[Any]]) -> pd.DataFrame:
    return pd.DataFrame(data).astype({"plan": "category", "paid": "boolean"})


FRAMES: dict[str, Callable[[dict[str, list[Any]]], Any]] = {
    "pandas": pd.DataFrame,
    "pandas-category": with_categories,
    "pandas-object": lambda data: pd.DataFrame(data, dtype=object),
    "pandas-nullable": lambda data: pd.DataFrame(data).convert_dtypes(),
    "polars": pl.DataFrame,
    "polars-category": lambda data: pl.DataFrame(data, schema_overrides={"plan": pl.Categorical}),
    "arrow": pa.table,
    "arrow-category": lambda data: pa.table(
        {**data, "plan": pa.array(data["plan"]).dictionary_encode()}
    ),
}
each_frame = pytest.mark.parametrize("frame", FRAMES.values(), ids=FRAMES.keys())


# --- The same tree, whatever holds the table ---


@each_frame
def test_every_dataframe_gives_the_same_tree(frame: Callable[[Any], Any]) -> None:
    expected = BsnsingClassifier.plain(min_samples_leaf=5).fit(pd.DataFrame(COLUMNS), LABELS)
    model = BsnsingClassifier.plain(min_samples_leaf=5).fit(frame(COLUMNS), LABELS)
    asked = {q.column for rule in model.tree_.rules if rule for q in rule.questions}
    assert asked == set(COLUMNS), "the test is only worth its name if every kind of column is asked"
    assert str(model) == str(expected)
    assert np.array_equal(model.tree_.counts, expected.tree_.counts)
    for other in FRAMES.values():
        assert np.array_equal(
            model.predict_proba(other(COLUMNS)), expected.predict_proba(frame(COLUMNS))
        )


def test_object_array_gives_the_same_tree_but_for_names() -> None:
    X = np.array(list(zip(*COLUMNS.values(), strict=True)), dtype=object)
    model = BsnsingClassifier.plain(min_samples_leaf=5).fit(X, LABELS)
    expected = BsnsingClassifier.plain(min_samples_leaf=5).fit(pd.DataFrame(COLUMNS), LABELS)
    assert np.array_equal(model.predict_proba(X), expected.predict_proba(pd.DataFrame(COLUMNS)))
    assert np.array_equal(model.tree_.counts, expected.tree_.counts)


@each_frame
def test_columns_may_come_in_another_order(frame: Callable[[Any], Any]) -> None:
    model = BsnsingClassifier.plain(min_samples_leaf=5).fit(frame(COLUMNS), LABELS)
    turned = frame(dict(reversed(COLUMNS.items())))
    assert np.array_equal(model.predict_proba(turned), model.predict_proba(frame(COLUMNS)))


@pytest.mark.parametrize("values", ["0/1", "numbers"])
@pytest.mark.parametrize("make", [sp.csr_array, sp.csc_array, sp.csr_matrix, sp.csc_matrix])
def test_sparse_gives_the_same_tree_as_dense(make: Callable[[Any], Any], values: str) -> None:
    rng = np.random.default_rng(1)
    X = (rng.random((200, 12)) < 0.3) * (1.0 if values == "0/1" else rng.normal(size=(200, 12)))
    y = (X[:, 0] + X[:, 1] - X[:, 2] > 0.2).astype(int) + (X[:, 3] > 0.5)
    model = BsnsingClassifier.plain(min_samples_leaf=3).fit(make(X), y)
    dense = BsnsingClassifier.plain(min_samples_leaf=3).fit(X, y)
    assert model.get_n_leaves() > 3
    assert str(model) == str(dense)
    assert np.array_equal(model.predict_proba(make(X)), dense.predict_proba(X))
    assert np.array_equal(model.predict_proba(X), dense.predict_proba(make(X)))


# --- Labels ---

IRIS = load_iris().data
WIDTH = np.digitize(IRIS[:, 3], [0.8, 1.7])


@pytest.mark.parametrize(
    ("labels", "dtype"),
    [
        (np.array(["a", "b", "c"]), "U"),
        (np.array(["a", "b", "c"], dtype=object), "O"),
        (np.array([-5, 0, 7]), "i"),
        (np.array([1, 2, 250], dtype=np.uint8), "u"),
        (np.array([1.0, 2.0, 3.0]), "f"),
        (np.array([False, True, True]), "b"),
        (np.array(["", "a b", "ü\n"]), "U"),
    ],
)
@pytest.mark.parametrize("multiclass", ["native", "ovr"])
def test_labels_come_back_as_they_were(labels: Any, dtype: str, multiclass: str) -> None:
    y = labels[WIDTH]
    model = BsnsingClassifier.plain(multiclass=multiclass).fit(IRIS, y)
    assert model.classes_.tolist() == sorted(set(labels.tolist()))
    assert model.classes_.dtype.kind in (dtype, y.dtype.kind)
    assert model.n_classes_ == len(set(labels.tolist()))
    assert model.predict(IRIS).tolist() == y.tolist()
    assert set(model.predict(IRIS).tolist()) == set(labels.tolist())


@pytest.mark.parametrize(
    "as_y",
    [
        list,
        tuple,
        pd.Series,
        pl.Series,
        lambda y: pa.array(y.tolist()),
        pd.Categorical,
    ],
)
def test_labels_in_other_clothes(as_y: Callable[[Any], Any]) -> None:
    y = np.array(["a", "b", "c"])[WIDTH]
    assert BsnsingClassifier.plain().fit(IRIS, as_y(y)).predict(IRIS).tolist() == y.tolist()


@pytest.mark.parametrize("multiclass", ["native", "ovr"])
@pytest.mark.parametrize("n_classes", [2, 3, 12, 40])
def test_many_classes(n_classes: int, multiclass: str) -> None:
    y = np.repeat(np.arange(n_classes), 6)
    X = np.column_stack([y % 7, y // 7]).astype(float)
    model = BsnsingClassifier.plain(min_samples_leaf=1, multiclass=multiclass).fit(X, y)
    assert np.array_equal(model.predict(X), y)
    assert model.predict_proba(X).shape == (len(y), n_classes)


@pytest.mark.parametrize("label", ["only", 0, True])
@pytest.mark.parametrize("make", [BsnsingClassifier, BsnsingClassifier.paper])
def test_one_class_gives_one_leaf(make: Callable[[], BsnsingClassifier], label: Any) -> None:
    model = make().fit(IRIS, [label] * len(IRIS))
    assert (model.get_n_leaves(), model.get_depth(), model.n_classes_) == (1, 0, 1)
    assert model.predict(IRIS[:2]).tolist() == [label, label]
    assert model.predict_proba(IRIS[:2]).tolist() == [[1.0], [1.0]]
    assert model.tree_.counts.tolist() == [[len(IRIS)]]
    assert not model.feature_importances_.any()
    assert str(model) == f"{label}   (150 of 150)"


# --- Missing cells and unseen levels ---


def ask_one(question: Question, X: pd.DataFrame, yes_rows: list[bool]) -> BsnsingClassifier:
    """Fit a stump that can ask nothing but the question, which separates the classes."""
    model = BsnsingClassifier.plain(
        extra_questions=question, own_questions=False, min_samples_leaf=1, operators=("or",)
    ).fit(X, np.where(yes_rows, "yes", "no"))
    assert model.tree_.rules[0].questions[0].answer(X[question.column]).tolist() == yes_rows
    return model


SMALL = pd.DataFrame({"n": [1.0, 2.0, NAN], "b": [True, False, None], "c": ["u", "v", None]})
NEW = pd.DataFrame({"n": [NAN, -9.0, 99.0], "b": [None, True, False], "c": [None, "new", "v"]})


@pytest.mark.parametrize(
    ("question", "at_fit", "later"),
    [
        (Question("n", ">", 1.5), "nyn", "nny"),
        (Question("n", "<", 1.5), "ynn", "nyn"),
        (Question("n", "==", 2.0), "nyn", "nnn"),
        (Question("n", "is missing"), "nny", "ynn"),
        (Question("b", "==", 1), "ynn", "nyn"),
        (Question("b", "==", False), "nyn", "nny"),
        (Question("b", "is missing"), "nny", "ynn"),
        (Question("c", "==", "v"), "nyn", "n?y"),
        (Question("c", "in", ("u", "v")), "yyn", "n?y"),
        (Question("c", "is missing"), "nny", "ynn"),
    ],
)
def test_missing_answers_no_and_unseen_nothing_to_all_but_is_missing(
    question: Question, at_fit: str, later: str
) -> None:
    model = ask_one(question, SMALL, [answer == "y" for answer in at_fit])
    for table, expected in ((SMALL, at_fit), (NEW, later)):
        labels = np.array([label[0] for label in model.predict(table)])
        answers = np.where(model.unknown_at(table) >= 0, "?", labels)
        assert "".join(answers) == expected


def test_negated_question_holds_for_missing_but_not_for_unseen() -> None:
    X = pd.DataFrame({"c": ["u"] * 4 + ["v"] * 4 + [None] * 4})
    model = BsnsingClassifier.plain(
        min_samples_leaf=1,
        max_rules=1,
        own_questions=False,
        extra_questions=Question("c", "==", "u"),
    )
    model.fit(X, [0] * 4 + [1] * 8)
    new = pd.DataFrame({"c": ["u", "new", None]})
    assert model.unknown_at(new).tolist() == [-1, 0, -1]
    assert model.predict_proba(new)[:, 1].tolist() == [0, pytest.approx(8 / 12), 1]


# --- What is refused at predict ---


@pytest.fixture
def fitted() -> BsnsingClassifier:
    return BsnsingClassifier.plain().fit(pd.DataFrame(COLUMNS), LABELS)


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame, pa.table])
@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda data: {n: c for n, c in data.items() if n != "plan"}, "X lacks 'plan'"),
        (lambda data: {**data, "more": data["age"]}, "unknown 'more'"),
        (lambda data: {**data, "age": data["plan"]}, "'age' held numbers"),
        (lambda data: {**data, "plan": data["age"]}, "'plan' held text"),
    ],
)
def test_changed_columns_are_refused(
    frame: Callable[[Any], Any],
    change: Callable[[Any], Any],
    message: str,
    fitted: BsnsingClassifier,
) -> None:
    with pytest.raises(ValueError, match=message):
        fitted.predict(frame(change(COLUMNS)))


@pytest.mark.parametrize("as_X", [np.asarray, sp.csr_array])
def test_wrong_width_is_refused(as_X: Callable[[Any], Any]) -> None:
    model = BsnsingClassifier.plain().fit(as_X(IRIS), WIDTH)
    with pytest.raises(ValueError, match=r"3 features, but .* 4 features"):
        model.predict(as_X(IRIS[:, :3]))


def test_infinity_is_refused_at_predict() -> None:
    model = BsnsingClassifier.plain().fit(IRIS, WIDTH)
    with pytest.raises(ValueError, match="infinity"):
        model.predict([[1.0, 2.0, np.inf, 0.0]])


# --- What is refused at fit ---

ABAB = ["a", "b", "a", "b"]


@pytest.mark.parametrize(
    ("X", "error", "message"),
    [
        ([[1.0], [np.inf], [3.0], [4.0]], ValueError, "infinity"),
        (pd.DataFrame({"age": [1.0, -np.inf, 2.0, 3.0]}), ValueError, "infinity.*'age'"),
        (np.empty((0, 3)), ValueError, "0 sample"),
        (np.empty((4, 0)), ValueError, r"0 feature"),
        (pd.DataFrame(index=range(4)), ValueError, "0 feature"),
        (pd.DataFrame({"l": [[1], [2], [3], [4]]}), TypeError, "'l' holds"),
        (pl.DataFrame({"l": [[1], [2], [3], [4]]}), TypeError, "'l' holds"),
        (pa.table({"s": [{"k": 1}] * 4}), TypeError, "'s' holds"),
        (pd.DataFrame([[1, 2]] * 4, columns=["a", "a"]), ValueError, "'a' occurs 2 times"),
        (np.array([[1j]] * 4), ValueError, "Complex"),
        (np.zeros(4), ValueError, "1D array"),
        (np.zeros((4, 2, 2)), ValueError, "dim 3"),
        (pl.LazyFrame({"a": [1, 2, 3, 4]}), TypeError, "collect"),
    ],
)
def test_tables_that_cannot_be_asked_about(X: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        BsnsingClassifier.plain().fit(X, ABAB)


@pytest.mark.parametrize("missing", [None, NAN, pd.NA, pd.NaT])
@pytest.mark.parametrize("as_y", [lambda y: np.array(y, dtype=object), pd.Series])
def test_missing_labels_are_refused(as_y: Callable[[Any], Any], missing: Any) -> None:
    with pytest.raises(ValueError, match=r"missing label, first in row 2"):
        BsnsingClassifier.plain().fit(IRIS[:4], as_y(["a", "b", missing, "b"]))


@pytest.mark.parametrize(
    ("y", "message"),
    [
        ([0.5, 1.5, 2.5, 3.5], "continuous"),
        ([0.0, 1.0, NAN, 1.0], "row 2"),
        ([0.0, 1.0, 0.0, np.inf], "row 3"),
        (pl.Series(["a", None, "b", "a"]), "row 1"),
        (["a", "b", "a"], "there are 4 rows, and y has 3 labels"),
        ([["a", "b"]] * 4, "1d array"),
        (np.array([True, False, 2, 3], dtype=object), "Unknown label type"),
        (None, "y"),
    ],
)
def test_labels_that_cannot_be_used(y: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        BsnsingClassifier.plain().fit(IRIS[:4], y)


WRONG_PARAMETERS = {
    "max_rules": [0, 11, 1.5, True, "2", None],
    "column_pairs": [True, "all", 2],
    "min_samples_leaf": [0, -1, 1.5, 1.0, "root", None, True],
    "criterion": ["ginny", None, 1],
    "operators": ["or", [], ["nor"], ["or", "or"], None, [["or"]]],
    "max_depth": [-1, 1.5, "3"],
    "max_leaf_nodes": [0, -2, 2.5],
    "ccp_alpha": [-0.1, NAN, "none", None],
    "shrinkage": [-1, NAN, "none", None],
    "teacher": ["trees", 3, BsnsingClassifier, True],
    "random_state": ["seed", -1, 0.5],
    "stop_prob": [0, -0.1, 1.1, NAN, "1"],
    "distinct_children": [1, None, "yes"],
    "multiclass": ["one", None],
    "solver": ["cplexx", None],
    "greedy_level": [0, 1.5, None],
    "hybrid_cap": [-1, "many", None],
    "solver_options": [3, "fast"],
    "constraints": [3, "cheap"],
    "verbose": [-1, "loud", None],
    "time_limit": [0, -1, NAN, "1"],
    "max_bins": [1, 2.5, True],
    "n_segments": [0, 2.5],
    "max_levels": [1, None],
    "max_values_as_levels": [-1, 0.5],
    "bin_size": [0, 2.5],
    "decimals": [1.5, "few", True, 301],
    "own_questions": [None, 1],
    "class_weight": ["balance", [1, 2], 3],
    "cost": ["high", {"a": 3}, {("a", "b", "c"): 1}, {(0, 1): "dear"}, 3],
    "monotonic_cst": ["up", 3, {1}],
    "max_columns": [0, -1, 1.5, "all"],
    "column_costs": ["dear", {"a": "x"}, 3],
    "first_rules": ["age > 3", [], [3], 3],
    "n_jobs": [0, 1.5, "all"],
    "device": ["gpu", "cuda:", "cuda:x", "CUDA", 0, None],
    "categorical_features": [3, "all", [["a"]], [9], ["nobody"]],
    "extra_questions": [3, [None], {"a": 1}, BsnsingClassifier, LogisticRegression()],
    "donors_per_node": [None, 1, "yes"],
}


def test_every_parameter_is_tried() -> None:
    assert set(WRONG_PARAMETERS) == set(BsnsingClassifier().get_params())


@pytest.mark.parametrize(
    ("name", "value"),
    [(name, value) for name, values in WRONG_PARAMETERS.items() for value in values],
    ids=str,
)
def test_wrong_parameters_are_named(name: str, value: Any) -> None:
    with pytest.raises((ValueError, TypeError), match=f"{name}") as caught:
        BsnsingClassifier.plain(**{name: value}).fit(IRIS, WIDTH)
    if name != "extra_questions":  # which shows the type, since the value may be a whole model
        shown = re.escape(repr(value[0] if value in ([9], ["nobody"]) else value))
        assert re.search(shown, str(caught.value))


@pytest.mark.parametrize(
    ("class_weight", "message"),
    [
        ({9: 1.0}, "9"),
        ({0: -1.0}, "-1"),
        ({0: NAN}, "nan"),
        ({0: 0, 1: 0, 2: 0}, "non-negative"),
        ({0: "a"}, "'a'"),
    ],
)
def test_wrong_class_weights_are_named(class_weight: dict[Any, Any], message: str) -> None:
    with pytest.raises(ValueError, match=f"class_weight.*{message}|{message}.*class_weight"):
        BsnsingClassifier.plain(class_weight=class_weight).fit(IRIS, WIDTH)


@pytest.mark.parametrize(
    ("weight", "message"),
    [
        ([1.0, 2.0], "one weight for each of the 150 rows"),
        (np.full(150, NAN), "NaN"),
        (np.full(150, -1.0), "negative"),
        (np.zeros(150), "zero for every row"),
        (np.ones((150, 2)), "one weight for each"),
    ],
)
def test_wrong_sample_weights_are_named(weight: Any, message: str) -> None:
    with pytest.raises(ValueError, match=f"sample_weight.*{message}"):
        BsnsingClassifier.plain().fit(IRIS, WIDTH, sample_weight=weight)


def test_error_criterion_is_for_two_classes() -> None:
    with pytest.raises(ValueError, match="criterion='error'"):
        BsnsingClassifier.plain(criterion="error").fit(IRIS, WIDTH)
    assert (
        BsnsingClassifier.plain(criterion="error").fit(IRIS, WIDTH > 0).score(IRIS, WIDTH > 0) == 1
    )
    ovr = BsnsingClassifier.plain(criterion="error", multiclass="ovr").fit(IRIS, WIDTH)
    assert ovr.score(IRIS, WIDTH) == 1


@pytest.mark.parametrize(
    "question",
    [
        Question("nobody", ">", 1.0),
        Question("plan", ">", 1.0),
        Question("age", "==", "pro"),
        Question("age", "in", (1, 2)),
    ],
)
def test_questions_that_do_not_fit_the_table_are_named(question: Question) -> None:
    with pytest.raises(ValueError, match=re.escape(str(question))):
        BsnsingClassifier.plain(extra_questions=question).fit(pd.DataFrame(COLUMNS), LABELS)
