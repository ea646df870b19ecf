"""Pictures of the report: ranks of all learners, and differences set by set."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from benchmarks.lib import figures
from benchmarks.quality.tables import OURS

METRICS = {"accuracy": "accuracy", "auc": "AUC"}
RIVALS = {"CART CV-pruned": "#2980b9", "HSTreeCV": "#e67e22"}


def draw(
    by_set: pd.DataFrame, sets: list[str], learners: Sequence[str], folder: Path
) -> dict[str, Path]:
    """Draw both; files by what they show."""
    wide = {metric: by_set.loc[sets][metric].unstack()[list(learners)] for metric in METRICS}
    paths = {
        "Ranks": folder / "quality_ranks.png",
        "Differences per set": folder / "quality_differences.png",
    }
    _draw_ranks(wide, paths["Ranks"])
    _draw_differences(wide, paths["Differences per set"])
    return paths


def _draw_ranks(wide: dict[str, pd.DataFrame], path: Path) -> None:
    ranks = {metric: values.rank(axis=1, ascending=False) for metric, values in wide.items()}
    order = ranks["accuracy"].mean().sort_values(ascending=False).index
    figure, axes = plt.subplots(1, 2, figsize=(11, 0.36 * len(order) + 1.4), sharey=True)
    for axis, (metric, title) in zip(axes, METRICS.items(), strict=True):
        for place, name in enumerate(order):
            own = ranks[metric][name]
            color = "#c0392b" if name.startswith(OURS) else "#34495e"
            axis.plot(own.mean(), place, "o", color=color, markersize=7)
            axis.plot(
                own.quantile([0.25, 0.75]),
                [place, place],
                "-",
                color=color,
                alpha=0.4,
                linewidth=3,
            )
        axis.set_yticks(range(len(order)), order)
        axis.set_xlabel(f"rank by {title}: mean, and middle half of the sets (1 is best)")
        axis.grid(axis="x", alpha=0.3)
    figures.save(figure, path)


def _draw_differences(wide: dict[str, pd.DataFrame], path: Path) -> None:
    figure, axes = plt.subplots(1, 2, figsize=(11, 4.2), sharey=False)
    for axis, (metric, title) in zip(axes, METRICS.items(), strict=True):
        for rival, color in RIVALS.items():
            if rival not in wide[metric]:
                continue
            gaps = np.sort(100 * (wide[metric][OURS] - wide[metric][rival]).dropna())
            label = f"less {rival}: {gaps.mean():+.2f} on average"
            axis.plot(np.arange(1, len(gaps) + 1), gaps, ".-", color=color, label=label)
        axis.axhline(0, color="black", linewidth=0.8)
        axis.set_xlabel("sets, sorted by the difference")
        axis.set_ylabel(f"{title} of our tree, points more")
        axis.legend()
        axis.grid(alpha=0.3)
    figures.save(figure, path)
