"""Tables read from files and pipes, some rows at a time: CSV, TSV, JSON lines, Parquet, Arrow."""

from __future__ import annotations

import bz2
import csv
import glob
import gzip
import io
import json
import lzma
import os
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, BinaryIO, NamedTuple

import pyarrow as pa

from bsnsing.cli.errors import Refusal
from bsnsing.cli.files import PIPE
from bsnsing.cli.table_formats import TABLE_FORMATS, Style, packing_of, table_format_of
from bsnsing.cli.table_options import ReadOptions

_BATCH_ROWS = 20_000
_LONGEST_CELL = 2**31 - 1


class Batch(NamedTuple):
    """Some rows of a table."""

    columns: dict[str, Any]  # arrow arrays by name
    n_rows: int


@dataclass(frozen=True, slots=True)
class Source:
    """A table that is being read."""

    path: str
    format: str
    style: Style
    batches: Iterator[Batch]


def expand_paths(patterns: Sequence[str]) -> list[str]:
    """Return the files that are named, also by patterns such as ``part-*.parquet``."""
    paths = []
    for pattern in patterns:
        if pattern == PIPE or os.path.exists(pattern) or not glob.has_magic(pattern):
            paths.append(pattern)
            continue
        found = sorted(glob.glob(pattern))
        if not found:
            raise Refusal(f"No file is called {pattern!r}.", "check the pattern.")
        paths += found
    if paths.count(PIPE) > 1:
        raise Refusal("- is given twice, and a pipe can be read once.", "name it once.")
    return paths


@contextmanager
def open_source(path: str, options: ReadOptions) -> Iterator[Source]:
    """Open a table to be read."""
    if path == PIPE and sys.stdin.isatty():
        raise Refusal("- reads a table from a pipe, and there is none.", "pipe one in: < file.")
    with _opened(path) as file:
        name = options.format or _format_name(path, file)
        table_format = TABLE_FORMATS[name]
        try:
            batches = _READERS[name](file, path, options)
            yield Source(path, name, table_format.style, batches)
        except UnicodeDecodeError as error:
            raise Refusal(
                f"{path!r} is not {options.encoding}: byte {error.object[error.start]:#x}.",
                "say its --encoding, such as latin-1 or utf-16.",
            ) from error
        except (EOFError, gzip.BadGzipFile, lzma.LZMAError) as error:
            raise Refusal(f"{path!r} is not a whole compressed file: {error}.") from error
        except pa.ArrowInvalid as error:
            raise Refusal(
                f"{path!r} cannot be read as {name}: {error}.", "say its --input-format."
            ) from error


@contextmanager
def _opened(path: str) -> Iterator[BinaryIO]:
    if path == PIPE:
        yield sys.stdin.buffer
        return
    if os.path.isdir(path):
        raise Refusal(f"{path!r} is a folder.", f"name its files, such as '{path}/*.parquet'.")
    openers: dict[str | None, Callable[..., Any]] = {
        ".gz": gzip.open,
        ".bz2": bz2.open,
        ".xz": lzma.open,
    }
    with openers.get(packing_of(path), open)(path, "rb") as file:
        yield file


def _format_name(path: str, file: BinaryIO) -> str:
    """By the suffix; of a pipe by how its content begins."""
    if path != PIPE:
        return table_format_of(path)
    start = file.peek(8)[:8] if hasattr(file, "peek") else b""
    for name, table_format in TABLE_FORMATS.items():
        if any(start.startswith(magic) for magic in table_format.begins_with):
            return name
    return "csv"


# --- Text ---


def _csv(file: BinaryIO, path: str, options: ReadOptions) -> Iterator[Batch]:
    return _delimited(file, path, options, ",")


def _tsv(file: BinaryIO, path: str, options: ReadOptions) -> Iterator[Batch]:
    return _delimited(file, path, options, "\t")


def _decoded(file: BinaryIO, options: ReadOptions) -> io.TextIOWrapper:
    is_utf8 = options.encoding.lower().replace("_", "-") in ("utf-8", "utf8")
    encoding = "utf-8-sig" if is_utf8 else options.encoding  # a byte order mark is no text
    try:
        return io.TextIOWrapper(file, encoding=encoding, newline="")
    except LookupError as error:
        raise Refusal(
            f"{options.encoding!r} is no encoding that is known here.", "try latin-1 or utf-16."
        ) from error


def _delimited(file: BinaryIO, path: str, options: ReadOptions, delimiter: str) -> Iterator[Batch]:
    csv.field_size_limit(_LONGEST_CELL)
    rows = csv.reader(
        _decoded(file, options), delimiter=options.delimiter or delimiter, strict=True
    )
    try:
        first = next((row for row in rows if row), None)
        if first is None:
            raise Refusal(f"{path!r} is empty.", "a table has a line of names, then its rows.")
        if options.has_header:
            names, kept = _names([name.strip() for name in first], path), []
        else:
            names, kept = [f"x{i}" for i in range(len(first))], [first]
        for row in rows:
            if len(row) != len(names):
                if not row:  # an empty line
                    continue
                raise Refusal(
                    f"Line {rows.line_num} of {path!r} has {len(row)} cells, and the first has "
                    f"{len(names)}.",
                    "put cells with a delimiter in quotes, or say the --delimiter.",
                )
            kept.append(row)
            if len(kept) == _BATCH_ROWS:
                yield _batch_of_rows(names, kept)
                kept = []
    except csv.Error as error:
        raise Refusal(
            f"Line {rows.line_num} of {path!r} cannot be read: {error}.",
            "look at its quotes, or say the --delimiter.",
        ) from error
    yield _batch_of_rows(names, kept)


def _batch_of_rows(names: list[str], rows: list[list[str]]) -> Batch:
    cells = zip(*rows, strict=True) if rows else ([] for _ in names)
    columns = {name: pa.array(own, pa.string()) for name, own in zip(names, cells, strict=True)}
    return Batch(columns, len(rows))


def _names(names: list[str], path: str) -> list[str]:
    """Check the names of columns; one without a name is called by its place."""
    named = [name or f"column {i}" for i, name in enumerate(names, start=1)]
    for name, count in Counter(named).items():
        if count > 1:
            raise Refusal(
                f"{path!r} has {count} columns called {name!r}.", "give each its own name."
            )
    return named


def _json_lines(file: BinaryIO, path: str, options: ReadOptions) -> Iterator[Batch]:
    rows: list[dict[str, Any]] = []
    names: dict[str, None] = {}  # also those of earlier rows, so that every batch has them
    is_any = False
    for number, line in enumerate(_decoded(file, options), start=1):
        if not line.strip():
            continue
        rows.append(_json_row(line, number, path))
        names |= dict.fromkeys(rows[-1])
        is_any = True
        if len(rows) == _BATCH_ROWS:
            yield _batch_of_objects(list(names), rows)
            rows = []
    if not is_any:
        raise Refusal(f"{path!r} is empty.", "each of its lines is to be an object, as {...}.")
    yield _batch_of_objects(list(names), rows)


class _Literal(str):
    """A number as it is written, so that it is written again with the same digits."""

    __slots__ = ()


def _json_row(line: str, number: int, path: str) -> dict[str, Any]:
    try:
        row = json.loads(line, parse_float=_Literal, parse_int=_Literal, parse_constant=_Literal)
    except (ValueError, RecursionError) as error:
        raise Refusal(f"Line {number} of {path!r} is not JSON: {error}.") from error
    if not isinstance(row, dict):
        raise Refusal(
            f"Line {number} of {path!r} is no object.", "each line is to be one, as {...}."
        )
    return row


def _literal(value: Any) -> str:
    """Write a value of JSON as it was read, its numbers digit for digit."""
    if isinstance(value, _Literal):
        is_finite = value[-1].isdigit()  # NaN and Infinity are no words of JSON
        return str(value) if is_finite else "null"
    if isinstance(value, list):
        return f"[{', '.join(map(_literal, value))}]"
    if isinstance(value, dict):
        cells = (
            f"{json.dumps(key, ensure_ascii=False)}: {_literal(own)}" for key, own in value.items()
        )
        return f"{{{', '.join(cells)}}}"
    return json.dumps(value, ensure_ascii=False)


def _cell(value: Any) -> str | None:
    return None if (literal := _literal(value)) == "null" else literal


def _batch_of_objects(names: list[str], rows: list[dict[str, Any]]) -> Batch:
    columns = {
        name: pa.array([_cell(row.get(name)) for row in rows], pa.string()) for name in names
    }
    return Batch(columns, len(rows))


# --- Arrow ---


def _parquet(file: BinaryIO, path: str, options: ReadOptions) -> Iterator[Batch]:
    import pyarrow.parquet as pq

    parquet = pq.ParquetFile(_seekable(file))
    _names(list(parquet.schema_arrow.names), path)
    yield from map(_arrow_batch, parquet.iter_batches(batch_size=_BATCH_ROWS))
    if parquet.metadata.num_rows == 0:
        yield _arrow_batch(parquet.schema_arrow.empty_table())


def _arrow(file: BinaryIO, path: str, options: ReadOptions) -> Iterator[Batch]:
    """Read the file form of Arrow, which is also Feather's, or the stream form."""
    source = _seekable(file)
    start = source.read(6)
    source.seek(0)
    n_batches = 0
    if start == b"ARROW1":
        reader = pa.ipc.open_file(source)
        parts = (reader.get_batch(i) for i in range(reader.num_record_batches))
    else:
        reader = pa.ipc.open_stream(source)
        parts = iter(reader)
    _names(list(reader.schema.names), path)
    for part in parts:
        n_batches += 1
        yield _arrow_batch(part)
    if n_batches == 0:
        yield _arrow_batch(reader.schema.empty_table())


def _seekable(file: BinaryIO) -> BinaryIO:
    return file if file.seekable() else io.BytesIO(file.read())


def _arrow_batch(part: Any) -> Batch:
    arrays = [
        column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column
        for column in part.columns
    ]
    return Batch(dict(zip(part.schema.names, arrays, strict=True)), part.num_rows)


_READERS: dict[str, Callable[[BinaryIO, str, ReadOptions], Iterator[Batch]]] = {
    "csv": _csv,
    "tsv": _tsv,
    "jsonl": _json_lines,
    "parquet": _parquet,
    "arrow": _arrow,
}
