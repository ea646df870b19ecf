"""Progress on long work: a line on a terminal that goes away, and nothing in a pipe."""

from __future__ import annotations

import logging
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import click
from rich.console import Console

_LOGGER = logging.getLogger("bsnsing")


class _Told(logging.Handler):
    """Hand each message of the library on."""

    def __init__(self, tell: Callable[[str], None]) -> None:
        super().__init__(logging.INFO)
        self._tell = tell

    def emit(self, record: logging.LogRecord) -> None:
        """Hand on one message."""
        self._tell(record.getMessage())


def shows_progress(*, quiet: bool) -> bool:
    """Whether a line of progress is of use: on a terminal, unless it is not wanted."""
    return not quiet and sys.stderr.isatty()


@contextmanager
def progress(what: str, *, quiet: bool, as_lines: bool = False) -> Iterator[Callable[[str], None]]:
    """Show what is being done until it is done; also what the library reports meanwhile.

    Parameters
    ----------
    what : str
        What is being done.
    quiet : bool
        Whether to show nothing.
    as_lines : bool, default=False
        Whether to print what the library reports as lines that stay, also in a pipe.

    Yields
    ------
    callable
        Takes a text on how far it is.
    """
    if as_lines:
        with _listening(lambda text: click.echo(text, err=True)):
            yield lambda text: click.echo(f"{what}: {text}", err=True)
        return
    if not shows_progress(quiet=quiet):
        yield lambda text: None
        return
    with Console(stderr=True, highlight=False, markup=False).status(what) as status:

        def tell(text: str) -> None:
            status.update(f"{what}: {text}")

        with _listening(tell):
            yield tell


@contextmanager
def _listening(tell: Callable[[str], None]) -> Iterator[None]:
    handler = _Told(tell)
    level, propagates = _LOGGER.level, _LOGGER.propagate
    _LOGGER.addHandler(handler)
    _LOGGER.setLevel(logging.DEBUG)  # at which models report without being told to
    _LOGGER.propagate = False
    try:
        yield
    finally:
        _LOGGER.removeHandler(handler)
        _LOGGER.setLevel(level)
        _LOGGER.propagate = propagates
