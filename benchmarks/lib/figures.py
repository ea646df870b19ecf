"""The pictures of the report, in one style."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import matplotlib as mpl
import numpy as np

mpl.use("Agg")  # files only; no screen needed
import matplotlib.pyplot as plt
from matplotlib.ticker import FuncFormatter, LogLocator, NullLocator

from benchmarks.lib.exponents import PowerLaw

INK, ACCENT, SECOND = "#333333", "#1f6f8b", "#d9822b"
STYLE = {
    "font.size": 9,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.edgecolor": INK,
    "axes.titlesize": 10,
    "legend.frameon": False,
}
DPI = 130


@dataclass(frozen=True)
class Curve:
    """Points of one panel, and the line fitted to the upper ones."""

    name: str
    sizes: Sequence[float]
    values: Sequence[float]
    law: PowerLaw | None = None


@dataclass(frozen=True)
class Panel:
    """One sweep; sizes and seconds are on logarithmic axes unless it says otherwise."""

    title: str
    axis: str
    curves: Sequence[Curve]
    log_sizes: bool = True
    quantity: str = "seconds"
    log_quantity: bool = True


def draw_panels(path: Path, panels: Sequence[Panel], n_across: int = 3) -> None:
    """Time against size, a panel per sweep."""
    n_down = -(-len(panels) // n_across)
    with mpl.rc_context(STYLE):
        figure, axes = plt.subplots(
            n_down, n_across, figsize=(3.5 * n_across, 3.0 * n_down), squeeze=False
        )
        for axis, panel in zip(axes.flat, panels, strict=False):
            _draw_panel(axis, panel)
        for axis in axes.flat[len(panels) :]:
            axis.set_visible(False)
        save(figure, path)


def _draw_panel(axis: plt.Axes, panel: Panel) -> None:
    for curve, color in zip(panel.curves, (ACCENT, SECOND), strict=False):
        label = curve.name
        if curve.law:
            label += f": exponent {curve.law.exponent:.2f}"
            ends = np.array([curve.law.first_size, max(curve.sizes)])
            axis.plot(ends, curve.law.at(ends), color=color, linewidth=1, alpha=0.6)
        axis.plot(curve.sizes, curve.values, "o", color=color, markersize=4, label=label)
    _scale_sizes(axis, panel)
    _scale_quantity(axis, panel)
    axis.set_title(panel.title)
    axis.grid(True, which="major", alpha=0.2)
    if any(curve.name for curve in panel.curves):
        axis.legend(loc="upper left", fontsize=8)


def _scale_sizes(axis: plt.Axes, panel: Panel) -> None:
    """Marks at powers of ten if the sizes span many, else at the sizes themselves."""
    axis.set_xlabel(panel.axis)
    sizes = sorted({size for curve in panel.curves for size in curve.sizes})
    if panel.log_sizes:
        axis.set_xscale("log")
        axis.xaxis.set_minor_locator(NullLocator())
    if not panel.log_sizes or sizes[-1] < 1000 * sizes[0]:
        axis.set_xticks(sizes, [f"{size:g}" for size in sizes])


def _scale_quantity(axis: plt.Axes, panel: Panel) -> None:
    axis.set_ylabel(panel.quantity)
    if not panel.log_quantity:
        axis.set_ylim(bottom=0)
        return
    axis.set_yscale("log")
    low, high = axis.get_ylim()
    axis.set_ylim(low, high * (high / low) ** 0.3)  # room for the legend above the points
    if high < 100 * low:
        axis.yaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
    axis.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    axis.yaxis.set_minor_locator(NullLocator())


def bars_with_target(
    path: Path,
    values: Mapping[str, float],
    *,
    target: float,
    title: str,
    target_name: str,
    sort: bool = True,
) -> None:
    """A bar per name, and the value that each should reach; in order, greatest on top if sorted."""
    names = sorted(values, key=values.__getitem__) if sort else list(reversed(values))
    with mpl.rc_context(STYLE):
        figure, axis = plt.subplots(figsize=(7, 0.7 + 0.3 * len(names)))
        axis.barh(names, [values[name] for name in names], color=ACCENT, height=0.65)
        for row, name in enumerate(names):
            axis.text(values[name], row, f" {values[name]:.1f}", va="center", color=INK)
        axis.axvline(target, color=SECOND, linewidth=1.5, label=f"{target_name}: {target:g}")
        axis.set_xlim(0, 1.12 * max(*values.values(), target))
        axis.set_title(title, loc="left")
        axis.legend(loc="lower right", bbox_to_anchor=(1, 1))
        save(figure, path)


def save(figure: plt.Figure, path: Path) -> None:
    figure.tight_layout()
    path.parent.mkdir(parents=True, exist_ok=True)
    # Without the version in it, the same points give the same file.
    figure.savefig(path, dpi=DPI, metadata={"Software": None})
    plt.close(figure)
