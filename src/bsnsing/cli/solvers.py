"""``bsnsing solvers``: which solvers can be used here, and why not the others."""

from __future__ import annotations

import json

import click

from bsnsing.cli.options import subcommand

_NOTES = """\b
Examples:
  bsnsing solvers
  bsnsing solvers --json | jq -r 'to_entries[] | select(.value.is_usable) | .key'"""


@subcommand("solvers", _NOTES)
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def command(as_json: bool, quiet: bool) -> None:
    """Say which solvers work here, and why not the others.

    Commercial solvers are started, to see whether they have a license.
    """
    from bsnsing.solvers.registry import available

    found = available()
    if as_json:
        click.echo(json.dumps({name: status._asdict() for name, status in found.items()}, indent=2))
        return
    for name, status in found.items():
        reason = "" if status.is_usable else f"not usable: {status.reason}. {status.advice}"
        click.echo(f"{name:8} {reason or 'usable'}")
