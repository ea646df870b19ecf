"""What goes wrong, in one line: what it is, and a hint."""

from __future__ import annotations

import errno
import os
import re

import click

# What the library raises for data and settings that it cannot use; their messages say what to do.
EXPECTED = (ValueError, TypeError, OSError, ImportError, RuntimeError, MemoryError)


class Refusal(Exception):
    """The work cannot be done: exit code 1."""

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.hint = hint


def line_of(error: BaseException) -> str:
    """Write an error as one line."""
    if isinstance(error, Refusal):
        text = f"{error} Hint: {error.hint}" if error.hint else str(error)
    elif isinstance(error, click.UsageError):
        text = _usage_line(error)
    elif isinstance(error, click.ClickException):
        text = error.format_message()
    elif isinstance(error, OSError) and error.strerror:
        text = _system_line(error)
    elif isinstance(error, MemoryError):
        text = "There is not enough memory for this table. Hint: drop columns with --drop."
    elif isinstance(error, EXPECTED):
        text = str(error)
    else:
        text = (
            f"This should not happen: {type(error).__name__}: {error}. "
            "Hint: run it again with --debug, and report what it prints."
        )
    return " ".join(_printable(text).split())


def _usage_line(error: click.UsageError) -> str:
    message = error.format_message().rstrip()
    if message and message[-1] not in ".?!)":
        message += "."
    path = error.ctx.command_path if error.ctx is not None else "bsnsing"
    return f"{message} Hint: `{path} --help` shows how it is used."


_HINTS = {
    errno.ENOENT: "check the path",
    errno.EACCES: "check who may read or write there",
    errno.EISDIR: "name a file in it",
    errno.ENOSPC: "make room, or write elsewhere",
}


def _system_line(error: OSError) -> str:
    what = os.strerror(error.errno) if error.errno else str(error.strerror)
    place = f"{os.fsdecode(error.filename)!r}: " if error.filename else ""
    hint = _HINTS.get(error.errno or 0)
    return f"{place}{what}." + (f" Hint: {hint}." if hint else "")


def _printable(text: str) -> str:
    """Leave out what would move the cursor of a terminal; names and cells come from anywhere."""
    return re.sub(r"[^\S ]|[\x00-\x1f\x7f-\x9f]", " ", text)
