"""A case as plain JSON: columns, rows, library, labels, weights, parameters and oracles."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np

from fuzz.cells import INTEGERS, NUMBERS, ODD, PLAIN, draw_cells, draw_name
from fuzz.containers import CONTAINERS, Built, build

Plan = dict[str, Any]
T = TypeVar("T")

# Shares of tables by rows; 64 of them fill a word of answers. Faults show in small tables, of which
# many can be tried.
N_ROWS = {1: 0.02, 2: 0.03, 3: 0.03, 5: 0.17, 12: 0.3, 30: 0.25, 63: 0.05, 64: 0.04, 65: 0.04}
N_ROWS |= {130: 0.05, 300: 0.02}
N_COLUMNS = {1: 0.2, 2: 0.3, 3: 0.25, 4: 0.15, 8: 0.07, 20: 0.03}
LABELS = ("whole", "text", "boolean", "gaps", "float", "object")
ALWAYS = ("probabilities",)
OFTEN = ("bookkeeping", "input_unchanged")  # one of them in most tables
SOMETIMES = (
    "row_order", "column_order", "weights_are_repeats", "threads", "kernels", "libraries",
    "best_root", "strange_rows", "wrong_parameter", "wrong_labels", "pruning",
    "rules_are_read_back",
)  # fmt: skip
SELDOM = ("save_and_load", "exports")  # which take as long as a dozen of the others
# Shares of tables by estimator: what takes long is asked less often, so that more are tried.
ESTIMATORS = {"plain": 0.87, "paper": 0.07, "taught": 0.04, "ensemble": 0.01, "cv": 0.006}
ESTIMATORS |= {"default": 0.004}

CHOICES: dict[str, list[Any]] = {
    "max_rules": [1, 2, 3],
    "min_samples_leaf": [1, 2, 5, "sqrt", 0.2],
    "criterion": ["gini", "gini_squared", "entropy", "misclassification"],
    "operators": [["or"], ["and"], ["xor"], ["or", "and"], ["or", "and", "xor"]],
    "max_depth": [1, 2, 5],
    "max_leaf_nodes": [2, 3, 8],
    "ccp_alpha": [0.0, 0.001, 0.1, 1e300],
    "shrinkage": [0.0, 1.0, 10.0, 1e300],
    "stop_prob": [0.6, 0.9, 1.0],
    "distinct_children": [True],
    "multiclass": ["ovr"],
    "solver": ["greedy"],
    "greedy_level": [0.1, 1.0],
    "max_bins": [2, 5, 255, None],
    "n_segments": [1, 3, 20],
    "max_levels": [2, 3, 30],
    "max_values_as_levels": [0, 3],
    "bin_size": [1, 20],
    "class_weight": ["balanced"],
    "n_jobs": [2],
    "random_state": [1, 7],
    "constraints": [{"one_per_column": True}, {"forbidden": [0]}],
    "column_pairs": ["auto"],
    "decimals": [None, 0, 2],
    "max_columns": [1, 2],
    "categorical_features": [[0], None],
    "monotonic_cst": [[]],  # one entry per column
}


def pick(rng: np.random.Generator, choices: Sequence[T]) -> T:
    """One of some choices, quicker than NumPy's."""
    return choices[int(rng.integers(len(choices)))]


def pick_by_share(rng: np.random.Generator, shares: dict[T, float]) -> T:
    """One of some choices, each with a share; the shares sum to one."""
    place = np.searchsorted(np.cumsum(list(shares.values())), rng.random())
    return list(shares)[min(int(place), len(shares) - 1)]


def draw_plan(seed: int) -> Plan:
    """Draw a case from its seed."""
    rng = np.random.default_rng(seed)
    container = pick(rng, list(CONTAINERS))
    allowed = CONTAINERS[container].kinds
    plain = [kind for kind in allowed if kind in PLAIN]
    columns: list[dict[str, Any]] = []
    for _ in range(pick_by_share(rng, N_COLUMNS)):
        columns.append(
            {
                "kind": pick(rng, plain),
                "seed": int(rng.integers(2**32)),
                "missing": pick(rng, (0.0, 0.0, 0.1, 0.5)),
                "name": draw_name(rng, {column["name"] for column in columns}),
                "type": pick(rng, list(INTEGERS)),
                "variant": int(rng.integers(12)),
            }
        )
    odd = [kind for kind in allowed if kind in ODD]
    if odd and rng.random() < 0.08:
        pick(rng, columns)["kind"] = pick(rng, odd)
    return {
        "seed": seed,
        "estimator": pick_by_share(rng, ESTIMATORS),
        "container": container,
        "variant": int(rng.integers(12)),
        "columns": columns,
        "n_rows": pick_by_share(rng, N_ROWS),
        "rows": None,  # positions of those that are kept, once shrunk
        "labels": {
            "kind": pick(rng, LABELS),
            "n_classes": pick_by_share(rng, {1: 0.03, 2: 0.62, 3: 0.2, 5: 0.1, 30: 0.05}),
            "noise": pick(rng, (0.0, 0.1, 1.0)),
            "seed": int(rng.integers(2**32)),
        },
        "weights": pick_by_share(
            rng, {"none": 0.6, "whole": 0.15, "zeros": 0.1, "any": 0.1, "large": 0.05}
        ),
        "parameters": _parameters(rng, len(columns)),
        "oracles": [*ALWAYS, *_oracles(rng)],
    }


def _oracles(rng: np.random.Generator) -> list[str]:
    some = [pick(rng, OFTEN)] if rng.random() < 0.7 else []
    some.append(pick(rng, SOMETIMES))
    return [*some, pick(rng, SELDOM)] if rng.random() < 0.04 else some


def _parameters(rng: np.random.Generator, n_columns: int) -> dict[str, Any]:
    """Some parameters, each one of those that make sense for it."""
    picked = rng.permutation(len(CHOICES))[: rng.integers(0, 6)]
    names = list(CHOICES)
    given = {names[place]: pick(rng, CHOICES[names[place]]) for place in picked}
    if "monotonic_cst" in given:
        given["monotonic_cst"] = rng.integers(-1, 2, n_columns).tolist()
    return given


@dataclass(frozen=True)
class Table:
    """A case put together: the table as its library has it, and the cells it is made of."""

    plan: Plan
    cells: list[list[Any]]
    built: Built
    y: np.ndarray
    weights: np.ndarray | None

    @property
    def is_plain(self) -> bool:
        """Whether every cell has a meaning, so that the table must be accepted."""
        return all(column["kind"] in PLAIN for column in self.plan["columns"])

    @property
    def n_rows(self) -> int:
        return len(self.y)


def make_table(plan: Plan) -> Table:
    """Put the table of a plan together."""
    n_rows = plan["n_rows"]
    rows = range(n_rows) if plan["rows"] is None else plan["rows"]
    columns = [draw_cells(column, n_rows) for column in plan["columns"]]
    y = _labels(plan["labels"], columns, plan["columns"], n_rows)[list(rows)]
    weights = _weights(plan, n_rows)
    kept = [[cells[row] for row in rows] for cells in columns]
    return Table(
        plan,
        kept,
        build(plan, kept),
        y,
        None if weights is None else _each_counts(weights[list(rows)], y),
    )


def _labels(
    spec: dict[str, Any], columns: list[list[Any]], about: list[dict[str, Any]], n_rows: int
) -> np.ndarray:
    """Labels that depend on the cells, but for noise."""
    rng = np.random.default_rng(spec["seed"])
    score = np.zeros(n_rows)
    for cells, column in zip(columns, about, strict=True):
        place = {text: i for i, text in enumerate(sorted(set(map(repr, cells))))}
        if column["kind"] in NUMBERS:
            ranks = np.array([0.0 if c is None else float(c) for c in cells]).argsort().argsort()
        else:
            ranks = np.array([place[repr(cell)] for cell in cells])
        score += rng.choice([0, 0.1, 1, 1]) * ranks / max(1, ranks.max())
    score += spec["noise"] * rng.random(n_rows)
    n_classes = spec["n_classes"]
    codes = np.minimum(score.argsort().argsort() * n_classes // max(1, n_rows), n_classes - 1)
    kind = spec["kind"]
    if kind == "text":
        return np.array([f"class {code}" for code in codes])
    if kind == "object":
        return np.array([f"{code}\n\u202e" for code in codes], dtype=object)
    if kind == "boolean":
        return codes > 0
    if kind == "gaps":
        return codes * 10**9 - 10**12
    return codes.astype(float) if kind == "float" else codes


def _weights(plan: Plan, n_rows: int) -> np.ndarray | None:
    rng = np.random.default_rng(plan["labels"]["seed"] + 1)
    kind = plan["weights"]
    if kind == "none":
        return None
    if kind == "any":
        return rng.uniform(0.1, 3, n_rows)
    if kind == "large":
        return rng.integers(1, 2**20, n_rows)
    return rng.integers(0 if kind == "zeros" else 1, 4, n_rows)


def _each_counts(weights: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Give a row of each class a weight: a class without any is another question."""
    weights = weights.copy()
    weights[np.unique(y, return_index=True)[1]] += weights.dtype.type(1)
    return weights
