"""``python -m fuzz.cluster``: random tables in random parts, on a real Dask cluster of processes.

Each tree must be, to the last bit, the one that one machine grows. A seed makes the table, its
parts, its weights and all settings, so that ``--first SEED --last SEED`` repeats one. No time limit
is drawn: what a search has found when its time is up depends on how fast it was, so that trees of
fits that are cut short cannot be compared.
"""

from __future__ import annotations

import argparse
import sys
import warnings
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, fields
from typing import Any
from unittest.mock import patch

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from bsnsing import BsnsingClassifier, Question
from bsnsing.engine.workers import Room
from bsnsing.tree.tree import Tree

Random = np.random.Generator
# How many rules were looked at depends on who looks; what was found does not.
COUNTS_OF_WORK = ("n_counted", "n_excluded")
# Who counts: all parts, some of them for small nodes, or one for all.
ROOMS = (Room(n_calls=2, n_bytes=0), Room(n_calls=3), Room())


@dataclass(frozen=True)
class Case:
    """Rows, in parts, and the settings of a fit."""

    X: pd.DataFrame
    y: NDArray[Any]
    weight: NDArray[Any] | None
    parts: list[NDArray[np.intp]]
    settings: dict[str, Any]
    room: Room
    few_rows: int


def draw(seed: int) -> Case:
    """Make a case by chance."""
    random = np.random.default_rng(seed)
    n_rows = int(random.choice([5, 30, 120, 400, 1500, 4000], p=[0.05, 0.1, 0.2, 0.3, 0.25, 0.1]))
    n_columns = int(random.integers(1, 9))
    X = pd.DataFrame({f"c{k}": _column(random, n_rows) for k in range(n_columns)})
    y = _labels(random, X)
    part_of = random.integers(0, int(random.integers(1, 9)), n_rows)
    if random.random() < 0.3:
        part_of.sort()
    parts = [np.flatnonzero(part_of == k) for k in range(-1, part_of.max() + 1)]
    return Case(
        X=X,
        y=y,
        weight=_weights(random, n_rows),
        parts=[parts[i] for i in random.permutation(len(parts))],
        settings=_settings(random, X, n_rows),
        room=ROOMS[random.integers(len(ROOMS))],
        few_rows=int(random.choice([0, 50, 400])),
    )


def _column(random: Random, n: int) -> pd.Series[Any]:
    kinds = [
        lambda: random.normal(size=n),
        lambda: random.normal(size=n).astype(np.float32),
        lambda: random.normal(size=n).round(1),
        lambda: random.integers(-5, 5, n),
        lambda: random.integers(2**40, 2**52, n),
        lambda: random.random(n) < 0.4,
        lambda: np.exp(random.normal(size=n) * 30),
        lambda: 1.0 + random.integers(0, 300, n) * 2.0**-52,
        lambda: random.permutation(n) * 1.0,
        lambda: np.full(n, 3.5),
        lambda: random.choice(np.array(list("abcdefgh"), dtype=object), n),
        lambda: pd.Categorical(random.choice(list("uvw"), n), categories=list("wvuz")),
        lambda: np.array([f"level {int(i)}" for i in random.pareto(0.7, n).clip(0, 200)], object),
    ]
    column = pd.Series(kinds[random.integers(len(kinds))]())
    if random.random() < 0.3:
        column = column.astype(object) if column.dtype.kind == "b" else column
        column = column.mask(random.random(n) < random.choice([0.02, 0.2, 0.7]))
    return column


def _labels(random: Random, X: pd.DataFrame) -> NDArray[Any]:
    n_classes = int(random.choice([2, 3, 5, 20], p=[0.5, 0.25, 0.17, 0.08]))
    score = random.normal(size=len(X)) * random.choice([0.1, 0.5, 1])
    for name in X:
        place = X[name].astype("string").fillna("").rank(pct=True)
        if X[name].dtype.kind in "fiu":
            place = X[name].rank(pct=True).fillna(0.3)
        score += random.normal() * (place.to_numpy() > random.random())
    ranks = pd.Series(score).rank(pct=True, method="first").to_numpy()
    positions = (ranks * n_classes * 0.9999).astype(int)
    names = np.array([f"class {i}" for i in range(n_classes)], dtype=object)
    return names[positions] if random.random() < 0.5 else positions * 3 - 2


def _weights(random: Random, n: int) -> NDArray[Any] | None:
    kinds = [
        lambda: random.integers(0, 4, n),
        lambda: random.random(n) + 0.1,
        lambda: random.random(n) * 1e-8,
        lambda: random.integers(1, 10**10, n),
        lambda: (random.integers(0, 4, n) + 1) * 0.37,
    ]
    return kinds[random.integers(len(kinds))]() if random.random() < 0.4 else None


def _settings(random: Random, X: pd.DataFrame, n_rows: int) -> dict[str, Any]:
    choices: dict[str, list[Any]] = {
        "criterion": ["gini", "entropy", "gini_squared", "misclassification", "error"],
        "operators": [("or",), ("or", "and"), ("or", "and", "xor"), ("and",), ("xor",)],
        "max_rules": [1, 2, 3] if n_rows <= 400 else [1, 2],
        "n_segments": [2, 4, 6],
        "max_bins": [2, 16, 255, None],
        "min_samples_leaf": [1, 3, 10, 0.02, "sqrt", "auto"],
        "max_depth": [1, 2, 4],
        "max_leaf_nodes": [2, 5],
        "ccp_alpha": [0.0, 0.01, "auto"],
        "shrinkage": [0.0, 3.0],
        "class_weight": ["balanced"],
        "multiclass": ["ovr"],
        "distinct_children": [True],
        "max_levels": [2, 5],
        "max_values_as_levels": [0, 3],
        "max_columns": [1, 2],
        "constraints": [{"forbidden": ["c0"]}, {"one_per_column": True}],
    }
    if X["c0"].dtype.kind in "fi":
        choices["monotonic_cst"] = [{"c0": 1}]
        choices["extra_questions"] = [[Question("c0", ">", 0.123)]]
    names = [name for name in choices if random.random() < 0.3]
    drawn = {name: choices[name][random.integers(len(choices[name]))] for name in names}
    return {"teacher": None, "n_segments": 4, "time_limit": None} | drawn


@contextmanager
def kept_apart(case: Case) -> Iterator[None]:
    """Few rows stay where they are, and columns of few values are dealt into bins, too."""
    changed = {
        "bsnsing.estimators.scattered.FEW_CELLS": 0,
        "bsnsing.engine.scattered._FEW_ROWS": case.few_rows,
        "bsnsing.engine.bounds.FEW_VALUES": 30,
        "bsnsing.engine.numbers.FEW_VALUES": 30,
        "bsnsing.engine.dask.Cluster.room": lambda self: case.room,
    }
    with ExitStack() as stack:
        for name, value in changed.items():
            stack.enter_context(patch(name, value))
        yield


def outcome(client: Any, case: Case) -> str:
    """What came of a case; a difference begins with DIFFERS."""
    from dask import delayed

    from bsnsing.dask import DaskBsnsingClassifier

    found = expected = None
    try:
        expected = BsnsingClassifier(**case.settings).fit(case.X, case.y, sample_weight=case.weight)
    except ValueError as error:
        refusal = str(error)
    rows = [case.X.iloc[own] for own in case.parts]
    columns = [case.y] if case.weight is None else [case.y, case.weight]
    lazy = [[delayed(part) for part in rows]]
    lazy += [[delayed(column[own]) for own in case.parts] for column in columns]
    try:
        with kept_apart(case):
            found = DaskBsnsingClassifier(client=client, **case.settings).fit(*lazy)
    except ValueError as error:
        if expected is None:
            return "both refuse"
        return f"only the cluster refuses: {error}"
    if expected is None:
        return f"DIFFERS: only one machine refuses: {refusal}"
    pairs = zip(found.trees_, expected.trees_, strict=True)
    names = sorted({name for one, other in pairs for name in differences(one, other)})
    if names or found.classes_.tolist() != expected.classes_.tolist():
        return f"DIFFERS in {names}: {case.settings}"
    return "same tree" if any(tree.n_nodes > 1 for tree in expected.trees_) else "same leaf"


def differences(one: Tree, other: Tree) -> list[str]:
    """Names of what is not the same in two trees, to the last bit."""
    names = ["text"] if str(one) != str(other) else []
    for field in fields(Tree):
        mine, theirs = getattr(one, field.name), getattr(other, field.name)
        if field.name in COUNTS_OF_WORK or not isinstance(mine, np.ndarray):
            continue
        if mine.dtype != theirs.dtype or not _is_same(mine, theirs):
            names.append(field.name)
    return names


def _is_same(mine: NDArray[Any], theirs: NDArray[Any]) -> bool:
    if mine.dtype.kind == "O":
        return bool(mine.tolist() == theirs.tolist())
    return bool(np.array_equal(mine, theirs, equal_nan=mine.dtype.kind == "f"))


def main() -> int:
    """Compare tables from the first seed to the last; 1 if some tree differs."""
    from distributed import Client, LocalCluster

    parser = argparse.ArgumentParser(prog="python -m fuzz.cluster", description=__doc__)
    parser.add_argument("--first", type=int, default=0, help="the first seed (0)")
    parser.add_argument("--last", type=int, default=299, help="the last seed (299)")
    parser.add_argument("--workers", type=int, default=3, help="processes of the cluster (3)")
    given = parser.parse_args()
    warnings.simplefilter("ignore")
    outcomes = Counter[str]()
    options = {"threads_per_worker": 1, "dashboard_address": ":0", "silence_logs": 50}
    with (
        LocalCluster(n_workers=given.workers, **options) as cluster,
        Client(cluster) as client,
    ):
        for seed in range(given.first, given.last + 1):
            what = outcome(client, draw(seed))
            kind = what.split(":")[0].split(" in ")[0]
            outcomes[kind] += 1
            if kind not in ("same tree", "same leaf", "both refuse"):
                print(f"{seed}: {what}", flush=True)
    for kind, n in outcomes.most_common():
        print(f"{n:6} {kind}")
    return int(outcomes["DIFFERS"] > 0)


if __name__ == "__main__":
    sys.exit(main())
