"""The page in a real browser: its answers are those of predict_proba."""

from __future__ import annotations

import re
from functools import cache
from typing import Any

import numpy as np
import pandas as pd
import pytest
from export.pages import Open, fitted, type_case, typed
from export.test_form import MODELS, hostile_rows
from sklearn.datasets import load_digits

from bsnsing import (
    BsnsingClassifier,
    BsnsingEnsemble,
    ColumnPair,
    export_html,
)
from bsnsing.data.scales import show_moment
from bsnsing.export.form import model_form


@pytest.mark.parametrize("name", MODELS)
def test_page_answers_as_predict_proba_does(name: str, open_page: Open) -> None:
    model, table, _ = fitted(name)
    rows = hostile_rows(table, np.random.RandomState(1))
    page = open_page(export_html(model))
    ours = page.evaluate("cases => bsnsing.predictProba(cases)", typed(model, rows))
    np.testing.assert_array_equal(np.array(ours), model.predict_proba(rows))
    labels = page.evaluate("cases => bsnsing.predict(cases)", typed(model, rows))
    assert model.classes_[labels].tolist() == model.predict(rows).tolist()


def test_page_answers_for_many_classes_and_by_votes(open_page: Open) -> None:
    X, y = load_digits(return_X_y=True, as_frame=True)
    rows = X.mask(np.random.RandomState(0).rand(*X.shape) < 0.05)[:400]
    for model in (
        BsnsingClassifier.plain(min_samples_leaf=5, max_leaf_nodes=60),
        BsnsingEnsemble(
            estimator=BsnsingClassifier.plain(), n_estimators=3, voting="hard", random_state=0
        ),
    ):
        model.fit(X, y)
        page = open_page(export_html(model, X=X, y=y))
        ours = page.evaluate("cases => bsnsing.predictProba(cases)", typed(model, rows))
        np.testing.assert_allclose(np.array(ours), model.predict_proba(rows), rtol=0, atol=1e-12)
        labels = page.evaluate("cases => bsnsing.predict(cases)", typed(model, rows))
        assert model.classes_[labels].tolist() == model.predict(rows).tolist()


@pytest.mark.parametrize("voting", ["soft", "hard"])
def test_page_decides_by_what_errors_cost(voting: str, open_page: Open) -> None:
    _, table, labels = fitted("plain")
    cost = {(labels[0], other): 7.0 for other in set(labels) - {labels[0]}}
    settings = [{"max_rules": 1}, {"min_samples_leaf": 5}]
    single = BsnsingClassifier.plain(cost=cost)
    models = [single, BsnsingEnsemble(estimator=single, settings=settings, voting=voting)]
    for model in models:
        model.fit(table, labels)
        page = open_page(export_html(model))
        said = page.evaluate("(cases) => bsnsing.predict(cases)", typed(model, table))
        assert model.classes_[said].tolist() == model.predict(table).tolist()
        most_probable = model.classes_[model.predict_proba(table).argmax(axis=1)]
        assert (model.predict(table) != most_probable).any()


def test_pairs_are_rounded_as_in_python(open_page: Open) -> None:
    random = np.random.RandomState(0)
    X = pd.DataFrame({name: random.randint(1, 60, 500) / 10 for name in "ab"})
    sides = [X.a / X.b > 1.3, X.a * X.b > 9, X.a + X.b > 6, X.a - X.b > 0.2]
    for label, groups in zip(sides, ("auto", "auto", [["a", "b"]], [["a", "b"]]), strict=True):
        model = BsnsingClassifier(column_pairs=groups, random_state=0).fit(X, label)
        assert model.tree_.pairs, "the table is made for pairs"
        # Tenths hit thresholds on paper, and powers of ten the places that are rounded to.
        scale = 10.0 ** random.randint(-9, 10, len(X))[:, None]
        rows = pd.concat([X, X * scale, X.map(lambda x: 10.0 ** round(x))], ignore_index=True)
        rows = rows.mask(random.rand(*rows.shape) < 0.05)
        rows.loc[::50, "b"] = 0.0
        page = open_page(export_html(model))
        ours = page.evaluate("cases => bsnsing.predictProba(cases)", typed(model, rows))
        np.testing.assert_allclose(np.array(ours), model.predict_proba(rows), rtol=0, atol=1e-12)


@pytest.mark.parametrize(("sign", "side"), [("+", 0.0), ("-", np.inf)])
def test_pairs_are_rounded_as_in_python_beside_powers_of_ten(
    sign: Any, side: float, open_page: Open
) -> None:
    pair = ColumnPair("a", sign, "b")
    a = np.nextafter([float(f"1e{n}") for n in range(-20, 21)], side)
    parts = [0.1234567891237, 0.9876543219876]
    rows = pd.DataFrame({"a": np.tile(a, 2), "b": np.outer(parts, a).ravel()})
    numbers = np.unique(pair.combine(rows.a, rows.b))
    others = pd.DataFrame({"a": 7.0, "b": np.linspace(2, 3, len(rows))})
    X, y = pd.concat([rows, others]), np.repeat([1, 0], len(rows))
    rule = " or ".join(f"{pair} == {number!r}" for number in numbers.tolist())
    # The tree is given: how near its rule of 82 questions is to the best is not asked here.
    model = BsnsingClassifier.from_text(
        f"{rule} ?\n  yes: 1\n  no: 0", X, y, shrinkage=0, time_limit=0.1
    )
    assert (model.predict(X) == y).all()
    page = open_page(export_html(model))
    ours = page.evaluate("cases => bsnsing.predict(cases)", typed(model, X))
    assert ours == y.tolist()


@pytest.mark.parametrize("name", ["default", "ovr", "ensemble"])
def test_form_answers_what_is_typed_and_picked(name: str, open_page: Open) -> None:
    model, table, _ = fitted(name)
    rows = hostile_rows(table, np.random.RandomState(2))[:6]
    page = open_page(export_html(model))
    shares = model.predict_proba(rows)
    for texts, wanted in zip(typed(model, rows), shares, strict=True):
        type_case(page, texts)
        said = page.locator("#answer-line strong").inner_text()
        assert said == str(wanted.argmax())
        numbers = page.locator("#answer > .bars .bar-number").all_inner_texts()
        per_cent = [float(re.sub("[^0-9.]", "", text)) for text in numbers]
        np.testing.assert_allclose(per_cent, 100 * np.sort(wanted)[::-1], atol=0.51)
        if any(text is not None for text in texts):
            assert said in page.locator("#live").text_content()


def test_what_is_no_number_is_named_and_taken_as_not_known(open_page: Open) -> None:
    model, *_ = fitted("plain")
    page = open_page(export_html(model))
    place = [c.name for c in model_form(model).asked_columns].index("debt")
    for text in ("1,5", "0x10", "Infinity", "much"):
        page.fill(f"#cell-{place}", text)
        assert page.get_attribute(f"#cell-{place}", "aria-invalid") == "true"
        assert "Not a number" in page.inner_text(f"#hint-{place}")
    page.fill(f"#cell-{place}", " 1.5e3 ")
    assert page.get_attribute(f"#cell-{place}", "aria-invalid") is None
    assert not page.is_checked(f"#unknown-{place}")
    page.check(f"#unknown-{place}")
    assert page.input_value(f"#cell-{place}") == ""


def test_levels_never_seen_are_said_to_be_so(open_page: Open) -> None:
    model, *_ = fitted("default")
    page = open_page(export_html(model))
    place = [c.name for c in model_form(model).asked_columns].index("city")
    page.fill(f"#cell-{place}", "Atlantis")
    assert "Never seen" in page.inner_text(f"#hint-{place}")
    page.wait_for_timeout(120)
    assert "both ways" in page.inner_text("#why")
    page.fill(f"#cell-{place}", "Kiel")
    assert "Never seen" not in page.inner_text(f"#hint-{place}")


def test_numeric_levels_are_numbers_however_they_are_typed(open_page: Open) -> None:
    levels = [0.1, 0.1 + 1e-12, 1e17, 3.0, 0.0]
    X = pd.DataFrame({"x": levels * 20})
    y = np.arange(len(X)) % len(levels)
    model = BsnsingClassifier.plain(categorical_features=["x"], min_samples_leaf=1).fit(X, y)
    page = open_page(export_html(model))
    texts = ["0.1", repr(0.1 + 1e-12), "1e17", "1" + "0" * 17, "3", " 3.0", "3e0", "-0.0", "0"]
    said = page.evaluate("cases => bsnsing.predict(cases)", [[text] for text in texts])
    assert said == [0, 1, 2, 2, 3, 3, 3, 4, 4]
    assert repr(levels[1]) in page.content()
    for text in ("0.1000000000005", "3.1", "three", "1" + "0" * 16 + "1"):
        page.fill("#cell-0", text)
        assert "Never seen" in page.inner_text("#hint-0")


def test_each_level_is_typed_as_the_page_lists_it(open_page: Open) -> None:
    levels = ["", '""', '"" (text)', " ", "1", 1, "1 (number)", 2.5, "2.50", "a", " a ", "b\nc"]
    X = pd.DataFrame({"x": pd.Series(levels * 20, dtype=object)})
    y = np.arange(len(X)) % len(levels)
    model = BsnsingClassifier.plain(categorical_features=["x"], min_samples_leaf=1).fit(X, y)
    assert (model.predict(X) == y).all()
    page = open_page(export_html(model))
    texts = page.locator("#levels-0 option").evaluate_all("all => all.map(one => one.value)")
    assert len(set(texts)) == len(levels)
    (info,) = model_form(model).asked_columns
    said = page.evaluate("cases => bsnsing.predict(cases)", [[text] for text in texts])
    assert said == [levels.index(level) for level in info.levels]


@cache
def dated(zone: str | None) -> tuple[Any, pd.DataFrame]:
    """A model whose rules ask about dates, times of day and durations, to the microsecond."""
    random = np.random.RandomState(0)
    n_rows = 900
    begin = pd.Timestamp("2020-01-01", tz=zone)
    seconds = pd.to_timedelta(random.randint(0, 10**8, n_rows), unit="s")
    stays = pd.to_timedelta(random.randint(-(10**6), 10**6, n_rows) * 1500, unit="ms")
    clocks = [(begin + own).time() for own in seconds[::-1]]
    table = pd.DataFrame({"joined": begin + seconds, "stay": stays, "at": clocks})
    late = table["joined"] > pd.Timestamp("2021-06-01T12:30", tz=zone)
    noon = np.array([own.hour >= 12 for own in clocks])
    labels = np.where(late, np.where(stays > pd.Timedelta(hours=51), "a", "b"), noon.astype(str))
    return BsnsingClassifier.plain(min_samples_leaf=3).fit(table, labels), table


def typed_moments(model: Any, rows: pd.DataFrame) -> list[list[str | None]]:
    cells = [
        [None if pd.isna(cell) else show_moment(cell) for cell in rows[info.name]]
        for info in model_form(model).asked_columns
    ]
    return [list(row) for row in zip(*cells, strict=True)]


@pytest.mark.parametrize("zone", [None, "Europe/Berlin"])
def test_page_answers_for_dates_times_and_durations(zone: str | None, open_page: Open) -> None:
    model, table = dated(zone)
    rows = table.mask(np.random.RandomState(1).rand(*table.shape) < 0.05)
    for info in model_form(model).asked_columns:  # right at the thresholds
        bounds = [q.value for q in model.tree_.asked_questions() if q.column == info.name]
        rows.loc[rows.index[: len(bounds)], info.name] = bounds
    page = open_page(export_html(model, X=table, y=model.predict(table)))
    texts = typed_moments(model, rows)
    ours = page.evaluate("cases => bsnsing.predictProba(cases)", texts)
    np.testing.assert_array_equal(np.array(ours), model.predict_proba(rows))
    # What the form shows of a cell is read as the same cell.
    again = page.evaluate(
        "cases => cases.map(one => bsnsing.cells(bsnsing.texts(bsnsing.cells(one))))", texts
    )
    assert again == page.evaluate("cases => cases.map(bsnsing.cells)", texts)
    names = [c.name for c in model_form(model).asked_columns]
    n_found = 0
    for i in range(30, 60):
        found = page.evaluate("texts => bsnsing.nearest(texts)", texts[i])
        if "reason" in found:
            continue
        n_found += 1
        changed = page.evaluate("found => bsnsing.texts(found.cells)", found)
        said = page.evaluate("texts => bsnsing.predict([texts])[0]", changed)
        assert model.classes_[said] != model.predict(rows.iloc[[i]])[0]
        assert {names[place] for place in found["columns"]} <= set(names)
    assert n_found > 15


def test_dates_are_shown_as_such_and_wrong_ones_named(open_page: Open) -> None:
    model, _ = dated(None)
    page = open_page(export_html(model))
    names = [c.name for c in model_form(model).asked_columns]
    place = {name: names.index(name) for name in names}
    (rule,) = [text for text in model.tree_.rules[0].texts() if text.startswith("joined")]
    assert rule in page.inner_text("#node")
    for name, wrong, right in (
        (
            "joined",
            ["2021-13-01", "2021-02-30", "2021-3-1", "5", "2021-03-01T10:00Z"],
            "2021-03-01",
        ),
        ("at", ["24:00", "9:30", "12:60"], "09:30"),
        ("stay", ["2", "2 days", "-"], "-1d 2h 3.5s"),
    ):
        cell = f"#cell-{place[name]}"
        for text in wrong:
            page.fill(cell, text)
            assert page.get_attribute(cell, "aria-invalid") == "true"
            assert "write it like" in page.inner_text(f"#hint-{place[name]}")
        page.fill(cell, right)
        assert page.get_attribute(cell, "aria-invalid") is None
    page.click("#clear")
    page.click("#example")
    assert re.search(r"\d{4}-\d\d-\d\d", page.inner_text("#why"))
    assert not re.search(r"\d{9}", page.inner_text("main"))  # nowhere a number of microseconds
