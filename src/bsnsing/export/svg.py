"""A tree as a picture that every browser shows: SVG, written without any library."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import Any

from bsnsing.export.boxes import TextLine
from bsnsing.export.layout import Box, Layout, Link, place_tree
from bsnsing.export.palette import mix
from bsnsing.export.picture import tree_pictures
from bsnsing.export.picture_options import PictureOptions, read_options, tells_options

FONTS = "'Segoe UI', Roboto, 'Helvetica Neue', Arial, 'Liberation Sans', 'DejaVu Sans', sans-serif"
_BETWEEN = 24.0  # from one tree to the next
# Attributes hold the light colours, for programs that know no style sheets; these are the rest.
# All names begin with bsnsing, as the picture may stand in somebody's page.
STYLE = """
.bsnsing-tree { font-family: FONTS; }
.bsnsing-tree .label, .bsnsing-tree .title { font-weight: 600; }
.bsnsing-tree .answer { paint-order: stroke; stroke-width: 3px; stroke-linejoin: round; }
.bsnsing-tree .edge { fill: none; }
.bsnsing-tree.has-path .node:not(.lit), .bsnsing-tree.has-path .answer:not(.lit) { opacity: .45; }
.bsnsing-tree .node.lit .box { stroke-width: 2.5px; }
@media (prefers-color-scheme: dark) {
.bsnsing-tree .paper { fill: #14181D; }
.bsnsing-tree .edge { stroke: #4A5561; }
.bsnsing-tree .edge.lit { stroke: #E8EDF2; }
.bsnsing-tree .answer { fill: #C6CFD8; stroke: #14181D; }
.bsnsing-tree .title, .bsnsing-tree .legend, .bsnsing-tree .caption { fill: #E8EDF2; }
.bsnsing-tree .node.rule .box { fill: #20272F; stroke: #55616E; }
.bsnsing-tree .node.rule text { fill: #E8EDF2; }
.bsnsing-tree .node.rule .detail, .bsnsing-tree .node.rule .note { fill: #AEB9C4; }
.bsnsing-tree .node.lit .box { stroke: #E8EDF2; }
}
""".replace("FONTS", FONTS)
_INK, _GREY, _PAPER = "#16202A", "#4D5965", "#FFFFFF"
_EDGE, _LIT_EDGE = "#C5CDD6", "#16202A"


@tells_options(PictureOptions)
def export_svg(model: Any, **options: Any) -> str:
    """Draw a tree as SVG: a picture for pages, reports and slides that needs no library.

    Each node is a group of class ``node`` with the attributes ``data-tree`` and ``data-node``,
    each edge a path of class ``edge`` with ``data-from`` and ``data-to``, so that a script can
    find them. Yes is to the left. Light and dark follow the reader's system.

    Parameters
    ----------
    model : BsnsingClassifier, BsnsingClassifierCV, BsnsingEnsemble or Tree
        A fitted model, or a tree of it. Several trees are drawn below each other.
    **options
        What the picture shows, by keyword:

    Returns
    -------
    str
        The picture.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from bsnsing import BsnsingClassifier
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> picture = export_svg(BsnsingClassifier.plain().fit(X, y), shows="probabilities")
    >>> picture.startswith("<svg ")
    True
    """
    read = read_options("export_svg", options)
    return draw_svg([place_tree(own) for own in tree_pictures(model, "export_svg", read)])


def draw_svg(
    layouts: Sequence[Layout],
    *,
    with_style: bool = True,
    css_class: str = "",
    scale: float = 1.0,
    is_fluid: bool = False,
) -> str:
    """Write placed trees as one picture, below each other.

    Parameters
    ----------
    layouts : sequence of Layout
        The trees.
    with_style : bool, default=True
        Whether the style sheet is part of it. A page of several pictures has :data:`STYLE` once.
    css_class : str, default=""
        Further classes of the ``svg`` element.
    scale : float, default=1.0
        Size of the picture on the page.
    is_fluid : bool, default=False
        Whether it shrinks with the page, to two thirds at most: less could not be read.
    """
    width = max(layout.width for layout in layouts)
    height = sum(layout.height for layout in layouts) + _BETWEEN * (len(layouts) - 1)
    has_path = any(layout.has_path for layout in layouts)
    classes = " ".join(filter(None, ["bsnsing-tree", "has-path" if has_path else "", css_class]))
    least = f"max-width:100%;height:auto;min-width:{_n(width * scale / 1.5)}px"
    fluid = f'style="{least}" ' if is_fluid else ""
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" class="{_attribute(classes)}" {fluid}'
        f'role="graphics-document document" width="{_n(width * scale)}" '
        f'height="{_n(height * scale)}" viewBox="0 0 {_n(width)} {_n(height)}" '
        f'font-family="{_attribute(FONTS)}">',
        f"<title>{_text(layouts[0].title or 'Decision tree')}</title>",
        f"<desc>{_text(layouts[0].about)}</desc>",
    ]
    if with_style:
        parts.append(f"<style>{STYLE}</style>")
    parts.append(f'<rect class="paper" width="{_n(width)}" height="{_n(height)}" fill="{_PAPER}"/>')
    top = 0.0
    for layout in layouts:
        parts.append(
            f'<g class="tree" data-tree="{layout.number}" transform="translate(0 {_n(top)})">'
        )
        parts += _tree_parts(layout)
        parts.append("</g>")
        top += layout.height + _BETWEEN
    parts.append("</svg>")
    return "\n".join(parts) + "\n"


def _tree_parts(layout: Layout) -> list[str]:
    number = layout.number
    parts = [_line(text, _GREY if text.role == "caption" else _INK) for text in layout.texts]
    for swatch in layout.legend:
        colour = layout.colours[swatch.best].strong
        parts.append(
            f'<rect x="{_n(swatch.x)}" y="{_n(swatch.y)}" width="{_n(swatch.size)}" '
            f'height="{_n(swatch.size)}" rx="2" fill="{colour}"/>' + _line(swatch.text, _INK)
        )
    # Lit edges last, so that they lie on top; answers above all edges.
    for link in sorted(layout.links, key=lambda link: link.is_lit):
        parts.append(_edge(link, number))
    parts += [_answer(link, number) for link in layout.links]
    parts += [_node(box, layout) for box in layout.boxes]
    return parts


def _edge(link: Link, tree: int) -> str:
    lit = " lit" if link.is_lit else ""
    half = (link.turn + link.land) / 2
    ending = f"V{_n(link.y1)}" if link.y1 > link.land else ""
    return (
        f'<path class="edge{lit}" data-tree="{tree}" data-from="{link.parent}" '
        f'data-to="{link.child}" data-answer="{"yes" if link.is_yes else "no"}" fill="none" '
        f'stroke="{_LIT_EDGE if link.is_lit else _EDGE}" stroke-width="{_n(link.width)}" '
        f'd="M{_n(link.x0)} {_n(link.y0)}V{_n(link.turn)}C{_n(link.x0)} {_n(half)} '
        f'{_n(link.x1)} {_n(half)} {_n(link.x1)} {_n(link.land)}{ending}"/>'
    )


def _answer(link: Link, tree: int) -> str:
    lit = " lit" if link.is_lit else ""
    line = link.answer
    return (
        f'<text class="answer{lit}" data-tree="{tree}" data-to="{link.child}" x="{_n(line.x)}" '
        f'y="{_n(line.y)}" font-size="{_n(line.size)}" text-anchor="middle" fill="{_GREY}" '
        f'stroke="{_PAPER}" stroke-width="3" paint-order="stroke">{line.text}</text>'
    )


def _node(box: Box, layout: Layout) -> str:
    colour = layout.colours[box.best]
    fill, stroke = ("#F6F8FA", "#AAB4BF") if box.kind == "rule" else (colour.fill, colour.strong)
    if box.is_lit:
        stroke = _INK
    rect = (
        f'width="{_n(box.width)}" height="{_n(box.height)}" '
        f'rx="{4 if box.kind == "rule" else 9}" fill="{fill}" stroke="{stroke}"'
    )
    parts = [
        f'<g class="node {box.kind}{" lit" if box.is_lit else ""}" data-tree="{layout.number}" '
        f'data-node="{box.node}" data-class="{box.best}" role="graphics-symbol img">'
        f"<title>{_text(box.title)}</title>"
    ]
    if box.kind == "collapsed":  # a pile of cards
        parts.append(f'<rect class="box" x="{_n(box.x + 4)}" y="{_n(box.y + 4)}" {rect}/>')
    width = 2.5 if box.is_lit else 1.2
    parts.append(
        f'<rect class="box" x="{_n(box.x)}" y="{_n(box.y)}" {rect} stroke-width="{width}"/>'
    )
    small = _GREY if box.kind == "rule" else mix(_INK, colour.fill, 0.85)
    parts += [_line(line, small if line.role in ("detail", "note") else _INK) for line in box.lines]
    left, top, width, height = box.bar
    parts += [
        f'<rect x="{_n(left + start * width)}" y="{_n(top)}" '
        f'width="{_n(max(0.4, (end - start) * width))}" height="{_n(height)}" '
        f'fill="{layout.colours[k].strong}"/>'
        for k, start, end in box.shares
    ]
    return "".join([*parts, "</g>"])


def _line(line: TextLine, colour: str) -> str:
    anchor = ' text-anchor="middle"' if line.anchor == "middle" else ""
    weight = ' font-weight="600"' if line.bold else ""
    return (
        f'<text class="{line.role}" x="{_n(line.x)}" y="{_n(line.y)}" '
        f'font-size="{_n(line.size)}"{anchor}{weight} fill="{colour}">{_text(line.text)}</text>'
    )


def _text(text: str) -> str:
    return escape(text, quote=False)


def _attribute(text: str) -> str:
    return escape(text, quote=True)


def _n(number: float) -> str:
    """Write a number as short as a tenth of a pixel allows."""
    return f"{number:.1f}".removesuffix(".0")
