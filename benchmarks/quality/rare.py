"""What are chances of rare classes worth? Run: python -m benchmarks.quality.rare.

Made-up tables with an event of a known rate, sets whose smallest class is rare, and sets whose
smaller class is thinned. The default tree is compared with two of scikit-learn's: pruned by
cross-validation, and with 12 leaves. Its mean probability should be the rate, on the cases that it
learnt from and on new ones; its AUC and log loss should be no worse than the better of theirs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from typing import Any

import numpy as np
import pandas as pd
from sklearn.tree import DecisionTreeClassifier
from threadpoolctl import threadpool_limits

from benchmarks import datasets
from benchmarks.datasets import made, published
from benchmarks.datasets.dataset import Dataset
from benchmarks.lib import outcomes as on_file
from benchmarks.lib import report
from benchmarks.lib.outcomes import Job
from benchmarks.lib.paths import FIGURES, RESULTS
from benchmarks.quality import calibration, protocol, scores
from benchmarks.quality.contestants import Outcome, Task, fit_sklearn, ours, shares_of
from benchmarks.quality.pruned_cart import fit_pruned_cart
from bsnsing import BsnsingClassifier

OURS, PRUNED, TWELVE = "bsnsing", "CART CV-pruned", "CART 12 leaves"
TEST_ROWS = 40_000
RATES = (0.005, 0.01, 0.02, 0.05, 0.2)
ROWS = (2000, 10_000, 40_000)
STRENGTHS = {"weak": 0.4, "strong": 0.8}
KINDS = [(2, "weak"), (2, "strong"), (3, "strong"), (5, "strong")]  # classes, signal
RARE = 0.125  # a class of less is rare, if it is also below half of an even share
THINNED_TO = 0.02
THINNED = ("Adult", "magic04", "Mushroom", "compas", "spambase", "kr-vs-kp", "splice-1", "titanic")
MANY_ROWS, FEW_SPLITS = 15_000, 2  # sets of more rows have fewer splits


def learn_pruned(task: Task) -> Outcome:
    train, test = task.numbers
    model = fit_pruned_cart(train, task.y)
    return Outcome(shares_of(model, test, task), model.get_n_leaves())


def learn_twelve(task: Task) -> Outcome:
    model = DecisionTreeClassifier(max_leaf_nodes=12, random_state=0)
    return fit_sklearn(model, task, task.numbers)


LEARNERS: dict[str, Callable[[Task], Outcome]] = {
    OURS: ours(BsnsingClassifier),
    PRUNED: learn_pruned,
    TWELVE: learn_twelve,
}


@lru_cache(maxsize=1)
def made_task(classes: int, rate: float, signal: str, rows: int, seed: int) -> Task:
    """A made-up table and new rows, no draw of which serves another setting."""
    which = [seed, classes, list(STRENGTHS).index(signal), round(1000 * rate), rows]
    settings: dict[str, Any] = {"strength": STRENGTHS[signal], "n_classes": classes}
    X, y = made.rare_table(rows, rate, seed=[*which, 0], **settings)
    new_X, new_y = made.rare_table(TEST_ROWS, rate, seed=[*which, 1], **settings)
    table = pd.DataFrame(np.r_[X, new_X], columns=[f"x{i}" for i in range(X.shape[1])])
    data = Dataset("made", "made", table, np.concatenate([y, new_y]))
    return Task(data, np.arange(rows), np.arange(rows, len(table)))


@lru_cache(maxsize=1)
def set_task(key: str, split: int, is_thinned: bool) -> Task:
    """A split of a set; if thinned, with few of its smaller class in both parts."""
    data = datasets.load(*key.split("/", 1))
    task = protocol.make_task(data, split)
    if not is_thinned:
        return task
    rng = np.random.default_rng(split)
    return Task(data, *(thinned(rows, data.codes, rng) for rows in (task.train, task.test)))


def thinned(rows: np.ndarray, codes: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Leave as many rows of the smaller class as make it ``THINNED_TO`` of all."""
    smaller = np.bincount(codes).argmin()
    is_smaller = codes[rows] == smaller
    n_left = round(THINNED_TO / (1 - THINNED_TO) * (~is_smaller).sum())
    return np.sort(np.r_[rows[~is_smaller], rng.permutation(rows[is_smaller])[:n_left]])


def rare_classes(codes: np.ndarray) -> np.ndarray:
    """Classes that are rare; of two only the smaller can be."""
    shares = np.bincount(codes) / len(codes)
    return np.flatnonzero(shares < min(RARE, 0.5 / len(shares)))


def rare_sets() -> list[str]:
    """Sets with such a class."""
    return [
        f"{suite}/{name}"
        for suite, name in protocol.all_sets()
        if len(rare_classes(datasets.load(suite, name).codes))
    ]


def thinned_sets() -> list[str]:
    keys = [f"{suite}/{name}" for suite, name in protocol.all_sets()]
    return [key for name in THINNED for key in keys if key.split("/")[1] == name]


def judge(task: Task, learner: str, rare: Sequence[int]) -> dict[str, Any]:
    """Let one learn; what it makes of the cases it learnt from, and of new ones."""
    n_train = len(task.train)
    both = Task(task.data, task.train, np.r_[task.train, task.test])
    with threadpool_limits(1):
        outcome = LEARNERS[learner](both)
    old, new = outcome.shares[:n_train], outcome.shares[n_train:]
    y = task.data.codes[task.test]
    return {
        "auc": scores.auc(new, y),
        "log_loss": scores.log_loss(new, y),
        "leaves": float(outcome.n_leaves),
        "n_train": n_train,
        "train_rate": [float((task.y == k).mean()) for k in rare],
        "test_rate": [float((y == k).mean()) for k in rare],
        "train_mean": [float(old[:, k].mean()) for k in rare],
        "new_mean": [float(new[:, k].mean()) for k in rare],
        "bins": calibration.bins_of(new[:, rare].sum(axis=1), np.isin(y, rare)),
    }


def run_made(job: Job) -> dict[str, Any]:
    task = made_task(*(job[key] for key in ("classes", "rate", "signal", "rows", "seed")))
    return judge(task, job["learner"], range(1, job["classes"]))


def run_set(job: Job) -> dict[str, Any]:
    task = set_task(job["set"], job["seed"], job["part"] == "thinned")
    codes = task.data.codes
    rare = [np.bincount(codes).argmin()] if job["part"] == "thinned" else rare_classes(codes)
    return judge(task, job["learner"], [int(k) for k in rare])


def made_jobs(n_seeds: int) -> list[Job]:
    return [
        {"part": "made", "classes": classes, "signal": signal, "rate": rate, "rows": rows}
        | {"seed": seed, "learner": learner}
        for seed in range(n_seeds)
        for classes, signal in KINDS
        for rate in RATES
        for rows in ROWS
        for learner in LEARNERS
    ]


def set_jobs(part: str, keys: list[str], n_splits: int) -> list[Job]:
    def splits(key: str) -> int:
        is_large = published.n_rows(*key.split("/", 1)) > MANY_ROWS
        return min(n_splits, FEW_SPLITS) if is_large else n_splits

    return [
        {"part": part, "set": key, "seed": split, "learner": learner}
        for key in keys
        for split in range(splits(key))
        for learner in LEARNERS
    ]


def ratios(own: pd.DataFrame, mean: str, rate: str) -> np.ndarray:
    """Mean probability over the rate, over all seeds, of each rare class."""
    means, rates = (np.mean(own[column].tolist(), axis=0) for column in (mean, rate))
    return np.divide(means, rates, out=np.ones(len(rates)), where=rates > 0)


def most_off(values: np.ndarray) -> float:
    """The ratio that is farthest from 1."""
    return float(values[np.abs(values - 1).argmax()])


def rate_errors(own: pd.DataFrame) -> tuple[np.ndarray, np.ndarray]:
    """Standard errors of the training rate and of the test rate over all seeds, as shares of it."""
    rate = np.mean(own["train_rate"].tolist(), axis=0)
    odds = (1 - rate) / np.maximum(rate, 1 / own["n_train"].sum())
    n_test = sum(n_cases for bins in own["bins"] for n_cases, _, _ in bins)
    return np.sqrt(odds / own["n_train"].sum()), np.sqrt(odds / n_test)


def verdict(by_learner: dict[str, pd.DataFrame]) -> list[str]:
    """What is not met; a question mark where two standard errors can explain it."""
    own = by_learner[OURS]
    of_train, of_test = rate_errors(own)
    not_met = []
    for name, mean, rate, allowed, error in (
        ("train", "train_mean", "train_rate", 0.05, 0.0 * of_train),
        ("new", "new_mean", "train_rate", 0.1, of_test),
        ("test rate", "new_mean", "test_rate", 0.1, np.hypot(of_train, of_test)),
    ):
        gaps = np.abs(ratios(own, mean, rate) - 1) - allowed
        if (gaps > 0).any():
            not_met.append(name if (gaps > 2 * error).any() else f"{name}?")
    for metric, name, sign in (("auc", "AUC", 1), ("log_loss", "log loss", -1)):
        rival = max(
            (sign * by_learner[learner][metric].to_numpy() for learner in (PRUNED, TWELVE)),
            key=np.mean,
        )
        gaps = sign * own[metric].to_numpy() - rival
        error = gaps.std(ddof=1) / len(gaps) ** 0.5 if len(gaps) > 1 else np.inf
        if gaps.mean() < -1e-12:
            not_met.append(name if gaps.mean() < -2 * error else f"{name}?")
    return not_met


def rows_of(table: pd.DataFrame, keys: list[str]) -> Iterator[tuple[list[str], list[str]]]:
    """One line per setting, and what it does not meet."""
    for key, own in table.groupby(keys, sort=False):
        parts = {name: part.sort_values("seed") for name, part in own.groupby("learner")}
        bsnsing = parts[OURS]
        not_met = verdict(parts)
        line = [f"{100 * k:g} %" if isinstance(k, float) else str(k) for k in key]
        line.append(f"{100 * np.mean(bsnsing['train_rate'].tolist(), axis=0).min():.2f} %")
        for mean, rate in (
            ("train_mean", "train_rate"),
            ("new_mean", "train_rate"),
            ("new_mean", "test_rate"),
        ):
            line.append(f"{most_off(ratios(bsnsing, mean, rate)):.3f}")
        line.append(f"{np.hypot(*rate_errors(bsnsing)).max():.2f}")
        for metric, form in (("auc", ".3f"), ("log_loss", ".4f"), ("leaves", ".0f")):
            line += [f"{parts[name][metric].mean():{form}}" for name in LEARNERS]
        yield [*line, "not: " + ", ".join(not_met) if not_met else "met"], not_met


HEAD = ["rarest", "train", "new", "test rate", "error"]
HEAD += [
    f"{metric}{name}"
    for metric in ("AUC", "log loss", "leaves")
    for name in ("", ", pruned", ", 12 leaves")
]


OFF = ("train", "new")


def farthest(shown: Sequence[str]) -> float:
    """How far from 1 the ratios of a column lie at most."""
    return max(abs(float(ratio) - 1) for ratio in shown)


def part_of(title: str, text: str, table: pd.DataFrame, keys: list[str]) -> tuple[str, str]:
    """The table of one part, and what is not met there."""
    lines = list(rows_of(table, keys))
    text = f"## {title}\n\n{text}\n\n" + report.markdown(
        [*keys, *HEAD, "verdict"], [line for line, _ in lines]
    )
    failures = []
    for reason in ("train", "new", "test rate", "AUC", "log loss"):
        for mark, note in (("", ""), ("?", ", within two standard errors")):
            where = [" ".join(ln[: len(keys)]) for ln, not_met in lines if reason + mark in not_met]
            if where:
                places = f"{len(where)} of {len(lines)} ({'; '.join(where)})"
                failures.append(f"- {reason}{note}: {places}")
    is_met = sum(not not_met for _, not_met in lines)
    is_open = sum(all(reason.endswith("?") for reason in not_met) for _, not_met in lines) - is_met
    off = {
        name: farthest([line[len(keys) + HEAD.index(name)] for line, _ in lines]) for name in OFF
    }
    head = (
        f"{title}: {is_met} of {len(lines)} settings meet everything; {is_open} more do but for\n"
        "what two standard errors can explain. Mean probabilities are within "
        f"{100 * off['train']:.0f} % of the\ntraining rate on training cases, and within "
        f"{100 * off['new']:.0f} % on new ones."
    )
    return text, "\n".join([head, "", *failures])


def panels(parts: dict[str, pd.DataFrame]) -> dict[str, dict[str, list[calibration.Bins]]]:
    """The settings whose curves are drawn."""
    tables = {}
    found = parts["made"]
    for classes, signal, rate, rows in (
        (2, "strong", 0.005, 40_000),
        (2, "weak", 0.02, 10_000),
        (2, "strong", 0.05, 2000),
        (5, "strong", 0.2, 10_000),
    ):
        own = found.query("classes == @classes and signal == @signal and rate == @rate")
        title = f"{100 * rate:g} %, {signal}, {classes} classes, {rows:,} rows"
        tables[title] = own[own["rows"] == rows]
    for part, key in (("real", "binary/ozone1"), ("thinned", "binary/Adult")):
        found = parts[part]
        title = key.split("/")[1] + (", thinned to 2 %" if part == "thinned" else "")
        tables[title] = found[found["set"] == key]
    return {
        title: {name: own[own["learner"] == name]["bins"].tolist() for name in LEARNERS}
        for title, own in tables.items()
        if len(own)
    }


def end_rows(parts: dict[str, pd.DataFrame]) -> Iterator[list[str]]:
    """Events over expected events where probabilities are least and greatest, over settings."""
    groups = {f"made, {rows:,} rows": own for rows, own in parts["made"].groupby("rows")}
    groups |= {"sets with a rare class": parts["real"], "thinned sets": parts["thinned"]}
    for name, table in groups.items():
        line = [name]
        for learner in LEARNERS:
            own = table[table["learner"] == learner]
            for end in (0, -1):
                _, expected, events = np.sum([bins[end] for bins in own["bins"]], axis=0)
                line.append(f"{events / expected:.2f}" if expected else "-")
        yield line


def text_of(parts: dict[str, pd.DataFrame], figure: str) -> str:
    """The report."""
    shown = [
        part_of(
            "Made-up tables",
            f"{parts['made']['seed'].nunique()} tables per setting, {TEST_ROWS:,} new rows each. "
            "Five normal columns; the event's\nchance is in proportion to exp(s (x0 + x1)), s = "
            f"{STRENGTHS['weak']} (weak) or {STRENGTHS['strong']} (strong). With more than two\n"
            "classes the event is of two or four kinds, which two further columns tell.",
            parts["made"],
            ["classes", "signal", "rate", "rows"],
        ),
        part_of(
            "Sets with a rare class",
            f"All of the 72 sets with a class below {100 * RARE:g} % and below half of an even "
            f"share;\n{parts['real']['seed'].nunique()} splits ({FEW_SPLITS} above "
            f"{MANY_ROWS:,} rows).",
            parts["real"],
            ["set"],
        ),
        part_of(
            f"Sets whose smaller class is thinned to {100 * THINNED_TO:g} %",
            f"Of the training rows and of the test rows; {parts['thinned']['seed'].nunique()} "
            f"splits ({FEW_SPLITS} above {MANY_ROWS:,} rows).",
            parts["thinned"],
            ["set"],
        ),
    ]
    tables = "\n\n".join(table for table, _ in shown)
    failures = "\n\n".join(failure for _, failure in shown)
    end_head = ["tables", *(f"{name}, {end}" for name in LEARNERS for end in ("least", "greatest"))]
    return f"""# Chances of rare classes

Made by `python -m benchmarks.quality.rare`; {report.machine()}.

`BsnsingClassifier()` beside scikit-learn's tree pruned by 5-fold cross-validation and with 12
leaves. Means over seeds or splits:

- rarest: training rate of the rarest class.
- train: mean probability on training cases over the training rate; to be within 5 %.
- new: mean probability on new cases over the training rate; to be within 10 %.
- test rate: mean probability on new cases over their own rate; to be within 10 %. No learner knows
  it, and both rates are drawn: the next column has the standard error of their difference, as a
  share of the rate.
- With several rare classes these are of the class that is most off, and the error is the rarest's.
- AUC and log loss (0 counts as 1e-15) on new cases; to be no worse than the better of the two.

A question mark: not met, but two standard errors can explain it, of the rates or, for AUC and log
loss, over seeds of the difference to the better rival.

## What is not met

{failures}

{tables}

## Calibration

Predicted against observed shares of new cases: all rare classes together, all seeds, distinct
probabilities joined to tenths of the expected events; bars are two standard errors.

![Calibration curves]({figure})

Events over expected events in the bin of the least and of the greatest probabilities, all settings
and seeds: 1 is right; above 1 in the first and below 1 in the second is too sure of itself.

{report.markdown(end_head, end_rows(parts))}
"""


def main(arguments: Sequence[str] | None = None) -> None:
    parser = protocol.options("rare", __doc__)
    parser.add_argument("--seeds", type=int, default=3, help="tables per setting (default 3)")
    parser.add_argument("--splits", type=int, default=5, help="splits per set (default 5)")
    args = parser.parse_args(arguments)
    on_file.forget(args.file, args.again)
    parts = {"made": on_file.gather(args.file, made_jobs(args.seeds), run_made, "Tables")}
    for part, keys in (("real", rare_sets()), ("thinned", thinned_sets())):
        jobs = set_jobs(part, keys, args.splits)
        parts[part] = on_file.gather(args.file, jobs, run_set, f"Sets, {part}")
    figure = f"{FIGURES}/rare_calibration.png"
    calibration.draw(RESULTS / figure, panels(parts))
    report.save(RESULTS / "RARE.md", text_of(parts, figure))


if __name__ == "__main__":
    main()
