"""What was wanted of predictions, and what was measured."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from benchmarks.quality.tables import (
    METRICS,
    OURS,
    SINGLE_TREES,
    common_sets,
    means,
    same_splits,
)

HEAD = ["target", "wanted", "measured", ""]
PRUNED = "CART CV-pruned"  # which sizes are held against


def all_goals(
    table: pd.DataFrame, by_set: pd.DataFrame, sets: list[str], learners: Sequence[str]
) -> list[list[str]]:
    """One line per target that the outcomes can tell of; ``table`` has all of these."""
    small = table[table["set"].str.startswith("dl85/")]
    return [
        *one_tree(by_set, sets, learners),
        *beside(
            small,
            ("bsnsing 8 leaves", "STreeD depth 3"),
            "at most 8 leaves, DL8.5 sets",
            {"accuracy": (1.5, "1.5 points above exact depth 3")}
            | {"auc": (2.5, "2.5 points above exact depth 3")},
        ),
        *beside(
            table,
            ("bsnsing ensemble", "forest"),
            "nine trees",
            dict.fromkeys(("accuracy", "auc"), (-0.5, "within 0.5 point of 100 trees")),
        ),
    ]


def line(what: str, wanted: str, measured: str, is_met: bool) -> list[str]:
    return [what, wanted, measured, "met" if is_met else "not met"]


def one_tree(by_set: pd.DataFrame, sets: list[str], learners: Sequence[str]) -> list[list[str]]:
    """Our tree beside the best of the others, and its size."""
    part = by_set.loc[sets]
    mean = part.groupby("learner")[list(METRICS)].mean()
    peers = [name for name in SINGLE_TREES if name in learners and name != "bsnsing paper()"]
    if PRUNED not in peers:
        return []
    rows = []
    for metric, title in (("accuracy", "accuracy"), ("auc", "AUC")):
        best = mean.loc[peers, metric].idxmax()
        ours, theirs = mean.loc[OURS, metric], mean.loc[best, metric]
        gap = 100 * (ours - theirs)
        text = f"{ours:.4f}, {gap:+.2f} points ({best} {theirs:.4f})"
        wanted = "1.5 points above the best single tree"
        rows.append(line(f"one tree, mean {title}", wanted, text, gap >= 1.5))
    best = mean.loc[peers, "log_loss"].idxmin()
    ours, theirs = mean.loc[OURS, "log_loss"], mean.loc[best, "log_loss"]
    text = f"{ours:.4f} ({best} {theirs:.4f})"
    rows.append(line("one tree, log loss", "lowest", text, ours < theirs))
    leaves = part["n_leaves"].groupby("learner").median()
    text = f"{leaves[OURS]:.1f} ({leaves[PRUNED]:.1f})"
    is_met = leaves[OURS] <= leaves[PRUNED]
    return [*rows, line("median leaves", "at most CV-pruned CART's", text, is_met)]


def beside(
    table: pd.DataFrame,
    pair: tuple[str, str],
    title: str,
    wanted: dict[str, tuple[float, str]],
) -> list[list[str]]:
    """Two learners on the splits that both were run on; per metric the least gap, and in words."""
    if not set(pair) <= set(table["learner"]):
        return []
    by_set = means(same_splits(table[table["learner"].isin(pair)]))
    sets = common_sets(by_set, pair)
    mean = by_set.loc[sets].groupby("learner")[list(wanted)].mean()
    ours, theirs = pair
    rows = []
    for metric, (least, words) in wanted.items():
        gap = 100 * (mean.loc[ours, metric] - mean.loc[theirs, metric])
        text = f"{gap:+.2f} points ({mean.loc[ours, metric]:.4f}; {len(sets)} sets)"
        rows.append(line(f"{title}, {metric}", words, text, gap >= least))
    return rows
