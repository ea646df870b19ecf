"""How well do our trees predict on sets from elsewhere? Run: python -m benchmarks.quality.others.

The fast contestants of `benchmarks.quality` on sets of `benchmarks.datasets`: `r_tables`,
`more_tables` and `keel`. Outcomes are kept in a file, so that a run which was stopped goes on.
"""

from __future__ import annotations

import pandas as pd

from benchmarks.datasets import keel, more_tables, r_tables
from benchmarks.lib import report
from benchmarks.lib.paths import RESULTS
from benchmarks.quality import protocol, tables
from benchmarks.quality.contestants import CONTESTANTS

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
PEER, MANY_LEAVES = "CART CV-pruned", 60
INTRO = """# How well our trees predict on sets from elsewhere

Made by `python -m benchmarks.quality.others`; {machine}.

None of these sets comes from the same source as one of [QUALITY.md](QUALITY.md), where the columns
are explained. {n_splits} random 70/30 splits of each.
"""
# What each group of sets had to do with our defaults.
PARTS: dict[str, tuple[str, protocol.Sets]] = {
    "tables of R and its packages": (
        "No default was chosen on any of them. Means over 25 of them were looked at once before\n"
        "the last changes, and leaves and log loss there led to try these.",
        r_tables.sets() + more_tables.sets(more_tables.JUDGING),
    ),
    "tables of R's packages that had a part in choices": (
        "What a leaf costs in large tables, and what soft labels count for in small leaves, were\n"
        "chosen with these sets in view, beside the choosing half of the 72 and the KEEL sets.",
        more_tables.sets(more_tables.CHOOSING),
    ),
    "sets of the KEEL repository": (
        "How the teacher's forest deals with noise, how many rows are synthetic, what a leaf\n"
        "costs and what soft labels count for in small leaves were chosen with these sets in\n"
        "view, beside the choosing half of the 72.",
        keel.sets(),
    ),
}


def part(by_set: pd.DataFrame, title: str, text: str, keys: protocol.Sets) -> list[str]:
    """One group of sets: means, then set by set."""
    names = ["/".join(key) for key in keys]
    own = by_set[by_set.index.get_level_values("set").isin(names)]
    sets = tables.common_sets(own, LEARNERS)
    rows = tables.summary(own, sets, LEARNERS)
    lines = [f"\n## {len(sets)} {title}\n\n{text}\n"]
    lines.append(report.markdown(tables.SUMMARY_HEAD, rows))
    return [*lines, tables.every_per_set(own, sets, LEARNERS, "###")]


def by_size(by_set: pd.DataFrame) -> str:
    """Say how much more accurate ours is where CART needs many leaves, and elsewhere."""
    wide = by_set[["accuracy", "n_leaves"]].unstack()
    gap = 100 * (wide["accuracy"]["bsnsing"] - wide["accuracy"][PEER])
    is_large = wide["n_leaves"][PEER] >= MANY_LEAVES
    large, small = (tables.with_error(part) for part in (gap[is_large], gap[~is_large]))
    return (
        f"On the {is_large.sum()} of all sets where {PEER} has {MANY_LEAVES} leaves or more, ours\n"
        f"differs from it by {large} points in accuracy; on the others by {small} points."
    )


def main() -> None:
    parser = protocol.options("others", __doc__)
    parser.add_argument("--splits", type=int, default=10, help="splits per set (default 10)")
    args = parser.parse_args()
    everything = [key for _, sets in PARTS.values() for key in sets]
    learners = {name: CONTESTANTS[name] for name in LEARNERS}
    table = tables.as_frame(protocol.run(args, learners, everything, args.splits))
    by_set = tables.means(table[table["split"] < args.splits])
    lines = [INTRO.format(machine=report.machine(), n_splits=args.splits), by_size(by_set)]
    for title, (text, sets) in PARTS.items():
        lines += part(by_set, title, text, sets)
    report.save(RESULTS / "OTHERS.md", "\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
