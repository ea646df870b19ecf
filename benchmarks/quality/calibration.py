"""Calibration curves: predicted beside observed shares of new cases, and their picture."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import matplotlib as mpl
import numpy as np

from benchmarks.lib import figures

mpl.use("Agg")
import matplotlib.pyplot as plt
from matplotlib.ticker import FuncFormatter, NullLocator

N_BINS = 10
COLORS = (figures.ACCENT, figures.SECOND, "#7f8c8d")

Bins = list[list[float]]  # cases, expected events and events of each


def bins_of(chance: np.ndarray, is_event: np.ndarray) -> Bins:
    """Distinct predicted chances, neighbours joined to bins of a tenth of the expected events.

    With rare events, tenths of the cases would put all that matters into the last one.
    """
    _, place = np.unique(chance, return_inverse=True)
    parts = [np.bincount(place, weight) for weight in (None, chance, is_event)]
    return joined(np.stack(parts, axis=1).tolist())


def joined(parts: Bins) -> Bins:
    """Bins of several curves or leaves, in the order of their chance, joined to at most ten."""
    table = np.array(sorted(parts, key=lambda part: part[1] / part[0]))
    below = np.cumsum(table[:, 1]) - table[:, 1] / 2
    total = table[:, 1].sum()
    place = np.minimum(N_BINS * below / total, N_BINS - 1).astype(int) if total else [0]
    sums = [table[place == bin_].sum(axis=0) for bin_ in np.unique(place)]
    return [total.tolist() for total in sums]


def draw(path: Path, panels: Mapping[str, Mapping[str, Sequence[Bins]]]) -> None:
    """A panel per setting: every learner's bins, over all its seeds, with two standard errors."""
    n_across = 3
    n_down = -(-len(panels) // n_across)
    with mpl.rc_context(figures.STYLE):
        figure, axes = plt.subplots(
            n_down, n_across, figsize=(3.5 * n_across, 3.4 * n_down), squeeze=False
        )
        for axis, (title, curves) in zip(axes.flat, panels.items(), strict=False):
            _draw_panel(axis, title, curves)
        for axis in axes.flat[len(panels) :]:
            axis.set_visible(False)
        axes.flat[0].legend(loc="upper left", fontsize=8)
        figures.save(figure, path)


def _draw_panel(axis: plt.Axes, title: str, curves: Mapping[str, Sequence[Bins]]) -> None:
    shown = []
    for (name, of_seeds), color in zip(curves.items(), COLORS, strict=False):
        n_cases, expected, events = np.array(joined([part for bins in of_seeds for part in bins])).T
        predicted, observed = expected / n_cases, events / n_cases
        is_shown = (events > 0) & (expected > 0)  # a logarithmic axis has no zero
        error = 2 * np.sqrt(observed * (1 - observed) / n_cases)
        error = np.stack([np.minimum(error, 0.9 * observed), error])
        axis.errorbar(
            predicted[is_shown],
            observed[is_shown],
            error[:, is_shown],
            fmt="o-",
            color=color,
            markersize=4,
            linewidth=1,
            alpha=0.85,
            label=name,
        )
        shown += [*predicted[is_shown], *observed[is_shown]]
    ends = [0.7 * min(shown), min(1.4 * max(shown), 1.1)]
    axis.plot(ends, ends, "--", color=figures.INK, linewidth=0.8)
    axis.set(xscale="log", yscale="log", xlim=ends, ylim=ends, title=title)
    marks = [m * 10.0**e for e in range(-5, 1) for m in (1, 3) if m * 10.0**e <= ends[1]]
    for side in (axis.xaxis, axis.yaxis):
        side.set_ticks([mark for mark in marks if mark >= ends[0]])
        side.set_minor_locator(NullLocator())
        side.set_major_formatter(FuncFormatter(lambda value, _: f"{100 * value:g} %"))
    axis.set_xlabel("predicted")
    axis.set_ylabel("observed, new cases")
    axis.grid(alpha=0.2)
