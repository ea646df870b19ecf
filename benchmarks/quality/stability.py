"""How much do trees change with chance? Run: python -m benchmarks.quality.stability.

On sets of `benchmarks.quality` below 2000 rows each learner is fitted with several seeds, and with
one seed to several bootstrap samples of the training rows. Pairs of these fits are compared: how
often they predict the same of new cases, and whether they ask about the same columns at the root.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd
from threadpoolctl import threadpool_limits

from benchmarks import datasets
from benchmarks.datasets.dataset import Dataset
from benchmarks.lib import outcomes as on_file
from benchmarks.lib import report
from benchmarks.lib.outcomes import Job
from benchmarks.lib.paths import RESULTS
from benchmarks.quality import protocol, scores
from benchmarks.quality.contestants import Task
from benchmarks.quality.pruned_cart import fit_pruned_cart
from benchmarks.quality.tables import with_error
from bsnsing import BsnsingClassifier, Tree

MAX_ROWS = 2000
EVERY = 3  # of the sets in order of size, each third
OURS, PLAIN, CART = "bsnsing", "bsnsing plain()", "CART CV-pruned"
SEEDS, SAMPLES = "seeds", "bootstrap samples"
N_FITS = 5
MEASURES = {
    "agreement": "same label",
    "difference": "mean difference of probabilities",
    "same_root": "same root columns",
    "shared_root": "a root column in common",
    "accuracy": "accuracy",
    "leaves": "leaves",
}

Fit = tuple[np.ndarray, frozenset[str], int]  # probabilities of new cases, root columns, leaves


def fit_ours(make: Callable[..., BsnsingClassifier]) -> Callable[[Task, int], Fit]:
    def fit(task: Task, seed: int) -> Fit:
        train, test = task.tables
        model = make(random_state=seed).fit(train, task.y)
        return all_shares(model, test, task), root_columns(model.tree_), model.get_n_leaves()

    return fit


def fit_cart(task: Task, seed: int) -> Fit:
    train, test = task.numbers
    model = fit_pruned_cart(train, task.y, seed)
    place = model.tree_.feature[0]
    root = frozenset() if place < 0 else frozenset([sources_of(task.data)[place]])
    return all_shares(model, test, task), root, model.get_n_leaves()


LEARNERS: dict[str, Callable[[Task, int], Fit]] = {
    OURS: fit_ours(BsnsingClassifier),
    PLAIN: fit_ours(BsnsingClassifier.plain),
    CART: fit_cart,
}


def all_shares(model: Any, X: Any, task: Task) -> np.ndarray:
    """Probabilities with a column for every class of the set; a sample may lack some."""
    shares = np.zeros((len(X), task.data.n_classes))
    shares[:, model.classes_] = model.predict_proba(X)
    return shares


def root_columns(tree: Tree) -> frozenset[str]:
    """The columns that the rule at the root is about; none if there is no rule."""
    names: set[str] = set()
    for question in tree.rules[0].questions if tree.rules[0] else ():
        column = question.column
        names |= {column} if isinstance(column, str) else {column.first, column.second}
    return frozenset(names)


def sources_of(data: Dataset) -> list[str]:
    """The column of the table that each column of its `numbers` comes from."""
    is_category = [column for column in data.X if data.X[column].dtype == "category"]
    is_partial = any(data.X[column].isna().any() for column in is_category)
    names = [column for column in data.X if column not in is_category]
    for column in is_category:
        names += [column] * (len(data.X[column].cat.categories) + is_partial)
    return [str(name) for name in names]


def some_sets() -> list[str]:
    """Sets of all sizes below the limit."""
    sets = sorted(
        protocol.all_sets(MAX_ROWS), key=lambda key: (datasets.load(*key).n_rows, key[1], key[0])
    )
    return ["/".join(key) for key in sets[1::EVERY]]


def run_one(job: Job) -> dict[str, Any]:
    """Fit several times, and compare every pair of fits."""
    data = datasets.load(*job["set"].split("/", 1))
    task = protocol.make_task(data, 0)
    fits = []
    for number in range(job["fits"]):
        rows, seed = task.train, number
        if job["change"] == SAMPLES:
            rng = np.random.default_rng(number)
            rows, seed = np.sort(rng.choice(task.train, len(task.train))), 0
        with threadpool_limits(1):
            fits.append(LEARNERS[job["learner"]](Task(data, rows, task.test), seed))
    pairs = [compared(first, second) for first, second in combinations(fits, 2)]
    found: dict[str, float] = pd.DataFrame(pairs).mean().to_dict()
    y = data.codes[task.test]
    found["accuracy"] = float(np.mean([scores.accuracy(shares, y) for shares, _, _ in fits]))
    found["leaves"] = float(np.mean([n_leaves for _, _, n_leaves in fits]))
    return found


def compared(first: Fit, second: Fit) -> dict[str, float]:
    """What two fits have in common; the difference is between no (0) and all (1)."""
    return {
        "agreement": float((first[0].argmax(axis=1) == second[0].argmax(axis=1)).mean()),
        "difference": float(np.abs(first[0] - second[0]).sum(axis=1).mean() / 2),
        "same_root": float(first[1] == second[1]),
        "shared_root": float(bool(first[1] & second[1]) or first[1] == second[1]),
    }


def summary(table: pd.DataFrame) -> Iterator[list[str]]:
    """One line per change and learner: means over sets."""
    for (change, learner), own in table.groupby(["change", "learner"], sort=False):
        means = own[list(MEASURES)].mean()
        forms = {"difference": ".3f", "leaves": ".1f", "accuracy": ".3f"}
        yield [change, learner, *(f"{means[m]:{forms.get(m, '.1%')}}" for m in MEASURES)]


def gaps(table: pd.DataFrame) -> Iterator[str]:
    """Ours less CART's, in points, with the standard error over sets."""
    for change, own in table.groupby("change", sort=False):
        wide = own.pivot(index="set", columns="learner")
        found = {
            MEASURES[measure]: with_error(100 * (wide[measure][OURS] - wide[measure][CART]))
            for measure in ("agreement", "same_root")
        }
        yield f"- {change}: " + ", ".join(f"{name} {gap}" for name, gap in found.items())


def text_of(table: pd.DataFrame) -> str:
    """The report."""
    head = ["set", *(f"{learner}, {c}" for c in (SEEDS, SAMPLES) for learner in LEARNERS)]
    per_set = {}
    for measure in ("agreement", "same_root"):
        wide = table.pivot(index="set", columns=["change", "learner"], values=measure)
        wide = wide.loc[table["set"].unique()]
        rows = [
            [name, *(f"{line[c, learner]:.3f}" for c in (SEEDS, SAMPLES) for learner in LEARNERS)]
            for name, line in wide.iterrows()
        ]
        per_set[measure] = report.markdown(head, rows)
    n_fits = table["fits"].iloc[0]
    return f"""# How much trees change with chance

Made by `python -m benchmarks.quality.stability`; {report.machine()}.

{table["set"].nunique()} sets below {MAX_ROWS:,} rows, one of every {EVERY} by size, one random
70/30 split each. Each learner is fitted with {n_fits} seeds (`random_state`), then with seed 0 to
{n_fits} bootstrap samples of the training rows. Means over all pairs of these fits, then over sets:
new cases that get the same label; half the sum of absolute differences of probabilities; pairs
whose roots ask about the same columns, or about one in common (ours may ask about several).
`plain()` does not depend on the seed, and scikit-learn's tree, pruned by 5-fold cross-validation,
only through ties.

{report.markdown(["change", "learner", *MEASURES.values()], summary(table))}

Ours less {CART}, in points with the standard error over sets:

{chr(10).join(gaps(table))}

## Same label, per set

{per_set["agreement"]}

## Same root columns, per set

{per_set["same_root"]}
"""


def main(arguments: Sequence[str] | None = None) -> None:
    parser = protocol.options("stability", __doc__)
    parser.add_argument("--fits", type=int, default=N_FITS, help="fits to compare (default 5)")
    args = parser.parse_args(arguments)
    on_file.forget(args.file, args.again)
    jobs = [
        {"set": key, "change": change, "learner": learner, "fits": args.fits}
        for key in some_sets()
        for change in (SEEDS, SAMPLES)
        for learner in LEARNERS
    ]
    report.save(RESULTS / "STABILITY.md", text_of(on_file.gather(args.file, jobs, run_one, "Fits")))


if __name__ == "__main__":
    main()
