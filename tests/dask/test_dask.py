"""Trees of a real cluster are those of one machine, whatever holds the rows."""

from __future__ import annotations

import pickle
from dataclasses import replace
from typing import Any
from unittest.mock import patch

import numpy as np
import pandas as pd
import pytest
from in_parts import becomes_free
from numpy.typing import NDArray
from same_trees import assert_same
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.tree import DecisionTreeClassifier

from bsnsing import BsnsingClassifier
from bsnsing.distill.config import DistillConfig

dask = pytest.importorskip("dask", reason="needs bsnsing[dask]")
da = pytest.importorskip("dask.array", reason="needs bsnsing[dask]")
dd = pytest.importorskip("dask.dataframe", reason="needs bsnsing[dask]")

from bsnsing.dask import DaskBsnsingClassifier  # noqa: E402

pytestmark = pytest.mark.usefixtures("apart")


def table(n: int = 900, seed: int = 0) -> tuple[pd.DataFrame, pd.Series]:
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(
        {
            "age": rng.normal(50, 15, n),
            "stage": rng.integers(0, 5, n),
            "site": rng.choice(["north", "south", "east"], n),
        },
        index=rng.permutation(n) + 1000,
    )
    X["age"] = X["age"].mask(rng.random(n) < 0.05)
    sick = (X["age"] > 55) & (X["stage"] > 1) | (X["site"] == "east")
    y = pd.Series(np.where(sick ^ (rng.random(n) < 0.1), "sick", "well"), X.index, name="state")
    return X, y


def plain(client: Any = None, **changes: Any) -> DaskBsnsingClassifier:
    model = DaskBsnsingClassifier.plain(client=client, max_depth=3, **changes)
    assert isinstance(model, DaskBsnsingClassifier)
    return model


def local(X: Any, y: Any, weight: Any = None, **changes: Any) -> BsnsingClassifier:
    return BsnsingClassifier.plain(max_depth=3, **changes).fit(X, y, sample_weight=weight)


@pytest.mark.parametrize("n_parts", [1, 3, 7])
def test_dataframes_of_pandas(client: Any, n_parts: int) -> None:
    X, y = table()
    parts = dd.from_pandas(X.assign(state=y), npartitions=n_parts, sort=False)
    found = plain(client).fit(parts[list(X)], parts["state"])
    assert_same(found.tree_, local(X, y).tree_)
    np.testing.assert_array_equal(found.feature_names_in_, list(X))


def test_dataframes_of_arrow_and_labels_by_name(client: Any) -> None:
    X, y = table()
    arrow = X.assign(state=y).convert_dtypes(dtype_backend="pyarrow")
    parts = dd.from_pandas(arrow, npartitions=4, sort=False)
    found = plain(client).fit(parts, "state")
    assert_same(found.tree_, local(arrow, "state").tree_)
    assert found.label_name_ == "state"
    np.testing.assert_array_equal(found.predict(parts).compute(), local(X, y).predict(X))


def test_arrays_cut_in_both_directions(client: Any) -> None:
    X, y = table()
    cells: NDArray[np.float64] = X[["age", "stage"]].to_numpy(float)
    labels, weight = y.to_numpy(object), np.random.default_rng(1).random(len(y)) + 0.1
    found = plain(client).fit(
        da.from_array(cells, chunks=(200, 1)),
        da.from_array(labels, chunks=500),
        sample_weight=da.from_array(weight, chunks=90),
    )
    expected = local(cells, labels, weight)
    assert_same(found.tree_, expected.tree_)
    lazy = da.from_array(cells, chunks=(200, 1))
    for method in ("predict", "predict_proba", "apply"):
        answer = getattr(found, method)(lazy)
        assert isinstance(answer, da.Array)
        np.testing.assert_array_equal(answer.compute(), getattr(expected, method)(cells))


def test_delayed_parts_in_any_order_of_columns(client: Any) -> None:
    X, y = table()
    tables = [X.iloc[:300], X.iloc[300:300], X.iloc[300:310, ::-1], X.iloc[310:]]
    labels = [y.iloc[:300], y.iloc[300:300], y.iloc[300:310], y.iloc[310:]]
    lazy = [dask.delayed(part) for part in tables]
    found = plain(client).fit(lazy, [dask.delayed(part) for part in labels])
    expected = local(X, y)
    assert_same(found.tree_, expected.tree_)
    answers = dask.compute(*found.predict([lazy[0], lazy[3]]))
    np.testing.assert_array_equal(answers[1], expected.predict(tables[3]))


def test_predictions_keep_names_and_index(client: Any) -> None:
    X, y = table()
    parts = dd.from_pandas(X.assign(state=y), npartitions=3, sort=False)
    model, expected = plain(client).fit(parts, "state"), local(X, y)
    labels = model.predict(parts)
    assert isinstance(labels, dd.Series)
    pd.testing.assert_index_equal(labels.compute().index, X.index)
    assert labels.name == labels.compute().name == "state"
    shares = model.predict_proba(parts)
    assert list(shares.columns) == list(shares.compute().columns) == ["sick", "well"]
    np.testing.assert_array_equal(shares.compute(), expected.predict_proba(X))
    np.testing.assert_array_equal(model.apply(parts).compute(), expected.apply(X))
    np.testing.assert_array_equal(model.predict(X), expected.predict(X))  # not of Dask


def test_scores_are_counted_part_by_part(client: Any) -> None:
    X, y = table()
    weight = np.random.default_rng(1).integers(0, 5, len(y))
    parts = dd.from_pandas(X.assign(state=y, weight=weight), npartitions=3, sort=False)
    model = DaskBsnsingClassifier.plain(client=client, max_depth=2).fit(
        parts[list(X)], parts["state"]
    )
    expected = BsnsingClassifier.plain(max_depth=2).fit(X, y)
    assert 0.5 < expected.score(X, y) < 1
    assert model.score(parts[[*X, "state"]], "state") == expected.score(X, y)
    weighted = model.score(parts[list(X)], parts["state"], parts["weight"])
    assert weighted == pytest.approx(expected.score(X, y, weight))
    none = [dask.delayed(X.iloc[:0]), dask.delayed(X)]
    assert model.score(none, [dask.delayed(y.iloc[:0]), dask.delayed(y)]) == expected.score(X, y)
    assert model.score(X, y) == expected.score(X, y)  # not of Dask
    with pytest.raises(ValueError, match="X has 3 parts, and y has 1"):
        model.score(parts[list(X)], dd.from_pandas(y, npartitions=1, sort=False))


def test_parts_without_rows_have_no_predictions_of_the_same_type(client: Any) -> None:
    X, y = table()
    parts = dd.from_pandas(X.assign(state=y), npartitions=3, sort=False)
    model = plain(client).fit(parts, "state")
    none = parts[parts["stage"] > 100]
    for method in ("predict", "predict_proba", "apply"):
        lazy = getattr(model, method)(none)
        found = lazy.compute()
        assert len(found) == 0
        types = [[*own.dtypes] if method == "predict_proba" else own.dtype for own in (lazy, found)]
        assert types[0] == types[1]
        assert getattr(model, method)(parts)._meta.equals(lazy._meta)


def test_arrays_of_text_and_numbers(client: Any) -> None:
    X, y = table()
    cells, labels = X.to_numpy(object), y.to_numpy(object)
    lazy = da.from_array(cells, chunks=(300, 2))
    found = plain(client).fit(lazy, da.from_array(labels, chunks=300))
    expected = local(cells, labels)
    assert_same(found.tree_, expected.tree_)
    for method in ("predict", "predict_proba", "apply"):
        answer = getattr(found, method)(lazy).compute()
        np.testing.assert_array_equal(answer, getattr(expected, method)(cells))


def test_one_delayed_part_and_futures(client: Any) -> None:
    X, y = table()
    expected = local(X, y)
    one = plain(client).fit(dask.delayed(X), dask.delayed(y))
    assert_same(one.tree_, expected.tree_)
    np.testing.assert_array_equal(one.predict(dask.delayed(X)).compute(), expected.predict(X))
    halves = [client.scatter(own) for own in (X.iloc[:400], X.iloc[400:])]
    labels = [client.scatter(own) for own in (y.iloc[:400], y.iloc[400:])]
    assert_same(plain(client).fit(halves, labels).tree_, expected.tree_)


@pytest.mark.filterwarnings("ignore:X does not have valid feature names")
def test_wrong_columns_are_an_error_before_any_work(client: Any) -> None:
    X, y = table(200)
    parts = dd.from_pandas(X.assign(state=y), npartitions=2, sort=False)
    model = plain(client)
    with pytest.raises(NotFittedError):
        model.predict(parts)
    model.fit(parts, "state")
    for method in ("predict", "predict_proba", "apply"):
        with pytest.raises(
            ValueError, match=r"should match those that were passed .* lacks 'site'"
        ):
            getattr(model, method)(parts[["age", "stage"]])
        with pytest.raises(ValueError, match=r"X has 2 features, but .* is expecting 3"):
            getattr(model, method)(da.zeros((10, 2), chunks=5))


def test_files_tell_nothing_of_the_client(client: Any) -> None:
    X, y = table(200)
    model = plain(client).fit(dd.from_pandas(X.assign(state=y), npartitions=2), "state")
    loaded = DaskBsnsingClassifier.from_json(model.to_json())  # without a warning
    assert loaded.client is None
    assert_same(loaded.tree_, model.tree_)


def test_the_plain_classifier_is_inside(client: Any) -> None:
    X, y = table()
    model = plain(client).fit(dd.from_pandas(X.assign(state=y), npartitions=2), "state")
    plainly = model.to_local()
    assert type(plainly) is BsnsingClassifier
    assert plainly.get_params() == BsnsingClassifier.plain(max_depth=3).get_params()
    np.testing.assert_array_equal(plainly.predict(X), local(X, y).predict(X))
    again = pickle.loads(pickle.dumps(model))
    assert again.client is None
    assert_same(again.tree_, model.tree_)
    assert clone(model).client is client
    assert clone(model).get_params() == model.get_params()


def test_nothing_is_left_on_the_cluster(client: Any) -> None:
    X, y = table(200)
    plain(client).fit(dd.from_pandas(X.assign(state=y), npartitions=2), "state")
    assert becomes_free(client)


def test_one_tree_per_class_and_rules_of_three(client: Any) -> None:
    X, _ = table()
    y = X["stage"].clip(0, 2) + (X["site"] == "east")
    parts = dd.from_pandas(X[["age", "site"]].assign(y=y), npartitions=3, sort=False)
    for changes in ({"multiclass": "ovr"}, {"max_rules": 3, "n_segments": 4}):
        found = plain(client, **changes).fit(parts, "y")
        expected = local(X[["age", "site"]], y, **changes)
        for mine, theirs in zip(found.trees_, expected.trees_, strict=True):
            assert_same(mine, theirs)


# --- Teachers ---


class FewTaught(DaskBsnsingClassifier):
    """Teaches a sample of tables that others teach whole."""

    _distill_config = replace(DistillConfig(), most_taught=300, n_trees=6)


class FewTaughtHere(BsnsingClassifier):
    """The same on one machine."""

    _distill_config = FewTaught._distill_config


@pytest.mark.parametrize("n_parts", [1, 5])
def test_the_default_is_that_of_one_machine(client: Any, n_parts: int) -> None:
    X, y = table(400)
    parts = dd.from_pandas(X.assign(state=y), npartitions=n_parts, sort=False)
    found, expected = DaskBsnsingClassifier(client=client), BsnsingClassifier()
    assert_same(found.fit(parts, "state").tree_, expected.fit(X, y).tree_)
    assert found.is_taught_


def test_the_default_of_a_large_table_is_that_of_one_machine(client: Any) -> None:
    X, y = table(900)
    parts = dd.from_pandas(X.assign(state=y), npartitions=4, sort=False)
    found = FewTaught(client=client).fit(parts, "state")
    assert found.is_taught_
    assert_same(found.tree_, FewTaughtHere().fit(X, y).tree_)


def test_what_needs_rows_in_one_place_is_refused_where_there_are_many(client: Any) -> None:
    X, y = table(400)
    parts = dd.from_pandas(X.assign(state=y), npartitions=2, sort=False)
    with pytest.raises(ValueError, match=r"leaves 400 rows where they are. Use solver='enum'"):
        plain(client, solver="highs").fit(parts, "state")
    with pytest.raises(ValueError, match="The teacher DecisionTreeClassifier learns rows in one"):
        FewTaught(client=client, teacher=DecisionTreeClassifier()).fit(parts, "state")


def test_small_tables_may_use_all_that_one_machine_has(client: Any) -> None:
    X, y = table(60)
    parts = dd.from_pandas(X.assign(state=y), npartitions=2, sort=False)
    settings: dict[str, Any] = {"solver": "highs", "max_rules": 1, "operators": ["or"]}
    settings |= {"criterion": "gini_squared"}
    with patch("bsnsing.estimators.scattered.FEW_CELLS", 1000):
        found = plain(client, **settings).fit(parts, "state")
    assert_same(found.tree_, local(X, y, **settings).tree_)


# --- Errors ---


def test_errors_come_before_any_work() -> None:
    X, y = table(50)
    with pytest.raises(ValueError, match="'max_rules' parameter of DaskBsnsingClassifier must be"):
        DaskBsnsingClassifier(max_rules=0, teacher=None).fit(X, y)
    with pytest.raises(TypeError, match="X is of type DataFrame, which is not in parts"):
        plain().fit(X, y)
    with pytest.raises(TypeError, match="unexpected keyword argument 'max_rule'"):
        DaskBsnsingClassifier(max_rule=2)
    parts = dd.from_pandas(X, npartitions=2, sort=False)
    with pytest.raises(ValueError, match="X has 2 parts, and y has 1"):
        plain().fit(parts, dd.from_pandas(y, npartitions=1, sort=False))


def fails(client: Any, tables: list[Any], labels: list[Any], weights: Any = None) -> str:
    lazy = [[dask.delayed(part) for part in own] for own in (tables, labels)]
    if weights is not None:
        weights = [dask.delayed(part) for part in weights]
    with pytest.raises((ValueError, TypeError)) as error:
        plain(client).fit(*lazy, sample_weight=weights)
    return str(error.value)


def test_errors_name_the_part(client: Any) -> None:
    X, y = table(60)
    halves, labels = [X.iloc[:30], X.iloc[30:]], [y.iloc[:30], y.iloc[30:]]
    other = halves[1].rename(columns={"age": "years"})
    assert "it lacks 'age' and has the further 'years'" in fails(client, [halves[0], other], labels)
    text = halves[1].assign(stage="late")
    message = fails(client, [halves[0], text], labels)
    assert "'stage' holds text or categories in part 1 and is numeric in part 0" in message
    infinite = halves[1].assign(age=np.inf)
    message = fails(client, [halves[0], infinite], labels)
    assert message.startswith("Input X contains infinity in column 'age'.")
    assert message.endswith("This is in part 1 (the first is 0).")
    assert "part 1" in fails(client, halves, [labels[0], labels[1].iloc[1:]])
    assert "missing label" in fails(client, halves, [labels[0], labels[1].where(labels[1] == "a")])
    message = fails(client, halves, labels, [np.ones(30), -np.ones(30)])
    assert message == "sample_weight must not be negative. Got -1.0; use 0 to leave a row out."
