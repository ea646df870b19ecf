"""The paper's experiments, published figures beside ours. Run: python -m benchmarks.paper NAME.

enum     what the search costs on seismic by rows, questions and max_rules, beside MIP solvers
root     the best root rule of 13 DL8.5 sets: objective, rule, CPU seconds
optimal  accuracy on the 24 DL8.5 sets beside DL8.5 and GOSDT, which are run where installed
dl85     how far our paper() is from the published means on these sets, in standard errors
depth    trees cut back to 2, 4 and 8 leaves, with rules of one and of two questions, beside DL8.5
sets     the paper's two-class and multi-class sets, beside its five R packages
tuning   Monks2, spirals and tictactoe: smaller leaves, and the ensemble of nine trees
shapes   shapes in the plane: trees of single questions, of the paper's splits, and our default
breast   the BreastCancer summary, the trees with and without distinct children, their ROC curves

What a run prints, it also writes to results/paper/NAME.md.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import sys
from importlib import import_module

from benchmarks.datasets import published
from benchmarks.lib import report
from benchmarks.lib.paths import RESULTS

EXPERIMENTS = ("enum", "root", "optimal", "dl85", "depth", "sets", "tuning", "shapes", "breast")


WITH_RIVALS = ("optimal", "depth")
UNSPLIT = ("enum", "root", "shapes", "breast")  # whole sets, samples of rows, or one split


class Copy(io.StringIO):
    """Keeps what is printed, and prints it."""

    def write(self, text: str) -> int:
        sys.__stdout__.write(text)
        return super().write(text)


def _options(args: argparse.Namespace) -> str:
    """Those that are not what they are by default."""
    given = {"splits": (args.splits, 20), "limit": (args.limit, 60)}
    return "".join(f" --{key} {value:g}" for key, (value, usual) in given.items() if value != usual)


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.paper",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("name", choices=EXPERIMENTS, help="which experiment")
    parser.add_argument("--splits", type=int, default=20, help="random splits (default 20)")
    parser.add_argument("--limit", type=float, default=60, help="a rival's seconds (default 60)")
    args = parser.parse_args()
    if not published.is_here():
        parser.exit(1, "The sets are not here. Set BSNSING_SHARED to the folder with data/.\n")
    experiment = import_module(f"benchmarks.paper.{args.name}")
    title = experiment.__doc__.splitlines()[0]
    folder = RESULTS / "paper"
    folder.mkdir(exist_ok=True)
    with contextlib.redirect_stdout(Copy()) as printed:
        splits = "" if args.name in UNSPLIT else f", {args.splits} splits"
        print(f"# {title}\n\n{report.machine()}{splits}\n")
        print(f"`python -m benchmarks.paper {args.name}{_options(args)}` makes this page.\n")
        experiment.run(args.splits, *([args.limit] if args.name in WITH_RIVALS else []))
    report.save(folder / f"{args.name}.md", printed.getvalue())


if __name__ == "__main__":
    main()
