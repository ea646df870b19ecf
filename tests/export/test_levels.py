"""Levels keep apart in every format; those that it could not tell apart are refused."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from export.languages import LANGUAGES, Job, run

from bsnsing import (
    BsnsingClassifier,
    export_c,
    export_java,
    export_javascript,
    export_onnx,
    export_pmml,
    export_r,
    export_sql,
)


def model_of(cells: list[Any]) -> BsnsingClassifier:
    """A model whose classes are the levels of its one column."""
    table = pd.DataFrame({"size": pd.Series(cells * 10, dtype=object)})
    labels = np.tile(np.arange(len(cells)), 10)
    model = BsnsingClassifier.plain(categorical_features=["size"], min_samples_leaf=1)
    return model.fit(table, labels)


LARGE = (2**53, 2**53 + 2, -(2**53), 7, 2**60)


@pytest.mark.parametrize("language", LANGUAGES)
def test_large_whole_numbers_are_known_when_they_come_as_doubles(
    language: str, tmp_path: Path
) -> None:
    for program in LANGUAGES[language][0]:
        if shutil.which(program) is None:
            pytest.skip(f"{program} is not installed")
    model = model_of(list(LARGE))
    rows = pd.DataFrame({"size": [*LARGE, 2**53 + 4, -(2**60)]}, dtype=object)
    (answers,) = LANGUAGES[language][1]([Job(model, rows)], tmp_path)
    np.testing.assert_array_equal(answers.probabilities, model.predict_proba(rows))


def test_javascript_knows_large_whole_numbers_when_they_come_as_bigint(tmp_path: Path) -> None:
    if shutil.which("node") is None:
        pytest.skip("node is not installed")
    model = model_of([*LARGE, 2**53 + 1])
    (tmp_path / "model.mjs").write_text(export_javascript(model), encoding="utf-8")
    script = 'import { predict } from "./model.mjs";\n'
    cells = [*LARGE, 2**53 + 1]
    script += "".join(f"console.log(predict({{ size: {cell}n }}));\n" for cell in cells)
    (tmp_path / "main.mjs").write_text(script, encoding="utf-8")
    said = run(["node", "main.mjs"], tmp_path).split()
    assert said == [str(label) for label in range(len(cells))]


def test_java_knows_large_whole_numbers_when_they_come_as_long(tmp_path: Path) -> None:
    if shutil.which("javac") is None:
        pytest.skip("javac is not installed")
    model = model_of([*LARGE, 2**53 + 1])
    (tmp_path / "Model.java").write_text(export_java(model), encoding="utf-8")
    cells = [f"{cell}L" for cell in (*LARGE, 2**53 + 1)]
    cells += [f'new java.math.BigInteger("{2**53 + 1}")', "7", 'new java.math.BigDecimal("7.0")']
    lines = "".join(
        f'System.out.println(Model.predict(java.util.Collections.singletonMap("size", {cell})));\n'
        for cell in cells
    )
    main = f"class Main {{ public static void main(String[] a) {{\n{lines}}} }}\n"
    (tmp_path / "Main.java").write_text(main, encoding="utf-8")
    run(["javac", "Main.java", "Model.java"], tmp_path)
    assert run(["java", "Main"], tmp_path).split() == ["0", "1", "2", "3", "4", "5", "5", "3", "3"]


@pytest.mark.parametrize("write", [export_c, export_onnx, export_pmml, export_r, export_sql])
def test_a_number_and_the_same_as_text_are_refused(write: Callable[..., Any]) -> None:
    with pytest.raises(ValueError, match="differ only in being a number or text"):
        write(model_of([1, "1", "large"]))
    assert write(model_of([1, "2", "large"]))
