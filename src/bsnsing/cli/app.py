"""The command itself: its help, and from what is raised to a line and an exit code."""

from __future__ import annotations

import os
import signal
import sys
import traceback
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from difflib import get_close_matches
from types import FrameType
from typing import Any

import click

from bsnsing.cli.errors import line_of
from bsnsing.cli.registry import SUBCOMMANDS
from bsnsing.data.release import __version__

_FAILED, _WRONG_USAGE, _INTERRUPTED, _BROKEN_PIPE, _ENDED = 1, 2, 130, 141, 143

_EXAMPLES = """\b
Examples:
  bsnsing fit customers.csv --target churned -o model.json
  bsnsing show model.json
  bsnsing predict model.json new.csv -o scored.csv
  bsnsing export model.json -o model.sql
  bsnsing evaluate customers.csv --target churned --learners bsnsing,cart,forest
  zcat big.csv.gz | bsnsing predict model.json - | head

Exit codes: 0 success, 1 the work failed, 2 wrong usage, 130 interrupted.
`bsnsing COMMAND --help` shows the options of a command."""


class _ReaderGone(Exception):
    """Who read our output has enough, as in ``| head``."""


class Commands(click.Group):
    """A group whose subcommands are those of the registry, imported when they are asked for."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names in the order of the registry."""
        return [subcommand.name for subcommand in SUBCOMMANDS]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Return the subcommand of that name."""
        for subcommand in SUBCOMMANDS:
            if subcommand.name == cmd_name:
                return subcommand.load()
        return None

    def invoke(self, ctx: click.Context) -> Any:
        """Run the subcommand; a reader that is gone is ours to tell, not click's."""
        try:
            return super().invoke(ctx)
        except BrokenPipeError as error:
            raise _ReaderGone from error

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Say which command may be meant, where there is none of that name."""
        near = get_close_matches(args[0], self.list_commands(ctx), n=1)
        if near and near[0] != args[0]:
            ctx.fail(f"No such command {args[0]!r}. Did you mean {near[0]!r}?")
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the subcommands by their groups."""
        for group in dict.fromkeys(subcommand.group for subcommand in SUBCOMMANDS):
            rows = [(own.name, own.help) for own in SUBCOMMANDS if own.group == group]
            with formatter.section(group):
                formatter.write_dl(rows, col_max=12)


@click.command(
    cls=Commands,
    invoke_without_command=True,
    epilog=_EXAMPLES,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.version_option(__version__, prog_name="bsnsing")
@click.pass_context
def bsnsing(ctx: click.Context) -> None:
    """Decision trees of Boolean rules, each proven to be the best of its size.

    Tables are CSV, TSV, Parquet, Arrow or JSON lines, by their suffix; - is a pipe.
    """
    if ctx.invoked_subcommand is None:
        click.echo(ctx.get_help())


def run(args: Sequence[str] | None = None) -> int:
    """Run the command, print what goes wrong as one line, and return the exit code."""
    given = list(sys.argv[1:] if args is None else args)
    is_debugging = "--debug" in given
    try:
        with _told_to_end(), _warnings_as_lines():
            code = bsnsing.main(given, prog_name="bsnsing", standalone_mode=False)
            sys.stdout.flush()
        return code if isinstance(code, int) else 0
    except (click.Abort, KeyboardInterrupt):
        if is_debugging:
            traceback.print_exc()
        _say("interrupted")
        return _INTERRUPTED
    except (BrokenPipeError, _ReaderGone):
        # What is buffered must not be tried again at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return _BROKEN_PIPE
    except Exception as error:
        if is_debugging:
            traceback.print_exc()
        if _is_interrupt(error):
            _say("interrupted")
            return _INTERRUPTED
        _say(f"error: {line_of(error)}")
        return _WRONG_USAGE if isinstance(error, click.UsageError) else _FAILED


def _is_interrupt(error: BaseException | None) -> bool:
    """Whether it comes of Ctrl-C: native modules that are being imported make an error of it."""
    while error is not None:
        if isinstance(error, KeyboardInterrupt):
            return True
        error = error.__cause__ or error.__context__
    return False


def _say(line: str) -> None:
    click.echo(f"bsnsing: {line}", err=True)


@contextmanager
def _told_to_end() -> Iterator[None]:
    """Let the signals that end a process end it by way of the clean-up of files."""

    def end(number: int, frame: FrameType | None) -> None:
        raise SystemExit(_ENDED)

    try:
        before = signal.signal(signal.SIGTERM, end)
    except ValueError:  # not the main thread: signals are not ours
        yield
        return
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


@contextmanager
def _warnings_as_lines() -> Iterator[None]:
    """Print each warning once, as one line."""
    seen = set()

    def show(message: Warning | str, category: type[Warning], *rest: Any, **more: Any) -> None:
        text = " ".join(str(message).split())
        if text not in seen:
            seen.add(text)
            _say(f"warning: {text}")

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        # What is about the user's data; others are for programmers.
        warnings.filterwarnings("always", category=UserWarning)
        warnings.showwarning = show
        yield
