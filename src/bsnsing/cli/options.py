"""Options that several subcommands share, and help in sections."""

from __future__ import annotations

import functools
import importlib
import inspect
from collections.abc import Callable
from typing import Any, TypeVar

import click

from bsnsing.cli.parameter_options import ParameterOption
from bsnsing.cli.table_formats import TABLE_FORMATS
from bsnsing.cli.table_options import KINDS, MISSING_MARKS, ReadOptions, TypeOptions

Command = TypeVar("Command", bound=Callable[..., Any])


class TableOption(click.Option):
    """An option on how a table is read; help lists these apart from others."""


_SECTIONS: tuple[tuple[type[click.Option], str], ...] = (
    (TableOption, "How the table is read"),
    (ParameterOption, "Parameters"),
)
_LAST = ("quiet", "debug", "help")


class SectionedCommand(click.Command):
    """A command whose help lists options by sections, and keeps the lines of its examples."""

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write each section in turn."""
        sections: dict[str, list[tuple[str, str]]] = {}
        own = [each for each in self.get_params(ctx) if isinstance(each, click.Option)]
        for parameter in sorted(own, key=lambda each: each.name in _LAST):
            record = parameter.get_help_record(ctx)
            if record is None:
                continue
            title = next((t for kind, t in _SECTIONS if isinstance(parameter, kind)), "Options")
            sections.setdefault(title, []).append(record)
        for title in ("Options", *(title for _, title in _SECTIONS)):
            if sections.get(title):
                with formatter.section(title):
                    formatter.write_dl(sections[title], col_max=26)


def subcommand(
    name: str, notes: str = "", *, runs: str | None = None
) -> Callable[[Callable[..., Any]], click.Command]:
    """Make a subcommand of a function; all take --quiet and --debug.

    Its docstring and the notes are the help: above the options, of which there may be many. Where
    it ``runs`` a module, what it returns are the options for the function ``run`` there, or None
    where all is done: the module, and the libraries that do the work, are imported then.
    """

    def made(function: Callable[..., Any]) -> click.Command:
        text = f"{inspect.cleandoc(function.__doc__ or '')}\n\n{notes}"
        function = function if runs is None else _running(function, runs)
        for decorate in (
            click.option("--debug", is_flag=True, expose_value=False, help="Show tracebacks."),
            click.option("-q", "--quiet", is_flag=True, help="Print results and errors only."),
        ):
            function = decorate(function)
        return click.command(name, cls=SectionedCommand, help=text)(function)

    return made


def _running(check: Callable[..., Any], runs: str) -> Callable[..., Any]:
    @functools.wraps(check)
    def command(**given: Any) -> None:
        options = check(**given)
        if options is not None:
            importlib.import_module(f"bsnsing.cli.{runs}").run(**options)

    return command


def table_options(command: Command) -> Command:
    """Give a command the options on reading a table to learn from, as ``read`` and ``types``."""
    return _with_table_options(command, _TYPE_OPTIONS + _READ_OPTIONS)


def new_rows_options(command: Command) -> Command:
    """Give a command the same but for what the columns hold, which a model says of new rows."""
    return _with_table_options(command, _READ_OPTIONS)


def _with_table_options(command: Command, options: tuple[Callable[..., Any], ...]) -> Command:
    @functools.wraps(command)
    def wrapped(
        *args: Any,
        input_format: str | None,
        delimiter: str | None,
        decimal: str,
        encoding: str,
        no_header: bool,
        missing: tuple[str, ...],
        types: tuple[tuple[str, str], ...] = (),
        drop: tuple[str, ...] = (),
        **kwargs: Any,
    ) -> Any:
        read = ReadOptions(
            format=input_format,
            delimiter=delimiter,
            encoding=encoding,
            has_header=not no_header,
        )
        chosen = TypeOptions(
            types=dict(types), drop=drop, marks=missing or MISSING_MARKS, decimal=decimal
        )
        return command(*args, read=read, types=chosen, **kwargs)

    for decorate in reversed(options):
        wrapped = decorate(wrapped)
    return wrapped  # type: ignore[return-value]


def _read_type(
    ctx: click.Context, parameter: click.Parameter, values: tuple[str, ...]
) -> tuple[tuple[str, str], ...]:
    pairs = []
    for value in values:
        column, equals, kind = value.rpartition("=")
        if not equals or not column or kind not in KINDS:
            raise click.BadParameter(
                f"{value!r} is not as in COLUMN=KIND, with KIND one of {', '.join(KINDS)}.",
                ctx,
                parameter,
            )
        pairs.append((column, kind))
    return tuple(pairs)


def _read_delimiter(
    ctx: click.Context, parameter: click.Parameter, value: str | None
) -> str | None:
    value = {"tab": "\t", "\\t": "\t"}.get(value or "", value)
    if value is not None and (len(value) != 1 or value in '\r\n"'):
        raise click.BadParameter("it is one character, or tab.", ctx, parameter)
    return value


_option = functools.partial(click.option, cls=TableOption)
_TYPE_OPTIONS = (
    _option(
        "--type",
        "types",
        multiple=True,
        metavar="COLUMN=KIND",
        callback=_read_type,
        help="What a column holds, where it is not what was found: number, text, boolean, date, "
        "time (of day), duration, category (each number is a level) or skip. May be repeated.",
    ),
    _option("--drop", multiple=True, metavar="COLUMN", help="Leave a column out. May be repeated."),
)
_READ_OPTIONS = (
    _option(
        "--missing",
        multiple=True,
        metavar="MARK",
        help="What stands for a missing cell. May be repeated, and replaces the usual marks: "
        f"{', '.join(mark or 'nothing' for mark in MISSING_MARKS)}.",
    ),
    _option(
        "--input-format",
        type=click.Choice(list(TABLE_FORMATS)),
        help="Format of the table, where its suffix does not say it.",
    ),
    _option(
        "--delimiter",
        metavar="CHARACTER",
        callback=_read_delimiter,
        help="What stands between cells of CSV.  [default: , and a tab in TSV]",
    ),
    _option(
        "--decimal", type=click.Choice([".", ","]), default=".", help="Decimal mark of numbers."
    ),
    _option(
        "--encoding", default="utf-8", metavar="NAME", help="Encoding of text, such as latin-1."
    ),
    _option("--no-header", is_flag=True, help="The first line is a row; columns are x0, x1, ..."),
)

MODEL_ARGUMENT = click.argument("model", type=click.Path(allow_dash=True))

force_option = click.option("-f", "--force", is_flag=True, help="Replace a file that exists.")


def output_option(help_text: str, **settings: Any) -> Callable[[Command], Command]:
    """Give a command the option for where it writes."""
    return click.option(
        "-o",
        "--output",
        type=click.Path(allow_dash=True),
        metavar="FILE",
        help=help_text,
        **settings,
    )
