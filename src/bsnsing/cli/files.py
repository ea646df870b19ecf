"""Files that appear whole or not at all, and - for pipes."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

import click

from bsnsing.cli.errors import Refusal
from bsnsing.export.files import whole_file as whole

PIPE = "-"
MODEL_SUFFIX = ".json"


def check_output(path: str, *, force: bool) -> None:
    """Refuse an output that cannot be written or may not be replaced, before any work."""
    if path == PIPE:
        return
    target = Path(path)
    if target.is_dir():
        raise Refusal(f"{path!r} is a folder.", "name a file in it.")
    if not target.parent.is_dir():
        raise Refusal(
            f"The folder {str(target.parent)!r} of {path!r} does not exist.", "make it first."
        )
    is_special = target.exists() and not target.is_file()  # such as a pipe: written as it is
    if not is_special and not os.access(target.parent, os.W_OK):
        raise Refusal(
            f"You may not write to the folder {str(target.parent)!r} of {path!r}.",
            "choose another folder, or change its permissions.",
        )
    if target.is_file() and not force:
        raise Refusal(f"{path!r} exists.", "say --force to replace it, or choose another name.")


def check_one_pipe(model: str, table: str) -> None:
    """Refuse a model and a table that would both come from the pipe."""
    if model == table == PIPE:
        raise click.UsageError(
            "The model and the table cannot both come from the pipe.", click.get_current_context()
        )


@contextmanager
def whole_file(path: str) -> Iterator[BinaryIO]:
    """Open a file to write, which appears when all of it is written, or the pipe."""
    if path == PIPE:
        yield sys.stdout.buffer
        sys.stdout.buffer.flush()
        return
    with whole(path) as file:
        yield file


def write_file(path: str, content: str | bytes) -> None:
    """Write a file whole."""
    with whole_file(path) as file:
        file.write(content.encode() if isinstance(content, str) else content)
