"""What outcomes say, as numbers and tables: means over splits, then over sets."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from benchmarks.lib import report
from benchmarks.quality.protocol import Outcomes

METRICS = ("accuracy", "auc", "log_loss", "n_leaves", "n_questions", "seconds", "cpu_seconds")
OURS = "bsnsing"
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


def as_frame(outcomes: Outcomes) -> pd.DataFrame:
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


def mean_and_error(gaps: pd.Series) -> tuple[float, float]:
    """Mean over sets, and its standard error."""
    return float(gaps.mean()), float(gaps.std(ddof=1) / len(gaps) ** 0.5)


def with_error(gaps: pd.Series) -> str:
    return "{:+.2f} ± {:.2f}".format(*mean_and_error(gaps))


def _difference(wide: pd.DataFrame, name: str) -> str:
    """Mean of ours less theirs over sets, with the paired standard error, in points."""
    if name == OURS:
        return ""
    return with_error(100 * (wide[OURS] - wide[name]).dropna())


def _or_dash(value: float, form: str) -> str:
    return "-" if np.isnan(value) else format(value, form)


def per_set(by_set: pd.DataFrame, sets: list[str], learners: Sequence[str], metric: str) -> str:
    wide = by_set[metric].unstack()
    rows = [
        [name, *(_or_dash(wide.loc[name].get(learner, np.nan), ".3f") for learner in learners)]
        for name in sets
    ]
    return report.markdown(["set", *learners], rows)


def every_per_set(by_set: pd.DataFrame, sets: list[str], learners: Sequence[str], mark: str) -> str:
    """Set by set, for the metrics that a reader may want so; ``mark`` makes the headings."""
    parts = []
    for metric, title in (("accuracy", "Accuracy"), ("auc", "AUC"), ("n_leaves", "Leaves")):
        parts += [f"\n{mark} {title} per set\n", per_set(by_set, sets, learners, metric)]
    return "\n".join(parts)
