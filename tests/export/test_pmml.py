"""The PMML of a model fits the schema, and says in JPMML's evaluator what the model says."""

from __future__ import annotations

import datetime as dt
import shutil
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from export.models import DEEP, LARGE, SMALL_NAMES, Model, cells_of, fitted, trial_rows
from export.moment_models import MOMENT_NAMES
from export.pair_limits import pair_limits, question_of_no_level

from bsnsing import BsnsingClassifier, export_pmml
from bsnsing.export.form import model_form

jpmml = pytest.importorskip("jpmml_evaluator", reason="JPMML's evaluator is not installed")
etree = pytest.importorskip("lxml.etree", reason="lxml is not installed")


@pytest.fixture(scope="module")
def backend() -> Iterator[Any]:
    if not shutil.which("java"):
        pytest.skip("Java is not installed (Debian's default-jdk-headless)")
    py4j = pytest.importorskip("jpmml_evaluator.py4j", reason="py4j is not installed")
    with pytest.MonkeyPatch.context() as patch:
        # A tree 1,500 deep takes as many calls within calls.
        patch.setenv("JAVA_TOOL_OPTIONS", "-Xss64m")
        own = py4j.Py4JBackend()
    yield own  # in a process of its own: a JVM takes over the signals of its process
    process = py4j.Py4JBackend.gateway.java_process
    py4j.Py4JBackend.destroyGateway()
    for pipe in (process.stdin, process.stdout, process.stderr):
        if pipe is not None:
            pipe.close()
    process.wait(timeout=30)


@pytest.fixture(scope="module")
def schema() -> Any:
    """The schema of PMML 4.4, which JPMML's own library comes with."""
    jars = Path(jpmml.__file__).parent.glob("dependencies/pmml-model-[0-9]*.jar")
    with zipfile.ZipFile(next(jars)) as jar:
        return etree.XMLSchema(etree.fromstring(jar.read("pmml.xsd")))


def as_text(label: Any) -> str:
    if isinstance(label, bool):
        return str(label).lower()
    return str(label)


def as_given(cell: Any) -> Any:
    """Moments in UTC and times as text, durations in seconds; all else as it is."""
    if isinstance(cell, dt.timedelta):
        return cell.total_seconds()
    if isinstance(cell, dt.datetime) and cell.tzinfo is not None:
        cell = cell.astimezone(dt.timezone.utc).replace(tzinfo=None)
    return cell.isoformat() if isinstance(cell, dt.datetime | dt.time) else cell


def run(backend: Any, model: Model, rows: pd.DataFrame, folder: Path) -> pd.DataFrame:
    path = folder / "model.pmml"
    path.write_text(export_pmml(model), encoding="utf-8")
    evaluator = jpmml.make_evaluator(str(path), backend=backend)
    given = [{name: as_given(cell) for name, cell in row.items()} for row in cells_of(rows)]
    results = evaluator.evaluateAll(pd.DataFrame(given, dtype=object))
    assert "errors" not in results.columns, results["errors"].dropna().iloc[0]
    return results


def assert_same(backend: Any, model: Model, rows: pd.DataFrame, folder: Path) -> None:
    results = run(backend, model, rows, folder)
    names = [f"probability({as_text(label)})" for label in model.classes_.tolist()]
    found = results[names].to_numpy(dtype=float)
    np.testing.assert_array_equal(found, model.predict_proba(rows))
    assert results["label"].tolist() == [as_text(v) for v in model.predict(rows).tolist()]
    if len(model.trees_) == 1:
        assert results["leaf"].astype(int).tolist() == model.apply(rows).tolist()


@pytest.mark.parametrize("name", [*SMALL_NAMES, *MOMENT_NAMES])
def test_document_fits_the_schema_and_equals_predict_proba(
    name: str, backend: Any, schema: Any, tmp_path: Path
) -> None:
    model = fitted(name)
    schema.assertValid(etree.fromstring(export_pmml(model).encode()))
    assert_same(backend, model, trial_rows(name, 400), tmp_path)


def test_document_of_5000_leaves_equals_predict_proba(backend: Any, tmp_path: Path) -> None:
    assert_same(backend, fitted(LARGE), trial_rows(LARGE, 60), tmp_path)


def test_a_question_about_no_level_of_fit_is_answered_no(backend: Any, tmp_path: Path) -> None:
    model, rows = question_of_no_level()
    assert_same(backend, model, rows, tmp_path)


def test_pairs_next_to_their_limits(backend: Any, tmp_path: Path) -> None:
    assert_same(backend, *pair_limits(), tmp_path)


@pytest.mark.parametrize("cell", ["2021-01-09", "2021-01-09T00:00:00+01:00", "soon"])
def test_text_that_is_no_moment_is_an_error(cell: str, backend: Any, tmp_path: Path) -> None:
    table = pd.DataFrame({"day": pd.date_range("2021-01-01", periods=20)})
    words = "day since 2021-01-09 ?\n  yes:\n  no:\n"
    model = BsnsingClassifier.from_text(words, table, np.arange(20) > 7)
    path = tmp_path / "model.pmml"
    path.write_text(export_pmml(model), encoding="utf-8")
    evaluator = jpmml.make_evaluator(str(path), backend=backend)
    assert evaluator.evaluate({"day": "2021-01-09T00:00:00"})["label"] == "true"
    assert evaluator.evaluate({"day": "2021-01-08T23:59:59.999999"})["label"] == "false"
    with pytest.raises(jpmml.JavaError, match="day"):
        evaluator.evaluate({"day": cell})


def test_rules_are_native_compound_predicates() -> None:
    for name, operator in (("plain", "or"), ("and", "and"), ("xor", "xor")):
        text = export_pmml(fitted(name))
        tree = fitted(name).tree_
        root = etree.fromstring(text.encode())
        nodes = root.findall(".//{*}TreeModel//{*}Node")
        assert len(nodes) == tree.n_nodes
        rule = tree.rules[0]
        assert rule is not None
        assert rule.operator == operator
        predicate = nodes[0].find("{*}Node/{*}CompoundPredicate")
        assert predicate.get("booleanOperator") == operator
        assert len(predicate) == len(rule.questions)


def test_what_xml_cannot_write_is_refused() -> None:
    table = pd.DataFrame({"a\x01": np.arange(20.0)})
    model = BsnsingClassifier.plain().fit(table, np.arange(20) > 9)
    with pytest.raises(ValueError, match="XML cannot write"):
        export_pmml(model)


def levels_from(first: int) -> tuple[Model, pd.DataFrame]:
    """A model that asks about levels that are integers, and cells with all of them."""
    table = pd.DataFrame({"code": first + np.arange(60) % 6})
    model = BsnsingClassifier.plain(categorical_features=["code"], min_samples_leaf=5)
    return model.fit(table, np.arange(60) % 3), table


@pytest.mark.parametrize("first", [2**31 - 3, -(2**31) - 3, 2**53 - 6])
def test_levels_beyond_32_bits_equal_predict_proba(
    first: int, backend: Any, tmp_path: Path
) -> None:
    assert_same(backend, *levels_from(first), tmp_path)


@pytest.mark.filterwarnings("ignore:.*beyond 2..53")
def test_levels_that_doubles_do_not_tell_apart_are_refused() -> None:
    with pytest.raises(ValueError, match="numbers of PMML cannot tell apart"):
        export_pmml(levels_from(2**53)[0])


def test_columns_without_a_name_are_refused() -> None:
    """The schema would take them, and evaluators do not."""
    model = BsnsingClassifier.plain().fit(pd.DataFrame({"": np.arange(20.0)}), np.arange(20) > 9)
    with pytest.raises(ValueError, match="a column has none"):
        export_pmml(model)


def test_columns_with_the_names_of_results_are_refused() -> None:
    table = pd.DataFrame({"label": np.arange(20.0)})
    model = BsnsingClassifier.plain().fit(table, np.arange(20) > 9)
    with pytest.raises(ValueError, match="name of a field of the result"):
        export_pmml(model)
    assert 'OutputField name="outcome"' in export_pmml(model, target="outcome")


def test_columns_may_be_called_as_the_fields_of_the_result(backend: Any, tmp_path: Path) -> None:
    random = np.random.RandomState(0)
    names = ["leaf", "probability(0)", "leaf_"]
    table = pd.DataFrame(random.rand(200, 3), columns=names)
    labels = pd.qcut(table.sum(axis=1), 3, labels=False).to_numpy()
    model = BsnsingClassifier.plain(min_samples_leaf=3).fit(table, labels)
    rows = table.mask(random.rand(*table.shape) < 0.2)
    results = run(backend, model, rows, tmp_path)
    shares = results[["probability(0)_", "probability(1)", "probability(2)"]].to_numpy(dtype=float)
    np.testing.assert_array_equal(shares, model.predict_proba(rows))
    assert results["leaf__"].astype(int).tolist() == model.apply(rows).tolist()


OWN_WORDS = ("_p1", "_c1_1", "_leaf1", "_label", "_seen1", "__v1_0_1", "_r1_0", "_open1")


def test_columns_may_be_called_as_fields_of_the_documents_own(backend: Any, tmp_path: Path) -> None:
    random = np.random.RandomState(0)
    table = pd.DataFrame(random.rand(400, len(OWN_WORDS)), columns=list(OWN_WORDS))
    table["_seen1"] = random.choice(["_p1", "_label", "x"], 400)
    score = table[[name for name in OWN_WORDS if name != "_seen1"]].sum(axis=1)
    labels = pd.qcut(score + 2 * (table["_seen1"] == "x"), 3, labels=False).to_numpy()
    table = table.mask(random.rand(*table.shape) < 0.1)
    model = BsnsingClassifier.plain(min_samples_leaf=3).fit(table, labels)
    assert len(model_form(model).asked_columns) == len(OWN_WORDS)
    assert_same(backend, model, table, tmp_path)


def test_deep_trees_are_run(backend: Any, tmp_path: Path) -> None:
    rows = pd.concat([trial_rows(DEEP, 20), pd.DataFrame({"x0": [None, -1.0]})], ignore_index=True)
    assert_same(backend, fitted(DEEP), rows, tmp_path)
