"""How well do our trees predict on sets from elsewhere? Run: python -m benchmarks.others.

The fast contestants of `benchmarks.quality` on the sets of `benchmarks.keel`. Outcomes are kept
in a file, so that a run which was stopped goes on.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from benchmarks import datasets, keel, quality, quality_report, report

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

{n_sets} sets of the KEEL repository, {n_splits} random 70/30 splits each. None comes from the same
source as a set of [QUALITY.md](QUALITY.md), where the columns are explained. How the teacher's
forest deals with noise, how many rows are made up and what a leaf costs were chosen with these sets
in view, beside the choosing half there; everything else was chosen without them.
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--splits", type=int, default=10, help="splits per set (default 10)")
    parser.add_argument("--file", type=Path, default=OUTCOMES, help="where outcomes are kept")
    args = parser.parse_args()
    quality.run(args.file, LEARNERS, keel.sets(), args.splits)
    table = quality_report.as_frame(quality.read_outcomes(args.file))
    by_set = quality_report.means(table[table["split"] < args.splits])
    sets = quality_report.common_sets(by_set, LEARNERS)
    text = [INTRO.format(machine=report.machine(), n_sets=len(sets), n_splits=args.splits)]
    rows = quality_report.summary(by_set, sets, LEARNERS)
    text += [report.markdown(quality_report.SUMMARY_HEAD, rows)]
    for metric, title in (("accuracy", "Accuracy"), ("auc", "AUC"), ("n_leaves", "Leaves")):
        text += [f"\n## {title} per set\n", quality_report.per_set(by_set, sets, LEARNERS, metric)]
    REPORT.write_text("\n".join(text) + "\n", encoding="utf-8")
    print(f"Wrote {REPORT.relative_to(datasets.REPO_ROOT)}.")


if __name__ == "__main__":
    main()
