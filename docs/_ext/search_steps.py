"""Draws the steps of the rule search: questions, bits, pair table, bound, rule.

Every number in the pictures is counted here from the answers, or told by the package.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from matplotlib.patches import FancyBboxPatch, Rectangle
from matplotlib.ticker import MaxNLocator
from numpy.typing import NDArray

ILL, WELL, BEST, PALE = "#D55E00", "#0072B2", "#009E73", "#E8E8E8"
_SIZE = 9.5


def draw_questions(table: Any, ill: NDArray[np.bool_], questions: Sequence[Any]) -> None:
    """The cases along each column, and the thresholds that are worth asking about."""
    columns = list(table.columns)
    _figure, axes = plt.subplots(
        len(columns), 1, figsize=(9, 1.9 * len(columns)), layout="constrained"
    )
    for ax, column in zip(axes, columns, strict=True):
        for is_ill, colour, name, height in (
            (True, ILL, "ill", 0.3),
            (False, WELL, "healthy", -0.3),
        ):
            cells = table[column][ill == is_ill]
            ax.plot(cells, np.full(len(cells), height), "o", color=colour, label=name, markersize=7)
        asked = [(i, q) for i, q in enumerate(questions) if q.column == column]
        for i, question in asked:
            ax.axvline(question.value, color="#555555", linewidth=1, zorder=0)
            ax.annotate(
                f"q{i}",
                (question.value, 0.95),
                ha="center",
                va="bottom",
                fontsize=_SIZE,
                annotation_clip=False,
            )
        ax.set(ylim=(-0.8, 0.9), yticks=[], xlabel=column)
        ax.spines[["left", "right", "top"]].set_visible(False)
    axes[0].legend(loc="upper left", bbox_to_anchor=(1.0, 1.0), frameon=False)


def draw_bits(answers: NDArray[Any], ill: NDArray[np.bool_], names: Sequence[str]) -> None:
    """One row per question, one small square per case: filled where the answer is yes."""
    order = np.argsort(~ill, kind="stable")
    bits, n_ill = answers[order].T.astype(bool), int(ill.sum())
    n_questions, n_cases = bits.shape
    _figure, ax = plt.subplots(figsize=(9, 0.36 * n_questions + 1), layout="constrained")
    for row in range(n_questions):
        for place in range(n_cases):
            colour = ILL if place < n_ill else WELL
            x = place + (0.8 if place >= n_ill else 0)
            fill = colour if bits[row, place] else PALE
            ax.add_patch(Rectangle((x, -row), 0.86, 0.8, color=fill))
        yes = bits[row, :n_ill].sum(), bits[row, n_ill:].sum()
        ax.text(-0.6, -row + 0.4, names[row], ha="right", va="center", fontsize=_SIZE)
        ax.text(
            n_cases + 1.4,
            -row + 0.4,
            f"{yes[0]} ill, {yes[1]} healthy",
            va="center",
            fontsize=_SIZE,
        )
    ax.text(n_ill / 2, 1.3, f"{n_ill} ill cases", ha="center", color=ILL, fontsize=_SIZE)
    ax.text(
        n_ill + (n_cases - n_ill) / 2,
        1.3,
        f"{n_cases - n_ill} healthy cases",
        ha="center",
        color=WELL,
        fontsize=_SIZE,
    )
    ax.text(n_cases + 1.4, 1.3, "answer yes", fontsize=_SIZE)
    ax.set(xlim=(-9, n_cases + 9), ylim=(-n_questions + 0.7, 2.2))
    ax.set_axis_off()


def both_counts(answers: NDArray[Any], ill: NDArray[np.bool_]) -> tuple[NDArray[Any], NDArray[Any]]:
    """For each two questions, how many ill and how many healthy cases say yes to both."""
    yes = answers.astype(int)
    return yes[ill].T @ yes[ill], yes[~ill].T @ yes[~ill]


def either_counts(both: NDArray[Any]) -> NDArray[Any]:
    """a + b - ab: how many say yes to one question or the other, or both."""
    single = np.diag(both)
    return single[:, None] + single[None, :] - both


def objective(tp: Any, fp: Any, n_ill: int, n_well: int) -> Any:
    """Pairs of unlike cases that are left together: the paper's squared Gini."""
    return tp * fp + (n_ill - tp) * (n_well - fp)


def draw_pairs(answers: NDArray[Any], ill: NDArray[np.bool_]) -> None:
    """First: yes to both, ill / healthy. Then: the objective of "a or b"; the best is framed."""
    both = both_counts(answers, ill)
    n_ill, n_well = int(ill.sum()), int((~ill).sum())
    values = objective(*(either_counts(part) for part in both), n_ill, n_well)
    n = len(values)
    upper = np.triu(np.ones((n, n), bool))
    best = np.unravel_index(np.where(upper, values, values.max() + 1).argmin(), values.shape)
    titles = ("Say yes to both: ill / healthy", 'Objective of "a or b": less is better')
    for title in titles:
        _figure, ax = plt.subplots(figsize=(8.4, 5.4), layout="constrained")
        is_first, shown = title is titles[0], np.where(upper, values, np.nan)
        if is_first:
            ax.imshow(np.where(upper, 0.15, np.nan), cmap="Greys", vmin=0, vmax=1, aspect="auto")
        else:
            ax.imshow(shown, cmap="viridis_r", alpha=0.75, aspect="auto")
        for a in range(n):
            for b in range(a, n):
                text = f"{both[0][a, b]}/{both[1][a, b]}" if is_first else str(values[a, b])
                ax.text(b, a, text, ha="center", va="center", fontsize=9.5)
        ax.add_patch(
            Rectangle(
                (best[1] - 0.5, best[0] - 0.5), 1, 1, fill=False, edgecolor=ILL, linewidth=2.5
            )
        )
        ax.set(xticks=range(n), yticks=range(n), title=title)
        ax.set_xticklabels([f"q{i}" for i in range(n)], fontsize=9.5)
        ax.set_yticklabels([f"q{i}" for i in range(n)], fontsize=9.5)
        ax.spines[:].set_visible(False)
        ax.tick_params(length=0)


def box_of(both: NDArray[Any], n: int, rule: Sequence[int]) -> tuple[int, int]:
    """Least and most of n cases that "a or b or c" can have, from the pair table alone."""
    a, b, c = rule
    single, either = np.diag(both), either_counts(both)
    adds_to_a, adds_to_b = either[a, c] - single[a], either[b, c] - single[b]
    least = max(0, adds_to_a + adds_to_b - single[c])
    most = min(n, either[a, b] + min(adds_to_a, adds_to_b))
    return int(either[a, b] + least), int(most)


def _boxes(
    both: Sequence[NDArray[Any]], rule: Sequence[int], n_ill: int, n_well: int
) -> list[tuple[int, int]]:
    return [box_of(part, n, rule) for part, n in zip(both, (n_ill, n_well), strict=True)]


def bound_of(both: Sequence[NDArray[Any]], rule: Sequence[int], n_ill: int, n_well: int) -> int:
    """The least objective at a corner of the rectangle in which the rule must lie."""
    (low_tp, high_tp), (low_fp, high_fp) = _boxes(both, rule, n_ill, n_well)
    return int(
        min(
            objective(tp, fp, n_ill, n_well) for tp in (low_tp, high_tp) for fp in (low_fp, high_fp)
        )
    )


def draw_bound(
    answers: NDArray[Any],
    ill: NDArray[np.bool_],
    rules: Sequence[tuple[Sequence[int], str, str]],
    best: int,
) -> None:
    """Rectangles of some rules of three, over the landscape of the objective."""
    both = both_counts(answers, ill)
    n_ill, n_well = int(ill.sum()), int((~ill).sum())
    figure, ax = plt.subplots(figsize=(8.4, 5.2), layout="constrained")
    fp, tp = np.meshgrid(np.linspace(0, n_well, 200), np.linspace(0, n_ill, 200))
    height = objective(tp, fp, n_ill, n_well)
    filled = ax.contourf(fp, tp, height, levels=12, cmap="Greys", alpha=0.55)
    figure.colorbar(filled, ax=ax, label="objective")
    ax.contour(fp, tp, height, levels=[best], colors=[BEST], linewidths=2)
    for rule, colour, place in rules:
        (low_tp, high_tp), (low_fp, high_fp) = _boxes(both, rule, n_ill, n_well)
        size = max(high_fp - low_fp, 0.12), max(high_tp - low_tp, 0.12)
        ax.add_patch(Rectangle((low_fp, low_tp), *size, fill=False, edgecolor=colour, linewidth=2))
        yes = answers[:, list(rule)].any(axis=1)
        ax.plot((yes & ~ill).sum(), (yes & ill).sum(), "x", color=colour, markersize=9, mew=2)
        middle = (low_fp + high_fp) / 2, (low_tp + high_tp) / 2
        places = {
            "right": {"xy": (high_fp, middle[1]), "xytext": (12, -8), "ha": "left", "va": "center"},
            "left": {"xy": (low_fp, middle[1]), "xytext": (-8, 0), "ha": "right", "va": "center"},
            "below": {"xy": (middle[0], low_tp), "xytext": (-10, -8), "ha": "center", "va": "top"},
        }
        told = " or ".join(f"q{i}" for i in rule)
        low = bound_of(both, rule, n_ill, n_well)
        verdict = "excluded" if low >= best else "must be counted"
        ax.annotate(
            f"{told}\nat least {low}: {verdict}",
            **places[place],
            textcoords="offset points",
            fontsize=9,
            color=colour,
            bbox={"facecolor": "white", "edgecolor": "none", "alpha": 0.8, "pad": 1.5},
        )
    ax.set(xlabel="healthy cases that say yes", ylabel="ill cases that say yes")
    ax.set(xlim=(0, n_well + 0.3), ylim=(0, n_ill + 0.3))
    ax.xaxis.set_major_locator(MaxNLocator(integer=True))
    ax.yaxis.set_major_locator(MaxNLocator(integer=True))
    ax.set_title(f"Green: as good as the best rule so far ({best})", loc="left", fontsize=10)


def draw_rule(words: str, split: Any) -> None:
    """The rule that was found, and where the cases go."""
    _figure, ax = plt.subplots(figsize=(8.4, 3), layout="constrained")
    _box(ax, (5, 2.6), f"{words} ?", "#FFFFFF")
    for x, name, counts in ((2.2, "yes", split.left_counts), (7.8, "no", split.right_counts)):
        ax.annotate(
            "",
            (x, 1.15),
            (5 + (x - 5) * 0.25, 2.25),
            arrowprops={"arrowstyle": "-|>", "color": "#555555"},
        )
        ax.text(
            (x + 5) / 2 + (0.15 if x > 5 else -0.15),
            1.85,
            name,
            ha="left" if x > 5 else "right",
            fontsize=10,
        )
        healthy, ill = (int(count) for count in counts)
        _box(
            ax, (x, 0.8), f"{ill} ill, {healthy} healthy", "#FBE3D3" if ill > healthy else "#D5E8F4"
        )
    proof = "proven: no rule of its size is better" if split.optimal else "not proven"
    ax.text(
        5,
        0.05,
        f"objective {split.objective}, bound {split.bound}: {proof}.  "
        f"{split.n_counted} rules counted, {split.n_excluded} excluded by bounds.",
        ha="center",
        fontsize=9.5,
    )
    ax.set(xlim=(0, 10), ylim=(-0.2, 3.1))
    ax.set_axis_off()


def _box(ax: Axes, middle: tuple[float, float], text: str, colour: str) -> None:
    width = 0.118 * len(text) + 0.4
    low = middle[0] - width / 2, middle[1] - 0.27
    ax.add_patch(
        FancyBboxPatch(
            low, width, 0.54, boxstyle="round,pad=0.06", facecolor=colour, edgecolor="#555555"
        )
    )
    ax.text(*middle, text, ha="center", va="center", fontsize=10.5)
