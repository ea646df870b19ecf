"""What the outcomes of `benchmarks.quality` say: QUALITY.md with its tables and figures."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd

from benchmarks.datasets import published, recorded
from benchmarks.lib import report
from benchmarks.lib.paths import FIGURES, RESULTS
from benchmarks.quality import goals, protocol
from benchmarks.quality.contestants import CONTESTANTS
from benchmarks.quality.tables import (
    OURS,
    SUMMARY_HEAD,
    as_frame,
    common_sets,
    every_per_set,
    means,
    same_splits,
    summary,
    with_error,
)

MOST = 0.9  # of our own outcomes, that a learner must have to stand in the main tables
R_PEERS = ("C5.0", "rpart", "ctree", "tree", "R bsnsing")

INTRO = """# How well our trees predict

Made by `python -m benchmarks.quality` (as far as it was run); {machine}.

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


@dataclass(frozen=True)
class Comparison:
    """Learners that were run on nearly all splits, so that all can be judged on the same ones."""

    table: pd.DataFrame  # all outcomes
    learners: list[str]
    partly: list[str]  # learners that were run on few of the splits
    by_set: pd.DataFrame  # means on the splits that all learners have
    sets: list[str]
    n_splits: pd.Series  # of each set


def compare(table: pd.DataFrame) -> Comparison:
    counts = table["learner"].value_counts()
    learners = [name for name in CONTESTANTS if counts.get(name, 0) >= MOST * counts[OURS]]
    fair = same_splits(table[table["learner"].isin(learners)])
    by_set = means(fair)
    sets = common_sets(by_set, learners)
    return Comparison(
        table=table,
        learners=learners,
        partly=[name for name in CONTESTANTS if name in counts and name not in learners],
        by_set=by_set,
        sets=sets,
        n_splits=fair.groupby("set")["split"].nunique()[sets],
    )


def write(outcomes: protocol.Outcomes) -> None:
    """Write QUALITY.md and its figures."""
    table = as_frame(outcomes)
    if table.empty or OURS not in set(table["learner"]):
        print(f"{len(outcomes)} outcomes; no report without outcomes of {OURS!r}.")
        return
    found = compare(table)
    by_set, sets, learners = found.by_set, found.sets, found.learners
    sizes = {f"{s}/{n}": published.n_rows(s, n) for s, n in protocol.all_sets()}
    text = [
        INTRO.format(
            machine=report.machine(), n_sets=len(sets), splits=_splits_text(found.n_splits)
        ),
        "## Targets\n",
        report.markdown(goals.HEAD, goals.all_goals(table, by_set, sets, learners)),
        "",
        slow_fits(means(table), sizes),
        "\n## All sets\n",
        report.markdown(SUMMARY_HEAD, summary(by_set, sets, learners)),
        *halves(found),
        *r_part(by_set, sets),
        *partly_run(found),
        *picture_part(found),
        every_per_set(by_set, sets, learners, "##"),
    ]
    report.save(RESULTS / "QUALITY.md", "\n".join(text) + "\n")


def halves(found: Comparison) -> list[str]:
    """The sets that chose our defaults, and those that confirm them."""
    text = []
    for title, half in zip(("choosing", "confirming"), protocol.halves(found.sets), strict=True):
        text += [f"\n## The {title} half ({len(half)} sets)\n"]
        text += [report.markdown(SUMMARY_HEAD, summary(found.by_set, half, found.learners))]
    return text


def partly_run(found: Comparison) -> list[str]:
    """Each of the learners that were run on few of the splits, beside ours."""
    text = ["\n## Run on some of the sets or splits only\n"] if found.partly else []
    for name in found.partly:
        own = same_splits(found.table[found.table["learner"].isin([OURS, name])])
        some = means(own)
        shared = common_sets(some, [OURS, name])
        n_splits = own.groupby("set")["split"].nunique()
        text += [f"{name}, {len(shared)} sets, splits per set: {_span(n_splits.loc[shared])}\n"]
        text += [report.markdown(SUMMARY_HEAD, summary(some, shared, [OURS, name])), ""]
    return text


def picture_part(found: Comparison) -> list[str]:
    from benchmarks.quality import pictures

    drawn = pictures.draw(found.by_set, found.sets, found.learners, RESULTS / FIGURES)
    lines = [f"![{title}]({FIGURES}/{path.name})" for title, path in drawn.items()]
    return ["\n## Figures\n", "\n\n".join(lines)]


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


def r_part(by_set: pd.DataFrame, sets: list[str]) -> list[str]:
    """R's packages on the same splits of the paper's sets, as recorded, beside ours."""
    theirs = recorded.r_packages()
    plain = {name.split("/")[1]: name for name in sets if not name.startswith("dl85/")}
    both = [n for n in plain if all((n, peer) in theirs for peer in R_PEERS)]
    if not both:
        return []
    ours = by_set.xs(OURS, level="learner").loc[[plain[name] for name in both]]
    rows = [[OURS, f"{ours['accuracy'].mean():.4f}", f"{ours['auc'].mean():.4f}", "", ""]]
    for peer in R_PEERS:
        scores, gaps = [], []
        for metric in ("accuracy", "auc"):
            values = np.array([float(theirs[name, peer][metric] or "nan") for name in both])
            scores.append(f"{np.nanmean(values):.4f}")
            gaps.append(with_error(100 * (ours[metric] - values).dropna()))
        rows.append([peer, *scores, *gaps])
    head = ["learner", "accuracy", "AUC", "ours less theirs", "ours less theirs, AUC"]
    return [
        "\n## R packages, on the paper's sets\n",
        report.markdown(head, rows),
        "\nRecorded means over 20 splits, of which ours are the first; AUC of many classes is"
        " not comparable where R's is of another kind.",
    ]


def _splits_text(n_splits: pd.Series) -> str:
    parts = [
        f"{count} with {n} random 70/30 split{'s' if n > 1 else ''}"
        for n, count in n_splits.value_counts().sort_index(ascending=False).items()
    ]
    return ", ".join(parts)


def _span(numbers: pd.Series) -> str:
    """The least and the greatest number, or the one there is."""
    least, greatest = numbers.min(), numbers.max()
    return str(least) if least == greatest else f"{least} to {greatest}"
