"""What ``bsnsing predict`` does."""

from __future__ import annotations

from typing import Any

import click
import pyarrow as pa

from bsnsing.cli.cells import plain_text
from bsnsing.cli.errors import Refusal
from bsnsing.cli.files import PIPE, check_output
from bsnsing.cli.models import load_estimator
from bsnsing.cli.progress import progress
from bsnsing.cli.rows import ModelColumns
from bsnsing.cli.sinks import OutColumn, open_sink
from bsnsing.cli.sources import Batch, open_source
from bsnsing.cli.table_formats import TABLE_FORMATS, Style, table_format_of
from bsnsing.cli.table_options import ReadOptions, TypeOptions
from bsnsing.cli.tables import check_names


def run(
    *,
    model: str,
    table: str,
    output: str,
    force: bool,
    only: bool,
    keep: tuple[str, ...],
    prefix: str,
    output_format: str | None,
    read: ReadOptions,
    types: TypeOptions,
    quiet: bool,
) -> None:
    """Score the rows of a table."""
    check_output(output, force=force)
    scorer = _Scorer(load_estimator(model), types, prefix, None if not (only or keep) else keep)
    with open_source(table, read) as source:
        into = output_format or _format_for(output, source.format)
        batches = iter(source.batches)
        batch = next(batches)  # so that what is wrong with the table is said before a file is made
        columns = scorer.score(batch, source.style, into)
        with progress("scoring", quiet=quiet) as tell, open_sink(output, into) as sink:
            sink.write(columns)
            n_rows = batch.n_rows
            for batch in batches:
                sink.write(scorer.score(batch, source.style, into))
                n_rows += batch.n_rows
                tell(f"{n_rows:,} rows")
    if not quiet and output != PIPE:
        click.echo(f"{n_rows:,} rows scored in {output}", err=True)


def _format_for(output: str, table_format: str) -> str:
    """By the suffix; a pipe gets the format of the table, if people can read it."""
    if output != PIPE:
        return table_format_of(output)
    return "csv" if TABLE_FORMATS[table_format].style == "typed" else table_format


class _Scorer:
    """Adds predictions to rows."""

    def __init__(
        self, model: Any, types: TypeOptions, prefix: str, kept: tuple[str, ...] | None
    ) -> None:
        self._model = model
        self._columns = ModelColumns(model, types)
        self._kept = kept  # None: all
        classes = model.classes_.tolist()
        self._label = f"{prefix}label"
        self._probabilities = [f"{prefix}probability_{plain_text(label)}" for label in classes]

    def score(self, batch: Batch, style: Style, into: str) -> list[OutColumn]:
        """Return the rows of a batch to write."""
        rows = self._columns.read(batch, style)
        columns = self._passed_on(batch, style, into, rows)
        added = [self._label, *self._probabilities]
        taken = [name for name in added if name in {column.name for column in columns}]
        if taken:
            raise Refusal(
                f"The table has a column {taken[0]!r} already.",
                "say --prefix predicted_, or --only.",
            )
        if batch.n_rows == 0:
            arrays = [pa.array(self._model.classes_.tolist())[:0]]
            arrays += [pa.array([], pa.float64())] * len(self._probabilities)
        else:
            arrays = [pa.array(self._model.predict(rows).tolist())]
            arrays += [pa.array(share) for share in self._model.predict_proba(rows).T]
        pairs = zip(added, arrays, strict=True)
        return columns + [OutColumn(name, array, "typed") for name, array in pairs]

    def _passed_on(self, batch: Batch, style: Style, into: str, rows: Any) -> list[OutColumn]:
        """Columns of the table to write: as they stand there.

        Where the output has types and the table has none, the model says which are numbers.
        """
        names = list(batch.columns) if self._kept is None else self._kept
        check_names(names, batch.columns, "--keep")
        if TABLE_FORMATS[into].style in ("text", style) or not isinstance(rows, pa.Table):
            return [OutColumn(name, batch.columns[name], style) for name in names]
        typed = {
            known.name for known in self._columns.columns if known.kind in ("numeric", "boolean")
        }
        return [
            OutColumn(name, rows[name], "typed")
            if name in typed
            else OutColumn(name, batch.columns[name], style)
            for name in names
        ]
