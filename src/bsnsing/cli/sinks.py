"""Tables written to files and pipes, some rows at a time."""

from __future__ import annotations

import bz2
import csv
import gzip
import io
import json
import lzma
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, BinaryIO, NamedTuple, Protocol

import pyarrow as pa

from bsnsing.cli.cells import json_literals, shown_cells, texts_of
from bsnsing.cli.errors import Refusal
from bsnsing.cli.files import whole_file
from bsnsing.cli.table_formats import Style, packing_of


class OutColumn(NamedTuple):
    """A column of rows to write."""

    name: str
    array: Any
    style: Style


class Sink(Protocol):
    """Writes rows, some at a time."""

    def write(self, columns: Sequence[OutColumn]) -> None:
        """Write some rows."""
        ...

    def close(self) -> None:
        """Finish."""
        ...


class _Delimited:
    """CSV and TSV."""

    def __init__(self, file: BinaryIO, delimiter: str) -> None:
        self._file = file
        self._delimiter = delimiter
        self._names: list[str] = []

    def write(self, columns: Sequence[OutColumn]) -> None:
        text = io.StringIO()
        rows = csv.writer(text, delimiter=self._delimiter, lineterminator="\n")
        if not self._names:
            self._names = [column.name for column in columns]
            rows.writerow(self._names)
        _check_names(self._names, columns)
        cells = [shown_cells(column.array, column.style) for column in columns]
        rows.writerows(zip(*cells, strict=True))
        self._file.write(text.getvalue().encode())

    def close(self) -> None:
        """Finish; nothing is left to do."""


class _JsonLines:
    """JSON lines."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file

    def write(self, columns: Sequence[OutColumn]) -> None:
        keys = [json.dumps(column.name, ensure_ascii=False) for column in columns]
        literals = [json_literals(column.array, column.style) for column in columns]
        for row in zip(*literals, strict=True):
            cells = ", ".join(f"{key}: {cell}" for key, cell in zip(keys, row, strict=True))
            self._file.write(f"{{{cells}}}\n".encode())

    def close(self) -> None:
        """Finish; nothing is left to do."""


class _Arrow:
    """Parquet, and the file form of Arrow."""

    def __init__(self, open_writer: Callable[[Any], Any]) -> None:
        self._open_writer = open_writer
        self._writer: Any = None
        self._schema: Any = None

    def write(self, columns: Sequence[OutColumn]) -> None:
        arrays = [column.array if column.style == "typed" else _texts(column) for column in columns]
        table = pa.table(dict(zip([column.name for column in columns], arrays, strict=True)))
        if self._writer is None:
            self._schema = table.schema
            self._writer = self._open_writer(table.schema)
        _check_names(self._schema.names, columns)
        self._writer.write_table(table.cast(self._schema))

    def close(self) -> None:
        if self._writer is not None:
            self._writer.close()


def _check_names(names: Sequence[str], columns: Sequence[OutColumn]) -> None:
    """JSON lines may bring new names late; what has a header cannot take them up."""
    late = [column.name for column in columns if column.name not in names]
    if late:
        raise Refusal(
            f"The name {late[0]!r} comes up late in the table, after the header was written.",
            "write .jsonl, or choose columns with --keep or --only.",
        )


def _texts(column: OutColumn) -> Any:
    """Text, null where there is nothing."""
    if column.style == "text":
        return pa.array([cell or None for cell in column.array.to_pylist()], pa.string())
    return texts_of(column.array, column.style)[0]


def _parquet(file: BinaryIO) -> Sink:
    import pyarrow.parquet as pq

    return _Arrow(lambda schema: pq.ParquetWriter(file, schema))


_SINKS: dict[str, Callable[[BinaryIO], Sink]] = {
    "csv": lambda file: _Delimited(file, ","),
    "tsv": lambda file: _Delimited(file, "\t"),
    "jsonl": _JsonLines,
    "parquet": _parquet,
    "arrow": lambda file: _Arrow(lambda schema: pa.ipc.new_file(file, schema)),
}


@contextmanager
def open_sink(path: str, table_format: str) -> Iterator[Sink]:
    """Open a table to be written, whole or not at all."""
    with whole_file(path) as file, _packed(path, file) as packed:
        sink = _SINKS[table_format](packed)
        yield sink
        sink.close()


@contextmanager
def _packed(path: str, file: BinaryIO) -> Iterator[BinaryIO]:
    packing = packing_of(path)
    if packing is None:
        yield file
    elif packing == ".gz":
        with gzip.GzipFile(filename="", mode="wb", fileobj=file, mtime=0) as packed:
            yield packed  # type: ignore[misc]
    else:
        opener: Any = bz2.open if packing == ".bz2" else lzma.open
        with opener(file, "wb") as packed:
            yield packed
