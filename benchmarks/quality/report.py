"""What the outcomes of `benchmarks.quality` say: QUALITY.md with its tables and figures."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pandas as pd

from benchmarks.datasets import published as datasets
from benchmarks.lib import report

FOLDER = datasets.REPO_ROOT / "benchmarks" / "results"
METRICS = ("accuracy", "auc", "log_loss", "n_leaves", "n_questions", "seconds", "cpu_seconds")
OURS = "bsnsing"
SMALL = "bsnsing 8 leaves"
ENSEMBLE = "bsnsing ensemble"
SINGLE_TREES = (
    "CART",
    "CART leaf 5",
    "CART CV-pruned",
    "HSTreeCV",
    "LicketySPLIT",
    "STreeD depth 3",
    "STreeD depth 4",
    "bsnsing paper()",
)
MOST = 0.9  # of our own outcomes, that a learner must have to stand in the main tables
R_PEERS = ("C5.0", "rpart", "ctree", "tree", "R bsnsing")


def as_frame(outcomes: dict) -> pd.DataFrame:
    """One row per set, learner and split; failures are left out."""
    table = pd.DataFrame(list(outcomes.values()))
    if "error" in table:
        table = table[table["error"].isna()]
    return table


def means(table: pd.DataFrame) -> pd.DataFrame:
    """Mean over the splits: rows are (set, learner), columns metrics."""
    return table.groupby(["set", "learner"])[list(METRICS)].mean()


def common_sets(by_set: pd.DataFrame, learners: Sequence[str]) -> list[str]:
    """Sets that all of these learners were run on."""
    sets = [set(by_set.xs(name, level="learner").index) for name in learners]
    return sorted(set.intersection(*sets), key=str.lower)


def same_splits(table: pd.DataFrame) -> pd.DataFrame:
    """Keep the splits that every learner run on the set has, so that all are judged alike."""
    n_learners = table.groupby("set")["learner"].transform("nunique")
    n_here = table.groupby(["set", "split"])["learner"].transform("nunique")
    return table[n_here == n_learners]


def _span(numbers: pd.Series) -> str:
    """The least and the greatest number, or the one there is."""
    least, greatest = numbers.min(), numbers.max()
    return str(least) if least == greatest else f"{least} to {greatest}"


def summary(by_set: pd.DataFrame, sets: list[str], learners: Sequence[str]) -> list[list[str]]:
    """One line per learner: means over sets, wins, and the difference from ours with its error."""
    part = by_set.loc[sets]
    wide = {metric: part[metric].unstack() for metric in METRICS}
    trees = [name for name in learners if name in (OURS, *SINGLE_TREES)]
    lines = []
    for name in learners:
        line = [name]
        for metric, best in (("accuracy", "max"), ("auc", "max"), ("log_loss", "min")):
            values = wide[metric][name]
            line.append(f"{values.mean():.4f}")
            if name in trees:
                top = getattr(wide[metric][trees], best)(axis=1)
                line.append(str(int(np.isclose(values, top, atol=1e-9).sum())))
            else:
                line.append("")
            line.append(_difference(wide[metric], name))
        line += [
            _or_dash(wide["n_leaves"][name].median(), ".1f"),
            _or_dash(wide["n_questions"][name].median(), ".1f"),
            f"{wide['cpu_seconds'][name].mean():.2f}",
        ]
        lines.append(line)
    return lines


_SCORED = ["wins", "ours less theirs"]
SUMMARY_HEAD = ["learner", "accuracy", *_SCORED, "AUC", *_SCORED, "log loss", *_SCORED]
SUMMARY_HEAD += ["median leaves", "median questions", "mean CPU s"]


def _difference(wide: pd.DataFrame, name: str) -> str:
    """Mean of ours less theirs over sets, with the paired standard error, in points."""
    if name == OURS:
        return ""
    gap = 100 * (wide[OURS] - wide[name]).dropna()
    return f"{gap.mean():+.2f} ± {gap.std(ddof=1) / len(gap) ** 0.5:.2f}"


def _or_dash(value: float, form: str) -> str:
    return "-" if np.isnan(value) else format(value, form)


def targets(by_set: pd.DataFrame, sets: list[str], learners: Sequence[str]) -> list[list[str]]:
    """The issue's targets, each with what was measured."""
    part = by_set.loc[sets]
    mean = part.groupby("learner")[list(METRICS)].mean()
    median = part.groupby("learner")[["n_leaves"]].median()
    peers = [name for name in SINGLE_TREES if name in learners and name != "bsnsing paper()"]
    if "CART CV-pruned" not in peers:  # which sizes are held against
        return []
    rows = []

    def add(what: str, wanted: str, measured: str, is_met: bool) -> None:
        rows.append([what, wanted, measured, "met" if is_met else "not met"])

    for metric, title in (("accuracy", "accuracy"), ("auc", "AUC")):
        best = mean.loc[peers, metric].idxmax()
        gap = 100 * (mean.loc[OURS, metric] - mean.loc[best, metric])
        text = (
            f"{mean.loc[OURS, metric]:.4f}, {gap:+.2f} points ({best} {mean.loc[best, metric]:.4f})"
        )
        add(f"one tree, mean {title}", "1.5 points above the best single tree", text, gap >= 1.5)
    best = mean.loc[peers, "log_loss"].idxmin()
    ours, theirs = mean.loc[OURS, "log_loss"], mean.loc[best, "log_loss"]
    add("one tree, log loss", "lowest", f"{ours:.4f} ({best} {theirs:.4f})", ours < theirs)
    pruned = median.loc["CART CV-pruned", "n_leaves"]
    leaves = median.loc[OURS, "n_leaves"]
    add(
        "median leaves",
        "at most CV-pruned CART's",
        f"{leaves:.1f} ({pruned:.1f})",
        leaves <= pruned,
    )
    return rows


def pair_means(table: pd.DataFrame, first: str, second: str) -> tuple[pd.DataFrame, int] | None:
    """Means of two learners on the splits that both were run on, and over how many sets."""
    pair = [first, second]
    if not set(pair) <= set(table["learner"]):
        return None
    by_set = means(same_splits(table[table["learner"].isin(pair)]))
    sets = common_sets(by_set, pair)
    return by_set.loc[sets].groupby("learner")[["accuracy", "auc"]].mean(), len(sets)


def small_targets(table: pd.DataFrame) -> list[list[str]]:
    """Our trees of at most eight leaves beside exact ones of depth three, on the DL8.5 sets."""
    found = pair_means(table[table["set"].str.startswith("dl85/")], SMALL, "STreeD depth 3")
    if found is None:
        return []
    mean, n_sets = found
    rows = []
    for metric, wanted in (("accuracy", 1.5), ("auc", 2.5)):
        gap = 100 * (mean.loc[SMALL, metric] - mean.loc["STreeD depth 3", metric])
        text = f"{gap:+.2f} points ({mean.loc[SMALL, metric]:.4f}; {n_sets} sets)"
        title = f"at most 8 leaves, DL8.5 sets, {metric}"
        verdict = "met" if gap >= wanted else "not met"
        rows.append([title, f"{wanted} points above exact depth 3", text, verdict])
    return rows


def ensemble_targets(table: pd.DataFrame) -> list[list[str]]:
    """Nine trees beside the forest."""
    found = pair_means(table, ENSEMBLE, "forest")
    if found is None:
        return []
    mean, n_sets = found
    rows = []
    for metric in ("accuracy", "auc"):
        gap = 100 * (mean.loc[ENSEMBLE, metric] - mean.loc["forest", metric])
        text = f"{gap:+.2f} points ({mean.loc[ENSEMBLE, metric]:.4f}; {n_sets} sets)"
        verdict = "met" if gap >= -0.5 else "not met"
        rows.append([f"nine trees, {metric}", "within 0.5 point of 100 trees", text, verdict])
    return rows


def slow_fits(by_set: pd.DataFrame, sizes: dict[str, int]) -> str:
    ours = by_set.xs(OURS, level="learner")["cpu_seconds"]
    largest = sorted(ours.index, key=lambda name: -sizes[name])[:5]
    rest = ours.drop(largest)
    slow = ", ".join(f"{name} {s:.2f}" for name, s in rest[rest > 1].items()) or "none"
    top = ", ".join(f"{name} {ours[name]:.1f}" for name in largest)
    return (
        "Default fits (CPU seconds, mean over splits, prediction included): median "
        f"{ours.median():.2f}, greatest {rest.max():.2f} outside the five largest sets run; "
        f"above one second: {slow}. The five largest: {top}."
    )


def r_table(by_set: pd.DataFrame, sets: list[str]) -> list[list[str]]:
    """R's packages on the same splits of the paper's sets, as recorded, beside ours."""
    path = datasets.SHARED / "reference" / "peers_r.csv"
    if not path.exists():
        return []
    with path.open(encoding="utf-8") as file:
        recorded = {(r["set"], r["learner"]): r for r in csv.DictReader(file)}
    plain = {name.split("/")[1]: name for name in sets if not name.startswith("dl85/")}
    both = [n for n in plain if all((n, peer) in recorded for peer in R_PEERS)]
    ours = by_set.xs(OURS, level="learner").loc[[plain[name] for name in both]]
    rows = [[OURS, f"{ours['accuracy'].mean():.4f}", f"{ours['auc'].mean():.4f}", "", ""]]
    for peer in R_PEERS:
        line = [peer]
        gaps = []
        for metric in ("accuracy", "auc"):
            theirs = np.array([float(recorded[name, peer][metric] or "nan") for name in both])
            line.append(f"{np.nanmean(theirs):.4f}")
            gap = 100 * (ours[metric].to_numpy() - theirs)
            gap = gap[~np.isnan(gap)]
            gaps.append(f"{gap.mean():+.2f} ± {gap.std(ddof=1) / len(gap) ** 0.5:.2f}")
        rows.append(line + gaps)
    return rows


def per_set(by_set: pd.DataFrame, sets: list[str], learners: Sequence[str], metric: str) -> str:
    wide = by_set[metric].unstack()
    rows = [
        [name, *(_or_dash(wide.loc[name].get(learner, np.nan), ".3f") for learner in learners)]
        for name in sets
    ]
    return report.markdown(["set", *learners], rows)


def draw(by_set: pd.DataFrame, sets: list[str], learners: Sequence[str]) -> None:
    """Ranks of all learners, and differences per set from the best known single trees."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(1, 2, figsize=(11, 0.36 * len(learners) + 1.4), sharey=True)
    order = None
    for axis, (metric, title) in zip(axes, (("accuracy", "accuracy"), ("auc", "AUC")), strict=True):
        wide = by_set.loc[sets][metric].unstack()[list(learners)]
        ranks = wide.rank(axis=1, ascending=False)
        if order is None:
            order = ranks.mean().sort_values(ascending=False).index
        for place, name in enumerate(order):
            color = "#c0392b" if name.startswith("bsnsing") else "#34495e"
            axis.plot(ranks[name].mean(), place, "o", color=color, markersize=7)
            low, high = ranks[name].quantile([0.25, 0.75])
            axis.plot([low, high], [place, place], "-", color=color, alpha=0.4, linewidth=3)
        axis.set_yticks(range(len(order)), order)
        axis.set_xlabel(f"rank by {title}: mean, and middle half of the sets (1 is best)")
        axis.grid(axis="x", alpha=0.3)
    figure.tight_layout()
    figure.savefig(FOLDER / "figures" / "quality_ranks.png", dpi=110)
    plt.close(figure)

    rivals = [name for name in ("CART CV-pruned", "HSTreeCV") if name in learners]
    figure, axes = plt.subplots(1, 2, figsize=(11, 4.2), sharey=False)
    for axis, (metric, title) in zip(axes, (("accuracy", "accuracy"), ("auc", "AUC")), strict=True):
        wide = by_set.loc[sets][metric].unstack()
        for rival, color in zip(rivals, ("#2980b9", "#e67e22"), strict=False):
            gaps = np.sort(100 * (wide[OURS] - wide[rival]).dropna())
            label = f"less {rival}: {gaps.mean():+.2f} on average"
            axis.plot(np.arange(1, len(gaps) + 1), gaps, ".-", color=color, label=label)
        axis.axhline(0, color="black", linewidth=0.8)
        axis.set_xlabel("sets, sorted by the difference")
        axis.set_ylabel(f"{title} of our tree, points more")
        axis.legend()
        axis.grid(alpha=0.3)
    figure.tight_layout()
    figure.savefig(FOLDER / "figures" / "quality_differences.png", dpi=110)
    plt.close(figure)


def _splits_text(n_splits: pd.Series) -> str:
    parts = [
        f"{count} with {n} random 70/30 split{'s' if n > 1 else ''}"
        for n, count in n_splits.value_counts().sort_index(ascending=False).items()
    ]
    return ", ".join(parts)


INTRO = """# How well our trees predict

Made by `python -m benchmarks.quality` ({command}); {machine}.

{n_sets} sets: {splits}.

Every learner got the same splits, and a mean is over the splits of a set first, then over sets.
AUC is one against the rest, averaged over classes, where there are more than two. Log loss takes a
probability of zero as 1e-15. Wins are among the single trees, ours included. Differences are ours
less theirs, in points (hundredths), with the standard error over sets. LicketySPLIT gives labels
only. STreeD and LicketySPLIT get thresholds guessed by boosted trees where columns are not 0/1, and
HSTreeCV gets medians for missing cells. Times are CPU seconds of fit and prediction.

Our defaults are chosen on half of the sets (those at odd places by name); the other half confirms
them. [DEFAULTS.md](DEFAULTS.md) compares each default, and most numbers behind them, with others on
both halves, on sets below 5000 rows: on the choosing half none is more accurate beyond noise. Of
those that are as accurate there, the one with fewer leaves or less time was taken, or the one that
does better on [sets from elsewhere](OTHERS.md). The confirming half is not unseen: losses there led
to try some of these numbers, bounds on time hold on its sets too, and the means over all sets were
looked at many times. So the figures here are somewhat in our favour; the other report tells of sets
on which no default was chosen.
"""


def write(outcomes: dict, command: str = "") -> Path | None:
    """Write QUALITY.md and its figures.

    Learners that were run on few of the splits are compared apart, so that all of the others can
    be judged on the same ones.
    """
    table = as_frame(outcomes)
    if table.empty or OURS not in set(table["learner"]):
        print(f"{len(outcomes)} outcomes; no report without outcomes of {OURS!r}.")
        return None
    from benchmarks.quality.contestants import CONTESTANTS
    from benchmarks.quality.protocol import all_sets, is_choosing

    sizes = {f"{s}/{n}": datasets.n_rows(s, n) for s, n in all_sets()}
    counts = table["learner"].value_counts()
    learners = [name for name in CONTESTANTS if counts.get(name, 0) >= MOST * counts[OURS]]
    partly = [name for name in CONTESTANTS if name in counts and name not in learners]
    fair = same_splits(table[table["learner"].isin(learners)])
    by_set = means(fair)
    sets = common_sets(by_set, learners)
    n_splits = fair.groupby("set")["split"].nunique()
    halves = {
        "the choosing half": [s for s in sets if is_choosing(*s.split("/", 1))],
        "the confirming half": [s for s in sets if not is_choosing(*s.split("/", 1))],
    }
    text = [
        INTRO.format(
            command=command or "as far as it was run",
            machine=report.machine(),
            n_sets=len(sets),
            splits=_splits_text(n_splits[sets]),
        ),
        "## Targets\n",
        report.markdown(
            ["target", "wanted", "measured", ""],
            targets(by_set, sets, learners) + small_targets(table) + ensemble_targets(table),
        ),
        "",
        slow_fits(means(table), sizes),
        "\n## All sets\n",
        report.markdown(SUMMARY_HEAD, summary(by_set, sets, learners)),
    ]
    for title, half in halves.items():
        text += [f"\n## {title.capitalize()} ({len(half)} sets)\n"]
        text += [report.markdown(SUMMARY_HEAD, summary(by_set, half, learners))]
    if rows := r_table(by_set, sets):
        head = ["learner", "accuracy", "AUC", "ours less theirs", "ours less theirs, AUC"]
        text += ["\n## R packages, on the paper's sets\n", report.markdown(head, rows)]
        text += [
            "\nRecorded means over 20 splits, of which ours are the first; AUC of many classes is"
            " not comparable where R's is of another kind."
        ]
    if partly:
        text += ["\n## Run on some of the sets or splits only\n"]
        for name in partly:
            own = same_splits(table[table["learner"].isin([OURS, name])])
            some = means(own)
            shared = common_sets(some, [OURS, name])
            n_splits = own.groupby("set")["split"].nunique()
            text += [f"{name}, {len(shared)} sets, splits per set: {_span(n_splits.loc[shared])}\n"]
            text += [report.markdown(SUMMARY_HEAD, summary(some, shared, [OURS, name])), ""]
    draw(by_set, sets, learners)
    text += ["\n## Figures\n", "![Ranks](figures/quality_ranks.png)\n"]
    text += ["![Differences per set](figures/quality_differences.png)"]
    for metric, title in (("accuracy", "Accuracy"), ("auc", "AUC"), ("n_leaves", "Leaves")):
        text += [f"\n## {title} per set\n", per_set(by_set, sets, learners, metric)]
    path = FOLDER / "QUALITY.md"
    path.write_text("\n".join(text) + "\n", encoding="utf-8")
    print(f"Wrote {path.relative_to(datasets.REPO_ROOT)}.")
    return path
