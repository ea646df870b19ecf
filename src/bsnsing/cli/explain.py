"""``bsnsing explain``: why rows get their labels, and what would change them."""

from __future__ import annotations

import re
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

_NOTES = """\b
Examples:
  bsnsing explain model.json new.csv --rows 1,5-8
  bsnsing explain model.json new.csv --fixed age --format jsonl -o why.jsonl
  head -2 new.csv | bsnsing explain model.json -

The nearest change is the one that changes the answers of the fewest questions and leads to another
label; where several trees decide, the one of fewest columns. Rows count from 1."""


def _read_rows(
    ctx: click.Context, parameter: click.Parameter, value: str | None
) -> tuple[range, ...] | None:
    if value is None:
        return None
    found = []
    for part in value.split(","):
        match = re.fullmatch(r"\s*(\d+)(?:-(\d+))?\s*", part, re.ASCII)
        first, last = (int(match[1]), int(match[2] or match[1])) if match else (0, 0)
        if not 1 <= first <= last:
            raise click.BadParameter(f"{part!r} is not as in 5 or 5-8.", ctx, parameter)
        found.append(range(first, last + 1))
    return tuple(found)


@subcommand("explain", _NOTES, runs="run_explain")
@MODEL_ARGUMENT
@click.argument("table", type=click.Path(allow_dash=True), default=PIPE)
@click.option(
    "--rows",
    metavar="ROWS",
    callback=_read_rows,
    help="Rows to explain, as in 1,5-8.  [default: all]",
)
@click.option(
    "--fixed",
    multiple=True,
    metavar="COLUMN",
    help="Column that no change may touch. May be repeated.",
)
@click.option("--event", metavar="LABEL", help="Whose probability to tell on the way.")
@click.option("--no-change", is_flag=True, help="Do not look for the nearest change.")
@click.option(
    "--format",
    "form",
    type=click.Choice(["text", "jsonl", "csv"]),
    default="text",
    show_default=True,
    help="How explanations are written.",
)
@output_option("Where to write.  [default: standard output]", default=PIPE)
@force_option
@new_rows_options
def command(**given: Any) -> dict[str, Any]:
    """Say why rows of a TABLE get their labels from a saved MODEL, and what would change them."""
    check_one_pipe(given["model"], given["table"])
    return given
