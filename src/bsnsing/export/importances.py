"""Bars of what each column, or each rule, brings to a model."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from bsnsing.data.show import show_column
from bsnsing.export.curves import axes_for
from bsnsing.export.form import titled_trees
from bsnsing.export.palette import base_colour
from bsnsing.tree.importances import impurity_reductions
from bsnsing.tree.model import check_tree_model
from bsnsing.tree.text import show_small_probability
from bsnsing.tree.tree import Tree

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_LONGEST = 60  # letters of a rule


def importance_of_columns(model: Any) -> dict[str, float]:
    """Return each column's share in the reduction of impurity: the mean over the trees.

    Columns that no rule asks about are left out. The greatest comes first.
    """
    trees = [tree for _, tree in titled_trees(model)]
    shares = np.mean([_shares(impurity_reductions(tree)) for tree in trees], axis=0)
    named = {
        show_column(column.name): float(share)
        for column, share in zip(trees[0].columns, shares, strict=True)
        if share > 0
    }
    return dict(sorted(named.items(), key=lambda item: -item[1]))


def importance_of_rules(model: Any) -> list[tuple[str, float]]:
    """Return each rule with its share in its tree's reduction of impurity, the greatest first."""
    rules = []
    for title, tree in titled_trees(model):
        inner = np.flatnonzero(~tree.is_leaf)
        shares = _shares(_reductions(tree)[inner])
        for node, share in zip(inner.tolist(), shares.tolist(), strict=True):
            rules.append(
                (f"{title}: {tree.rules[node]}" if title else str(tree.rules[node]), share)
            )
    return sorted(rules, key=lambda rule: -rule[1])


def plot_importances(
    model: Any, *, by: str = "column", most: int = 15, ax: Axes | None = None
) -> Axes:
    """Draw what columns or rules bring: their shares in the reduction of impurity.

    Parameters
    ----------
    model : BsnsingClassifier, BsnsingClassifierCV, BsnsingEnsemble or Tree
        A fitted model, or a tree of it.
    by : {"column", "rule"}, default="column"
        What has a bar. A rule's reduction counts for its questions in equal parts.
    most : int, default=15
        Bars at most.
    ax : matplotlib.axes.Axes, default=None
        Where to draw.

    Returns
    -------
    matplotlib.axes.Axes
        Where it was drawn.
    """
    check_tree_model(model, "plot_importances")
    if by not in ("column", "rule"):
        raise ValueError(f"'by' must be 'column' or 'rule'. Got {by!r}.")
    is_column = by == "column"
    found = list(importance_of_columns(model).items()) if is_column else importance_of_rules(model)
    shown = found[:most][::-1]  # the greatest at the top
    longest = max((len(_short(name)) for name, _ in shown), default=0)
    ax = axes_for("plot_importances", ax, (4.5 + 0.075 * longest, 1.0 + 0.32 * len(shown)))
    places = np.arange(len(shown))
    bars = ax.barh(places, [share for _, share in shown], color=base_colour(0))
    ax.bar_label(bars, [show_small_probability(share) for _, share in shown], padding=3)
    ax.set_yticks(places, [_short(name) for name, _ in shown], parse_math=False)
    ax.set_xlabel("Share in the reduction of impurity")
    ax.set_xlim(0, 1.12 * max((share for _, share in shown), default=1.0))
    ax.spines[["top", "right"]].set_visible(False)
    if len(found) > most:
        ax.set_title(f"the first {most} of {len(found)} {by}s", fontsize="small")
    return ax


def _reductions(tree: Tree) -> Any:
    """Reduction of impurity by each node's rule; 0 at leaves."""
    inner = ~tree.is_leaf
    children = tree.impurity[tree.children_left] + tree.impurity[tree.children_right]
    return np.where(inner, np.maximum(0.0, tree.impurity - children), 0.0)


def _shares(sums: Any) -> Any:
    total = sums.sum()
    return sums / total if total > 0 else sums


def _short(text: str) -> str:
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}\u2026"
