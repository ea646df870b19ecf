"""The page's pictures in a real browser: what Python has placed, on one sheet or on several."""

from __future__ import annotations

import itertools
import json
import re
from collections import defaultdict
from typing import Any

import pytest
from export.pages import Open, fitted
from large_trees import balanced_tree, chain_tree
from made_trees import made_tree

from bsnsing import Tree, export_html
from bsnsing.export.layout import place_tree
from bsnsing.export.picture import tree_pictures
from bsnsing.export.picture_options import PictureOptions

SHOWN = """nodes => nodes.map(node => {
  const box = node.querySelector(".box");
  const side = (name) => Number(box.getAttribute(name));
  const lines = [...node.querySelectorAll("g > text:not(.toggle text)")];
  return [Number(node.dataset.node), side("x"), side("y"), side("width"), side("height"),
    lines.map(line => [line.textContent, Number(line.getAttribute("y"))])];
})"""


def shown(page: Any) -> dict[int, list[Any]]:
    found = page.locator("#drawing [data-node]").evaluate_all(SHOWN)
    return {node: rest for node, *rest in found}


def tree_data(html: str) -> dict[str, Any]:
    data = re.search(r'id="data">(.*?)</script>', html, re.DOTALL)
    assert data is not None
    return dict(json.loads(data[1])["trees"][0])


@pytest.mark.parametrize("name", ["default", "plain", "made", "large"])
def test_boxes_and_lines_are_where_every_picture_has_them(name: str, open_page: Open) -> None:
    if name in ("made", "large"):
        tree = made_tree(25 if name == "made" else 70, names=["a <b>", "漢字 " * 20], seed=3)
    else:
        tree = fitted(name)[0].tree_
    (picture,) = tree_pictures(tree, "test", PictureOptions(max_leaves=None))
    layout = place_tree(picture)
    page = open_page(export_html(tree))
    page.click("#open-all")
    page.click("#fit")
    page.wait_for_timeout(100)
    drawn = shown(page)
    assert len(drawn) == tree.n_nodes
    left = min(box.x for box in layout.boxes)
    top = layout.boxes[0].y
    for box in layout.boxes:
        x, y, width, height, lines = drawn[box.node]
        wanted = (box.x - left, box.y - top, box.width, box.height)
        assert (x, y, width, height) == pytest.approx(wanted, abs=0.16)
        assert [text for text, _ in lines] == [line.text for line in box.lines]
        assert [at for _, at in lines] == pytest.approx([own.y - top for own in box.lines], abs=0.2)


def test_what_stays_open_stays_where_it_is(open_page: Open) -> None:
    tree = made_tree(20, seed=1)
    page = open_page(export_html(tree))
    before = shown(page)
    child = int(tree.children_left[0])
    page.click(f"#drawing [data-toggle='{child}']")
    after = shown(page)
    assert len(after) < len(before) == tree.n_nodes
    assert all(after[node] == before[node] for node in after)
    page.click(f"#drawing [data-toggle='{child}']")
    assert shown(page) == before


def leaves_of(tree: Tree, node: int) -> int:
    if tree.is_leaf[node]:
        return 1
    children = (tree.children_left[node], tree.children_right[node])
    return sum(leaves_of(tree, int(child)) for child in children)


def test_closed_nodes_of_large_trees_open_on_a_sheet_of_their_own(open_page: Open) -> None:
    tree = made_tree(300, seed=2)
    page = open_page(export_html(tree))
    first = shown(page)
    assert 20 < len(first) < 60
    closed = page.locator("#drawing [aria-expanded=false]")
    piles = closed.evaluate_all("nodes => nodes.map(node => Number(node.dataset.node))")
    assert piles
    for pile in piles[:4]:
        size = page.locator(f"#drawing [data-node='{pile}'] .toggle .detail").text_content().split()
        assert size == [str(leaves_of(tree, pile)), "leaves"]
        page.locator(f"#drawing [data-toggle='{pile}']").dispatch_event("click")
        children = {int(tree.children_left[pile]), int(tree.children_right[pile])}
        assert children <= set(shown(page))
        assert page.locator(f"#drawing [data-node='{pile}'].selected").count() == 1
        page.locator(f"#drawing [data-toggle='{pile}']").dispatch_event("click")  # and back
        assert set(shown(page)) == set(first)


def test_every_node_of_a_large_tree_is_found_and_lit(open_page: Open) -> None:
    tree = balanced_tree(400)
    page = open_page(export_html(tree))
    for node in range(0, tree.n_nodes, 37):
        page.fill("#search", f"#{node}")
        page.press("#search", "Enter")
        assert page.locator(f"#drawing [data-node='{node}'].selected").count() == 1
    for value in (3, 250, 399):
        page.fill("#cell-0", str(value))
        page.locator("#why", has_text="Ends in leaf").wait_for()
        page.wait_for_timeout(120)
        lit = page.locator("#drawing .node.leaf.lit")
        assert lit.count() == 1
        steps = page.locator("#drawing .node.lit").count()
        assert steps == tree.depth[int(lit.get_attribute("data-node") or 0)] + 1


def test_the_way_above_a_deep_sheet_is_counted_and_leads_up(open_page: Open) -> None:
    tree = chain_tree(200)
    page = open_page(export_html(tree), hash="#node=200")
    assert page.locator("#drawing [data-node='200'].selected").count() == 1
    above = page.locator("#drawing .upwards")
    top = int(above.get_attribute("data-up"))
    assert above.text_content() == f"▲ {tree.depth[top]} rules above"
    above.dispatch_event("click")
    parent = next(v for v in range(tree.n_nodes) if tree.children_left[v] == top)
    assert page.locator(f"#drawing [data-node='{parent}'].selected").count() == 1


def test_arrow_keys_lead_through_the_sheets_of_a_large_tree(open_page: Open) -> None:
    tree = balanced_tree(400)
    page = open_page(export_html(tree))
    page.locator("#drawing [data-node='0']").focus()
    at = "() => Number(document.activeElement.dataset.node)"
    node = 0
    while not tree.is_leaf[node]:
        page.keyboard.press("ArrowRight")
        if page.evaluate(at) == node:  # it was closed, and is open now
            page.keyboard.press("ArrowRight")
        node = int(tree.children_left[node])
        assert page.evaluate(at) == node
    page.keyboard.press("Home")
    assert page.evaluate(at) == 0


def test_an_outline_with_anything_open_becomes_a_picture(open_page: Open) -> None:
    tree = balanced_tree(200)
    page = open_page(export_html(tree), width=360)
    for _ in range(3):
        page.locator("#outline [aria-expanded=false] .twist").last.click()
    page.click("#as-picture")
    selected = page.locator("#drawing .node.selected")
    assert selected.count() == 1
    assert len(shown(page)) > 10


@pytest.mark.parametrize("made", [balanced_tree, chain_tree])
def test_sheets_hold_each_node_once_and_nothing_overlaps(made: Any) -> None:
    tree = made(700)
    data = tree_data(export_html(tree))
    *parts, whole = data["sheets"]
    assert whole["nodes"] is None
    assert len(whole["x"]) == tree.n_nodes
    opened: list[int] = []
    for sheet in [*parts, whole]:
        nodes = sheet["nodes"] or list(range(tree.n_nodes))
        on_sheet = set(nodes)
        rows = defaultdict(list)
        for node, x in zip(nodes, sheet["x"], strict=True):
            half = data["boxes"][node][0] / 2
            rows[int(tree.depth[node])].append((x - half, x + half))
        for row in rows.values():
            assert all(a[1] <= b[0] for a, b in itertools.pairwise(sorted(row)))
        if sheet is not whole:
            below, waiting = [], [sheet["root"]]
            while waiting:
                node = waiting.pop()
                if tree.is_leaf[node]:
                    below.append(node)
                elif data["yes"][node] in on_sheet:
                    below.append(node)
                    waiting += [data["yes"][node], data["no"][node]]
            opened += below
    assert sorted(opened) == list(range(tree.n_nodes))


@pytest.mark.parametrize("made", [balanced_tree, chain_tree])
def test_pages_grow_in_proportion_to_their_trees(made: Any) -> None:
    small, large = (len(export_html(made(n))) - len(export_html(made(2))) for n in (1000, 4000))
    assert large < 5 * small
