"""Dates, times and durations in exported code: what each language takes, and what it says of it."""

from __future__ import annotations

import datetime as dt
import shutil
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from export.languages import LANGUAGES, Answers, Job, run
from export.models import fitted, trial_rows
from export.moment_models import MOMENT_NAMES

from bsnsing import BsnsingClassifier
from bsnsing.export.code.c import export_c
from bsnsing.export.code.java import export_java
from bsnsing.export.code.javascript import export_javascript
from bsnsing.export.code.python import export_python
from bsnsing.export.code.r import export_r

UTC = dt.timezone.utc


def need(language: str) -> None:
    for program in LANGUAGES[language][0]:
        if shutil.which(program) is None:
            pytest.skip(f"{program} is not installed")


def rows_for(language: str, name: str) -> pd.DataFrame:
    rows = trial_rows(name)
    if language == "r" and name == "far moments":  # seconds as doubles are not fine enough
        in_reach = [c is None or 1850 < c.year < 2100 for c in rows["made"]]
        rows = rows[in_reach].reset_index(drop=True)
    return rows


@pytest.fixture(scope="module")
def answered(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """What each language says of each model; all models of a language are run at once."""

    @cache
    def answers(language: str) -> dict[str, Answers]:
        folder = tmp_path_factory.mktemp(language)
        jobs = [Job(fitted(name), rows_for(language, name)) for name in MOMENT_NAMES]
        return dict(zip(MOMENT_NAMES, LANGUAGES[language][1](jobs, folder), strict=True))

    return answers


@pytest.mark.parametrize("name", MOMENT_NAMES)
@pytest.mark.parametrize("language", LANGUAGES)
def test_code_says_what_predict_proba_says(language: str, name: str, answered: Any) -> None:
    need(language)
    model, rows = fitted(name), rows_for(language, name)
    found = answered(language)[name]
    np.testing.assert_array_equal(found.probabilities, model.predict_proba(rows))
    assert found.labels == [str(label) for label in model.predict(rows)]


# --- One column of each kind, cut at a moment; what cells each language takes ---

CUT = dt.datetime(2021, 3, 1, 9, 30, 0, 500_000)


@cache
def cut_model(kind: str) -> BsnsingClassifier:
    """Says 1 from half a second past 9:30 of a March day on."""
    cuts = {
        "moment": CUT,
        "zoned": CUT.replace(tzinfo=UTC),
        "time": CUT.time(),
        "duration": dt.timedelta(hours=9, minutes=30, milliseconds=500),
    }
    cut, step = cuts[kind], dt.timedelta(microseconds=1)
    if kind == "time":
        below, above = (CUT - step).time(), cut
    else:
        below, above = cut - step, cut
    table = pd.DataFrame({"when": pd.Series([below, above] * 4, dtype=object)})
    return BsnsingClassifier.plain(min_samples_leaf=1).fit(table, [0, 1] * 4)


def python_model(kind: str) -> Any:
    module: dict[str, Any] = {}
    exec(compile(export_python(cut_model(kind)), "model.py", "exec"), module)
    return module["predict"]


BEFORE, AFTER = 0, 1
TAKEN_BY_PYTHON: list[tuple[str, Any, int]] = [
    ("moment", CUT, AFTER),
    ("moment", CUT - dt.timedelta(microseconds=1), BEFORE),
    ("moment", dt.date(2021, 3, 1), BEFORE),
    ("moment", dt.date(2021, 3, 2), AFTER),
    ("moment", pd.Timestamp("2021-03-01 09:30:00.500000"), AFTER),
    ("moment", pd.Timestamp("2021-03-01 09:30:00.499999999"), BEFORE),
    ("moment", np.datetime64("2021-03-01T09:30:00.500000"), AFTER),
    ("moment", np.datetime64("2021-03-01T09:30:00.499999999"), BEFORE),
    ("moment", np.datetime64("2021-03"), BEFORE),
    ("zoned", CUT.replace(tzinfo=UTC), AFTER),
    ("zoned", pd.Timestamp("2021-03-01 10:30:00.5", tz="Europe/Berlin"), AFTER),
    ("zoned", pd.Timestamp("2021-03-01 10:30:00.499999", tz="Europe/Berlin"), BEFORE),
    ("time", CUT.time(), AFTER),
    ("time", dt.time(9, 30, 0, 499_999), BEFORE),
    ("duration", dt.timedelta(seconds=34200.5), AFTER),
    ("duration", np.timedelta64(34_200_499_999_999, "ns"), BEFORE),
    ("duration", pd.Timedelta("9:30:00.5"), AFTER),
]


@pytest.mark.parametrize(("kind", "cell", "label"), TAKEN_BY_PYTHON)
def test_python_takes_what_the_model_takes(kind: str, cell: Any, label: int) -> None:
    frame = pd.DataFrame({"when": pd.Series([cell], dtype=object)})
    assert cut_model(kind).predict(frame).tolist() == [label]
    assert python_model(kind)({"when": cell}) == label


@pytest.mark.parametrize("kind", ["moment", "zoned", "time", "duration"])
@pytest.mark.parametrize("cell", [None, pd.NaT, pd.NA, float("nan"), np.datetime64("NaT")], ids=str)
def test_python_takes_all_that_is_missing(kind: str, cell: Any) -> None:
    missing = pd.DataFrame({"when": pd.Series([None], dtype=object)})
    module: dict[str, Any] = {}
    exec(compile(export_python(cut_model(kind)), "model.py", "exec"), module)
    if kind == "zoned" and isinstance(cell, np.datetime64):
        cell = pd.NaT
    assert (
        module["predict_proba"]({"when": cell})
        == cut_model(kind).predict_proba(missing)[0].tolist()
    )


@pytest.mark.parametrize(
    ("kind", "cell", "message"),
    [
        ("moment", CUT.replace(tzinfo=UTC), "holds moments without a time zone. Got"),
        ("zoned", CUT, "holds moments with a time zone. Got"),
        ("zoned", dt.date(2021, 3, 1), "holds moments with a time zone. Got"),
        ("moment", 7.5, "holds dates. Got 7.5"),
        ("time", "9:30", "holds times of day. Got '9:30'"),
        ("duration", 7, "holds durations. Got 7"),
    ],
)
def test_python_refuses_what_the_model_refuses(kind: str, cell: Any, message: str) -> None:
    with pytest.raises(TypeError, match=f"Column 'when' {message}"):
        python_model(kind)({"when": cell})


TAKEN_BY_JAVASCRIPT = {
    "moment": [
        ('"2021-03-01T09:30:00.5"', AFTER),
        ('"2021-03-01 09:30:00.499999"', BEFORE),
        ('"2021-03-01T09:30:00.499999999"', BEFORE),
        ('"2021-03-01"', BEFORE),
        ('"2021-03-01T09:31"', AFTER),
        ("new Date(Date.UTC(2021, 2, 1, 9, 30, 0, 500))", AFTER),
        ("new Date(Date.UTC(2021, 2, 1, 9, 30, 0, 499))", BEFORE),
        ("1614591000500", AFTER),
        ("1614591000499.999", BEFORE),
        ('"2021-03-01T09:30:00Z"', "takes cells such as 2021-03-01T14:30:00. Got"),
        ('"2021-02-30"', "takes cells such as 2021-03-01. Got"),
        ('"2021-03-01T25:00"', "takes cells such as 14:30:00.5. Got"),
        ("true", "takes cells such as a moment in milliseconds. Got true"),
    ],
    "zoned": [
        ('"2021-03-01T10:30:00.5+01:00"', AFTER),
        ('"2021-03-01T04:00:00.499999-05:30"', BEFORE),
        ('"2021-03-01T09:30:00.5Z"', AFTER),
        ("new Date(Date.UTC(2021, 2, 1, 9, 30, 0, 500))", AFTER),
        ('"2021-03-01T09:30"', "takes cells such as 2021-03-01T14:30:00+01:00. Got"),
    ],
    "time": [('"09:30:00.5"', AFTER), ('"09:30"', BEFORE), ("34200499.999", BEFORE)],
    "duration": [("34200500", AFTER), ("34200499.999", BEFORE), ("-1e9", BEFORE)],
}


@pytest.mark.parametrize("kind", TAKEN_BY_JAVASCRIPT)
def test_what_javascript_takes(kind: str, tmp_path: Path) -> None:
    need("javascript")
    (tmp_path / "model.mjs").write_text(export_javascript(cut_model(kind)), encoding="utf-8")
    cells = TAKEN_BY_JAVASCRIPT[kind]
    lines = 'import { predict } from "./model.mjs";\n'
    for cell, _ in cells:
        said = f"console.log(predict({{ when: {cell} }}));"
        lines += f"try {{ {said} }} catch (error) {{ console.log(error.message); }}\n"
    (tmp_path / "try.mjs").write_text(lines, encoding="utf-8")
    found = run(["node", "try.mjs"], tmp_path).splitlines()
    for (cell, wanted), said in zip(cells, found, strict=True):
        assert str(wanted) in said if isinstance(wanted, str) else said == str(wanted), cell


TAKEN_BY_JAVA = {
    "moment": [
        ("LocalDateTime.of(2021, 3, 1, 9, 30, 0, 500_000_000)", AFTER),
        ("LocalDateTime.of(2021, 3, 1, 9, 30, 0, 499_999_999)", BEFORE),
        ("LocalDate.of(2021, 3, 1)", BEFORE),
        ("LocalDate.of(2021, 3, 2)", AFTER),
        ("Instant.EPOCH", "takes LocalDateTime or LocalDate of java.time. Got: 1970"),
    ],
    "zoned": [
        ("ZonedDateTime.of(2021, 3, 1, 10, 30, 0, 500_000_000, ZoneId.of(BERLIN))", AFTER),
        ("OffsetDateTime.of(2021, 3, 1, 9, 30, 0, 499_999_999, ZoneOffset.UTC)", BEFORE),
        ("Instant.ofEpochMilli(1614591000500L)", AFTER),
        ("Instant.MIN", BEFORE),
        ("Instant.MAX", AFTER),
        ("LocalDate.of(2021, 3, 1)", "takes Instant, ZonedDateTime or OffsetDateTime of java.time"),
    ],
    "time": [("LocalTime.of(9, 30, 0, 500_000_000)", AFTER), ("LocalTime.of(9, 30)", BEFORE)],
    "duration": [("Duration.ofMillis(34200500)", AFTER), ("Duration.ofNanos(-1)", BEFORE)],
}


def test_what_java_takes(tmp_path: Path) -> None:
    need("java")
    body = ""
    for i, (kind, cells) in enumerate(TAKEN_BY_JAVA.items()):
        text = export_java(cut_model(kind), class_name=f"Model{i}")
        (tmp_path / f"Model{i}.java").write_text(text, encoding="utf-8")
        for cell, _ in cells:
            row = f'Collections.singletonMap("when", {cell})'
            body += f"try {{ System.out.println(Model{i}.predict({row})); }}\n"
            body += "catch (IllegalArgumentException e) { System.out.println(e.getMessage()); }\n"
    main = 'import java.time.*;\nimport java.util.*;\nclass Try {\nstatic final String BERLIN = "'
    main += f'Europe/Berlin";\npublic static void main(String[] a) {{\n{body}}}\n}}\n'
    (tmp_path / "Try.java").write_text(main, encoding="utf-8")
    run(["javac", "-Xlint:all", "-Werror", "Try.java", "Model0.java", "Model1.java",
         "Model2.java", "Model3.java"], tmp_path)  # fmt: skip
    found = run(["java", "Try"], tmp_path).splitlines()
    wanted = [pair for cells in TAKEN_BY_JAVA.values() for pair in cells]
    for (cell, label), said in zip(wanted, found, strict=True):
        assert label in said if isinstance(label, str) else said == str(label), (cell, said)


TAKEN_BY_R = {
    "moment": [
        ('as.POSIXct("2021-03-01 09:30:00.5", tz = "UTC")', AFTER),
        ('as.POSIXct("2021-03-01 09:30:00.499999", tz = "UTC")', BEFORE),
        # By the clock of its own zone.
        ('as.POSIXct("2021-03-01 09:30:00.5", tz = "Asia/Tokyo")', AFTER),
        ('as.POSIXct("2021-03-01 09:30:00.499999", tz = "America/New_York")', BEFORE),
        ('as.POSIXlt("2021-03-01 09:31:00", tz = "Asia/Tokyo")', AFTER),
        ('as.Date("2021-03-01")', BEFORE),
        ('as.Date("2021-03-02")', AFTER),
        ('"2021-03-01"', "Column 'when' takes Date or POSIXct."),
    ],
    "zoned": [
        ('as.POSIXct("2021-03-01 10:30:00.5", tz = "Europe/Berlin")', AFTER),
        ('as.POSIXct("2021-03-01 10:30:00.499999", tz = "Europe/Berlin")', BEFORE),
        ('as.Date("2021-03-02")', "Column 'when' takes POSIXct."),
    ],
    "time": [
        ('as.difftime("09:30:00")', BEFORE),
        ('as.difftime(34200.5, units = "secs")', AFTER),
        ("34200.5", "Column 'when' takes difftime."),
    ],
    "duration": [
        ('as.difftime(34200.5, units = "secs")', AFTER),
        ('as.difftime(9.5, units = "hours")', BEFORE),
        ('as.difftime(1, units = "weeks")', AFTER),
        ('as.Date("2021-03-02") - as.Date("2021-03-01")', AFTER),
    ],
}


def test_what_r_takes(tmp_path: Path) -> None:
    need("r")
    lines = ""
    for i, (kind, cells) in enumerate(TAKEN_BY_R.items()):
        (tmp_path / f"model_{i}.R").write_text(export_r(cut_model(kind)), encoding="utf-8")
        lines += f'source("model_{i}.R")\n'
        for cell, _ in cells:
            said = f"bsnsing_model$predict(data.frame(when = {cell}))"
            lines += f"tryCatch(cat({said}, fill = TRUE),\n"
            lines += "  error = function(e) cat(conditionMessage(e), fill = 200))\n"
    (tmp_path / "try.R").write_text(lines, encoding="utf-8")
    found = run(["Rscript", "--vanilla", "try.R"], tmp_path).splitlines()
    wanted = [pair for cells in TAKEN_BY_R.values() for pair in cells]
    for (cell, label), said in zip(wanted, found, strict=True):
        assert label in said if isinstance(label, str) else said == str(label), (cell, said)


def test_fields_of_c_name_their_unit() -> None:
    days = pd.Series(pd.to_datetime(["2021-01-01", "2021-01-02"] * 4))
    table = pd.DataFrame({"visit": days, "visit us": [0.0, 1, 2, 3] * 2})
    model = BsnsingClassifier.from_text(
        "visit since 2021-01-02 and visit us > 1 ?\n  yes:\n  no:\n", table, [0, 1] * 4
    )
    text = export_c(model)
    assert "    int64_t visit_us; /* visit: a date or moment without time zone" in text
    assert "    double visit_us_2; /* visit us: a number */" in text
    assert "#define bsnsing_MISSING_US INT64_MIN" in text
    assert "stdint" not in export_c(fitted("plain"))
