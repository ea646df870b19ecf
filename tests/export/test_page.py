"""The page in a real browser: clicks and keys, any name, any width, paper; and the file itself."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from export.pages import Open, fitted, typed
from export.test_form import hostile_rows
from sklearn.datasets import load_breast_cancer, load_digits, load_iris
from sklearn.metrics import brier_score_loss

from bsnsing import (
    BsnsingClassifier,
    Tree,
    export_html,
    export_svg,
)
from bsnsing.export import export
from bsnsing.export.form import model_form

HOSTILE = "<script>alert(1)</script>"


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
    moved = page.get_attribute("#drawing", "transform")
    assert moved != before
    assert "#0" in page.inner_text("#node-title")
    page.click("#fit")
    assert page.get_attribute("#drawing", "transform") != moved


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
    scale = float(page.inner_text("#zoom-level").rstrip("%"))
    two = [
        *(["pointerdown", 1, 100, 100], ["pointerdown", 2, 150, 100]),
        *(["pointermove", 2, 200, 100], ["pointerup", 1, 100, 100], ["pointerup", 2, 200, 100]),
    ]
    page.evaluate(move, [two])
    assert float(page.inner_text("#zoom-level").rstrip("%")) == pytest.approx(2 * scale, abs=1)


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
