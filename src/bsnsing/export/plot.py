"""A tree as a Matplotlib picture: the same drawing as the SVG, to be put beside other plots."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from bsnsing.export.boxes import TextLine
from bsnsing.export.layout import Box, Layout, Link, place_tree
from bsnsing.export.picture import tree_pictures
from bsnsing.export.picture_options import PictureOptions, read_options, tells_options

if TYPE_CHECKING:
    from matplotlib.axes import Axes

PIXELS_PER_INCH = 96.0  # of the layout's units
_WIDEST_FIGURE = 60.0  # inches; beyond, the drawing is scaled down
BETWEEN = 24.0
INK, GREY, PAPER, EDGE = "#16202A", "#4D5965", "#FFFFFF", "#C5CDD6"
_CURVE = np.linspace(0.0, 1.0, 25)


def need_matplotlib(caller: str) -> None:
    """Raise ImportError with what to install, where there is no Matplotlib."""
    try:
        import matplotlib  # noqa: F401
    except ImportError as error:
        raise ImportError(
            f"{caller} needs Matplotlib, which is not installed. Run `pip install bsnsing[plot]`, "
            "or use export_svg, which needs nothing."
        ) from error


@tells_options(PictureOptions)
def plot_tree(model: Any, ax: Axes | None = None, **options: Any) -> Axes:
    """Draw a tree with Matplotlib.

    Text grows and shrinks with the axes, so that it stays in its boxes.

    Parameters
    ----------
    model : BsnsingClassifier, BsnsingClassifierCV, BsnsingEnsemble or Tree
        A fitted model, or a tree of it. Several trees are drawn below each other.
    ax : matplotlib.axes.Axes, default=None
        Where to draw; None makes a figure of the size that the tree needs.
    **options
        What the picture shows, by keyword:

    Returns
    -------
    matplotlib.axes.Axes
        Where the tree was drawn.

    Raises
    ------
    ImportError
        If there is no Matplotlib.
    """
    need_matplotlib("plot_tree")
    read = read_options("plot_tree", options)
    layouts = [place_tree(own) for own in tree_pictures(model, "plot_tree", read)]
    if ax is None:
        from matplotlib import pyplot

        figure = pyplot.figure(figsize=_figure_size(layouts))
        ax = figure.add_axes((0.0, 0.0, 1.0, 1.0))
    draw_axes(layouts, ax)
    return ax


def draw_axes(layouts: Sequence[Layout], ax: Axes) -> None:
    """Draw placed trees into axes, below each other."""
    width, height = canvas_size(layouts)
    ax.set_xlim(0.0, width)
    ax.set_ylim(height, 0.0)
    ax.set_aspect("equal", anchor="N")
    ax.set_axis_off()
    top = 0.0
    for layout in layouts:
        _draw_edges(layout, ax, top)
        _draw_boxes(layout, ax, top)
        _draw_texts(layout, ax, top)
        top += layout.height + BETWEEN


def canvas_size(layouts: Sequence[Layout]) -> tuple[float, float]:
    """Return width and height of trees below each other."""
    height = sum(layout.height for layout in layouts) + BETWEEN * (len(layouts) - 1)
    return max(layout.width for layout in layouts), height


def _figure_size(layouts: Sequence[Layout]) -> tuple[float, float]:
    inches = [side / PIXELS_PER_INCH for side in canvas_size(layouts)]
    scale = min(1.0, _WIDEST_FIGURE / max(inches))
    return inches[0] * scale, inches[1] * scale


def _draw_edges(layout: Layout, ax: Axes, top: float) -> None:
    from matplotlib.collections import PolyCollection

    links = sorted(layout.links, key=lambda link: link.is_lit)
    if links:
        colours = [INK if link.is_lit else EDGE for link in links]
        ribbons = [ribbon(link, top) for link in links]
        ax.add_collection(
            PolyCollection(ribbons, facecolors=colours, edgecolors="none", zorder=1),
            autolim=False,
        )


def ribbon(link: Link, top: float) -> NDArray[np.float64]:
    """The outline of an edge: its curve, as wide as it is to look, in the units of the axes."""
    t = _CURVE
    half = (link.turn + link.land) / 2
    x = link.x0 * (1 - t) ** 2 * (1 + 2 * t) + link.x1 * t**2 * (3 - 2 * t)
    y = link.turn * (1 - t) ** 3 + half * 3 * t * (1 - t) + link.land * t**3
    x = np.concatenate([[link.x0], x, [link.x1]])
    y = np.concatenate([[link.y0], y, [link.y1]]) + top
    along_x, along_y = np.gradient(x), np.gradient(y)
    along_x[0] = along_x[-1] = 0.0  # it leaves and ends upright
    along_y[0] = along_y[-1] = 1.0
    length = np.maximum(np.hypot(along_x, along_y), 1e-9)
    across_x, across_y = -along_y / length * link.width / 2, along_x / length * link.width / 2
    one = np.column_stack([x + across_x, y + across_y])
    other = np.column_stack([x - across_x, y - across_y])
    return np.concatenate([one, other[::-1]])


def _draw_boxes(layout: Layout, ax: Axes, top: float) -> None:
    from matplotlib.collections import PolyCollection
    from matplotlib.patches import PathPatch
    from matplotlib.path import Path

    bars, colours = [], []
    for box in layout.boxes:
        colour = layout.colours[box.best]
        is_rule = box.kind == "rule"
        is_faint = layout.has_path and not box.is_lit
        for shift in (4.0, 0.0) if box.kind == "collapsed" else (0.0,):  # a pile of cards
            patch = PathPatch(
                Path(*rounded_box(box, top, shift)),
                facecolor="#F6F8FA" if is_rule else colour.fill,
                edgecolor=INK if box.is_lit else "#AAB4BF" if is_rule else colour.strong,
                linewidth=1.8 if box.is_lit else 0.8,
                alpha=0.5 if is_faint else None,
                zorder=2,
            )
            patch.set_transform(ax.transData)
            ax.add_artist(patch)
        left, y, width, height = box.bar
        for k, start, end in box.shares:
            x0, x1 = left + start * width, left + end * width
            bars.append(
                [(x0, y + top), (x1, y + top), (x1, y + top + height), (x0, y + top + height)]
            )
            colours.append(layout.colours[k].strong)
    for swatch in layout.legend:
        x, y, side = swatch.x, swatch.y + top, swatch.size
        bars.append([(x, y), (x + side, y), (x + side, y + side), (x, y + side)])
        colours.append(layout.colours[swatch.best].strong)
    ax.add_collection(
        PolyCollection(bars, facecolors=colours, edgecolors="none", zorder=3), autolim=False
    )


def rounded_box(
    box: Box, top: float, shift: float = 0.0
) -> tuple[NDArray[np.float64], NDArray[np.uint8]]:
    """Return the outline of a box: points, and Matplotlib's codes of them."""
    x0, y0 = box.x + shift, box.y + top + shift
    x1, y1 = x0 + box.width, y0 + box.height
    r = 4.0 if box.kind == "rule" else 9.0
    points = [(x0 + r, y0), (x1 - r, y0), (x1, y0), (x1, y0 + r), (x1, y1 - r), (x1, y1)]
    points += [(x1 - r, y1), (x0 + r, y1), (x0, y1), (x0, y1 - r), (x0, y0 + r), (x0, y0)]
    points += [(x0 + r, y0), (x0 + r, y0)]
    # Begin; a line and a corner, four times; close.
    codes = [1, *[2, 3, 3] * 4, 79]
    return np.array(points), np.array(codes, dtype=np.uint8)


def _draw_texts(layout: Layout, ax: Axes, top: float) -> None:
    for line in (*layout.texts, *(swatch.text for swatch in layout.legend)):
        _write(ax, line, top, INK)
    for box in layout.boxes:
        alpha = 0.5 if layout.has_path and not box.is_lit else 1.0
        for line in box.lines:
            _write(ax, line, top, GREY if line.role in ("detail", "note") else INK, alpha)
    for link in layout.links:
        _write(ax, link.answer, top, GREY, ground=True)


def _write(
    ax: Axes, line: TextLine, top: float, colour: str, alpha: float = 1.0, *, ground: bool = False
) -> None:
    text = _scaled_text()(
        line.x,
        line.y + top,
        line.text,
        color=colour,
        alpha=alpha,
        ha="left" if line.anchor == "start" else "center",
        va="baseline",
        weight="bold" if line.bold else "normal",
        zorder=4,
        parse_math=False,  # names are no formulas
        usetex=False,
    )
    text.set_gid(str(line.size))
    if ground:
        text.set_bbox({"facecolor": PAPER, "edgecolor": "none", "pad": 0.6, "alpha": 0.75})
    text.set_transform(ax.transData)
    ax.add_artist(text)


@cache
def _scaled_text() -> Any:
    """Return a class of text whose size is in the units of the axes, whatever size they get."""
    from matplotlib.text import Text

    class ScaledText(Text):
        def _scale(self) -> None:
            if self.axes is not None and self.figure is not None:
                (_, y0), (_, y1) = self.axes.transData.transform([(0.0, 0.0), (0.0, 1.0)])
                size = float(self.get_gid() or 10.0)
                self.set_fontsize(size * abs(y1 - y0) * 72.0 / self.figure.dpi)

        def draw(self, renderer: Any) -> None:
            self._scale()
            super().draw(renderer)

        def get_window_extent(self, *args: Any, **kwargs: Any) -> Any:
            self._scale()
            return super().get_window_extent(*args, **kwargs)

    return ScaledText
