"""What do questions of other models add? Run: python -m benchmarks.quality.donors.

`plain()`, the default and `paper()` are given what other learners ask (`extra_questions`), on the
sets and splits of `benchmarks.quality` below 5000 rows. R's learners, those of the four that can be
installed, are asked once, and at every node as the paper does. Outcomes are kept in a file, so that
a run which was stopped goes on.
"""

from __future__ import annotations

import importlib.util
import shutil
import warnings
from collections.abc import Callable
from functools import partial
from typing import Any

import pandas as pd
from sklearn.ensemble import ExtraTreesClassifier, RandomForestClassifier
from sklearn.tree import DecisionTreeClassifier

from benchmarks.lib import report
from benchmarks.lib.paths import RESULTS
from benchmarks.quality import protocol, tables
from benchmarks.quality.contestants import Contestant, Outcome, Task, ours
from bsnsing import BsnsingClassifier
from bsnsing.questions.donors.place import MOST_CUTS
from bsnsing.questions.donors.r import R_LEARNERS, r_session

PRESETS: dict[str, Callable[..., BsnsingClassifier]] = {
    "plain()": BsnsingClassifier.plain,
    "default": BsnsingClassifier,
    "paper()": BsnsingClassifier.paper,
}
ALONE = "alone"
# No donor, but other synthetic rows: what chance alone does to the default, the only preset that
# draws any.
ANOTHER_SEED = "nothing, another seed"
SEEDED = "default"
N_TREES = 50


def learners_of_r() -> list[str]:
    """Those of R's four learners that can be used here."""
    if shutil.which("R") is None or importlib.util.find_spec("rpy2") is None:
        return []
    with r_session() as r:
        return [name for name, (package, _) in R_LEARNERS.items() if r.has(package)]


def boosters() -> dict[str, Any]:
    """Boosting of other packages, where these are installed."""
    found: dict[str, Any] = {}
    if importlib.util.find_spec("lightgbm") is not None:
        from lightgbm import LGBMClassifier

        found["LightGBM"] = LGBMClassifier(n_estimators=N_TREES, n_jobs=1, verbosity=-1)
    if importlib.util.find_spec("xgboost") is not None:
        from xgboost import XGBClassifier

        found["XGBoost"] = XGBClassifier(n_estimators=N_TREES, n_jobs=1)
    if importlib.util.find_spec("catboost") is not None:
        from catboost import CatBoostClassifier

        found["CatBoost"] = CatBoostClassifier(
            iterations=N_TREES, thread_count=1, verbose=False, allow_writing_files=False
        )
    return found


def donors() -> dict[str, dict[str, Any]]:
    """What is given to the classifiers, by the name that tables have for it."""
    tree = DecisionTreeClassifier(min_samples_leaf=5, random_state=0)
    learners: dict[str, Any] = {
        "CART": tree,
        "random forest": RandomForestClassifier(N_TREES, min_samples_leaf=2, random_state=0),
        "extra trees": ExtraTreesClassifier(N_TREES, min_samples_leaf=2, random_state=0),
        **boosters(),
    }
    given = {name: {"extra_questions": own} for name, own in learners.items()}
    given["CART, at each node"] = {"extra_questions": tree, "donors_per_node": True}
    if of_r := learners_of_r():
        listed = " and ".join(of_r)
        given[f"{listed} of R"] = {"extra_questions": of_r}
        given[f"{listed} of R, at each node"] = {"extra_questions": of_r, "donors_per_node": True}
    return given


def contestants() -> dict[str, Contestant]:
    """Each preset alone, and with each donor."""
    found = {}
    lent = donors()
    for preset, make in PRESETS.items():
        chance = {ANOTHER_SEED: {"random_state": 1}} if preset == SEEDED else {}
        for donor, settings in {ALONE: {}, **chance, **lent}.items():
            name = f"{preset}: {donor}"
            learn = ours(partial(make, **settings))
            found[name] = Contestant(name, partial(_quietly, learn), "ours")
    return found


def _quietly(learn: Callable[[Task], Outcome], task: Task) -> Outcome:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # donors that small nodes are too small for
        return learn(task)


def change(
    by_set: pd.DataFrame, half: list[str], name: str, base: str, metric: str
) -> tuple[float, float]:
    """Mean change over the sets of a half, and its standard error; of scores in points."""
    wide = by_set[metric].unstack().loc[half]
    unit = 1.0 if metric == "n_leaves" else 100.0
    return tables.mean_and_error(unit * (wide[name] - wide[base]))


def table(by_set: pd.DataFrame, preset: str, names: list[str]) -> str:
    """A preset with each donor, beside itself alone."""
    base = f"{preset}: {ALONE}"
    labels = [base, *(name for name in names if name.startswith(f"{preset}: ") and name != base)]
    sets = tables.common_sets(by_set, labels)
    rows = []
    for name in labels:
        own = by_set.xs(name, level="learner").loc[sets]
        row = [name.split(": ", 1)[1]]
        for half in protocol.halves(sets):
            for metric in ("accuracy", "auc", "log_loss", "n_leaves"):
                if name == base:
                    form = ".1f" if metric == "n_leaves" else ".4f"
                    row.append(format(own.loc[half, metric].mean(), form))
                else:
                    row.append("{:+.2f} ± {:.2f}".format(*change(by_set, half, name, base, metric)))
        rows.append([*row, f"{own['cpu_seconds'].mean():.2f}"])
    head = ["donor"]
    for half in ("choosing", "confirming"):
        head += [f"{metric}, {half}" for metric in ("accuracy", "AUC", "log loss", "leaves")]
    return report.markdown([*head, "mean CPU s"], rows)


def verdict(by_set: pd.DataFrame, names: list[str]) -> str:
    """Donors that are worth it by twice the standard error on both halves, in accuracy and AUC."""
    worth = []
    for name in names:
        preset, donor = name.split(": ", 1)
        if donor == ALONE:
            continue
        base = f"{preset}: {ALONE}"
        parts = protocol.halves(tables.common_sets(by_set, [name, base]))
        gains = [
            change(by_set, half, name, base, metric)
            for half in parts
            for metric in ("accuracy", "auc")
        ]
        if all(gain > 2 * error for gain, error in gains):
            worth.append(f"{donor} for `{preset}`")
    listed = "; ".join(worth) if worth else "none"
    return f"Better on both halves in accuracy and AUC, by over two standard errors: {listed}."


def splits_of(judged: pd.DataFrame) -> str:
    """How many splits the sets have been judged by: a run that was stopped has fewer of some."""
    each = judged.groupby("set")["split"].nunique().value_counts().sort_index(ascending=False)
    if len(each) == 1:
        return f"{each.index[0]} of each"
    return ", ".join(f"{n_splits} of {n_sets} sets" for n_splits, n_sets in each.items())


def text_of(outcomes: pd.DataFrame, names: list[str], n_splits: int) -> str:
    judged, n_sets = tables.same_splits(outcomes), outcomes["set"].nunique()
    by_set = tables.means(judged)
    missing = [name for name in R_LEARNERS if name not in learners_of_r()]
    note = f"Of R's four, {' and '.join(missing)} were not to be had here." if missing else ""
    parts = "\n\n".join(f"## `{preset}`\n\n{table(by_set, preset, names)}" for preset in PRESETS)
    return f"""# What questions of other models add

Made by `python -m benchmarks.quality.donors --splits {n_splits}`; {report.machine()}.

{n_sets} sets below {protocol.QUICK_ROWS} rows, random 70/30 splits: {splits_of(judged)}.
First line of each table: means of the preset alone. Other lines: what changes with the questions of
a donor (`extra_questions`), in points (hundredths) and leaves, with the standard error over sets.
Sets at odd places by name chose the defaults, the others confirm them. Donors have their own
settings, but for {N_TREES} trees, and leaves of 2 (forests) or 5 (CART) cases. They are fitted once
to the training rows, unless it says "at each node"; of each the {MOST_CUTS} cuts it uses most are
taken. "{ANOTHER_SEED}" lends nothing: what it changes is chance, as the default then draws
other synthetic rows. {note}

{verdict(by_set, names)}

{parts}
"""


def main() -> None:
    parser = protocol.options("donors", __doc__)
    parser.add_argument("--splits", type=int, default=2, help="splits per set (default 2)")
    parser.add_argument("--report", action="store_true", help="only write the report")
    args = parser.parse_args()
    sets = protocol.all_sets(protocol.QUICK_ROWS)
    chosen = contestants()
    done = (
        protocol.read_outcomes(args.file)
        if args.report
        else protocol.run(args, chosen, sets, args.splits)
    )
    outcomes = tables.as_frame({key: line for key, line in done.items() if key[1] in chosen})
    report.save(RESULTS / "DONORS.md", text_of(outcomes, list(chosen), args.splits))


if __name__ == "__main__":
    main()
