"""Where trees of two classes score all but the same, every format says what predict says."""

from __future__ import annotations

import json
import shutil
from functools import cache
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from export.languages import LANGUAGES, Job
from export.sql_databases import open_database
from export.test_onnx import run as run_onnx

from bsnsing import BsnsingClassifier, export_onnx, export_sql, from_json

ROWS = pd.DataFrame({"a": [0.5, 0.25]})


@cache
def model() -> BsnsingClassifier:
    """Three leaves: the second score is the greatest, but not after division by the sum."""
    table = pd.DataFrame({"a": np.arange(90.0)})
    grown = BsnsingClassifier.plain(multiclass="ovr", max_leaf_nodes=1)
    stored = json.loads(grown.fit(table, np.arange(90) % 3).to_json())
    random = np.random.RandomState(0)
    for first in random.uniform(0.2, 0.8, 1000):
        second, third = np.nextafter(first, 2), random.rand() / 10
        total = first + second + third
        if first / total == second / total:
            break
    else:
        raise AssertionError("no such scores were drawn")
    for tree, score in zip(
        stored["model"]["fitted"]["trees_"], (first, second, third), strict=True
    ):
        for node in tree["nodes"]:
            node["probabilities"] = [1 - score, score]
    return from_json(json.dumps(stored))


def test_the_label_is_the_first_of_the_greatest_probabilities() -> None:
    shares = model().predict_proba(ROWS)
    assert (shares[:, 0] == shares[:, 1]).all()
    assert model().predict(ROWS).tolist() == [0, 0]


@pytest.mark.parametrize("language", LANGUAGES)
def test_code_gives_that_label(language: str, tmp_path: Path) -> None:
    for program in LANGUAGES[language][0]:
        if shutil.which(program) is None:
            pytest.skip(f"{program} is not installed")
    (answers,) = LANGUAGES[language][1]([Job(model(), ROWS)], tmp_path)
    assert [float(label) for label in answers.labels] == [0, 0]


@pytest.mark.parametrize("dialect", ["sqlite", "duckdb"])
def test_sql_gives_that_label(dialect: str) -> None:
    with open_database(dialect) as database:
        database.load(ROWS, model().trees_[0].columns, {})
        found = database.run(export_sql(model(), key="id", dialect=dialect))
    assert [row[-4] for row in found] == [0, 0]


def test_onnx_gives_that_label() -> None:
    labels, _ = run_onnx(export_onnx(model()), ROWS)
    assert labels.tolist() == [0, 0]
