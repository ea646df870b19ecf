"""fit_parquet(): a tree from Parquet files that are larger than memory."""

from __future__ import annotations

import glob
import os
import re
import tempfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bsnsing.data.parts import Part, read_part
from bsnsing.engine.on_disk import OnDisk
from bsnsing.engine.workers import Room
from bsnsing.estimators.scattered import check_scattered, fit_parts
from bsnsing.grow.progress import is_wanted, report_part
from bsnsing.rules.options import effective_n_threads

if TYPE_CHECKING:
    from bsnsing.estimators.classifier import BsnsingClassifier

# Bytes of a file that are read at a time.
_BUFFER = 2**16
# Bytes of the memory limit for counts and pages of files, in a table of some dozen columns. Then
# shares of the rest: what a part may take while it is read and worked on, and what rows that are
# gathered may.
_FOR_COUNTS = 64 * 10**6
_OF_PART, _OF_GATHERED = 0.3, 0.8
# Bytes that a cell takes while its part is worked on: as read, as numbers, in buckets and as codes.
_BYTES_PER_CELL = 36
_LEAST_LIMIT = 10**8
_FEWEST_ROWS, _MOST_ROWS = 1000, 1_000_000
_UNITS = {"": 1, "K": 10**3, "M": 10**6, "G": 10**9, "T": 10**12}
_BINARY_UNITS = {"K": 2**10, "M": 2**20, "G": 2**30, "T": 2**40}


@dataclass(frozen=True, slots=True)
class Parquet:
    """Files of the same columns."""

    paths: tuple[str, ...]
    names: tuple[str, ...]  # of the columns of the first
    n_rows: int

    @classmethod
    def listed(cls, paths: str | os.PathLike[str] | Iterable[str | os.PathLike[str]]) -> Parquet:
        """Find the files that a pattern, a path or several of them name, in order."""
        several = [paths] if isinstance(paths, str | os.PathLike) else list(paths)
        given: list[str] = [os.fspath(path) for path in several]
        found = [path for own in given for path in sorted(glob.glob(own))]
        if not found:
            raise FileNotFoundError(
                f"There is no file {', '.join(map(repr, given))}. Check the pattern and the folder."
            )
        names, n_rows = list[str](), 0
        for path in found:
            with _opened(path) as file:
                names = names or file.schema_arrow.names
                n_rows += file.metadata.num_rows
        if n_rows == 0:
            raise ValueError(
                f"The files {', '.join(map(repr, found[:8]))} have no rows. Give some."
            )
        return cls(tuple(found), tuple(names), n_rows)

    def check_has(self, name: str) -> None:
        """Refuse a column that is not there."""
        if name not in self.names:
            raise ValueError(
                f"The files have no column {name!r}. Their first columns are "
                f"{', '.join(map(repr, self.names[:8]))}."
            )

    def batches(self, n_rows: int, columns: list[str] | None = None) -> Iterator[Any]:
        """Yield tables of at most ``n_rows`` rows, file after file; of some columns or all."""
        import pyarrow as pa

        for path in self.paths:
            with _opened(path) as file:
                for group in range(file.num_row_groups):
                    # One thread has one page of each column in memory, and no more.
                    how = {"batch_size": n_rows, "row_groups": [group], "use_threads": False}
                    for batch in file.iter_batches(columns=columns, **how):
                        yield pa.Table.from_batches([batch])
                    pa.default_memory_pool().release_unused()


def _opened(path: str) -> Any:
    try:
        from pyarrow.parquet import ParquetFile
    except ImportError as error:
        raise ImportError(
            "Parquet files need pyarrow, which is not installed. Run `pip install bsnsing[cli]`."
        ) from error
    return ParquetFile(path, pre_buffer=False, buffer_size=_BUFFER)


def fit_parquet(
    model: BsnsingClassifier,
    paths: str | os.PathLike[str] | Iterable[str | os.PathLike[str]],
    target: str,
    sample_weight: str | None = None,
    memory_limit: int | str | None = None,
) -> None:
    """Fit a model on files, some of whose rows are in memory at a time."""
    check_scattered(model)
    limit = read_memory_limit(memory_limit)
    files = Parquet.listed(paths)
    roles = [target] if sample_weight is None else [target, sample_weight]
    for name in roles:
        files.check_has(name)
    features = [name for name in files.names if name not in roles]

    def read(number: int, rows: Any) -> Part:
        weights = None
        if sample_weight is not None and sample_weight in rows.column_names:
            weights = rows[sample_weight].to_numpy()
            rows = rows.drop_columns([sample_weight])
        return read_part(
            rows,
            target,
            weights,
            number=number,
            names=features,
            categorical_features=model.categorical_features,
        )

    n_rows = rows_at_a_time(limit, len(files.names))
    parts = (read(number, rows) for number, rows in enumerate(files.batches(n_rows)))
    fit_on_disk(model, parts, -(-files.n_rows // n_rows), limit)


def fit_on_disk(
    model: BsnsingClassifier, parts: Iterable[Part], n_parts: int, memory_limit: float
) -> None:
    """Fit a model on about ``n_parts`` parts, which are kept in files as they come."""
    n_threads = effective_n_threads(model.n_jobs)
    left = memory_limit - _FOR_COUNTS
    room = Room(n_bytes=_OF_GATHERED * left, n_threads=n_threads, most_bytes=left)
    is_reported = is_wanted(model.verbose)

    def tell(name: str, n_done: int, n_all: int) -> None:
        report_part(is_reported, name, n_done, n_all)

    with tempfile.TemporaryDirectory(prefix="bsnsing-") as folder:
        workers = OnDisk(Path(folder), room, tell)
        fit_parts(model, workers, workers.keep(parts, "read_part", n_parts))


def rows_at_a_time(memory_limit: float, n_columns: int) -> int:
    """Rows of a part, so that the work on it keeps the limit."""
    n_bytes = _OF_PART * (memory_limit - _FOR_COUNTS)
    n_rows = int(n_bytes / (_BYTES_PER_CELL * max(1, n_columns)))
    return max(_FEWEST_ROWS, min(n_rows, _MOST_ROWS))


def read_memory_limit(given: int | str | None) -> float:
    """Return a limit in bytes; None is half of the machine's memory."""
    if given is None:
        return machine_memory() / 2
    if isinstance(given, str):
        found = re.fullmatch(r"\s*(\d+(?:\.\d*)?)\s*([KMGT]?)(i?)B?\s*", given, re.IGNORECASE)
        if found and not (found[3] and not found[2]):
            units = _BINARY_UNITS if found[3] else _UNITS
            return _checked(float(found[1]) * units[found[2].upper()], given)
    elif not isinstance(given, bool) and isinstance(given, int | float):
        return _checked(float(given), given)
    raise ValueError(
        f"memory_limit must be a number of bytes, or a text such as '4GB'. Got {given!r}."
    )


def _checked(limit: float, given: Any) -> float:
    if not limit >= _LEAST_LIMIT:
        least = _LEAST_LIMIT // 10**6
        raise ValueError(f"memory_limit must be at least {least} MB, for counts. Got {given!r}.")
    return limit


def machine_memory() -> float:
    """Bytes of the machine's memory; 4 GiB where it does not tell."""
    try:
        return float(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"))
    except (AttributeError, ValueError, OSError):
        return 2.0**32
