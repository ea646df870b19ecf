"""The regions of a model in the plane of two columns, exactly where its rules draw them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import narwhals.stable.v1 as nw
import numpy as np
from numpy.typing import ArrayLike, NDArray

from bsnsing.data.align import align_column
from bsnsing.data.columns import Column, ColumnInfo, read_column
from bsnsing.data.frames import is_frame
from bsnsing.data.show import show_column
from bsnsing.data.table import Table
from bsnsing.export.curves import axes_for, plain_label
from bsnsing.export.form import ModelForm, model_form
from bsnsing.export.moment_axis import show_on_axis
from bsnsing.export.moments import STEPS_PER_DAY
from bsnsing.export.palette import class_colours, mix
from bsnsing.tree.decide import decide
from bsnsing.tree.predict import walk_down

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_FINE = 240  # cells of a side where a region's edge may be slanted or curved
_MARGIN = 0.05
_LEGEND_COLUMNS = 4


def plot_partition(
    model: Any,
    X: Any,
    y: ArrayLike | None = None,
    *,
    columns: Sequence[Any] | None = None,
    palette: Any = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw what a model says in the plane of two columns, and the cases in it.

    Regions have the colour of their class, the stronger the more probable it is. Their edges are
    the thresholds of the rules, exactly; where a rule asks about both columns together, they are
    drawn on a fine grid. Other columns are held at their median, or most frequent level.

    Parameters
    ----------
    model : BsnsingClassifier, BsnsingClassifierCV, BsnsingEnsemble or Tree
        A fitted model, or a tree of it.
    X : array or dataframe of shape (n_rows, n_columns)
        Cases, which say what to show.
    y : array-like of shape (n_rows,), default=None
        Their labels; None draws no points.
    columns : two names or positions, default=None
        Columns of numbers, dates, times or durations, along and up; None takes the two that
        matter most.
    palette : mapping or sequence of str, default=None
        Colours of the classes, as in all pictures.
    ax : matplotlib.axes.Axes, default=None
        Where to draw; None draws a figure with a legend of the classes.

    Returns
    -------
    matplotlib.axes.Axes
        Where it was drawn.
    """
    form = model_form(model, "plot_partition")
    table = read_table(form.columns, X)
    across, up = _chosen(form, model, columns)
    points = [table.columns[place].numbers() for place in (across, up)]
    edges = [_edges(form, place, cells) for place, cells in zip((across, up), points, strict=True)]
    shares = _grid_shares(form, table, (across, up), edges)
    scales = [form.columns[place].scale for place in (across, up)]
    points, edges = (
        [
            own if scale is None else own / STEPS_PER_DAY
            for own, scale in zip(both, scales, strict=True)
        ]
        for both in (points, edges)
    )
    is_own_figure = ax is None
    ax = axes_for("plot_partition", ax)
    colours = list(class_colours(form.classes, palette).values())
    best = _decided(form, shares)
    ax.pcolormesh(
        edges[0], edges[1], _ground(shares, best, [c.strong for c in colours]), rasterized=True
    )
    _outline(ax, edges, best)
    if y is not None:
        labels = np.asarray(y)
        for label, colour in zip(form.classes, colours, strict=True):
            own = labels == label
            ax.scatter(
                points[0][own],
                points[1][own],
                s=10,
                color=colour.strong,
                edgecolors="white",
                linewidths=0.4,
                label=plain_label(label),
            )
    ax.set(xlim=edges[0][[0, -1]], ylim=edges[1][[0, -1]])
    for axis, scale, own in zip((ax.xaxis, ax.yaxis), scales, edges, strict=True):
        if scale is not None:
            show_on_axis(axis, scale, float(own[0]), float(own[-1]))
    ax.set_xlabel(show_column(form.columns[across].name), parse_math=False)
    ax.set_ylabel(show_column(form.columns[up].name), parse_math=False)
    if is_own_figure:
        _name_classes(ax, form.classes, [colour.strong for colour in colours])
    return ax


def _name_classes(ax: Axes, classes: Sequence[Any], colours: Sequence[str]) -> None:
    """Put a legend above the axes, where it covers no case."""
    from matplotlib.patches import Patch

    patches = [
        Patch(color=colour, label=plain_label(label))
        for label, colour in zip(classes, colours, strict=True)
    ]
    ax.legend(
        handles=patches,
        loc="lower left",
        bbox_to_anchor=(0.0, 1.0),
        ncols=_LEGEND_COLUMNS,
        frameon=False,
    )


def read_table(known: Sequence[ColumnInfo], X: Any) -> Table:
    """Read the columns that a model knows from a table, by name or in their order."""
    if is_frame(X):
        frame = nw.from_native(X, eager_only=True)
        named = {str(name): name for name in frame.columns}
        missing = [column.name for column in known if column.name not in named]
        if missing:
            raise ValueError(f"X has no column {missing[0]!r}, which the model was fitted with.")
        raw: list[Any] = [frame[named[column.name]] for column in known]
    else:
        array = np.asarray(X)
        if array.ndim != 2 or array.shape[1] != len(known):
            raise ValueError(
                f"X must have the {len(known)} columns of the model. Got shape {array.shape}."
            )
        raw = list(array.T)
    columns = [
        align_column(read_column(info.name, cells, as_category=info.kind == "categorical"), info)
        for info, cells in zip(known, raw, strict=True)
    ]
    return Table(tuple(columns), len(raw[0]))


def model_shares(form: ModelForm, table: Table) -> NDArray[np.float64]:
    """Return the probabilities of each row: what ``predict_proba`` says, by the neutral form."""
    total = np.zeros((table.n_rows, len(form.classes)))
    for member in form.members:
        values = [walk_down(own.tree, table, 1).mean(own.tree.value) for own in member]
        if len(values) == 1:
            total += values[0]
            continue
        scores = np.column_stack([value[:, 1] for value in values])
        sums = np.add.accumulate(scores, axis=1)[:, -1:]
        shares = np.full_like(scores, 1 / len(form.classes))
        total += np.divide(scores, sums, out=shares, where=sums > 0)
    return total / len(form.members)


def _chosen(form: ModelForm, model: Any, columns: Sequence[Any] | None) -> tuple[int, int]:
    names = [column.name for column in form.columns]
    if columns is None:
        from bsnsing.export.importances import importance_of_columns

        order = list(importance_of_columns(model))
        numeric = [i for i, c in enumerate(form.columns) if c.kind != "categorical"]
        shown = {show_column(names[i]): i for i in numeric}
        best = [shown[name] for name in order if name in shown]
        rest = [i for i in numeric if i not in best]
        places = sorted([*best, *rest][:2])
    else:
        places = [names.index(c) if c in names else c for c in columns]
    is_place = [isinstance(p, int | np.integer) and 0 <= p < len(names) for p in places]
    if len(places) != 2 or not all(is_place):
        raise ValueError(
            "'columns' must be two columns of the model, by name or position. "
            f"Got {columns!r}, and its first columns are {', '.join(map(repr, names[:10]))}."
        )
    for place in places:
        if form.columns[place].kind == "categorical":
            raise ValueError(f"Column {names[place]!r} has levels. Choose two numeric columns.")
    return int(places[0]), int(places[1])


def _edges(form: ModelForm, place: int, cells: NDArray[np.float64]) -> NDArray[np.float64]:
    """Where regions may end along a column: the thresholds about it, in the range of the cases."""
    known = cells[np.isfinite(cells)]
    low, high = (float(known.min()), float(known.max())) if len(known) else (0.0, 1.0)
    pad = (high - low) * _MARGIN or 0.5
    low, high = low - pad, high + pad
    name = form.columns[place].name
    marks = [low, high]
    asked = (asked for own in form.trees for node in own.nodes for asked in node.questions)
    for question in (own.question for own in asked):
        if question.column == name and isinstance(question.value, int | float):
            value = float(question.value)
            # A single value is a line: as thin as can be seen.
            thin = (high - low) / 400
            marks += [value - thin, value + thin] if question.test == "==" else [value]
    if form.asked_pairs:
        marks += np.linspace(low, high, _FINE).tolist()
    inside = np.array([mark for mark in marks if low <= mark <= high])
    return np.unique(inside)


def _grid_shares(
    form: ModelForm, table: Table, places: tuple[int, int], edges: list[NDArray[np.float64]]
) -> NDArray[np.float64]:
    """Probabilities in the middle of each cell, of shape (up, across, n_classes)."""
    middles = [(own[1:] + own[:-1]) / 2 for own in edges]
    grid = np.meshgrid(*middles)
    n_cells = grid[0].size
    columns = [_held(column, n_cells) for column in table.columns]
    for place, cells in zip(places, grid, strict=True):
        columns[place] = Column(table.columns[place].info, cells.ravel())
    shares = model_shares(form, Table(tuple(columns), n_cells))
    return shares.reshape(*grid[0].shape, -1)


def _held(column: Column, n_cells: int) -> Column:
    """A column that is the same in all cells: the median, or the most frequent level."""
    if column.info.kind == "categorical":
        codes = column.codes()
        seen = codes[(codes >= 0) & (codes < len(column.info.levels))]
        code = int(np.bincount(seen).argmax()) if len(seen) else -1
        return Column(column.info, np.full(n_cells, code, dtype=np.int32))
    cells = column.numbers()
    known = np.sort(cells[np.isfinite(cells)])
    # A cell that there is, not the mean of two: 0.5 is no answer to a question about 0 or 1.
    middle = known[(len(known) - 1) // 2] if len(known) else np.nan
    return Column(column.info, np.full(n_cells, middle))


def _decided(form: ModelForm, shares: NDArray[np.float64]) -> NDArray[np.intp]:
    """The class of each cell."""
    costs = None if form.costs is None else np.array(form.costs)
    return decide(shares.reshape(-1, shares.shape[2]), costs).reshape(shares.shape[:2])


def _ground(
    shares: NDArray[np.float64], best: NDArray[np.intp], colours: list[str]
) -> NDArray[np.float64]:
    """The colour of each cell: the class's own, the paler the less probable it is."""
    strong = np.array([_rgb(mix(colour, "#FFFFFF", 0.55)) for colour in colours])
    told = np.take_along_axis(shares, best[..., None], axis=2)[..., 0]
    sure = np.clip((told - 1 / shares.shape[2]) / (1 - 1 / shares.shape[2]), 0, 1)
    weight = (0.25 + 0.75 * sure)[..., None]
    ground: NDArray[np.float64] = weight * strong[best] + (1 - weight)
    return ground


def _outline(ax: Axes, edges: list[NDArray[np.float64]], best: NDArray[np.intp]) -> None:
    """Lines between cells of different classes."""
    from matplotlib.collections import LineCollection

    x, y = edges
    lines = [
        [(x[j + 1], y[i]), (x[j + 1], y[i + 1])]
        for i, j in np.argwhere(best[:, 1:] != best[:, :-1]).tolist()
    ]
    lines += [
        [(x[j], y[i + 1]), (x[j + 1], y[i + 1])]
        for i, j in np.argwhere(best[1:] != best[:-1]).tolist()
    ]
    ax.add_collection(LineCollection(lines, colors="#16202A", linewidths=0.7), autolim=False)


def _rgb(colour: str) -> tuple[float, float, float]:
    return tuple(int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5))  # type: ignore[return-value]
