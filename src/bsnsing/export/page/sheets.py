"""Where everything in the page's pictures is: placed here, once, and only drawn by the page.

A tree of many leaves has several sheets, so that each can be read: the first shows the nodes of
most cases, and each node that is closed there has a sheet of its own, with the way from above. The
last shows the whole tree.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from bsnsing.export.boxes import BAR_FOOT, BAR_HEIGHT, PADDING, SMALL, SizedBox, size_boxes
from bsnsing.export.layout import link_starts, place_nodes
from bsnsing.export.picture import NodeWords, TreePicture, largest_first, leaves_below

# Leaves of a tree, or of a part of it, that fit on one sheet; ends of a sheet where there are more.
_MOST_LEAVES, _MOST_ENDS = 30, 16
# Nodes above a sheet's own that are drawn for the way there, each with its other child.
_MOST_ABOVE = 10
_ROLES = ("rule", "label", "detail", "note")

# What the page draws by, in the measure of all pictures.
MEASURES = {"padding": PADDING, "bar": BAR_HEIGHT, "foot": BAR_FOOT, "small": SMALL}


def picture_data(picture: TreePicture) -> dict[str, Any]:
    """Return the boxes, edges and sheets of a tree whose nodes are all in the picture."""
    sized = size_boxes(picture.nodes)
    widths, starts = link_starts(picture.nodes)
    return {
        "boxes": [_box_data(own) for own in sized],
        "links": [
            [_short(width), _short(start)] for width, start in zip(widths, starts, strict=True)
        ],
        "sheets": [
            _sheet_data(picture.nodes, sized, root, nodes) for root, nodes in _sheets(picture)
        ],
    }


def _box_data(own: SizedBox) -> list[Any]:
    lines = [[line.text, _short(line.y), _ROLES.index(line.role)] for line in own.lines]
    return [_short(own.width), _short(own.height), lines]


def _sheets(picture: TreePicture) -> Iterator[tuple[int, list[int] | None]]:
    """The nodes of each sheet, and which of them it is about; None where all nodes are on it."""
    below = leaves_below(picture.tree)
    if below[0] > _MOST_LEAVES:
        cases = [words.cases for words in picture.nodes]
        left, right = ([w.yes for w in picture.nodes], [w.no for w in picture.nodes])
        parent = [-1] * len(left)
        for node, words in enumerate(picture.nodes):
            if words.yes >= 0:
                parent[words.yes] = parent[words.no] = node
        waiting = deque([0])
        while waiting:
            root = waiting.popleft()
            most = below[root] if below[root] <= _MOST_LEAVES else _MOST_ENDS
            own = set(largest_first(cases, left, right, most, root=root))
            waiting += sorted(node for node in own if left[node] >= 0 and left[node] not in own)
            yield root, sorted(own.union(_around(root, parent, left, right)))
    yield 0, None


def _around(root: int, parent: list[int], left: list[int], right: list[int]) -> Iterator[int]:
    """The nodes above one, and what else they lead to."""
    for _ in range(_MOST_ABOVE):
        root = parent[root]
        if root < 0:
            return
        yield from (root, left[root], right[root])


def _sheet_data(
    words: Sequence[NodeWords], sized: Sequence[SizedBox], root: int, nodes: list[int] | None
) -> dict[str, Any]:
    if nodes is not None:
        place = {node: i for i, node in enumerate(nodes)}
        words = [
            replace(words[v], yes=place.get(words[v].yes, -1), no=place.get(words[v].no, -1))
            for v in nodes
        ]
        sized = [sized[v] for v in nodes]
    places = place_nodes(words, sized)
    return {
        "root": root,
        "nodes": nodes,
        "x": [_short(x) for x in places.middle],
        "tops": [_short(top) for top in places.tops],
        "heights": [_short(height) for height in places.heights],
    }


def _short(number: float) -> float | int:
    """A tenth of a pixel is enough."""
    near = round(number, 1)
    return int(near) if near == int(near) else near
