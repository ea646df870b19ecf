"""What does each setting of BsnsingClassifier() do? Run: python -m benchmarks.quality.defaults.

One change of the defaults, or of a number behind them, at a time, on the sets and splits of
`benchmarks.quality` below 5000 rows. Sets are sorted by name: those at odd places chose the
defaults, those at even places confirm them. Outcomes are kept in a file, so that a run which was
stopped goes on.
"""

from __future__ import annotations

import pandas as pd

from benchmarks.lib import report
from benchmarks.lib.paths import RESULTS
from benchmarks.quality import protocol, tables
from benchmarks.quality.contestants import Contestant, ours
from benchmarks.quality.variations import DEFAULT, LEARNERS, SETTINGS
from bsnsing import BsnsingClassifier, BsnsingClassifierCV

CHOSEN_BY_CV = "BsnsingClassifierCV"


def contestants() -> dict[str, Contestant]:
    learners = {
        name: ours(lambda change=change: BsnsingClassifier(**change))
        for name, change in SETTINGS.items()
    }
    learners[CHOSEN_BY_CV] = ours(BsnsingClassifierCV)
    learners |= {name: ours(varied) for name, varied in LEARNERS.items()}
    return {name: Contestant(name, learn, "ours") for name, learn in learners.items()}


def change(by_set: pd.DataFrame, half: list[str], name: str, metric: str) -> tuple[float, float]:
    """Mean change over the sets of a half, in points, and its standard error."""
    wide = by_set[metric].unstack().loc[half]
    return tables.mean_and_error(100 * (wide[name] - wide[DEFAULT]))


def greatest_gain(by_set: pd.DataFrame, names: list[str]) -> str:
    """Say by how much a change of the defaults is more accurate on the choosing half, if any."""
    choosing, _ = protocol.halves(tables.common_sets(by_set, names))
    gains = {name: change(by_set, choosing, name, "accuracy") for name in names if name != DEFAULT}
    name, (gain, error) = max(gains.items(), key=lambda item: item[1])
    return f"Greatest gain in accuracy on the choosing half: {gain:+.2f} ± {error:.2f} ({name})."


def table(by_set: pd.DataFrame, names: list[str]) -> str:
    """Each of the settings beside the default."""
    sets = tables.common_sets(by_set, names)
    parts = protocol.halves(sets)
    rows = []
    for name in names:
        own = by_set.xs(name, level="learner").loc[sets]
        row = [name]
        for half in parts:
            for metric in ("accuracy", "auc", "log_loss"):
                if name == DEFAULT:
                    row.append(f"{own.loc[half, metric].mean():.4f}")
                else:
                    row.append("{:+.2f} ± {:.2f}".format(*change(by_set, half, name, metric)))
        row += [f"{own['n_leaves'].median():.1f}", f"{own['n_questions'].median():.1f}"]
        rows.append([*row, f"{own['cpu_seconds'].mean():.2f}"])
    head = ["setting"]
    for half in ("choosing", "confirming"):
        head += [f"{metric}, {half}" for metric in ("accuracy", "AUC", "log loss")]
    return report.markdown([*head, "median leaves", "median questions", "mean CPU s"], rows)


def main() -> None:
    parser = protocol.options("defaults", __doc__)
    parser.add_argument("--splits", type=int, default=4, help="splits per set (default 4)")
    args = parser.parse_args()
    sets = protocol.all_sets(protocol.QUICK_ROWS)
    outcomes = tables.as_frame(protocol.run(args, contestants(), sets, args.splits))
    by_set = tables.means(tables.same_splits(outcomes))
    n_sets = outcomes["set"].nunique()
    text = f"""# What each setting of `BsnsingClassifier()` does

Made by `python -m benchmarks.quality.defaults`; {report.machine()}.

{n_sets} sets below {protocol.QUICK_ROWS} rows, {args.splits} random 70/30 splits each. Changes
against the default (first line: its means), in points (hundredths), with the standard error over
sets. Sets at odd places by name chose the defaults, the others confirm them.

{greatest_gain(by_set, [*SETTINGS, CHOSEN_BY_CV])}

{table(by_set, [*SETTINGS, CHOSEN_BY_CV])}

## Numbers behind the defaults

Numbers that are no parameters, one changed at a time; in brackets what they are. Few of these sets
have more than 2000 cases, where a leaf costs more, and none the 6000 from which on there are fewer
synthetic rows than real ones, or rows enough for the bounds on large tables.
{greatest_gain(by_set, [DEFAULT, *LEARNERS])}

{table(by_set, [DEFAULT, *LEARNERS])}
"""
    report.save(RESULTS / "DEFAULTS.md", text)


if __name__ == "__main__":
    main()
