"""Options for parameters. Their help is in a file, made from the tables that check them.

So help and the Tab key need not wait for what fits and searches; a test holds the file against the
tables, and ``make stubs`` writes it anew.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import cache
from importlib.resources import files
from typing import Any, TypeVar

import click

HELP_FILE = "help.json"
PRESETS = {
    "default": "learns from a forest",
    "plain": "takes labels as they are: quick",
    "paper": "the settings of the paper",
}

Command = TypeVar("Command", bound=Callable[..., Any])


class ParameterOption(click.Option):
    """An option for a parameter; help lists these apart from others."""


@cache
def written_help() -> dict[str, dict[str, str]]:
    """Return the help of "parameters", of a "rule", of "learners" and of "contestants", by name."""
    text = files(__package__).joinpath(HELP_FILE).read_text(encoding="utf-8")
    found: dict[str, dict[str, str]] = json.loads(text)
    return found


def parameter_options(command: Command) -> Command:
    """Give a command an option for every parameter of every learner."""
    return _with_options(command, written_help()["parameters"])


def rule_options(command: Command) -> Command:
    """Give a command an option for every parameter of the search for a rule."""
    return _with_options(command, written_help()["rule"])


def _with_options(command: Command, helps: dict[str, str]) -> Command:
    for name, text in reversed(helps.items()):
        option = click.option(
            f"--{name.replace('_', '-')}", name, cls=ParameterOption, metavar="VALUE", help=text
        )
        command = option(command)
    return command
