"""``bsnsing demo``: the main job on data that comes with scikit-learn."""

from __future__ import annotations

import click

from bsnsing.cli.files import check_output
from bsnsing.cli.options import force_option, subcommand
from bsnsing.export.registry import format_of

_NOTES = """\b
Examples:
  bsnsing demo
  bsnsing demo tree.html tree.svg"""


@subcommand("demo", _NOTES)
@click.argument("files", nargs=-1, type=click.Path())
@force_option
def command(files: tuple[str, ...], force: bool, quiet: bool) -> None:
    """See it at work: fit a tree to the Wisconsin breast cancer data, and test it.

    The data come with scikit-learn; nothing is fetched. The tree is also written to FILES, if there
    are any, in the formats that their suffixes name.
    """
    from bsnsing.demo import main

    for path in files:
        try:
            format_of(path)
        except ValueError as error:
            raise click.UsageError(str(error), click.get_current_context()) from error
        check_output(path, force=force)
    main(files)
