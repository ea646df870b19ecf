"""How well do our trees predict on sets from elsewhere? Run: python -m benchmarks.others.

The fast contestants of `benchmarks.quality` on the sets of `benchmarks.r_tables` and
`benchmarks.keel`. Outcomes are kept in a file, so that a run which was stopped goes on.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import pandas as pd

from benchmarks import datasets, keel, quality, quality_report, r_tables, report

OUTCOMES = datasets.REPO_ROOT / "build" / "others.jsonl"
REPORT = datasets.REPO_ROOT / "benchmarks" / "OTHERS.md"
LEARNERS = [
    "bsnsing",
    "bsnsing plain()",
    "bsnsing paper()",
    "CART",
    "CART leaf 5",
    "CART CV-pruned",
    "HSTreeCV",
    "forest",
]
INTRO = """# How well our trees predict on sets from elsewhere

Made by `python -m benchmarks.others`; {machine}.

None of these sets comes from the same source as one of [QUALITY.md](QUALITY.md), where the columns
are explained. {n_splits} random 70/30 splits of each.
"""
R_TEXT = """## {n_sets} tables of R and its packages

No default was chosen with any of them in view.
"""
KEEL_TEXT = """
## {n_sets} sets of the KEEL repository

How the teacher's forest deals with noise, how many rows are made up and what a leaf costs were
chosen with these sets in view, beside the choosing half of the 72.
"""


def part(by_set: pd.DataFrame, suite: str, text: str) -> list[str]:
    """The sets of one suite: means, then set by set."""
    own = by_set[by_set.index.get_level_values("set").str.startswith(f"{suite}/")]
    sets = quality_report.common_sets(own, LEARNERS)
    rows = quality_report.summary(own, sets, LEARNERS)
    lines = [text.format(n_sets=len(sets)), report.markdown(quality_report.SUMMARY_HEAD, rows)]
    for metric, title in (("accuracy", "Accuracy"), ("auc", "AUC"), ("n_leaves", "Leaves")):
        lines += [f"\n### {title} per set\n", quality_report.per_set(own, sets, LEARNERS, metric)]
    return lines


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--splits", type=int, default=10, help="splits per set (default 10)")
    parser.add_argument("--file", type=Path, default=OUTCOMES, help="where outcomes are kept")
    args = parser.parse_args()
    quality.run(args.file, LEARNERS, r_tables.sets() + keel.sets(), args.splits)
    table = quality_report.as_frame(quality.read_outcomes(args.file))
    by_set = quality_report.means(table[table["split"] < args.splits])
    lines = [INTRO.format(machine=report.machine(), n_splits=args.splits)]
    lines += part(by_set, r_tables.SUITE, R_TEXT) + part(by_set, keel.SUITE, KEEL_TEXT)
    REPORT.write_text("\n".join(lines) + "\n", encoding="utf-8")
    print(f"Wrote {REPORT.relative_to(datasets.REPO_ROOT)}.")


if __name__ == "__main__":
    main()
