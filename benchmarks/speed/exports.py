"""How long does each export take? Run: python -m benchmarks.speed.exports (--quick: a small tree).

Trees of at most 60 and 5,000 leaves, two questions a rule, of a made-up table of twelve columns:
numbers, levels, Booleans and missing cells, with two classes. Each export is called once to import
what it needs, and then a few times; the table has the median of CPU seconds and of wall-clock
seconds, and the size of what was written. A picture has 60 leaves at most unless told otherwise;
here it has all. The PDF is made by TeX, whose own time is most of it.
"""

from __future__ import annotations

import argparse
import shutil
import statistics
import time
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np
import pandas as pd

from bsnsing import (
    BsnsingClassifier,
    explain,
    export_rules,
    nodes_frame,
    rules_frame,
    summary,
    to_sklearn,
)
from bsnsing.export import FORMATS

ROUNDS = 3
# Formats that refuse large trees, or are not meant for them.
PICTURES = (".svg", ".png", ".dot", ".tex", ".pdf")
NOT_FOR_LARGE = (".xlsx", ".pdf")


def made_table(n_rows: int, seed: int = 0) -> tuple[pd.DataFrame, np.ndarray]:
    random = np.random.RandomState(seed)
    table = pd.DataFrame(
        {f"measure {i}": random.normal(100, 30, n_rows).round(2) for i in range(8)}
    )
    table["city"] = random.choice(["Bonn", "Kiel", "Trier", "Ulm"], n_rows)
    table["stage"] = random.choice([f"stage {i}" for i in range(12)], n_rows)
    table["smokes"] = random.rand(n_rows) < 0.3
    table["income"] = random.lognormal(8, 1, n_rows).round(2)
    table.loc[random.rand(n_rows) < 0.1, "measure 0"] = np.nan
    score = (table["measure 1"] > 100) * 1.0 + (table["city"] == "Ulm") + table["smokes"]
    return table, (score + random.normal(size=n_rows) > 1.2).astype(int).to_numpy()


def fitted(n_leaves: int) -> tuple[BsnsingClassifier, pd.DataFrame, np.ndarray]:
    table, labels = made_table(max(1_500, 10 * n_leaves))
    model = BsnsingClassifier.plain(max_leaf_nodes=n_leaves, min_samples_leaf=1, stop_prob=1.0)
    return model.fit(table, labels), table, labels


def calls(model: Any, table: pd.DataFrame, labels: np.ndarray) -> Iterator[tuple[str, Callable]]:
    is_large = model.get_n_leaves() > 500
    for known in FORMATS:
        if is_large and known.suffix in NOT_FOR_LARGE:
            continue
        if known.suffix == ".pdf" and not shutil.which("pdflatex"):
            continue
        options = {"max_leaves": None} if known.suffix in PICTURES else {}
        yield known.suffix, partial(known.load(), model, **options)
    few = table.head(200)
    yield "export_rules", lambda: export_rules(model)
    yield "rules_frame", lambda: rules_frame(model)
    yield "nodes_frame", lambda: nodes_frame(model)
    yield "summary", lambda: str(summary(model, few, labels[:200]))
    yield "_repr_html_", lambda: model._repr_html_()
    yield "explain, 20 cases", lambda: explain(model, few.head(20))
    if not is_large:
        yield "to_sklearn", lambda: to_sklearn(model)


def measure(call: Callable[[], Any], n_rounds: int) -> tuple[float, float, Any]:
    call()
    cpu, wall = [], []
    for _ in range(n_rounds):
        start = time.process_time(), time.perf_counter()
        content = call()
        cpu.append(time.process_time() - start[0])
        wall.append(time.perf_counter() - start[1])
    return statistics.median(cpu), statistics.median(wall), content


def size_of(content: Any) -> str:
    return f"{len(content) / 1000:,.0f} kB" if isinstance(content, str | bytes) else ""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="the small tree alone")
    sizes = (60,) if parser.parse_args().quick else (60, 5_000)
    for n_leaves in sizes:
        model, table, labels = fitted(n_leaves)
        print(f"\n{model.get_n_leaves():,} leaves, {model.tree_.n_questions:,} questions")
        print(f"{'export':18} {'CPU s':>8} {'wall s':>8} {'size':>12}")
        for name, call in calls(model, table, labels):
            cpu, wall, content = measure(call, ROUNDS if n_leaves < 500 else 1)
            print(f"{name:18} {cpu:8.3f} {wall:8.3f} {size_of(content):>12}", flush=True)


if __name__ == "__main__":
    main()
