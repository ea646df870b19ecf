"""``bsnsing fit``: from a table to a saved model."""

from __future__ import annotations

from pathlib import PurePath
from typing import Any

import click

from bsnsing.cli.files import MODEL_SUFFIX, PIPE
from bsnsing.cli.options import force_option, output_option, subcommand, table_options
from bsnsing.cli.parameter_options import PRESETS, parameter_options, written_help

_NOTES = """\b
Examples:
  bsnsing fit customers.csv --target churned -o model.json
  bsnsing fit 'part-*.parquet' --target churned --drop id -o model.json
  bsnsing fit 'part-*.parquet' --target churned --memory-limit 4GB -o model.json
  bsnsing fit data.csv --target y --type zip=text --missing -999 --missing '' -o model.json
  bsnsing fit data.csv --target y --preset plain --max-rules 1 --max-leaf-nodes 6
  bsnsing fit data.csv --target y --dry-run

What was found of each column is shown before the fit. A column holds numbers if all its cells
are numbers; leading zeros and more digits than a float holds tell codes, which stay text.
Blanks around cells do not count."""


def _list(known: dict[str, str]) -> str:
    return "; ".join(f"{name}: {text}" for name, text in known.items())


@subcommand("fit", _NOTES, runs="run_fit")
@click.argument("table", nargs=-1, required=True, type=click.Path(allow_dash=True))
@click.option("-t", "--target", required=True, metavar="COLUMN", help="Column to learn.")
@output_option("Where to save the model (.json); without it the model is printed.")
@force_option
@click.option("--weight", metavar="COLUMN", help="Column that says what each row counts.")
@click.option("--skip-unlabelled", is_flag=True, help="Leave out rows without a label.")
@click.option(
    "--memory-limit",
    metavar="SIZE",
    help="Read Parquet files some rows at a time, within this memory, such as 4GB. Files too "
    "large for this machine are read so anyway.",
)
@click.option("--dry-run", is_flag=True, help="Show what was found of the columns, and stop.")
@click.option(
    "--learner",
    type=click.Choice(list(written_help()["learners"])),
    default="tree",
    help=f"{_list(written_help()['learners'])}.  [default: tree]",
)
@click.option(
    "--preset",
    type=click.Choice(list(PRESETS)),
    default="default",
    help=f"{_list(PRESETS)}.  [default: default]",
)
@table_options
@parameter_options
def command(**given: Any) -> dict[str, Any]:
    """Fit a model to a TABLE and save it.

    TABLE is one or more files of the same columns: CSV, TSV, Parquet, Arrow or JSON lines,
    also compressed (.gz .bz2 .xz), or - for a pipe. Patterns in quotes work too.
    """
    output = given["output"]
    if output not in (None, PIPE) and PurePath(output or "").suffix.lower() != MODEL_SUFFIX:
        raise click.UsageError(
            f"Models are saved as {MODEL_SUFFIX}, not as {output!r}. `bsnsing export` writes "
            "other formats from there.",
            click.get_current_context(),
        )
    return given
