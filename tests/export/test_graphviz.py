"""Trees in the DOT language, as Graphviz itself reads them."""

from __future__ import annotations

import shutil
import subprocess
from xml.etree import ElementTree

import pytest
from made_trees import HOSTILE, made_tree

from bsnsing import export_graphviz
from bsnsing.data.show import show_name
from tests.export.test_form import MODELS, mixed_table

needs_dot = pytest.mark.skipif(shutil.which("dot") is None, reason="Graphviz is not installed")


def drawn(text: str) -> ElementTree.Element:
    done = subprocess.run(
        ["dot", "-Tsvg"], input=text.encode(), capture_output=True, check=True, timeout=60
    )
    assert b"syntax" not in done.stderr
    return ElementTree.fromstring(done.stdout)


@needs_dot
def test_graphviz_draws_hostile_names_as_they_are() -> None:
    tree = made_tree(20, names=HOSTILE, levels=HOSTILE, classes=HOSTILE, most_questions=2)
    root = drawn(export_graphviz(tree, full_levels=True, title=HOSTILE[0], leaves="bottom"))
    nodes = [g for g in root.iter() if g.get("class") == "node"]
    assert len(nodes) == tree.n_nodes
    texts = [element.text or "" for element in root.iter()]
    assert show_name(HOSTILE[0]) in texts
    assert not any(element.tag.endswith("script") for element in root.iter())


@needs_dot
@pytest.mark.parametrize("name", MODELS)
def test_graphviz_draws_every_kind_of_model(name: str) -> None:
    table, labels = mixed_table()
    model = MODELS[name].fit(table, labels)
    root = drawn(export_graphviz(model, case=table.iloc[0], max_leaves=None))
    nodes = [g for g in root.iter() if g.get("class") == "node"]
    assert len(nodes) == sum(tree.n_nodes for tree in model.trees_)


def test_collapsed_subtrees_have_a_double_line() -> None:
    text = export_graphviz(made_tree(100))
    assert text.count("peripheries=2") == text.count('leaves below",') > 0
