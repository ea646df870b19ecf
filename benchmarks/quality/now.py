"""How does the present default predict beside others? Run: python -m benchmarks.quality.now.

The peers of `benchmarks.quality` and `benchmarks.quality.others` take hours and do not change with
our code, so this runs our tree alone, on the same sets and splits, and compares its means with
those that `results/QUALITY.md` and `results/OTHERS.md` have of each set. `--report` only writes.
"""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pandas as pd

from benchmarks.lib import report
from benchmarks.lib.paths import RESULTS
from benchmarks.quality import others, protocol, tables
from benchmarks.quality.contestants import CONTESTANTS
from benchmarks.quality.tables import OURS

FORMER = "our former default"
N_SPLITS = {"QUALITY.md": 20, "OTHERS.md": 10}
METRICS = {"accuracy": "Accuracy", "auc": "AUC", "n_leaves": "Leaves"}
HEAD = ["learner", "accuracy", "ours less theirs", "AUC", "ours less theirs", "median leaves"]
INTRO = """# The present default beside what is on file

Made by `python -m benchmarks.quality.now`; {machine}.

[QUALITY.md](QUALITY.md) and [OTHERS.md](OTHERS.md) were made with a former default of ours, and
with peers whose outcomes do not depend on our code. Here the present default is run on the same
sets and splits (20 of each of the 72 sets, 10 of each of the others), and its means are compared
with those on file of each set. Differences are ours less theirs, in points (hundredths), with the
standard error over sets. The halves, and the groups below, have the meaning they have there.
"""


def on_file(path: Path) -> dict[str, pd.DataFrame]:
    """By metric: a row per set, a column per learner, from the tables of a report."""
    text = path.read_text(encoding="utf-8")
    found = {}
    for metric, title in METRICS.items():
        parts = re.findall(rf"^#+ {title} per set\n\n((?:\|.*\n)+)", text + "\n", flags=re.M)
        frames = [_read_table(part) for part in parts]
        found[metric] = pd.concat(frames).rename(columns={OURS: FORMER})
    return found


def _read_table(text: str) -> pd.DataFrame:
    head, _, *rows = [
        [c.strip() for c in line.strip("| ").split("|")] for line in text.splitlines()
    ]
    cells = [[np.nan if c in ("-", "") else float(c) for c in row[1:]] for row in rows]
    return pd.DataFrame(cells, index=[row[0] for row in rows], columns=head[1:])


def table(ours: pd.DataFrame, filed: dict[str, pd.DataFrame], sets: list[str]) -> str:
    """Ours beside each learner on file, over some of the sets."""
    rows = [[OURS, *_figures(ours, sets)]]
    for name in filed["accuracy"].columns:
        row = [name]
        for metric in ("accuracy", "auc"):
            theirs = filed[metric].loc[sets, name]
            row += [_or_dash(theirs.mean(), ".4f")]
            row += [tables.with_error(100 * (ours.loc[sets, metric] - theirs).dropna())]
        leaves = filed["n_leaves"].reindex(columns=[name]).loc[sets, name]
        rows.append([*row, _or_dash(leaves.median(), ".1f")])
    return report.markdown(HEAD, rows)


def _figures(ours: pd.DataFrame, sets: list[str]) -> list[str]:
    own = ours.loc[sets]
    leaves = f"{own['n_leaves'].median():.1f}"
    return [f"{own['accuracy'].mean():.4f}", "", f"{own['auc'].mean():.4f}", "", leaves]


def _or_dash(value: float, form: str) -> str:
    return "-" if np.isnan(value) else format(value, form)


def section(
    title: str, ours: pd.DataFrame, filed: dict[str, pd.DataFrame], names: list[str]
) -> str:
    sets = [name for name in names if name in ours.index and name in filed["accuracy"].index]
    own = ours.loc[sets]
    return (
        f"## {title} ({len(sets)} sets)\n\n{table(ours, filed, sets)}\n\n"
        f"Log loss of ours: {own['log_loss'].mean():.4f}. Questions in the median tree: "
        f"{own['n_questions'].median():.1f}. CPU seconds: {own['cpu_seconds'].median():.2f} in the "
        f"median, {own['cpu_seconds'].max():.2f} at most.\n"
    )


def write(outcomes: protocol.Outcomes) -> None:
    """Write NOW.md."""
    frame = tables.as_frame(outcomes)
    ours = tables.means(frame[frame["learner"] == OURS]).xs(OURS, level="learner")
    filed = {name: on_file(RESULTS / name) for name in N_SPLITS}
    own = ["/".join(key) for key in protocol.all_sets()]
    choosing, confirming = protocol.halves(own)
    parts = [INTRO.format(machine=report.machine())]
    for title, names in (
        ("All of the 72", own),
        ("The choosing half", choosing),
        ("The confirming half", confirming),
    ):
        parts.append(section(title, ours, filed["QUALITY.md"], names))
    for title, (_, keys) in others.PARTS.items():
        names = ["/".join(key) for key in keys]
        parts.append(section(title.capitalize(), ours, filed["OTHERS.md"], names))
    report.save(RESULTS / "NOW.md", "\n".join(parts))


def main() -> None:
    parser = protocol.options("now", __doc__)
    parser.add_argument("--report", action="store_true", help="only write the report")
    args = parser.parse_args()
    contestants = {} if args.report else {OURS: CONTESTANTS[OURS]}
    outcomes = protocol.run(args, contestants, protocol.all_sets(), N_SPLITS["QUALITY.md"])
    for _, keys in others.PARTS.values():
        outcomes = protocol.run(args, contestants, keys, N_SPLITS["OTHERS.md"])
    write(outcomes)


if __name__ == "__main__":
    main()
