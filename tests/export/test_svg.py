"""Pictures as SVG: well-formed, harmless and addressable, for any names and any size."""

from __future__ import annotations

import re
from typing import Any
from xml.etree import ElementTree

import pytest
from made_trees import HOSTILE, made_tree

from bsnsing import export_svg
from bsnsing.data.show import show_name
from bsnsing.export.direction import MARK
from bsnsing.export.layout import place_tree
from bsnsing.export.picture import tree_pictures
from bsnsing.export.picture_options import PictureOptions
from bsnsing.export.registry import export
from bsnsing.export.svg import draw_svg
from tests.export.test_form import MODELS, mixed_table

SPACE = "{http://www.w3.org/2000/svg}"


def read(picture: str) -> ElementTree.Element:
    return ElementTree.fromstring(picture)


def nodes_of(root: ElementTree.Element) -> list[ElementTree.Element]:
    return [g for g in root.iter(f"{SPACE}g") if "node" in g.get("class", "").split()]


def test_hostile_names_are_shown_and_do_nothing() -> None:
    tree = made_tree(30, names=HOSTILE, levels=HOSTILE, classes=HOSTILE, most_questions=2)
    picture = export_svg(
        tree, full_levels=True, shows=["counts", "probabilities"], title=HOSTILE[0]
    )
    root = read(picture)
    assert {e.tag.removeprefix(SPACE) for e in root.iter()} <= {
        *("svg", "g", "rect", "path", "text", "title", "desc", "style")
    }
    attributes = {name for e in root.iter() for name in e.attrib}
    assert not any(name.startswith("on") or "href" in name for name in attributes)
    texts = [e.text or "" for e in root.iter() if e.tag != f"{SPACE}style"]
    shown = [text.replace(MARK, "") for text in texts]  # marks of our own are not seen
    assert all(text.isprintable() or not text.strip() for text in shown)
    assert show_name(HOSTILE[0]) in texts  # the heading, as it was given
    assert "\u202e" not in picture


def test_nodes_and_edges_can_be_found_by_their_numbers() -> None:
    tree = made_tree(12)
    root = read(export_svg(tree))
    nodes = nodes_of(root)
    assert [int(g.get("data-node", "")) for g in nodes] == list(range(tree.n_nodes))
    assert all(g.get("data-tree") == "0" for g in nodes)
    assert all(g.find(f"{SPACE}title") is not None for g in nodes)
    edges = [p for p in root.iter(f"{SPACE}path") if "edge" in p.get("class", "").split()]
    children = {
        (int(p.get("data-from", "")), p.get("data-answer")): int(p.get("data-to", ""))
        for p in edges
    }
    for i in range(tree.n_nodes):
        if tree.children_left[i] >= 0:
            assert children[i, "yes"] == tree.children_left[i]
            assert children[i, "no"] == tree.children_right[i]


@pytest.mark.parametrize("name", MODELS)
def test_every_kind_of_model_is_drawn_tree_by_tree(name: str) -> None:
    table, labels = mixed_table()
    model = MODELS[name].fit(table, labels)
    root = read(export_svg(model, case=table.iloc[0], event=2))
    drawn = [g for g in root.iter(f"{SPACE}g") if g.get("class") == "tree"]
    assert len(drawn) == len(model.trees_)
    assert sum("lit" in g.get("class", "").split() for g in nodes_of(root)) >= len(drawn)


def test_a_class_has_the_same_colour_in_every_tree_of_a_model() -> None:
    table, labels = mixed_table()
    model = MODELS["ovr"].fit(table, labels)
    own = tree_pictures(model, "test", PictureOptions())
    strong = [picture.colours[1].strong for picture in own]
    assert len(set(strong)) == 3
    assert len({picture.colours[0].strong for picture in own}) == 1  # all that is not the class
    native = tree_pictures(MODELS["plain"].fit(table, labels), "test", PictureOptions())[0]
    assert [colour.strong for colour in native.colours] == strong


def test_a_tree_of_5000_leaves_is_a_small_picture_and_all_of_it_a_linear_one() -> None:
    large = made_tree(5000, most_questions=1)
    assert len(export_svg(large)) < 300_000
    sizes = [len(export_svg(made_tree(n, most_questions=1), max_leaves=None)) for n in (2500, 5000)]
    assert 1.8 < sizes[1] / sizes[0] < 2.2
    assert sizes[1] < 15_000_000


def test_a_page_may_have_the_style_once() -> None:
    layouts = [place_tree(p) for p in tree_pictures(made_tree(3), "test", PictureOptions())]
    assert "<style>" not in draw_svg(layouts, with_style=False)
    assert "style" not in read(draw_svg(layouts)).attrib
    assert "max-width:100%" in read(draw_svg(layouts, is_fluid=True)).get("style", "")
    half = draw_svg(layouts, scale=0.5, css_class='a"b')
    assert read(half).get("class") == 'bsnsing-tree a"b'
    width = float(re.findall(r'width="([\d.]+)"', draw_svg(layouts))[0])
    assert float(read(half).get("width", "")) == pytest.approx(width / 2, abs=0.1)


def test_a_picture_is_written_to_a_file(tmp_path: Any) -> None:
    export(made_tree(4), tmp_path / "tree.svg", max_depth=1)
    assert len(nodes_of(read((tmp_path / "tree.svg").read_text(encoding="utf-8")))) == 3
