"""``bsnsing show``: a model, to be read."""

from __future__ import annotations

from typing import Any

import click

from bsnsing.cli.options import MODEL_ARGUMENT, new_rows_options, subcommand

_NOTES = """\b
Examples:
  bsnsing show model.json
  bsnsing show model.json --proof --depth 2
  bsnsing show model.json --summary
  bsnsing show model.json --data test.csv

With --summary or --data the tree is followed by how well it does: confusion, AUC, precision,
recall and calibration, on the cases of the fit or on those of a table with labels."""


@subcommand("show", _NOTES, runs="run_show")
@MODEL_ARGUMENT
@click.option("--depth", type=click.IntRange(0), metavar="N", help="Cut off below this depth.")
@click.option("--proof", is_flag=True, help="Say what each split was proven against.")
@click.option("--probabilities", is_flag=True, help="Write the probabilities of all classes.")
@click.option("--levels", is_flag=True, help="List all levels of a group.")
@click.option("--missing-ways", is_flag=True, help="Say which way missing cells go.")
@click.option("--numbers", is_flag=True, help="Write the number of each node.")
@click.option("--origins", is_flag=True, help="Write where questions from elsewhere came from.")
@click.option("--summary", "is_summary", is_flag=True, help="Say how it does on the fit's cases.")
@click.option(
    "--data", type=click.Path(allow_dash=True), metavar="TABLE", help="Say how it does on these."
)
@click.option(
    "-t", "--target", metavar="COLUMN", help="Labels of the data.  [default: as at the fit]"
)
@new_rows_options
def command(**given: Any) -> dict[str, Any]:
    """Print a saved MODEL as text, and how well it does."""
    return given
