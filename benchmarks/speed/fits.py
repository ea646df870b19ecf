"""Eight published sets: our exact tree against scikit-learn's greedy one and the R package.

Run: python -m benchmarks.speed.fits. One thread each, the same smallest leaf (the square root of
the rows), contestants alternating. Where all columns are numbers both get one float32 matrix, the
type scikit-learn works in. Where some are text, ours gets the pandas frame and scikit-learn ordinal
codes made beforehand, which is the easier part.
"""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from sklearn.preprocessing import OrdinalEncoder
from threadpoolctl import threadpool_limits

from benchmarks.datasets import published, recorded
from benchmarks.datasets.dataset import text_columns
from benchmarks.lib import learners, report, step
from benchmarks.lib.targets import Target, geometric_mean, hardest
from benchmarks.lib.timing import median_seconds, take_turns

TITLE = "Fits of published sets"

SETS = (
    ("dl85", "letter"),
    ("dl85", "mushroom"),
    ("dl85", "splice-1"),
    ("binary", "Adult"),
    ("binary", "magic04"),
    ("binary", "spambase"),
    ("binary", "HTRU2"),
    ("multiclass", "optdigits"),
)


def as_matrix(table: pd.DataFrame) -> np.ndarray:
    """Numbers as they are, levels as ordinal codes; a missing level has a code of its own."""
    if not (texts := text_columns(table)):
        return np.ascontiguousarray(table, dtype=np.float32)
    encoder = OrdinalEncoder(encoded_missing_value=-1)
    coded = table.copy()
    coded[texts] = encoder.fit_transform(table[texts])
    return np.ascontiguousarray(coded, dtype=np.float32)


def measure_set(suite: str, name: str, n_rounds: int) -> dict[str, Any]:
    data = published.load_or_make(suite, name)
    matrix = as_matrix(data.X)
    table = data.X if text_columns(data.X) else matrix
    leaf = learners.leaf_size(data.n_rows)
    ours, greedy = learners.exact_tree(leaf), learners.greedy_tree(leaf)
    turns = take_turns(
        {
            "ours": partial(ours.fit, table, data.y),
            "sklearn": partial(greedy.fit, matrix, data.y),
        },
        n_rounds,
    )
    return {
        "set": data.name,
        "suite": suite,
        "rows": data.n_rows,
        "columns": data.X.shape[1],
        "leaf": leaf,
        "rounds": len(turns["ours"]),
        "leaves": {"ours": ours.get_n_leaves(), "sklearn": int(greedy.get_n_leaves())},
        "accuracy": {
            "ours": float(np.mean(ours.predict(table) == data.y)),
            "sklearn": float(np.mean(greedy.predict(matrix) == data.y)),
        },
        "seconds": {key: median_seconds(of_one) for key, of_one in turns.items()},
        "cpu_seconds": {key: median_seconds(of_one, cpu=True) for key, of_one in turns.items()},
        "r_cpu_seconds": recorded.cpu_seconds(recorded.WHOLE_TREE).get((data.name, 2)),
    }


def measure(run: step.Run) -> dict[str, Any]:
    rows = []
    with threadpool_limits(1):
        for suite, name in SETS:
            run.say(f"fits: {name}")
            rows.append(measure_set(suite, name, run.pick(7, 3)))
    return {"made_up": not published.is_here(), "sets": rows}


def ratio(row: dict[str, Any], kind: str = "seconds") -> float:
    """How many times as long scikit-learn takes."""
    return row[kind]["sklearn"] / row[kind]["ours"]


def r_ratio(row: dict[str, Any]) -> float | None:
    """How many times as long the R package took, in CPU seconds, which sharing does not change."""
    recorded_seconds = row["r_cpu_seconds"]
    return recorded_seconds and recorded_seconds / row["cpu_seconds"]["ours"]


def targets(data: dict[str, Any]) -> list[Target]:
    rows = data["sets"]
    speed = {row["set"]: ratio(row) for row in rows}
    mean = geometric_mean(speed.values())
    return [
        hardest("fit, times as fast as scikit-learn, every set", "at least", 3, speed),
        Target("fit, times as fast as scikit-learn, geometric mean", "at least", 5, mean),
        hardest(
            "fit, times as fast as the R package, every set",
            "at least",
            500,
            {row["set"]: r_ratio(row) for row in rows},
        ),
    ]


HEAD = "set|size|min leaf|ours ms|scikit-learn ms|ratio|ratio of CPU times|R package s (CPU)"
HEAD += "|R / ours|leaves ours|leaves sk|training accuracy ours|training accuracy sk"
NOTE = """
Medians of {rounds} or more alternating rounds after a warm-up, one thread each; ratios say how many
times as long the other takes. R package: recorded CPU seconds with its defaults, on a machine of
this kind, over our CPU seconds. Accuracy is on the training rows: it shows that the trees are
alike in size and worth, not what they are worth on new cases."""
MADE_UP_NOTE = """
The published sets are not here: these are made-up ones of the same sizes."""


def tables(data: dict[str, Any]) -> str:
    rows = []
    for row in data["sets"]:
        recorded_seconds, r_times = row["r_cpu_seconds"], r_ratio(row)
        rows.append(
            [
                row["set"],
                f"{row['rows']} x {row['columns']}",
                row["leaf"],
                report.milliseconds(row["seconds"]["ours"]),
                report.milliseconds(row["seconds"]["sklearn"]),
                f"{ratio(row):.2f}",
                f"{ratio(row, 'cpu_seconds'):.2f}",
                f"{recorded_seconds:.2f}" if recorded_seconds else "-",
                f"{r_times:.0f}" if r_times else "-",
                row["leaves"]["ours"],
                row["leaves"]["sklearn"],
                f"{row['accuracy']['ours']:.3f}",
                f"{row['accuracy']['sklearn']:.3f}",
            ]
        )
    note = NOTE.format(rounds=min(row["rounds"] for row in data["sets"]))
    made_up = MADE_UP_NOTE if data["made_up"] else ""
    return report.markdown(HEAD.split("|"), rows) + "\n" + note + made_up


def draw(data: dict[str, Any], folder: Path) -> list[Path]:
    from benchmarks.lib import figures

    speed = {row["set"]: ratio(row) for row in data["sets"]}
    path = folder / "fits.png"
    figures.bars_with_target(
        path,
        speed,
        target=3,
        title="Fit: times as fast as scikit-learn's tree",
        target_name="target on every set",
    )
    return [path]


if __name__ == "__main__":
    step.main("fits")
