"""``bsnsing completion``: what makes the Tab key of a shell complete the command."""

from __future__ import annotations

import click
from click.shell_completion import get_completion_class

from bsnsing.cli.errors import Refusal
from bsnsing.cli.options import subcommand

_NOTES = """\b
Put the line for your shell into its startup file:
  bash   ~/.bashrc                   eval "$(bsnsing completion bash)"
  zsh    ~/.zshrc                    eval "$(bsnsing completion zsh)"
  fish   ~/.config/fish/config.fish  bsnsing completion fish | source"""


@subcommand("completion", _NOTES)
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
@click.pass_context
def command(ctx: click.Context, shell: str, quiet: bool) -> None:
    """Print what a shell needs to complete commands, options and files."""
    kind = get_completion_class(shell)
    root = ctx.find_root()
    if kind is None or root.info_name is None:
        raise Refusal(f"There is no completion for {shell}.")
    # Not source(), which starts bash to see its version: what is printed is the same.
    completion = kind(root.command, {}, root.info_name, "_BSNSING_COMPLETE")
    click.echo(completion.source_template % completion.source_vars())
