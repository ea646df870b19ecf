"""``bsnsing export``: a model in another format, which the suffix of the file names."""

from __future__ import annotations

from typing import Any

import click

from bsnsing.cli.files import PIPE
from bsnsing.cli.options import force_option, output_option, subcommand
from bsnsing.export.registry import FORMATS, Format, format_of

_NOTES = """\b
Examples:
  bsnsing export model.json -o model.sql
  bsnsing export model.json --to text
  bsnsing export model.json -o tree.txt --option show_proof=true
  bsnsing export --list

Options of a format are the keywords of its function in Python; a wrong one lists all of them."""


def _read_format(
    ctx: click.Context, parameter: click.Parameter, value: str | None
) -> Format | None:
    """Return the format of that name, or suffix."""
    if value is None:
        return None
    wanted = value.lower().lstrip(".")
    for known in FORMATS:
        if wanted in (known.name.lower(), known.suffix.lower().lstrip(".")):
            return known
    names = ", ".join(known.suffix.lstrip(".") for known in FORMATS)
    raise click.BadParameter(f"{value!r} is none of {names}.", ctx, parameter)


def _complete_format(ctx: click.Context, parameter: click.Parameter, incomplete: str) -> list[str]:
    names = (known.suffix.lstrip(".") for known in FORMATS)
    return [name for name in names if name.startswith(incomplete)]


@subcommand("export", _NOTES, runs="run_export")
@click.argument("model", type=click.Path(allow_dash=True), required=False)
@output_option("Where to write; its suffix says the format.")
@force_option
@click.option(
    "--to",
    "wanted",
    metavar="FORMAT",
    callback=_read_format,
    shell_complete=_complete_format,
    help="Format, where no suffix says it.",
)
@click.option(
    "--option",
    "settings",
    multiple=True,
    metavar="NAME=VALUE",
    help="Option of the format's own function, such as show_proof=true. May be repeated.",
)
@click.option("--list", "lists", is_flag=True, help="List all formats, and stop.")
def command(**given: Any) -> dict[str, Any] | None:
    """Write a saved MODEL in another format.

    The format is that of the suffix of the output file.
    """
    if given.pop("lists"):
        click.echo(_listing())
        return None
    context = click.get_current_context()
    if given["model"] is None:
        raise click.UsageError("Missing argument 'MODEL'.", context)
    if given["wanted"] is None:
        output = given["output"]
        if output in (None, PIPE):
            raise click.UsageError("Say where to write (-o FILE), or the format (--to).", context)
        try:
            given["wanted"] = format_of(output or "")
        except ValueError as error:
            raise click.UsageError(str(error), context) from error
    return given


def _listing() -> str:
    lines = []
    for known in FORMATS:
        needs = f"   needs pip install bsnsing[{known.extra}]" if known.extra else ""
        lines.append(f"{known.suffix:7} {known.name}{needs}")
    return "\n".join(lines)
