"""Models as code: each language is run, and says what predict_proba says, to the last bit."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from export.languages import LANGUAGES, Answers, Job, run_c, run_python
from export.models import DEEP, LARGE, NAMES, cells_of, fitted, trial_rows

from bsnsing import BsnsingClassifier, export_onnx
from bsnsing.export.code.c import export_c
from bsnsing.export.code.java import export_java
from bsnsing.export.code.javascript import export_javascript
from bsnsing.export.code.names import as_comment, identifiers
from bsnsing.export.code.program import _DEEPEST_PART, Program
from bsnsing.export.code.python import export_python
from bsnsing.export.code.r import export_r
from bsnsing.export.form import model_form
from bsnsing.export.registry import export

EXPORTS = {
    "python": export_python,
    "c": export_c,
    "javascript": export_javascript,
    "java": export_java,
    "r": export_r,
}
# R takes a hundredth of a second for each row of the large tree.
MOST_ROWS = {"r": 150}


def need(language: str) -> None:
    for program in LANGUAGES[language][0]:
        if shutil.which(program) is None:
            pytest.skip(f"{program} is not installed")


def job(language: str, name: str) -> Job:
    most = MOST_ROWS.get(language, 2000) if name in (LARGE, DEEP) else None
    return Job(fitted(name), trial_rows(name, most))


@pytest.fixture(scope="module")
def answered(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """What each language says of each model; all models of a language are run at once."""

    @cache
    def answers(language: str) -> dict[str, Answers]:
        folder = tmp_path_factory.mktemp(language)
        jobs = [job(language, name) for name in NAMES]
        return dict(zip(NAMES, LANGUAGES[language][1](jobs, folder), strict=True))

    yield answers
    answers.cache_clear()


def same_label(ours: str, theirs: Any) -> bool:
    """Languages write numbers and Booleans in their own ways."""
    if isinstance(theirs, bool):
        return ours.lower() == str(theirs).lower()
    return ours == theirs if isinstance(theirs, str) else float(ours) == theirs


def assert_same(answers: Answers, trial: Job) -> None:
    np.testing.assert_array_equal(answers.probabilities, trial.model.predict_proba(trial.rows))
    labels = trial.model.predict(trial.rows).tolist()
    assert all(map(same_label, answers.labels, labels))


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("language", LANGUAGES)
def test_code_says_what_predict_proba_says(language: str, name: str, answered: Any) -> None:
    need(language)
    assert_same(answered(language)[name], job(language, name))


@pytest.mark.parametrize("language", LANGUAGES)
def test_code_of_a_deep_tree_runs(language: str, tmp_path: Path) -> None:
    need(language)
    ends = pd.DataFrame({"x0": [-1.0, None, 1e9]})
    trial = Job(fitted(DEEP), pd.concat([trial_rows(DEEP, 20), ends], ignore_index=True))
    assert trial.rows["x0"].isna().any()
    assert_same(LANGUAGES[language][1]([trial], tmp_path)[0], trial)


@pytest.mark.parametrize("language", LANGUAGES)
def test_code_of_long_rules_that_go_on_under_yes_runs(language: str, tmp_path: Path) -> None:
    """Each opens an "if" in the one above, and R takes 50 words and brackets that are open."""
    need(language)
    depth, others = 40, [f"x{k}" for k in range(1, 10)]
    table = pd.DataFrame({"x0": np.arange(depth + 1.0)} | {name: 0.0 for name in others})
    lines = []
    for i in range(depth):
        rule = " or ".join([f"x0 > {i}.5", *(f"{name} > {i}" for name in others)])
        lines.append(f"{'  ' * i}{'yes: ' if i else ''}{rule} ?")
    lines.append(f"{'  ' * depth}yes:")
    lines += [f"{'  ' * (i + 1)}no:" for i in reversed(range(depth))]
    model = BsnsingClassifier.from_text("\n".join(lines), table, np.arange(depth + 1) % 2)
    assert model.get_depth() == depth
    blank = table.assign(x9=np.where(table["x0"] > 20, np.nan, 0.0))
    trial = Job(model, pd.concat([table, blank, table * np.nan], ignore_index=True))
    assert_same(LANGUAGES[language][1]([trial], tmp_path)[0], trial)


@pytest.mark.parametrize(
    "flags",
    [
        ("-O3", "-march=native", "-ffp-contract=fast", "-std=gnu17"),
        ("-O2", "-std=c11", "-fsanitize=address,undefined", "-fno-sanitize-recover=all"),
    ],
    ids=["fused", "sanitized"],
)
@pytest.mark.parametrize("name", ["default", "missing", "pairs", "odd names", "voting"])
def test_no_flag_of_the_compiler_changes_a_bit(
    flags: tuple[str, ...], name: str, tmp_path: Path
) -> None:
    need("c")
    trial = job("c", name)
    assert_same(run_c([trial], tmp_path, flags)[0], trial)


@pytest.mark.parametrize("language", LANGUAGES)
def test_levels_of_all_types_are_told_apart(language: str, tmp_path: Path) -> None:
    need(language)
    cells = [
        "a",
        "b",
        1,
        2,
        2.5,
        -1,
        "a\\",
        "*/",
        "??/",
        "\u2028",
        "\\u000a",
        "e\u0301",
        "x" * 5000,
    ]
    table = pd.DataFrame({"*/ \\u000a ??/ // \u2028": pd.Series(cells * 20, dtype=object)})
    labels = np.array([f"{i}*/\n??/" for i in range(len(cells))] * 20, dtype=object)
    model = BsnsingClassifier.plain(categorical_features=[0], min_samples_leaf=1)
    model.fit(table, labels)
    assert model.tree_.n_leaves > 5
    rows = pd.DataFrame({table.columns[0]: [*cells, None, "c", 7]}, dtype=object)
    trial = Job(model, rows)
    given = trial
    if language in ("c", "r"):  # whose columns have one type
        given = Job(model, rows.map(lambda cell: None if cell is None else str(cell)))
    assert_same(LANGUAGES[language][1]([given], tmp_path)[0], trial)


def test_integers_beyond_doubles_stay_apart_or_are_refused(tmp_path: Path) -> None:
    codes = [2**60, 2**60 + 1, 5, -(2**62) - 1]
    table = pd.DataFrame({"id": codes * 20})
    model = BsnsingClassifier.plain(categorical_features=[0], min_samples_leaf=1)
    with pytest.warns(UserWarning, match="beyond 2"):
        model.fit(table, list(range(4)) * 20)
    module: dict[str, Any] = {}
    exec(export_python(model), module)
    assert [module["predict"]({"id": code}) for code in codes] == [0, 1, 2, 3]
    assert f"{2**60 + 1}n" in export_javascript(model)
    assert str(2**60 + 1) in export_java(model)
    for refused in (export_c, export_r):
        with pytest.raises(ValueError, match="cannot tell apart"):
            refused(model)


def test_rows_that_lack_a_column_are_refused() -> None:
    module: dict[str, Any] = {}
    exec(export_python(fitted("default")), module)
    row = cells_of(trial_rows("default"))[0]
    with pytest.raises(KeyError, match="age"):
        module["predict"]({name: cell for name, cell in row.items() if name != "age"})
    with pytest.raises(TypeError, match="holds numbers"):
        module["predict"](row | {"age": "31"})


@pytest.mark.parametrize("suffix", [".py", ".c", ".js", ".java", ".R"])
def test_files_are_written_by_their_suffix(suffix: str, tmp_path: Path) -> None:
    export(fitted("default"), tmp_path / f"Model{suffix}")
    text = (tmp_path / f"Model{suffix}").read_text(encoding="utf-8")
    assert "written by bsnsing" in text


def test_two_models_live_in_one_program_of_c() -> None:
    text = export_c(fitted("default"), prefix="risk")
    assert "bsnsing_" not in text
    with pytest.raises(ValueError, match="short name in C"):
        export_c(fitted("default"), prefix="my model")


def test_names_of_java_are_checked() -> None:
    text = export_java(fitted("leaf"), class_name="Risk", package="com.example")
    assert text.startswith("package com.example;")
    with pytest.raises(ValueError, match="class_name"):
        export_java(fitted("leaf"), class_name="a b")
    with pytest.raises(ValueError, match="package"):
        export_java(fitted("leaf"), package="a; b")


WORDS_OF_CODE = (
    ("a", "aFill0", "Levels_a", "0"),
    ("INFINITY", "NAN", "M_PI", "HUGE_VAL", "errno", "NULL", "EOF", "DBL_MAX", "bsnsing_N_CLASSES"),
)


@pytest.mark.parametrize("language", LANGUAGES)
def test_columns_may_be_called_as_code_calls_things(language: str, tmp_path: Path) -> None:
    need(language)
    random = np.random.RandomState(0)
    jobs = []
    for names, has_levels in zip(WORDS_OF_CODE, (True, False), strict=True):
        numbers = random.randint(0, 6, (400, len(names)))
        table = pd.DataFrame(numbers, columns=list(names))
        labels = pd.qcut(table.sum(axis=1), 3, labels=False).to_numpy()
        if has_levels:
            table = table.map(lambda number: f"l{number}")
        model = BsnsingClassifier.plain(min_samples_leaf=2).fit(table, labels)
        assert len(model_form(model).asked_columns) == len(names)
        jobs.append(Job(model, table))
    for answers, trial in zip(LANGUAGES[language][1](jobs, tmp_path), jobs, strict=True):
        assert_same(answers, trial)


def test_columns_without_a_name_are_read_or_refused(tmp_path: Path) -> None:
    table = pd.DataFrame({"": np.arange(20.0), "b": np.arange(20.0)[::-1]})
    model = BsnsingClassifier.plain().fit(table, np.arange(20) > 9)
    for write in (export_r, export_onnx):
        with pytest.raises(ValueError, match="a column has none"):
            write(model)
    (answers,) = run_python([Job(model, table)], tmp_path)
    assert_same(answers, Job(model, table))


@pytest.mark.parametrize("name", ["class", "Map", "Cells", "record", "Tree0Part0", "Levels0"])
def test_names_that_java_has_for_other_things_are_refused(name: str) -> None:
    with pytest.raises(ValueError, match="class_name"):
        export_java(fitted("leaf"), class_name=name)
    with pytest.raises(ValueError, match="package"):
        export_java(fitted("leaf"), package="com.class")


@pytest.mark.parametrize("language", ["c", "r"])
def test_text_that_a_language_cannot_hold_is_refused(language: str) -> None:
    labels = ["a\0b"] * 10 + ["c"] * 10
    model = BsnsingClassifier.plain().fit(np.arange(20.0)[:, None], labels)
    with pytest.raises(ValueError, match="Rename"):
        EXPORTS[language](model)


def test_identifiers_are_safe_and_no_others() -> None:
    names = ["class", "Class", "a b", "a-b", "9", "", "😀", "x" * 10_000, "x" * 10_001, "__proto__"]
    found = identifiers(names)
    assert len({name.lower() for name in found}) == len(names)
    assert all(name.isidentifier() and name.isascii() and len(name) < 50 for name in found)


def test_comments_cannot_be_left() -> None:
    for text in ("*/ x", "a\\", "??/", "/* //", "\u2028", "\n", "**//"):
        said = as_comment(text)
        assert not {"*/", "/*", "//", "??"} & {said[i : i + 2] for i in range(len(said))}
        assert said.isprintable()


def test_parts_hold_every_node_once() -> None:
    form = model_form(fitted(LARGE))
    program = Program(form)
    (tree,) = form.trees
    parts = program.parts(tree)
    met = [step.node for steps in parts for step in steps if step.kind in ("if", "leaf")]
    assert len(parts) > 10
    assert sorted(met) == list(range(len(tree.nodes)))
    assert max(step.depth for steps in parts for step in steps) <= _DEEPEST_PART + 1


@pytest.mark.parametrize("name", [DEEP, LARGE])
def test_work_for_unknown_cells_is_linear_in_the_nodes(name: str) -> None:
    """Each part, of bounded depth, is walked again for each way out of it."""
    module: dict[str, Any] = {}
    exec(export_python(fitted(name)), module)
    asked = []
    above = module["_above"]
    module["_above"] = lambda *given: asked.append(1) or above(*given)
    columns = fitted(name).trees_[0].columns
    module["predict_proba"]({column.name: None for column in columns})
    assert len(asked) <= _DEEPEST_PART * fitted(name).trees_[0].n_leaves


def test_sixty_leaves_are_one_function_with_the_rules_in_words() -> None:
    text = export_python(fitted("60 leaves"))
    assert text.count("def _tree_") == 1
    rules = [rule for rule in fitted("60 leaves").tree_.rules if rule is not None]
    assert all(f"# {rule} ?" in text for rule in rules)


def test_python_code_takes_the_types_of_callers(tmp_path: Path) -> None:
    model, rows = fitted("missing"), trial_rows("missing", 50)
    (answers,) = run_python([Job(model, rows)], tmp_path)
    module: dict[str, Any] = {}
    exec(export_python(model), module)
    raw = [module["predict_proba"](row) for row in rows.to_dict("records")]  # NaN and pandas.NA
    np.testing.assert_array_equal(raw, answers.probabilities)
