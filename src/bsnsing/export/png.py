"""A tree as a PNG picture: the same drawing as the SVG, painted by Matplotlib's renderer.

Shapes of one colour are painted at once, and letters as outlines that are worked out once each: a
figure with a text object for every line takes many times as long.
"""

from __future__ import annotations

import math
import struct
import zlib
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bsnsing.export.boxes import TextLine
from bsnsing.export.glyphs import text_outline
from bsnsing.export.layout import Box, Layout, place_tree
from bsnsing.export.picture import tree_pictures
from bsnsing.export.picture_options import PictureOptions, read_options, tells_options
from bsnsing.export.plot import (
    BETWEEN,
    EDGE,
    GREY,
    INK,
    PAPER,
    PIXELS_PER_INCH,
    canvas_size,
    need_matplotlib,
    ribbon,
    rounded_box,
)

_MOST_PIXELS = 40e6
_LEVEL = 3  # of compression: more takes longer and gains little


@tells_options(PictureOptions)
def export_png(model: Any, *, dpi: float = 150.0, **options: Any) -> bytes:
    """Draw a tree as a PNG picture, through Matplotlib.

    Parameters
    ----------
    model : BsnsingClassifier, BsnsingClassifierCV, BsnsingEnsemble or Tree
        A fitted model, or a tree of it.
    dpi : float, default=150
        Dots per inch; fewer where the picture would have more than 40 million of them.
    **options
        What the picture shows, by keyword:

    Returns
    -------
    bytes
        The content of the file.
    """
    need_matplotlib("export_png")
    read = read_options("export_png", options)
    layouts = [place_tree(own) for own in tree_pictures(model, "export_png", read)]
    width, height = canvas_size(layouts)
    scale = min(dpi / PIXELS_PER_INCH, math.sqrt(_MOST_PIXELS / (width * height)))
    painter = _Painter(width * scale, height * scale, scale)
    top = 0.0
    for layout in layouts:
        _paint(painter, layout, top)
        top += layout.height + BETWEEN
    return painter.png(scale * PIXELS_PER_INCH)


class _Look(NamedTuple):
    """How shapes are painted that are painted together."""

    layer: int
    face: str | None
    edge: str | None = None
    width: float = 0.0
    alpha: float = 1.0


class _Painter:
    """Gathers shapes by their look, and paints them."""

    def __init__(self, width: float, height: float, scale: float) -> None:
        self.size = max(1, math.ceil(width)), max(1, math.ceil(height))
        self.scale = scale
        self._shapes: dict[_Look, list[tuple[NDArray[np.float64], NDArray[np.uint8]]]] = {}

    def polygon(self, look: _Look, points: NDArray[np.float64]) -> None:
        """Add a polygon."""
        codes = np.full(len(points) + 1, 2, dtype=np.uint8)
        codes[0], codes[-1] = 1, 79
        self.path(look, np.concatenate([points, points[:1]]), codes)

    def path(self, look: _Look, points: NDArray[np.float64], codes: NDArray[np.uint8]) -> None:
        """Add a shape of Matplotlib's kinds of points."""
        self._shapes.setdefault(look, []).append((points, codes))

    def text(self, line: TextLine, top: float, look: _Look) -> None:
        """Add a line of text."""
        points, codes, width = text_outline(line.text, line.size, bold=line.bold)
        left = line.x if line.anchor == "start" else line.x - width / 2
        self.path(look, points * np.array([1.0, -1.0]) + np.array([left, line.y + top]), codes)

    def png(self, dpi: float) -> bytes:
        """Paint all shapes, layer by layer, and return the file."""
        from matplotlib.backends.backend_agg import RendererAgg
        from matplotlib.colors import to_rgb
        from matplotlib.path import Path
        from matplotlib.transforms import Affine2D

        make: Any = RendererAgg  # which has no types
        renderer = make(*self.size, 72.0)
        # Up is up for a renderer, and down is for a layout.
        place = Affine2D().scale(self.scale, -self.scale).translate(0.0, self.size[1])
        paper = np.array([(0, 0), (1, 0), (1, 1), (0, 1)]) * np.array(self.size) / self.scale
        self.polygon(_Look(-1, PAPER), paper)
        for look in sorted(self._shapes, key=lambda look: look.layer):
            points, codes = zip(*self._shapes[look], strict=True)
            paint = renderer.new_gc()
            paint.set_alpha(look.alpha)
            paint.set_antialiased(True)
            paint.set_linewidth(look.width * self.scale)
            paint.set_foreground(look.edge or look.face or INK)
            face = None if look.face is None else (*to_rgb(look.face), look.alpha)
            path = Path(np.concatenate(points), np.concatenate(codes))
            renderer.draw_path(paint, path, place, face)
            paint.restore()
        return _png_file(np.asarray(renderer.buffer_rgba()), dpi)


def _png_file(pixels: NDArray[np.uint8], dpi: float) -> bytes:
    """Write pixels as a file; lines as they are, which suits large areas of one colour."""
    height, width = pixels.shape[:2]
    lines = np.zeros((height, 1 + 3 * width), dtype=np.uint8)
    for channel in range(3):
        lines[:, 1 + channel :: 3] = pixels[:, :, channel]
    per_metre = round(dpi / 0.0254)
    chunks = [
        (b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)),
        (b"pHYs", struct.pack(">IIB", per_metre, per_metre, 1)),
        (b"IDAT", zlib.compress(lines.data, _LEVEL)),
        (b"IEND", b""),
    ]
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
        for kind, data in chunks
    )


# Layers, from the ground up.
_EDGES, _LIT_EDGES, _ANSWER_GROUND, _PILES, _BOXES, _BARS, _TEXTS = range(7)


def _paint(painter: _Painter, layout: Layout, top: float) -> None:
    for link in layout.links:
        look = _Look(_LIT_EDGES, INK) if link.is_lit else _Look(_EDGES, EDGE)
        painter.polygon(look, ribbon(link, top))
        painter.polygon(_Look(_ANSWER_GROUND, PAPER, alpha=0.75), _ground(link.answer, top))
        painter.text(link.answer, top, _Look(_TEXTS, GREY))
    for box in layout.boxes:
        _paint_box(painter, layout, box, top)
    for line in layout.texts:
        painter.text(line, top, _Look(_TEXTS, INK))
    for swatch in layout.legend:
        look = _Look(_BARS, layout.colours[swatch.best].strong)
        painter.polygon(look, _rectangle(swatch.x, swatch.y + top, swatch.size, swatch.size))
        painter.text(swatch.text, top, _Look(_TEXTS, INK))


def _paint_box(painter: _Painter, layout: Layout, box: Box, top: float) -> None:
    colour = layout.colours[box.best]
    is_rule = box.kind == "rule"
    alpha = 0.5 if layout.has_path and not box.is_lit else 1.0
    look = _Look(
        _BOXES,
        "#F6F8FA" if is_rule else colour.fill,
        INK if box.is_lit else "#AAB4BF" if is_rule else colour.strong,
        2.5 if box.is_lit else 1.2,
        alpha,
    )
    if box.kind == "collapsed":  # a pile of cards
        painter.path(look._replace(layer=_PILES), *rounded_box(box, top, 4.0))
    painter.path(look, *rounded_box(box, top))
    for line in box.lines:
        is_small = line.role in ("detail", "note")
        painter.text(line, top, _Look(_TEXTS, GREY if is_small else INK, alpha=alpha))
    left, y, width, height = box.bar
    for k, start, end in box.shares:
        own = _rectangle(left + start * width, y + top, (end - start) * width, height)
        painter.polygon(_Look(_BARS, layout.colours[k].strong), own)


def _ground(line: TextLine, top: float) -> NDArray[np.float64]:
    return _rectangle(
        line.left - 1.0, line.y + top - 0.8 * line.size, line.width + 2.0, line.size + 1.0
    )


def _rectangle(x: float, y: float, width: float, height: float) -> NDArray[np.float64]:
    return np.array([(x, y), (x + width, y), (x + width, y + height), (x, y + height)])
