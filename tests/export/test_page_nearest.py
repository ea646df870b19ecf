"""The page in a real browser: the way of a case, and the nearest change that flips its answer."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from export.pages import Open, fitted, type_case, typed
from export.test_explain import nearest_by_trying, one_column_or_two
from export.test_form import MODELS, hostile_rows, mixed_table
from sklearn.base import clone
from sklearn.datasets import load_iris

from bsnsing import (
    BsnsingClassifier,
    explain,
    export_html,
)
from bsnsing.export.form import model_form

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


def test_fewer_questions_are_nearer_than_fewer_columns(open_page: Open) -> None:
    model, table = one_column_or_two()
    page = open_page(export_html(model))
    names = [c.name for c in model_form(model).asked_columns]
    (texts,) = typed(model, table.head(1))
    found = page.evaluate("texts => bsnsing.nearest(texts)", texts)
    assert [names[place] for place in found["columns"]] == ["b", "c"]
    assert found["nAnswers"] == 2
    found = page.evaluate("([texts, c]) => bsnsing.nearest(texts, [c])", [texts, names.index("c")])
    assert ([names[place] for place in found["columns"]], found["nAnswers"]) == (["a"], 4)


@pytest.mark.parametrize("operators", [("or",), ("or", "and"), ("xor",)])
def test_nearest_change_needs_the_fewest_questions(
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
        (cells,) = row.to_dict("records")
        wanted = nearest_by_trying(model, cells, model.predict(row).tolist()[0], tuple(fixed))
        if wanted is None:
            assert "reason" in found
            continue
        n_found += 1
        n_cases = sum(model.tree_.counts[leaf].sum() for leaf in found["leaves"])
        assert (found["nAnswers"], len(found["columns"]), -n_cases) == wanted
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
