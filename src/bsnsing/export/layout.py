"""Where everything in the picture of a tree is: computed once, from a tree and nothing else.

All pictures are drawn from a :class:`Layout`. Units are pixels of SVG, and y grows downwards.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from bsnsing.export.palette import ClassColour
from bsnsing.export.picture import NodeWords, TreePicture
from bsnsing.export.text_width import cuts_words, shorten, text_width, wrap
from bsnsing.export.tidy import tidy_positions
from bsnsing.tree.text import about_proofs

# Font sizes, and from baseline to baseline as a multiple of them.
TEXT, SMALL, HEADING = 12.0, 10.5, 15.0
LEADING = 1.28
MARGIN = 16.0
# Between neighbours, and from row to row.
_GAP, _ROW_GAP = 14.0, 46.0
_PADDING = 8.0
_BAR = 5.0  # height of the bar of class shares
# Widths that text wraps at: the first in which a node has few lines and whole words, or the last.
_RULE_WIDTHS = (216.0, 270.0, 380.0)
_LEAF_WIDTHS = (124.0, 150.0, 220.0)
_FEW_LINES, _MOST_LINES = 6, 16
# With many leaves the picture is wide, and narrower nodes are worth another line.
_MANY_LEAVES, _NARROWER = 20, 0.72
_LEAST_WIDTH = 52.0
_WIDEST_LINK, _THINNEST_LINK = 14.0, 1.0
_STEM = 10.0  # kept free around the edge of a leaf that hangs at the bottom
# Classes that the legend names at most, and the room for each name.
_MOST_NAMED, _NAME_WIDTH = 12, 320.0

Role = Literal["rule", "label", "detail", "note", "answer", "title", "legend", "caption"]


@dataclass(frozen=True, slots=True)
class TextLine:
    """One line of text; ``x`` is its middle, or its start where ``anchor`` says so."""

    text: str
    x: float
    y: float  # of the baseline
    size: float
    role: Role
    width: float
    anchor: Literal["start", "middle"] = "middle"

    @property
    def bold(self) -> bool:
        """Whether the line is printed bold."""
        return self.role in _BOLD_ROLES

    @property
    def left(self) -> float:
        """Where the line begins."""
        return self.x if self.anchor == "start" else self.x - self.width / 2


_BOLD_ROLES = ("label", "title")


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
        inset = _PADDING
        return (
            self.x + inset,
            self.y + self.height - _BAR - 5.0,
            self.width - 2 * inset,
            _BAR,
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


@dataclass(frozen=True, slots=True)
class _Sized:
    """The lines of a node before it is placed; x and y are from the box's top middle."""

    lines: tuple[TextLine, ...]
    width: float
    height: float


def place_tree(picture: TreePicture) -> Layout:
    """Place all nodes, edges and lines of text of one tree. Linear in the drawn nodes."""
    nodes = picture.nodes
    n_ends = sum(words.yes < 0 for words in nodes)
    squeeze = _NARROWER if n_ends > _MANY_LEAVES else 1.0
    sized = [_size(words, squeeze) for words in nodes]
    rows = _rows_of(nodes, picture.options.leaves)
    n_rows = max(rows) + 1
    heights = [0.0] * n_rows
    for own, row in zip(sized, rows, strict=True):
        heights[row] = max(heights[row], own.height)
    middle = tidy_positions(
        [words.yes for words in nodes],
        [words.no for words in nodes],
        [own.width / 2 for own in sized],
        [own.width / 2 for own in sized],
        gap=_GAP,
        hanging_rows=[row - words.depth for row, words in zip(rows, nodes, strict=True)],
        stem=_STEM,
    )
    tree_width = max(x + own.width / 2 for x, own in zip(middle, sized, strict=True))
    head = _head(picture, tree_width)
    width = max(tree_width, head.width) + 2 * MARGIN
    left = (width - tree_width) / 2
    tops = [head.height + MARGIN]
    for height in heights:
        tops.append(tops[-1] + height + _ROW_GAP)
    boxes = tuple(
        _box(words, own, left + x, tops[row], words.node in picture.lit)
        for words, own, x, row in zip(nodes, sized, middle, rows, strict=True)
    )
    bottom = tops[n_rows] - _ROW_GAP + MARGIN
    caption = _caption(picture, width, bottom)
    return Layout(
        number=picture.number,
        title=picture.title,
        about=_about(picture),
        width=width,
        height=bottom + sum(line.size * LEADING for line in caption),
        boxes=boxes,
        links=tuple(_links(nodes, boxes, tops, heights)),
        texts=(*head.texts, *caption),
        legend=head.legend,
        colours=picture.colours,
        labels=picture.labels,
        has_path=bool(picture.lit),
    )


def _rows_of(nodes: tuple[NodeWords, ...], leaves: str) -> list[int]:
    deepest = max(words.depth for words in nodes)
    at_bottom = leaves == "bottom"
    return [deepest if at_bottom and words.yes < 0 else words.depth for words in nodes]


# --- From words to lines in a box ---


def _size(words: NodeWords, squeeze: float) -> _Sized:
    widths = _RULE_WIDTHS if words.kind == "rule" else _LEAF_WIDTHS
    for width in widths:
        lines = _wrapped(words, width * squeeze)
        if len(lines) <= _FEW_LINES and not _cuts_words(words, width * squeeze):
            break
    placed, y = [], _PADDING
    for text, role in lines:
        size = TEXT if role in ("rule", "label") else SMALL
        y += size * LEADING
        wide = text_width(text, size, bold=role in _BOLD_ROLES)
        placed.append(TextLine(text, 0.0, y - size * (LEADING - 0.95), size, role, wide))
    broad = max(_LEAST_WIDTH, max(line.width for line in placed) + 2 * _PADDING)
    return _Sized(tuple(placed), broad, y + _PADDING + _BAR + 2.0)


def _cuts_words(words: NodeWords, width: float) -> bool:
    return cuts_words(words.label, width, TEXT, bold=True) or any(
        cuts_words(question, width, TEXT) for question in words.questions
    )


def _wrapped(words: NodeWords, width: float) -> list[tuple[str, Role]]:
    lines: list[tuple[str, Role]] = []
    for question in words.questions:
        lines += [(line, "rule") for line in wrap(question, width, TEXT)]
    if len(lines) > _MOST_LINES:
        kept = shorten([text for text, _ in lines], _MOST_LINES, width, TEXT)
        lines = [(text, "rule") for text in kept]
    if words.label:
        wrapped = wrap(words.label, width, TEXT, bold=True)
        lines += [(line, "label") for line in _ends_kept(wrapped)]
    for detail in words.details:
        lines += [(line, "detail") for line in _ends_kept(wrap(detail, width, SMALL))]
    for note in words.notes:
        lines += [(line, "note") for line in wrap(note, width, SMALL)]
    return [(words.number, "note"), *lines] if words.number else lines


def _ends_kept(lines: list[str], most: int = 4) -> list[str]:
    """Leave out the middle of a long label: its number comes last."""
    return lines if len(lines) <= most else [*lines[: most - 2], "\u2026", lines[-1]]


def _box(words: NodeWords, own: _Sized, x: float, y: float, is_lit: bool) -> Box:
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


def _links(
    nodes: tuple[NodeWords, ...],
    boxes: tuple[Box, ...],
    tops: list[float],
    heights: list[float],
) -> list[Link]:
    links = []
    all_cases = nodes[0].cases or 1.0
    for words, box in zip(nodes, boxes, strict=True):
        if words.yes < 0:
            continue
        turn = tops[words.depth] + heights[words.depth]
        land = tops[words.depth + 1]
        children = [(words.yes, True), (words.no, False)]
        widths = [
            max(_THINNEST_LINK, _WIDEST_LINK * nodes[child].cases / all_cases)
            for child, _ in children
        ]
        # Side by side where they leave, as wide together as what came in.
        middle, whole = box.x + box.width / 2, sum(widths)
        starts = [middle - whole / 2 + widths[0] / 2, middle + whole / 2 - widths[1] / 2]
        for (child, is_yes), width, start in zip(children, widths, starts, strict=True):
            to = boxes[child]
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
                    width=width,
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
