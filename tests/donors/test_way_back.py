"""Cuts behind transformers are followed back to the columns, as pipelines part the rows."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.compose import ColumnTransformer, make_column_selector
from sklearn.decomposition import PCA
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.feature_selection import SelectKBest, VarianceThreshold
from sklearn.impute import KNNImputer, MissingIndicator, SimpleImputer
from sklearn.pipeline import FeatureUnion, Pipeline, make_pipeline
from sklearn.preprocessing import (
    Binarizer,
    FunctionTransformer,
    KBinsDiscretizer,
    MaxAbsScaler,
    MinMaxScaler,
    Normalizer,
    OneHotEncoder,
    OrdinalEncoder,
    PolynomialFeatures,
    PowerTransformer,
    QuantileTransformer,
    RobustScaler,
    StandardScaler,
    TargetEncoder,
)
from sklearn.tree import DecisionTreeClassifier

from bsnsing import BsnsingClassifier, Question, questions_of
from bsnsing.data.table import read_training_table
from bsnsing.questions.donors.place import place_cuts
from bsnsing.questions.donors.registry import lender_of

N_ROWS = 240


def table(seed: int, *, missing: bool = False) -> tuple[pd.DataFrame, Any]:
    """Numbers, a skewed one, levels as text and as numbers, and labels that all of them tell of."""
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(
        {
            "age": np.round(rng.normal(50, 15, N_ROWS), 1),
            "dose": np.round(rng.exponential(3, N_ROWS), 3) + 0.001,
            "town": rng.choice(["ulm", "bonn", "kiel", "jena", "hof"], N_ROWS),
            "grade": rng.integers(1, 7, N_ROWS),
        }
    )
    score = (frame["age"] > 52) + 1.5 * (frame["dose"] > 2.5) + frame["town"].isin(["ulm", "hof"])
    y = (score + 0.3 * frame["grade"] + rng.normal(0, 0.7, N_ROWS) > 2.6).astype(int)
    if missing:
        frame.loc[rng.random(N_ROWS) < 0.2, "age"] = np.nan
        frame.loc[rng.random(N_ROWS) < 0.2, "town"] = None
    return frame, y.to_numpy()


def asked(model: Any, X: pd.DataFrame, categorical: Any = "from_dtype") -> list[Question]:
    read = read_training_table(BaseEstimator(), X, categorical)
    return place_cuts(lender_of(model), read)


def assert_every_split_is_a_question(model: Pipeline, X: pd.DataFrame, **given: Any) -> set[str]:
    """Each node of the last step's tree parts the rows as one of the questions does."""
    questions = asked(model, X, **given)
    moved = np.asarray(model[:-1].transform(X), dtype=np.float32)
    tree = model[-1].tree_
    answers = {
        tuple(question.answer(X[question.column].to_numpy(dtype=object)).tolist()): question
        for question in questions
    }
    found = set()
    for v in np.flatnonzero(tree.feature >= 0):
        left = moved[:, tree.feature[v]] <= tree.threshold[v]
        for side in (left, ~left):
            if tuple(side.tolist()) in answers:
                found.add(str(answers[tuple(side.tolist())].column))
                break
        else:
            raise AssertionError(f"no question has the answers of node {v}")
    return found


TREE = DecisionTreeClassifier(max_depth=5, random_state=0)


@pytest.mark.parametrize(
    "scaler",
    [
        StandardScaler(),
        MinMaxScaler((-3, 7), clip=True),
        MaxAbsScaler(),
        RobustScaler(),
        PowerTransformer(),
        PowerTransformer("box-cox", standardize=False),
        QuantileTransformer(n_quantiles=50, output_distribution="normal"),
        QuantileTransformer(n_quantiles=7),
    ],
    ids=str,
)
@pytest.mark.parametrize("seed", range(3))
def test_scaled_numbers(scaler: Any, seed: int) -> None:
    X, y = table(seed)
    X = X[["age", "dose"]].abs() + 0.1
    model = make_pipeline(scaler, TREE).fit(X, y)
    assert assert_every_split_is_a_question(model, X) == {"age", "dose"}


@pytest.mark.parametrize(
    "encoder",
    [
        OneHotEncoder(sparse_output=False),
        OneHotEncoder(sparse_output=False, drop="first"),
        OneHotEncoder(sparse_output=False, drop="if_binary"),
        OneHotEncoder(sparse_output=False, max_categories=3),
        OneHotEncoder(sparse_output=False, max_categories=3, drop="first"),
        OrdinalEncoder(),
        OrdinalEncoder(categories=[["kiel", "ulm", "hof", "jena", "bonn"]]),
        OrdinalEncoder(max_categories=3),
    ],
    ids=str,
)
@pytest.mark.parametrize("seed", range(3))
def test_encoded_levels(encoder: Any, seed: int) -> None:
    X, y = table(seed)
    model = make_pipeline(encoder, TREE).fit(X[["town"]], y)
    assert assert_every_split_is_a_question(model, X[["town"]]) == {"town"}


def test_levels_as_means_of_the_labels() -> None:
    X, y = table(2)
    encoder = TargetEncoder().fit(X[["town", "grade"]], y)
    tree = DecisionTreeClassifier(random_state=0).fit(encoder.transform(X[["town", "grade"]]), y)
    model = Pipeline([("means", encoder), ("tree", tree)])
    own = X[["town", "grade"]]
    found = assert_every_split_is_a_question(model, own, categorical=["town", "grade"])
    assert found == {"town", "grade"}
    labels = table(1)[1] + y  # three classes: a mean for each
    encoder = TargetEncoder(target_type="multiclass").fit(X[["town"]], labels)
    tree = DecisionTreeClassifier(random_state=0).fit(encoder.transform(X[["town"]]), labels)
    model = Pipeline([("means", encoder), ("tree", tree)])
    assert assert_every_split_is_a_question(model, X[["town"]]) == {"town"}


def test_levels_that_are_numbers() -> None:
    X, y = table(3)
    model = make_pipeline(OrdinalEncoder(), TREE).fit(X[["grade"]], y)
    # In a table of numbers, codes up to one are numbers up to one.
    assert assert_every_split_is_a_question(model, X[["grade"]]) == {"grade"}
    model = make_pipeline(OneHotEncoder(sparse_output=False), TREE).fit(X[["grade"]], y)
    questions = asked(model, X[["grade"]])
    assert {question.test for question in questions} >= {"=="}
    assert all(question.column == "grade" for question in questions)
    # And as categories they are levels.
    listed = asked(model, X[["grade"]], ["grade"])
    assert {question.test for question in listed} == {"==", "in"}


@pytest.mark.parametrize("encode", ["ordinal", "onehot-dense"])
@pytest.mark.parametrize("strategy", ["uniform", "kmeans"])
def test_bins(encode: str, strategy: str) -> None:
    X, y = table(4)
    X = X[["age", "dose"]]
    bins = KBinsDiscretizer(6, encode=encode, strategy=strategy, random_state=0)
    model = make_pipeline(bins, TREE).fit(X, y)
    questions = asked(model, X)
    if encode == "ordinal":
        assert assert_every_split_is_a_question(model, X) == {"age", "dose"}
    edges = {float(edge) for own in model[0].bin_edges_ for edge in own}
    assert {question.value for question in questions if question.test == "<"} <= edges


def test_binarized_numbers() -> None:
    X, y = table(5)
    model = make_pipeline(Binarizer(threshold=52.0), TREE).fit(X[["age"]], y)
    assert {str(question) for question in asked(model, X[["age"]])} == {"age > 52", "age <= 52"}


def test_selected_columns() -> None:
    X, y = table(6)
    X = X[["grade", "age", "dose"]].assign(same=1.0)
    model = make_pipeline(VarianceThreshold(), SelectKBest(k=2), TREE).fit(X, y)
    kept = set(X.columns[:3][model[1].get_support()])
    assert assert_every_split_is_a_question(model, X) == kept


def test_a_whole_column_transformer() -> None:
    X, y = table(7)
    numbers = make_pipeline(StandardScaler(), FunctionTransformer())
    parts = ColumnTransformer(
        [
            ("levels", OneHotEncoder(sparse_output=False), ["town"]),
            ("numbers", numbers, make_column_selector("dose")),
            ("nothing", "drop", ["grade"]),
        ],
        remainder="passthrough",
    )
    model = Pipeline([("parts", parts), ("tree", TREE)]).fit(X, y)
    assert assert_every_split_is_a_question(model, X) == {"town", "dose", "age"}
    assert {question.origin for question in questions_of(model)} == {"DecisionTreeClassifier"}


@pytest.mark.parametrize(
    "columns",
    [
        [1, 0],
        slice(0, 2),
        np.array([True, True, False]),
        slice("age", "dose"),
        ["dose", "age"],
        [-3],
    ],
    ids=str,
)
def test_columns_may_be_named_in_any_way(columns: Any) -> None:
    X, y = table(8)
    X = X[["age", "dose", "grade"]]
    parts = ColumnTransformer([("scaled", MinMaxScaler(), columns)])
    model = Pipeline([("parts", parts), ("tree", TREE)]).fit(X, y)
    asked_columns = assert_every_split_is_a_question(model, X)
    assert asked_columns <= {"age", "dose"}


def test_filled_cells_and_marks_of_them() -> None:
    X, y = table(9, missing=True)
    X = X[["age"]].assign(empty=np.nan, dose=table(9)[0]["dose"])
    filled = SimpleImputer(add_indicator=True)
    with pytest.warns(UserWarning, match="empty"):
        model = make_pipeline(filled, TREE).fit(X, y)
    with pytest.warns(UserWarning, match="empty"):
        moved = model[:-1].transform(X)
    assert moved.shape[1] == 4  # age, dose, and marks of two columns
    questions = asked(model, X)
    assert {question.column for question in questions} <= {"age", "dose"}
    known = ~X["age"].isna().to_numpy()
    tree = model[-1].tree_
    for v in np.flatnonzero(tree.feature == 0):
        left = moved[:, 0].astype(np.float32) <= tree.threshold[v]
        assert any(
            np.array_equal(question.answer(X["age"].to_numpy())[known], ~left[known])
            for question in questions
            if question.column == "age"
        )
    marks = make_pipeline(MissingIndicator(), TREE).fit(X, X["age"].isna())
    assert {str(question) for question in asked(marks, X)} == {"age is missing"}


def test_missing_levels() -> None:
    X, y = table(10, missing=True)
    model = make_pipeline(OneHotEncoder(sparse_output=False), TREE).fit(X[["town"]], y)
    questions = asked(model, X[["town"]])
    assert all(question.column == "town" for question in questions)
    assert "is missing" in {question.test for question in questions}


@pytest.mark.parametrize(
    ("step", "name"),
    [
        (PCA(2), "pca"),
        (PolynomialFeatures(), "polynomialfeatures"),
        (Normalizer(), "normalizer"),
        (KNNImputer(), "knnimputer"),
        (FeatureUnion([("a", StandardScaler())]), "featureunion"),
    ],
    ids=str,
)
def test_other_steps_are_named(step: Any, name: str) -> None:
    X, y = table(11)
    model = make_pipeline(StandardScaler(), step, TREE).fit(X[["age", "dose"]], y)
    kind = type(step).__name__
    with pytest.raises(ValueError, match=rf"The step '{name}' \({kind}\) cannot be followed back"):
        questions_of(model)
    inside = ColumnTransformer([("mixed", step, ["age", "dose"])])
    model = Pipeline([("columns", inside), ("tree", TREE)]).fit(X, y)
    with pytest.raises(ValueError, match=rf"The step 'columns', part 'mixed' \({kind}\)"):
        BsnsingClassifier.plain(extra_questions=model).fit(X, y)


def test_functions_and_transformers_of_the_user_are_named() -> None:
    class Doubled(TransformerMixin, BaseEstimator):
        def fit(self, X: Any, y: Any = None) -> Doubled:
            return self

        def transform(self, X: Any) -> Any:
            return 2 * np.asarray(X)

    X, y = table(12)
    model = Pipeline([("log", FunctionTransformer(np.log1p)), ("tree", TREE)]).fit(X[["dose"]], y)
    with pytest.raises(ValueError, match=r"The step 'log' \(FunctionTransformer\) applies a func"):
        questions_of(model)
    model = Pipeline([("twice", Doubled()), ("tree", TREE)]).fit(X[["dose"]], y)
    with pytest.raises(ValueError, match=r"The step 'twice' \(Doubled\) cannot be followed back"):
        questions_of(model)


def test_other_models_may_end_a_pipeline() -> None:
    X, y = table(13)
    parts = ColumnTransformer(
        [("codes", OrdinalEncoder(), ["town"])], remainder=StandardScaler()
    ).set_output(transform="pandas")
    for last in (
        RandomForestClassifier(3, max_depth=3, random_state=0),
        HistGradientBoostingClassifier(max_iter=3, categorical_features=[0]),
    ):
        model = Pipeline([("parts", parts), ("last", last)]).fit(X, y)
        questions = asked(model, X)
        assert {question.column for question in questions} <= set(X.columns)
        assert {question.test for question in questions if question.column == "town"} <= {
            "==",
            "in",
        }
        assert {question.origin for question in questions} == {type(last).__name__}


def test_a_pipeline_learns_at_fit_and_at_each_node() -> None:
    X, y = table(14, missing=True)
    parts = ColumnTransformer(
        [
            ("levels", OneHotEncoder(handle_unknown="ignore"), ["town"]),
            ("numbers", SimpleImputer(strategy="median"), ["age", "dose"]),
        ]
    )
    learner = Pipeline([("parts", parts), ("tree", DecisionTreeClassifier(random_state=0))])
    for per_node in (False, True):
        model = BsnsingClassifier.plain(
            extra_questions=learner, own_questions=False, donors_per_node=per_node
        ).fit(X, y)
        assert model.get_n_leaves() > 2
        assert set(model.tree_.origins) == {"own", "DecisionTreeClassifier"}
    assert not hasattr(learner[-1], "tree_")
