"""``bsnsing rule``: the best rule of a 0/1 table, with its proof."""

from __future__ import annotations

from typing import Any

import click

from bsnsing.cli.options import subcommand, table_options
from bsnsing.cli.parameter_options import rule_options

_NOTES = """\b
Examples:
  bsnsing rule answers.csv --target y
  bsnsing rule answers.csv --target y --max-rules 3 --operators or,and --criterion gini
  bsnsing rule answers.csv --target y --solver highs --json"""


@subcommand("rule", _NOTES, runs="run_rule")
@click.argument("table", nargs=-1, required=True, type=click.Path(allow_dash=True))
@click.option("-t", "--target", required=True, metavar="COLUMN", help="Column of labels.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@table_options
@rule_options
def command(**given: Any) -> dict[str, Any]:
    """Find the best rule of a TABLE whose columns, but for the labels, are 0 and 1.

    No rule of its size over these columns has a smaller objective, and the proof is printed:
    the bound, and the rules that were counted or excluded.
    """
    return given
