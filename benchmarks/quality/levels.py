"""What does a column of many levels do to a fit? Run: python -m benchmarks.quality.levels.

Made-up tables of six numeric columns and one text column, whose levels say nothing, a little or
much, or are the names of rows. The default classifier is fitted with that column and without it.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from typing import Any

import pandas as pd
from threadpoolctl import threadpool_limits

from benchmarks.datasets.made import level_table
from benchmarks.lib import report
from benchmarks.lib.paths import RESULTS
from benchmarks.quality import protocol, scores
from benchmarks.quality.tables import with_error
from bsnsing import BsnsingClassifier

TEST_ROWS = 5000
METRICS = {"auc": scores.auc, "log_loss": scores.log_loss}
EFFECTS = {"nothing": 0.0, "a little": 0.5, "much": 1.5}  # standard deviation of the log odds
SHARES = {"even": 0.0, "Zipf": 1.0}
SHAPES = ((500, 50), (500, 300), (2000, 300), (2000, 2000), (10000, 2000))  # rows, levels
SETTINGS: list[dict[str, Any]] = [
    {"rows": n_rows, "levels": "one each", "shares": "", "say": "nothing"} for n_rows in (500, 2000)
] + [
    {"rows": n_rows, "levels": n_levels, "shares": shares, "say": say}
    for n_rows, n_levels in SHAPES
    for shares in SHARES
    for say in EFFECTS
]
KEYS = ["rows", "levels", "shares", "say"]


def outcomes_of(setting: dict[str, Any], seed: int) -> Iterator[dict[str, Any]]:
    """Fit one table with and without its text column."""
    n_rows, n_levels = setting["rows"], setting["levels"]
    table, y = level_table(
        n_rows + TEST_ROWS,
        n_levels if isinstance(n_levels, int) else None,
        effect=EFFECTS[setting["say"]],
        zipf=SHARES.get(setting["shares"], 0.0),
        seed=seed,
    )
    for columns in (list(table), list(table)[:-1]):
        own = table[columns]
        with threadpool_limits(1), warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # names of rows are left out
            model = BsnsingClassifier().fit(own[:n_rows], y[:n_rows])
        shares = model.predict_proba(own[n_rows:])
        found = {metric: score(shares, y[n_rows:]) for metric, score in METRICS.items()}
        is_asked = bool(dict(zip(columns, model.feature_importances_, strict=True)).get("level"))
        where = {"seed": seed, "with": "level" in columns, "asked": is_asked}
        yield setting | where | found | {"leaves": model.get_n_leaves()}


def rows_of(outcomes: pd.DataFrame) -> Iterator[list[object]]:
    """One line per setting: means without the column, then changes with it, in points."""
    for key, own in outcomes.groupby(KEYS, sort=False):
        with_it, without = (own[own["with"] == w].set_index("seed") for w in (True, False))
        changes = [with_error(100 * (with_it[metric] - without[metric])) for metric in METRICS]
        yield [
            *key,
            f"{without['auc'].mean():.4f}",
            *changes,
            f"{with_it['asked'].sum()} of {len(with_it)}",
            f"{without['leaves'].mean():.0f} to {with_it['leaves'].mean():.0f}",
        ]


def main() -> None:
    parser = protocol.options("levels", __doc__)
    parser.add_argument("--seeds", type=int, default=5, help="tables per setting (default 5)")
    args = parser.parse_args()
    outcomes = pd.DataFrame(
        line
        for setting in report.tracked(SETTINGS, "Settings")
        for seed in range(args.seeds)
        for line in outcomes_of(setting, seed)
    )
    args.file.parent.mkdir(parents=True, exist_ok=True)
    outcomes.to_json(args.file, orient="records", lines=True)
    head = [*KEYS, "AUC without", "AUC", "log loss", "asked about", "leaves"]
    text = f"""# Columns of many levels

Made by `python -m benchmarks.quality.levels`; {report.machine()}.

{args.seeds} made-up tables per setting, {TEST_ROWS} test rows each: six numeric columns, four of
which matter, and a text column whose levels say nothing, a little or much about the class (normal
effects on the log odds, standard deviation {", ".join(map(str, EFFECTS.values()))}), or
which names the rows. Levels are equally frequent, or as 1 / rank (Zipf). `BsnsingClassifier()` is
fitted with that column and without it: changes in AUC and log loss by the column in points
(hundredths), with the standard error over tables; fits in which a rule asks about it; and leaves
without and with it. Without the column its effect is noise, so AUC is lower where it says much.

{report.markdown(head, rows_of(outcomes))}
"""
    report.save(RESULTS / "LEVELS.md", text)


if __name__ == "__main__":
    main()
