"""``bsnsing predict``: the rows of a table with their labels and probabilities."""

from __future__ import annotations

from typing import Any

import click

from bsnsing.cli.files import PIPE, check_one_pipe
from bsnsing.cli.options import (
    MODEL_ARGUMENT,
    force_option,
    new_rows_options,
    output_option,
    subcommand,
)
from bsnsing.cli.table_formats import TABLE_FORMATS

_NOTES = """\b
Examples:
  bsnsing predict model.json new.csv -o scored.csv
  bsnsing predict model.json new.parquet --keep id -o scored.csv
  zcat new.csv.gz | bsnsing predict model.json - | head

Columns are found by their names, and read as the model knows them; further columns are passed on.
Say the same --missing and --decimal as at the fit.
Rows keep their order, and are read and written some at a time, so that files may be larger than
the memory. Added are `label`, and `probability_...` for each class."""


@subcommand("predict", _NOTES, runs="run_predict")
@MODEL_ARGUMENT
@click.argument("table", type=click.Path(allow_dash=True), default=PIPE)
@output_option("Where to write; by default to standard output.", default=PIPE)
@force_option
@click.option("--only", is_flag=True, help="Write the added columns alone.")
@click.option(
    "--keep",
    multiple=True,
    metavar="COLUMN",
    help="Of the table, write this column alone. May be repeated.",
)
@click.option("--prefix", default="", help="What the names of added columns begin with.")
@click.option(
    "--output-format",
    type=click.Choice(list(TABLE_FORMATS)),
    help="Format of the output, where its suffix does not say it. A pipe gets that of the table, "
    "or CSV where the table is not text.",
)
@new_rows_options
def command(**given: Any) -> dict[str, Any]:
    """Score the rows of a TABLE with a saved MODEL.

    TABLE is CSV, TSV, Parquet, Arrow or JSON lines, or - for a pipe.
    """
    check_one_pipe(given["model"], given["table"])
    return given
