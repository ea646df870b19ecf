"""Models as ONNX, run by onnxruntime: what predict_proba says, to the last bit."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from export.models import DEEP, LARGE, NAMES, cells_of, fitted, trial_rows
from export.moment_models import MOMENT_NAMES
from sklearn.compose import make_column_transformer
from sklearn.impute import SimpleImputer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from bsnsing import BsnsingClassifier, BsnsingClassifierCV, BsnsingEnsemble, export_onnx
from bsnsing.data.scales import in_steps, scale_of
from bsnsing.estimators.onnx import register_onnx
from bsnsing.export.code.program import Program
from bsnsing.export.form import model_form
from bsnsing.export.onnx.walk import parts_of
from bsnsing.export.registry import export

onnx = pytest.importorskip("onnx")
onnxruntime = pytest.importorskip("onnxruntime")

MISSING = "<missing>"  # "" is a level of some model


NO_TIME = np.iinfo(np.int64).min


def in_numbers(cell: Any) -> Any:
    """Moments, times and durations in microseconds; other cells as they are."""
    return cell if scale_of(cell) is None else in_steps(cell)


def run(written: bytes, rows: pd.DataFrame) -> tuple[np.ndarray, np.ndarray]:
    onnx.checker.check_model(onnx.load_from_string(written), full_check=True)
    session = onnxruntime.InferenceSession(written)
    cells = cells_of(rows)
    feeds = {}
    for value in session.get_inputs():
        if value.name not in rows:
            numbers = [[in_numbers(cell) for cell in row.values()] for row in cells]
            feeds[value.name] = np.array(numbers, dtype=float)
            continue
        column = [row[value.name] for row in cells]
        if value.type == "tensor(string)":
            texts = [[MISSING if cell is None else str(cell)] for cell in column]
            feeds[value.name] = np.array(texts, dtype=object)
        elif value.type == "tensor(int64)":
            steps = [NO_TIME if cell is None else in_steps(cell) for cell in column]
            feeds[value.name] = np.array(steps, dtype=np.int64)[:, None]
        else:
            feeds[value.name] = np.array(column, dtype=float)[:, None]
    label, probabilities = session.run(None, feeds)
    return label, probabilities


def assert_same(written: bytes, model: Any, rows: pd.DataFrame) -> None:
    label, probabilities = run(written, rows)
    assert probabilities.dtype == np.float64
    np.testing.assert_array_equal(probabilities, model.predict_proba(rows))
    assert label.tolist() == model.predict(rows).tolist()


@pytest.mark.parametrize("name", [*NAMES, *MOMENT_NAMES])
def test_onnx_says_what_predict_proba_says(name: str) -> None:
    rows = trial_rows(name, 1000 if name == LARGE else None)
    assert_same(export_onnx(fitted(name), missing_text=MISSING), fitted(name), rows)


def test_onnx_of_a_deep_tree_runs() -> None:
    assert_same(export_onnx(fitted(DEEP)), fitted(DEEP), trial_rows(DEEP, 30))


@pytest.mark.parametrize("name", ["default", "60 leaves", "xor", "levels"])
def test_large_trees_are_cut_into_operators(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bsnsing.export.onnx.walk._LARGEST_PART", 8)
    model = fitted(name)
    form = model_form(model)
    assert len(parts_of(Program(form), form.trees[0])[0]) > 1
    assert_same(export_onnx(model, missing_text=MISSING), model, trial_rows(name))


def test_rows_with_unknowns_are_worked_out_a_few_at_a_time(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("bsnsing.export.onnx.mixing._CELLS_AT_A_TIME", 300)
    assert_same(export_onnx(fitted("default")), fitted("default"), trial_rows("default"))


def test_sizes_stay_linear_where_rules_are_unrolled() -> None:
    """A tree of ors that always go on under yes would double with each level."""
    random = np.random.RandomState(0)
    X = random.rand(3000, 6)
    y = (X > 0.2).all(axis=1) ^ (random.rand(3000) < 0.1)
    model = BsnsingClassifier.plain(max_rules=3, min_samples_leaf=1, stop_prob=1.0).fit(X, y)
    form = model_form(model)
    n_parts = len(parts_of(Program(form), form.trees[0])[0])
    written = export_onnx(model)
    assert model.tree_.n_leaves > 100
    assert len(written) < 2_000_000 * n_parts
    np.testing.assert_array_equal(run(written, pd.DataFrame(X))[1], model.predict_proba(X))


def test_arrays_without_names_are_one_input() -> None:
    X = np.arange(40.0).reshape(20, 2)
    model = BsnsingClassifier.plain().fit(X, np.arange(20) > 9)
    session = onnxruntime.InferenceSession(export_onnx(model))
    assert [(value.name, value.shape[1]) for value in session.get_inputs()] == [("X", 2)]
    label, _ = session.run(None, {"X": X})
    assert label.dtype == bool
    assert label.tolist() == model.predict(X).tolist()


def test_numbers_with_names_can_be_one_input() -> None:
    rows = trial_rows("numbers")
    written = export_onnx(fitted("numbers"), input_name="all of them")
    assert_same(written, fitted("numbers"), rows)
    with pytest.raises(ValueError, match="is text"):
        export_onnx(fitted("default"), input_name="all of them")


@pytest.mark.parametrize("name", MOMENT_NAMES)
def test_moments_can_be_numbers_of_one_input(name: str) -> None:
    assert_same(export_onnx(fitted(name), input_name="X"), fitted(name), trial_rows(name))


def test_inputs_of_moments_are_what_numpy_makes_of_them_and_say_their_unit() -> None:
    table = pd.DataFrame({"day": pd.Series(pd.date_range("2021-01-01", periods=20, unit="ns"))})
    model = BsnsingClassifier.plain().fit(table, np.arange(20) > 9)
    written = export_onnx(model)
    session = onnxruntime.InferenceSession(written)
    table.loc[7, "day"] = pd.NaT
    ticks = table["day"].to_numpy().astype("M8[us]").astype("int64")[:, None]
    label, probabilities = session.run(None, {"day": ticks})
    np.testing.assert_array_equal(probabilities, model.predict_proba(table))
    assert label.tolist() == model.predict(table).tolist()
    unit = {prop.key: prop.value for prop in onnx.load_from_string(written).metadata_props}
    said = "a date or moment without time zone, in microseconds since 1970"
    assert unit == {"unit of day": said}


def test_a_leaf_of_a_table_of_moments_runs() -> None:
    table = pd.DataFrame({"day": pd.Series(pd.date_range("2021-01-01", periods=6))})
    model = BsnsingClassifier.plain(max_leaf_nodes=1).fit(table, [0, 1] * 3)
    session = onnxruntime.InferenceSession(export_onnx(model))
    label, _ = session.run(None, {"day": np.zeros((2, 1), dtype=np.int64)})
    assert label.tolist() == [0, 0]


@pytest.mark.parametrize("name", ["default", "missing", "60 leaves"])
def test_infinite_cells_are_beyond_every_threshold(name: str) -> None:
    """Predictions refuse them; exports meet them, and take them as the largest numbers."""
    model, rows = fitted(name), trial_rows(name, 300)
    written = export_onnx(model, missing_text=MISSING)
    numeric = [c.name for c in model.trees_[0].columns if c.kind == "numeric"]
    for sign in (1, -1):
        for one in numeric:
            large = rows.assign(**{one: sign * sys.float_info.max})
            _, found = run(written, rows.assign(**{one: sign * np.inf}))
            np.testing.assert_array_equal(found, model.predict_proba(large))


def test_blank_text_is_missing_by_default() -> None:
    model, rows = fitted("missing"), trial_rows("missing")
    written = export_onnx(model)
    blank = rows["site"].map(lambda cell: cell if isinstance(cell, str) else "")
    label, probabilities = run(written, rows.assign(site=blank))
    np.testing.assert_array_equal(probabilities, model.predict_proba(rows))
    assert set(label) <= {"yes", "no"}


def test_outputs_give_way_to_columns() -> None:
    table = pd.DataFrame({"label": np.arange(20.0), "probabilities": np.arange(20.0)[::-1] % 7})
    model = BsnsingClassifier.plain(own_questions=True).fit(table, np.arange(20) > 9)
    session = onnxruntime.InferenceSession(export_onnx(model))
    assert [value.name for value in session.get_outputs()] == ["label_", "probabilities_"]
    assert_same(export_onnx(model), model, table)


def test_files_are_written_by_their_suffix(tmp_path: Path) -> None:
    export(fitted("default"), tmp_path / "model.onnx")
    assert onnxruntime.InferenceSession(str(tmp_path / "model.onnx")) is not None


def test_without_the_library_the_error_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "onnx", None)
    with pytest.raises(ImportError, match=r"pip install bsnsing\[onnx\]"):
        export_onnx(fitted("leaf"))
    with pytest.raises(ImportError, match=r"pip install bsnsing\[onnx\]"):
        register_onnx()


# --- skl2onnx ---


@pytest.fixture(scope="module")
def skl2onnx() -> Any:
    module = pytest.importorskip("skl2onnx")
    register_onnx()
    return module


def numbers_with_gaps() -> tuple[np.ndarray, np.ndarray]:
    random = np.random.RandomState(0)
    X = random.randn(400, 4)
    y = (X[:, 0] * X[:, 1] > 0).astype(int) + (X[:, 2] > 1)
    X[random.rand(*X.shape) < 0.1] = np.nan
    return X, y


@pytest.mark.parametrize(
    "estimator",
    [
        BsnsingClassifier(),
        BsnsingClassifierCV(estimator=BsnsingClassifier.plain(), cv=2),
        BsnsingEnsemble(n_estimators=2),
        BsnsingClassifier.plain(multiclass="ovr"),
    ],
    ids=lambda estimator: type(estimator).__name__,
)
def test_pipelines_convert(skl2onnx: Any, estimator: Any) -> None:
    X, y = numbers_with_gaps()
    pipeline = make_pipeline(StandardScaler(), estimator).fit(X, y)
    converted = skl2onnx.to_onnx(pipeline, X, options={"zipmap": False})
    session = onnxruntime.InferenceSession(converted.SerializeToString())
    label, probabilities = session.run(None, {"X": X})
    np.testing.assert_array_equal(probabilities, pipeline.predict_proba(X))
    assert label.tolist() == pipeline.predict(X).tolist()


def test_pipelines_of_floats_convert_too(skl2onnx: Any) -> None:
    X, y = numbers_with_gaps()
    X = X.astype(np.float32)
    pipeline = make_pipeline(SimpleImputer(), BsnsingClassifier.plain()).fit(X, y)
    converted = skl2onnx.to_onnx(pipeline, X)
    session = onnxruntime.InferenceSession(converted.SerializeToString())
    label, found = session.run(None, {"X": X})
    expected = pipeline.predict_proba(X)
    np.testing.assert_allclose(pd.DataFrame(found).to_numpy(), expected, rtol=1e-6)
    assert label.tolist() == pipeline.predict(X).tolist()


@pytest.mark.parametrize("name", ["default", "plain", "levels", "missing", "pairs", "moments"])
def test_skl2onnx_converts_columns_of_all_kinds(skl2onnx: Any, name: str) -> None:
    from skl2onnx.common.data_types import DoubleTensorType, Int64TensorType, StringTensorType

    model, rows = fitted(name), trial_rows(name)
    moments = {c.name for c in model.tree_.columns if c.scale is not None}
    texts = {c.name for c in model.tree_.columns if any(isinstance(v, str) for v in c.levels)}
    types = [
        (column, (StringTensorType if column in texts else DoubleTensorType)([None, 1]))
        if column not in moments
        else (column, Int64TensorType([None, 1]))
        for column in rows
    ]
    converted = skl2onnx.to_onnx(model, initial_types=types, options={"zipmap": False})
    cells = cells_of(rows)
    feeds = {}
    for column, _ in types:
        own = [row[column] for row in cells]
        if column in texts:
            feeds[column] = np.array([["" if c is None else c] for c in own], dtype=object)
        elif column in moments:
            feeds[column] = np.array([[NO_TIME if c is None else in_steps(c)] for c in own])
        else:
            feeds[column] = np.array(own, dtype=float)[:, None]
    session = onnxruntime.InferenceSession(converted.SerializeToString())
    names = [value.name for value in session.get_inputs()]
    label, probabilities = session.run(None, dict(zip(names, feeds.values(), strict=True)))
    np.testing.assert_array_equal(probabilities, model.predict_proba(rows))
    assert label.tolist() == model.predict(rows).tolist()


def test_column_transformers_convert(skl2onnx: Any) -> None:
    X, y = numbers_with_gaps()
    scaled = make_column_transformer((StandardScaler(), [0, 1]), remainder="passthrough")
    pipeline = make_pipeline(scaled, BsnsingClassifier.plain()).fit(X, y)
    converted = skl2onnx.to_onnx(pipeline, X, options={"zipmap": False})
    session = onnxruntime.InferenceSession(converted.SerializeToString())
    np.testing.assert_array_equal(session.run(None, {"X": X})[1], pipeline.predict_proba(X))
