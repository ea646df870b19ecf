"""What ``bsnsing fit`` does."""

from __future__ import annotations

import time
from contextlib import AbstractContextManager
from typing import Any

import click
import pyarrow as pa

from bsnsing.cli.files import check_output
from bsnsing.cli.fitting import prepare
from bsnsing.cli.in_parts import fit_in_parts, plan_parts
from bsnsing.cli.models import save_model, size_of
from bsnsing.cli.parameters import make_estimator
from bsnsing.cli.progress import progress, shows_progress
from bsnsing.cli.table_options import ReadOptions, TypeOptions
from bsnsing.cli.tables import describe, read_columns, read_table
from bsnsing.cli.training import Training, read_training
from bsnsing.estimators.bar import progress_bar
from bsnsing.export.text import export_text


def run(
    *,
    table: tuple[str, ...],
    target: str,
    output: str | None,
    force: bool,
    weight: str | None,
    skip_unlabelled: bool,
    memory_limit: str | None,
    dry_run: bool,
    learner: str,
    preset: str,
    read: ReadOptions,
    types: TypeOptions,
    quiet: bool,
    **parameters: str | None,
) -> None:
    """Fit a model to a table and save it."""
    given = {name: text for name, text in parameters.items() if text is not None}
    model = make_estimator(learner, preset, given)
    if output is not None:
        check_output(output, force=force)
    plan = plan_parts(
        table,
        read,
        types,
        target=target,
        weight=weight,
        skip_unlabelled=skip_unlabelled,
        memory_limit=memory_limit,
    )
    if plan is not None:
        _show(plan.describe(), is_all=dry_run, quiet=quiet)
        if dry_run:
            return
        with _bar(as_lines="verbose" in given, quiet=quiet):
            start = time.perf_counter()
            fit_in_parts(model, plan)
            seconds = time.perf_counter() - start
        _hand_over(model, output, seconds, quiet=quiet)
        return
    with progress("reading", quiet=quiet):
        raw = read_table(table, read)
        columns = read_columns(raw, types)
    shown = f"{raw.n_rows:,} rows\n{describe(columns, {target: 'to learn'})}"
    _show(shown, is_all=dry_run, quiet=quiet)
    training = read_training(columns, target, weight=weight, skip_unlabelled=skip_unlabelled)
    if dry_run:
        return
    prepare(model, training)
    seconds = _fit(model, training, as_lines="verbose" in given, quiet=quiet)
    _hand_over(model, output, seconds, quiet=quiet)


def _show(text: str, *, is_all: bool, quiet: bool) -> None:
    """Show what was found of the columns: as what was asked for, or beside it."""
    if is_all:
        click.echo(text)
    elif not quiet:
        click.echo(f"{text}\n", err=True)


def _bar(*, as_lines: bool, quiet: bool) -> AbstractContextManager[Any]:
    """A progress bar on a terminal, or lines if these are wanted."""
    if shows_progress(quiet=quiet) and not as_lines:
        return progress_bar()
    return progress("fitting", quiet=quiet, as_lines=as_lines)


def _hand_over(model: Any, output: str | None, seconds: float, *, quiet: bool) -> None:
    """Save or print the model, and say what it is."""
    if output is None:
        click.echo(export_text(model))
    else:
        save_model(model, output)
    if not quiet:
        where = "not saved: say -o model.json" if output is None else f"saved in {output}"
        click.echo(f"{size_of(model)}, in {seconds:.1f} s; {where}", err=True)


def _fit(model: Any, training: Training, *, as_lines: bool, quiet: bool) -> float:
    table = training.table.append_column(training.target, [pa.array(training.labels.tolist())])
    start = time.perf_counter()
    with progress("fitting", quiet=quiet, as_lines=as_lines):
        model.fit(table, training.target, sample_weight=training.weights)
    return time.perf_counter() - start
