"""Formulas and workbooks of spreadsheets, worked out by LibreOffice.

It writes fifteen digits of a number, but DELTA tells within it whether two are the same.
"""

from __future__ import annotations

import csv
import datetime as dt
import io
import shutil
import subprocess
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from export.models import LARGE, NAMES, Model, cells_of, fitted, trial, trial_rows
from export.moment_models import MOMENT_NAMES
from export.pair_limits import pair_limits
from sklearn.base import clone

from bsnsing import BsnsingClassifier, export_spreadsheet, export_xlsx
from bsnsing.data.columns import ColumnInfo
from bsnsing.data.scales import Scale, in_steps, scale_of
from bsnsing.export.code.program import Program
from bsnsing.export.form import model_form
from bsnsing.export.spreadsheet_rules import column_letters, in_days
from bsnsing.export.workbook import _Book
from bsnsing.export.xlsx_file import Dated, Formula, Sheet, write_workbook

needs_office = pytest.mark.skipif(
    shutil.which("soffice") is None,
    reason="LibreOffice is not installed (Debian's libreoffice-calc-nogui)",
)


def worked_out(books: dict[str, bytes], folder: Path) -> dict[str, list[list[str]]]:
    """Let LibreOffice open workbooks and write their first sheets as CSV."""
    for name, book in books.items():
        (folder / f"{name}.xlsx").write_bytes(book)
    settings = "csv:Text - txt - csv (StarCalc):44,34,76,1,,0,false,false"  # not as shown
    profile = f"-env:UserInstallation={(folder / 'profile').as_uri()}"
    command = ["soffice", profile, "--headless", "--convert-to", settings]
    command += [f"{name}.xlsx" for name in books]
    subprocess.run(command, cwd=folder, check=True, capture_output=True, timeout=600)
    found = {}
    for name in books:
        with (folder / f"{name}.csv").open(encoding="utf-8", newline="") as file:
            found[name] = list(csv.reader(file))
    return found


def plain(label: Any) -> str:
    if isinstance(label, bool):
        return str(label).upper()
    return str(label).removesuffix(".0") if isinstance(label, float) else str(label)


# --- Workbooks ---

# "numbers" has some that no spreadsheet has; the large one takes its time.
WORKED_OUT = [name for name in NAMES if name not in ("numbers", LARGE)]
WORKED_OUT += [name for name in MOMENT_NAMES if name != "far moments"]


def book_rows(name: str) -> pd.DataFrame:
    """Rows of a model; none of an empty text, which is a blank cell there."""
    rows = trial_rows(name, 30 if name in ("12 classes", "ensemble") else 120)
    if name in MOMENT_NAMES:
        rows = pd.concat([in_milliseconds(rows, way) for way in (-1, 0, 1)], ignore_index=True)
    return rows[~(rows == "").fillna(False).any(axis=1)].reset_index(drop=True)


def in_milliseconds(rows: pd.DataFrame, way: int) -> pd.DataFrame:
    """Moments at whole milliseconds, which is what spreadsheets hold, ``way`` of them later."""

    def at_whole(cell: Any) -> Any:
        steps = (in_steps(cell) // 1000 + way) * 1000
        if isinstance(cell, dt.time):
            return Scale("time").at(min(steps, 86_399_999_000))
        if isinstance(cell, dt.datetime):
            return Scale("moment", "UTC" if cell.tzinfo else None).at(steps)
        return Scale("duration").at(steps)

    return pd.DataFrame(
        {
            name: [cell if scale_of(cell) is None else at_whole(cell) for cell in rows[name]]
            for name in rows
        }
    ).astype(rows.dtypes)


def with_checks(book: bytes, expected: np.ndarray, first: int) -> bytes:
    """Add a column that is 1 where all probabilities of a row are what is expected."""
    place = column_letters(first + expected.shape[1])
    content = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(book)) as old, zipfile.ZipFile(content, "w") as new:
        for name in old.namelist():
            text = old.read(name).decode()
            if name == "xl/worksheets/sheet1.xml":
                rows = text.split("</row>")
                for i, shares in enumerate(expected.tolist(), start=1):
                    same = "*".join(
                        f"DELTA({column_letters(first + k)}{i + 1},{share!r})"
                        for k, share in enumerate(shares)
                    )
                    rows[i] += f'<c r="{place}{i + 1}"><f>{same}</f></c>'
                text = "</row>".join(rows)
            new.writestr(name, text)
    return content.getvalue()


def asked_columns(model: Model) -> tuple[ColumnInfo, ...]:
    return model_form(model).asked_columns


def checked_book(model: Model, rows: pd.DataFrame) -> bytes:
    n_asked = len(asked_columns(model))
    return with_checks(export_xlsx(model, X=rows), model.predict_proba(rows), n_asked + 1)


def assert_same(found: list[list[str]], model: Model, rows: pd.DataFrame) -> None:
    """The label, and that all probabilities are the same."""
    at = len(asked_columns(model))
    assert found[0][at] == "label"
    assert [row[at] for row in found[1:]] == [plain(v) for v in model.predict(rows).tolist()]
    assert [row[-1] for row in found[1:]] == ["1"] * len(rows)


@pytest.fixture(scope="module")
def opened(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[list[str]]]:
    """What LibreOffice, started once, makes of the workbooks of all models."""
    books = {name: checked_book(fitted(name), book_rows(name)) for name in WORKED_OUT}
    return worked_out(books, tmp_path_factory.mktemp("books"))


@needs_office
@pytest.mark.parametrize("name", WORKED_OUT)
def test_workbooks_say_what_predict_proba_says(name: str, opened: Any) -> None:
    assert_same(opened[name], fitted(name), book_rows(name))


@needs_office
def test_checks_of_these_tests_can_fail(tmp_path: Path) -> None:
    model, rows = fitted("default"), book_rows("default").iloc[:5]
    wrong = np.nextafter(model.predict_proba(rows), 2)
    n_asked = len(model_form(model).asked_columns)
    book = with_checks(export_xlsx(model, X=rows), wrong, n_asked + 1)
    assert [row[-1] for row in worked_out({"book": book}, tmp_path)["book"][1:]] == ["0"] * 5


@needs_office
def test_pairs_and_texts_at_the_limits_of_cells(tmp_path: Path) -> None:
    model, rows = pair_limits()
    rows = rows[(rows.abs() > 1e-300).all(axis=1) | (rows == 0).any(axis=1)].head(60)
    random = np.random.RandomState(0)
    texts = ["_x0041_", "A", "a", '"', "=1+1", " x ", "it's", "&<>", "x" * 300, "x" * 299]
    table = pd.DataFrame({"=HYPERLINK(1)": random.choice(texts, 300)}, dtype=object)
    labels = table["=HYPERLINK(1)"].map({text: i % 3 for i, text in enumerate(texts)})
    named = BsnsingClassifier.plain(min_samples_leaf=1).fit(table, labels)
    jobs = {"pairs": (model, rows), "texts": (named, table.iloc[:60])}
    found = worked_out({name: checked_book(*job) for name, job in jobs.items()}, tmp_path)
    for name, job in jobs.items():
        assert_same(found[name], *job)


@needs_office
def test_rows_to_type_into_are_blank_until_then(tmp_path: Path) -> None:
    model = fitted("default")
    found = worked_out({"book": export_xlsx(model, n_rows=3)}, tmp_path)["book"]
    assert len(found) == 4
    assert all(cell == "" for row in found[1:] for cell in row)
    one = worked_out({"leaf": export_xlsx(fitted("leaf"), n_rows=2)}, tmp_path)["leaf"]
    assert [row[0] for row in one] == [
        "label",
        *map(plain, fitted("leaf").predict(book_rows("leaf"))[:2]),
    ]


def test_workbooks_are_the_same_each_time_and_refuse_what_no_cell_holds() -> None:
    assert export_xlsx(fitted("default")) == export_xlsx(fitted("default"))
    with pytest.raises(ValueError, match="no number as small"):
        export_xlsx(fitted("numbers"))
    with pytest.raises(TypeError, match="A Tree cannot read X"):
        export_xlsx(fitted("default").tree_, X=trial("default").table)
    wide = _Book(Program(model_form(fitted("default"))))
    wide.names = ["x"] * 20_000
    with pytest.raises(ValueError, match="20000 columns of formulas, and sheets have 16384"):
        wide._check_width()
    with pytest.raises(ValueError, match="takes 32767 characters"):
        write_workbook([Sheet("x", [["y" * 40_000]])])


# --- One formula ---


def formula_rows(name: str) -> pd.DataFrame:
    rows = trial_rows(name, 60)
    if name in MOMENT_NAMES:
        rows = in_milliseconds(trial_rows(name), 0)
    return rows[~(rows == "").fillna(False).any(axis=1)].reset_index(drop=True)


def formula_book(model: Model, rows: pd.DataFrame, event: Any) -> bytes:
    """A sheet of formulas, each with its cells in its row; and whether it is what is expected."""
    expected = model.predict_proba(rows)[:, model.classes_.tolist().index(event)]
    lines: list[list[Any]] = []
    for i, (row, share) in enumerate(zip(cells_of(rows), expected.tolist(), strict=True), start=1):
        cells = {name: f"{column_letters(2 + k)}{i}" for k, name in enumerate(row)}
        formula = export_spreadsheet(model, event=event, cells=cells)[1:]
        given = [as_days(cell) for cell in row.values()]
        lines.append([Formula(formula), Formula(f"DELTA(A{i},{share!r})"), *given])
    return write_workbook([Sheet("rows", lines)])


def as_days(cell: Any) -> Any:
    """A date, time or duration as spreadsheets have it; other cells as they are."""
    kind = scale_of(cell)
    if kind is None:
        return cell
    return Dated(in_days(in_steps(cell), is_moment=kind == "moment"), kind)


SMALL = (
    "moments in words",
    "default",
    "leaf",
    "levels",
    "missing",
    "xor",
    "one tree per class",
    "voting",
    "cost",
)


def small_model(name: str) -> Model:
    own = trial(name)
    if name == "moments in words":
        return own.model
    if name == "voting":
        settings = [{"max_rules": 1, "max_leaf_nodes": 2}, {"max_leaf_nodes": 3}]
        return clone(own.model).set_params(settings=settings).fit(own.table, own.labels)
    n_leaves = 2 if name == "one tree per class" else 5
    return clone(own.model).set_params(max_leaf_nodes=n_leaves).fit(own.table, own.labels)


@needs_office
def test_formulas_say_what_predict_proba_says(tmp_path: Path) -> None:
    models = {name: small_model(name) for name in SMALL}
    books = {
        name: formula_book(model, formula_rows(name), model.classes_.tolist()[0])
        for name, model in models.items()
    }
    for name, found in worked_out(books, tmp_path).items():
        model, rows = models[name], formula_rows(name)
        ours = np.array([float(line[0]) for line in found])
        np.testing.assert_allclose(ours, model.predict_proba(rows)[:, 0], rtol=2e-15, atol=1e-15)
        is_known = (np.reshape(model.unknown_at(rows), (len(rows), -1)) < 0).all(axis=1)
        assert is_known.any()
        assert all(line[1] == "1" for line, known in zip(found, is_known, strict=True) if known)


@needs_office
def test_text_that_is_no_date_is_an_error_and_dates_before_1900_are_numbers(tmp_path: Path) -> None:
    table = pd.DataFrame({"day": pd.Series(pd.date_range("1899-01-01", periods=800))})
    model = BsnsingClassifier.plain().fit(table, table["day"] >= "1900-02-01")
    assert "DATE" not in export_spreadsheet(model)
    later = BsnsingClassifier.plain(max_bins=None).fit(table, table["day"] >= "1901-02-03")
    formula = export_spreadsheet(later, cells={"day": "A1"})
    assert "GESTEP(ROUND(86400000*A1,0),86400000*DATE(1901,2,3))" in formula
    text = write_workbook([Sheet("x", [["soon", Formula(formula[1:])]])])
    assert "#VALUE!" in worked_out({"text": text}, tmp_path)["text"][0][1]
    book = worked_out({"days": export_xlsx(later, X=table[-3:])}, tmp_path)["days"]
    assert [row[1] for row in book[1:]] == ["TRUE"] * 3


def test_what_no_formula_can_hold_is_refused() -> None:
    with pytest.raises(ValueError, match="spreadsheets take 8192"):
        export_spreadsheet(fitted("60 leaves"))
    ensemble = fitted("ensemble")
    n_leaves = sum(tree.n_leaves for tree in ensemble.trees_)
    with pytest.raises(ValueError, match=rf"of {n_leaves} leaves has .* Write a workbook"):
        export_spreadsheet(ensemble)
    with pytest.raises(ValueError, match="no class"):
        export_spreadsheet(fitted("default"), event="x")
    with pytest.raises(ValueError, match="no cell for the column"):
        export_spreadsheet(fitted("default"), cells={"x": "A1"})
    with pytest.raises(ValueError, match="cannot round"):
        export_spreadsheet(fitted("pairs"))
