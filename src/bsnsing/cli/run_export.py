"""What ``bsnsing export`` does."""

from __future__ import annotations

import inspect
from typing import Any

import click

from bsnsing.cli.errors import Refusal
from bsnsing.cli.files import PIPE, check_output, write_file
from bsnsing.cli.models import load_model
from bsnsing.cli.parameters import readings
from bsnsing.export.registry import Format


def run(
    *,
    model: str,
    output: str | None,
    force: bool,
    wanted: Format,
    settings: tuple[str, ...],
    quiet: bool,
) -> None:
    """Write a model in another format."""
    path = PIPE if output is None else output
    options = ({} if path == PIPE else wanted.options_for(path)) | _read_settings(settings)
    check_output(path, force=force)
    write_file(path, _content(wanted, load_model(model), options))
    if not quiet and path != PIPE:
        click.echo(f"{path} written as {wanted.name}", err=True)


def _content(wanted: Format, model: Any, settings: dict[str, Any]) -> str | bytes:
    function = wanted.load()
    parameters = inspect.signature(function).parameters.values()
    known = [own.name for own in parameters if own.kind is own.KEYWORD_ONLY]
    unknown = [name for name in settings if name not in known]
    if unknown and not any(own.kind is own.VAR_KEYWORD for own in parameters):
        raise Refusal(
            f"The format {wanted.name} has no such option: {unknown[0]!r}.",
            f"it has {', '.join(known) or 'none'}.",
        )
    try:
        content: str | bytes = function(model, **settings)
    except TypeError as error:
        if unknown and "keyword" in str(error):  # options that are passed on
            raise Refusal(f"The format {wanted.name} has no such option: {error}.") from error
        raise
    if isinstance(content, str) and not content.endswith("\n"):
        content += "\n"
    return content


def _read_settings(settings: tuple[str, ...]) -> dict[str, Any]:
    found = {}
    for setting in settings:
        name, equals, text = setting.partition("=")
        if not equals or not name:
            raise click.UsageError(
                f"--option is as in NAME=VALUE. Got {setting!r}.", click.get_current_context()
            )
        found[name.replace("-", "_")] = next(readings(text))
    return found
