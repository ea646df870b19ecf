"""The paper's experiments, published figures beside ours. Run: python -m benchmarks.paper NAME.

root     the best root rule of 13 DL8.5 sets: objective, rule, CPU seconds
optimal  accuracy on the 24 DL8.5 sets beside DL8.5 and GOSDT, which are run where installed
depth    trees cut back to 2, 4 and 8 leaves, with rules of one and of two questions, beside DL8.5
sets     the paper's two-class and multi-class sets, beside its five R packages
tuning   Monks2, spirals and tictactoe: smaller leaves, and the ensemble of nine trees
"""

from __future__ import annotations

import argparse
import csv
import json
import multiprocessing
import time
import warnings
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.datasets import published as datasets
from benchmarks.lib import report
from benchmarks.quality import scores
from benchmarks.quality.protocol import load, make_task
from bsnsing import BsnsingClassifier, BsnsingEnsemble, best_rule

PUBLISHED = Path(__file__).parents[1] / "datasets" / "paper_figures"
MOST_SECONDS = 300  # the paper's limit for GOSDT
MOST_BYTES = 12 * 2**30  # of memory, for GOSDT here
R_PACKAGES = ("C5.0", "ctree", "rpart", "tree", "bsnsing")


def read(name: str) -> list[dict[str, str]]:
    with (PUBLISHED / f"{name}.csv").open(encoding="utf-8") as file:
        return list(csv.DictReader(file))


def root(n_splits: int) -> None:
    """The root split of whole sets: rules of two questions at most, leaves of one case."""
    rows = []
    for line in read("root_splits"):
        answers, y = datasets.load_answers(line["set"])
        begin = time.process_time()
        split = best_rule(answers, y)
        seconds = time.process_time() - begin
        rule = " or ".join(f"V{k + 2}" for k in split.questions)
        is_same = (str(split.objective), rule) == (line["objective"], line["rule"])
        row = [line["set"], line["n"], line["m"], line["objective"], split.objective]
        row += [line["rule"], rule, "same" if is_same else "DIFFERS"]
        rows.append([*row, line["cpu_seconds"], f"{seconds:.4f}"])
    head = "set|n|m|paper's objective|ours|paper's rule|ours||paper's CPU s|ours"
    print(report.markdown(head.split("|"), rows))


def leaf_of_paper(n_train: int) -> int:
    return max(1, round(n_train**0.25))


def accuracy_of(fit: Callable[[Any, Any], Any], name: str, n_splits: int) -> tuple[float, float]:
    """Mean test accuracy over the splits of a DL8.5 set, and mean CPU seconds of a fit."""
    data = load("dl85", name)
    right, seconds = [], []
    for number in range(n_splits):
        task = make_task(data, number)
        begin = time.process_time()
        model = fit(data.answers[task.train], data.y[task.train].astype(int))
        seconds.append(time.process_time() - begin)
        labels = np.asarray(model.predict(data.answers[task.test]))
        right.append(float(np.mean(labels == data.y[task.test].astype(int))))
    return float(np.mean(right)), float(np.mean(seconds))


def fit_dl85(max_depth: int = 3, min_sup: int = 5) -> Callable[[Any, Any], Any]:
    from pydl85 import DL85Classifier

    return lambda X, y: DL85Classifier(
        max_depth=max_depth, min_sup=min_sup, time_limit=MOST_SECONDS
    ).fit(X, y)


def fit_gosdt() -> Callable[[Any, Any], Any]:
    import pandas as pd
    from gosdt import GOSDTClassifier, _classifier

    # Its release 1.0.4 names an argument as scikit-learn did before 1.6, and so cannot predict.
    _classifier.check_array = lambda X, **_: np.asarray(X, dtype=bool)

    class WithFrames:
        """GOSDT as the paper ran it; it wants named columns."""

        def __init__(self, X: Any, y: Any) -> None:
            self.model = GOSDTClassifier(
                regularization=0.001, allow_small_reg=True, depth_budget=5, time_limit=60
            ).fit(pd.DataFrame(X), y)

        def predict(self, X: Any) -> Any:
            return self.model.predict(pd.DataFrame(X))

    return WithFrames


def installed(make: Callable[[], Callable[[Any, Any], Any]], name: str) -> Any:
    try:
        return make()
    except ImportError:
        print(f"{name} is not installed: its column is the paper's alone.\n")
        return None


def optimal(n_splits: int) -> None:
    """Accuracy and time on the 24 sets; the paper's node size is n^(1/4)."""
    rivals = {
        "dl85": installed(fit_dl85, "pydl8.5"),
        "gosdt": installed(fit_gosdt, "gosdt"),
    }
    learners: dict[str, Any] = {
        "bsnsing": lambda X, y: BsnsingClassifier.paper(min_samples_leaf=leaf_of_paper(len(X))).fit(
            X, y
        ),
        "default": lambda X, y: BsnsingClassifier().fit(X, y),
    } | {key: fit for key, fit in rivals.items() if fit}
    rows, ours = [], {key: [] for key in learners}
    for line in report.tracked(read("dl85"), "DL8.5 sets"):
        row = [line["set"]]
        for key, fit in learners.items():
            if key == "gosdt":
                found = _try(gosdt_apart, line["set"], min(2, n_splits))
            else:
                found = _try(partial(accuracy_of, fit), line["set"], n_splits)
            ours[key].append(found)
            if key != "default":
                row.append(line[f"{key}_accuracy"])
            row += [f"{found[0]:.3f}", f"{found[1]:.2f}"]
        row.append(line["osdt_accuracy"])
        rows.append(row)
    head = ["set"]
    for key in learners:
        head += [f"paper's {key}"] if key != "default" else []
        head += [f"{key} here", "CPU s"]
    print(report.markdown([*head, "paper's osdt"], rows))
    accuracies = {key: np.array([accuracy for accuracy, _ in found]) for key, found in ours.items()}
    is_common = ~np.isnan(list(accuracies.values())).any(axis=0)
    print(
        f"\nMeans over the {is_common.sum()} sets that all managed: "
        + ", ".join(f"{key} {found[is_common].mean():.4f}" for key, found in accuracies.items())
        + ". GOSDT: two splits at most, 60 s, 12 GiB and depth 5 here; 300 s and no limit in the "
        "paper."
    )


def gosdt_apart(name: str, n_splits: int) -> tuple[float, float]:
    """GOSDT may take all memory there is, and whoever runs it: so a process of its own, limited."""
    spawn = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(1, mp_context=spawn, initializer=_limit_memory) as pool:
        return pool.submit(_accuracy_of_gosdt, name, n_splits).result()


def _limit_memory() -> None:
    import resource

    resource.setrlimit(resource.RLIMIT_AS, (MOST_BYTES, MOST_BYTES))


def _accuracy_of_gosdt(name: str, n_splits: int) -> tuple[float, float]:
    return accuracy_of(fit_gosdt(), name, n_splits)


def _try(
    judge: Callable[[str, int], tuple[float, float]], name: str, n_splits: int
) -> tuple[float, float]:
    try:
        return judge(name, n_splits)
    except Exception as error:  # a rival's failure is an outcome too
        print(f"{name}: {type(error).__name__}: {error}")
        return np.nan, np.nan


def depth(n_splits: int) -> None:
    """Trees cut back to 2^depth leaves beside optimal trees of that depth."""
    dl85 = installed(fit_dl85, "pydl8.5")
    rows, sums = [], []
    for line in report.tracked(read("depth"), "DL8.5 sets"):
        row, means = [line["set"]], []
        for d in (1, 2, 3):
            for rules in (2, 1):
                found = _try(partial(accuracy_of, cut_back(rules, 2**d)), line["set"], n_splits)[0]
                row += [line[f"bs{rules}_depth{d}"], f"{found:.3f}"]
                means += [float(line[f"bs{rules}_depth{d}"]), found]
            found = np.nan
            if dl85:
                found = _try(partial(accuracy_of, fit_dl85(d)), line["set"], n_splits)[0]
            row += [line[f"dl85_depth{d}"], f"{found:.3f}"]
            means += [float(line[f"dl85_depth{d}"]), found]
        rows.append(row)
        sums.append(means)
    rows.append(["mean", *(f"{value:.3f}" for value in np.nanmean(sums, axis=0))])
    head = ["set"]
    for d in (1, 2, 3):
        for key in ("bs(2)", "bs(1)", "DL8.5"):
            head += [f"paper's {key} depth {d}", "here"]
    print(report.markdown(head, rows))


def cut_back(max_rules: int, max_leaf_nodes: int) -> Callable[[Any, Any], Any]:
    return lambda X, y: BsnsingClassifier.paper(
        max_rules=max_rules,
        min_samples_leaf=leaf_of_paper(len(X)),
        max_leaf_nodes=max_leaf_nodes,
    ).fit(X, y)


def judge(make: Callable[[], Any], suite: str, name: str, n_splits: int) -> tuple[float, float]:
    """Mean accuracy of the labels and mean AUC over the splits on file."""
    data = load(suite, name)
    right, areas = [], []
    for number in range(n_splits):
        task = make_task(data, number)
        train, test = task.tables
        y = data.codes[task.test]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            model = make().fit(train, task.y)
        shares = np.zeros((len(test), data.n_classes))
        shares[:, model.classes_] = model.predict_proba(test)
        right.append(float((model.predict(test) == y).mean()))
        areas.append(scores.auc(shares, y))
    return float(np.mean(right)), float(np.nanmean(areas))


def sets(n_splits: int) -> None:
    """All sets of the paper that are here, with its settings and with our defaults."""
    path = datasets.SHARED / "reference" / "paper_tables.json"
    published = json.loads(path.read_text(encoding="utf-8"))
    rows, numbers = [], []
    for suite, name in report.tracked(datasets.paper_names(), "sets"):
        theirs = published.get(name)
        if theirs is None:
            continue
        found = [
            judge(make, suite, name, n_splits)
            for make in (BsnsingClassifier.paper, BsnsingClassifier)
        ]
        accuracy = [theirs["acc"].get(key, np.nan) for key in R_PACKAGES]
        area = [theirs["auc"].get(key, np.nan) for key in R_PACKAGES]
        values = [*accuracy, found[0][0], found[1][0], *area, found[0][1], found[1][1]]
        numbers.append(values)
        rows.append([name, *(f"{value:.3f}" for value in values)])
    rows.append(["mean", *(f"{value:.3f}" for value in np.nanmean(numbers, axis=0))])
    head = ["set"]
    for metric in ("accuracy", "AUC"):
        head += [f"{key} {metric}" for key in R_PACKAGES]
        head += [f"paper() {metric}", f"default {metric}"]
    print(report.markdown(head, rows))
    print(f"\nThe R packages' figures are the paper's; of its 75 sets {len(rows) - 1} are here.")


def tuning(n_splits: int) -> None:
    """Three sets on which the paper's defaults are weak."""
    rows = []
    for line in read("tuning"):
        models: dict[str, Callable[[], Any]] = {
            "": BsnsingClassifier.paper,
            "improved_": lambda size=int(line["node_size"]): BsnsingClassifier.paper(
                min_samples_leaf=size
            ),
            "ensemble_": BsnsingEnsemble.paper,
        }
        row = [line["set"]]
        for prefix, make in models.items():
            accuracy, area = judge(make, "binary", line["set"], n_splits)
            row += [line[f"{prefix}accuracy"], f"{accuracy:.3f}", line[f"{prefix}auc"]]
            row += [f"{area:.3f}"]
        for make in (BsnsingClassifier, BsnsingEnsemble):
            row += [f"{value:.3f}" for value in judge(make, "binary", line["set"], n_splits)]
        rows.append(row)
    head = ["set"]
    for title in ("paper()", "smaller leaves", "paper's nine trees"):
        head += [f"{title}: accuracy, paper", "ours", "AUC, paper", "ours"]
    for title in ("our default", "our nine trees"):
        head += [f"{title}: accuracy", "AUC"]
    print(report.markdown(head, rows))


EXPERIMENTS = {f.__name__: f for f in (root, optimal, depth, sets, tuning)}


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("name", choices=list(EXPERIMENTS), help="which experiment")
    parser.add_argument("--splits", type=int, default=20, help="random splits (default 20)")
    args = parser.parse_args()
    if not datasets.is_here():
        parser.exit(1, "The sets are not here. Set BSNSING_SHARED to the folder with data/.\n")
    experiment = EXPERIMENTS[args.name]
    print(f"# {experiment.__doc__}\n\n{report.machine()}, {args.splits} splits\n")
    experiment(args.splits)


if __name__ == "__main__":
    main()
