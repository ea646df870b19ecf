"""The subcommands: a new one is a module and a line here."""

from __future__ import annotations

import importlib
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import click


@dataclass(frozen=True, slots=True)
class Subcommand:
    """One subcommand: the function ``command`` of its module.

    Modules are imported when they are asked for; their line of help is here so that a list of
    all of them imports none.
    """

    name: str
    module: str
    help: str
    group: str

    def load(self) -> click.Command:
        """Return the click command."""
        command: click.Command = importlib.import_module(self.module).command
        return command


# In the order in which help lists them.
SUBCOMMANDS = (
    Subcommand("fit", "bsnsing.cli.fit", "Fit a model to a table and save it.", "Models"),
    Subcommand("predict", "bsnsing.cli.predict", "Score the rows of a table.", "Models"),
    Subcommand("show", "bsnsing.cli.show", "Print a model.", "Models"),
    Subcommand("export", "bsnsing.cli.export", "Write a model in another format.", "Models"),
    Subcommand("evaluate", "bsnsing.cli.evaluate", "Compare learners on a table.", "Models"),
    Subcommand("explain", "bsnsing.cli.explain", "Say why rows get their labels.", "Models"),
    Subcommand("rule", "bsnsing.cli.rule", "Find the best rule of a 0/1 table.", "Rules"),
    Subcommand("solvers", "bsnsing.cli.solvers", "Say which solvers work here.", "Rules"),
    Subcommand("demo", "bsnsing.cli.demo", "See it at work on data that comes along.", "Help"),
    Subcommand("completion", "bsnsing.cli.completion", "Set up the Tab key of a shell.", "Help"),
)
