"""``bsnsing evaluate``: several learners on one table, by cross-validation."""

from __future__ import annotations

from typing import Any

import click

from bsnsing.cli.files import PIPE
from bsnsing.cli.options import force_option, output_option, subcommand, table_options
from bsnsing.cli.parameter_options import parameter_options, written_help

CONTESTANTS = written_help()["contestants"]

_NOTES = """\b
Examples:
  bsnsing evaluate customers.csv --target churned
  bsnsing evaluate customers.csv --target churned --learners bsnsing,plain,cart,forest
  bsnsing evaluate data.csv --target y --folds 10 --repeats 3 --format csv -o figures.csv

\b
Learners:
""" + "\n".join(f"  {name:10} {text}" for name, text in CONTESTANTS.items())

_FURTHER = """

Intervals are corrected for folds that share rows to learn from (Nadeau and Bengio). Parameters of
the model go to all learners of this package. Other learners get levels as 0/1 columns."""


def _read_learners(ctx: click.Context, parameter: click.Parameter, value: str) -> tuple[str, ...]:
    names = tuple(dict.fromkeys(name.strip() for name in value.split(",") if name.strip()))
    unknown = [name for name in names if name not in CONTESTANTS]
    if unknown or not names:
        raise click.BadParameter(
            f"{(unknown or [value])[0]!r} is none of {', '.join(CONTESTANTS)}.", ctx, parameter
        )
    return names


@subcommand("evaluate", _NOTES + _FURTHER, runs="run_evaluate")
@click.argument("table", nargs=-1, required=True, type=click.Path(allow_dash=True))
@click.option("-t", "--target", required=True, metavar="COLUMN", help="Column to learn.")
@click.option(
    "--learners",
    default="bsnsing,plain,cart,forest",
    metavar="NAMES",
    callback=_read_learners,
    help="Who is compared, with commas between them; differences are to the first.  "
    "[default: bsnsing,plain,cart,forest]",
)
@click.option(
    "--folds", type=click.IntRange(2), default=5, show_default=True, help="Folds of each repeat."
)
@click.option(
    "--repeats",
    type=click.IntRange(1),
    default=2,
    show_default=True,
    help="How often rows are dealt into folds anew.",
)
@click.option(
    "--level",
    type=click.FloatRange(0, 1, min_open=True, max_open=True),
    default=0.95,
    show_default=True,
    help="Probability of the intervals.",
)
@click.option("--seed", type=click.IntRange(0), default=0, help="Of the folds.  [default: 0]")
@click.option(
    "--format",
    "form",
    type=click.Choice(["text", "json", "csv"]),
    default="text",
    show_default=True,
    help="How the figures are written.",
)
@output_option("Where to write the figures.  [default: standard output]", default=PIPE)
@force_option
@click.option("--skip-unlabelled", is_flag=True, help="Leave out rows without a label.")
@table_options
@parameter_options
def command(**given: Any) -> dict[str, Any]:
    """Compare learners on a TABLE: accuracy, AUC and log loss on rows they have not seen.

    Means over the folds of repeated, stratified cross-validation come with intervals, and so do
    the differences to the first learner, fold by fold.
    """
    return given
