"""The page in a real browser: its answers are those of predict_proba, and nothing in it runs away.

Every page that a test opens fails the test on an error in its console or on any request.
"""

from __future__ import annotations

import itertools
import json
import re
import shutil
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from export.test_form import MODELS, hostile_rows, mixed_table
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_digits, load_iris
from sklearn.metrics import brier_score_loss

from bsnsing import (
    BsnsingClassifier,
    BsnsingEnsemble,
    ColumnPair,
    Tree,
    explain,
    export_html,
    export_svg,
)
from bsnsing.data.scales import show_moment
from bsnsing.export import export
from bsnsing.export.form import model_form

CHROMIUM = shutil.which("chromium")
pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="Chromium is not installed")

HOSTILE = "<script>alert(1)</script>"
Open = Callable[..., Any]


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    sync_api = pytest.importorskip("playwright.sync_api")
    with sync_api.sync_playwright() as playwright:
        running = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield running
        running.close()


@pytest.fixture
def open_page(browser: Any, tmp_path: Path) -> Iterator[Open]:
    """Opens the page of a model from a file; complaints of the browser fail the test."""
    complaints: list[str] = []
    contexts = []

    def complain_of_requests(request: Any) -> None:
        if not request.url.startswith(("file:", "data:")):
            complaints.append(f"asks for {request.url}")

    def open_page(html: str, *, width: int = 1600, hash: str = "", **options: Any) -> Any:
        path = tmp_path / f"{len(contexts)}.html"
        path.write_text(html, encoding="utf-8")
        context = browser.new_context(viewport={"width": width, "height": 900}, **options)
        contexts.append(context)
        page = context.new_page()
        page.on("console", lambda message: complaints.append(f"console: {message.text}"))
        page.on("pageerror", lambda error: complaints.append(f"error: {error}"))
        page.on("dialog", lambda dialog: complaints.append(f"dialog: {dialog.message}"))
        page.on("request", complain_of_requests)
        page.goto(path.as_uri() + hash)
        page.wait_for_selector("html[data-ready=true]")
        return page

    yield open_page
    for context in contexts:
        context.close()
    assert complaints == []


@cache
def fitted(name: str) -> tuple[Any, pd.DataFrame, np.ndarray]:
    table, labels = mixed_table()
    return clone(MODELS[name]).fit(table, labels), table, labels


def typed(model: Any, rows: pd.DataFrame) -> list[list[str | None]]:
    """What a reader types for each row, column by column of those that the page asks for."""
    columns = []
    for info in model_form(model).asked_columns:
        cells: list[str | None] = []
        for cell in rows[info.name].tolist():
            if cell is None or cell is pd.NA or cell != cell:
                cells.append(None)
            elif info.kind == "categorical":
                cells.append(typed_level(cell))
            elif info.kind == "boolean":
                cells.append("true" if cell else "false")
            else:
                cells.append(repr(float(cell)))
        columns.append(cells)
    return (
        [list(row) for row in zip(*columns, strict=True)] if columns else [[] for _ in rows.index]
    )


def typed_level(level: Any) -> str:
    """A number as Python writes it, text as it is: in quotes where a line cannot hold it."""
    if not isinstance(level, str):
        return repr(level)
    return level if level.isprintable() and level.strip() else json.dumps(level)


def type_case(page: Any, texts: list[str | None]) -> None:
    for place, text in enumerate(texts):
        if text is None:
            page.check(f"#unknown-{place}")
        elif page.locator(f"select#cell-{place}").count():
            page.select_option(f"#cell-{place}", text)
        else:
            page.fill(f"#cell-{place}", text)
    page.wait_for_timeout(120)


# --- Answers ---


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
        for info in model_form(model, takes_moments=True).asked_columns
    ]
    return [list(row) for row in zip(*cells, strict=True)]


@pytest.mark.parametrize("zone", [None, "Europe/Berlin"])
def test_page_answers_for_dates_times_and_durations(zone: str | None, open_page: Open) -> None:
    model, table = dated(zone)
    rows = table.mask(np.random.RandomState(1).rand(*table.shape) < 0.05)
    for info in model_form(model, takes_moments=True).asked_columns:  # right at the thresholds
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
    names = [c.name for c in model_form(model, takes_moments=True).asked_columns]
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
    names = [c.name for c in model_form(model, takes_moments=True).asked_columns]
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


# --- The way lights up, and why not the other ---


def test_way_of_a_case_lights_up_with_reasons(open_page: Open) -> None:
    X, y = load_iris(return_X_y=True, as_frame=True)
    model = BsnsingClassifier.plain(max_leaf_nodes=3).fit(X, y)
    page = open_page(export_html(model))
    row = X.iloc[[120]]
    type_case(page, typed(model, row)[0])
    lit = page.locator("#drawing .node.lit").evaluate_all(
        "nodes => nodes.map(node => Number(node.dataset.node))"
    )
    assert sorted(lit) == np.flatnonzero(model.decision_path(row).toarray()[0]).tolist()
    why = page.inner_text("#why")
    assert "Not no: that would need petal length (cm) ≤ 2.45." in why
    assert f"leaf #{model.apply(row)[0]}" in why


# --- The nearest change ---


def candidates(model: Any, rows: pd.DataFrame) -> dict[str, list[Any]]:
    """Cells that stand for all others of each column: one between any two thresholds."""
    found: dict[str, list[Any]] = {}
    for info in model_form(model).asked_columns:
        if info.kind == "categorical":
            found[info.name] = list(info.levels)
            continue
        cuts = sorted(
            {
                float(question.value)  # type: ignore[arg-type]
                for question in model.tree_.asked_questions()
                if question.column == info.name and question.value is not None
            }
        )
        between = [(a + b) / 2 for a, b in itertools.pairwise(cuts)]
        cells = [cuts[0] - 1, *between, cuts[-1] + 1, *cuts] if cuts else [0.0]
        found[info.name] = [bool(c) for c in (0, 1)] if info.kind == "boolean" else cells
    return found


def fewest_changes(model: Any, row: pd.DataFrame, fixed: set[str]) -> int | None:
    """How many columns must change, by trying all; None where no change does."""
    cells = candidates(model, row)
    names = [name for name in cells if name not in fixed]
    known = model.predict(row)[0]
    leads = set(np.flatnonzero(model.tree_.is_leaf).tolist())
    for n_columns in range(1, len(names) + 1):
        for chosen in itertools.combinations(names, n_columns):
            options = list(itertools.product(*(cells[name] for name in chosen)))
            tried = pd.concat([row] * len(options), ignore_index=True)
            for i, name in enumerate(chosen):
                tried[name] = pd.array([option[i] for option in options], dtype=row[name].dtype)
            reached = model.apply(tried)
            is_other = [
                leaf in leads and model.classes_[model.tree_.value[leaf].argmax()] != known
                for leaf in reached
            ]
            if any(is_other):
                return n_columns
    return None


@pytest.mark.parametrize("operators", [("or",), ("or", "and"), ("xor",)])
def test_nearest_change_needs_the_fewest_columns(
    operators: tuple[str, ...], open_page: Open
) -> None:
    table, labels = mixed_table()
    model = BsnsingClassifier.plain(max_rules=2, operators=operators, max_leaf_nodes=7)
    model.fit(table, labels)
    form = model_form(model)
    names = [c.name for c in form.asked_columns]
    rows = hostile_rows(table, np.random.RandomState(3))[:40]
    page = open_page(export_html(model))
    n_found = 0
    for i, texts in enumerate(typed(model, rows)):
        row = rows.iloc[[i]]
        fixed = {names[i % len(names)]} if i % 2 else set()
        found = page.evaluate(
            "([texts, fixed]) => bsnsing.nearest(texts, fixed)",
            [texts, [names.index(name) for name in fixed]],
        )
        wanted = fewest_changes(model, row, fixed)
        if wanted is None:
            assert "reason" in found
            continue
        n_found += 1
        assert len(found["columns"]) == wanted
        assert found["isWhole"]
        assert not fixed & {names[place] for place in found["columns"]}
        assert_leads_elsewhere(model, row, found, names)
    assert n_found > 20


def assert_leads_elsewhere(
    model: Any, row: pd.DataFrame, found: dict[str, Any], names: list[str]
) -> None:
    """The cells that the page proposes reach the leaf it names, and so another answer."""
    changed = row.copy()
    infos = {c.name: c for c in model_form(model).asked_columns}
    for place in found["columns"]:
        name, cell = names[place], found["cells"][place]
        levels = infos[name].levels
        value = levels[cell] if levels else bool(cell) if infos[name].kind == "boolean" else cell
        changed[name] = pd.array([value], dtype=row[name].dtype)
    members = getattr(model, "estimators_", [model])
    ends = [leaf for member in members for leaf in np.ravel(member.apply(changed)).tolist()]
    assert ends == found["leaves"]
    assert model.predict(changed)[0] != model.predict(row)[0]


def test_nearest_change_solves_pairs_for_either_column(open_page: Open) -> None:
    random = np.random.RandomState(0)
    X = pd.DataFrame({name: random.randint(-60, 60, 500) / 10 for name in "ab"})
    n_found = 0
    for label in (X.a / X.b > 1.3, X.a * X.b > 9, X.a + X.b > 2, X.a - X.b > 0.2):
        model = BsnsingClassifier(column_pairs=[["a", "b"]], max_rules=1, random_state=0)
        model.fit(X, label)
        assert model.tree_.pairs
        page = open_page(export_html(model))
        names = [c.name for c in model_form(model).asked_columns]
        for i in range(50):
            row = X.iloc[[i]]
            found = page.evaluate("texts => bsnsing.nearest(texts, [])", typed(model, row)[0])
            if "reason" not in found:
                n_found += 1
                assert_leads_elsewhere(model, row, found, names)
    assert n_found > 120


@pytest.mark.parametrize("name", MODELS)
def test_nearest_change_is_that_of_explain(name: str, open_page: Open) -> None:
    table, labels = mixed_table()
    if name in ("default", "plain"):
        labels = (table["debt"] / table["income / month"] > 0.5) | (table["age"] > 70)
    model = clone(MODELS[name]).fit(table, labels)
    rows = hostile_rows(table, np.random.RandomState(7))[
        : 60 if name in ("default", "plain") else 20
    ]
    names = [c.name for c in model_form(model).asked_columns]
    page = open_page(export_html(model))
    for i, (texts, told) in enumerate(zip(typed(model, rows), explain(model, rows), strict=True)):
        found = page.evaluate("texts => bsnsing.nearest(texts)", texts)
        if "reason" in found:
            assert not told.flip.changes
            continue
        assert_leads_elsewhere(model, rows.iloc[[i]], found, names)
        if not (found["isWhole"] and told.flip.is_exact):
            continue
        columns = [names[place] for place in found["columns"]]
        assert len(columns) == len(told.flip.changes)
        assert found["nAnswers"] == told.flip.n_answers
        cases = [
            sum(tree.counts[leaf].sum() for tree, leaf in zip(model.trees_, leaves, strict=True))
            for leaves in (found["leaves"], told.flip.leaves)
        ]
        assert cases[0] == cases[1]


def test_example_cases_end_in_their_leaves_through_pairs_too(open_page: Open) -> None:
    table, _ = mixed_table()
    labels = (table["debt"] / table["income / month"] > 0.5) | (table["age"] > 70)
    model = BsnsingClassifier(random_state=0).fit(table, labels)
    assert model.tree_.pairs
    page = open_page(export_html(model))
    for leaf in np.flatnonzero(model.tree_.is_leaf):
        page.click(f"#drawing [data-node='{leaf}']")
        page.click("text=Try a case that ends here")
        assert page.locator("#drawing .node.leaf.lit").count() == 1
        assert page.get_attribute("#drawing .node.leaf.lit", "data-node") == str(leaf)


def test_whole_numbers_stay_on_their_side_in_the_nearest_change(open_page: Open) -> None:
    X = pd.DataFrame({"children": np.arange(200) % 7})
    model = BsnsingClassifier(max_values_as_levels=0).fit(X, X["children"] >= 3)
    assert str(model.tree_.rule(0)) in ("children >= 3", "children < 3")
    page = open_page(export_html(model))
    has_text = "text => document.getElementById('nearest').innerText.includes(text)"
    for typed_in, told in (("0", "children ≥ 3"), ("5", "children < 3")):
        page.fill("#cell-0", typed_in)
        page.wait_for_function(has_text, arg=told)  # the answer comes a moment later


def test_nearest_change_is_put_into_the_form_by_its_button(open_page: Open) -> None:
    model, *_ = fitted("default")
    page = open_page(export_html(model, fixed=["age"]))
    page.click("#example")
    before = page.inner_text("#answer-line strong")
    wanted = page.inner_text("#nearest strong.named")
    place = [c.name for c in model_form(model).asked_columns].index("age")
    assert page.is_checked(f"#fixed-{place}")
    page.click("#apply-change")
    after = page.inner_text("#answer-line strong")
    assert after == wanted != before


def test_nearest_change_of_several_trees_is_tried_by_its_button(open_page: Open) -> None:
    model, *_ = fitted("ovr")
    page = open_page(export_html(model))
    page.click("#example")
    before = page.inner_text("#answer-line strong")
    wanted = page.inner_text("#nearest strong.named")
    page.click("#apply-change")
    assert page.inner_text("#answer-line strong") == wanted != before


# --- Clicks and keys ---


def test_tree_is_used_by_keyboard(open_page: Open) -> None:
    model, *_ = fitted("default")
    tree = model.tree_
    page = open_page(export_html(model))
    selected = "() => Number(document.activeElement.dataset.node)"
    page.locator("#drawing [data-node='0']").focus()
    page.keyboard.press("ArrowRight")
    assert page.evaluate(selected) == tree.children_left[0]
    page.keyboard.press("ArrowLeft")  # closes it, or goes up from a leaf
    shown = page.locator("#drawing [data-node]").count()
    assert shown < tree.n_nodes
    page.keyboard.press("Home")
    assert page.evaluate(selected) == 0
    page.keyboard.press("Enter")
    assert page.locator("#drawing [data-node]").count() == 1
    assert page.get_attribute("#drawing [data-node='0']", "aria-expanded") == "false"
    page.keyboard.press("Enter")
    page.keyboard.press("End")
    last = page.evaluate(selected)
    assert tree.is_leaf[last]
    page.keyboard.press("ArrowUp")
    assert page.evaluate(selected) != last
    assert page.evaluate("location.hash") == f"#node={page.evaluate(selected)}"
    before = page.inner_text("#zoom-level")
    page.keyboard.press("+")
    assert page.inner_text("#zoom-level") != before
    page.keyboard.press("/")
    assert page.evaluate("document.activeElement.id") == "search"


def test_every_part_is_reached_by_tab_alone(open_page: Open) -> None:
    model, *_ = fitted("plain")
    page = open_page(export_html(model))
    reached = set()
    for _ in range(120):
        page.keyboard.press("Tab")
        reached.add(
            page.evaluate("document.activeElement.id || document.activeElement.dataset.node")
        )
    assert {"theme", "as-outline", "fit", "search", "0", "cell-0", "unknown-0"} <= reached


def test_clicks_select_close_and_open_nodes(open_page: Open) -> None:
    model, *_ = fitted("default")
    tree = model.tree_
    page = open_page(export_html(model))
    left = int(tree.children_left[0])
    page.click(f"#drawing [data-node='{left}']")
    assert f"#{left}" in page.inner_text("#node-title")
    assert page.evaluate("location.hash") == f"#node={left}"
    page.click("#drawing [data-toggle='0']")
    assert page.locator("#drawing [data-node]").count() == 1
    page.click("#open-all")
    assert page.locator("#drawing [data-node]").count() == tree.n_nodes
    page.click("#close-all")
    assert page.locator("#drawing [data-node]").count() == 3
    page.click("#as-outline")
    assert page.locator("#outline [role=treeitem]").count() == 3
    assert page.locator("#picture").is_hidden()


def test_dragging_moves_the_picture_and_selects_nothing(open_page: Open) -> None:
    model, *_ = fitted("default")
    page = open_page(export_html(model))
    before = page.get_attribute("#drawing", "transform")
    box = page.locator("#picture").bounding_box()
    page.mouse.move(box["x"] + 30, box["y"] + box["height"] - 30)
    page.mouse.down()
    page.mouse.move(box["x"] + 130, box["y"] + box["height"] - 60, steps=4)
    page.mouse.up()
    assert page.get_attribute("#drawing", "transform") != before
    assert "#0" in page.inner_text("#node-title")
    page.click("#fit")
    assert page.get_attribute("#drawing", "transform") != before


def test_fingers_move_and_zoom_the_picture(open_page: Open) -> None:
    model, *_ = fitted("default")
    page = open_page(export_html(model), width=360, has_touch=True)
    page.click("#as-picture")
    move = """([steps]) => {
      const frame = document.getElementById("picture");
      const { left, top } = frame.getBoundingClientRect();
      for (const [type, pointerId, x, y] of steps) {
        frame.dispatchEvent(new PointerEvent(type, {
          pointerId, pointerType: "touch", bubbles: true, clientX: left + x, clientY: top + y,
        }));
      }
      return document.getElementById("drawing").getAttribute("transform");
    }"""
    before = page.get_attribute("#drawing", "transform")
    one = [["pointerdown", 1, 50, 50], ["pointermove", 1, 90, 60], ["pointerup", 1, 90, 60]]
    moved = page.evaluate(move, [one])
    assert moved != before
    scale = float(page.inner_text("#zoom-level").rstrip(" %"))
    two = [
        *(["pointerdown", 1, 100, 100], ["pointerdown", 2, 150, 100]),
        *(["pointermove", 2, 200, 100], ["pointerup", 1, 100, 100], ["pointerup", 2, 200, 100]),
    ]
    page.evaluate(move, [two])
    assert float(page.inner_text("#zoom-level").rstrip(" %")) == pytest.approx(2 * scale, abs=1)


def test_search_finds_nodes_behind_closed_ones(open_page: Open) -> None:
    model, *_ = fitted("default")
    page = open_page(export_html(model))
    page.click("#close-all")
    page.fill("#search", "smokes")
    wanted = [i for i, rule in enumerate(model.tree_.rules) if rule and "smokes" in str(rule)]
    assert page.inner_text("#search-note").startswith(str(len(wanted)))
    for _ in wanted:
        page.press("#search", "Enter")
    found = page.locator("#drawing .found").evaluate_all(
        "nodes => nodes.map(node => Number(node.dataset.node))"
    )
    assert sorted(found) == wanted


def test_rules_are_sorted_and_filtered(open_page: Open) -> None:
    model, table, labels = fitted("default")
    page = open_page(export_html(model, X=table, y=labels))
    cases = "#rules-table tbody td:nth-child(5)"
    numbers = [int(text) for text in page.locator(cases).all_inner_texts()]
    assert numbers == sorted(model.tree_.counts[model.tree_.is_leaf].sum(axis=1), reverse=True)
    page.click("#rules-table th:nth-child(5) button")
    assert [int(text) for text in page.locator(cases).all_inner_texts()] == numbers[::-1]
    assert page.get_attribute("#rules-table th:nth-child(5)", "aria-sort") == "ascending"
    page.fill("#rules-filter", "Kiel")
    rows = page.locator("#rules-table tbody tr").all_inner_texts()
    assert rows
    assert all("Kiel" in row for row in rows)


def test_address_remembers_the_selected_node(open_page: Open) -> None:
    model, *_ = fitted("default")
    page = open_page(export_html(model), hash="#node=3")
    assert "#3" in page.inner_text("#node-title")
    ensemble, *_ = fitted("ensemble")
    page = open_page(export_html(ensemble), hash="#tree=2&node=1")
    assert "#1" in page.inner_text("#node-title")
    assert page.input_value("#which-tree") == "2"
    page = open_page(export_html(model), hash="#node=99999")
    assert "#0" in page.inner_text("#node-title")


def test_theme_follows_the_system_and_the_button(open_page: Open) -> None:
    model, *_ = fitted("leaf")
    ground = "getComputedStyle(document.documentElement).backgroundColor"
    page = open_page(export_html(model), color_scheme="dark")
    dark = page.evaluate(ground)
    page.click("#theme")
    assert page.evaluate(ground) != dark
    page = open_page(export_html(model), color_scheme="light")
    assert page.evaluate(ground) != dark


# --- Any name, any width, paper ---


def test_what_follows_a_name_from_right_to_left_is_at_its_right(open_page: Open) -> None:
    name, label = "\u05d2\u05d9\u05dc", "\u0646\u0642\u0644 \u0622\u062e\u0631"
    X = pd.DataFrame({name: np.arange(200.0)})
    y = np.where(X[name] > 99, label, "home")
    model = BsnsingClassifier.plain(max_rules=1, shrinkage=1).fit(X, y)
    html = export_html(model)
    page = open_page(html.replace("</main>", f"</main>{export_svg(model)}"), bypass_csp=True)
    assert page.locator("svg.bsnsing-tree").count() == 1
    ends = """elements => elements.filter(one => one.textContent.match(/[0-9]/)
      && one.textContent.match(/[\u0590-\u06ff]/)).map(one => {
        const at = (sign) => one.getStartPositionOfChar(one.textContent.search(sign)).x;
        return at(/[0-9]/) > at(/[\u0590-\u06ff]/);
      })"""
    ordered = page.locator("#drawing text, svg.bsnsing-tree text").evaluate_all(ends)
    assert len(ordered) >= 3  # the rule in both pictures, and a leaf of one
    assert all(ordered)
    page.fill("#search", f"{name} > 9" if "> 9" in model.tree_.rule(0).texts()[0] else name)
    assert page.inner_text("#search-note") == "1 node found"


def test_a_model_that_asks_nothing_says_so(open_page: Open) -> None:
    X = np.arange(20.0)[:, None]
    model = BsnsingClassifier.plain(min_samples_leaf=15).fit(X, X[:, 0] > 9)
    page = open_page(export_html(model))
    assert "every case gets this answer" in page.inner_text("#why")
    assert "No change" in page.inner_text("#nearest")


def test_a_label_that_is_not_of_most_cases_says_whose_it_is(open_page: Open) -> None:
    tree = fitted("plain")[0].tree_
    leaf = int(np.flatnonzero(tree.is_leaf)[0])
    value = tree.value.copy()
    value[leaf] = np.roll(value[leaf], 1)  # as if the node above had decided
    page = open_page(export_html(replace(tree, value=value)))
    labelled = page.locator("#drawing [data-node]", has_text="label from above")
    assert labelled.evaluate_all("nodes => nodes.map(one => one.dataset.node)") == [str(leaf)]


def test_parts_that_scroll_are_reached_by_keyboard(open_page: Open) -> None:
    model, table, labels = fitted("ovr")
    page = open_page(export_html(model, X=table, y=labels), width=360)
    page.locator("[aria-label='Confusion matrix']").focus()
    assert page.evaluate("document.activeElement.getAttribute('role')") == "region"


NAMES = [
    HOSTILE,
    "</script><img src=x onerror=alert(2)>",
    "\"quotes' & <b>signs</b>",
    "🦔 \u2028 ünï 漢字",
    "x" * 10_000,
    "__proto__",
    "constructor",
    "{{data}}<!--",
]


@cache
def hostile_model() -> tuple[Any, pd.DataFrame]:
    """Each column decides in its own eighth of the cases, so that all are asked about."""
    random = np.random.RandomState(0)
    n_rows = 1600
    table = pd.DataFrame(random.rand(n_rows, len(NAMES)).round(3), columns=NAMES)
    levels = np.array([*NAMES[:-2], "toString", "", " spaced ", "two\nlines"])
    which = random.randint(0, len(levels), n_rows)
    table["__proto__"] = levels[which]
    numbers = table.drop(columns="__proto__").to_numpy()
    high = numbers[np.arange(n_rows), which % numbers.shape[1]] > 0.5
    labels = np.where(high, HOSTILE, "hasOwnProperty")
    return BsnsingClassifier.plain(min_samples_leaf=5, max_rules=3).fit(table, labels), table


def test_names_do_nothing_but_show(open_page: Open) -> None:
    model, table = hostile_model()
    assert len(model_form(model).asked_columns) == len(NAMES)
    html = export_html(model, title=HOSTILE, X=table, y=model.predict(table))
    assert html.count("<script") == 2
    assert "alert(1)</script>" not in html
    page = open_page(html)
    page.click("#example")
    page.click("#as-outline")
    assert page.inner_text("h1") == HOSTILE
    assert page.title() == HOSTILE
    assert page.locator("script").count() == 2
    assert page.locator("img, b b, iframe").count() == 0
    rows = table.copy()
    rows["__proto__"] = rows["__proto__"].where(np.arange(len(rows)) % 7 > 0, "valueOf")
    ours = page.evaluate("cases => bsnsing.predictProba(cases)", typed(model, rows))
    np.testing.assert_allclose(np.array(ours), model.predict_proba(rows), rtol=0, atol=1e-12)
    assert page.evaluate("document.documentElement.scrollWidth") <= 1600


@pytest.mark.parametrize("width", [360, 1600])
@pytest.mark.parametrize("name", ["default", "ovr", "leaf", "hostile"])
def test_nothing_is_wider_than_the_screen(name: str, width: int, open_page: Open) -> None:
    if name == "hostile":
        model, table = hostile_model()
        labels = model.predict(table)
    else:
        model, table, labels = fitted(name)
    page = open_page(export_html(model, X=table, y=labels), width=width, has_touch=True)
    scroll = "document.documentElement.scrollWidth"
    assert page.evaluate(scroll) <= width
    page.click("#example")
    for button in ("#as-picture", "#as-outline", "#open-all"):
        page.click(button)
        assert page.evaluate(scroll) <= width
    assert page.locator("#outline [role=treeitem]").first.is_visible()


def test_paper_shows_the_whole_tree_and_all_rules(open_page: Open, tmp_path: Path) -> None:
    X, y = load_digits(return_X_y=True, as_frame=True)
    large = BsnsingClassifier.plain(min_samples_leaf=5, max_leaf_nodes=45).fit(X, y)
    for model in (fitted("plain")[0], large):
        page = open_page(export_html(model))
        page.click("#close-all")
        page.evaluate("window.dispatchEvent(new Event('beforeprint'))")
        printed = "#printed [data-node]"
        assert page.locator(printed).count() == model.tree_.n_nodes
        assert page.locator("#rules-table tbody tr").count() == model.tree_.n_leaves
        page.evaluate("window.dispatchEvent(new Event('afterprint'))")
        assert page.locator(printed).count() == 0
        assert len(page.pdf(format="A4")) > 10_000


# --- The file ---


def test_page_is_small_whole_and_without_rows() -> None:
    model, table, labels = fitted("default")
    html = export_html(model, X=table, y=labels, event=2)
    data = re.search(r'id="data">(.*?)</script>', html, re.DOTALL)
    assert data is not None
    assert len(html) - len(data[1]) < 200_000
    assert not re.search(r'(src|href)="(?!data:|#)', html)
    assert "default-src 'none'" in html
    known = json.loads(data[1])
    assert known["figures"]["accuracy"] == np.mean(model.predict(table) == labels)
    assert known["event"] == 2
    numbers = {number for number in table["debt"] if f"{number!r}" in html}
    thresholds = {q.value for q in model.tree_.asked_questions()}
    assert numbers <= thresholds


def test_page_is_written_by_its_suffix(tmp_path: Path) -> None:
    model, *_ = fitted("leaf")
    export(model, tmp_path / "model.html", title="One leaf")
    assert "<title>One leaf</title>" in (tmp_path / "model.html").read_text(encoding="utf-8")


def test_same_model_gives_the_same_page() -> None:
    model, *_ = fitted("default")
    assert export_html(model) == export_html(model)


def test_tree_alone_has_a_page(open_page: Open) -> None:
    model, table, _ = fitted("plain")
    page = open_page(export_html(model.tree_))
    rows = hostile_rows(table, np.random.RandomState(5))[:50]
    ours = page.evaluate("cases => bsnsing.predictProba(cases)", typed(model, rows))
    np.testing.assert_array_equal(np.array(ours), model.predict_proba(rows))


def test_figures_are_those_of_scikit_learn(open_page: Open) -> None:
    from sklearn.metrics import confusion_matrix, log_loss, roc_auc_score

    X, y = load_iris(return_X_y=True, as_frame=True)
    model = BsnsingClassifier(random_state=0).fit(X[::2], y[::2])
    html = export_html(model, X=X[1::2], y=y[1::2])
    known = json.loads(re.search(r'id="data">(.*?)</script>', html, re.DOTALL)[1])["figures"]
    shares = model.predict_proba(X[1::2])
    assert known["logLoss"] == pytest.approx(log_loss(y[1::2], shares))
    assert known["auc"] == pytest.approx(roc_auc_score(y[1::2], shares, multi_class="ovr"))
    assert known["confusion"] == confusion_matrix(y[1::2], model.predict(X[1::2])).tolist()
    page = open_page(html)
    assert f"{known['accuracy']:.4f}" in page.inner_text("#figures")


def test_figures_are_those_of_the_summary() -> None:
    X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    model = BsnsingClassifier.plain(max_leaf_nodes=4).fit(X[::2], y[::2])
    html = export_html(model, X=X[1::2], y=y[1::2])
    known = json.loads(re.search(r'id="data">(.*?)</script>', html, re.DOTALL)[1])["figures"]
    told = model.summary(X[1::2], y[1::2])
    assert known["brier"] == told.brier
    assert known["logLoss"] == told.log_loss
    assert known["auc"] == told.auc
    assert known["accuracy"] == told.accuracy
    shares = model.predict_proba(X[1::2])
    assert known["brier"] == pytest.approx(brier_score_loss(y[1::2], shares[:, 1]))


def test_wrong_arguments_are_named() -> None:
    model, table, labels = fitted("plain")
    with pytest.raises(ValueError, match="both X and y"):
        export_html(model, X=table)
    with pytest.raises(ValueError, match="event=9 is no class"):
        export_html(model, event=9)
    with pytest.raises(ValueError, match="fixed names column 'agee'"):
        export_html(model, fixed=["agee"])
    with pytest.raises(ValueError, match=r"write \['age'\]"):
        export_html(model, fixed="age")
    with pytest.raises(TypeError, match="A Tree cannot read X"):
        export_html(model.tree_, X=table, y=labels)
    with pytest.raises(ValueError, match="y holds 7"):
        export_html(model, X=table[:2], y=[1, 7])
    with pytest.raises(ValueError, match="a label for each row"):
        export_html(model, X=table[:2], y=[1])


def test_large_trees_start_closed_and_open(open_page: Open) -> None:
    random = np.random.RandomState(0)
    X, y = random.rand(2000, 3), random.randint(0, 2, 2000)
    model = BsnsingClassifier.plain(max_rules=1, min_samples_leaf=1).fit(X, y)
    assert model.tree_.n_leaves > 300
    page = open_page(export_html(model))
    assert page.locator("#drawing [data-node]").count() <= 60
    page.click("#open-all")
    assert page.locator("#drawing [data-node]").count() < model.tree_.n_nodes  # those in sight
    page.click("#fit")
    page.wait_for_timeout(300)  # the next frame draws
    assert page.locator("#drawing [data-node]").count() == model.tree_.n_nodes
    page.click("#as-outline")
    assert page.locator("#outline [role=treeitem]").count() == model.tree_.n_nodes
    shares = page.evaluate("cases => bsnsing.predictProba(cases)", X[:300].astype(str).tolist())
    np.testing.assert_array_equal(np.array(shares), model.predict_proba(X[:300]))


def deep_tree(depth: int) -> Tree:
    """Asks ``x > i`` at depth i; each no is a leaf of its own."""
    X = np.arange(4.0)[:, None]
    tree = BsnsingClassifier.plain(min_samples_leaf=1, max_leaf_nodes=2).fit(X, X[:, 0] > 1).tree_
    n_nodes = 2 * depth + 1
    inner = np.arange(n_nodes) % 2 == 0
    inner[-1] = False
    ids = np.arange(n_nodes, dtype=np.int32)
    value = np.column_stack([ids / n_nodes, 1 - ids / n_nodes])
    per_node = {
        name: np.full(n_nodes, getattr(tree, name)[0])
        for name in (
            *("impurity", "weighted_cases", "operator", "objective", "bound", "optimal"),
            *("own_objective", "best_own_objective", "best_own_proven", "n_counted", "n_excluded"),
        )
    }
    return replace(
        tree,
        **per_node,
        children_left=np.where(inner, ids + 2, -1).astype(np.int32),
        children_right=np.where(inner, ids + 1, -1).astype(np.int32),
        depth=((ids + 1) // 2).astype(np.int32),
        counts=np.ones((n_nodes, 2)),
        value=value,
        first_question=np.concatenate([[0], np.cumsum(inner)]).astype(np.int32),
        question_column=np.zeros(depth, dtype=np.int32),
        question_test=np.zeros(depth, dtype=np.uint8),
        question_value=np.arange(depth, dtype=float),
        question_negated=np.zeros(depth, dtype=np.uint8),
        first_level=np.zeros(depth + 1, dtype=np.int32),
    )


def test_very_deep_trees_have_a_page(open_page: Open) -> None:
    depth = 10_000
    tree = deep_tree(depth)
    page = open_page(export_html(tree))
    shares = page.evaluate("bsnsing.predictProba([['0'], ['5000.5'], ['1e9'], [null]])")
    leaves = [1, 2 * 5001 + 1, 2 * depth]
    np.testing.assert_array_equal(shares[:3], tree.value[leaves])
    page.fill("#cell-0", "700")
    page.locator("#why", has_text="leaf #1401").wait_for()
    assert page.locator("#nearest").inner_text() != ""


def test_all_controls_have_names_and_ids_are_unique(open_page: Open) -> None:
    model, table, labels = fitted("ensemble")
    page = open_page(export_html(model, X=table, y=labels))
    page.click("#example")
    ids = page.evaluate("[...document.querySelectorAll('[id]')].map(element => element.id)")
    assert len(ids) == len(set(ids))
    nameless = page.evaluate(
        """() => [...document.querySelectorAll("button, input, select, [role=treeitem]")]
          .filter(element => !element.getAttribute("aria-label")
            && !(element.labels?.length && element.labels[0].textContent.trim())
            && !element.textContent.trim()).length"""
    )
    assert nameless == 0
    snapshot = page.locator("main").aria_snapshot()
    assert "tree" in snapshot
    assert "treeitem" in snapshot
    assert re.search(r"status: \"?Answer: ", snapshot)
