"""What should a tree make of cells it never learnt? Run: python -m benchmarks.quality.unknown.

On the sets of `benchmarks.quality` below 5000 rows that have no missing cells, the default
classifier is fitted as ever; then some of the test cells are blanked at random. What the same tree
predicts is compared between four ways to go on where a rule's answer is unknown, each worked out
here, in plain NumPy: mixing both children has to give the same as the package, which does that.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd
from threadpoolctl import threadpool_limits

from benchmarks import datasets
from benchmarks.lib import report
from benchmarks.lib.paths import RESULTS
from benchmarks.quality import protocol, scores
from benchmarks.quality.tables import mean_and_error
from bsnsing import BsnsingClassifier, Question, Rule, Tree

SHARES = (0.05, 0.1, 0.2, 0.3)
# Between no (0) and yes (1): then "or" is the greatest, "and" the least, "not" the rest to 1.
UNKNOWN = 0.5
METRICS = {"accuracy": scores.accuracy, "auc": scores.auc, "log_loss": scores.log_loss}

MIXTURE = "mix both children"  # what the package does
STOP = "stop at the node"
NO = 'take it as "no"'
LARGER = "go to the larger child"
WAYS = (MIXTURE, STOP, NO, LARGER)


def answers(
    tree: Tree, question: Question, table: pd.DataFrame, *, had_missing: bool, as_no: bool
) -> np.ndarray:
    """1 for yes and 0 for no; what the tree has not learnt is unknown, or a no."""
    if isinstance(question.column, str):
        cells = table[question.column].to_numpy(dtype=object)
        is_missing, is_strange = pd.isna(cells), np.zeros(len(table), dtype=bool)
        (column,) = (column for column in tree.columns if column.name == question.column)
        if column.kind == "categorical":
            is_strange = ~is_missing & ~np.isin(cells.astype(str), list(map(str, column.levels)))
    else:
        pair = question.column
        cells = [table[name].to_numpy(dtype=float) for name in (pair.first, pair.second)]
        is_missing = np.isnan(pair.combine(*cells))
        is_strange = np.zeros(len(table), dtype=bool)
    is_unknown = is_strange if had_missing else is_strange | is_missing
    if as_no or question.test == "is missing":
        is_unknown = np.zeros(len(table), dtype=bool)
    return np.where(is_unknown, UNKNOWN, question.answer(cells))


def joined(tree: Tree, rule: Rule, table: pd.DataFrame, *, as_no: bool) -> np.ndarray:
    """What a rule says of each row, by Kleene's logic."""
    known = []
    questions = zip(rule.questions, rule.negated, rule.has_missing, strict=True)
    for question, is_negated, had_missing in questions:
        answer = answers(tree, question, table, had_missing=had_missing, as_no=as_no)
        known.append(1 - answer if is_negated else answer)
    if rule.operator == "xor":
        is_unknown = np.any(np.equal(known, UNKNOWN), axis=0)
        return np.where(is_unknown, UNKNOWN, np.sum(known, axis=0) % 2)
    return np.max(known, axis=0) if rule.operator == "or" else np.min(known, axis=0)


def shares_of(tree: Tree, table: pd.DataFrame, way: str) -> np.ndarray:
    """Probabilities of each row, by a way to go on where a rule is unknown."""
    n_cases = tree.counts @ tree.class_weight
    weight = np.zeros((tree.n_nodes, len(table)))  # how much of each row comes to a node
    weight[0] = 1.0
    shares = np.zeros((len(table), len(tree.classes)))
    for node, rule in enumerate(tree.rules):  # children come after their parents
        if rule is None:
            shares += weight[node][:, None] * tree.value[node]
            continue
        left, right = tree.children_left[node], tree.children_right[node]
        yes = joined(tree, rule, table, as_no=way == NO)
        is_unknown = yes == UNKNOWN
        if way == STOP:
            shares += (weight[node] * is_unknown)[:, None] * tree.value[node]
            to_left, to_right = 0.0, 0.0
        elif way == LARGER:
            to_left = float(n_cases[left] >= n_cases[right])
            to_right = 1 - to_left
        else:
            to_left = n_cases[left] / (n_cases[left] + n_cases[right])
            to_right = 1 - to_left
        weight[left] = weight[node] * np.where(is_unknown, to_left, yes)
        weight[right] = weight[node] * np.where(is_unknown, to_right, 1 - yes)
    return shares


def blanked(table: pd.DataFrame, share: float, seed: list[int]) -> pd.DataFrame:
    """Blank each cell with this chance."""
    is_blank = np.random.default_rng(seed).random(table.shape) < share
    columns = {}
    for i, (name, column) in enumerate(table.items()):
        is_number = pd.api.types.is_numeric_dtype(column)
        cells = column.astype(float if is_number else object)
        columns[name] = cells.mask(is_blank[:, i], np.nan if is_number else None)
    return pd.DataFrame(columns, index=table.index)


def outcomes_of(suite: str, name: str, n_splits: int) -> Iterator[dict[str, Any]]:
    """Scores of every way, share of blanks and split of a set."""
    data = datasets.load(suite, name)
    X, y = data.X, data.codes
    if X.isna().any(axis=None):
        return
    for number in range(n_splits):
        task = protocol.make_task(data, number)
        with threadpool_limits(1):
            model = BsnsingClassifier().fit(X.iloc[task.train], y[task.train])
        nothing = who_knows_nothing(model, X.iloc[task.test])
        for share in (0.0, *SHARES):
            table = blanked(X.iloc[task.test], share, [number, round(100 * share)])
            stops = model.unknown_at(table)
            for way in WAYS:
                shares = np.zeros((len(table), data.n_classes))
                shares[:, model.classes_] = shares_of(model.tree_, table, way)
                if way == MIXTURE:
                    ours = model.predict_proba(table)
                    np.testing.assert_allclose(shares[:, model.classes_], ours, rtol=1e-9)
                found = {metric: score(shares, y[task.test]) for metric, score in METRICS.items()}
                found |= {"met": float((stops >= 0).mean())} | nothing
                where = {"set": f"{suite}/{name}", "split": number, "share": share, "way": way}
                yield where | found


def who_knows_nothing(model: BsnsingClassifier, table: pd.DataFrame) -> dict[str, Any]:
    """How far a row of missing cells is from the root, and from shares of labels, in points."""
    tree = model.tree_
    (shares,) = model.predict_proba(blanked(table.iloc[:1], 1.0, [0]))
    labels = tree.counts[0] / tree.counts[0].sum()
    return {
        "from_root": 100 * float(np.abs(shares - tree.value[0]).max()),
        "from_labels": 100 * float(np.abs(shares - labels).max()),
        "learnt_ratios": any(tree.has_missing),  # columns have no missing cells, but 0 / 0 is one
    }


def table_of(by_set: pd.DataFrame, half: list[str]) -> str:
    """Ways beside mixing, of which the means are shown: changes in points, with errors."""
    rows = []
    for share in (0.0, *SHARES):
        at = by_set.xs(share, level="share")
        for way in WAYS if share else (MIXTURE,):
            row = [f"{share:.0%}", way]
            for metric in METRICS:
                wide = at[metric].unstack("way").loc[half]
                if way == MIXTURE:
                    row.append(f"{wide[way].mean():.4f}")
                else:
                    change = mean_and_error(100 * (wide[way] - wide[MIXTURE]))
                    row.append("{:+.2f} ± {:.2f}".format(*change))
            met = at["met"].unstack("way").loc[half, MIXTURE].mean()
            rows.append([*row, f"{met:.1%}" if way == MIXTURE else ""])
    return report.markdown(["blank", "way", "accuracy", "AUC", "log loss", "met one"], rows)


def table_of_nothing(outcomes: pd.DataFrame) -> str:
    """How far from the base rates a row of nothing but missing cells is."""
    of_trees = outcomes.groupby(["set", "split"])[["from_root", "from_labels", "learnt_ratios"]]
    each = of_trees.first()
    rows = []
    for learnt, name in ((False, "nothing missing at fit"), (True, "ratios to zero at fit")):
        own = each[each["learnt_ratios"] == learnt]
        for column, base in (("from_root", "the root"), ("from_labels", "the labels")):
            points = own[column]
            spread = [f"{points.quantile(q):.1f}" for q in (0.5, 0.9, 1.0)]
            rows.append([name, str(len(own)), base, *spread])
    header = ["trees", "number", "points from", "median", "ninth decile", "most"]
    return report.markdown(header, rows)


def text_of(outcomes: pd.DataFrame) -> str:
    """The report."""
    by_set = outcomes.groupby(["set", "share", "way"])[[*METRICS, "met"]].mean()
    names = sorted(outcomes["set"].unique())
    choosing, confirming = protocol.halves(names)
    n_splits = outcomes["split"].nunique()
    return f"""# Cells that a tree never learnt

Made by `python -m benchmarks.quality.unknown`; {report.machine()}.

{len(names)} sets below {protocol.QUICK_ROWS} rows without missing cells, {n_splits} random 70/30
splits each, `BsnsingClassifier()`. Of the test cells a share is blanked at random, and four ways to
go on where a rule stays unknown are compared on the same trees. First line of each share: means of
mixing what both children give, which count by their training cases, and how many cases met an
unknown. Other lines: changes against it in points (hundredths), with the standard error over sets.
Who stops gets the node's probabilities; "no" is what a missing cell says where a column had missing
cells at fit.

Mixing is what the package does: on both halves of the sets and at every share of blanks it is best
in accuracy, AUC and log loss.

## Sets that chose the defaults ({len(choosing)})

{table_of(by_set, choosing)}

## Sets that confirm them ({len(confirming)})

{table_of(by_set, confirming)}

## Who knows nothing

A row of nothing but missing cells gets about the base rates: the probabilities of the root (in
which the teacher had a say), or the classes' shares of the training labels. How many points it is
off, in the class where that is most. First trees that met no missing cell at all; then those that
ask for a ratio which was one to zero in some case: that is a missing cell, so they learnt what such
a cell says, and take a missing part for the same.

{table_of_nothing(outcomes)}
"""


def main() -> None:
    parser = protocol.options("unknown", __doc__)
    parser.add_argument("--splits", type=int, default=2, help="splits per set (default 2)")
    args = parser.parse_args()
    sets = protocol.all_sets(protocol.QUICK_ROWS)
    lines = [
        line
        for suite, name in report.tracked(sets, "Sets")
        for line in outcomes_of(suite, name, args.splits)
    ]
    outcomes = pd.DataFrame(lines)
    args.file.parent.mkdir(parents=True, exist_ok=True)
    outcomes.to_json(args.file, orient="records", lines=True)
    report.save(RESULTS / "UNKNOWN.md", text_of(outcomes))


if __name__ == "__main__":
    main()
