"""Where everything in the picture of a tree is: computed once, from a tree and nothing else.

All pictures are drawn from a :class:`Layout`. Units are pixels of SVG, and y grows downwards.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from bsnsing.export.boxes import (
    BAR_FOOT,
    BAR_HEIGHT,
    HEADING,
    LEADING,
    PADDING,
    SMALL,
    SizedBox,
    TextLine,
    size_boxes,
)
from bsnsing.export.palette import ClassColour
from bsnsing.export.picture import NodeWords, TreePicture
from bsnsing.export.text_width import shorten, text_width, wrap
from bsnsing.export.tidy import tidy_positions
from bsnsing.tree.text import about_proofs

MARGIN = 16.0
# Between neighbours, and from row to row.
_GAP, _ROW_GAP = 14.0, 46.0
_WIDEST_LINK, _THINNEST_LINK = 14.0, 1.0
_STEM = 10.0  # kept free around the edge of a leaf that hangs at the bottom
# Classes that the legend names at most, and the room for each name.
_MOST_NAMED, _NAME_WIDTH = 12, 320.0


@dataclass(frozen=True, slots=True)
class Box:
    """One drawn node: a box with its lines of text, and a bar of class shares at its foot."""

    node: int
    kind: Literal["rule", "leaf", "collapsed"]
    x: float  # left
    y: float  # top
    width: float
    height: float
    best: int  # position of the class that the box is coloured by
    lines: tuple[TextLine, ...]
    shares: tuple[tuple[int, float, float], ...]  # class, and where its part of the bar is: 0 to 1
    title: str
    is_lit: bool

    @property
    def bar(self) -> tuple[float, float, float, float]:
        """Left, top, width and height of the bar."""
        inset = PADDING
        return (
            self.x + inset,
            self.y + self.height - BAR_HEIGHT - BAR_FOOT,
            self.width - 2 * inset,
            BAR_HEIGHT,
        )


@dataclass(frozen=True, slots=True)
class Link:
    """One edge: down from its node to ``turn``, over to the child's x at ``land``, and down."""

    parent: int
    child: int
    is_yes: bool
    x0: float
    y0: float
    turn: float
    land: float
    x1: float
    y1: float
    width: float
    answer: TextLine
    is_lit: bool


@dataclass(frozen=True, slots=True)
class Swatch:
    """One class in the legend."""

    best: int
    x: float
    y: float
    size: float
    text: TextLine


@dataclass(frozen=True, slots=True, eq=False)
class Layout:
    """One tree, placed on a canvas of its own."""

    number: int  # of the tree in its model
    title: str
    about: str  # the tree in a sentence, for who does not see it
    width: float
    height: float
    boxes: tuple[Box, ...]  # parents before children
    links: tuple[Link, ...]
    texts: tuple[TextLine, ...]  # title and caption
    legend: tuple[Swatch, ...]
    colours: tuple[ClassColour, ...]  # by position of the class
    labels: tuple[str, ...]
    has_path: bool  # whether some nodes are lit, and the others are to step back


def place_tree(picture: TreePicture) -> Layout:
    """Place all nodes, edges and lines of text of one tree. Linear in the drawn nodes."""
    nodes = picture.nodes
    sized = size_boxes(nodes)
    places = place_nodes(nodes, sized, picture.options.leaves)
    head = _head(picture, places.width)
    width = max(places.width, head.width) + 2 * MARGIN
    left, top = (width - places.width) / 2, head.height + MARGIN
    tops = [top + own for own in places.tops]
    boxes = tuple(
        _box(words, own, left + x, tops[row], words.node in picture.lit)
        for words, own, x, row in zip(nodes, sized, places.middle, places.rows, strict=True)
    )
    bottom = tops[-1] + places.heights[-1] + MARGIN
    caption = _caption(picture, width, bottom)
    return Layout(
        number=picture.number,
        title=picture.title,
        about=_about(picture),
        width=width,
        height=bottom + sum(line.size * LEADING for line in caption),
        boxes=boxes,
        links=tuple(_links(nodes, boxes, tops, places.heights)),
        texts=(*head.texts, *caption),
        legend=head.legend,
        colours=picture.colours,
        labels=picture.labels,
        has_path=bool(picture.lit),
    )


@dataclass(frozen=True, slots=True)
class Places:
    """Where the boxes of a tree go: the middle of each in x, and rows from the top down."""

    middle: list[float]
    rows: list[int]
    tops: list[float]  # of each row
    heights: list[float]
    width: float


def place_nodes(
    nodes: Sequence[NodeWords], sized: Sequence[SizedBox], leaves: str = "depth"
) -> Places:
    """Place sized boxes, parents before children; the first is the top, whatever its depth."""
    rows = _rows_of(nodes, leaves)
    heights = [0.0] * (max(rows) + 1)
    for own, row in zip(sized, rows, strict=True):
        heights[row] = max(heights[row], own.height)
    halves = [own.width / 2 for own in sized]
    middle = tidy_positions(
        [words.yes for words in nodes],
        [words.no for words in nodes],
        halves,
        halves,
        gap=_GAP,
        hanging_rows=[
            row - (words.depth - nodes[0].depth) for row, words in zip(rows, nodes, strict=True)
        ],
        stem=_STEM,
    )
    tops = [0.0]
    for height in heights[:-1]:
        tops.append(tops[-1] + height + _ROW_GAP)
    width = max(x + half for x, half in zip(middle, halves, strict=True))
    return Places(middle, rows, tops, heights, width)


def _rows_of(nodes: Sequence[NodeWords], leaves: str) -> list[int]:
    depths = [words.depth - nodes[0].depth for words in nodes]
    if leaves != "bottom":
        return depths
    deepest = max(depths)
    return [deepest if words.yes < 0 else own for words, own in zip(nodes, depths, strict=True)]


# --- Boxes ---


def _box(words: NodeWords, own: SizedBox, x: float, y: float, is_lit: bool) -> Box:
    parts, start = [], 0.0
    total = sum(words.shares) or 1.0
    for k, share in enumerate(words.shares):
        if share / total >= 0.002:  # less is not to be seen
            parts.append((k, start, start + share / total))
        start += share / total
    return Box(
        node=words.node,
        kind=words.kind,
        x=x - own.width / 2,
        y=y,
        width=own.width,
        height=own.height,
        best=words.best,
        lines=tuple(
            TextLine(line.text, x, y + line.y, line.size, line.role, line.width)
            for line in own.lines
        ),
        shares=tuple(parts),
        title=words.title,
        is_lit=is_lit,
    )


# --- Edges ---


def link_starts(nodes: Sequence[NodeWords]) -> tuple[list[float], list[float]]:
    """Return the width of the edge to each node, and how far from its parent's middle it leaves.

    Two edges leave side by side, as wide together as what came in.
    """
    all_cases = nodes[0].cases or 1.0
    widths = [max(_THINNEST_LINK, _WIDEST_LINK * words.cases / all_cases) for words in nodes]
    starts = [0.0] * len(nodes)
    for words in nodes:
        if words.yes >= 0:
            starts[words.yes] = -widths[words.no] / 2
            starts[words.no] = widths[words.yes] / 2
    return widths, starts


def _links(
    nodes: tuple[NodeWords, ...],
    boxes: tuple[Box, ...],
    tops: list[float],
    heights: list[float],
) -> list[Link]:
    links = []
    widths, starts = link_starts(nodes)
    for words, box in zip(nodes, boxes, strict=True):
        if words.yes < 0:
            continue
        turn = tops[words.depth] + heights[words.depth]
        land = tops[words.depth + 1]
        middle = box.x + box.width / 2
        for child, is_yes in ((words.yes, True), (words.no, False)):
            to, start = boxes[child], middle + starts[child]
            end = to.x + to.width / 2
            text = "yes" if is_yes else "no"
            at = (start + end) / 2
            y = (turn + land) / 2 + SMALL * 0.35
            links.append(
                Link(
                    parent=words.node,
                    child=to.node,
                    is_yes=is_yes,
                    x0=start,
                    y0=box.y + box.height,
                    turn=turn,
                    land=land,
                    x1=end,
                    y1=to.y,
                    width=widths[child],
                    answer=TextLine(text, at, y, SMALL, "answer", text_width(text, SMALL)),
                    is_lit=box.is_lit and to.is_lit,
                )
            )
    return links


# --- Title, legend, caption ---


@dataclass(frozen=True, slots=True)
class _Head:
    width: float
    height: float
    texts: tuple[TextLine, ...]
    legend: tuple[Swatch, ...]


def _head(picture: TreePicture, tree_width: float) -> _Head:
    room = max(tree_width, 240.0)
    y, widest, texts = 0.0, 0.0, []
    for heading in wrap(picture.title, room, HEADING, bold=True) if picture.title else []:
        y += HEADING * LEADING
        wide = text_width(heading, HEADING, bold=True)
        widest = max(widest, wide)
        texts.append(TextLine(heading, MARGIN, MARGIN + y - 5.0, HEADING, "title", wide, "start"))
    swatches, x, side = [], 0.0, 10.0
    y += 4.0 if texts else 0.0
    row = SMALL * 1.6
    named = _named_classes(picture)
    for k in named:
        lines = wrap(picture.labels[k], _NAME_WIDTH, SMALL)
        text = shorten(lines, 1, _NAME_WIDTH, SMALL)[0]
        wide = side + 5.0 + text_width(text, SMALL)
        if x > 0 and x + wide > room:
            x, y = 0.0, y + row
        at = MARGIN + y
        line = TextLine(
            text, MARGIN + x + side + 5.0, at + 9.0, SMALL, "legend", wide - side - 5.0, "start"
        )
        swatches.append(Swatch(k, MARGIN + x, at, side, line))
        x += wide + 14.0
        widest = max(widest, x - 14.0)
    if len(named) < len(picture.labels):
        more = f"and {len(picture.labels) - len(named)} more"
        wide = text_width(more, SMALL)
        texts.append(TextLine(more, MARGIN + x, MARGIN + y + 9.0, SMALL, "legend", wide, "start"))
        widest = max(widest, x + wide)
    height = y + (row + 8.0 if swatches else 0.0)
    return _Head(widest, height, tuple(texts), tuple(swatches))


def _named_classes(picture: TreePicture) -> list[int]:
    """The classes that some box is coloured by, the most frequent first where there are many."""
    cases: dict[int, float] = {}
    for words in picture.nodes:
        if words.yes < 0:
            cases[words.best] = cases.get(words.best, 0.0) + words.cases
    if len(picture.labels) <= _MOST_NAMED:
        return list(range(len(picture.labels)))
    kept = sorted(cases, key=lambda k: (-cases[k], k))[:_MOST_NAMED]
    return sorted(kept)


def _caption(picture: TreePicture, width: float, y: float) -> tuple[TextLine, ...]:
    if not (picture.options.show_proof and picture.tree.is_taught and picture.tree.n_nodes > 1):
        return ()
    lines = wrap(about_proofs(picture.tree), width - 2 * MARGIN, SMALL)
    return tuple(
        TextLine(
            line,
            MARGIN,
            y + i * SMALL * LEADING,
            SMALL,
            "caption",
            text_width(line, SMALL),
            "start",
        )
        for i, line in enumerate(lines)
    )


def _about(picture: TreePicture) -> str:
    tree = picture.tree
    n_drawn = sum(words.yes < 0 for words in picture.nodes)
    leaves = f"{tree.n_leaves} leaves" if tree.n_leaves > 1 else "1 leaf"
    drawn = f", {n_drawn} drawn" if n_drawn < tree.n_leaves else ""
    classes = ", ".join(picture.labels[:_MOST_NAMED])
    more = ", ..." if len(picture.labels) > _MOST_NAMED else ""
    proofs = f" {about_proofs(tree)}" if tree.is_taught and tree.n_nodes > 1 else ""
    return f"Decision tree of {leaves}{drawn}. Classes: {classes}{more}.{proofs}"
