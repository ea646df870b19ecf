"""The formats of tables, by the suffixes of their files."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import PurePath
from typing import Literal, TypeAlias

from bsnsing.cli.errors import Refusal

# "text": cells of CSV and TSV, whose type is to be found. "json": the literals of JSON lines.
# "typed": cells of Parquet and Arrow.
Style: TypeAlias = Literal["text", "json", "typed"]

PACKINGS = (".gz", ".bz2", ".xz")


@dataclass(frozen=True, slots=True)
class TableFormat:
    """One format of tables."""

    suffixes: tuple[str, ...]
    style: Style
    begins_with: tuple[bytes, ...] = ()  # what tells it in a pipe


TABLE_FORMATS = {
    "csv": TableFormat((".csv", ".txt"), "text"),
    "tsv": TableFormat((".tsv", ".tab"), "text"),
    "jsonl": TableFormat((".jsonl", ".ndjson"), "json", (b"{",)),
    "parquet": TableFormat((".parquet", ".pq"), "typed", (b"PAR1",)),
    "arrow": TableFormat((".arrow", ".feather", ".ipc"), "typed", (b"ARROW1", b"\xff\xff\xff\xff")),
}
SUFFIXES = tuple(suffix for known in TABLE_FORMATS.values() for suffix in known.suffixes)


def packing_of(path: str) -> str | None:
    """Return the suffix that says how a file is compressed, if it is."""
    suffix = PurePath(path).suffix.lower()
    return suffix if suffix in PACKINGS else None


def table_format_of(path: str) -> str:
    """Return the name of the format that a file's suffix says."""
    name = PurePath(path)
    suffix = (name.with_suffix("") if packing_of(path) else name).suffix.lower()
    for known, table_format in TABLE_FORMATS.items():
        if suffix in table_format.suffixes:
            return known
    raise Refusal(
        f"The suffix {suffix!r} of {path!r} is of no table format: {' '.join(SUFFIXES)}.",
        f"say the format: {', '.join(TABLE_FORMATS)}.",
    )
