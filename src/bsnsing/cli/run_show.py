"""What ``bsnsing show`` does."""

from __future__ import annotations

from typing import Any

import click

from bsnsing.cli.errors import Refusal
from bsnsing.cli.models import load_estimator, load_model, size_of
from bsnsing.cli.rows import ModelColumns, labels_of_rows
from bsnsing.cli.sources import Batch
from bsnsing.cli.table_options import ReadOptions, TypeOptions
from bsnsing.cli.tables import check_names, read_table
from bsnsing.export.summaries import summary
from bsnsing.export.text import export_text


def run(
    *,
    model: str,
    depth: int | None,
    proof: bool,
    probabilities: bool,
    levels: bool,
    missing_ways: bool,
    numbers: bool,
    origins: bool,
    is_summary: bool,
    data: str | None,
    target: str | None,
    read: ReadOptions,
    types: TypeOptions,
    quiet: bool,
) -> None:
    """Print a model as text, and how well it does."""
    loaded = load_model(model) if data is None else load_estimator(model)
    if data is not None:
        click.echo(str(summary(loaded, *_cases(loaded, data, target, read, types))))
        return
    if is_summary:
        click.echo(str(summary(loaded)))
        return
    text = export_text(
        loaded,
        max_depth=depth,
        show_proof=proof,
        show_probabilities=probabilities,
        full_levels=levels,
        show_missing=missing_ways,
        show_numbers=numbers,
        show_origins=origins,
    )
    click.echo(text)
    if not quiet:
        learnt = getattr(loaded, "label_name_", None)
        click.echo(f"{f'{learnt}: ' if learnt else ''}{size_of(loaded)}", err=True)


def _cases(
    model: Any, path: str, target: str | None, read: ReadOptions, types: TypeOptions
) -> tuple[Any, Any]:
    """Rows and labels of a table."""
    target = target or model.label_name_
    if target is None:
        raise Refusal("The model does not know the name of its labels.", "say --target COLUMN.")
    raw = read_table([path], read)
    check_names([target], raw.columns, "--target")
    labels = labels_of_rows(model, raw.columns.pop(target), raw.style, types)
    return ModelColumns(model, types).read(Batch(raw.columns, raw.n_rows), raw.style), labels
