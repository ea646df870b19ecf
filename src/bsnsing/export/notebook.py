"""What a notebook shows of a model: its trees as a small picture in the page."""

from __future__ import annotations

from html import escape
from typing import Any

from bsnsing.export.layout import place_tree
from bsnsing.export.picture import tree_pictures
from bsnsing.export.picture_options import PictureOptions
from bsnsing.export.svg import draw_svg
from bsnsing.tree.tree import Tree

_MOST_LEAVES = 24
_MOST_TREES = 9
_SCALE = 0.8
_MOST_HEIGHT = "50em"  # of several trees, which are scrolled


def notebook_picture(model: Any) -> str:
    """Return the trees of a fitted model, or a Tree, as a piece of HTML.

    Large trees are drawn down to their largest subtrees, and of many trees the first few.
    """
    options = PictureOptions(max_leaves=_MOST_LEAVES)
    # Before they are put into words: a forest may have hundreds.
    trees = None if isinstance(model, Tree) else model.trees_
    pictures = tree_pictures(model, "display", options, most=_MOST_TREES)
    layouts = [place_tree(picture) for picture in pictures]
    drawing = draw_svg(layouts, scale=_SCALE, is_fluid=True)
    n_more = 0 if trees is None else max(0, len(trees) - len(pictures))
    more = f"<p>and {n_more} more trees; export_svg(model) draws them all</p>" if n_more else ""
    height = f";max-height:{_MOST_HEIGHT}" if len(pictures) > 1 else ""
    style = f"overflow:auto;flex:1 1 24em;min-width:0{height}"
    return f'<div class="bsnsing-picture" style="{style}">{drawing}{more}</div>'


def beside(table: str, picture: str) -> str:
    """Put a picture beside a table, or below it where the page is narrow."""
    return (
        '<div style="display:flex;flex-wrap:wrap;gap:1em;align-items:flex-start">'
        f'<div style="flex:none;max-width:100%">{table}</div>{picture}</div>'
    )


def plain_text(text: str) -> str:
    """Return text as HTML that shows it as it is."""
    return f"<pre>{escape(text)}</pre>"


def tree_html(tree: Tree) -> str:
    """Return what a notebook shows of a tree alone; a cell must not fail for want of a picture."""
    try:
        return notebook_picture(tree)
    except Exception:
        return plain_text(object.__repr__(tree))
